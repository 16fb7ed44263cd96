package http

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// soon is what a scripted server asks for before a reconnection.
const soon = "retry: 50"

func TestResume_Stream(t *testing.T) {
	ids := make(chan string, 10)
	visits := 0 // one GET follows the other
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost {
			event(w, soon, "id: p-1", "data:")
			return
		}
		ids <- req.Header.Get("Last-Event-ID")
		visits++
		switch visits {
		case 1:
			event(w, "id: p-2", "data: "+note)
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			event(w, "id: p-3", "data: "+answer)
		}
	})
	r.mustSend(call)
	if f := r.WantFrame(t, note); f.EventID != "p-2" || f.Exchange != 2 {
		t.Errorf("frame %+v", f)
	}
	r.WantFrame(t, answer)
	for i, want := range []string{"p-1", "p-2", "p-2"} {
		if got := transporttest.Receive(t, ids, "a GET"); got != want {
			t.Errorf("Last-Event-ID %d is %q, want %q", i, got, want)
		}
	}
	if e := r.Reports(3); e[0].Purpose != "resume" || e[0].Method != "GET" || e[len(e)-1].Err == "" {
		t.Errorf("reports of the failed visit: %+v", e)
	}
	r.nothingMore()
}

func TestResume_TruncatedEvent(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost {
			event(w, soon, "id: 1", "data:")
			_, _ = w.Write([]byte("id: 2\ndata: " + answer + "\n")) // its blank line is missing
			return
		}
		event(w, "id: 2 after "+req.Header.Get("Last-Event-ID"), "data: "+answer)
	})
	r.mustSend(call)
	if f := r.WantFrame(t, answer); !f.Truncated {
		t.Errorf("frame %+v is not torn", f)
	}
	if f := r.WantFrame(t, answer); f.Truncated || f.EventID != "2 after 1" {
		t.Errorf("frame %+v", f)
	}
	r.nothingMore()
}

func TestResume_Fails(t *testing.T) {
	t.Run("refused at once", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPost {
				event(w, soon, "id: 1", "data:")
				return
			}
			w.WriteHeader(http.StatusMethodNotAllowed)
		})
		r.mustSend(call)
		r.loses(jsonrpc.IDOf("3"), "the resumption failed", "405")
		r.finished()
		if e := r.finished(); e.ID != 2 || e.Err == "" {
			t.Errorf("exchange %+v", e)
		}
	})
	t.Run("after five tries", func(t *testing.T) {
		gets := 0
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPost {
				event(w, soon, "id: 1", "data:")
				return
			}
			gets++
			event(w, "id: 1", "data:") // nothing new
		})
		r.mustSend(call)
		r.loses(jsonrpc.IDOf("3"), "the resumption failed", "without a new event")
		if gets != 5 {
			t.Errorf("%d tries, want 5", gets)
		}
	})
	t.Run("another type", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPost {
				event(w, soon, "id: 1", "data:")
				return
			}
			transporttest.Respond(200, "text/html", "<p>")(w, req)
		})
		r.mustSend(call)
		r.loses(jsonrpc.IDOf("3"), "text/html")
		r.WantFrame(t, "<p>")
	})
	t.Run("a pause without end", func(t *testing.T) {
		gets := 0
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodGet {
				gets++
			}
			event(w, "retry: 9223372036854775807", "id: 1", "data:")
		})
		r.mustSend(call)
		r.loses(jsonrpc.IDOf("3"), "the retry field of the stream requests a pause of 292 years before the next connection, and mcptea waits for at most 5 min 00 s")
		if gets != 0 {
			t.Errorf("%d tries, want none", gets)
		}
	})
	t.Run("close ends the waiting", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { event(w, "retry: 240000", "id: 1", "data:") })
		r.mustSend(call)
		r.finished()
		r.close()
		r.nothingMore()
	})
}

func TestListen(t *testing.T) {
	gets := make(chan http.Header, 10)
	visits := 0
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		gets <- req.Header
		if visits++; visits < 3 {
			event(w, soon, "id: g-"+strconv.Itoa(visits), "data: "+note)
			return
		}
		event(w, ": open")
		<-req.Context().Done()
	})
	r.Listen()
	r.Listen() // one is enough
	for _, want := range []string{"", "g-1", "g-2"} {
		h := transporttest.Receive(t, gets, "a GET")
		if h.Get("Last-Event-ID") != want || h.Get("Accept") != "text/event-stream" || h.Get("Content-Type") != "" {
			t.Errorf("headers %v, want Last-Event-ID %q", h, want)
		}
	}
	r.WantFrame(t, note)
	r.WantFrame(t, note)
	r.finished()
	r.finished()
	r.close()
	if e := r.finished(); e.Purpose != "listen" || e.Err != errClosed.Error() {
		t.Errorf("exchange %+v", e)
	}
	r.Listen()
	select {
	case <-gets:
		t.Error("a GET after Close")
	default:
	}
}

// A pause of an hour is not waited for: the report of the stream names its reason.
func TestListen_LongRetry(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { event(w, "retry: 3600000", "id: 1", "data: "+note) })
	r.Listen()
	r.WantFrame(t, note)
	if e := r.finished(); !strings.HasPrefix(e.Err, "the retry field of the stream requests a pause of 60 min 00 s") {
		t.Errorf("exchange %+v", e)
	}
	r.tasks.Wait()
	r.close()
	r.nothingMore()
}

