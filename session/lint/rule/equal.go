package rule

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// DecodeJSON decodes a JSON value, its numbers as [json.Number]; ok is false for
// text that is not JSON or has more after the value.
func DecodeJSON(raw []byte) (v any, ok bool) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || strings.IndexByte(`{["-0123456789tfn`, trimmed[0]) < 0 {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(trimmed))
	d.UseNumber()
	if d.Decode(&v) != nil || d.More() {
		return nil, false
	}
	return v, true
}

// SameJSON reports whether two raw values are equal, however they are written. A
// value that cannot be decoded counts as equal to another one, and one that is
// much longer than the other as different.
func SameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if short, long := min(len(a), len(b)), max(len(a), len(b)); long > 8*short+1024 {
		return false
	}
	x, okX := DecodeJSON(a)
	y, okY := DecodeJSON(b)
	if !okX || !okY {
		return len(a) > 0 && len(b) > 0
	}
	return EqualJSON(x, y)
}

// EqualJSON compares two values of [DecodeJSON]; 1 and 1.0 are the same number.
func EqualJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !EqualJSON(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, EqualJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || sameNumber(string(a), string(b)))
	}
	return a == b
}

func sameNumber(a, b string) bool {
	x, errA := strconv.ParseFloat(a, 64)
	y, errB := strconv.ParseFloat(b, 64)
	return errA == nil && errB == nil && x == y
}
