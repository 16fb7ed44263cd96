package pins

import (
	"testing"

	"mcptea/offer/diff"
	"mcptea/ui/paint"
)

// The title of a pin never shows a number of lines that reads as a value.
func TestDetail_TitleShowsTheDifference(t *testing.T) {
	for _, tc := range []struct{ old, now, want string }{
		{`{"content":[{"type":"text","text":"3"}]}`, `{"content":[{"type":"text","text":"-1"}]}`, `expected "3", now "-1"`},
		{`{"sum":3}`, `{"sum":-1}`, "expected 3, now -1"},
		{`[1,2]`, `[1,3]`, "expected 2, now 3"},
		{`{"a":"x: \"y\": 1"}`, `{"a":"z"}`, `expected "x: \"y\": 1", now "z"`},
		{`{"a":1,"b":2}`, `{"a":3,"b":4}`, "2 lines differ"},
		{`{"a":1,"b":2}`, `{"a":1}`, "1 line differs"},
	} {
		rows, err := diff.Rows([]byte(tc.old), []byte(tc.now), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, span := range difference(&paint.Palette{}, rows) {
			got += span.Text
		}
		if got != tc.want {
			t.Errorf("%s, %s: %q, want %q", tc.old, tc.now, got, tc.want)
		}
	}
}
