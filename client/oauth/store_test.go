package oauth_test

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/internal/test/oauthtest"
)

// memory is a store.
type memory struct {
	mu  sync.Mutex
	all []oauth.StoredToken
	bad error // what Load and Save answer
	// meanwhile is what happens once after the next Load; nil for nothing.
	meanwhile func()
	locks     oauth.Memory
}

func (m *memory) Load(resource string) ([]oauth.StoredToken, error) {
	m.mu.Lock()
	found := slices.DeleteFunc(slices.Clone(m.all), func(s oauth.StoredToken) bool { return s.Resource != resource })
	bad, meanwhile := m.bad, m.meanwhile
	m.meanwhile = nil
	m.mu.Unlock()
	if meanwhile != nil {
		meanwhile()
	}
	return found, bad
}

func (m *memory) Save(s oauth.StoredToken) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = append([]oauth.StoredToken{s}, m.all...)
	return m.bad
}

func (m *memory) Forget(oauth.StoredToken) error { return nil }

func (m *memory) Lock(name string) (release func(), err error) { return m.locks.Lock(name) }

func mustParse(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestStore_TokenReused(t *testing.T) {
	kept := &memory{}
	keep := func(c *oauth.Config) { c.Store = kept }
	r := begin(t, oauthtest.Setup{Scope: "mcp"}, keep)
	r.ok(ping)
	if len(kept.all) != 1 || kept.all[0].Resource != r.URL() || kept.all[0].Issuer != r.Issuer() {
		t.Fatalf("kept %+v", kept.all)
	}

	again := connect(t, r.Server, keep)
	again.ok(ping)
	if again.agreed() != 0 || !strings.HasPrefix(again.told(), "1 done stored token: Bearer token for mcp") {
		t.Errorf("%d requests for consent:\n%s", again.agreed(), again.told())
	}

	r.Revoke(false)
	again = connect(t, r.Server, keep)
	again.ok(ping)
	if again.agreed() != 0 || !strings.Contains(again.told(), "2 done refresh") {
		t.Errorf("%d requests for consent:\n%s", again.agreed(), again.told())
	}

	if again.a.StoredTokenUnconfirmed() {
		t.Error("a token that was renewed is suspected")
	}

	r.Revoke(true)
	alone := connect(t, r.Server, func(c *oauth.Config) { c.Store, c.OpenBrowser = kept, nil })
	if err := alone.fails(ping); !alone.a.StoredTokenUnconfirmed() {
		t.Errorf("the stored token is not suspected of %v", err)
	}
	again = connect(t, r.Server, keep)
	again.ok(ping)
	if again.agreed() != 1 || !strings.Contains(again.told(), "registered earlier") {
		t.Errorf("%d requests for consent:\n%s", again.agreed(), again.told())
	}
}

func TestStore_ExpiredTokenRefreshed(t *testing.T) {
	kept := &memory{}
	keep := func(c *oauth.Config) { c.Store = kept }
	r := begin(t, oauthtest.Setup{}, keep)
	r.ok(ping)
	kept.all[0].Token.Expires = time.Now().Add(-time.Minute)
	again := connect(t, r.Server, keep)
	again.ok(ping)
	if told := again.told(); again.agreed() != 0 || !strings.Contains(told, "1 done refresh") {
		t.Errorf("%d requests for consent:\n%s", again.agreed(), told)
	}
}

func TestStore_OtherServer(t *testing.T) {
	kept := &memory{all: []oauth.StoredToken{{
		Resource: "https://elsewhere.example/mcp", Issuer: "https://elsewhere.example",
		Token: oauth.Token{Access: "theirs", Type: "Bearer"},
	}}}
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.Store = kept })
	r.ok(ping)
	for _, s := range r.Seen("") {
		if strings.Contains(s.Authorization, "theirs") {
			t.Errorf("%s %s got the token of another server", s.Method, s.Path)
		}
	}
}

