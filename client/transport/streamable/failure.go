package streamable

import (
	"errors"
	"fmt"
	"net/http"

	"mcptea/client/transport/exchange"
)

// ErrSessionExpired says that the server answered 404 to a request with a
// session id: the client must begin anew with "initialize" (2025-03-26,
// transports, "Session Management"). The error also is a
// *transport.StatusError.
var ErrSessionExpired = errors.New("the server does not know the session any more")

// ErrClosed says that the connection has been closed on our side.
var ErrClosed = exchange.ErrClosed

var (
	errNotOpen  = errors.New("the connection is not open")
	errSilent   = errors.New("the stream ended without a new event")
	errNoAnswer = errors.New("no answer to it came with the body")
)

// ContentError says that a successful answer has a content type that Streamable
// HTTP does not know, such as the HTML of a login page.
type ContentError = exchange.ContentError

// refusal makes an error of an answer that is no success.
func refusal(ex *exchange.Exchange, body []byte) error {
	err := ex.Refusal(body)
	if ex.Report.Status == http.StatusNotFound && exchange.Lookup(ex.Header, sessionHeader) != "" {
		return fmt.Errorf("%w: %w", ErrSessionExpired, err)
	}
	return err
}
