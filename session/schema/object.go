package schema

import (
	"bytes"
	"encoding/json"
)

// object is a JSON object with its members in the order of the document.
type object []member

type member struct {
	name  string
	value json.RawMessage
}

// parseObject reads one level of an object; ok is false for anything else.
func parseObject(raw []byte) (obj object, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, false
	}
	at := map[string]int{}
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return obj, false
		}
		var m member
		m.name, _ = tok.(string)
		if dec.Decode(&m.value) != nil {
			return obj, false
		}
		// Of two members with one name the last counts, as everywhere in Go.
		if i, dup := at[m.name]; dup {
			obj[i].value = m.value
			continue
		}
		at[m.name] = len(obj)
		obj = append(obj, m)
	}
	_, err := dec.Token()
	return obj, err == nil
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

func (o object) text(name string) string {
	var s string
	if json.Unmarshal(o.get(name), &s) != nil {
		return ""
	}
	return s
}

func (o object) texts(name string) []string {
	var out []string
	for _, raw := range o.list(name) {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			out = append(out, s)
		}
	}
	return out
}

func (o object) list(name string) []json.RawMessage {
	var l []json.RawMessage
	if json.Unmarshal(o.get(name), &l) != nil {
		return nil
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

// over gives o with the members of base that it does not have itself.
func (o object) over(base object) object {
	out := append(object(nil), o...)
	for _, m := range base {
		if !o.has(m.name) {
			out = append(out, m)
		}
	}
	return out
}

// compact gives JSON without blanks, as a key to compare by.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// memberNames lists the names of an object, repeated ones too.
func memberNames(raw []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	var names []string
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return names
		}
		name, _ := tok.(string)
		names = append(names, name)
		var skipped json.RawMessage
		if dec.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}
