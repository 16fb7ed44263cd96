package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/lint"
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

// A server of both eras that starts after the probe has timed out is connected as
// its response to initialize says, and as its late response to the probe says from
// the next start on.
func TestConnect_SlowServerOfBothEras(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, in io.Reader, out io.Writer) error {
			lines, feed := io.Pipe()
			sent := make(chan string, 10)
			go func() {
				defer close(sent)
				for from := bufio.NewScanner(in); from.Scan(); {
					sent <- from.Text()
				}
			}()
			go func() {
				time.Sleep(6 * time.Second)
				for line := range sent {
					_, _ = io.WriteString(feed, line+"\n")
				}
				_ = feed.Close()
			}()
			return sessiontest.Demo(demo.Options{})(ctx, lines, out)
		}
		s, err := Open(Config{Target: client.Target{Argv: []string{"slow"}}, Record: "off", Lint: true, Lists: client.ListKinds, Dial: sessiontest.Dial(slow)})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		for _, want := range []struct {
			revision revision.Revision
			detected string
			evidence string
		}{
			{revision.R20251125, client.EraProbed, "but late: initialize had been sent, and its response decides"},
			{revision.R20260728, client.EraRemembered, "the previous connection to this server was of the stateless era"},
		} {
			if err := s.Restart(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			synctest.Wait()
			st := s.State()
			if v := st.Detection; st.Handshake.Revision != want.revision || v.DetectedBy != want.detected || !strings.Contains(v.Evidence[len(v.Evidence)-1], want.evidence) {
				t.Errorf("revision %s, detection %+v", st.Handshake.Revision, v)
			}
			if l := st.Lists["tools"]; l.Err != nil || len(l.Items) == 0 {
				t.Errorf("tools: %d, %v", len(l.Items), l.Err)
			}
			for _, step := range st.Steps {
				if step.State != client.StepDone {
					t.Errorf("step %s %s: %s", step.Name, step.State, step.Detail)
				}
			}
		}
		for _, g := range s.Findings().Groups {
			if g.Severity != lint.Error {
				continue
			}
			t.Errorf("finding %s: %+v", g.Rule.ID, g.Newest)
		}
	})
}

// A URL at which there is nothing keeps the transport that was tried first.
func TestTransport_NothingAtURL(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	s, err := Open(Config{Target: client.Target{URL: server.URL}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	var nowhere *client.FallbackError
	if err := s.Connect(t.Context()); !errors.As(err, &nowhere) || s.Transport() != client.TransportHTTP {
		t.Errorf("transport %s, %v", s.Transport(), err)
	}
}
