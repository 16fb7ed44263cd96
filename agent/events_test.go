package agent

import (
	"testing"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

func TestWaitEvent_GoesOnFromItsCursor(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	wait := func(arguments map[string]any) waitEventOutput {
		t.Helper()
		arguments["event"], arguments["mode"] = "order.placed", "poll"
		out, isError := use[waitEventOutput](t, c, "wait_event", arguments)
		if isError {
			t.Fatalf("%+v", out)
		}
		return out
	}
	first := wait(map[string]any{"wait_ms": 500})
	if first.Outcome != "time is over" || first.Cursor == "" {
		t.Fatalf("%+v", first)
	}
	use[responseOutput](t, c, "call", map[string]any{"tool": "emit-event", "arguments": map[string]any{"count": 2}})
	if out := wait(map[string]any{"cursor": first.Cursor, "count": 2}); out.Outcome != "events" || len(out.Events) != 2 || out.Events[0].Frame == 0 || len(out.Events[0].Faults) != 0 {
		t.Errorf("%+v", out)
	}
	if out := wait(map[string]any{"arguments": map[string]any{"sugar": 1}}); out.Outcome != "ended" || out.Problem == "" {
		t.Errorf("%+v", out)
	}
}
