package filter

import (
	"slices"
	"strings"
)

// Cycle returns the text of a filter with the next of the property's values. After the last value, it removes
// the property. Text in quotes or parentheses stays unchanged.
func Cycle(text, property string, values ...string) string {
	at, depth, alternatives := -1, 0, false
	tokens := split(text)
	for i := len(tokens) - 1; i >= 0; i-- { // backwards, so that earlier indices stay valid
		switch t := tokens[i]; {
		case t.text == ")":
			depth++
		case t.text == "(" || t.text == "-(":
			depth--
		case depth > 0:
		case t.text == "or":
			alternatives = true
		default:
			value, is := strings.CutPrefix(t.text, property+":")
			if !is {
				continue
			}
			if at = slices.Index(values, value); at < 0 {
				at = len(values)
			}
			after := strings.TrimLeft(text[t.at+len(t.text):], " ")
			if text = text[:t.at] + after; after == "" {
				text = strings.TrimRight(text, " ")
			}
		}
	}
	if at+1 >= len(values) {
		return text
	}
	if alternatives { // the part must apply to all alternatives
		text = "(" + text + ")"
	}
	return strings.TrimLeft(text+" ", " ") + property + ":" + values[at+1]
}
