package compare

import (
	"testing"

	"mcptea/client"
	"mcptea/session/offer/diff"
)

func TestReport_Sentence(t *testing.T) {
	stdio, remote := client.Target{Argv: []string{"server"}}, client.Target{URL: "http://localhost/mcp"}
	spoken := []Run{{Outcome: Spoken}, {Outcome: Refused}, {Outcome: Spoken}}
	for want, r := range map[string]Report{
		"The server was started 4 times so far.":                                     {Target: stdio, Starts: 4},
		"The server was connected to once so far.":                                   {Target: remote, Starts: 1},
		"The server supports 2 of 3 protocol versions. It was connected to 3 times.": {Target: remote, Starts: 3, Ended: true, Runs: spoken},
		"The server supports 2 of 3 protocol versions. It was started once.":         {Target: stdio, Starts: 1, Ended: true, Runs: spoken},
	} {
		if got := r.Sentence(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Warning(stdio); got != "The server is started up to 5 more times, one after the other, once for each version of MCP." {
		t.Error(got)
	}
	if got := Warning(remote); got != "The server is connected to up to 5 more times, one after the other, once for each version of MCP." {
		t.Error(got)
	}
}

func TestChange_Text(t *testing.T) {
	change := func(path, reason string, items ...string) Change {
		return Change{Change: diff.Change{Section: "tools", Path: path, Reason: reason}, Items: items}
	}
	for want, c := range map[string]Change{
		"tools":                             change("", diff.ForInformation),
		"tools a: clients that use it fail": change("", "clients that use it fail", "a"),
		"2 tools  /title (a, b)":            change("/title", diff.ForInformation, "a", "b"),

		"9 tools (a, b, c, d, e, f, g, h and 1 more)": change("", diff.ForInformation, "a", "b", "c", "d", "e", "f", "g", "h", "i"),
	} {
		if got := c.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
