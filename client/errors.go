package client

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
)

// ErrClosed is the error of requests after [Client.Close].
var ErrClosed = errors.New("the connection is closed")

// ErrCancelled is the error of a request after [Client.Cancel].
var ErrCancelled = errors.New("cancelled")

// ErrCursorLoop reports a list that never ends because its cursors repeat.
var ErrCursorLoop = errors.New("pagination loop: the server returned the same cursor twice")

// ErrListTooLarge reports a list that is too long: all lists of a server together may have
// [revision.MaxListBytes].
var ErrListTooLarge = fmt.Errorf("the lists of the server take more than %d MB", revision.MaxListBytes>>20)

// ErrTooManyPages reports a list of more than [maxPages] pages.
var ErrTooManyPages = fmt.Errorf("the list has more than %d pages", maxPages)

// RPCError is the error of an error response.
type RPCError = jsonrpc.Error

// The errors of connecting; see package negotiate.
type (
	// RevisionError reports that client and server have no protocol version in
	// common.
	RevisionError = negotiate.RevisionError
	// ResultError reports an unusable initialize result.
	ResultError = negotiate.ResultError
	// DiscoverError reports that server/discover failed.
	DiscoverError = negotiate.DiscoverError
	// FallbackError reports a URL that supports none of the HTTP transports.
	FallbackError = negotiate.FallbackError
)

// ErrNoVersions reports a server/discover result without supportedVersions.
var ErrNoVersions = negotiate.ErrNoVersions

// RequestError is an error of a request, with its method and id.
type RequestError struct {
	ID     jsonrpc.ID
	Method string
	Ref    transport.Ref // reference in the record, or none if the request was not sent
	Err    error
}

// Error returns the reason.
func (e *RequestError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *RequestError) Unwrap() error { return e.Err }

// TimeoutError reports a response that did not come in time.
type TimeoutError struct {
	Method string
	After  time.Duration
	// Stdin is the state of the stdin of a server on stdio at the timeout, or nil if it is
	// unknown.
	Stdin *stdio.Stdin
	// Reframed is set if the server was started once more, and did not answer in the framing of language servers either.
	Reframed bool
}

// Error names the method and the time.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("no response to %s within %s", e.Method, phrase.Duration(e.After))
}

// Timeout implements net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// ClosedError reports a request that was pending when the connection ended.
type ClosedError struct {
	Method string
	Err    error // error that ended the connection
}

// Error names the method and the reason.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("%s got no response: %v", e.Method, e.Err)
}

// Unwrap returns the reason.
func (e *ClosedError) Unwrap() error { return e.Err }

// CancelledError reports a request that was cancelled by closing its HTTP
// exchange, without a message (2026-07-28, basic / patterns / cancellation).
type CancelledError struct {
	Err error // reason for the cancellation: a timeout, the end of a context
}

// Error returns "cancelled: " and the reason.
func (e *CancelledError) Error() string { return "cancelled: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *CancelledError) Unwrap() error { return e.Err }

// ConnectError reports the step at which connecting failed, and why.
type ConnectError struct {
	Step string
	Err  error
}

// Error returns the reason, without the step.
func (e *ConnectError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ConnectError) Unwrap() error { return e.Err }
