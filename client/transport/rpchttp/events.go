package rpchttp

import (
	"errors"
	"io"

	"mcptea/client/transport/sse"
)

// Events reads the event stream that is the body until it ends; a clean end is
// no error. take is told of every whole event, whose bytes are only lent, and
// ends the reading with an error of its own. An event that the end cut off is
// delivered as a torn frame and not taken: it has not happened.
func (ex *Exchange) Events(take func(sse.Event) error) error {
	r := sse.NewReader(&ex.received)
	for {
		e, err := r.Next()
		switch {
		case err == nil:
			ex.countEvent(e)
			if err := take(e); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		}
		if torn := e.Data; torn != nil {
			ex.Deliver(torn, true, e.ID, e.Name)
		} else if len(e.Raw) > 0 && !e.HasComment {
			ex.Deliver(e.Raw, true, e.ID, e.Name)
		}
		if errors.Is(err, sse.ErrTooLong) {
			return err
		}
		return ex.bodyError(err)
	}
}

// countEvent takes into the report what an event says of its stream.
func (ex *Exchange) countEvent(e sse.Event) {
	if e.Data != nil || e.HasID || e.HasRetry || e.Name != "" { // a comment is none
		ex.Report.Events++
	}
	if e.HasID {
		ex.Report.LastEventID = e.ID
	}
	if e.HasRetry {
		ex.Report.Retry = e.Retry
	}
}
