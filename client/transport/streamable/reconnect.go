package streamable

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
	"mcptea/client/transport/sse"
)

const (
	maxAttempts = 5
	// A connection that was open for so long was no failure, even if the
	// server had nothing to say.
	healthyAfter = 10 * time.Second
)

// listen keeps the stream open on which the server speaks unasked. settled is
// called when the first answer is there.
func (t *Transport) listen(settled func()) {
	defer settled()
	f := reconnector{
		onResponse: settled,
		t:          t,
		purpose:    "listen",
		onMessage:  func([]byte, jsonrpc.Envelope) {},
		satisfied:  func() bool { return false },
	}
	// The reports of its exchanges say why it ended. A server that answered 404
	// from the start has no such stream at all (2025-03-26 wants 405 for that).
	err := f.run(0)
	if errors.Is(err, ErrSessionExpired) && f.opened && t.config.Expired != nil {
		t.config.Expired(err)
	}
}

// resume goes on with the stream of a POST until nothing is awaited any more
// (2025-03-26, transports, "Resumability and Redelivery").
func (p *post) resume(s stream) error {
	f := reconnector{
		t:         p.t,
		purpose:   "resume",
		stream:    s,
		onMessage: p.pending.removeAnswered,
		satisfied: func() bool { return len(p.pending) == 0 },
	}
	return f.run(s.delay(0))
}

// reconnector reads a stream by GET, connection after connection.
type reconnector struct {
	t          *Transport
	purpose    string
	stream     stream
	onMessage  onMessage
	onResponse func() // called when the head of an answer is there; may be nil
	satisfied  func() bool
	opened     bool // a connection has given a stream
}

// run connects after the given time and again whenever the connection breaks,
// until it is satisfied, the server refuses, or five connections in a row came
// to nothing. A stream to listen on that was open once is tried as long as the
// server cannot be reached: it may be restarting.
func (f *reconnector) run(wait time.Duration) error {
	for failures, unreachable := 0, 0; ; {
		if !f.t.pause(wait) {
			return errClosed
		}
		f.stream.open, f.stream.progressed = false, false
		start := time.Now()
		err := f.connect(failures+1 == maxAttempts)
		switch {
		case f.t.closed():
			return errClosed
		case f.satisfied():
			return nil
		case isFinal(err):
			return err
		case f.stream.progressed, f.stream.open && time.Since(start) > healthyAfter:
			failures, unreachable = 0, 0
		case f.purpose == "listen" && f.opened && rpchttp.IsUnreachable(err):
			unreachable++
		default:
			if failures++; failures == maxAttempts {
				return err
			}
		}
		wait = f.stream.delay(failures + unreachable)
	}
}

// pause waits. It reports false when Close has been called: what breaks from
// then on stays broken.
func (t *Transport) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		t.mu.Lock()
		defer t.mu.Unlock()
		return !t.closing
	case <-t.life.Done():
		return false
	}
}

// connect reads one connection to its end. A stream that ends without having
// brought anything is an error. The last try says so in its report.
func (f *reconnector) connect(last bool) error {
	header := f.t.header(http.MethodGet, nil)
	// The user may ask for an id to resume after, but only for the first
	// connection: then there are newer ones.
	if f.stream.lastID != "" {
		rpchttp.DeleteHeader(header, resumeHeader)
		header[resumeHeader] = []string{f.stream.lastID}
	}
	ex := f.t.exchange(f.purpose, http.MethodGet, header, nil)
	remark := ""
	if last {
		remark = fmt.Sprintf("; given up after %d tries", maxAttempts)
	}
	if !f.opened {
		ex.Note = remark
	}
	ex, err := ex.RoundTrip(f.t.life)
	if err != nil {
		return err
	}
	ex.Note = remark
	if f.onResponse != nil {
		f.onResponse()
	}
	switch {
	case !ex.OK():
		return f.readStatusError(ex)
	case ex.MediaType() != rpchttp.StreamType:
		return f.readWrongType(ex)
	}
	f.opened = true
	err = events(ex, &f.stream, f.onMessage)
	if err == nil && !f.stream.progressed && !f.satisfied() {
		err = errNoNewEvent
	}
	told := err
	if errors.Is(err, errNoNewEvent) && !last {
		told = nil // nothing broke: servers may end a stream when they like
	}
	ex.Finish(told)
	return err
}

// statusErr handles a status that is no success. That there is no stream to
// listen on is no fault.
func (f *reconnector) readStatusError(ex *rpchttp.Exchange) error {
	body, _ := ex.Read(rpchttp.HeadLimit) // the status matters more than how its body ends
	err := statusError(ex, body)
	if f.purpose == "listen" && ex.Report.Status == http.StatusMethodNotAllowed {
		ex.Finish(nil)
		return err
	}
	ex.Finish(err)
	return err
}

// readWrongType handles a success that is no stream. What came is shown all the same.
func (f *reconnector) readWrongType(ex *rpchttp.Exchange) error {
	body, err := ex.Read(rpchttp.BodyLimit)
	if !isBlank(body) {
		e := ex.Deliver(body, err != nil, "", "")
		if err == nil {
			f.onMessage(body, e)
		}
	}
	wrong := ex.ContentError(body)
	ex.Finish(wrong)
	return wrong
}

// isFinal reports whether a further try is pointless: the server has answered,
// and not with a failure that passes.
func isFinal(err error) bool {
	var status *transport.StatusError
	if errors.As(err, &status) {
		switch status.Status {
		case http.StatusRequestTimeout, http.StatusTooManyRequests:
			return false
		}
		return status.Status < 500 || status.Status == http.StatusNotImplemented
	}
	var content *ContentError
	return errors.As(err, &content) || errors.Is(err, sse.ErrTooLong)
}
