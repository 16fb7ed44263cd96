package client

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/revision"
)

func TestExtend_PostponesTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewOver(script(friendly(nil)), &checks{}, Config{Era: revision.EraHandshake, Timeout: time.Minute, MaxTimeout: 70 * time.Second})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r := c.NewRequest(c.NextID(), "tools/call", []byte(`{}`))
		time.AfterFunc(50*time.Second, func() {
			if at, ok := c.Deadline(r.ID); !ok || at.Sub(start) != time.Minute {
				t.Errorf("the deadline is %v, %v", at.Sub(start), ok)
			}
			if !c.Extend(r.ID, 30*time.Second) {
				t.Error("not extended")
			}
			synctest.Wait()
			if at, ok := c.Deadline(r.ID); !ok || at.Sub(start) != 90*time.Second {
				t.Errorf("the deadline is %v, %v after the extension", at.Sub(start), ok)
			}
		})
		_, err := c.Do(t.Context(), r)
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || time.Since(start) != 90*time.Second || timeout.After != 90*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if c.Extend(r.ID, time.Second) {
			t.Error("a request that is over was extended")
		}
		if _, ok := c.Deadline(r.ID); ok {
			t.Error("a request that is over has a deadline")
		}
		_ = c.Close(context.Background())
	})
}

// Progress that is reported after the user has given more time takes none of it away.
func TestExtend_NotShortenedByProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := script(friendly(nil))
		c := NewOver(s, &checks{}, Config{Era: revision.EraHandshake, Timeout: time.Minute, MaxTimeout: time.Hour})
		if err := c.Connect(t.Context()); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		r := c.NewRequest(c.NextID(), "tools/call", []byte(`{}`))
		time.AfterFunc(10*time.Second, func() { c.Extend(r.ID, 10*time.Minute) })
		time.AfterFunc(20*time.Second, func() {
			s.push(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + r.ID.String() + `,"progress":1}}`)
			synctest.Wait()
			if at, _ := c.Deadline(r.ID); at.Sub(start) != 11*time.Minute {
				t.Errorf("after progress the deadline is %v", at.Sub(start))
			}
		})
		_, err := c.Do(t.Context(), r)
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || time.Since(start) != 11*time.Minute {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		_ = c.Close(context.Background())
	})
}

// Who waits for a server that does not respond to server/discover sees what comes next.
func TestProbe_SaysThatInitializeFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := &checks{}
		c := NewOver(script(func(string) []string { return nil }), tap, Config{ConnectTimeout: 10 * time.Second})
		detail := func() string {
			tap.mu.Lock()
			defer tap.mu.Unlock()
			return tap.steps[StepResponse].Detail
		}
		seen := make(chan string, 2)
		time.AfterFunc(2*time.Second, func() { seen <- detail() })
		time.AfterFunc(7*time.Second, func() { seen <- detail() })
		if err := c.Connect(t.Context()); err == nil {
			t.Error("it is connected")
		}
		if probing, initializing := <-seen, <-seen; probing != "none yet; initialize follows" || initializing != "" {
			t.Errorf("while probing %q, after it %q", probing, initializing)
		}
		_ = c.Close(context.Background())
	})
}

func TestExtend_WhileConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tap := &checks{}
		c := NewOver(script(func(string) []string { return nil }), tap, Config{Revision: revision.NewestHandshake, ConnectTimeout: 10 * time.Second})
		start := time.Now()
		time.AfterFunc(5*time.Second, func() {
			if !c.ExtendConnecting(30 * time.Second) {
				t.Error("not extended")
			}
			tap.mu.Lock()
			defer tap.mu.Unlock()
			if at := tap.steps[StepResponse].Deadline; at.Sub(start) != 40*time.Second {
				t.Errorf("the step ends after %v", at.Sub(start))
			}
		})
		if err := c.Connect(t.Context()); err == nil || time.Since(start) != 40*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		_ = c.Close(context.Background())
	})
}
