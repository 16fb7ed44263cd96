package streamable

import (
	"errors"
	"fmt"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport/rpchttp"
)

// ErrSessionExpired says that the server answered 404 to a request with a
// session id: the client must begin anew with "initialize" (2025-03-26,
// transports, "Session Management"). The error also is a
// *transport.StatusError.
var ErrSessionExpired = errors.New("the server does not know the session any more")

// errClosed says that the connection has been closed on our side.
var errClosed = rpchttp.ErrClosed

// The ways in which a server can take a request, answer 200 or the like, and
// never answer the request itself.
var (
	ErrEmpty       = errors.New("the server answered without a body")
	ErrNoAnswer    = errors.New("no answer to it came with the body")
	ErrStreamEnded = errors.New("the stream ended without an answer to it")
)

var (
	errNotOpen    = errors.New("the connection is not open")
	errNoNewEvent = errors.New("the stream ended without a new event")
)

// LostError says that a request will not be answered, although the server took
// it.
type LostError struct {
	ID  jsonrpc.ID
	Err error
}

// Error names the request and the reason.
func (e *LostError) Error() string {
	return fmt.Sprintf("request %s will not be answered: %v", e.ID, e.Err)
}

// Unwrap returns the reason.
func (e *LostError) Unwrap() error { return e.Err }

// emptyError is an answer that is nothing but a status.
func emptyError(status int) error {
	return fmt.Errorf("%w (%d %s)", ErrEmpty, status, http.StatusText(status))
}

// ContentError says that a successful answer has a content type that Streamable
// HTTP does not know, such as the HTML of a login page.
type ContentError = rpchttp.ContentError

// statusError makes an error of an answer that is no success.
func statusError(ex *rpchttp.Exchange, body []byte) error {
	err := ex.ResponseError(body)
	if ex.Report.Status == http.StatusNotFound && rpchttp.HeaderValue(ex.Header, sessionHeader) != "" {
		return fmt.Errorf("%w: %w", ErrSessionExpired, err)
	}
	return err
}
