package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// maxDepth bounds references and nesting, which can both be circular.
const maxDepth = 16

// maxWork bounds the bytes of schema that are read repeatedly while references are followed, because a few
// references can multiply without end.
const maxWork = 8 << 20

// maxFields bounds the fields of a form.
const maxFields = 1000

type reader struct {
	refs    *References
	work    int // bytes read so far
	unclear string
}

// Parse makes a form from a schema. It never fails: parts that it does not understand become free JSON, and
// Form.Unclear describes them.
func Parse(raw []byte) Form {
	r := &reader{refs: NewReferences(raw)}
	obj, ok := r.resolve(raw, 0)
	if !ok {
		if s := bytes.TrimSpace(raw); len(s) > 0 && string(s) != "true" {
			return Form{Unclear: "the schema is not an object"}
		}
		return Form{}
	}
	others := string(bytes.TrimSpace(obj.get("additionalProperties")))
	f := Form{
		raw:         raw,
		Title:       obj.text("title"),
		Description: obj.text("description"),
		Closed:      others == "false",
		Open:        others == "true" || others != "" && others[0] == '{',
	}
	if types := typesOf(obj); len(types) > 0 && !slices.Contains(types, "object") {
		r.unclear = "the schema asks for " + strings.Join(types, " or ") + ", not an object"
	}
	for _, key := range []string{"oneOf", "anyOf", "if", "patternProperties", "dependentSchemas"} {
		if obj.has(key) && r.unclear == "" {
			r.unclear = key + " in the schema is not shown in the form"
		}
	}
	f.Fields = r.properties(obj, 0)
	f.Unclear = r.unclear
	return f
}

// resolve reads a schema with its references and allOf parts merged in.
func (r *reader) resolve(raw json.RawMessage, depth int) (object, bool) {
	obj, ok := parseObject(raw)
	if !ok {
		return nil, false
	}
	r.work += len(raw)
	if depth >= maxDepth {
		return obj, true
	}
	if r.work > maxWork {
		r.unclear = "the schema is too intricate to show all of it in a form"
		return obj, true
	}
	if ref := obj.text("$ref"); ref != "" {
		target, found := r.refs.Follow(ref)
		if !found {
			r.unclear = "the reference " + ref + " leads nowhere in this schema"
		} else if base, ok := r.resolve(target, depth+1); ok {
			obj = obj.over(base)
		}
	}
	parts := obj.list("allOf")
	for _, part := range parts[:min(len(parts), 32)] {
		if base, ok := r.resolve(part, depth+4); ok {
			obj = merge(obj, base)
		}
	}
	return obj, true
}

// merge adds one part of an allOf to a schema: properties and required names of both apply.
func merge(a, b object) object {
	out := a.over(b)
	for i, m := range out {
		switch m.name {
		case "properties":
			out[i].value = a.object("properties").over(b.object("properties")).encode()
		case "required":
			names := append(a.texts("required"), b.texts("required")...)
			if raw, err := json.Marshal(names); err == nil && len(names) > 0 {
				out[i].value = raw
			}
		}
	}
	return out
}

// property is a property of an object schema.
type property struct {
	member     // without a value when the name is only required
	isRequired bool
}

// propertiesOf returns the properties of a schema, then the names that are required and
// described nowhere, which can still be filled in.
func propertiesOf(obj object) []property {
	required := map[string]bool{}
	for _, name := range obj.texts("required") {
		required[name] = true
	}
	var all []property
	props := obj.object("properties")
	for _, m := range props[:min(len(props), maxFields)] {
		all = append(all, property{m, required[m.name]})
		delete(required, m.name)
	}
	for _, name := range obj.texts("required") {
		if required[name] && len(all) < maxFields {
			delete(required, name)
			all = append(all, property{member{name: name}, true})
		}
	}
	return all
}

func (r *reader) properties(obj object, depth int) []Field {
	var fields []Field
	for _, p := range propertiesOf(obj) {
		f := r.field(p.value, depth+1)
		f.Name, f.Required = p.name, p.isRequired
		fields = append(fields, f)
	}
	return fields
}

func (r *reader) field(raw json.RawMessage, depth int) Field {
	obj, ok := r.resolve(raw, depth)
	if !ok {
		return Field{Kind: JSON, Type: "any", Skeleton: "null"}
	}
	obj, nullable := r.alternatives(obj, depth)
	f := r.fieldOf(obj, nullable, depth)
	if f.Kind == JSON {
		f.Skeleton, f.shape = r.skeleton(raw, depth, (*Field).Example), r.skeleton(raw, depth, (*Field).blank)
	}
	return f
}

// fieldOf makes a field of a schema whose references are resolved.
func (r *reader) fieldOf(obj object, nullable bool, depth int) Field {
	f := Field{
		Title:       obj.text("title"),
		Description: obj.text("description"),
		Default:     obj.get("default"),
		Format:      obj.text("format"),
		Pattern:     obj.text("pattern"),
		Base64:      obj.text("contentEncoding") == "base64" || obj.text("format") == "byte",
		Min:         obj.number("minimum"),
		Max:         obj.number("maximum"),
		MinLen:      obj.count("minLength"),
		MaxLen:      obj.count("maxLength"),
	}
	if x := obj.number("exclusiveMinimum"); x != nil {
		f.Min, f.MinExclusive = x, true
	}
	if x := obj.number("exclusiveMaximum"); x != nil {
		f.Max, f.MaxExclusive = x, true
	}
	types := typesOf(obj)
	f.nullable = nullable || slices.Contains(types, "null")
	r.kind(&f, obj, depth)
	if f.nullable {
		f.Type += " or null"
	}
	return f
}

