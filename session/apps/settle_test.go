package apps

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/apps/hostpage"
	"mcptea/session/question"
	"mcptea/session/session"
)

// opened is an app whose page nothing opens.
func opened(t *testing.T) *App {
	t.Helper()
	s, err := session.Open(session.Config{Target: client.Target{Argv: []string{"server"}}, Record: "off"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	a := &App{s: s, pending: map[jsonrpc.Key]context.CancelFunc{}, record: s.Store().Beside(record.Connection{Transport: record.App})}
	a.questions = question.New[Question](maxQuestions, func() {})
	a.ctx, a.end = context.WithCancelCause(context.Background())
	if a.page, err = hostpage.Serve(t.Context(), hostpage.Config{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.page.Close)
	a.state.Phase = Ready
	return a
}

// A request to an app has an outcome when the app is closed, and one that is sent later at once.
func TestSettleAll_RequestOfTheHost(t *testing.T) {
	a := opened(t)
	r := a.request("ping", nil)
	a.shut("the test ends it", false)
	for _, o := range []outcome{<-r.outcome, <-a.request("ping", nil).outcome} {
		if o.err == nil || !strings.Contains(o.err.Error(), "the test ends it") {
			t.Errorf("the outcome is %v", o.err)
		}
	}
	if len(a.asked) != 0 {
		t.Errorf("%d requests are kept", len(a.asked))
	}
}

// An app that responds to nothing does not make the host keep all that it has asked.
func TestRequest_Bound(t *testing.T) {
	a := opened(t)
	first := a.request("ping", nil)
	second := a.request("ping", nil)
	for range maxPending - 1 {
		a.request("ping", nil)
	}
	if o := <-first.outcome; !errors.Is(o.err, errForgotten) {
		t.Errorf("the outcome of the oldest is %v", o.err)
	}
	if len(a.asked) != maxPending {
		t.Errorf("%d requests are kept", len(a.asked))
	}
	frame := []byte(`{"jsonrpc":"2.0","id":2,"result":{}}`)
	a.responded(second.id, client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)})
	if o := <-second.outcome; o.err != nil || string(o.response.Result()) != "{}" {
		t.Errorf("the outcome of the second is %s %v", o.response.Frame, o.err)
	}
}

// What an app sends while it is being closed starts nothing, and does not open it again: Close
// returns when nothing of it runs any more.
func TestClose_MessagesMeanwhile(t *testing.T) {
	for range 20 {
		a := opened(t)
		a.state.Phase = Loading // there is no teardown
		var sending sync.WaitGroup
		for i := range 4 {
			sending.Go(func() {
				for n := range 20 {
					id := jsonrpc.IntID(int64(100*i + n)).String()
					for _, frame := range []string{
						`{"jsonrpc":"2.0","id":` + id + `,"method":"resources/read","params":{"uri":"a:b"}}`,
						`{"jsonrpc":"2.0","id":0,"method":"ui/initialize","params":{}}`,
					} {
						a.received(newFrame(transport.In, transport.Both, []byte(frame)), store.None)
					}
					a.event(hostpage.Event{Connected: true})
				}
			})
		}
		a.Close(context.Background())
		sending.Wait()
		a.mu.Lock()
		if a.state.Phase != Closed || len(a.pending) != 0 {
			t.Errorf("it is %s, %d requests run", a.state.Phase, len(a.pending))
		}
		a.mu.Unlock()
	}
}
