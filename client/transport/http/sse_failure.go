package http

import (
	"errors"
	"fmt"
)

// ErrStreamEnded reports that the server closed the event stream, which ends the
// connection.
var ErrStreamEnded = errors.New("the server closed the event stream")

var errNoEndpoint = errors.New(`the "endpoint" event is empty`)

// FirstEventError reports an event stream that is not one of HTTP+SSE: it has events, but no "endpoint" event.
// It contains the first event.
type FirstEventError struct {
	URL  string // secrets masked
	Name string // verbatim; "" if there is no event field
	Head []byte // start of the event's data
}

// Error names the event and its first bytes.
func (e *FirstEventError) Error() string {
	name := fmt.Sprintf("is %q", e.Name)
	if e.Name == "" {
		name = "has no name"
	}
	return fmt.Sprintf(`GET %s opened an event stream without an "endpoint" event; its first event %s. Data: %q`, e.URL, name, e.Head)
}

// OriginError reports an endpoint at another origin than the server's. Nothing was sent there.
type OriginError struct {
	Server, Endpoint string // scheme, host and port
}

// Error names both origins.
func (e *OriginError) Error() string {
	return fmt.Sprintf("the server at %s names an endpoint at another origin, %s; nothing was sent there", e.Server, e.Endpoint)
}

// maxEndpointMembers bounds the names of an [EndpointError].
const maxEndpointMembers = 3

// EndpointError reports an endpoint event whose data is not a URI.
type EndpointError struct {
	IsJSON  bool     // the data is a JSON object
	Members []string // names of the members in the object, at most [maxEndpointMembers]
	Err     error
}

// Error names the reason. It does not have the data, which may have a secret.
func (e *EndpointError) Error() string {
	return "the endpoint of the server is not a URL: " + e.Err.Error()
}

func (e *EndpointError) Unwrap() error { return e.Err }
