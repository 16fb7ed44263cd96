package modelview

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/check"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
)

// bounds of a schema; parts beyond them are sent unchanged and not checked
const (
	maxDepth   = 48
	maxInlined = 256 << 10 // bytes of the schemas that take the places of references in one schema
	maxText    = 16 << 10  // bytes of a description that are searched
	maxPart    = 100       // bytes of a name in the path of a problem
)

// A kind is the type of a schema keyword's value.
type kind uint8

const (
	isValue   kind = iota
	isSchema       // a schema, true or false
	isSchemas      // an array of schemas
	isNamed        // an object of schemas
)

// kindOf returns which keywords have schemas as their values (JSON Schema 2020-12 §10, and
// older drafts).
func kindOf(keyword string, value []byte) kind {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		return isNamed
	case "allOf", "anyOf", "oneOf", "prefixItems":
		return isSchemas
	case "items":
		if jsonrpc.TypeOf(value) == "array" {
			return isSchemas
		}
		return isSchema
	case "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties":
		return isSchema
	}
	return isValue
}

// walk rewrites the schema of a tool.
type walk struct {
	*builder
	text     string // the description of the tool
	refs     *schema.References
	required map[string]bool // required properties of the root
	open     []string        // the references that lead to the schema
	path     []string
	inlined  int // bytes; see maxInlined
}

// schema returns the schema of the arguments as the host sends it.
func (b *builder) schema(input []byte, text string) []byte {
	if jsonrpc.TypeOf(input) != "object" {
		return []byte("{}")
	}
	b.each("invalid", func(f *Fact) {
		if p := check.Compile(input, check.Options{Dialectless: true}).Problem(); p != nil && p.Fault == check.Invalid {
			b.note(f, Place{Found: p.Reason})
		}
	})
	w := walk{builder: b, text: strings.ToLower(text[:min(len(text), maxText)]), refs: schema.NewReferences(input), required: map[string]bool{}}
	for _, name := range jsonrpc.Strings(jsonrpc.Get(input, "required")) {
		w.required[name] = true
	}
	return w.schema(nil, input)
}

// schema appends a schema.
func (w *walk) schema(dst, raw []byte) []byte {
	if jsonrpc.TypeOf(raw) != "object" || len(w.path) > maxDepth {
		return append(dst, jsonrpc.Compact(raw)...)
	}
	if ref := jsonrpc.Text(raw, "$ref"); ref != "" {
		target, ok := w.refs.Follow(ref)
		if !ok {
			w.place("reference", "$ref", lint.Quoted(ref))
		} else if w.Host.Inline {
			return w.inline(dst, raw, ref, target)
		}
	}
	w.check(raw)
	dst = append(dst, '{')
	for key, value := range jsonrpc.Members(raw) {
		if keyword := string(key); w.sends(keyword) {
			w.path = append(w.path, keyword)
			dst = w.member(dst, keyword, value)
			w.path = w.path[:len(w.path)-1]
		}
	}
	return append(dst, '}')
}

// inline appends the target of a reference instead of raw, the schema with the reference.
func (w *walk) inline(dst, raw []byte, ref string, target []byte) []byte {
	if w.inlined > maxInlined {
		return append(dst, jsonrpc.Compact(raw)...)
	}
	if len(w.open) > maxDepth || slices.Contains(w.open, ref) {
		w.place("recursion", "$ref", lint.Quoted(ref))
		return append(dst, `{"type":"object"}`...)
	}
	w.inlined += len(target)
	w.open = append(w.open, ref)
	dst = w.schema(dst, target)
	w.open = w.open[:len(w.open)-1]
	return dst
}

// member appends a keyword and its value.
func (w *walk) member(dst []byte, keyword string, value []byte) []byte {
	if h := w.Host; h.Inline && keyword == "type" && jsonrpc.TypeOf(value) == "array" {
		return appendTypes(dst, jsonrpc.Strings(value))
	} else if h.Inline && keyword == "enum" {
		return jsonrpc.AppendMember(dst, keyword, w.strings(value))
	}
	dst = jsonrpc.AppendMember(dst, keyword, nil)
	switch kindOf(keyword, value) {
	case isSchema:
		return w.schema(dst, value)
	case isSchemas:
		dst = append(dst, '[')
		i := 0
		for e := range jsonrpc.Elements(value) {
			if i > 0 {
				dst = append(dst, ',')
			}
			w.path = append(w.path, strconv.Itoa(i))
			dst = w.schema(dst, e)
			w.path = w.path[:len(w.path)-1]
			i++
		}
		return append(dst, ']')
	case isNamed:
		dst = append(dst, '{')
		for name, e := range jsonrpc.Members(value) {
			w.path = append(w.path, phrase.Clip(string(name), maxPart))
			if keyword == "properties" {
				w.property(string(name), e)
			}
			dst = w.schema(jsonrpc.AppendMember(dst, string(name), nil), e)
			w.path = w.path[:len(w.path)-1]
		}
		return append(dst, '}')
	}
	return append(dst, jsonrpc.Compact(value)...)
}

