package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/test/oauthtest"
)

// silent is a user who sees the consent page and does nothing.
func silent(seen chan<- oauth.Consent) func(context.Context, oauth.Consent) error {
	return func(_ context.Context, at oauth.Consent) error {
		seen <- at
		return nil
	}
}

func TestConsent_Timeout(t *testing.T) {
	seen := make(chan oauth.Consent, 1)
	start := time.Now()
	const timeout = 50 * time.Millisecond
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.OpenBrowser, c.ConsentTimeout = silent(seen), timeout })
	if err := r.fails(ping); !strings.Contains(err.Error(), "no consent in the browser within 50 ms") {
		t.Errorf("it failed with %v", err)
	}
	at := <-seen
	if !strings.HasPrefix(at.URL, r.Issuer()+"/authorize?") || at.Issuer != r.Issuer() || at.Deadline.Before(start.Add(timeout)) {
		t.Errorf("was shown %+v", at)
	}
	for _, s := range r.steps {
		if s.Name == oauth.StepConsent && s.State == oauth.Running && s.URL != "" && (s.URL != at.URL || s.Deadline.Before(start)) {
			t.Errorf("the step says %+v", s)
		}
	}
}

func TestFlow_RequestTimeout(t *testing.T) {
	hold := make(chan struct{})
	r := begin(t, oauthtest.Setup{ServerMetadata: func(d map[string]any) map[string]any {
		<-hold
		return d
	}}, func(c *oauth.Config) { c.Timeout = 50 * time.Millisecond })
	defer close(hold)
	if err := r.fails(ping); !strings.Contains(err.Error(), "within 50 ms") {
		t.Errorf("it failed with %v", err)
	}
}

// A server that begins a response and does not end it is given up after the same time.
func TestFlow_BodyTimeout(t *testing.T) {
	stop := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		<-stop
	}))
	defer slow.Close()
	defer close(stop)
	r := begin(t, oauthtest.Setup{ResourceMetadata: with("authorization_servers", []string{slow.URL})}, func(c *oauth.Config) { c.Timeout = 50 * time.Millisecond })
	if err := r.fails(ping); !strings.Contains(err.Error(), "no response from "+slow.URL) || !strings.Contains(err.Error(), "within 50 ms") {
		t.Errorf("it failed with %v", err)
	}
}

func TestCancel_RunningFlow(t *testing.T) {
	seen := make(chan oauth.Consent, 1)
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.OpenBrowser = silent(seen) })
	go func() {
		<-seen
		r.a.Cancel()
	}()
	if err := r.fails(ping); !errors.Is(err, oauth.ErrCancelled) || !errors.Is(err, transport.ErrSignInEnded) {
		t.Errorf("it failed with %v", err)
	}
	if !strings.Contains(r.told(), "1 failed consent: authorization was cancelled") {
		t.Errorf("told:\n%s", r.told())
	}
}

func TestRefresh_LastCallerCancelsFlow(t *testing.T) {
	seen := make(chan oauth.Consent, 1)
	over := make(chan struct{})
	var once sync.Once
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) {
		c.OpenBrowser = silent(seen)
		c.OnStep = func(s oauth.Step) {
			if s.State == oauth.Failed {
				once.Do(func() { close(over) })
			}
		}
	})
	first, stopFirst := context.WithCancel(t.Context())
	second, stopSecond := context.WithCancel(t.Context())
	defer stopSecond()
	errs := make(chan error, 2)
	for _, ctx := range []context.Context{first, second} {
		go func() {
			_, err := r.post(ctx, ping)
			errs <- err
		}()
	}
	<-seen
	for r.a.Waiting() < 2 {
		runtime.Gosched()
	}
	stopFirst()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the first ended with %v", err)
	}
	select {
	case <-over:
		t.Fatal("the flow ended although a caller waited for it")
	default:
	}
	stopSecond()
	<-over
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("the second ended with %v", err)
	}
}

