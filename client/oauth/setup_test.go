package oauth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/oauth"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/test/oauthtest"
	"mcptea/internal/test/transporttest"
)

// getToken is one connection to a server that wants tokens.
type run struct {
	transporttest.Discard
	*oauthtest.Server
	t    *testing.T
	a    *oauth.Authorizer
	wire *mcphttp.Client

	mu        sync.Mutex
	steps     []oauth.Step
	exchanges []transport.Exchange
	consents  int
}

var _ transport.Receiver = (*run)(nil)

// begin starts the servers and gets a connection ready; change may be nil.
func begin(t *testing.T, setup oauthtest.Setup, change func(*oauth.Config)) *run {
	t.Helper()
	s := oauthtest.Start(setup)
	t.Cleanup(s.Close)
	return connect(t, s, change)
}

// connect is a connection to servers that run already.
func connect(t *testing.T, s *oauthtest.Server, change func(*oauth.Config)) *run {
	t.Helper()
	r := &run{Server: s, t: t}
	cfg := oauth.Config{Server: s.URL(), Version: "1", OpenBrowser: r.agree, Timeout: 5 * time.Second, ConsentTimeout: 5 * time.Second}
	if change != nil {
		change(&cfg)
	}
	watch := cfg.OnStep
	cfg.OnStep = func(st oauth.Step) {
		r.mu.Lock()
		r.steps = append(r.steps, st)
		r.mu.Unlock()
		if watch != nil {
			watch(st)
		}
	}
	a, err := oauth.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.a = a
	r.wire = mcphttp.NewClient(mcphttp.TLS{}, "", func() error { return nil })
	r.wire.Receiver, r.wire.Authorization = r, a
	t.Cleanup(r.wire.CloseIdle)
	return r
}

func (r *run) Exchange(x transport.Exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x.Phase == transport.ExchangeDone {
		r.exchanges = append(r.exchanges, x)
	}
}

// agree opens the consent page and follows its redirects, as a user who consents.
func (r *run) agree(ctx context.Context, at oauth.Consent) error {
	r.mu.Lock()
	r.consents++
	r.mu.Unlock()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.URL, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the browser ended at %d", resp.StatusCode)
	}
	return errors.Join(err, resp.Body.Close())
}

// post sends one message and returns the status.
func (r *run) post(ctx context.Context, body string) (int, error) {
	u, err := url.Parse(r.URL())
	if err != nil {
		r.t.Error(err)
	}
	h := http.Header{"Content-Type": {"application/json"}}
	ex, err := r.wire.Begin(u, "message", http.MethodPost, h, []byte(body)).RoundTrip(ctx)
	if err != nil {
		return 0, err
	}
	_, err = ex.Read(mcphttp.HeadLimit)
	ex.Finish(err)
	return ex.Report.Status, err
}

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

// ok sends a message that must get through.
func (r *run) ok(body string) {
	r.t.Helper()
	if status, err := r.post(r.t.Context(), body); err != nil || status != http.StatusOK {
		r.t.Fatalf("status %d, %v; steps:\n%s", status, err, r.told())
	}
}

// fails sends a message that must not get through and returns the reason.
func (r *run) fails(body string) error {
	r.t.Helper()
	status, err := r.post(r.t.Context(), body)
	if err == nil {
		r.t.Fatalf("it got through with status %d; steps:\n%s", status, r.told())
	}
	return err
}

// told is what a watcher has seen in the end, a line for each step.
func (r *run) told() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := map[[2]int]oauth.Step{}
	for _, s := range r.steps {
		last[[2]int{s.Flow, s.Index}] = s
	}
	keys := slices.SortedFunc(func(yield func([2]int) bool) {
		for k := range last {
			if !yield(k) {
				return
			}
		}
	}, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	var text strings.Builder
	for _, k := range keys {
		s := last[k]
		fmt.Fprintf(&text, "%d %s %s: %s %q\n", s.Flow, s.State, s.Name, s.Detail, s.Remarks)
	}
	return text.String()
}

// agreed is the number of requests for consent.
func (r *run) agreed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.consents
}
