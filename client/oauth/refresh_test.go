package oauth_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
)

// unlocked is a store for a process that knows no locks, such as an older mcptea.
type unlocked struct{ oauth.Store }

func (unlocked) Lock(string) (func(), error) { return func() {}, nil }

// expire replaces the stored token with an expired token.
func expire(t *testing.T, kept oauth.Store, resource string) {
	t.Helper()
	all, err := kept.Load(resource)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d stored tokens, %v", len(all), err)
	}
	all[0].Token.Expires = time.Now().Add(-time.Minute)
	if err := kept.Save(all[0]); err != nil {
		t.Fatal(err)
	}
}

// lockRefresh takes the lock of the refresh token, as another process.
func lockRefresh(t *testing.T, kept oauth.Store, resource string) (release func()) {
	t.Helper()
	release, err := kept.Lock("refresh " + resource)
	if err != nil || release == nil {
		t.Fatalf("the lock is held, %v", err)
	}
	return release
}

// sendAll sends a message with each connection concurrently.
func sendAll(t *testing.T, all []*run) {
	t.Helper()
	var wait sync.WaitGroup
	for _, r := range all {
		wait.Go(func() {
			if status, err := r.post(t.Context(), ping); err != nil || status != 200 {
				t.Errorf("status %d, %v; steps:\n%s", status, err, r.told())
			}
		})
	}
	wait.Wait()
}

// The server ends the grant of a refresh token that it receives twice. The authorizers refresh at the same time,
// connected ones after a 401, and new ones with an expired stored token.
func TestRefresh_OnceForAllUsersOfStore(t *testing.T) {
	const users, rounds = 6, 4
	kept := &oauth.Memory{}
	keep := func(c *oauth.Config) { c.Store, c.Timeout = kept, time.Minute }
	first := begin(t, oauthtest.Setup{Scope: "mcp", EndReused: true}, keep)
	first.ok(ping)
	all := []*run{first}
	for range users - 1 {
		all = append(all, connect(t, first.Server, keep))
	}
	sendAll(t, all)
	for range rounds {
		first.Revoke(false)
		sendAll(t, all)
	}
	if n, reused := first.Refreshes(); n != rounds || reused != 0 {
		t.Errorf("%d refresh tokens used, %d of them again, want %d and 0", n, reused, rounds)
	}

	expire(t, kept, first.URL())
	var fresh []*run
	for range users {
		fresh = append(fresh, connect(t, first.Server, keep))
	}
	sendAll(t, fresh)
	if n, reused := first.Refreshes(); n != rounds+1 || reused != 0 {
		t.Errorf("new users: %d refresh tokens used, %d of them again, want %d and 0", n, reused, rounds+1)
	}
	for i, r := range append(all[1:], fresh...) {
		if r.agreed() != 0 {
			t.Errorf("user %d asked for consent:\n%s", i, r.told())
		}
	}
	if first.agreed() != 1 {
		t.Errorf("%d requests for consent:\n%s", first.agreed(), first.told())
	}
}

// whenRefreshWaits calls do in another goroutine as soon as a flow waits for another process.
func whenRefreshWaits(c *oauth.Config, do func()) {
	var once sync.Once
	c.OnStep = func(s oauth.Step) {
		if s.Name == oauth.StepLoad && s.State == oauth.Running && s.Detail == "another process uses the refresh token" && !s.Deadline.IsZero() {
			once.Do(func() { go do() })
		}
	}
}

func TestRefresh_WaitsForOtherProcess(t *testing.T) {
	for _, tt := range []struct {
		name, until string
		renews      bool   // the other process stores a new token before it ends
		exchanged   int    // refresh tokens in the end
		told        string // a line of the flow
	}{
		{"renewed", "", true, 1, "renewed by another session"},
		{"ends without token", "", false, 1, "stored token: another process has used the refresh token"},
		{"renewed, refresh wanted", oauth.StepRefresh, true, 2, "1 done refresh"},
		{"ends without token, refresh wanted", oauth.StepRefresh, false, 1, "1 done refresh"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			kept := &oauth.Memory{}
			one := begin(t, oauthtest.Setup{Scope: "mcp", EndReused: true}, func(c *oauth.Config) { c.Store = unlocked{kept} })
			one.ok(ping)
			release := lockRefresh(t, kept, one.URL())
			one.Revoke(false)
			expire(t, kept, one.URL())
			over := make(chan struct{})
			two := connect(t, one.Server, func(c *oauth.Config) {
				c.Store, c.Timeout, c.Until = kept, time.Minute, tt.until
				whenRefreshWaits(c, func() {
					defer close(over)
					defer release()
					if tt.renews {
						if _, err := one.post(t.Context(), ping); err != nil {
							t.Error(err)
						}
					}
				})
			})
			two.ok(ping)
			select {
			case <-over:
			case <-time.After(time.Minute):
				t.Fatalf("it did not wait for the other process:\n%s", two.told())
			}
			if n, reused := one.Refreshes(); n != tt.exchanged || reused != 0 {
				t.Errorf("%d refresh tokens used, %d of them again, want %d and 0", n, reused, tt.exchanged)
			}
			if told := two.told(); two.agreed() != 0 || !strings.Contains(told, tt.told) {
				t.Errorf("%d requests for consent:\n%s", two.agreed(), told)
			}
			lockRefresh(t, kept, one.URL())()
		})
	}
}

