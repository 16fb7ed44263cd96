package experiment

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
)

// Reasons for a request without a response, in addition to a timeout.
const (
	refused = "connection refused"
	ended   = "the connection ended"
)

// An outcome is the outcome of a request.
type outcome struct {
	reason string // description of a network failure
	status int
	header http.Header
	body   []byte
	shown  string // body with secrets redacted
	works  bool   // the response is a success with a result, or a message that HTTP+SSE accepted
	speaks bool   // the response is a success with a message of MCP, even an error response
}

func outcomeOf(reply transport.Reply, sse bool) outcome {
	o := outcome{status: reply.Status, header: reply.Header, body: reply.Body}
	kind := jsonrpc.Scan(o.body).Kind
	success := o.status/100 == 2
	o.works, o.speaks = success && (sse || kind == jsonrpc.Response), success && (sse || kind.IsResponse())
	return o
}

// numbers matches parts that differ between equal responses: ids, times, addresses.
var numbers = regexp.MustCompile(`[0-9a-fA-F-]*\d[0-9a-fA-F-]*`)

// key returns a text that is equal for equal responses.
func (o outcome) key() string {
	if o.reason != "" {
		return o.reason
	}
	return fmt.Sprint(o.status, " ", mcphttp.MediaType(o.header), " ", numbers.ReplaceAllString(string(o.body), "0"))
}

// statusText returns the status in words, or the network failure.
func (o outcome) statusText() string {
	if o.reason != "" {
		return o.reason
	}
	return transport.StatusText(o.status)
}

func (o outcome) String() string {
	text := o.statusText()
	if head := phrase.OneLine(o.shown); head != "" && !o.works && o.reason == "" {
		text += " " + phrase.Clip(head, 90)
	}
	return text
}

// text returns the text of a response other than its status, with secrets redacted, or "".
func (o outcome) text() string {
	return failure.Said(&transport.StatusError{Status: o.status, Body: []byte(o.shown)})
}

// bodyWords matches words of a response to an unreadable body.
var bodyWords = regexp.MustCompile(`(?i)\b(?:body|json|parse|input|stream is not readable|EOF)\b`)

// isAboutBody reports whether a response is about an unreadable body: by its status, its JSON-RPC code, or the
// words of a parser.
func (o outcome) isAboutBody() bool {
	return o.status == http.StatusUnprocessableEntity || strings.Contains(string(o.body), "-32700") || bodyWords.MatchString(o.text())
}
