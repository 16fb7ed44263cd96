package http

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"mcptea/client/transport"
)

// eager gets other credentials after each response.
type eager struct{ refreshed atomic.Int32 }

func (*eager) Authorize(_ string, _ *url.URL, h http.Header) { h.Set("Authorization", "Bearer t") }
func (*eager) ShouldRefresh(transport.ResponseInfo) bool     { return true }
func (e *eager) Refresh(context.Context, transport.ResponseInfo, transport.Requester) error {
	e.refreshed.Add(1)
	return nil
}

// A server that rejects all credentials gets one request as often as is allowed, and no oftener.
func TestAuthorize_MaxAttempts(t *testing.T) {
	var requests atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) > 100 {
			panic(http.ErrAbortHandler) // it would never end
		}
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	c, _ := clientFor(t, TLS{}, server.URL)
	e := &eager{}
	c.Authorization = e
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	ex, err := c.Begin(u, "message", http.MethodPost, http.Header{}, []byte("{}")).RoundTrip(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ex.Finish(nil)
	if n, again := requests.Load(), e.refreshed.Load(); n != 5 || again != 4 || ex.Report.Status != http.StatusUnauthorized {
		t.Errorf("%d requests, refreshed %d times, status %d", n, again, ex.Report.Status)
	}
}

// A query is sent as a URL can have it, and reported so; what is percent-encoded stays.
func TestRequest_QueryOnTheWire(t *testing.T) {
	var got atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got.Store(r.RequestURI) }))
	defer server.Close()
	for query, want := range map[string]string{
		"q=two words": "q=two%20words", "q=пар": "q=%D0%BF%D0%B0%D1%80", "q=%d0%bf+x&a=b;c": "q=%d0%bf+x&a=b;c", `q="<>{}|`: `q="<>{}|`, "": "",
	} {
		c, k := clientFor(t, TLS{}, server.URL)
		if err := get(t, c, server.URL+"/mcp?"+query); err != nil {
			t.Fatal(err)
		}
		if uri := strings.TrimSuffix("/mcp?"+want, "?"); strings.TrimSuffix(got.Load().(string), "?") != uri || strings.TrimSuffix(k.all[1].URL, "?") != server.URL+uri {
			t.Errorf("%s: sent %s, reported %s", query, got.Load(), k.all[1].URL)
		}
	}
}

// A body is read and kept up to a maximum, whatever its Content-Length says.
func TestExchange_ReadBound(t *testing.T) {
	for _, limit := range []int{1, 1000, 1 << 20} {
		for size, whole := range map[int]bool{0: true, limit - 1: true, limit: true, limit + 1: false, 3*limit + 5: false} {
			for _, declared := range []bool{false, true} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					if declared {
						w.Header().Set("Content-Length", strconv.Itoa(size))
					} else {
						_ = http.NewResponseController(w).Flush()
					}
					_, _ = w.Write(bytes.Repeat([]byte("x"), size))
				}))
				c, _ := clientFor(t, TLS{}, server.URL)
				u, err := url.Parse(server.URL)
				if err != nil {
					t.Fatal(err)
				}
				ex, err := c.Begin(u, "message", http.MethodGet, http.Header{}, nil).RoundTrip(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				body, err := ex.Read(limit)
				ex.Finish(err)
				if (err == nil) != whole || !whole && !errors.Is(err, errTooLong) || len(body) != min(size, limit) || cap(body) > limit+2*bytes.MinRead {
					t.Errorf("%d of %d bytes, declared is %v: %d bytes, room for %d, %v", size, limit, declared, len(body), cap(body), err)
				}
				server.Close()
			}
		}
	}
}
