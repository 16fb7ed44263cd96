package http

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// Without sessions only POST is used: an id that a server sends anyway is not repeated, no stream is
// opened and no session is ended.
func TestStateless_OnlyPOST(t *testing.T) {
	type seen struct{ method, session, version string }
	got := make(chan seen, 10)
	r := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		got <- seen{r.Method, r.Header.Get("Mcp-Session-Id"), r.Header.Get("MCP-Protocol-Version")}
		w.Header().Set("Mcp-Session-Id", "s1")
		transporttest.Respond(200, "application/json", answer)(w, r)
	})
	r.mustSend(hello)
	<-got
	r.Negotiated("2026-07-28")
	r.Listen()
	r.mustSend(call)
	r.close()
	if s := transporttest.Receive(t, got, "the request"); s != (seen{"POST", "", "2026-07-28"}) {
		t.Errorf("sent %+v", s)
	}
	select {
	case s := <-got:
		t.Errorf("one request too many: %+v", s)
	default:
	}
}

// A stream that broke is lost, whatever ids its events had.
func TestStateless_NoResumption(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			t.Errorf("a %s", r.Method)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		event(w, "id: 1", "data: "+note)
	})
	r.Negotiated("2026-07-28")
	r.mustSend(call)
	r.loses(jsonrpc.IDOf("3"), "the event stream ended without a response")
}

func TestCancelRequest_ClosesExchange(t *testing.T) {
	for name, before := range map[string]func(http.ResponseWriter){
		"before the headers": func(http.ResponseWriter) {},
		"within the stream":  func(w http.ResponseWriter) { event(w, "data: "+note) },
	} {
		t.Run(name, func(t *testing.T) {
			reached, gone := make(chan struct{}), make(chan struct{})
			r := newRig(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				before(w)
				close(reached)
				<-r.Context().Done()
				close(gone)
			})
			r.Negotiated("2026-07-28")
			sent := make(chan error, 1)
			go func() {
				ctx, stop := context.WithTimeout(context.Background(), transporttest.Timeout)
				defer stop()
				sent <- r.Send(ctx, transport.Outgoing{Bytes: []byte(call)})
			}()
			transporttest.Receive(t, reached, "the request")
			if name == "within the stream" {
				r.WantFrame(t, note)
			}
			if !r.CancelRequest(jsonrpc.IDOf("3")) {
				t.Error("the server has not been let know")
			}
			transporttest.Receive(t, gone, "the end of the exchange at the server")
			if x := r.finished(); !strings.Contains(x.Err, "the request was cancelled") {
				t.Errorf("the report says %q", x.Err)
			}
			if err := transporttest.Receive(t, sent, "the end of Send"); (err == nil) != (name == "within the stream") {
				t.Errorf("Send returned %v", err)
			}
			select {
			case l := <-r.lost:
				t.Errorf("a cancelled request is reported as lost: %v", l.err)
			default:
			}
			if !r.CancelRequest(jsonrpc.IDOf("3")) || !r.CancelRequest(jsonrpc.IDOf("4")) {
				t.Error("what does not run any more wants a notification")
			}
		})
	}
}

// With sessions, the end of a connection cancels nothing.
func TestCancelRequest_WithSession(t *testing.T) {
	release := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-release
		transporttest.Respond(200, "application/json", answer)(w, r)
	})
	r.Negotiated("2025-11-25")
	sent := make(chan error, 1)
	go func() { sent <- r.send(call) }()
	transporttest.Receive(t, r.Out, "the request")
	if r.CancelRequest(jsonrpc.IDOf("3")) {
		t.Error("an exchange was given up")
	}
	time.AfterFunc(10*time.Millisecond, func() { close(release) })
	if err := transporttest.Receive(t, sent, "the end of Send"); err != nil {
		t.Error(err)
	}
	r.WantFrame(t, answer)
}

// The exchange of a cancelled request ends with its grace period at the latest, and
// its stream is not resumed: the response is not waited for.
func TestCancelRequest_WithSessionEndsAfterGrace(t *testing.T) {
	t.Cleanup(func(grace time.Duration) func() { return func() { cancelGrace = grace } }(cancelGrace))
	for name, ends := range map[string]bool{"the server goes on": false, "the server ends the stream": true} {
		t.Run(name, func(t *testing.T) {
			if cancelGrace = time.Millisecond; ends {
				cancelGrace = time.Hour
			}
			release := make(chan struct{})
			r := newRig(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					t.Errorf("%s after the cancellation", r.Method)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				event(w, "id: 1", "retry: 0", "data: "+note)
				select {
				case <-release:
				case <-r.Context().Done():
				}
			})
			r.Negotiated("2025-11-25")
			r.mustSend(call)
			r.WantFrame(t, note)
			if r.CancelRequest(jsonrpc.IDOf("3")) {
				t.Error("the server needs no notification")
			}
			if ends {
				close(release)
			}
			if x := r.finished(); !ends != strings.Contains(x.Err, "the request was cancelled") {
				t.Errorf("the report says %q", x.Err)
			}
			done := make(chan struct{})
			go func() { r.tasks.Wait(); close(done) }()
			transporttest.Receive(t, done, "the end of the exchange")
			r.nothingMore()
		})
	}
}