func TestStore_Error(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.Store = &memory{bad: errors.New("no keyring here")} })
	r.ok(ping)
	if told := r.told(); !strings.Contains(told, "cannot read the stored tokens: no keyring here") || !strings.Contains(told, "keep token: not stored: no keyring here") {
		t.Errorf("told:\n%s", told)
	}
}

func TestStore_ConfiguredSecretNotSaved(t *testing.T) {
	kept := &memory{}
	r := begin(t, oauthtest.Setup{Clients: map[string]string{"me": "hush"}}, func(c *oauth.Config) {
		c.Client, c.Store = oauth.Client{ID: "me", Secret: "hush"}, kept
	})
	r.ok(ping)
	if c := kept.all[0].Client; c.ID != "me" || c.Secret != "" {
		t.Errorf("kept %+v", c)
	}
}

func TestStore_InvalidClientRegistersAgain(t *testing.T) {
	kept := &oauth.Memory{}
	keep := func(c *oauth.Config) { c.Store = kept }
	r := begin(t, oauthtest.Setup{}, keep)
	r.ok(ping)
	r.Revoke(false)
	r.ForgetClients()
	r.ok(ping) // the refresh fails with invalid_client
	if n := len(r.Seen("/register")); n != 2 {
		t.Errorf("registered %d times:\n%s", n, r.told())
	}
	if all, err := kept.Load(r.URL()); err != nil || len(all) != 1 {
		t.Errorf("kept are %d authorizations, %v", len(all), err)
	}
}

// locked is a keyring that waits for a password for ever.
type locked struct{ wait chan struct{} }

func (l locked) Load(string) ([]oauth.StoredToken, error) { <-l.wait; return nil, nil }
func (l locked) Save(oauth.StoredToken) error             { <-l.wait; return nil }
func (l locked) Forget(oauth.StoredToken) error           { <-l.wait; return nil }
func (l locked) Lock(string) (func(), error)              { <-l.wait; return func() {}, nil }

func TestStore_BlockedStoreCanceled(t *testing.T) {
	store := locked{make(chan struct{})}
	defer close(store.wait)
	asked := make(chan struct{}, 1)
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) {
		c.Store = store
		c.OnStep = func(s oauth.Step) {
			if s.Name == oauth.StepLoad && s.State == oauth.Running {
				asked <- struct{}{}
			}
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		<-asked
		stop()
	}()
	if _, err := r.post(ctx, ping); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// A token that is kept in memory is used by the next connection, without consent; an empty memory is not
// a step.
func TestMemory_TokenReused(t *testing.T) {
	kept := &oauth.Memory{}
	use := func(c *oauth.Config) { c.Store = kept }
	first := begin(t, oauthtest.Setup{}, use)
	first.ok(ping)
	second := connect(t, first.Server, use)
	second.ok(ping)
	if first.agreed() != 1 || second.agreed() != 0 || strings.Contains(first.told(), oauth.StepLoad+":") || !strings.Contains(second.told(), oauth.StepLoad+":") {
		t.Errorf("%d and %d consents; told:\n%s\n%s", first.agreed(), second.agreed(), first.told(), second.told())
	}
}

// Two sessions of a program have the tokens of one server from the same store. What one has renewed is used by the
// other, whose refresh token no longer counts: the user is not asked to agree again.
func TestStore_RenewedByAnotherSession(t *testing.T) {
	kept := &memory{}
	keep := func(c *oauth.Config) { c.Store = kept }
	one := begin(t, oauthtest.Setup{Scope: "mcp"}, keep)
	one.ok(ping)
	two := connect(t, one.Server, keep)
	two.ok(ping)
	for range 3 {
		one.Revoke(false)
		one.ok(ping)
		two.ok(ping)
		one.Revoke(false)
		two.ok(ping)
		one.ok(ping)
	}
	one.Revoke(false)
	kept.meanwhile = func() { one.ok(ping) } // both at the same time
	two.ok(ping)
	one.ok(ping)
	if one.agreed() != 1 || two.agreed() != 0 {
		t.Errorf("%d and %d requests for consent:\n%s\n%s", one.agreed(), two.agreed(), one.told(), two.told())
	}
}
