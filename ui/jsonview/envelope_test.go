package jsonview

import (
	"strings"
	"testing"

	"mcptea/ui/paint"
)

// The envelope of a message is one line that unfolds, with the id exactly as it was sent. What is not an envelope as the
// specification has it is shown in full.
func TestEnvelope_FoldsOnlyIfItIsRight(t *testing.T) {
	for message, line := range map[string]string{
		`{"jsonrpc":"2.0","id":7,"method":"ping"}`:                 "jsonrpc 2.0  id 7",
		`{"method":"x","params":{"a":1},"jsonrpc":"2.0"}`:          "jsonrpc 2.0",
		`{"jsonrpc":"2.0","id":"7","result":{}}`:                   `jsonrpc 2.0  id "7"`,
		`{"jsonrpc":"2.0","id":-1.50,"error":{"code":1},"odd":[]}`: "jsonrpc 2.0  id -1.50",
		`{"jsonrpc":"1.0","id":7,"result":{}}`:                     "",
		`{"jsonrpc":2.0,"id":7,"result":{}}`:                       "",
		`{"id":7,"result":{}}`:                                     "",
		`{"jsonrpc":"2.0","id":null,"result":{}}`:                  "",
		`{"jsonrpc":"2.0","id":true,"method":"x"}`:                 "",
		`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`:               "",
		`{"jsonrpc":"2.0","id":[],"result":{}}`:                    "",
		`{"jsonrpc":"2.0","id":1,"id":2,"result":{}}`:              "",
		`{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}`:     "",
		`{"jsonrpc":"2.0","\u0069d":2,"id":1,"result":{}}`:         "",
		`{"jsonrpc":"2.0","method":null,"id":1}`:                   "",
		`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`:               "",
		`{"jsonrpc":"2.0","id":7,"method":"ping"`:                  "",
	} {
		d, _ := Parse([]byte(message)) // as far as it is JSON
		v := NewView(d)
		v.FoldEnvelope()
		got := rows(v, 70, 20)
		first, _, _ := strings.Cut(strings.TrimLeft(got, " ▸▌"), "\n")
		if folded := strings.Contains(got, "jsonrpc 2.0"); folded != (line != "") || folded && first != line {
			t.Errorf("%s:\n%s", message, got)
		}
		if line != "" && strings.Contains(got, `"jsonrpc"`) {
			t.Errorf("%s: the envelope is there twice:\n%s", message, got)
		}
		v.UnfoldAll()
		if got := rows(v, 70, 20); strings.Contains(message, `"jsonrpc":"2.0"`) && !strings.Contains(got, `"jsonrpc": "2.0"`) {
			t.Errorf("%s unfolded:\n%s", message, got)
		}
	}
}

// A member of the envelope that is pointed at, marked or searched for is visible.
func TestEnvelope_UnfoldsForWhatIsSought(t *testing.T) {
	const message = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x"}}`
	for name, seek := range map[string]func(v *View){
		"a pointer": func(v *View) { v.SelectPointer("/method") },
		"a byte":    func(v *View) { v.SelectOffset(strings.Index(message, "tools")) },
		"a mark":    func(v *View) { v.Mark("/method", paint.Span{Text: "✗ J007"}) },
		"the key": func(v *View) {
			v.Home()
			if !v.Toggle() {
				t.Error("nothing unfolds")
			}
		},
	} {
		v := view(t, message)
		v.FoldEnvelope()
		seek(v)
		if got := rows(v, 70, 20); !strings.Contains(got, `"method": "tools/call"`) || strings.Contains(got, "jsonrpc 2.0") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}
