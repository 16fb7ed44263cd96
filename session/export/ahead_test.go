package export

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A frame that was looked at before its turn is redacted with the values that became known
// meanwhile.
func TestExport_ValueKnownMeanwhile(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	for i := range 4000 {
		text := fmt.Sprintf("the value plainvalue%d, later plainvalue%d, and own%d", i/1000-1, i/1000, i)
		r.frame(in, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"data":%q}}`, text))
		if i%1000 == 500 {
			r.frame(out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","arguments":{"password":"plainvalue%d"}}}`, i+2, i/1000))
		}
	}
	for _, redactor := range []func() *Redactor{func() *Redactor { return NewRedactor() }, func() *Redactor { return NewRedactor(regexp.MustCompile(`own3\d*`)) }} {
		src := r.source(t)
		got := export(t, "jsonl", src, Options{Redactor: redactor()})
		src.ahead = nil
		if want := export(t, "jsonl", src, Options{Redactor: redactor()}); got != want {
			t.Error("the export differs from the one of frames that are looked at in their turn")
		}
		if n := strings.Count(got, "plainvalue0"); n != 0 {
			t.Errorf("the value is shown %d times", n)
		}
	}
}
