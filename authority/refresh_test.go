package authority_test

import (
	"sync"
	"testing"
	"time"

	"mcptea/cli/tokens"
	"mcptea/client/oauth"
)

// Three programs with stores over one directory use a refresh token one after the other: an authority that ends the
// family of a token that is used twice never signs the user out.
func TestMcptea_OneRefreshAmongStores(t *testing.T) {
	const programs, rounds = 3, 5
	dir := t.TempDir()
	store := func(cfg *oauth.Config) { cfg.Store, cfg.OneConsent = tokens.With(dir, nil), true }
	c := connect(t, "", store)
	if err := c.call(t, c.wire); err != nil {
		t.Fatalf("%v\n%s", err, c.told())
	}
	wires := []func() error{func() error { return c.call(t, c.wire) }}
	for range programs - 1 {
		wire := c.client(t, store)
		wires = append(wires, func() error { return c.call(t, wire) })
	}
	for range rounds {
		c.later(2 * time.Hour) // all access tokens have expired
		var wait sync.WaitGroup
		for _, call := range wires {
			wait.Go(func() {
				if err := call(); err != nil {
					t.Errorf("%v\n%s", err, c.told())
				}
			})
		}
		wait.Wait()
	}
	s := c.Summary()
	if c.consents != 1 || s.Reached["token"] != 1+rounds {
		t.Errorf("%d consents, %d token requests, want 1 and %d", c.consents, s.Reached["token"], 1+rounds)
	}
	for _, f := range s.Findings {
		t.Errorf("%s: %s", f.Code, f.Text)
	}
}
