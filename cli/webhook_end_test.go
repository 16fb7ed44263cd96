//go:build linux

package cli

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
)

// unsubscribes is the demo server over HTTP, which answers events/unsubscribe, or never does.
type unsubscribes struct {
	*httptest.Server
	silent chan struct{} // closed at the end of the test; nil if it answers

	mu       sync.Mutex
	methods  []string
	callback string
}

func newUnsubscribes(t *testing.T, silent bool) *unsubscribes {
	u := &unsubscribes{}
	if silent {
		u.silent = make(chan struct{})
	}
	inner := demo.New(demo.Options{}).HandlerContext(t.Context())
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		q.Body = io.NopCloser(bytes.NewReader(body))
		method := jsonrpc.Text(body, "method")
		u.mu.Lock()
		if strings.HasPrefix(method, "events/") {
			u.methods = append(u.methods, method)
		}
		if at := jsonrpc.Text(body, "params", "delivery", "url"); at != "" {
			u.callback = at
		}
		u.mu.Unlock()
		if method == "events/unsubscribe" && silent {
			select {
			case <-u.silent:
			case <-q.Context().Done():
			}
			return
		}
		inner.ServeHTTP(w, q)
	}))
	t.Cleanup(func() {
		if silent {
			close(u.silent)
		}
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

// asked is how often a method was sent, and where the callback is.
func (u *unsubscribes) asked(method string) (n int, callback string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, m := range u.methods {
		if m == method {
			n++
		}
	}
	return n, u.callback
}

// The end of the program ends its webhook at the server, and says for how long it waits for that, and what may still
// come where the server does not confirm it. Nothing listens any more then, and no process is left.
func TestLifetime_Webhook(t *testing.T) {
	t.Parallel()
	const waits, left = "ending 1 webhook at the server (events/unsubscribe), at most", "the server has not confirmed events/unsubscribe of order.placed"
	ctrlC := func(term *ptyProgram) { term.typed("\x03") }
	sigterm := func(term *ptyProgram) { _ = term.cmd.Process.Signal(syscall.SIGTERM) }
	var all sync.WaitGroup
	defer all.Wait()
	for name, tt := range map[string]struct {
		inspector, silent bool
		end               func(*ptyProgram)
		code              int
	}{
		"inspector-ctrl+c": {true, false, ctrlC, 0}, "inspector-SIGTERM": {true, false, sigterm, 143},
		"inspector-ctrl+c-silent": {true, true, ctrlC, 0}, "inspector-SIGTERM-silent": {true, true, sigterm, 143},
		"listen-ctrl+c": {false, false, ctrlC, 0}, "listen-SIGTERM-silent": {false, true, sigterm, 143},
	} {
		all.Go(func() {
			u, f := newUnsubscribes(t, tt.silent), family(t.Name()+name)
			args := []string{"--token", "a-long-token", "--record", "off", u.URL + "/mcp"}
			if !tt.inspector {
				args = append([]string{"listen", "event:order.placed", "--webhook"}, args...)
			}
			var term *ptyProgram
			if term = onPty(t, f.command(t, args...)); tt.inspector {
				term.waitFor("mcptea-demo")
				term.typed("E")
				term.waitFor("order.placed")
				term.typed("w")
				term.waitFor("The address to listen at")
				term.typed("\r")
				term.waitFor("live by webhook")
			} else {
				term.waitFor("opened")
			}
			pid := term.cmd.Process.Pid
			tt.end(term)
			if code := term.exit(); code != tt.code {
				t.Errorf("%s: exit code %d in place of %d", name, code, tt.code)
			}
			f.awaitEnd(t, []int{pid})
			n, callback := u.asked("events/unsubscribe")
			// A server that answers late is waited for, too, and says so.
			if shown := term.raw(); n != 1 || tt.silent && !strings.Contains(shown, waits) || tt.silent != strings.Contains(shown, left) {
				t.Errorf("%s: events/unsubscribe was sent %d times, and the terminal ends with %.1000q", name, n, shown[max(0, len(shown)-1000):])
			}
			at, err := url.Parse(callback)
			if err != nil {
				t.Error(err)
				return
			}
			if c, err := net.Dial("tcp", at.Host); err == nil {
				t.Errorf("%s: %s still listens", name, at.Host)
				_ = c.Close()
			}
		})
	}
}
