package httpsse

import (
	"errors"
	"fmt"
)

// ErrStreamEnded says that the server closed the event stream, which ends the
// connection: there is no way to take it up again.
var ErrStreamEnded = errors.New("the server closed its event stream")

var (
	errNotOpen    = errors.New("the connection is not open")
	errNoEndpoint = errors.New(`the "endpoint" event of the server is empty`)
)

// FirstEventError says that an event stream did not begin with the "endpoint"
// event: this is a stream, but not one of HTTP+SSE.
type FirstEventError struct {
	URL  string // secrets masked
	Name string // as the server sent it, empty when it gave none
	Head []byte // the first bytes of the event's data
}

// Error names the event and its first bytes.
func (e *FirstEventError) Error() string {
	name := fmt.Sprintf("%q", e.Name)
	if e.Name == "" {
		name = "one without a name"
	}
	return fmt.Sprintf(`the first event of GET %s is %s and not "endpoint": %q`, e.URL, name, e.Head)
}

// OriginError says that the server named an endpoint at another origin than its
// own. Nothing was sent there.
type OriginError struct {
	Server, Endpoint string // scheme, host and port
}

// Error names both origins.
func (e *OriginError) Error() string {
	return fmt.Sprintf("the server at %s names an endpoint at another origin, %s; nothing was sent there", e.Server, e.Endpoint)
}
