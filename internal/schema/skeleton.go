package schema

import (
	"encoding/json"

	"mcptea/client/jsonrpc"
)

// Complete adds the missing required members to arguments, in the order of the schema: with the default, or
// otherwise with an empty value to be filled in. It returns arguments unchanged if they are not an object or
// lack none.
func (f *Form) Complete(args []byte) []byte { return f.complete(args, (*Field).blank) }

// Fill is like Complete, but with an example for each missing member: for a response without a user.
func (f *Form) Fill(args []byte) []byte { return f.complete(args, (*Field).Example) }

func (f *Form) complete(args []byte, value func(*Field) json.RawMessage) []byte {
	given, ok := parseObject(args)
	if !ok {
		return args
	}
	var obj object
	lacks := false
	for i := range f.Fields {
		fd := &f.Fields[i]
		if v := given.get(fd.Name); v != nil {
			obj = append(obj, member{fd.Name, v})
		} else if fd.Required {
			lacks = true
			obj = append(obj, member{fd.Name, value(fd)})
		}
	}
	if !lacks {
		return args
	}
	for _, m := range given {
		if !obj.has(m.name) {
			obj = append(obj, m)
		}
	}
	return obj.encode()
}

// blank returns the initial value of the field: its default, its shape without values, or an empty text or
// null.
func (fd *Field) blank() json.RawMessage {
	switch {
	case fd.Default != nil:
		return fd.Default
	case fd.Kind == JSON && fd.shape != "":
		return json.RawMessage(fd.shape)
	case fd.Kind == String, fd.Kind == Enum && len(fd.Options) > 0 && kindOf(fd.Options[0].Value) == "string":
		return json.RawMessage(`""`) // typed text goes between the quotes
	}
	return json.RawMessage("null")
}

// Example returns an example value of the field. It makes all examples, such as those in skeletons.
func (fd *Field) Example() json.RawMessage {
	switch {
	case fd.Default != nil:
		return fd.Default
	case fd.Kind == Enum && len(fd.Options) > 0:
		return fd.Options[0].Value
	case fd.Kind == Multi && len(fd.Options) > 0:
		return json.RawMessage("[" + string(fd.Options[0].Value) + "]")
	case fd.Kind == String:
		return json.RawMessage(`""`)
	case fd.Kind == Boolean:
		return json.RawMessage("false")
	case fd.Kind == Number, fd.Kind == Integer:
		if raw, err := json.Marshal(fd.Min); fd.Min != nil && !fd.MinExclusive && err == nil {
			return raw
		}
		return json.RawMessage("0")
	case fd.Skeleton != "":
		return json.RawMessage(fd.Skeleton)
	}
	return json.RawMessage("null")
}

// skeleton returns an example of a value of a schema, with leaf for each scalar.
func (r *reader) skeleton(raw json.RawMessage, depth int, leaf func(*Field) json.RawMessage) string {
	budget := 200
	return jsonrpc.Indented(r.sample(raw, depth, &budget, leaf))
}

// sample returns a part of an example. It is bounded in depth and, since a schema can fan out at each level, in
// the number of values.
func (r *reader) sample(raw json.RawMessage, depth int, budget *int, leaf func(*Field) json.RawMessage) json.RawMessage {
	*budget--
	obj, ok := r.resolve(raw, depth)
	if !ok || *budget < 0 {
		return json.RawMessage("null")
	}
	isTooDeep := depth > maxDepth/2 // show the structure, but no values
	if !isTooDeep {
		obj, _ = r.alternatives(obj, depth)
	}
	f := r.fieldOf(obj, false, depth)
	if f.Kind != JSON || f.Default != nil {
		return leaf(&f)
	}
	kind := ""
	if kinds := kindsOf(obj); len(kinds) > 0 {
		kind = kinds[0]
	}
	switch kind {
	case "string", "number", "integer", "boolean": // possibly the first of several types
		f.Kind = leafKinds[kind]
		return leaf(&f)
	case "array":
		// One element shows the form of the others.
		if items := obj.get("items"); items != nil && !isTooDeep {
			if s := r.sample(items, depth+1, budget, leaf); string(s) != "null" {
				return json.RawMessage("[" + string(s) + "]")
			}
		}
		return json.RawMessage("[]")
	case "object":
		var out object
		props := obj.object("properties")
		for _, m := range props[:min(len(props), 50)] {
			if !isTooDeep {
				out = append(out, member{m.name, r.sample(m.value, depth+1, budget, leaf)})
			}
		}
		return out.encode()
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if alts := obj.list(key); len(alts) > 0 && !isTooDeep {
			return r.sample(alts[0], depth+1, budget, leaf)
		}
	}
	return json.RawMessage("null")
}
