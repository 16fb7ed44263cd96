package lint

import (
	"bytes"
	"encoding/json"
	"iter"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// First returns the first element of an array, or nil if it is empty.
func First(array []byte) []byte {
	for element := range jsonrpc.Elements(array) {
		return element
	}
	return nil
}

// Has reports whether an object has a member.
func Has(object []byte, name string) bool { return jsonrpc.Get(object, name) != nil }

// IsJSONObject reports whether a text begins like a JSON object.
func IsJSONObject(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) > 0 && b[0] == '{'
}

// IsStringArray reports whether a value is an array of strings.
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

// IsStringOrInteger reports whether a value is permitted as an id or a token.
func IsStringOrInteger(raw []byte) bool {
	switch jsonrpc.TypeOf(raw) {
	case "string":
		return true
	case "number":
		return IsInteger(raw)
	}
	return false
}

// Number returns the value of a JSON number.
func Number(raw []byte) (float64, bool) {
	if jsonrpc.TypeOf(raw) != "number" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	return f, err == nil
}

// maxIndexed bounds the array elements that each rule examines: ten times the longest known list of a server.
const maxIndexed = 100_000

// Indexed yields the elements of an array with their indexes, up to [maxIndexed] elements.
func Indexed(array []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		i := 0
		for element := range jsonrpc.Elements(array) {
			if i == maxIndexed || !yield(i, element) {
				return
			}
			i++
		}
	}
}

// DecodeJSON decodes a JSON value. 1 and 1.0 become the same number. ok is false if the text is not
// JSON.
func DecodeJSON(raw []byte) (v any, ok bool) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || strings.IndexByte(`{["-0123456789tfn`, trimmed[0]) < 0 {
		return nil, false
	}
	return v, json.Unmarshal(trimmed, &v) == nil
}
