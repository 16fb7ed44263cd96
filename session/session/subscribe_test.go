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

func (f *flaky) Send(ctx context.Context, frame []byte) error {
	if bytes.Contains(frame, []byte(`"subscriptions/listen"`)) {
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
		if w := s.State().Subscription; w.Err == nil || !w.Retry.Equal(time.Now().Add(minResubscribe)) {
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
		if !errors.Is(w.Err, down) || w.Retry.IsZero() || time.Until(w.Retry) > maxResubscribe {
			t.Errorf("%+v", w)
		}
		lists := s.State().Lists["tools"].Changes
		f.err.Store(nil)
		time.Sleep(maxResubscribe + 10*time.Second)
		if w := s.State().Subscription; w.Err != nil || w.Since.IsZero() || !w.Retry.IsZero() {
			t.Errorf("%+v", w)
		}
		if got := s.State().Lists["tools"].Changes; got == lists {
			t.Error("the lists were not fetched again, though changes may have been missed")
		}
	})
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
		time.Sleep(time.Second) // the end is no refusal, so there is one attempt
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
