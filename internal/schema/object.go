package schema

import (
	"bytes"
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// object is a JSON object with its members in the order of the document.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads one level of an object; ok is false for anything else.
func parseObject(raw []byte) (obj object, ok bool) {
	if kindOf(raw) != "object" {
		return nil, false
	}
	at := map[string]int{}
	for name, value := range jsonrpc.Members(raw) {
		// If two members have the same name, the last counts, as everywhere in Go.
		if i, dup := at[string(name)]; dup {
			obj[i].value = value
			continue
		}
		at[string(name)] = len(obj)
		obj = append(obj, member{string(name), value})
	}
	return obj, true
}

// kindOf returns the type of a JSON value.
func kindOf(raw []byte) string {
	if !json.Valid(raw) {
		return "what is not JSON"
	}
	return jsonrpc.TypeOf(bytes.TrimSpace(raw))
}

func (o object) get(name string) json.RawMessage {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (o object) has(name string) bool { return o.get(name) != nil }

// object reads the value of a member that is an object; nil for others.
func (o object) object(name string) object {
	sub, _ := parseObject(o.get(name))
	return sub
}

func (o object) text(name string) string {
	s, _ := jsonrpc.Unquote(o.get(name))
	return s
}

func (o object) texts(name string) []string { return jsonrpc.Strings(o.get(name)) }

// list returns the elements of a member that is an array, or nil.
func (o object) list(name string) []json.RawMessage {
	raw := o.get(name)
	if jsonrpc.TypeOf(raw) != "array" {
		return nil
	}
	l := []json.RawMessage{}
	for e := range jsonrpc.Elements(raw) {
		l = append(l, e)
	}
	return l
}

func (o object) number(name string) *float64 {
	var f *float64
	if json.Unmarshal(o.get(name), &f) != nil {
		return nil
	}
	return f
}

func (o object) count(name string) *int {
	f := o.number(name)
	if f == nil || *f < 0 || *f > 1<<31 {
		return nil
	}
	n := int(*f)
	return &n
}

// over returns o with the members of base that o lacks.
func (o object) over(base object) object {
	out := append(object(nil), o...)
	for _, m := range base {
		if !o.has(m.name) {
			out = append(out, m)
		}
	}
	return out
}

// compact returns JSON without white space, as a key for comparisons.
func compact(raw json.RawMessage) string { return string(jsonrpc.Compact(raw)) }

func (o object) without(name string) object {
	var out object
	for _, m := range o {
		if m.name != name {
			out = append(out, m)
		}
	}
	return out
}

// encode writes the object in its own order.
func (o object) encode() json.RawMessage {
	b := []byte("{")
	for _, m := range o {
		b = jsonrpc.AppendMember(b, m.name, m.value)
	}
	return append(b, '}')
}

// quote writes a JSON string without the escapes meant for HTML.
func quote(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return json.RawMessage(`""`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