// A process without the lock has used the refresh token of the store at the same time: the new process
// reads the store again before it asks the user.
func TestRefresh_InvalidGrantReadsStoreAgain(t *testing.T) {
	for _, expired := range []bool{false, true} {
		kept := &oauth.Memory{}
		one := begin(t, oauthtest.Setup{Scope: "mcp"}, func(c *oauth.Config) { c.Store = unlocked{kept} })
		one.ok(ping)
		one.Revoke(false)
		expire(t, kept, one.URL())
		var once sync.Once
		two := connect(t, one.Server, func(c *oauth.Config) {
			c.Store = kept
			c.OnStep = func(s oauth.Step) {
				if s.Name != oauth.StepRefresh || s.State != oauth.Running {
					return
				}
				once.Do(func() {
					if _, err := one.post(t.Context(), ping); err != nil {
						t.Error(err)
					}
					if expired {
						expire(t, kept, one.URL())
					}
				})
			}
		})
		two.ok(ping)
		want := map[bool]string{false: "renewed by another session", true: "1 done refresh"}[expired]
		if told := two.told(); two.agreed() != 0 || !strings.Contains(told, "1 failed refresh") || !strings.Contains(told, want) {
			t.Errorf("expired %t: %d requests for consent:\n%s", expired, two.agreed(), told)
		}
	}
}

// A flow that is canceled while it waits takes no lock and sends no refresh token.
func TestRefresh_CanceledWhileWaiting(t *testing.T) {
	kept := &oauth.Memory{}
	one := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.Store = kept })
	one.ok(ping)
	expire(t, kept, one.URL())
	release := lockRefresh(t, kept, one.URL())
	var two *run
	two = connect(t, one.Server, func(c *oauth.Config) {
		c.Store, c.Timeout = kept, time.Minute
		whenRefreshWaits(c, func() { two.a.Cancel() })
	})
	if err := two.fails(ping); !strings.Contains(err.Error(), oauth.ErrCancelled.Error()) {
		t.Error(err)
	}
	release()
	lockRefresh(t, kept, one.URL())()
	if n, _ := one.Refreshes(); n != 0 {
		t.Errorf("%d refresh tokens used:\n%s", n, two.told())
	}
}

// A caller that leaves while the server replaces the refresh token does not lose the new one: the response is awaited and
// stored, and the next session uses it.
func TestRefresh_CallerLeavesWhileServerResponds(t *testing.T) {
	kept := &oauth.Memory{}
	leave := func() {}
	setup := oauthtest.Setup{Scope: "mcp", EndReused: true, Token: func(status int, _ map[string]any) int {
		leave()
		return status
	}}
	one := begin(t, setup, func(c *oauth.Config) { c.Store = kept })
	one.ok(ping)
	expire(t, kept, one.URL())
	two := connect(t, one.Server, func(c *oauth.Config) { c.Store = kept })
	ctx, cancel := context.WithCancel(t.Context())
	leave = func() {
		cancel()
		for two.a.Waiting() > 0 {
			runtime.Gosched()
		}
		leave = func() {}
	}
	if _, err := two.post(ctx, ping); !errors.Is(err, context.Canceled) {
		t.Errorf("the caller that left got %v", err)
	}
	three := connect(t, one.Server, func(c *oauth.Config) { c.Store = kept })
	three.ok(ping)
	if n, reused := one.Refreshes(); n != 1 || reused != 0 || three.agreed() != 0 {
		t.Errorf("%d refresh tokens used, %d of them again, %d requests for consent:\n%s", n, reused, three.agreed(), two.told())
	}
}
