package wiremutant

import (
	"bytes"
	"encoding/json"
	"strings"
)

// decoded returns the value of a JSON text with unchanged numbers, or nil.
func decoded(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

// text returns the string of a JSON text.
func text(v json.RawMessage) string {
	s, _ := decoded(v).(string)
	return s
}

// encoded returns a message as a line without its end.
func encoded(m any) string {
	if text, ok := m.(raw); ok {
		return string(text)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		panic(err) // values come from JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// unescape decodes the names in a pointer (RFC 6901, section 4).
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// edited returns a copy of a value with do applied to the value at a pointer, and reports whether that value
// exists.
func edited(v any, pointer string, do func(any) any) (any, bool) {
	if pointer == "" {
		return do(v), true
	}
	name, rest, more := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	if more {
		rest = "/" + rest
	}
	touched := false
	switch v := v.(type) {
	case map[string]any:
		if name == "*" {
			all := map[string]any{}
			for name, child := range v {
				child, did := edited(child, rest, do)
				if touched = touched || did; child != any(drop) {
					all[name] = child
				}
			}
			return all, touched
		}
		name = unescape.Replace(name)
		child, ok := v[name]
		if !ok && (rest != "" || do(nil) == nil) {
			return v, false
		}
		child, touched = edited(child, rest, do)
		if child == any(drop) {
			v = with(v, name, nil)
			delete(v, name)
			return v, true
		}
		return with(v, name, child), touched
	case []any:
		if name != "*" {
			return v, false
		}
		all := make([]any, 0, len(v))
		for _, child := range v {
			child, did := edited(child, rest, do)
			if touched = touched || did; child != any(drop) {
				all = append(all, child)
			}
		}
		return all, touched
	}
	return v, false
}

// places calls yield for each member of a value with its pointer, in which * stands for the elements of an
// array.
func places(v any, at string, yield func(at string, v any)) {
	if at != "" {
		yield(at, v)
	}
	switch v := v.(type) {
	case map[string]any:
		for name, child := range v {
			places(child, at+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), yield)
		}
	case []any:
		for _, child := range v {
			places(child, at+"/*", yield)
		}
	}
}
