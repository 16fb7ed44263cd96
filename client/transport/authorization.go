package transport

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// PurposeAuthorization is the purpose of the exchanges that get a token. They
// carry no frames; what is said in them is in the report, secrets masked.
const PurposeAuthorization = "authorization"

// Authorization puts credentials on the requests to one server and renews them
// when the server refuses (specification, basic / authorization). A transport
// over HTTP asks it about every request: POST, GET and DELETE. Its methods are
// called from several goroutines at once.
type Authorization interface {
	// Sign adds the credentials for one request to its headers, or leaves them
	// as they are: where there are no credentials yet, where the request has
	// some already, and where it goes to another origin than that of the
	// server. It must not wait.
	Authorize(method string, to *url.URL, header http.Header)

	// Judge is told of every answer and reports whether Renew is to be called
	// about it. It must not wait.
	ShouldRefresh(ResponseInfo) (renew bool)

	// Renew gets other credentials. nil means that the request is to be sent
	// once more; an error is why that makes no sense. It may wait for a
	// person; those who wait at once share what comes of it. Its own requests
	// go by way of the Requester, so that they are reported.
	Refresh(ctx context.Context, a ResponseInfo, by Requester) error
}

// ResponseInfo is a request as it went out and the head of its answer. Nothing in
// it is masked, and nothing may be changed.
type ResponseInfo struct {
	Purpose       string // as in [Exchange]
	Method        string
	URL           *url.URL
	RequestHeader http.Header
	Status        int
	Header        http.Header
	Attempt       int // how often this request was sent, this time included
}

// Requester makes HTTP exchanges that carry no frame. It follows no redirects
// and signs nothing.
type Requester interface {
	Request(ctx context.Context, r Request) (Reply, error)
}

// Request is one request of a [Requester], which keeps none of it.
type Request struct {
	Purpose string // as in [Exchange]
	Method  string
	URL     *url.URL
	Header  http.Header // may be nil
	Body    []byte      // may be nil
}

// Reply is the answer to a [Request], whatever its status. It belongs to who
// asked.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte // 1 MiB at most
}

// AuthorizationError says that a server wants credentials, or others, and that
// there are none to be had.
type AuthorizationError struct {
	Status *StatusError // what the server answered
	Err    error        // why there are no credentials that would help
}

// Error names the status and the reason.
func (e *AuthorizationError) Error() string {
	return fmt.Sprintf("%s %s answered %d %s, and authorization did not help: %v",
		e.Status.Method, e.Status.URL, e.Status.Status, http.StatusText(e.Status.Status), e.Err)
}

// Unwrap returns both.
func (e *AuthorizationError) Unwrap() []error { return []error{e.Status, e.Err} }
