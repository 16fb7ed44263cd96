package lint

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// An excerpt of a long frame begins at the place, with marks of what was cut; a short frame is whole.
func TestExcerpt(t *testing.T) {
	const short = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"},{"name":"b","title":7}]}}`
	filler := strings.Repeat(`{"name":"é","inputSchema":{"type":"object"}},`, 400)
	long := `{"jsonrpc":"2.0","id":1,"result":{"tools":[` + filler + `{"name":"b","title":7},` + filler + `{"name":"z"}]}}`
	for _, c := range []struct {
		frame, pointer string
		offset, most   int
		want           string // what the text begins with
		whole          bool
	}{
		{short, "/result/tools/1/title", -1, 1000, short, true},
		{short, "/result/tools/1/title", -1, 20, `…"title":7}]}}`, false},
		{short, "/result/tools/0", -1, 20, `…{"name":"a"},{"name"…`, false},
		{short, "", -1, 20, `{"jsonrpc":"2.0","id…`, false},
		{short, "", 24, 20, `…"result":{"tools":[{…`, false},
		{long, "/result/tools/400/title", -1, 1000, `…"title":7},{"name":"é"`, false},
		{long, "/result/tools/400/description", -1, 1000, `…{"name":"b","title":7},`, false}, // it is missing
		{long, "/result/tools/801/name", -1, 1000, `…"name":"z"}]}}`, false},
		{long, "", -1, 1000, `{"jsonrpc":"2.0","id":1,`, false},
		{long, "", 60, 1000, `…utSchema":`, false},
	} {
		e := ExcerptOf([]byte(c.frame), c.pointer, c.offset)
		got := e.Text(c.most)
		if len(e.Bytes) > MaxExcerpt || len(got) > c.most+2*len("…") || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes of %d, %q", c.pointer, len(got), len(e.Bytes), got)
		}
		if c.whole != (got == c.frame) {
			t.Errorf("%s: %q", c.pointer, got)
		}
		if at := strings.Index(strings.TrimPrefix(got, "…"), strings.Trim(c.want, "…")); at < 0 || at > 0 && len(e.Bytes) > c.most && c.most > 20 {
			t.Errorf("%s %d in %d bytes:\n%s\nwant\n%s", c.pointer, c.offset, c.most, got, c.want)
		}
	}
}

// Each byte of a frame can be a place.
func FuzzExcerpt(f *testing.F) {
	f.Add([]byte(`{"a":["é"]}`), "/a/0", 3, 5)
	f.Fuzz(func(t *testing.T, frame []byte, pointer string, offset, most int) {
		most = max(1, most%100)
		e := ExcerptOf(frame, pointer, offset)
		if text := e.Text(most); len(text) > most+2*len("…") {
			t.Errorf("%d bytes of %d: %q", len(text), most, text)
		}
	})
}
