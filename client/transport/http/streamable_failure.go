package http

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// ErrSessionExpired reports status 404 for a request with a session id: the client
// must start another session with initialize (2025-03-26, transports, "Session
// Management"). The error also is a *transport.StatusError.
var ErrSessionExpired = errors.New("the session has expired")

// The reasons why a request has no response in spite of a status of 2xx.
var (
	ErrEmpty            = errors.New("the body is empty")
	ErrNoAnswer         = errors.New("the body has no response to it")
	ErrStreamUnanswered = errors.New("the event stream ended without a response to it")
)

var (
	errNotOpen    = errors.New("the connection is not open")
	errNoNewEvent = errors.New("the event stream ended without a new event")
)

// LostError reports a request that will have no response, although the server
// accepted it.
type LostError struct {
	ID  jsonrpc.ID
	Err error
}

// refusalError reports a POST of one request whose response contains an error without its id. The error must be
// about this request, because the exchange has no other one.
type refusalError struct {
	Err     error          // reason why there is no response with the id
	Refusal *jsonrpc.Error // without data
}

// Error describes the response of the server.
func (e *refusalError) Error() string {
	return fmt.Sprintf("the server returned %s without its id: %s (%v)", e.Refusal.Code.Phrase(), e.Refusal.Message, e.Err)
}

// Unwrap returns the error of the server and the reason.
func (e *refusalError) Unwrap() []error { return []error{e.Refusal, e.Err} }

// Error names the request and the reason.
func (e *LostError) Error() string {
	return fmt.Sprintf("no response to request %s: %v", e.ID, e.Err)
}

// Unwrap returns the reason.
func (e *LostError) Unwrap() error { return e.Err }

// emptyError returns the error for a response without a body.
func emptyError(status int) error {
	return fmt.Errorf("%w (%s)", ErrEmpty, transport.StatusText(status))
}

// aboutRequest holds the codes of errors that are about the request. Some servers return them with status 404.
var aboutRequest = []string{
	strconv.Itoa(jsonrpc.CodeMethodNotFound), strconv.Itoa(jsonrpc.CodeInvalidParams), strconv.Itoa(revision.CodeResourceNotFound),
}

// isExpired reports whether a response says that the session of the request has expired: it has the status 404, and its
// body is not an error that is about the request.
func isExpired(ex *Exchange, body []byte) bool {
	if ex.Report.Status != http.StatusNotFound || Value(ex.Header, sessionHeader) == "" {
		return false
	}
	e := jsonrpc.Scan(body)
	return !e.Kind.IsResponse() || e.Kind == jsonrpc.ErrorResponse && !slices.Contains(aboutRequest, jsonrpc.ParseError(body, e).Code.String())
}

// statusError makes an error of an answer that is not a success.
func statusError(ex *Exchange, body []byte) error {
	err := ex.responseError(body)
	if isExpired(ex, body) {
		return fmt.Errorf("%w: %w", ErrSessionExpired, err)
	}
	return err
}
