package tap_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"mcptea/session/intercept"
	"mcptea/session/tap"
)

// A message that the user sends through the tap has the headers of the message of the host: the server sees no
// difference. A rejection of it is reported.
func TestProxy_DuplicateHasTheHeadersOfTheTap(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	seen, warned := make(chan string, 2), make(chan string, 2)
	var own string
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		seen <- strings.Join([]string{q.Host, q.Header.Get("Origin"), q.Header.Get("Authorization"), q.Header.Get("X-Given")}, " ")
		w.WriteHeader(http.StatusForbidden)
	}, func(p *tap.Proxy) {
		p.Header = http.Header{"X-Given": {"yes"}, "Host": {"server.example"}}
		own = p.URL.Scheme + "://" + p.URL.Host
		p.Header.Set("Authorization", "Bearer of-the-user")
		p.Warn = func(text string) { warned <- text }
	})
	r.decideFirst("dir:out", intercept.Decision{Action: intercept.Duplicate})
	if _, _, err := r.post(call, "Origin", r.url); err != nil {
		t.Fatal(err)
	}
	first, second := <-seen, <-seen
	if want := "server.example " + own + " Bearer of-the-user yes"; first != want || second != want {
		t.Errorf("the server got %q and %q, want %q", first, second, want)
	}
	if text := <-warned; !strings.Contains(text, "403 Forbidden") {
		t.Errorf("the warning is %q", text)
	}
}
