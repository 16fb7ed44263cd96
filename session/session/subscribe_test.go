package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/inmemory"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
)

// flaky is a transport that fails to send subscriptions while err is set.
type flaky struct {
	*inmemory.Transport
	err      atomic.Pointer[error]
	attempts atomic.Int32
}

func (f *flaky) Send(ctx context.Context, frame transport.Outgoing) error {
	if bytes.Contains(frame.Bytes, []byte(`"subscriptions/listen"`)) {
		f.attempts.Add(1)
		if err := f.err.Load(); err != nil {
			return *err
		}
	}
	return f.Transport.Send(ctx, frame)
}

// overFlaky runs a script on a session without handshake.
func overFlaky(t *testing.T, script func(s *Session, f *flaky)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := &flaky{Transport: inmemory.New(sessiontest.Demo(demo.Options{}))}
		s, err := Open(Config{
			Target: client.Target{Argv: []string{"demo-server"}}, Record: "off", Lists: client.ListKinds,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20260728}, Subscribe: true,
			Dial: func(tap client.Tap, cfg client.Config) *client.Client { return client.NewOver(f, tap, cfg) },
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close(context.Background())
		if err := s.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		script(s, f)
	})
}

func TestWatcher_RetriesWithBackoff(t *testing.T) {
	overFlaky(t, func(s *Session, f *flaky) {
		down := errors.New("connection refused")
		f.err.Store(&down)
		<-s.Start("tools/call", []byte(`{"name":"end-subscriptions","arguments":{}}`)).Done()
		synctest.Wait()
		if w := s.State().Subscription; w.Err == nil || !w.Retry.Equal(time.Now().Add(betweenSubscriptions.First)) {
			t.Errorf("%+v", w)
		}
		before := f.attempts.Load()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		// 0.5, 1, 2, 4, 8, 16 s, and then every 30 s.
		if n := f.attempts.Load() - before; n < 14 || n > 16 {
			t.Errorf("%d attempts in five minutes", n)
		}
		w := s.State().Subscription
		if !errors.Is(w.Err, down) || w.Retry.IsZero() || time.Until(w.Retry) > betweenSubscriptions.Most {
			t.Errorf("%+v", w)
		}
		lists := s.State().Lists["tools"].Changes
		f.err.Store(nil)
		time.Sleep(betweenSubscriptions.Most + 10*time.Second)
		if w := s.State().Subscription; w.Err != nil || w.Since.IsZero() || !w.Retry.IsZero() {
			t.Errorf("%+v", w)
		}
		if got := s.State().Lists["tools"].Changes; got == lists {
			t.Error("the lists were not fetched again, though changes may have been missed")
		}
	})
}

// A subscription has an outcome also if the connection ends while it waits, or has ended before.
func TestWatcher_SettlesWhenTheConnectionEnds(t *testing.T) {
	overFlaky(t, func(s *Session, f *flaky) {
		down := errors.New("connection refused")
		f.err.Store(&down)
		s.mu.Lock()
		waiting := s.watcher.setResource("demo://readme", true)
		s.mu.Unlock()
		_ = f.Close(context.Background())
		synctest.Wait()
		if p := s.State().Phase; p != Ended {
			t.Fatalf("phase %v", p)
		}
		for when, call := range map[string]*Call{"before": waiting, "after": s.SubscribeResource("demo://changing", true)} {
			synctest.Wait()
			if call.Running() {
				t.Errorf("a subscription from %s the end of the connection still waits", when)
			} else if _, err := call.Outcome(); err == nil {
				t.Errorf("a subscription from %s the end of the connection has no error", when)
			}
		}
	})
}

// However many resources a recording subscribes to, the newest are kept, at a bounded cost.
func TestFollow_Bounded(t *testing.T) {
	var list []string
	for i := range 5 * maxToggled {
		list = toggled(list, fmt.Sprint(i), true)
	}
	if len(list) != maxToggled || list[0] != fmt.Sprint(4*maxToggled) {
		t.Errorf("%d, from %s", len(list), list[0])
	}
}

func TestWatcher_RefusalIsNotRetried(t *testing.T) {
	overFlaky(t, func(s *Session, f *flaky) {
		var refused error = &transport.StatusError{Method: "POST", Status: http.StatusForbidden}
		f.err.Store(&refused)
		call := s.SubscribeResource("demo://readme", true)
		<-call.Done()
		if _, err := call.Outcome(); !errors.Is(err, refused) {
			t.Errorf("following ended with %v", err)
		}
		if w := s.State().Subscription; w.Err != nil || w.Since.IsZero() {
			t.Errorf("the subscription before it is gone: %+v", w)
		}
		if got := s.State().Followed; len(got) > 0 {
			t.Errorf("followed: %q", got)
		}
		<-s.Start("tools/call", []byte(`{"name":"end-subscriptions","arguments":{}}`)).Done()
		time.Sleep(time.Second) // the end is not a refusal, so there is one attempt
		before := f.attempts.Load()
		time.Sleep(time.Hour)
		if n := f.attempts.Load() - before; n > 0 {
			t.Errorf("asked %d times more after a refusal", n)
		}
		if w := s.State().Subscription; w.Err == nil || !w.Retry.IsZero() {
			t.Errorf("%+v", w)
		}
	})
}

func TestUpdates_OfFollowedResources(t *testing.T) {
	for _, r := range []revision.Revision{revision.R20251125, revision.R20260728} {
		runIn(t, r, demo.Options{}, requests.Policies{}, func(s *Session) {
			const uri = "demo://clock"
			<-s.SubscribeResource(uri, true).Done()
			time.Sleep(5 * time.Second)
			st := s.State()
			up := st.Updates[uri]
			if up.Count == 0 || up.At.IsZero() {
				t.Fatalf("%s: %+v", r, st.Updates)
			}
			if err := s.Restart(context.Background()); err != nil {
				t.Fatal(err)
			}
			if st := s.State(); len(st.Followed) != 1 || st.Updates[uri].Count > up.Count {
				t.Errorf("%s: after a restart: %q, %+v", r, st.Followed, st.Updates)
			}
			time.Sleep(5 * time.Second)
			if s.State().Updates[uri].Count == 0 {
				t.Errorf("%s: the new connection is not asked for the changes", r)
			}
		})
	}
}

func TestUpdates_Bounded(t *testing.T) {
	var u updates
	for i := range 2 * maxUpdates {
		u.add(fmt.Appendf(nil, "\"%d\"", i), time.Unix(int64(i), 0), nil)
	}
	u.add([]byte(`"followed"`), time.Unix(1, 0), []string{"followed"})
	if n := len(u.snapshot(nil, nil)); n != maxUpdates+1 {
		t.Errorf("%d kept", n)
	}
}
