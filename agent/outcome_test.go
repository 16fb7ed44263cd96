package agent

import (
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
)

// A call without a response in time says that, and not that the user has cancelled it.
func TestCall_TimeoutIsNoCancellation(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	out, isError := use[statusOutput](t, c, "connect", nil)
	if isError || !strings.Contains(strings.Join(out.Connections[0].Offers, ", "), " tools") {
		t.Fatalf("%+v", out)
	}
	answer, _ := use[responseOutput](t, c, "call", map[string]any{"tool": "never-answer", "timeout_ms": 50})
	if answer.Outcome != "no response" || !strings.Contains(answer.Problem, "50 ms") || strings.Contains(answer.Problem, "ancelled by the user") {
		t.Errorf("%+v", answer)
	}
}

// Frames that arrive while the outcome of a call is made are not in it, and do not keep it from ending.
func TestWaiting_FramesOfAFlood(t *testing.T) {
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	send := func() { s.Store().Append(transport.Frame{Dir: transport.In, Bytes: []byte(`{}`)}) }
	send()
	w := (&connection{s: s}).begin(t.Context(), 0)
	defer w.end()
	send()
	send()
	n := 0
	for range w.recorded() {
		if n++; n > 2 {
			break
		}
		send()
	}
	if n != 2 {
		t.Errorf("%d rows", n)
	}
}

// The frame that the server sends instead of a response is a finding in the result of the call, although
// it does not belong to the request.
func TestCall_FindingsOfOtherFrames(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{Fault: "wrong-id"}))
	use[statusOutput](t, c, "connect", map[string]any{"timeout_ms": 200})
	answer, _ := use[responseOutput](t, c, "call", map[string]any{"tool": "echo", "arguments": map[string]any{"message": "x"}, "timeout_ms": 200})
	if !strings.Contains(strings.Join(answer.Findings, "\n"), "J0") {
		t.Errorf("%+v", answer)
	}
}