func TestListen_MethodNotAllowed(t *testing.T) {
	for status, wantErr := range map[int]bool{405: false, 404: true, 400: true} {
		r := newRig(t, transporttest.Respond(status, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"no"},"id":null}`))
		for range 2 {
			r.Listen()
			if e := r.finished(); e.Status != status || (e.Err != "") != wantErr || e.Purpose != "listen" {
				t.Errorf("exchange %+v", e)
			}
			r.tasks.Wait() // from here on Listen listens again
		}
		r.close()
		r.nothingMore()
		if extra := len(r.Ended); extra != 0 {
			t.Errorf("%d more exchanges after status %d", extra, status)
		}
	}
}

func TestStream_Delay(t *testing.T) {
	s := stream{}
	for failures, want := range []time.Duration{1000, 1500, 2250, 3375, 5062} {
		if got := s.delay(failures).Truncate(time.Millisecond); got != want*time.Millisecond {
			t.Errorf("delay after %d failures is %v, want %v ms", failures, got, int(want))
		}
	}
	if got := s.delay(100); got != 30*time.Second {
		t.Errorf("the longest delay is %v", got)
	}
	s.record(Event{HasRetry: true, Retry: 0})
	if got := s.delay(0); got != minRetry {
		t.Errorf("a delay of zero becomes %v", got)
	}
	s.record(Event{HasRetry: true, Retry: time.Minute})
	if got := s.delay(4); got != time.Minute {
		t.Errorf("a minute, asked for, becomes %v", got)
	}
}

func TestClose_OpenStreams(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body) // only then the server notices a closed connection
		switch req.Method {
		case http.MethodDelete:
			<-req.Context().Done() // no response
		case http.MethodPost:
			w.Header().Set("Mcp-Session-Id", "s")
			event(w, "id: 1", "data: "+note)
			<-req.Context().Done()
		default:
			event(w, "data: "+note)
			<-req.Context().Done()
		}
	})
	r.mustSend(hello)
	r.mustSend(call)
	r.Listen()
	for range 3 {
		r.WantFrame(t, note)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	// The handlers above wait for the end of their requests: a Close that waits
	// for them does not return.
	if err := r.Close(ctx); err != nil {
		t.Errorf("Close: %v", err)
	}
	for range 4 {
		if e := r.finished(); e.Err == "" {
			t.Errorf("exchange %d (%s) ended without a word", e.ID, e.Purpose)
		}
	}
	r.nothingMore()
	if len(r.Ended) != 0 {
		t.Error("an exchange ended twice")
	}
}

func TestClose_PendingSend(t *testing.T) {
	arrived := make(chan struct{})
	r := newRig(t, func(_ http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body) // only then the server notices a closed connection
		close(arrived)
		<-req.Context().Done()
	})
	result := make(chan error)
	go func() { result <- r.send(note) }()
	transporttest.Receive(t, arrived, "the request")
	r.close()
	if err := transporttest.Receive(t, result, "the end of Send"); !errors.Is(err, errClosed) {
		t.Errorf("Send: %v", err)
	}
}

func TestIsFinal(t *testing.T) {
	for status, want := range map[int]bool{404: true, 405: true, 408: false, 429: false, 500: false, 501: true, 503: false, 302: true} {
		if got := isFinal(&transport.StatusError{Status: status}); got != want {
			t.Errorf("%d is final: %v, want %v", status, got, want)
		}
	}
}

func TestListen_OutlivesARestartOfTheServer(t *testing.T) {
	visits := 0 // one GET follows the other
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		switch visits++; {
		case visits == 1:
			event(w, soon, "id: 1", "data: "+note)
		case visits <= MaxReconnects+3: // the server is down
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_ = conn.Close()
			}
		default:
			event(w, "id: 2", "data: "+note)
			<-req.Context().Done()
		}
	})
	r.Listen()
	r.WantFrame(t, note)
	if f := r.WantFrame(t, note); f.EventID != "2" {
		t.Errorf("frame %+v", f)
	}
}

func TestListen_ReportsAnExpiredSession(t *testing.T) {
	for _, opened := range []bool{true, false} {
		expired := make(chan error, 1)
		visits := 0 // one request follows the other
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if req.Method == http.MethodPost {
				w.Header().Set(sessionHeader, "s")
				transporttest.Respond(200, "application/json", answer)(w, req)
				return
			}
			if visits++; opened && visits == 1 {
				event(w, soon, "id: 1", "data: "+note)
				return
			}
			w.WriteHeader(http.StatusNotFound)
		}, func(c *Config) { c.Expired = func(err error) { expired <- err } })
		r.mustSend(hello)
		r.WantFrame(t, answer)
		r.Listen()
		if !opened {
			for r.finished().Purpose != "listen" {
				continue
			}
			r.close()
			select {
			case err := <-expired:
				t.Errorf("a server without a stream: %v", err)
			default:
			}
			continue
		}
		r.WantFrame(t, note)
		if err := transporttest.Receive(t, expired, "the expiry"); !errors.Is(err, ErrSessionExpired) {
			t.Errorf("reported %v", err)
		}
	}
}
