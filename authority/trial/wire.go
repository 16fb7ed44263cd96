package trial

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mcptea/authority"
	"mcptea/client/jsonrpc"
	mcphttp "mcptea/client/transport/http"
)

// A message is one request to the server.
type message struct {
	scheme, token string      // parts of the header Authorization; scheme is "" if there is no such header
	query         string      // a token in the query, or ""
	method        string      // initialize or server/discover if empty
	params        string      // JSON, with method
	session       string      // the session id, or ""
	keepSession   bool        // the caller ends the session
	notification  bool        // there is no response
	prove         prove       // makes the proofs of a bound token, or nil
	again         bool        // it is sent again, with the nonce of the server
	unproven      bool        // the token has the scheme Bearer and no proof, whatever the server requires
	before        string      // a header Authorization before the right one, or ""
	batch         bool        // the request is the element of an array
	header        http.Header // more headers, or nil
	path          string      // text after the path of the URL
}

// A response is the reaction of the server.
type response struct {
	status   int
	header   http.Header
	body     []byte
	accepted bool   // the request was carried out: there is a JSON-RPC result
	replied  bool   // there is a JSON-RPC result or error
	code     string // code of the JSON-RPC error, or ""
	skipped  bool   // nothing was sent: the server has nothing to try
	sent     string // the token, or ""
	did      string // requests that were carried out, of several, or ""
	err      error
}

func (r response) challenge() string {
	return strings.Join(r.header.Values("WWW-Authenticate"), ", ")
}

func (r response) String() string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.status/100 == 2:
		return fmt.Sprintf("%d with %s", r.status, excerpt(r.body))
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", r.status, http.StatusText(r.status)))
}

// excerpt returns the start of a body in one line.
func excerpt(b []byte) string {
	const limit = 160
	text := authority.Redact(strings.Join(strings.Fields(strings.ToValidUTF8(string(b), "�")), " "))
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit]) + "…"
	}
	return text
}

const (
	statelessVersion = "2026-07-28"
	statefulVersion  = "2025-11-25"

	clientInfo    = `{"name":"mcptea","version":"0"}`
	statelessMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + statelessVersion + `","io.modelcontextprotocol/clientInfo":` + clientInfo + `,"io.modelcontextprotocol/clientCapabilities":{}}`
)

// body returns the JSON-RPC request of a message.
func (t *trial) body(m message) (text, method string) {
	method = m.method
	params := m.params
	switch {
	case m.notification && params == "":
		return `{"jsonrpc":"2.0","method":"` + method + `"}`, method
	case m.notification:
		return `{"jsonrpc":"2.0","method":"` + method + `","params":` + params + `}`, method
	case method != "" && t.stateless:
		params = strings.TrimSuffix(params, "}")
		if params != "{" {
			params += ","
		}
		params += statelessMeta + "}"
	case method != "":
	case t.stateless:
		method, params = "server/discover", "{"+statelessMeta+"}"
	default:
		method, params = "initialize", `{"protocolVersion":"`+statefulVersion+`","capabilities":{},"clientInfo":`+clientInfo+`}`
	}
	text = `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	if m.batch {
		text = "[" + text + "]"
	}
	return text, method
}

// withToken returns a URL with a token in its query.
func withToken(at, token string) string {
	separator := "?"
	if strings.Contains(at, "?") {
		separator = "&"
	}
	return at + separator + "access_token=" + url.QueryEscape(token)
}

// send sends a message, and ends the session that it has begun.
func (t *trial) send(ctx context.Context, m message) response {
	if t.Pace > 0 {
		select {
		case <-time.After(t.Pace):
		case <-ctx.Done():
			return response{err: context.Cause(ctx), header: http.Header{}}
		}
	}
	body, method := t.body(m)
	at := t.URL
	if u, err := url.Parse(at); err == nil && m.path != "" {
		u.Path += m.path
		at = u.String()
	}
	if m.query != "" {
		at = withToken(at, m.query)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, at, strings.NewReader(body))
	if err != nil {
		return response{err: err, header: http.Header{}}
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	switch {
	case t.stateless:
		r.Header.Set("MCP-Protocol-Version", statelessVersion)
		r.Header.Set("Mcp-Method", method)
	case m.method != "":
		r.Header.Set("MCP-Protocol-Version", statefulVersion)
	}
	maps.Copy(r.Header, m.header)
	t.authorize(m, r)
	got := t.do(r)
	if t.isNewNonce(got) && r.Header.Get(schemeDPoP) != "" && !m.again {
		m.again = true
		return t.send(ctx, m)
	}
	got.sent = m.token
	if session := got.header.Get("Mcp-Session-Id"); session != "" && got.accepted && !m.keepSession {
		m.session = session
		t.endSession(ctx, m)
	}
	return got
}

// endSession ends a session, with the credentials of the message.
func (t *trial) endSession(ctx context.Context, m message) response {
	r, err := http.NewRequestWithContext(ctx, http.MethodDelete, t.URL, nil)
	if err != nil {
		return failed(err)
	}
	t.authorize(m, r)
	return t.do(r)
}

// isStream reports whether a response is a stream of server-sent events.
func isStream(h http.Header) bool {
	return strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
}

// head sends a request and reads only the header of the response: a stream may have no message.
func (t *trial) head(r *http.Request) response {
	got, body := t.roundTrip(r)
	if body != nil {
		_ = body.Close()
	}
	return got
}

// roundTrip sends a request. The body is nil if there is no response.
func (t *trial) roundTrip(r *http.Request) (got response, body io.ReadCloser) {
	got.header = http.Header{}
	resp, err := t.client.Do(r)
	if err != nil {
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err
		}
		got.err = err
		return got, nil
	}
	got.status, got.header = resp.StatusCode, resp.Header
	return got, resp.Body
}

// maxBody bounds the part of a response that is read, in bytes.
const maxBody = 1 << 20

// do sends a request and reads its response; of a stream, until the first message.
func (t *trial) do(r *http.Request) response {
	got, content := t.roundTrip(r)
	if content == nil {
		return got
	}
	defer func() { _ = content.Close() }()
	var body bytes.Buffer
	source := io.TeeReader(io.LimitReader(content, maxBody), &body)
	var text []byte
	if isStream(got.header) {
		text, got.err = firstResponse(source)
	} else {
		_, got.err = io.Copy(io.Discard, source)
		text = body.Bytes()
	}
	got.body = body.Bytes()
	if batch := bytes.TrimSpace(text); len(batch) > 0 && batch[0] == '[' {
		var elements []json.RawMessage
		if json.Unmarshal(batch, &elements) == nil && len(elements) > 0 {
			text = elements[0]
		}
	}
	_, result := jsonrpc.Member(text, "result")
	why, failure := jsonrpc.Member(text, "error")
	if code, ok := jsonrpc.Member(why, "code"); failure && ok {
		got.code = string(code)
	}
	got.replied = got.err == nil && (result || failure)
	got.accepted = got.err == nil && got.status/100 == 2 && result
	return got
}

// firstResponse returns the first response or batch of a stream of server-sent events, or nil if the stream ends without
// one. Notifications may come before it.
func firstResponse(stream io.Reader) ([]byte, error) {
	for events := mcphttp.NewEventReader(stream); ; {
		event, err := events.Next()
		data := bytes.TrimSpace(event.Data)
		_, result := jsonrpc.Member(data, "result")
		_, failure := jsonrpc.Member(data, "error")
		if json.Valid(data) && (result || failure || data[0] == '[') {
			return bytes.Clone(data), nil
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, nil
		case err != nil:
			return nil, err
		}
	}
}
