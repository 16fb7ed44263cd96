package pins

import (
	"errors"
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/record/store"
)

// AddFrame pins the request of the client and its response that a row of the record is
// of, and returns the name of the pin. It reads and writes the file.
func (p *Pins) AddFrame(row int32) (name string, err error) {
	method, params, response, err := exchangeOf(p.s.Store(), row)
	if err != nil {
		return "", err
	}
	return p.Add(method, params, response)
}

// AcceptFrame makes the response at a row of the record the expected one.
func (p *Pins) AcceptFrame(name string, row int32) error {
	_, _, response, err := exchangeOf(p.s.Store(), row)
	if err != nil {
		return err
	}
	return p.AcceptResponse(name, response)
}

var errNotPinned = errors.New("only a request of the client with a response can be pinned: select one")

// exchangeOf reads a request of the client and its response from the record, given the
// row of either.
func exchangeOf(s *store.Store, row int32) (method string, params []byte, response client.Response, err error) {
	request, answer := s.Related(row)
	r, ok := s.Row(request)
	if !ok || r.Kind != jsonrpc.Request || r.Dir != 0 || answer == store.None {
		return "", nil, response, errNotPinned
	}
	switch method = s.Method(r.Method); method {
	case "initialize", "server/discover", "subscriptions/listen", revision.EventsStream:
		return "", nil, response, fmt.Errorf("%s belongs to connecting and cannot be pinned", method)
	}
	body, err := s.Body(request)
	if err != nil {
		return "", nil, response, err
	}
	params = jsonrpc.Scan(body).Params.Of(body)
	if response.Frame, err = s.Body(answer); err != nil {
		return "", nil, response, err
	}
	response.Envelope = jsonrpc.Scan(response.Frame)
	a, _ := s.Row(answer)
	response.Took = time.Duration(a.Time - r.Time)
	return method, params, response, nil
}
