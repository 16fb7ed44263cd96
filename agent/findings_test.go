package agent

import (
	"strings"
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// What a finding rests on is told as for those of check: the frame at the place, which is cut before and
// behind it, and the place.
func TestFindings_Facts(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{Fault: "bad-schema"}))
	if out, isError := use[statusOutput](t, c, "connect", nil); isError || out.Connections[0].State != "ready" {
		t.Fatalf("%+v", out)
	}
	if _, isError := use[listOutput](t, c, "list", map[string]any{"kind": "tools"}); isError {
		t.Fatal("no list")
	}
	out, _ := use[findingsOutput](t, c, "findings", nil)
	for _, f := range out.Findings {
		if f.Rule != "S001" {
			continue
		}
		if len(f.Facts) != 2 || !strings.HasPrefix(f.Facts[0], `received: …"properties":[`) || len(f.Facts[0]) > maxFact+30 ||
			!strings.HasPrefix(f.Facts[1], "place: /result/tools/") {
			t.Errorf("facts %q", f.Facts)
		}
		return
	}
	t.Errorf("no finding of S001 in %+v", out)
}
