package session

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/demo"
)

func call(params string) func(jsonrpc.ID) []byte {
	return func(id jsonrpc.ID) []byte { return jsonrpc.EncodeRequest(id, "tools/call", []byte(params)) }
}

func TestRepeat_OneAfterTheOther(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		before := s.Store().Snapshot().Out
		r := s.Repeat(20, AfterResponse, call(`{"name":"echo","arguments":{"message":"x"}}`))
		synctest.Wait()
		if p := r.Progress(); r.Running() || p.Sent != 20 || p.OK != 20 || p.Errors+p.Failed != 0 || p.Err != nil {
			t.Errorf("got %+v", p)
		}
		if n := s.Store().Snapshot().Out - before; n != 20 {
			t.Errorf("%d frames were sent", n)
		}
	})
}

// Without an interval no frame waits for a response.
func TestRepeat_AtOnce(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		r := s.Repeat(50, 0, call(`{"name":"never-answer","arguments":{}}`))
		synctest.Wait()
		if p := r.Progress(); p.Sent != 50 || !r.Running() {
			t.Errorf("got %+v", p)
		}
		r.Cancel()
		<-r.done
		if p := r.Progress(); p.Stopped != 50 || p.Failed != 0 {
			t.Errorf("after the stop: %+v", p)
		}
	})
}

func TestRepeat_AtAnInterval(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		start := time.Now()
		r := s.Repeat(5, 100*time.Millisecond, call(`{"name":"no-such-tool"}`))
		time.Sleep(250 * time.Millisecond)
		synctest.Wait()
		if p := r.Progress(); p.Sent != 3 || !r.Running() {
			t.Errorf("after 250 ms: %+v", p)
		}
		<-r.done
		if p := r.Progress(); p.Sent != 5 || p.Errors+p.OK != 5 || time.Since(start) < 400*time.Millisecond {
			t.Errorf("after %v: %+v", time.Since(start), p)
		}
	})
}

func TestRepeat_CancelStopsIt(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		r := s.Repeat(1000, AfterResponse, call(`{"name":"never-answer","arguments":{}}`))
		synctest.Wait()
		r.Cancel()
		<-r.done
		if p := r.Progress(); p.Sent != 1 || p.Stopped != 1 || p.Failed != 0 || p.Err == nil {
			t.Errorf("got %+v", p)
		}
	})
}

func TestRepeat_EndsWithTheSession(t *testing.T) {
	run(t, demo.Options{}, func(s *Session) {
		r := s.Repeat(1000, time.Hour, call(`{"name":"echo","arguments":{"message":"x"}}`))
		synctest.Wait()
		s.Disconnect(context.Background())
		if p := r.Progress(); r.Running() || p.Sent != 1 || p.Err == nil {
			t.Errorf("got %+v", p)
		}
	})
}

// A request whose HTTP response is not a message had a response, which is named.
func TestNoResponse_NamesTheHTTPResponse(t *testing.T) {
	for want, err := range map[string]error{
		"HTTP 404":             fmt.Errorf("wrapped: %w", &transport.StatusError{Status: 404}),
		"no JSON-RPC response": &mcphttp.ContentError{Status: 200, ContentType: "text/html"},
		"no response":          errNotConnected,
	} {
		if got := NoResponse(err); got != want {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
}