// alternatives reads anyOf and oneOf if they only add null.
func (r *reader) alternatives(obj object, depth int) (object, bool) {
	nullable := false
	for _, key := range []string{"anyOf", "oneOf"} {
		var left []object
		n := 0
		for _, raw := range obj.list(key) {
			alt, ok := r.resolve(raw, depth+1)
			if types := typesOf(alt); ok && len(types) == 1 && types[0] == "null" {
				nullable = true
				continue
			}
			n++
			left = append(left, alt)
		}
		if n == 1 && left[0] != nil {
			obj = obj.without(key).over(left[0])
		}
	}
	return obj, nullable
}

func (r *reader) kind(f *Field, obj object, depth int) {
	if f.Options = r.options(obj, depth); len(f.Options) > 0 {
		f.Kind, f.Type = Enum, "enum"
		if obj.has("const") && f.Default == nil && len(f.Options) == 1 {
			f.Default = f.Options[0].Value
		}
		return
	}
	named := kindsOf(obj)
	f.Type = strings.Join(named, " or ")
	if len(named) != 1 {
		if f.Type == "" {
			f.Type = "any"
		}
		return
	}
	f.Kind = leafKinds[named[0]]
	if named[0] == "array" {
		r.array(f, obj, depth)
	}
}

// leafKinds are the kinds of the types that have no parts.
var leafKinds = map[string]Kind{"string": String, "number": Number, "integer": Integer, "boolean": Boolean}

func (r *reader) array(f *Field, obj object, depth int) {
	items, ok := r.resolve(obj.get("items"), depth+1)
	if !ok {
		return
	}
	if types := typesOf(items); len(types) > 0 {
		f.Type = "array of " + strings.Join(types, " or ")
	}
	if opts := r.options(items, depth+1); len(opts) > 0 {
		f.Kind, f.Options = Multi, opts
		f.MinLen, f.MaxLen = obj.count("minItems"), obj.count("maxItems")
	}
}

// guess returns the type that a schema without a type implies.
func guess(obj object) []string {
	for _, g := range []struct{ key, kind string }{
		{"properties", "object"},
		{"items", "array"},
		{"minLength", "string"},
		{"maxLength", "string"},
		{"pattern", "string"},
		{"format", "string"},
		{"minimum", "number"},
		{"maximum", "number"},
	} {
		if obj.has(g.key) {
			return []string{g.kind}
		}
	}
	return nil
}

// kindsOf returns the types of a schema except null, or the implied type if it has none.
func kindsOf(obj object) []string {
	kinds := slices.DeleteFunc(typesOf(obj), func(s string) bool { return s == "null" })
	if len(kinds) == 0 {
		kinds = guess(obj)
	}
	return kinds
}

func typesOf(obj object) []string {
	if s := obj.text("type"); s != "" {
		return []string{s}
	}
	return obj.texts("type")
}

// options returns the values that a schema lists: enum (with enumNames), const, or oneOf and anyOf made of
// consts with titles.
func (r *reader) options(obj object, depth int) []Option {
	if values := obj.list("enum"); len(values) > 0 {
		names := obj.texts("enumNames")
		var opts []Option
		for i, v := range values {
			o := Option{Value: v, Label: plain(v)}
			if len(names) == len(values) {
				o.Label = names[i]
			}
			opts = append(opts, o)
		}
		return distinct(opts)
	}
	if v := obj.get("const"); v != nil {
		return []Option{{Value: v, Label: plain(v)}}
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if opts := r.consts(obj.list(key), depth); len(opts) > 0 {
			return distinct(opts)
		}
	}
	return nil
}

func (r *reader) consts(alts []json.RawMessage, depth int) []Option {
	var opts []Option
	for _, raw := range alts {
		alt, ok := r.resolve(raw, depth+1)
		v := alt.get("const")
		if one := alt.list("enum"); len(one) == 1 {
			v = one[0]
		}
		switch {
		case ok && v != nil:
			o := Option{Value: v, Label: plain(v)}
			if t := alt.text("title"); t != "" {
				o.Label = t
			}
			opts = append(opts, o)
		case ok && alt.text("type") == "null":
		default:
			return nil
		}
	}
	return opts
}

// distinct makes labels unique: it adds the values to options that look the same, and then numbers.
func distinct(opts []Option) []Option {
	label := func(i int) *string { return &opts[i].Label }
	relabel(len(opts), label, func(i int) string { return opts[i].Label + " (" + compact(opts[i].Value) + ")" })
	relabel(len(opts), label, func(i int) string { return opts[i].Label + " #" + strconv.Itoa(i+1) })
	return opts
}

// relabel replaces labels that are empty or not unique.
func relabel(n int, label func(i int) *string, other func(i int) string) {
	seen := map[string]int{}
	for i := range n {
		seen[*label(i)]++
	}
	for i := range n {
		if text := *label(i); text == "" || seen[text] > 1 {
			*label(i) = other(i)
		}
	}
}

// plain formats a value for people: strings without quotes.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return compact(raw)
}
