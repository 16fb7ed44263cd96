//go:build unix

package failure_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

const (
	refusedCall = "call refused: it was not carried out"
	unknownCall = "call sent; the server may have carried it out: look before you send it again"
)

// fateLine returns the line about a call.
func fateLine(e failure.Explanation) string {
	for _, l := range e.Lines() {
		if l.Kind == "call" {
			return string(l.Kind) + " " + l.Text
		}
	}
	return ""
}

// hangUp ends the connection in the middle of a response.
func hangUp(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// streams begins an event stream, and ends it before the response.
func streams(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"half\"}}\n\n")
}

func TestExplain_FateOfCall(t *testing.T) {
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"the session is unknown":       {replies(404, "application/json", rpcError(-32001, "Session not found", "null")), refusedCall},
		"the session is unknown, bare": {replies(404, "text/plain", ""), refusedCall},
		"no permission":                {replies(403, "text/plain", "no"), refusedCall},
		"too many requests":            {replies(429, "text/plain", "slow down"), refusedCall},
		"a bad request":                {replies(400, "text/plain", "no such tool"), ""},
		"a stream without a response":  {streams, unknownCall},
		"accepted":                     {replies(202, "text/plain", ""), unknownCall},
		"a gateway":                    {replies(504, "text/html", "<title>504</title>"), unknownCall},
		"a server error":               {replies(500, "text/plain", "oops"), unknownCall},
		"the connection is lost":       {hangUp, unknownCall},
		"an error response": {func(w http.ResponseWriter, r *http.Request) {
			_, id := asked(r)
			_, _ = io.WriteString(w, rpcError(-32000, "no", id))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := broken{name: name, target: calledWith(tt.answer)}
			e := b.failsWithin(t, 1)
			if got := fateLine(e); got != tt.want {
				t.Errorf("%q, want %q, in\n%s", got, tt.want, e.Text())
			}
		})
	}
}

// A gateway that reports nothing leaves no empty clause.
func TestExplain_GatewayWithoutAMessage(t *testing.T) {
	for status, text := range map[int]string{502: "502 Bad Gateway", 503: "503 Service Unavailable", 504: "504 Gateway Timeout"} {
		b := broken{target: calledWith(replies(status, "text/html", "<title>"+text+"</title>", "Server", "nginx"))}
		e := b.failsWithin(t, 1)
		if want := pattern("POST http://127.0.0.1:⋯/mcp returned "+text+": ⋯ earlier messages were accepted.", true); !want.MatchString(e.Sentence) || strings.Contains(e.Sentence, ": ;") {
			t.Errorf("%q", e.Sentence)
		}
	}
}

// A call that was in flight when the session ended had been accepted.
func TestExplain_CallInFlightWhenTheSessionEnded(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	defer close(ended)
	target := serves(old(func(w http.ResponseWriter, r *http.Request) {
		switch method, _ := asked(r); method {
		case "tools/call":
			close(began)
			select {
			case <-ended:
			case <-r.Context().Done():
			}
		case "tools/list":
			replies(404, "application/json", rpcError(-32001, "Session not found", "null"))(w, r)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))(t)
	s, err := session.Open(session.Config{Target: target, Record: "off", Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second, Timeout: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	call := s.Start("tools/call", []byte(`{"name":"echo"}`))
	<-began
	list := s.Start("tools/list", nil)
	<-list.Done()
	if _, err := list.Outcome(); err == nil {
		t.Fatal("the list succeeded")
	}
	_ = s.RestartAfter(t.Context(), session.Cause{Text: "session expired"}) // as Reconnect does
	<-call.Done()
	_, err = call.Outcome()
	e := failure.Explain(err, failure.FactsOf(s))
	const sentence = "tools/call got no response: the connection is closed: to another request the server had returned 404, so it no longer knows the session."
	if e.CallText() != "The call was sent; the server may have carried it out: look before you send it again." || e.Sentence != sentence {
		t.Errorf("%v\n%s", err, e.Text())
	}
}
