package pane_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/events"
)

// eventsFixture is the pane over a session with a server of two event types; asked has the params of events/subscribe.
type eventsFixture struct {
	*panetest.Program
	t     *testing.T
	s     *session.Session
	pane  *events.Pane
	asked chan string
}

func eventsOpen(t *testing.T) *eventsFixture {
	fx := &eventsFixture{Program: panetest.New(t), t: t, asked: make(chan string, 10)}
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"ticker"}}, Record: "off", Lists: []client.ListKind{client.Events},
		Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728},
		Dial: sessiontest.Dial(sessiontest.Answering(func(p *sessiontest.Peer, m sessiontest.Message) bool {
			switch m.Method {
			case "server/discover":
				p.Result(m, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"events":{}},"ttlMs":0,"cacheScope":"private"}`)
			case revision.EventsList:
				p.Result(m, `{"resultType":"complete","events":[{"name":"tick","delivery":["poll"],"inputSchema":{"type":"object"}},{"name":"tock","delivery":["webhook"],"inputSchema":{"type":"object"}}]}`)
			case revision.EventsSubscribe, revision.EventsUnsubscribe:
				fx.asked <- m.Method + jsonrpc.Text(m.Params, "delivery", "url") + " " + jsonrpc.Text(m.Params, "delivery", "secret")
				p.Result(m, `{"resultType":"complete","id":"sub_1","refreshBefore":null,"cursor":"c0","truncated":false}`)
			}
			return false
		})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	fx.s, fx.pane = s, events.New(fx, s)
	fx.Pane = fx.pane
	fx.until(func() bool { return len(s.State().Lists[client.Events.Name].Items) == 2 })
	return fx
}

// until waits until something holds of the session, and has the pane look at it.
func (fx *eventsFixture) until(holds func() bool) {
	fx.t.Helper()
	ctx, stop := context.WithTimeout(fx.t.Context(), time.Minute)
	defer stop()
	if err := fx.s.Until(ctx, holds); err != nil {
		fx.t.Fatal(err)
	}
	fx.pane.Refresh(app.Tick{State: fx.s.State(), Now: time.Now()})
}

// told is the next that the server was asked for.
func (fx *eventsFixture) told() string {
	fx.t.Helper()
	select {
	case got := <-fx.asked:
		return got
	case <-time.After(20 * time.Second):
		fx.t.Fatalf("the server is not asked: %s", fx.Paint(100, 20, true))
		return ""
	}
}

func TestEvents_Webhook(t *testing.T) {
	fx := eventsOpen(t)
	if got := fx.Press("w"); !strings.Contains(got, "This event type is not delivered by webhook.") {
		t.Errorf("w asks for %q", got)
	}
	fx.Press("j", "w")
	fx.Sees("Webhook", "Development mode")
	fx.Type("ftp://a")
	fx.Sees("It is not the URL of a receiver")
	for range len("ftp://a") {
		fx.Press("backspace")
	}
	fx.Type("https://tunnel.example.com")
	fx.Sees("The path of the callback is added")
	fx.Press("enter")
	fx.Finish()
	url, secret, _ := strings.Cut(fx.told(), " ")
	if !strings.HasPrefix(url, revision.EventsSubscribe+"https://tunnel.example.com/mcptea/") || !strings.HasPrefix(secret, "whsec_") {
		t.Errorf("the server is told %s, %s", url, secret)
	}
	fx.until(func() bool { return fx.s.Events().All()[0].Entries == 1 })
	if screen := fx.Paint(100, 20, true); !strings.Contains(screen, "live by webhook") || !strings.Contains(screen, "at https://tunnel.example.com") || strings.Contains(screen, secret) {
		t.Errorf("%s", screen)
	}
	fx.Run("event.secret")
	fx.Sees(secret)
	if got := fx.Press("enter"); !strings.Contains(got, secret) {
		t.Errorf("enter asks for %q", got)
	}
	fx.Run("event.secret")
	if screen := fx.Paint(100, 20, true); strings.Contains(screen, secret) {
		t.Errorf("the secret is shown again: %s", screen)
	}
	fx.Press("x")
	if got := fx.told(); !strings.HasPrefix(got, revision.EventsUnsubscribe+"https://tunnel.example.com/mcptea/") {
		t.Errorf("the server is told %s", got)
	}
}
