package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

func opened(t *testing.T, post http.HandlerFunc) (*sseRig, *server) {
	t.Helper()
	s := newServer(t, post, endpointLines)
	r := newSSERig(t, s.URL+"/sse")
	r.mustOpen()
	r.WantFrame(t, "/messages?sessionId=abc")
	return r, s
}

// A frame goes out by POST and its answer comes on the stream, byte by byte as
// they were sent.
func TestSSE_Send_ResponseOnStream(t *testing.T) {
	r, s := opened(t, accepted)
	odd := " {\"jsonrpc\":\"2.0\", \"id\":3,\t\"method\":\"tools/call\"} "
	if err := r.send(odd); err != nil {
		t.Fatal(err)
	}
	s.lines <- "id: 9\n" + messageEvent(sseAnswer) + "data: " + sseAnswer + "\n\nevent: ping\ndata: " + sseAnswer + "\n\n"
	out := transporttest.Receive(t, r.Out, "the outgoing frame")
	if string(out.Bytes) != odd || out.Exchange != 2 || out.Envelope.Kind != jsonrpc.Request {
		t.Errorf("out %+v", out)
	}
	for _, name := range []string{"message", "", "ping"} {
		f := r.WantFrame(t, sseAnswer)
		if f.EventName != name || f.Exchange != 1 || f.Envelope.Kind != jsonrpc.Response || f.NonMessageEvent() != (name == "ping") {
			t.Errorf("frame %+v, want an event %q", f, name)
		}
		if name == "message" && f.EventID != "9" {
			t.Errorf("event id %q", f.EventID)
		}
	}
	e := transporttest.Receive(t, r.Ended, "the end of the POST")
	if e.Purpose != "message" || e.Status != 202 || e.Sent != int64(len(odd)) || e.Received != int64(len("Accepted")) || e.Err != "" {
		t.Errorf("exchange %+v", e)
	}
}

