package record

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// HTTP reads the exchange of an event, as far as the line tells it;
// false for other kinds.
func (e Event) HTTP() (transport.Exchange, bool) {
	if e.Kind != KindHTTP {
		return transport.Exchange{}, false
	}
	m := e.Members
	return transport.Exchange{
		ID: uint32(integer(m, "x")), Phase: transport.ExchangeDone, Purpose: text(m, "purpose"),
		Start: time.Unix(0, e.Time), Method: text(m, "method"), URL: text(m, "url"),
		RequestHeader: headerOf(m, "request"), ResponseHeader: headerOf(m, "response"),
		RequestBody: []byte(text(m, "said")), ResponseBody: []byte(text(m, "heard")),
		Status: int(integer(m, "status")), FirstByte: time.Duration(integer(m, "first")),
		Took: time.Duration(integer(m, "took")), Sent: integer(m, "sent"), Received: integer(m, "received"),
		Err: text(m, "error"),
	}, true
}

func headerOf(line []byte, name string) http.Header {
	raw, _ := jsonrpc.Member(line, name)
	var h http.Header
	_ = json.Unmarshal(raw, &h) // a header that cannot be read is none
	return h
}

// ProcessChange reads what happened to the server's process; false for other kinds.
func (e Event) ProcessChange() (transport.ProcessEvent, bool) {
	if e.Kind != KindProcess {
		return transport.ProcessEvent{}, false
	}
	what := slices.IndexFunc(transport.ProcessChanges(), func(c transport.ProcessChange) bool { return c.String() == text(e.Members, "what") })
	return transport.ProcessEvent{
		Time: time.Unix(0, e.Time), What: transport.ProcessChange(max(what, 0)), PID: int(integer(e.Members, "pid")),
		Signal: text(e.Members, "signal"), ExitCode: int(integer(e.Members, "code")),
	}, what >= 0
}

// StderrLine reads a line of the server's stderr; false for other kinds.
func (e Event) StderrLine() (string, bool) {
	if e.Kind != KindStderr {
		return "", false
	}
	if b64 := text(e.Members, "b64"); b64 != "" {
		b, err := base64.StdEncoding.DecodeString(b64)
		return string(b), err == nil
	}
	return text(e.Members, "text"), true
}
