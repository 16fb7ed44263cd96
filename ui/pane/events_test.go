package pane_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/hooktest"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/sessiontest"
	sessionevents "mcptea/session/events"
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

// rowWith is the row of a screen that has a text.
func rowWith(screen, text string) string {
	for row := range strings.Lines(screen) {
		if strings.Contains(row, text) {
			return row
		}
	}
	return ""
}

// deliver has the webhook receive an event, and returns the status of the response.
func (fx *eventsFixture) deliver(sender hooktest.Sender, id string) int {
	fx.t.Helper()
	before := len(fx.s.Events().Entries(1, 0, 0))
	status, _, err := sender.Post(id, []byte(`{"eventId":"`+id+`","name":"tock","timestamp":"2026-11-28T12:00:00Z","data":{"n":7,"text":"a pot of tea for the guest at the window"},"cursor":null}`), nil)
	if err != nil {
		fx.t.Fatal(err)
	}
	fx.until(func() bool { // the row of the delivery is there
		all := fx.s.Events().Entries(1, 0, 0)
		e := all[len(all)-1]
		return len(all) > before && e.Delivery != nil && e.Delivery.MessageID == id && e.Delivery.Status == status
	})
	return status
}

// What is answered on purpose is given before the subscription begins and while it lives; the rest is
// visible, and a row says which retry a delivery is.
func TestEvents_RefuseOnPurpose(t *testing.T) {
	fx := eventsOpen(t)
	fx.Press("j")
	if fx.Run("event.respond"); !strings.Contains(strings.Join(fx.Asked, ""), "No webhook of this event type is received here.") {
		t.Errorf("without a webhook it asks for %q", fx.Asked)
	}
	fx.Press("w")
	fx.Type("50x")
	fx.Sees(`"50x": it is neither a status from 200 to 599 nor delay=TIME`)
	fx.Press("backspace")
	fx.Type("0*2, 410")
	fx.Sees("Development mode")
	fx.Press("enter")
	fx.Finish()
	url, secret, _ := strings.Cut(strings.TrimPrefix(fx.told(), revision.EventsSubscribe), " ")
	fx.until(func() bool { return fx.s.Events().All()[0].Phase == sessionevents.Live })
	fx.Sees("answers 500*2,410 on purpose")
	sender := hooktest.Sender{URL: url, Secret: secret, ID: "sub_1"}
	early, ctx := []byte(`{"type":"later"}`), fx.t.Context()
	for status := 0; status != 200 && ctx.Err() == nil; { // until the receiver knows the subscription
		status, _, _ = sender.Post("m1", early, nil)
	}
	if got := fx.deliver(sender, "e1"); got != 500 {
		t.Errorf("the first delivery is answered %d", got)
	}
	fx.Sees("500: refused, as asked", "answers 500,410 on purpose")
	fx.Run("event.respond")
	fx.Sees("Refuse deliveries on purpose", "500,410", "The next deliveries that would be accepted are answered so")
	for range len("500,410") {
		fx.Press("backspace")
	}
	fx.Sees("No delivery is refused on purpose.")
	if got := fx.Press("enter"); got != "say: No delivery is refused on purpose." {
		t.Errorf("enter says %q", got)
	}
	if screen := fx.Paint(100, 20, true); strings.Contains(screen, "on purpose") {
		t.Errorf("what is answered on purpose is still on show: %s", screen)
	}
	if got := fx.deliver(sender, "e1"); got != 200 {
		t.Errorf("the retry is answered %d", got)
	}
	fx.Sees("e1 retry 1 after", `{"n":7,"text":"a pot`)
	fx.Sees("webhook-id: the eventId")
	fx.Run("event.rotate")
	_, rotated, _ := strings.Cut(fx.told(), " ")
	if got := fx.deliver(sender, "e3"); got != 200 || rotated == secret {
		t.Errorf("a delivery with the secret before %q is answered %d", rotated, got)
	}
	if row := rowWith(fx.Paint(80, 24, true), "e3"); !strings.Contains(row, `e3 previous secret`) || !strings.Contains(row, `{"n":7,"text":"a pot of tea for `) {
		t.Errorf("at 80 columns: %s", row)
	}
	if screen := fx.Paint(80, 12, true); strings.Contains(screen, "the server has verified") || !strings.Contains(screen, "webhook-id: the eventId") {
		t.Errorf("where there is little room: %s", screen)
	}
	fx.Run("event.respond")
	fx.Type("503*")
	fx.Sees("the last item is for all later ones")
	if got := fx.Press("enter"); got != "say: Deliveries are answered with 503*." {
		t.Errorf("enter says %q", got)
	}
	for range 2 {
		if got := fx.deliver(sender, "e2"); got != 503 {
			t.Errorf("a delivery is answered %d", got)
		}
	}
	fx.Sees("503 to retry 1 after", "answers 503* on purpose")
	fx.Press("x")
	fx.told()
}

// A list above its detail shows all event types if they take at most half the height. A live subscription is ended by the
// first key, and listening again is called that.
func TestEvents_ShortListIsWhole(t *testing.T) {
	fx := eventsOpen(t)
	if screen := fx.Paint(80, 15, true); !strings.Contains(screen, "tock") || strings.Contains(screen, "more") {
		t.Errorf("%s", screen)
	}
	if label := fx.pane.Own[1].Now(); label != "listen" {
		t.Errorf("the label is %q", label)
	}
	fx.Press("ctrl+r")
	fx.until(func() bool { return len(fx.s.Events().All()) == 1 })
	if listen, poll := fx.pane.Own[1].Now(), fx.pane.Own[2].Now(); listen != "listen again" || poll != "poll again" {
		t.Errorf("the labels are %q and %q", listen, poll)
	}
	if fx.pane.Own[3].Footer >= fx.pane.Own[1].Footer {
		t.Error("x is named after ctrl+s")
	}
}