func TestClose_NoConsentPrompt(t *testing.T) {
	r := begin(t, oauthtest.Setup{}, nil)
	u := mustParse(t, r.URL())
	ex, err := r.wire.Begin(u, "end session", http.MethodDelete, http.Header{}, nil).RoundTrip(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ex.Finish(nil)
	if ex.Report.Status != http.StatusUnauthorized || r.told() != "" {
		t.Errorf("status %d:\n%s", ex.Report.Status, r.told())
	}
}

func TestListenLoopback_PreferredPort(t *testing.T) {
	first, err := oauth.ListenLoopback(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	uri := first.RedirectURI()
	if !strings.HasPrefix(uri, "http://127.0.0.1:") || !strings.HasSuffix(uri, "/callback") {
		t.Errorf("it listens on %s", uri)
	}
	second, err := oauth.ListenLoopback(t.Context(), uri) // which is taken
	if err != nil {
		t.Fatal(err)
	}
	if second.RedirectURI() == uri {
		t.Error("two listen on one port")
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
	third, err := oauth.ListenLoopback(t.Context(), uri)
	if err != nil {
		t.Fatal(err)
	}
	defer third.Close()
	if third.RedirectURI() != uri {
		t.Errorf("it listens on %s, and not on %s again", third.RedirectURI(), uri)
	}
	// The URI of a stored client may have been written by another program.
	for _, preferred := range []string{"http://0.0.0.0:0/callback", "http://localhost:0/callback", "http://[::1]:0/callback", "http://127.0.0.2:0/callback", "http://127.0.0.1:0/other", "not a URL\x7f"} {
		l, err := oauth.ListenLoopback(t.Context(), preferred)
		if err != nil {
			t.Fatal(err)
		}
		if got := l.RedirectURI(); !strings.HasPrefix(got, "http://127.0.0.1:") || !strings.HasSuffix(got, "/callback") {
			t.Errorf("with %q preferred it listens on %s", preferred, got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
	get := func(query string, want int) {
		t.Helper()
		resp, err := http.Get(uri + query)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s got %d, want %d", query, resp.StatusCode, want)
		}
		// The URL has the code: neither the cache of the browser nor a link passes it on.
		for name, value := range map[string]string{"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"} {
			if strings.Contains(query, "state=") && resp.Header.Get(name) != value {
				t.Errorf("%s has the header %s: %q, want %q", query, name, resp.Header.Get(name), value)
			}
		}
	}
	get("?looking=around", http.StatusBadRequest)
	get("?state=s&code=early", http.StatusBadRequest) // nothing is expected yet
	third.Expect("s")
	get("?state=other&code=theirs", http.StatusBadRequest)
	get("?state=s&code=c", http.StatusOK)
	if q, err := third.Wait(t.Context()); err != nil || q.Get("code") != "c" {
		t.Errorf("caught %v, %v", q, err)
	}
}

// A page that finds the port, or an old tab, does not end the wait.
func TestCallback_WithAnotherState(t *testing.T) {
	errs := make(chan error, 1)
	var r *run
	r = begin(t, oauthtest.Setup{}, func(c *oauth.Config) {
		c.OpenBrowser = func(ctx context.Context, at oauth.Consent) error {
			back := mustParse(t, at.URL).Query().Get("redirect_uri")
			resp, err := http.Get(back + "?state=guessed&code=theirs")
			if err == nil {
				err = resp.Body.Close()
			}
			if err == nil && resp.StatusCode != http.StatusBadRequest {
				err = fmt.Errorf("a callback with another state got %d", resp.StatusCode)
			}
			if other := r.a.PasteCallback(back + "?state=guessed&code=theirs"); !errors.Is(other, oauth.ErrStateMismatch) {
				err = errors.Join(err, fmt.Errorf("a pasted address with another state: %v", other))
			}
			errs <- err
			return r.agree(ctx, at)
		}
	})
	r.ok(ping)
	if err := <-errs; err != nil {
		t.Error(err)
	}
	for _, s := range r.Seen("/token") {
		if s.Form.Get("code") == "theirs" {
			t.Error("the code of another request was used")
		}
	}
}

func TestPasteCallback_Response(t *testing.T) {
	seen := make(chan oauth.Consent, 1)
	r := begin(t, oauthtest.Setup{}, func(c *oauth.Config) { c.OpenBrowser = silent(seen) })
	if err := r.a.PasteCallback("http://127.0.0.1/callback?state=s"); err == nil {
		t.Error("a redirect URL was accepted without a flow")
	}
	errs := make(chan error, 1)
	go func() {
		at := <-seen
		elsewhere := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := elsewhere.Get(at.URL)
		if err == nil {
			err = errors.Join(resp.Body.Close(), r.a.PasteCallback(" "+resp.Header.Get("Location")+"\n"))
		}
		if r.a.PasteCallback("my notes") != oauth.ErrNoCallback {
			err = errors.New("anything is an answer")
		}
		errs <- err
	}()
	r.ok(ping)
	if err := <-errs; err != nil {
		t.Error(err)
	}
}
