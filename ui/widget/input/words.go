package input

import "strings"

// Words are the words of a filter in lower case. A text passes when it contains all
// of them, and none of those after a dash.
type Words []string

// ParseWords splits what was typed.
func ParseWords(text string) Words { return strings.Fields(strings.ToLower(text)) }

// Match reports whether a text in lower case passes.
func (w Words) Match(text string) bool {
	for _, word := range w {
		rest, excluded := strings.CutPrefix(word, "-")
		if rest == "" {
			continue // only the dash is typed yet
		}
		if strings.Contains(text, rest) == excluded {
			return false
		}
	}
	return true
}
