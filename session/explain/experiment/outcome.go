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

// Reasons of a request without a response, beside a timeout.
const (
	refused = "connection refused"
	ended   = "the connection ended"
)

// outcome is the outcome of a request.
type outcome struct {
	reason string // of a failure of the network, in words
	status int
	header http.Header
	body   []byte
	shown  string // the body, secrets redacted
	works  bool   // it is a success with a result, or a message that HTTP+SSE accepted
	speaks bool   // it is a success with a message of MCP, even an error response
}

func outcomeOf(reply transport.Reply, sse bool) outcome {
	o := outcome{status: reply.Status, header: reply.Header, body: reply.Body}
	kind := jsonrpc.Scan(o.body).Kind
	success := o.status/100 == 2
	o.works, o.speaks = success && (sse || kind == jsonrpc.Response), success && (sse || kind.IsResponse())
	return o
}

// numbers are what differs between two equal responses: ids, times, addresses.
var numbers = regexp.MustCompile(`[0-9a-fA-F-]*\d[0-9a-fA-F-]*`)

// key is equal for equal responses.
func (o outcome) key() string {
	if o.reason != "" {
		return o.reason
	}
	return fmt.Sprint(o.status, " ", mcphttp.MediaType(o.header), " ", numbers.ReplaceAllString(string(o.body), "0"))
}

// status is the status in words, or the failure.
func (o outcome) statusText() string {
	if o.reason != "" {
		return o.reason
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", o.status, http.StatusText(o.status)))
}

func (o outcome) String() string {
	text := o.statusText()
	if head := phrase.OneLine(o.shown); head != "" && !o.works && o.reason == "" {
		text += " " + phrase.Clip(head, 90)
	}
	return text
}

// says is the text of a response beyond its status, secrets redacted, or "".
func (o outcome) says() string {
	return failure.Said(&transport.StatusError{Status: o.status, Body: []byte(o.shown)})
}

// bodyWords are words of a response to a body that cannot be read.
var bodyWords = regexp.MustCompile(`(?i)\b(?:body|json|parse|input|stream is not readable|EOF)\b`)

// isAboutBody reports a response to a body that cannot be read: by its status, the code of JSON-RPC, or a word
// for what a parser reads.
func (o outcome) isAboutBody() bool {
	return o.status == http.StatusUnprocessableEntity || strings.Contains(string(o.body), "-32700") || bodyWords.MatchString(o.says())
}
