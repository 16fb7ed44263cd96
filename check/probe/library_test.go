package probe

import (
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/lint"
)

// A row of a library names a probe: else its advice never appears.
func TestLibraries_Known(t *testing.T) {
	for _, l := range libraries() {
		if len(l.own) == 0 || len(l.Members) == 0 {
			t.Errorf("%s has no rows", l.ID)
		}
		for _, o := range l.own {
			if !slices.ContainsFunc(Catalogue(), func(e *Entry) bool { return e.ID == o.Probe }) {
				t.Errorf("%s: no probe %s", l.ID, o.Probe)
			}
			if !strings.HasSuffix(o.Does, ".") || !strings.HasSuffix(o.Try, ".") {
				t.Errorf("%s %s: not sentences: %q %q", l.ID, o.Probe, o.Does, o.Try)
			}
		}
	}
}

// A library is blamed for what it does alone, not for another finding of the same probe.
func TestBlame_OnlyWhatTheLibraryDoes(t *testing.T) {
	r := &Runner{journal: &journal{authors: authorship{results: 1, as: []int{1, 0}, says: []int{0, 0}, declined: []int{0, 0}}}, server: &Server{Transport: "stdio"}}
	for _, c := range []struct {
		probe    string
		claim    claim
		severity lint.Severity
		blamed   bool
	}{
		{"P-092", claimRefuses, lint.Warn, true},
		{"P-092", claimRefuses, lint.Error, false}, // a tool that requires a task, called without one
		{"P-092", claimShows, lint.Error, false},
		{"P-024", claimSilent, lint.Warn, true},
		{"P-024", claimShows, lint.Warn, false},
		{"P-005", claimShows, lint.Info, false},
		{"P-142", claimAccepts, lint.Error, true},
		{"P-142", claimRefuses, lint.Error, false}, // the error without its data
		{"P-050", claimShows, lint.Warn, false},
	} {
		f := Finding{Severity: c.severity, Hint: "Mend it."}
		r.blame(&Entry{ID: c.probe}, c.claim, &f)
		if blamed := f.Library != nil; blamed != c.blamed || blamed != strings.Contains(f.Hint, "TypeScript SDK") {
			t.Errorf("%s %d %s: %v %q", c.probe, c.claim, c.severity, f.Library, f.Hint)
		}
	}
}

// A library is known by the form of all results, and, where it has words of its own, by those of all
// errors for an unknown method.
func TestAuthorship_FormAndWords(t *testing.T) {
	const (
		ts       = `{"result":{},"jsonrpc":"2.0","id":1}`
		usual    = `{"jsonrpc":"2.0","id":1,"result":{}}`
		goWords  = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: \"a/b\""}}`
		other    = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`
		oldWords = `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"JSON RPC not handled: \"a/b\" unsupported"}}`
		declined = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: server does not support resource subscriptions"}}`
		anything = `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool"}}`
	)
	for _, tt := range []struct {
		frames []string
		want   string
	}{
		{nil, ""},
		{[]string{goWords}, ""},
		{[]string{usual}, ""}, // most servers that are written by hand
		{[]string{usual, other}, ""},
		{[]string{usual, goWords, anything}, "go"},
		{[]string{usual, goWords, other}, ""},
		{[]string{usual, goWords, declined}, "go"}, // for a method that it knows
		{[]string{usual, declined}, ""},
		{[]string{usual, oldWords, declined, goWords}, "go-old"},
		{[]string{usual, oldWords, other}, ""},
		{[]string{ts, other}, "typescript"},
		{[]string{ts, usual, goWords}, ""},
	} {
		var a authorship
		for _, frame := range tt.frames {
			a.note(transport.Frame{Dir: transport.In, Bytes: []byte(frame), Envelope: jsonrpc.Scan([]byte(frame))})
		}
		got := ""
		if l := a.library(); l != nil {
			got = l.ID
		}
		if got != tt.want {
			t.Errorf("%q: %q, not %q", tt.frames, got, tt.want)
		}
	}
}
