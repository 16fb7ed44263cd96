package revision

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// header is an HTTP request header of MCP.
type header struct {
	name  string
	verbs []string
	span

	handshake bool // the header is also sent with initialize
	named     bool // only sent with methods that have a [NameParam]
}

// Headers returns the names of the headers that MCP requires in an HTTP request of a client (specification,
// basic / transports, HTTP). verb is GET, POST or DELETE; method is the method of the message in a POST, or ""
// for a response. Mcp-Session-Id applies only with a session, Last-Event-ID only to a resumption.
func Headers(r Revision, verb, method string) []string {
	var found []string
	_, named := NameParam(method)
	named = named && !NameIsOptional(method)
	for _, h := range headers {
		if h.has(r) && slices.Contains(h.verbs, verb) && (h.handshake || method != "initialize") && (named || !h.named) {
			found = append(found, h.name)
		}
	}
	return found
}

// NameParam returns the param of a method that Mcp-Name mirrors, if there is one
// (2026-07-28, basic / transports, "Standard Headers").
func NameParam(method string) (string, bool) {
	switch method {
	case "tools/call", "prompts/get", EventsPoll, EventsStream, EventsSubscribe, EventsUnsubscribe:
		return "name", true
	case "resources/read":
		return "uri", true
	case "tasks/get", "tasks/update", "tasks/cancel":
		return "taskId", true
	}
	return "", false
}

// NameIsOptional reports a method with a [NameParam] that may be sent without Mcp-Name: SEP-3415 does
// not define the header, and its newest clients send it.
func NameIsOptional(method string) bool { return strings.HasPrefix(method, "events/") }

var (
	posts = []string{"POST"}
	gets  = []string{"GET"}
	every = []string{"POST", "GET", "DELETE"}
)

// The transport of 2024-11-05 is HTTP+SSE, with a POST endpoint and a GET stream. The
// newest revision has only POST.
var headers = []header{
	{name: "Content-Type", verbs: posts, handshake: true},
	{name: "Accept", verbs: gets, span: until(lastHandshake)},
	{name: "Accept", verbs: posts, handshake: true, span: since(R20250326)},
	{name: "Mcp-Session-Id", verbs: every, span: span{R20250326, lastHandshake}},
	{name: "Last-Event-ID", verbs: gets, span: span{R20250326, lastHandshake}},
	{name: "MCP-Protocol-Version", verbs: every, span: span{R20250618, lastHandshake}},
	{name: "MCP-Protocol-Version", verbs: posts, span: since(newest)},
	{name: "Mcp-Method", verbs: posts, span: since(newest)},
	{name: "Mcp-Name", verbs: posts, span: since(newest), named: true},
}

// The marks around an encoded header value.
const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// HeaderValue encodes a text as the value of a header such as Mcp-Name (2026-07-28,
// basic / transports, "Value Encoding"): unchanged if HTTP preserves it, else as
// Base64 between marks. A text with these marks is encoded, too.
func HeaderValue(text string) string {
	if isPlain(text) {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}

// DecodeHeaderValue decodes what [HeaderValue] returns. Of an invalid value it returns
// the value itself, and the reason.
func DecodeHeaderValue(value string) (text string, err error) {
	if len(value) < len(encodedPrefix)+len(encodedSuffix) || !strings.EqualFold(value[:len(encodedPrefix)], encodedPrefix) || !strings.HasSuffix(value, encodedSuffix) {
		if !isVisible(value) {
			return value, errors.New("it contains characters that must be sent as Base64")
		}
		return value, nil
	}
	if !strings.HasPrefix(value, encodedPrefix) {
		return value, fmt.Errorf("the mark before it must be %q, in lower case", encodedPrefix)
	}
	b, err := base64.StdEncoding.DecodeString(value[len(encodedPrefix) : len(value)-len(encodedSuffix)])
	switch {
	case err != nil:
		return value, errors.New("the text between the marks is not Base64")
	case !utf8.Valid(b):
		return value, errors.New("the encoded text is not UTF-8")
	}
	return string(b), nil
}

// isVisible reports a text of printable ASCII characters and tabs.
func isVisible(text string) bool {
	for i := range len(text) {
		if ch := text[i]; (ch < ' ' || ch > '~') && ch != '\t' {
			return false
		}
	}
	return true
}

func isPlain(text string) bool {
	return isVisible(text) && strings.Trim(text, " \t") == text && (!strings.HasPrefix(text, encodedPrefix) || !strings.HasSuffix(text, encodedSuffix))
}
