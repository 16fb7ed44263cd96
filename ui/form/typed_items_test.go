package form

import (
	"testing"

	"mcptea/internal/test/press"
)

// What is typed on the row of a list begins its first item, and no letter is lost; where the items are not typed the row
// says so, and nothing is added.
func TestForm_TypingStartsAnItem(t *testing.T) {
	for name, tc := range map[string]struct {
		schema string
		keys   []string
		want   string
	}{
		"strings":         {`"tags": {"type": "array", "items": {"type": "string"}}`, []string{"r", "e", "d"}, `{"tags":["red"]}`},
		"next":            {`"tags": {"type": "array", "items": {"type": "string"}}`, []string{"a", "down", "b", "c"}, `{"tags":["a","bc"]}`},
		"numbers":         {`"n": {"type": "array", "items": {"type": "integer"}}`, []string{"x", "4"}, `{}`},
		"digit of a text": {`"tags": {"type": "array", "items": {"type": "string"}}`, []string{"4"}, `{}`},
		"objects":         {`"o": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}`, []string{"x"}, `{}`},
		"options":         {`"e": {"type": "array", "items": {"oneOf": [{"type": "null"}, {"type": "object"}]}}`, []string{"x"}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			f := fields(t, tc.schema)
			for _, k := range tc.keys {
				f.Key(press.Key(k))
			}
			if values, _ := f.Values(); string(values) != tc.want {
				t.Errorf("%v gives %s, want %s", tc.keys, values, tc.want)
			}
		})
	}
}

// A pasted list fills the list: the values of a JSON array, or the lines of a text.
func TestForm_PasteFillsAList(t *testing.T) {
	for text, want := range map[string]string{
		`["a, b","c"]`:      `{"tags":["a, b","c"]}`,
		"one\n two \n\nx\n": `{"tags":["one","two","x"]}`,
		"alone":             `{"tags":["alone"]}`,
		`[1,{"a":2}]`:       `{"tags":["1","{\"a\":2}"]}`,
	} {
		f := fields(t, `"tags": {"type": "array", "items": {"type": "string"}}`)
		f.Paste(text)
		if values, _ := f.Values(); string(values) != want {
			t.Errorf("%q gives %s, want %s", text, values, want)
		}
	}
}
