package compose

import (
	"errors"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Provokes returns the name of the rule that reports a malformation, or "".
func Provokes(name string) string { return provokes[name] }

// provokes maps malformations to the rules that must report them. A test sends all malformations.
var provokes = map[string]string{
	"truncated": "J001", "trailing-comma": "J001", "single-quotes": "J001", "no-version": "J004", "version-1": "J005",
	"version-number": "J005", "id-null": "J009", "id-fraction": "J010", "id-object": "J010", "id-twice": "J019",
	"method-number": "J007", "method-empty": "J007", "params-string": "J018", "params-array": "J018",
	"result-too": "J016", "extra-member": "J017", "not-utf8": "J002", "lone-surrogate": "J002", "nan": "J001",
	"bom": "K004", "two-in-one": "K006", "batch": "B001", "empty-batch": "B001", "nested-batch": "B001", "scalar": "J003",
	"content-length": "J001", "deep": "J041",
}

// expected maps a malformation to the error codes of a response to it, if there is one (JSON-RPC
// 2.0, section 5.1). For a missing malformation, every reaction is possible. For example, a
// Content-Length header over stdio is two lines that are not messages, and the request itself.
var expected = map[string][]string{
	"truncated": {parse}, "trailing-comma": {parse}, "single-quotes": {parse}, "not-utf8": {parse}, "nan": {parse},
	"two-in-one": {parse},
	"no-version": {invalid}, "version-1": {invalid}, "version-number": {invalid}, "id-null": {invalid},
	"id-object": {invalid}, "method-number": {invalid}, "result-too": {invalid}, "scalar": {invalid},
	"batch": {invalid}, "empty-batch": {invalid}, "nested-batch": {invalid},
	"method-empty":  {invalid, "-32601"},
	"params-string": {invalid, "-32602"}, "params-array": {invalid, "-32602"},
}

const parse, invalid = "-32700", "-32600"

// noResponse is the outcome of a call without a response.
const noResponse = "no response"

// codesOf returns the codes for a malformation in a protocol version. Batches were removed in 2025-06-18
// (changelog, item 1); before that, a server may respond to a batch of requests.
func codesOf(m jsonrpc.Mutation, r revision.Revision) []string {
	if m.Name == "batch" && (r == "" || r.Before(revision.R20250618)) {
		return nil
	}
	return expected[m.Name]
}

// Expected describes the expected reaction to a malformed frame, or returns "" if every reaction is possible.
func Expected(m jsonrpc.Mutation, r revision.Revision) string {
	codes := codesOf(m, r)
	if len(codes) == 0 {
		return ""
	}
	return "error " + strings.Join(codes, ", ") + " or no response"
}

// AsExpected reports whether an outcome is the expected reaction to a frame. malformed is the 1-based number of
// the mutation; for 0, known is false. err is why the call got no response.
func AsExpected(malformed int, r revision.Revision, outcome string, err error) (as, known bool) {
	if malformed == 0 {
		return false, false
	}
	return asExpected(codesOf(jsonrpc.Mutations()[malformed-1], r), outcome, err)
}

// asExpected is like [AsExpected], but takes the codes. known is false if every outcome is possible, and while
// the outcome is open.
//
// Over HTTP, a status from 400 to 499 rejects the frame like an error response: "If the server cannot accept
// the input, it MUST return an HTTP error status code" (transports, sending messages).
func asExpected(codes []string, outcome string, err error) (as, known bool) {
	_, timedOut := errors.AsType[*client.TimeoutError](err)
	status, byHTTP := errors.AsType[*transport.StatusError](err)
	switch {
	case len(codes) == 0 || outcome == "" || errors.Is(err, client.ErrCancelled):
		return false, false
	case outcome == NoReaction || timedOut && outcome == noResponse:
		return true, true
	case byHTTP:
		return status.Status/100 == 4, true
	}
	return slices.Contains(codes, outcome), true
}

// Label names a sent frame in a list. The malformation comes first, because the rest is the same in all frames
// of a test.
func Label(malformation, frame string) string {
	if malformation == "" {
		return frame
	}
	return malformation + ": " + frame
}
