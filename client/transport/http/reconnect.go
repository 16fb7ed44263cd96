package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

const (
	// MaxReconnects bounds the failed connections in a row before a stream ends.
	MaxReconnects = 5
	// healthyAfter is the minimum duration of a connection without events that counts as a success.
	healthyAfter = 10 * time.Second
)

// listen keeps the stream of [Streamable.Listen] open. settled is called with the
// first response.
func (t *Streamable) listen(settled func()) {
	defer settled()
	f := reconnector{
		onResponse: settled,
		t:          t,
		life:       t.life,
		purpose:    transport.PurposeListen,
		onMessage:  func([]byte, jsonrpc.Envelope) {},
		satisfied:  func() bool { return false },
	}
	// The reports of the exchanges have the reason of the end. A 404 for the first
	// request means that there is no such stream, although 2025-03-26 requires 405.
	err := f.run(0)
	if errors.Is(err, ErrSessionExpired) && f.opened && t.config.Expired != nil {
		t.config.Expired(err)
	}
}

// resume continues the stream of a POST until no request is pending (2025-03-26,
// transports, "Resumability and Redelivery").
func (p *post) resume(s stream) error {
	f := reconnector{
		t:         p.t,
		life:      p.life,
		purpose:   transport.PurposeResume,
		stream:    s,
		onMessage: p.pending.removeAnswered,
		satisfied: p.satisfied,
	}
	if err := s.refusedRetry(); err != nil {
		return err
	}
	return f.run(s.delay(0))
}

// reconnector reads a stream by GET over successive connections.
type reconnector struct {
	t          *Streamable
	life       context.Context // context of the connections
	purpose    string
	stream     stream
	onMessage  onMessage
	onResponse func() // called after the headers of a response; may be nil
	satisfied  func() bool
	opened     bool // a connection was a stream
}

// run connects after the given time, and again after each end of the connection,
// until it is satisfied, the server rejects the request, or MaxReconnects connections
// in a row have failed. A stream of Listen that was open once is retried as long as
// the server is unreachable: it may be restarting.
func (f *reconnector) run(wait time.Duration) error {
	for failures, unreachable := 0, 0; ; {
		if !f.t.pause(f.life, wait) {
			return errClosed
		}
		if f.satisfied() {
			return nil
		}
		f.stream.open, f.stream.progressed = false, false
		start := time.Now()
		err := f.connect(failures+1 == MaxReconnects)
		switch {
		case f.t.closed():
			return errClosed
		case f.satisfied():
			return nil
		case isFinal(err):
			return err
		case f.stream.progressed, f.stream.open && time.Since(start) > healthyAfter:
			failures, unreachable = 0, 0
		case f.purpose == transport.PurposeListen && f.opened && IsUnreachable(err):
			unreachable++
		default:
			if failures++; failures == MaxReconnects {
				return err
			}
		}
		wait = f.stream.delay(failures + unreachable)
	}
}

// pause waits, and returns false after Close and after the end of life.
func (t *Streamable) pause(life context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		t.mu.Lock()
		defer t.mu.Unlock()
		return !t.closing
	case <-life.Done():
		return false
	}
}

// connect reads one connection to its end. A stream without a new event is an error.
// last marks the report of the last attempt.
func (f *reconnector) connect(last bool) error {
	header := f.t.header(http.MethodGet, nil)
	// A Last-Event-ID of the user applies to the first connection only.
	if f.stream.lastID != "" {
		DeleteHeader(header, resumeHeader)
		header[resumeHeader] = []string{f.stream.lastID}
	}
	ex := f.t.client.Begin(f.t.server, f.purpose, http.MethodGet, header, nil)
	remark := ""
	if last {
		remark = fmt.Sprintf("; gave up after %d attempts", MaxReconnects)
	}
	if !f.opened {
		ex.Note = remark
	}
	ex, err := ex.RoundTrip(f.life)
	if err != nil {
		return err
	}
	ex.Note = remark
	if f.onResponse != nil {
		f.onResponse()
	}
	switch {
	case !ex.ok():
		return f.readStatusError(ex)
	case ex.mediaType() != StreamType:
		return f.readWrongType(ex)
	}
	f.opened = true
	err = events(ex, &f.stream, f.onMessage)
	if err == nil && !f.stream.progressed && !f.satisfied() {
		err = errNoNewEvent
	}
	if refused := f.stream.refusedRetry(); refused != nil && !f.satisfied() && !f.t.closed() {
		ex.Finish(refused)
		return refused
	}
	reported := err
	if errors.Is(err, errNoNewEvent) && !last {
		reported = nil // servers may end a stream at any time
	}
	ex.Finish(reported)
	return err
}

// readStatusError handles a status other than 2xx. Status 405 for Listen is not an error.
func (f *reconnector) readStatusError(ex *Exchange) error {
	body, _ := ex.Read(HeadLimit) // the status matters more than how its body ends
	err := statusError(ex, body)
	if f.purpose == transport.PurposeListen && ex.Report.Status == http.StatusMethodNotAllowed {
		ex.Finish(nil)
		return err
	}
	ex.Finish(err)
	return err
}

// readWrongType handles a success that is not a stream. The body is delivered.
func (f *reconnector) readWrongType(ex *Exchange) error {
	body, err := ex.Read(bodyLimit)
	if !isBlank(body) {
		e := ex.deliver(body, err != nil, "", "")
		if err == nil {
			f.onMessage(body, e)
		}
	}
	wrong := ex.contentError(body)
	ex.Finish(wrong)
	return wrong
}

// isFinal reports whether a retry is pointless: the failure is a response of the
// server and not temporary.
func isFinal(err error) bool {
	var status *transport.StatusError
	if errors.As(err, &status) {
		return IsFinalRefusal(status.Status)
	}
	var content *ContentError
	return errors.As(err, &content) || errors.As(err, new(*retryError)) || errors.Is(err, ErrEventTooLong)
}

// IsFinalRefusal reports whether a stream whose request had a response with this status, and no stream, is not requested
// again.
func IsFinalRefusal(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status < http.StatusInternalServerError || status == http.StatusNotImplemented
}

// OpensStream reports whether the response of an exchange is an event stream.
func OpensStream(x *transport.Exchange) bool {
	return x.Status/100 == 2 && MediaType(x.ResponseHeader) == StreamType
}
