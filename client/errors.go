package client

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/negotiate"
	"mcptea/client/transport"
)

// ErrClosed is what calls get after [Client.Close].
var ErrClosed = errors.New("the connection is closed")

// ErrCancelled is the outcome of a request that [Client.Cancel] gave up.
var ErrCancelled = errors.New("cancelled")

// ErrCursorLoop says that a list never ends, because a cursor came twice.
var ErrCursorLoop = errors.New("the server's pages go in a circle: it sent the same cursor twice")

// ErrListTooLarge says that a list was given up after [MaxListBytes] bytes.
var ErrListTooLarge = fmt.Errorf("the list was given up after %d MB", MaxListBytes>>20)

// ErrTooManyPages says that a list was given up after [MaxPages] pages.
var ErrTooManyPages = fmt.Errorf("the list was given up after %d pages", MaxPages)

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

// InvalidResponseError is an answer whose id is right and whose bytes are not.
type InvalidResponseError struct {
	ID    jsonrpc.ID
	Fault jsonrpc.Fault
	At    int    // offset of the offending byte
	Near  []byte // the bytes around it
}

// Error names the fault and shows the bytes.
func (e *InvalidResponseError) Error() string {
	return fmt.Sprintf("invalid response to request %s: it is %s (byte %d, near %q)", e.ID, e.Fault, e.At, e.Near)
}

// TimeoutError is a wait that we ended; the server said nothing of the kind.
type TimeoutError struct {
	Method string
	After  time.Duration
}

// Error names the method and the time.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("no response to %s within %s", e.Method, transport.Took(e.After))
}

// Timeout marks the error as one for net.Error's sake.
func (e *TimeoutError) Timeout() bool { return true }

// ClosedError is a call that the end of the connection cut off.
type ClosedError struct {
	Method string
	Err    error // why the connection ended
}

// Error names the method and the reason.
func (e *ClosedError) Error() string {
	return fmt.Sprintf("%s got no response: %v", e.Method, e.Err)
}

// Unwrap returns the reason.
func (e *ClosedError) Unwrap() error { return e.Err }

// CancelledError is a request that was cancelled by closing its HTTP exchange, for
// which no message exists (2026-07-28, basic / patterns / cancellation).
type CancelledError struct {
	Err error // why it was cancelled: a timeout, the end of a context
}

// Error gives the reason.
func (e *CancelledError) Error() string { return "cancelled: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *CancelledError) Unwrap() error { return e.Err }

// ConnectError says at which step connecting failed and why.
type ConnectError struct {
	Step string
	Err  error
}

// Error gives the reason; the step is for who draws the checklist.
func (e *ConnectError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ConnectError) Unwrap() error { return e.Err }
