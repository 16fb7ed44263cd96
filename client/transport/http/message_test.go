package http

import (
	"context"
	"errors"
	nethttp "net/http"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

func TestRequestIDs(t *testing.T) {
	for frame, want := range map[string]pendingIDs{
		call: {jsonrpc.IDOf("3")},
		note: nil, answer: nil, "": nil, "[]": nil, "[[],4]": nil,
		`{"jsonrpc":"2.0","id":"3","method":"x"}`:                         {jsonrpc.IDOf(`"3"`)},
		`{"jsonrpc":"2.0","id":4,"method":"x",}`:                          {jsonrpc.IDOf("4")},
		`{"jsonrpc":"2.0","id":4,"result":{},}`:                           nil,
		`[{"id":1,"method":"x"},{"id":2,"result":1},{"id":3,"method":1}]`: {jsonrpc.IDOf("1")},
	} {
		got := requestIDs([]byte(frame), jsonrpc.Scan([]byte(frame)))
		if len(got) != len(want) || len(got) == 1 && !got[0].Same(want[0]) {
			t.Errorf("awaitedBy(%s) = %q, want %q", frame, got, want)
		}
	}
}

// FuzzAwaited checks that the answers to all requests of a frame, whatever
// their ids, leave nothing awaited.
func FuzzAwaited(f *testing.F) {
	f.Add([]byte(call))
	f.Add([]byte(`[{"id":1.50,"method":"x"},{"id":"\u0061","method":"x"},{"id":null,"method":"x"}]`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		e := jsonrpc.Scan(frame)
		due := requestIDs(frame, e)
		if e.Kind == jsonrpc.Invalid {
			return // the id may be what is broken
		}
		var answers [][]byte
		for _, id := range due {
			answers = append(answers, jsonrpc.EncodeResult(id, nil))
		}
		batch := jsonrpc.EncodeBatch(answers...)
		due.removeAnswered(batch, jsonrpc.Scan(batch))
		if len(due) > 0 {
			t.Errorf("%q are awaited after %s", due, batch)
		}
	})
}

// If the status is known, but its body never ends, Send returns the status, and Lost
// is not called.
func TestSend_ContextEndsAfterStatusError(t *testing.T) {
	tr := NewStreamable(Config{Lost: func(id jsonrpc.ID, err error) { t.Errorf("request %s was given up: %v", id, err) }})
	p := &post{t: tr, pending: pendingIDs{jsonrpc.IDOf("3")}, done: make(chan struct{}), statusErr: &transport.StatusError{Status: 401}}
	err := p.leave("http://a.example/", context.DeadlineExceeded)
	var status *transport.StatusError
	if !errors.As(err, &status) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	p.report(errors.New("the body broke"))
}

// A result that is there wins over a deadline that passes just then.
func TestSend_ContextEndsWithResult(t *testing.T) {
	p := &post{t: NewStreamable(Config{}), done: make(chan struct{})}
	p.report(nil)
	if err := p.leave("http://a.example/", context.DeadlineExceeded); err != nil {
		t.Errorf("error %v", err)
	}
}

// JSON has its media type, or one that ends with +json, in any case and with any parameters.
func TestIsJSON_MediaTypes(t *testing.T) {
	for header, want := range map[string]bool{
		"application/json": true, "Application/JSON; charset=utf-8": true, "application/problem+json": true, " application/vnd.a.b+JSON ;q=1": true,
		"application/jsonl": false, "text/event-stream": false, "text/html; a=+json": false, "application/json+x": false, "": false,
	} {
		if got := IsJSON(MediaType(nethttp.Header{"Content-Type": {header}})); got != want {
			t.Errorf("%q: %t", header, got)
		}
	}
}
