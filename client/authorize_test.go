package client

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client/transport"
)

// slow is an authorization that takes a while.
type slow struct {
	takes time.Duration
	err   error
	has   atomic.Bool
	asked atomic.Int32
}

func (s *slow) Authorize(_ string, _ *url.URL, h http.Header) {
	if s.has.Load() {
		h.Set("Authorization", "Bearer token")
	}
}

func (s *slow) ShouldRefresh(a transport.ResponseInfo) bool {
	return a.Status == http.StatusUnauthorized
}

func (s *slow) Refresh(ctx context.Context, _ transport.ResponseInfo, _ transport.Requester) error {
	s.asked.Add(1)
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	s.has.Store(s.err == nil)
	return s.err
}

// guarded returns 401 for requests without a token.
func guarded(t *testing.T, next http.Handler) (endpoint string, refused func() string) {
	var mu sync.Mutex
	var list []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			mu.Lock()
			list = append(list, r.Method+" "+r.URL.Path)
			mu.Unlock()
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(list, ", ")
	}
}

const short = 250 * time.Millisecond

func TestTimeout_PausedDuringAuthorization(t *testing.T) {
	for _, kind := range []string{TransportSSE, TransportHTTP} {
		t.Run(kind, func(t *testing.T) {
			var next http.Handler = newStatelessServer(t)
			path, first := "/mcp", "POST /mcp"
			cfg := Config{Revision: "2026-07-28"}
			if kind == TransportSSE {
				next, path, first, cfg = newOldServer(t), "/sse", "GET /sse", Config{}
			}
			endpoint, refused := guarded(t, next)
			auth := &slow{takes: 4 * short}
			cfg.ConnectTimeout, cfg.Timeout, cfg.Authorization = short, short, auth
			c := New(Target{URL: endpoint + path, Transport: kind}, &checks{}, cfg)
			defer c.Close(t.Context())
			if err := c.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if refused() != first || auth.asked.Load() != 1 {
				t.Errorf("refused: %s; asked %d times", refused(), auth.asked.Load())
			}
		})
	}
}

func TestTimeout_CanceledDuringAuthorization(t *testing.T) {
	endpoint, _ := guarded(t, newStatelessServer(t))
	never := errors.New("the user did not consent")
	auth := &slow{err: never}
	list := &checks{}
	c := New(Target{URL: endpoint + "/mcp"}, list, Config{Authorization: auth})
	defer c.Close(t.Context())
	err := c.Connect(t.Context())
	var status *transport.StatusError
	var refused *transport.AuthorizationError
	if !errors.Is(err, never) || !errors.As(err, &status) || status.Status != http.StatusUnauthorized || !errors.As(err, &refused) {
		t.Errorf("it failed with %v", err)
	}
}