// sends reports whether the host sends a keyword, and notes the facts about it.
func (w *walk) sends(keyword string) bool {
	h, root := w.Host, len(w.path) == 0
	listed := func(f *Fact) bool { return slices.Contains(f.Keywords, keyword) }
	if root {
		w.each("root", func(f *Fact) {
			if listed(f) {
				w.place("root", keyword, "")
			}
		})
	}
	if (h.Keep == nil || slices.Contains(h.Keep, keyword)) && !slices.Contains(h.Drop, keyword) && (!root || !slices.Contains(h.DropRoot, keyword)) {
		return true
	}
	harmless := false
	w.each("annotations", func(f *Fact) { harmless = listed(f) })
	if harmless {
		w.place("annotations", keyword, "")
	} else {
		w.place("dropped", keyword, "")
	}
	return false
}

// place notes a problem at a keyword of the schema.
func (w *walk) place(id, keyword, found string) {
	path := w.path
	if keyword != "" {
		path = append(path[:len(path):len(path)], keyword)
	}
	w.report(id, Place{Path: jsonrpc.JoinPointer(path), Found: found})
}

// check checks a schema that is an object.
func (w *walk) check(raw []byte) {
	items := jsonrpc.Get(raw, "items")
	if jsonrpc.Text(raw, "type") == "array" && items == nil && jsonrpc.Get(raw, "prefixItems") == nil {
		w.place("items", "", "array without items")
	}
	switch jsonrpc.TypeOf(items) {
	case "array":
		w.place("tuple", "items", "")
	case "object":
		if types := jsonrpc.Get(items, "type"); jsonrpc.TypeOf(types) == "array" && slices.Contains(jsonrpc.Strings(types), "object") {
			w.place("union", "items", lint.ShownValue(types))
		}
	}
	kind, properties := jsonrpc.Text(raw, "type"), jsonrpc.Get(raw, "properties")
	switch {
	case kind == "object" && properties == nil && len(w.path) == 0:
		w.place("properties", "", "no properties")
	case kind != "" && kind != "object" && properties != nil:
		w.place("foreign", "properties", "type "+kind)
	}
	if required := jsonrpc.Get(raw, "required"); required != nil {
		defined := map[string]bool{}
		for name := range jsonrpc.Members(jsonrpc.Get(raw, "properties")) {
			defined[string(name)] = true
		}
		for _, name := range jsonrpc.Strings(required) {
			if !defined[name] {
				w.place("undefined", "required", lint.Quoted(name))
			}
		}
	}
}

// property checks a parameter.
func (w *walk) property(name string, raw []byte) {
	root := len(w.path) == 2
	w.each("property", func(f *Fact) {
		if fault := f.fault(name); fault != "" && (root || f.Deep) {
			w.note(f, Place{Path: jsonrpc.JoinPointer(w.path), Found: fault})
		}
	})
	if types := jsonrpc.Get(raw, "type"); root && jsonrpc.TypeOf(types) == "array" {
		w.place("types", "type", lint.ShownValue(types))
	}
	if jsonrpc.Text(raw, "description") != "" || jsonrpc.Text(raw, "$ref") != "" || !w.required[name] && saysAll(raw) {
		return
	}
	if root && !w.required[name] && !strings.Contains(w.text, strings.ToLower(name)) {
		w.place("unused", "", "")
	} else {
		w.place("undescribed", "", "")
	}
}

// saysAll reports whether the values and the default of a parameter make its purpose clear.
func saysAll(raw []byte) bool {
	values := 0
	for range jsonrpc.Elements(jsonrpc.Get(raw, "enum")) {
		values++
	}
	return values > 1 && jsonrpc.Get(raw, "default") != nil
}

// strings returns the values of an enum converted to strings.
func (w *walk) strings(values []byte) []byte {
	dst := []byte{'['}
	for v := range jsonrpc.Elements(values) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		if jsonrpc.TypeOf(v) != "string" {
			w.place("enum", "", lint.ShownValue(v))
			v = jsonString(string(v))
		}
		dst = append(dst, v...)
	}
	return append(dst, ']')
}

// appendTypes appends several types: null becomes nullable, and others anyOf.
func appendTypes(dst []byte, types []string) []byte {
	if i := slices.Index(types, "null"); i >= 0 {
		dst, types = jsonrpc.AppendMember(dst, "nullable", []byte("true")), slices.Delete(types, i, i+1)
	}
	switch len(types) {
	case 0:
		return dst
	case 1:
		return jsonrpc.AppendMember(dst, "type", jsonString(types[0]))
	}
	var choices [][]byte
	for _, t := range types {
		choices = append(choices, append(jsonrpc.AppendMember([]byte{'{'}, "type", jsonString(t)), '}'))
	}
	return append(append(jsonrpc.AppendMember(dst, "anyOf", []byte{'['}), bytes.Join(choices, []byte{','})...), ']')
}
