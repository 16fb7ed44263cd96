package lint

import (
	"bytes"
	"encoding/json"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// First is the first element of an array; nil without one.
func First(array []byte) []byte {
	for element := range jsonrpc.Elements(array) {
		return element
	}
	return nil
}

// Has reports whether an object has a member.
//
//go:noinline
func Has(object []byte, name string) bool { return jsonrpc.Get(object, name) != nil }

// IsJSONObject reports text that begins as a JSON object.
func IsJSONObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{'
}

// IsStringArray reports an array of strings.
func IsStringArray(value []byte) bool {
	if jsonrpc.TypeOf(value) != "array" {
		return false
	}
	for element := range jsonrpc.Elements(value) {
		if jsonrpc.TypeOf(element) != "string" {
			return false
		}
	}
	return true
}

// PlainToken is a raw string or number in its shortest form; see
// [jsonrpc.Shortest].
func PlainToken(raw []byte) string { return string(jsonrpc.Shortest(raw)) }

// OfOtherType is a raw id or token with the same text and the other JSON type: a string
// for a number, and a number for a string.
func OfOtherType(raw []byte) []byte {
	text := PlainToken(raw)
	if jsonrpc.TypeOf(raw) == "string" {
		return []byte(strings.Trim(text, `"`))
	}
	return []byte(`"` + text + `"`)
}

// IsStringOrInteger reports a value that an id or a token may have.
func IsStringOrInteger(raw []byte) bool {
	switch jsonrpc.TypeOf(raw) {
	case "string":
		return true
	case "number":
		return IsInteger(jsonrpc.Shortest(raw))
	}
	return false
}

// Number is the value of a JSON number.
func Number(raw []byte) (float64, bool) {
	if jsonrpc.TypeOf(raw) != "number" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// Indexed walks over an array with the indexes.
func Indexed(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for element := range jsonrpc.Elements(array) {
			if !yield(i, element) {
				return
			}
			i++
		}
	}
}

// DecodeJSON decodes a JSON value, 1 and 1.0 as the same number; ok is false for
// text that is not JSON.
func DecodeJSON(raw []byte) (v any, ok bool) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || strings.IndexByte(`{["-0123456789tfn`, trimmed[0]) < 0 {
		return nil, false
	}
	return v, json.Unmarshal(trimmed, &v) == nil
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
	return reflect.DeepEqual(x, y)
}
