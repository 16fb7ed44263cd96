package transport

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// Authorization adds credentials to the requests to one server and refreshes them when the server rejects them
// (specification, basic / authorization). It is used for each POST, GET and DELETE, and must be safe for
// concurrent use.
type Authorization interface {
	// Authorize adds the credentials for one request to its headers. It does nothing without credentials, if
	// the request already has some, and for other origins than the server's. It must not block.
	Authorize(method string, to *url.URL, header http.Header)

	// Judge is called for each response and reports whether Renew must be
	// called. It must not block.
	ShouldRefresh(ResponseInfo) (renew bool)

	// Refresh obtains other credentials. It returns nil if the request must be sent again. It may
	// wait for the user. Concurrent calls share one result. It sends its requests through the
	// Requester, so that they are reported.
	Refresh(ctx context.Context, a ResponseInfo, by Requester) error
}

// ResponseInfo is a request as sent and the head of its response. Nothing in it is masked, and nothing may be
// changed.
type ResponseInfo struct {
	Purpose       string // purpose, as in [Exchange]
	Asked         string // the request of MCP that was sent, such as "tools/call search", or empty
	URL           *url.URL
	RequestHeader http.Header
	Status        int
	Header        http.Header
	Attempt       int // number of this attempt, from 1
}

// Requester makes HTTP exchanges that carry no frame. It follows no redirects and
// adds no credentials.
type Requester interface {
	Request(ctx context.Context, r Request) (Reply, error)
}

// Request is a request for a [Requester], which does not keep it.
type Request struct {
	Purpose string // purpose, as in [Exchange]
	Method  string
	URL     *url.URL
	Header  http.Header // may be nil
	Body    []byte      // may be nil
}

// Reply is the response to a [Request], with any status. It belongs to the caller.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // 1 MiB at most
}

// ErrSignInEnded is contained in the error of [Authorization.Refresh] if the user took part in it: the consent
// page was offered, or the user has cancelled. A client must not begin another sign-in by itself.
var ErrSignInEnded = errors.New("the sign-in has ended")

// AuthorizationError reports that a server requires other credentials, and why there
// are none.
type AuthorizationError struct {
	Status *StatusError // the response of the server
	Err    error        // error of [Authorization.Refresh]
}

// Error names the status and the reason.
func (e *AuthorizationError) Error() string {
	return fmt.Sprintf("%s %s returned %s; cannot obtain a token: %v",
		e.Status.Method, e.Status.URL, StatusText(e.Status.Status), e.Err)
}

// Unwrap returns both errors.
func (e *AuthorizationError) Unwrap() []error { return []error{e.Status, e.Err} }
