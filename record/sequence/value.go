package sequence

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
)

// Values are put into words for the summary line of a frame: "city: Lisbon, days: 3", "12 rows". The bytes are
// shown by the view of the frame.

// maxNested is the maximum depth of values put into words, and maxWords the maximum number of members or
// elements.
const maxNested, maxWords = 2, 24

// teller puts values into words. The value may be cut off.
type teller struct {
	cut   bool // the value counts the elements of a list that is cut
	alone bool // the requested value is an object with one member
}

// members describes the members of an object, except those that every message has.
func (t *teller) members(object []byte, depth int) string {
	var text strings.Builder
	n := 0
	for name, value := range jsonrpc.Begun(object) {
		if depth == 0 && string(name) == "_meta" {
			continue
		}
		if n++; n > maxWords {
			continue
		}
		if n > 1 {
			text.WriteString(", ")
		}
		text.WriteString(string(name) + ": " + t.value(value, depth+1))
	}
	if depth == 0 {
		t.alone = n == 1 && json.Valid(object)
	}
	return text.String()
}

// value describes a nested value. depth is its nesting depth.
func (t *teller) value(value []byte, depth int) string {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '{' && depth > maxNested:
		return "{" + strconv.Itoa(jsonrpc.Count(value)) + "}"
	case value[0] == '{' && depth == 0:
		return t.members(value, 0)
	case value[0] == '{':
		return "{" + t.members(value, depth) + "}"
	case value[0] == '[':
		return t.list(value, depth)
	case value[0] == '"':
		return stringText(value)
	}
	return string(value)
}

// list returns a list by its length; a short one of values that have no members also by its elements.
func (t *teller) list(list []byte, depth int) string {
	n, rows := 0, 0
	var said []string
	for element := range jsonrpc.Elements(list) {
		if n++; len(element) > 0 && element[0] == '{' {
			rows++
		} else if len(said) < maxWords && depth <= maxNested {
			said = append(said, t.value(element, max(depth, 1)+1))
		}
	}
	number := strconv.Itoa(n)
	if jsonrpc.Scan(list).Fault != jsonrpc.FaultNone {
		number, t.cut = number+"+", true
	}
	switch {
	case n > 0 && rows == n:
		return counted(number, "rows")
	case rows > 0 || depth > 0 && n > 3 || depth > maxNested:
		return counted(number, "values")
	case depth > 0:
		return "[" + strings.Join(said, ", ") + "]"
	case n == 0:
		return "no values"
	}
	return counted(number, "values") + ": " + strings.Join(said, ", ")
}

// stringText returns the content of a string, with quotation marks if it could be read as another value.
func stringText(token []byte) string {
	text := loose(token)
	if text == "" || json.Valid([]byte(text)) && text[0] != '{' && text[0] != '[' {
		return string(token)
	}
	return text
}

// inner returns the text of a string that is JSON in words; false for other text.
func (t *teller) inner(token []byte) (string, bool) {
	text, whole := jsonrpc.Unquote(token)
	if !whole {
		text = loose(token)
	}
	text = strings.TrimSpace(text)
	if !isJSON(text, whole) {
		return "", false
	}
	said := t.value([]byte(text), 0)
	return said, said != ""
}

// isJSON reports whether a text is an object or a list, or may be the start of one.
func isJSON(text string, whole bool) bool {
	switch {
	case text == "" || text[0] != '{' && text[0] != '[':
		return false
	case whole:
		return json.Valid([]byte(text))
	}
	next := strings.TrimSpace(text[1:])
	return next != "" && (next[0] == '"' || text[0] == '[' && (next[0] == '{' || next[0] == '['))
}
