package schema

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Complete gives arguments with an example for each required member that they lack,
// in the order of the schema then. What is no object, or lacks none, stays as it is.
func (f *Form) Complete(args []byte) []byte {
	given, ok := parseObject(args)
	if !ok {
		return args
	}
	if !f.lacks(given) {
		return args
	}
	var obj object
	for i := range f.Fields {
		fd := &f.Fields[i]
		if v := given.get(fd.Name); v != nil {
			obj = append(obj, member{fd.Name, v})
		} else if fd.Required {
			obj = append(obj, member{fd.Name, fd.example()})
		}
	}
	for _, m := range given {
		if !obj.has(m.name) {
			obj = append(obj, m)
		}
	}
	return obj.encode()
}

// lacks reports whether arguments lack a required member.
func (f *Form) lacks(given object) bool {
	for i := range f.Fields {
		if f.Fields[i].Required && !given.has(f.Fields[i].Name) {
			return true
		}
	}
	return false
}

func (fd *Field) example() json.RawMessage {
	switch {
	case fd.Default != nil:
		return fd.Default
	case fd.Kind == Enum && len(fd.Options) > 0:
		return fd.Options[0].Value
	case fd.Kind == String:
		return json.RawMessage(`""`)
	case fd.Kind == Number, fd.Kind == Integer:
		if raw, err := json.Marshal(fd.Min); fd.Min != nil && !fd.MinExclusive && err == nil {
			return raw
		}
		return json.RawMessage("0")
	case fd.Kind == Boolean:
		return json.RawMessage("false")
	case fd.Kind == Multi && len(fd.Options) > 0:
		return json.RawMessage("[" + string(fd.Options[0].Value) + "]")
	case fd.Skeleton != "":
		return json.RawMessage(fd.Skeleton)
	}
	return json.RawMessage("null")
}

// skeleton gives what a value of a schema could look like.
func (r *reader) skeleton(raw json.RawMessage, depth int) string {
	budget := 200
	return pretty(r.sample(raw, depth, &budget))
}

// emptyOf is the least value of a type.
func emptyOf(kind string) json.RawMessage {
	switch kind {
	case "string":
		return json.RawMessage(`""`)
	case "number", "integer":
		return json.RawMessage("0")
	case "boolean":
		return json.RawMessage("false")
	case "array":
		return json.RawMessage("[]")
	case "object":
		return json.RawMessage("{}")
	}
	return json.RawMessage("null")
}

// sample is bounded in depth and, since a schema can fan out at each level, in
// the number of values.
func (r *reader) sample(raw json.RawMessage, depth int, budget *int) json.RawMessage {
	*budget--
	obj, ok := r.resolve(raw, depth)
	if !ok || *budget < 0 {
		return json.RawMessage("null")
	}
	if depth > maxDepth/2 { // too deep to show what is inside, but not what it is
		return emptyOf(kindOfSample(obj))
	}
	obj, _ = r.alternatives(obj, depth)
	if v := obj.get("default"); v != nil {
		return v
	}
	if opts := r.options(obj, depth); len(opts) > 0 {
		return opts[0].Value
	}
	switch kindOfSample(obj) {
	case "":
		for _, key := range []string{"anyOf", "oneOf"} {
			if alts := obj.list(key); len(alts) > 0 {
				return r.sample(alts[0], depth+1, budget)
			}
		}
	case "string":
		return json.RawMessage(`""`)
	case "number", "integer":
		if low := obj.number("minimum"); low != nil && *low > 0 {
			return obj.get("minimum")
		}
		return json.RawMessage("0")
	case "boolean":
		return json.RawMessage("false")
	case "array":
		// One element shows what the others have to look like.
		if items := obj.get("items"); items != nil {
			if s := r.sample(items, depth+1, budget); string(s) != "null" {
				return json.RawMessage("[" + string(s) + "]")
			}
		}
		return json.RawMessage("[]")
	case "object":
		var out object
		props, _ := parseObject(obj.get("properties"))
		for _, m := range props[:min(len(props), 50)] {
			out = append(out, member{m.name, r.sample(m.value, depth+1, budget)})
		}
		return out.encode()
	}
	return json.RawMessage("null")
}

// kindOfSample is the first type that a schema allows and that has a shape.
func kindOfSample(obj object) string {
	kinds := typesOf(obj)
	if len(kinds) == 0 {
		kinds = guess(obj)
	}
	for _, k := range kinds {
		if k != "null" {
			return k
		}
	}
	return strings.Join(kinds, "")
}

func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
