package pins

import (
	"testing"

	"mcptea/session/runs/pins"
)

// A response that the user has rejected is a failure: the header counts it.
func TestCounts_RejectedIsFailed(t *testing.T) {
	p := &Pane{}
	for _, state := range []pins.State{pins.Passed, pins.Rejected, pins.NotRun, pins.Failed, pins.Running, pins.Rejected} {
		p.list = append(p.list, pins.Pin{State: state})
	}
	if n := p.Counts(); n != (Counts{Passed: 1, Failed: 3, Left: 1}) {
		t.Errorf("%+v", n)
	}
}

// What the expectation is updated to comes from pins that failed and have a response; one
// that the user has rejected is left.
func TestDiffering_WithoutRejected(t *testing.T) {
	p := &Pane{}
	p.list = []pins.Pin{
		{Name: "failed", State: pins.Failed, Response: []byte(`{}`)},
		{Name: "no response", State: pins.Failed},
		{Name: "rejected", State: pins.Rejected, Response: []byte(`{}`)},
		{Name: "passed", State: pins.Passed, Response: []byte(`{}`)},
	}
	if names := p.differing(); len(names) != 1 || names[0] != "failed" {
		t.Errorf("%q", names)
	}
}

// The row for a file of which the server has nothing names what is not there.
func TestForeign_NamesWhatIsMissing(t *testing.T) {
	tool := func(name string) pins.Pin { return pins.Pin{Method: "tools/call", Subject: name} }
	for want, list := range map[string][]pins.Pin{
		"tool hallo":                {tool("hallo"), tool("hallo")},
		"tool a, b, c or d":         {tool("a"), tool("b"), tool("c"), tool("d")},
		"tool a, b, c or 2 others":  {tool("a"), tool("b"), tool("c"), tool("d"), tool("e")},
		"prompt p":                  {{Method: "prompts/get", Subject: "p"}},
		"tool or prompt a␛[2J or p": {tool("a\x1b[2J"), {Method: "prompts/get", Subject: "p"}},
	} {
		if got := subjects(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
