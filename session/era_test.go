package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/sessiontest"
)

// trap responds to server/discover, and refuses all else that comes before a
// handshake.
func trap() sessiontest.Serve {
	initialized := false
	return sessiontest.Scripted(func(method, id string) string {
		content := `"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
		switch {
		case method == "server/discover":
			content = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{},"prompts":{}}}`
		case method == "initialize":
			content = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"trap","version":"1"}}`
		case method == "notifications/initialized":
			initialized = true
			return ""
		case !initialized:
			content = `"error":{"code":-32022,"message":"no","data":{"supported":["2025-11-25"]}}`
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, id, content)
	})
}

// When the first request shows that the server has a handshake after all, the
// state says so, and so it is remembered.
func TestState_EraCorrectedByFirstRequest(t *testing.T) {
	for name, lists := range map[string][]client.ListKind{"by a list": client.ListKinds, "by a call": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, err := Open(Config{
					Target: client.Target{Argv: []string{"trap"}}, Record: "off", Lists: lists, Subscribe: true,
					Dial: func(tap client.Tap, cfg client.Config) *client.Client { return sessiontest.Dial(trap())(tap, cfg) },
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := s.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				call := s.Start("tools/call", []byte(`{"name":"echo"}`))
				<-call.Done()
				if answer, err := call.Outcome(); err != nil || answer.Err() != nil {
					t.Errorf("the call: %s, %v", answer.Frame, err)
				}
				synctest.Wait()
				st := s.State()
				if st.Phase != Ready || st.Handshake.Server.Name != "trap" || st.Handshake.Revision != revision.R20251125 {
					t.Errorf("%v, handshake %+v", st.Phase, st.Handshake)
				}
				if v := st.Detection; v.Era != revision.EraHandshake || v.DetectedBy != client.EraCorrected || len(v.Evidence) != 3 {
					t.Errorf("detection %+v", v)
				}
				if last := st.Steps[len(st.Steps)-1]; last.Name != client.StepInitialized || last.State != client.StepDone {
					t.Errorf("steps %+v", st.Steps)
				}
				if st.Subscription.Err != nil || s.Running() != 0 {
					t.Errorf("watching %+v, %d calls run", st.Subscription, s.Running())
				}
				if err := s.Restart(t.Context()); err != nil {
					t.Fatal(err)
				}
				if v := s.State().Detection; v.DetectedBy != client.EraRemembered || !strings.Contains(v.Evidence[0], "the previous connection to this server was of the handshake era") {
					t.Errorf("the next time: %+v", v)
				}
				if err := s.Close(context.Background()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
