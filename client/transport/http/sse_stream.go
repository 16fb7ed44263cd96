package http

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
)

// endpointEvent is the name of the event with the URL of the POSTs.
const endpointEvent = "endpoint"

// maxEarly bounds the events before the endpoint event: a server must send it when a client connects
// (2024-11-05, transports, "HTTP with SSE"), but not necessarily first.
const maxEarly = 100

// sseStream is the response to the GET.
type sseStream struct {
	t     *SSE
	open  atomic.Bool   // the response is an event stream
	ready chan struct{} // closed when the endpoint is known
	known bool          // the endpoint is known; owned by the goroutine of run

	early int                             // events before the endpoint
	first atomic.Pointer[FirstEventError] // error about the first event before the endpoint, or nil
}

// run opens the stream, reads it to its end and returns the reason of the end.
func (s *sseStream) run() error {
	ex := s.t.client.Begin(s.t.server, transport.PurposeStream, http.MethodGet, s.t.header(http.MethodGet), nil)
	ex, err := ex.RoundTrip(s.t.life)
	if err != nil {
		return err
	}
	switch {
	case !ex.ok():
		body, _ := ex.Read(HeadLimit) // the status matters more than how its body ends
		err = ex.responseError(body)
	case ex.mediaType() != StreamType:
		err = wrongType(ex)
	default:
		s.open.Store(true)
		err = s.read(ex)
	}
	ex.Finish(err)
	if err == nil {
		return ErrStreamEnded
	}
	return err
}

// wrongType returns the error of a success that is not an event stream. A message in
// the body is delivered.
func wrongType(ex *Exchange) error {
	body, _ := ex.Read(HeadLimit) // the type matters more than how the body ends
	if jsonrpc.Scan(body).Kind != jsonrpc.Invalid {
		ex.deliver(body, false, "", "")
	}
	err := ex.contentError(body)
	err.StreamOnly = true
	return err
}

// read delivers the events. A clean end is an error only before the endpoint event.
func (s *sseStream) read(ex *Exchange) error {
	var rejected error // error of the endpoint event
	err := ex.events(func(e Event) error {
		if e.Data != nil {
			ex.deliver(e.Data, false, e.ID, e.Name)
		}
		if s.known || e.Data == nil && e.Name == "" {
			return nil // a comment, id or retry field without an event
		}
		rejected = s.before(ex, e)
		return rejected
	})
	switch {
	case err == nil && !s.known && s.early > 0:
		return s.first.Load()
	case err == nil && !s.known:
		return fmt.Errorf(`%w before it sent an "endpoint" event`, ErrStreamEnded)
	case err == nil, rejected != nil, s.t.closedErr() != nil:
		return err
	}
	return fmt.Errorf("event stream interrupted: %w", err)
}

// before handles an event before the endpoint is known: the endpoint itself, or another event, such as a
// ping.
func (s *sseStream) before(ex *Exchange, e Event) error {
	if e.Name != endpointEvent {
		const maxHead = 100
		if s.early++; s.early == 1 {
			s.first.Store(&FirstEventError{URL: ex.Report.URL, Name: e.Name, Head: bytes.Clone(e.Data[:min(len(e.Data), maxHead)])})
		}
		if s.early > maxEarly {
			return s.first.Load()
		}
		return nil
	}
	to, err := resolve(ex.URL, e.Data, s.t.config.Lenient)
	if err != nil {
		return err
	}
	s.known = true
	s.t.mu.Lock()
	s.t.endpoint = to
	s.t.mu.Unlock()
	close(s.ready)
	return nil
}

// resolve returns the URL of an endpoint event. Some servers send the reference as a
// JSON string. Errors do not contain it, since it may have a secret.
func resolve(base *url.URL, data []byte, lenient bool) (*url.URL, error) {
	reference := strings.TrimSpace(string(data))
	if plain, ok := jsonrpc.Unquote([]byte(reference)); ok {
		reference = plain
	}
	if reference == "" {
		return nil, errNoEndpoint
	}
	to, err := base.Parse(reference)
	if err != nil {
		wrong := &EndpointError{IsJSON: strings.HasPrefix(reference, "{"), Err: bareURLError(err)}
		for name := range jsonrpc.Members([]byte(reference)) {
			if len(wrong.Members) < maxEndpointMembers {
				wrong.Members = append(wrong.Members, phrase.Clip(string(name), 40))
			}
		}
		return nil, wrong
	}
	if !SameOrigin(base, to) && !(lenient && (to.Scheme == "http" || to.Scheme == "https")) {
		return nil, &OriginError{Server: Origin(base), Endpoint: Origin(to)}
	}
	to.User, to.Fragment, to.RawFragment = nil, "", ""
	return to, nil
}
