package schema

import (
	"encoding/json"
	"strconv"
)

// options gives the values that a schema lists: enum (with enumNames), const,
// or oneOf and anyOf made of consts with titles.
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

// distinct makes labels unique: two options that look the same show their
// values, and then numbers.
func distinct(opts []Option) []Option {
	for _, again := range []func(int, Option) string{
		func(_ int, o Option) string { return o.Label + " (" + compact(o.Value) + ")" },
		func(i int, o Option) string { return o.Label + " #" + strconv.Itoa(i+1) },
	} {
		seen := map[string]int{}
		for _, o := range opts {
			seen[o.Label]++
		}
		for i, o := range opts {
			if seen[o.Label] > 1 || o.Label == "" {
				opts[i].Label = again(i, o)
			}
		}
	}
	return opts
}

// plain is how a value reads for people: strings without quotes.
func plain(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return compact(raw)
}
