package client

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// busyPipe is a transport on which a cancellation takes a while to send.
type busyPipe struct {
	*scripted
	takes time.Duration
}

func (p *busyPipe) Send(ctx context.Context, frame transport.Outgoing) error {
	if strings.Contains(string(frame.Bytes), "notifications/cancelled") {
		select {
		case <-time.After(p.takes):
		case <-p.Done():
			return ErrClosed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p.scripted.Send(ctx, frame)
}

func TestClose_SendsCancellationOfTimeout(t *testing.T) {
	for _, tt := range []struct {
		takes time.Duration
		sent  bool
	}{{0, true}, {cancellationGrace / 2, true}, {2 * cancellationGrace, false}} {
		synctest.Test(t, func(t *testing.T) {
			p := &busyPipe{script(friendly(nil)), tt.takes}
			c := NewOver(p, &checks{}, Config{Revision: revision.NewestHandshake, Timeout: time.Second})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			var timeout *TimeoutError
			if _, err := c.Call(t.Context(), "tools/call", []byte(`{}`)); !errors.As(err, &timeout) {
				t.Errorf("the call ended with %v", err)
			}
			start := time.Now()
			_ = c.Close(context.Background())
			if took := time.Since(start); took != min(tt.takes, cancellationGrace) {
				t.Errorf("closing took %v with a cancellation that takes %v", took, tt.takes)
			}
			if sent := strings.Contains(p.log(), `"notifications/cancelled","params":{"requestId":2,`); sent != tt.sent {
				t.Errorf("the cancellation takes %v; sent: %v", tt.takes, sent)
			}
		})
	}
}

// A request that becomes a task is not cancelled: its task is, once it has an id
// (2025-11-25, basic / utilities / cancellation).
func TestTimeout_TaskRequestIsNotCancelled(t *testing.T) {
	for params, cancelled := range map[string]bool{`{"name":"x"}`: true, `{"name":"x","task":{"ttl":1000}}`: false} {
		synctest.Test(t, func(t *testing.T) {
			p := script(func(frame string) []string {
				if strings.Contains(frame, `"initialize"`) {
					return result(frame, strings.Replace(welcome, `"capabilities":{`, `"capabilities":{"tasks":{"requests":{"tools":{"call":{}}}},`, 1))
				}
				return nil
			})
			c := NewOver(p, &checks{}, Config{Revision: revision.NewestHandshake, Timeout: time.Second, Tasks: true})
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			var timeout *TimeoutError
			if _, err := c.Call(t.Context(), "tools/call", []byte(params)); !errors.As(err, &timeout) {
				t.Errorf("the call ended with %v", err)
			}
			_ = c.Close(context.Background())
			if sent := strings.Contains(p.log(), "notifications/cancelled"); sent != cancelled {
				t.Errorf("%s: a cancellation is sent: %v\n%s", params, sent, p.log())
			}
		})
	}
}

// lostErrors keeps the errors of requests that get no response.
type lostErrors struct {
	checks
	mu   sync.Mutex
	errs []error
}

func (e *lostErrors) Lost(_ jsonrpc.ID, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.errs = append(e.errs, err)
}

func TestLost_CancelledByClosingExchange(t *testing.T) {
	s := newStatelessServer(t)
	tap := &lostErrors{}
	c := New(Target{URL: s.URL}, tap, Config{Revision: revision.R20260728})
	defer c.Close(context.Background())
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.waits
		cancel()
	}()
	_, err := c.Call(ctx, "tools/call", []byte(`{"name":"wait"}`))
	var cancelled *CancelledError
	if errors.As(err, &cancelled) || !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	if len(tap.errs) != 1 || !errors.As(tap.errs[0], &cancelled) || !errors.Is(cancelled, context.Canceled) {
		t.Errorf("reported %v", tap.errs)
	}
}

func TestSubscription_CancelledByServer(t *testing.T) {
	s := script(newcomer(func(frame string) []string {
		return []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":` + idOf(frame) + `}}}`}
	}))
	c, _ := meet(t, s)
	defer c.Close(context.Background())
	sub, _, err := c.Subscribe(t.Context(), SubscriptionFilter{Tools: true})
	if err != nil {
		t.Fatal(err)
	}
	s.push(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
	s.push(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + sub.ID.String() + `}}`)
	<-sub.Done()
	if !errors.Is(sub.Err(), ErrSubscriptionEnded) {
		t.Errorf("it ended with %v", sub.Err())
	}
}

func TestWithoutTimeout_AfterAuthorization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewOver(script(newcomer(nil)), &checks{}, Config{Revision: revision.R20260728, Timeout: time.Second, MaxTimeout: 10 * time.Second})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			_, err := c.Do(t.Context(), ParseRequest([]byte(`{"jsonrpc":"2.0","id":7,"method":"tasks/result"}`)), WithoutTimeout())
			ended <- err
		}()
		synctest.Wait()
		c.update(func(s *state) { s.authorizing++ }) // as pausingAuthorization does
		c.update((*state).endAuthorization)
		time.Sleep(time.Hour)
		select {
		case err := <-ended:
			t.Errorf("it ended with %v", err)
		default:
		}
		_ = c.Close(context.Background())
		if err := <-ended; err == nil {
			t.Error("the call has a result")
		}
	})
}

