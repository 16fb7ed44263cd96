package relay

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/offer/changes"
)

// A cancellation of a request that mcptea has not answered goes to the server, whether it knows the id or not; so
// does progress with a token of the current server.
func TestRelay_CancellationGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRelayRig(t)
		s := g.connected()
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}`)
		next(t, s, "notifications/cancelled", `"requestId":77`)
		g.sends(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`)
		next(t, s, `"id":2`)
		g.sends(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		next(t, s, "notifications/cancelled", `"requestId":2`)
		g.sends(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`)
		next(t, s, "notifications/progress")
	})
}

// initialize is tried over HTTP+SSE after the statuses that the specification names, and after no other.
func TestFallsBack_Statuses(t *testing.T) {
	for status, want := range map[int]bool{
		http.StatusBadRequest: true, http.StatusNotFound: true, http.StatusMethodNotAllowed: true,
		http.StatusOK: false, http.StatusMovedPermanently: false, http.StatusUnauthorized: false, http.StatusForbidden: false, http.StatusNotAcceptable: false, http.StatusGone: false, http.StatusTooManyRequests: false, http.StatusInternalServerError: false,
	} {
		if new(server).mayFallBack(&transport.StatusError{Status: status}) != want {
			t.Errorf("%d: %t", status, !want)
		}
	}
}

// A restart says how many frames came too late, and nothing if none did.
func TestRelay_LateFramesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := unstartedRig(t)
		warned := make(chan string, 10)
		g.r.Warn = func(text string) { warned <- text }
		g.start(t)
		g.connected()
		for late, want := range map[int64]string{0: "", 1: "1 late frame of the server before did not reach the host", 2: "2 late frames of the server before did not reach the host"} {
			s := &server{r: g.r}
			s.late.Store(late)
			g.r.lateFrames(s)
			got := ""
			select {
			case got = <-warned:
			default:
			}
			if got != want {
				t.Errorf("%d: %q, want %q", late, got, want)
			}
		}
	})
}

// A server has ended when its connection has, or when the relay no longer waits for it.
func TestServer_HasEnded(t *testing.T) {
	closed, open := make(chan struct{}), make(chan struct{})
	close(closed)
	for _, c := range []struct {
		done, gone chan struct{}
		want       bool
	}{{open, open, false}, {closed, open, true}, {open, closed, true}} {
		s := &server{t: &fakeServer{done: c.done}, gone: c.gone}
		if got := s.hasEnded(); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// The sentence about a list counts what differs, and names what was renamed.
func TestRelay_Differing(t *testing.T) {
	tool := func(name, description string) changes.Entry {
		return changes.Entry{Key: name, Raw: []byte(`{"name":"` + name + `","description":"` + description + `","inputSchema":{"type":"object"}}`)}
	}
	list := revision.List{Name: "tools"}
	a, b := tool("a", "one"), tool("b", "two")
	for _, c := range []struct {
		before []changes.Entry
		now    []changes.Entry
		want   string
	}{
		{[]changes.Entry{a}, []changes.Entry{a}, ""},
		{[]changes.Entry{a}, []changes.Entry{a, b}, "the tools have changed (+1 −0 ~0)"},
		{[]changes.Entry{a, b}, []changes.Entry{a}, "the tools have changed (+0 −1 ~0)"},
		{[]changes.Entry{a, b}, []changes.Entry{a, tool("b", "three")}, "the tools have changed (+0 −0 ~1)"},
	} {
		if got := (&Relay{}).differing(list, &seenList{entries: c.before}, c.now, 1, nil); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if got := (&Relay{}).differing(list, &seenList{partial: true}, nil, 1, nil); got != "the tools may have changed" {
		t.Errorf("%q", got)
	}
}

// After the host has closed stdin, the notice names what the relay waits for.
func TestEnd_NoticeNamesWhatItWaitsFor(t *testing.T) {
	for _, starts := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			g := unstartedRig(t)
			warned := make(chan string, 10)
			g.r.Warn = func(text string) { warned <- text }
			want := "the host has closed stdin and waits for 1 response: mcptea waits for at most 10 s"
			if starts {
				want = strings.Replace(want, "1 response", "a server that starts", 1)
				g.r.Building = func() string { return "make" }
				g.r.Follow = func(ctx context.Context) { <-ctx.Done() } // the build does not end
			}
			g.start(t)
			if starts {
				g.sends(hostInitialize)
				g.hostGets(`"error"`)
			} else {
				s := g.connected()
				g.sends(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
				next(t, s, "ping")
			}
			_ = g.host.Close()
			time.Sleep(2 * noticeAfter)
			synctest.Wait()
			select {
			case got := <-warned:
				if got != want {
					t.Errorf("%q, want %q", got, want)
				}
			default:
				t.Errorf("nothing is said, want %q", want)
			}
		})
	}
}
