package export

import (
	"fmt"
	"strings"
	"testing"
)

// calls is a session with so many calls.
func calls(n int, result string) *recording {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	for i := range n {
		r.frame(out, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t","arguments":{}}}`, i+10))
		r.frame(in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i+10, result))
	}
	return r
}

func TestExport_MaxCalls(t *testing.T) {
	for n, reported := range map[int]bool{1000: false, 1001: true} {
		src := calls(n, `{"content":[]}`).source(t)
		for format, call := range map[string]string{"script": "\ncall t", "typescript": "callTool("} {
			var said []string
			text := export(t, format, src, Options{Report: func(text string) { said = append(said, text) }})
			if got := strings.Count(text, call); got > 1000 || got < 999 { // a script may begin with one
				t.Errorf("%s of %d calls has %d", format, n, got)
			}
			if got := strings.Contains(strings.Join(said, " "), "the first 1000"); got != reported {
				t.Errorf("%s of %d calls: %q", format, n, said)
			}
		}
	}
}

// What does not fit into an issue or a diagram is said.
func TestExport_MaxCharacters(t *testing.T) {
	for _, tc := range []struct {
		format, sentence string
		max              int
	}{
		{"markdown", "GitHub accepts 65536 in an issue", 65_536},
		{"mermaid", "Mermaid draws 50000", 50_000},
	} {
		size := func(n int) (int, bool) {
			var said string
			text := export(t, tc.format, calls(n, `{"content":[]}`).source(t), Options{Report: func(text string) { said += text }})
			return len([]rune(text)), strings.Contains(said, tc.sentence)
		}
		small, _ := size(1)
		two, _ := size(2)
		fitting := (tc.max - small) / (two - small)
		for n := fitting - 30; n <= fitting+30; n += 5 {
			if characters, said := size(n); said != (characters > tc.max) {
				t.Errorf("%s of %d characters: said %t", tc.format, characters, said)
			}
		}
	}
}

func TestScript_MaxExpected(t *testing.T) {
	const rest = `{"content":[],"a":""}`
	for over, want := range []string{"expect", ""} {
		result := `{"content":[],"a":"` + strings.Repeat("x", 256<<10-len(rest)+over) + `"}`
		var said string
		text := export(t, "script", calls(1, result).source(t), Options{Report: func(text string) { said += text }})
		if strings.Contains(text, "\nexpect ") != (want != "") || strings.Contains(said, "more than 256 kB") != (want == "") {
			t.Errorf("a result %d bytes beyond the bound: %q", over, said)
		}
	}
}

func TestReport_MaxReported(t *testing.T) {
	s := &session{reported: map[string]bool{}, Options: Options{Report: func(string) {}}}
	for i := range 1001 {
		s.report("%d", i)
	}
	if len(s.reported) != 1000 {
		t.Errorf("%d sentences are remembered", len(s.reported))
	}
}