func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
		for _, tt := range []struct {
			value, date string
			want        time.Duration
		}{
			{"", "", 0},
			{"soon", "", 0},
			{"-3", "", 0},
			{"7", "", 7 * time.Second},
			{"99999999999999999", "", 1 << 31 * time.Second},
			{at(9 * time.Second), "", 9 * time.Second},
			{at(-time.Minute), "", 0},
			{at(time.Hour), at(time.Hour - 5*time.Second), 5 * time.Second}, // the clock of the server is ahead
		} {
			h := http.Header{}
			h.Set("Retry-After", tt.value)
			h.Set("Date", tt.date)
			if got := retryAfter(h); got != tt.want {
				t.Errorf("Retry-After: %s, Date: %s: %v, want %v", tt.value, tt.date, got, tt.want)
			}
		}
	})
}

// lateCloser closes exchanges some time after a cancellation.
type lateCloser struct {
	*scripted
	closed chan jsonrpc.ID
}

func (l *lateCloser) CancelRequest(id jsonrpc.ID) bool { l.closed <- id; return false }

// With a session, the transport learns of a cancellation although the server gets a
// message for it: the exchange must not stay open.
func TestCancel_WithSessionEndsExchange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lateCloser{script(friendly(nil)), make(chan jsonrpc.ID, 10)}
		c := NewOver(l, &checks{}, Config{Revision: revision.NewestHandshake, Timeout: time.Second})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer c.Close(context.Background())
		var timeout *TimeoutError
		if _, err := c.Call(t.Context(), "tools/call", []byte(`{}`)); !errors.As(err, &timeout) {
			t.Errorf("the call ended with %v", err)
		}
		if id := <-l.closed; id.String() != "2" {
			t.Errorf("closed %s", id)
		}
		if err := c.Cancel(t.Context(), jsonrpc.IDOf("3"), ""); err != nil || (<-l.closed).String() != "3" {
			t.Errorf("cancelled by the caller: %v", err)
		}
		if got := strings.Count(l.log(), "notifications/cancelled"); got != 2 {
			t.Errorf("%d cancellations were sent", got)
		}
	})
}

// A subscription that is refused because the client is closed leaves nothing behind.
func TestSubscribe_AfterClose(t *testing.T) {
	c := New(Target{Argv: []string{"x"}}, &checks{}, Config{})
	c.update(func(s *state) { s.stateless, s.closing = true, true })
	if _, _, err := c.Subscribe(t.Context(), SubscriptionFilter{Tools: true}); !errors.Is(err, ErrClosed) {
		t.Errorf("error %v", err)
	}
	if n := len(c.state.subscriptions); n != 0 {
		t.Errorf("%d subscriptions", n)
	}
}

// A cancellation names a request by a string or an integer. A request that the user sends with
// another id times out, or is cancelled, without one, and is recorded as lost.
func TestCancel_InvalidID(t *testing.T) {
	for _, c := range []struct {
		id        string
		cancelled bool
	}{{"null", false}, {"1.5", false}, {"{}", false}, {"true", false}, {`"a"`, true}, {"7.0", true}} {
		for _, byUser := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := script(friendly(nil))
				c1 := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Timeout: time.Minute})
				if err := c1.Connect(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := ParseRequest([]byte(`{"jsonrpc":"2.0","id":` + c.id + `,"method":"tools/call","params":{"name":"slow"}}`))
				if byUser {
					time.AfterFunc(time.Second, func() { _ = c1.Cancel(context.Background(), r.ID, "the user") })
				}
				if _, err := c1.Do(t.Context(), r); err == nil {
					t.Errorf("id %s: it has a response", c.id)
				}
				synctest.Wait()
				if got := strings.Contains(s.log(), `"notifications/cancelled","params":{"requestId":`+c.id); got != c.cancelled {
					t.Errorf("id %s, by the user %v: a cancellation was sent: %v", c.id, byUser, got)
				}
				_ = c1.Close(context.Background())
			})
		}
	}
}
