package failure_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/explain/failure"
	"mcptea/session/intercept"
	"mcptea/session/session"
)

// TestExplain_FaultOfMcptea does not blame the server for a response that a fault of mcptea
// changed.
func TestExplain_FaultOfMcptea(t *testing.T) {
	for fault, changed := range map[string]string{
		"wrong-id": "was changed by the fault wrong-id", "drop": "was changed by the fault drop",
	} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := session.Open(session.Config{
					Target: client.Target{Argv: []string{"demo-server"}}, Record: "off",
					Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125},
					Dial:   sessiontest.Dial(sessiontest.Demo(demo.Options{})), Faults: []intercept.Fault{{Name: fault}},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = s.Close(t.Context()) }()
				if err := s.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				c := s.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"tea"}}`))
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				_, err = c.Outcome()
				if err == nil {
					t.Fatal("the call has a response")
				}
				e := failure.Explain(err, failure.FactsOf(s))
				text := e.Sentence + "\n" + e.Cause() + "\n" + e.Try()
				for _, l := range e.Evidence {
					text += "\n" + string(l.Kind) + " " + l.Text
				}
				for _, want := range []string{"Timed out after", "after mcptea had changed a frame on purpose", changed, "a fault or a breakpoint of mcptea changed it"} {
					if !strings.Contains(text, want) {
						t.Errorf("it lacks %q:\n%s", want, text)
					}
				}
				if strings.Contains(text, "still working") {
					t.Errorf("it blames the server:\n%s", text)
				}
			})
		})
	}
}