func TestSSE_Send_StatusSuccess(t *testing.T) {
	for _, status := range []int{200, 201, 202, 204} {
		r, _ := opened(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if err := r.send(sseCall); err != nil {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// The body of a response to a POST is delivered only if it is a message.
func TestSSE_Send_MessageInBody(t *testing.T) {
	for text, status := range map[string]int{sseAnswer: 200, "[" + sseAnswer + "]": 202, `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}`: 400} {
		r, _ := opened(t, transporttest.Respond(status, "application/json", text))
		if err := r.send(sseCall); (err == nil) != (status < 300) {
			t.Errorf("%d: %v", status, err)
		}
		if f := r.WantFrame(t, text); f.Exchange != 2 {
			t.Errorf("frame %+v", f)
		}
	}
	for _, text := range []string{"Accepted", `"Accepted"`, "{}", ""} {
		r, _ := opened(t, transporttest.Respond(202, "application/json", text))
		if err := r.send(sseCall); err != nil {
			t.Error(err)
		}
		transporttest.Receive(t, r.Ended, "the end of the POST")
		if len(r.In) > 0 {
			t.Errorf("%q is delivered as a frame", text)
		}
	}
}

func TestSSE_Send_StatusError(t *testing.T) {
	r, s := opened(t, transporttest.Respond(400, "text/plain", "Could not find session"))
	err := r.send(sseCall)
	transporttest.WantError(t, err, "POST", "400 Bad Request", "Could not find session")
	var status *transport.StatusError
	if !errors.As(err, &status) || status.Status != 400 {
		t.Errorf("error %#v", err)
	}
	// One refusal says nothing about the stream.
	s.lines <- messageEvent(sseAnswer)
	r.WantFrame(t, sseAnswer)
}

func TestSSE_Send_ContextEnds(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	r, _ := opened(t, func(w http.ResponseWriter, req *http.Request) {
		close(arrived)
		<-release
		transporttest.Respond(200, "application/json", sseAnswer)(w, req)
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	err := r.Send(ctx, transport.Outgoing{Bytes: []byte(sseCall)})
	transporttest.WantError(t, err, "no response to POST")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %#v", err)
	}
	close(release)
	r.WantFrame(t, sseAnswer) // it is delivered all the same
	if err := r.Send(ctx, transport.Outgoing{Bytes: []byte(sseCall)}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSSE_Stream_EndedByServer(t *testing.T) {
	r, s := opened(t, accepted)
	s.lines <- messageEvent(sseAnswer)
	r.WantFrame(t, sseAnswer)
	if err := r.Err(); err != nil {
		t.Errorf("Err before the end: %v", err)
	}
	close(s.hangUp)
	transporttest.Receive(t, r.Done(), "Done")
	transporttest.WantError(t, r.Err(), "the server closed the event stream")
	if err := r.send(sseCall); !errors.Is(err, ErrStreamEnded) {
		t.Errorf("Send after the end: %v", err)
	}
	_ = r.Close(t.Context())
	if !errors.Is(r.Err(), ErrStreamEnded) {
		t.Errorf("Close changes the reason to %v", r.Err())
	}
	if got := s.log(); len(got) != 1 {
		t.Errorf("there is no reconnection, but %q", got)
	}
}

// What the end of the connection cut off is shown, marked as torn.
func TestSSE_Stream_Interrupted(t *testing.T) {
	r := newSSERig(t, serveSSE(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, endpointLines+"data: {\"half")
		w.(http.Flusher).Flush()
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_ = c.Close()
	}))
	if err := r.open(); err != nil && !strings.Contains(err.Error(), "event stream interrupted") {
		t.Fatal(err) // the end may come right after the endpoint
	}
	r.WantFrame(t, "/messages?sessionId=abc")
	if f := r.WantFrame(t, `{"half`); !f.Truncated {
		t.Errorf("frame %+v", f)
	}
	transporttest.Receive(t, r.Done(), "Done")
	transporttest.WantError(t, r.Err(), "event stream interrupted", "closed the connection in the middle")
}

// The end of the stream takes with it what waits for a POST.
func TestSSE_Stream_EndsDuringPost(t *testing.T) {
	var s *server
	r, s := opened(t, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	result := make(chan error, 1)
	go func() { result <- r.send(sseCall) }()
	transporttest.Receive(t, r.Out, "the outgoing frame")
	close(s.hangUp)
	if err := transporttest.Receive(t, result, "the end of Send"); !errors.Is(err, ErrStreamEnded) {
		t.Errorf("Send: %v", err)
	}
	transporttest.Receive(t, r.Done(), "Done")
}

func TestSSE_Close(t *testing.T) {
	r, _ := opened(t, func(_ http.ResponseWriter, req *http.Request) { <-req.Context().Done() })
	result := make(chan error, 1)
	go func() { result <- r.send(sseCall) }()
	transporttest.Receive(t, r.Out, "the outgoing frame")
	if err := r.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := transporttest.Receive(t, result, "the end of Send"); !errors.Is(err, errClosed) {
		t.Errorf("Send: %v", err)
	}
	<-r.Done()
	if err := r.Err(); err != nil {
		t.Errorf("Err after Close: %v", err)
	}
	if err := r.send(sseCall); !errors.Is(err, errClosed) {
		t.Errorf("Send after Close: %v", err)
	}
	for range 2 { // both exchanges have their end, told once
		transporttest.Receive(t, r.Ended, "an end")
	}
	if len(r.Ended) > 0 {
		t.Error("an exchange ended twice")
	}
}

// Many at once, each answered on the one stream.
func TestSSE_Send_Concurrent(t *testing.T) {
	r, s := opened(t, accepted)
	const many = 50
	errs := make(chan error, many)
	for i := range many {
		go func() {
			errs <- r.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i))
			s.lines <- messageEvent(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}()
	}
	seen := map[string]bool{}
	for range many {
		if err := transporttest.Receive(t, errs, "a result"); err != nil {
			t.Error(err)
		}
		f := transporttest.Receive(t, r.In, "an answer")
		seen[f.Envelope.ID.Of(f.Bytes).String()] = true
	}
	if len(seen) != many {
		t.Errorf("%d answers", len(seen))
	}
}
