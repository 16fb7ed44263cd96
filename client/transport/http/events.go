package http

import (
	"errors"
	"io"
)

// events reads the body as an event stream until it ends; a clean end is not an
// error. take is called with each complete event, whose bytes are valid during the
// call, and ends the reading by an error. An event that the end cut off is delivered
// as a truncated frame only.
func (ex *Exchange) events(receive func(Event) error) error {
	r := NewEventReader(&ex.received)
	for {
		e, err := r.Next()
		switch {
		case err == nil:
			ex.countEvent(e)
			if err := receive(e); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF):
			return nil
		}
		if torn := e.Data; torn != nil {
			ex.deliver(torn, true, e.ID, e.Name)
		} else if len(e.Raw) > 0 && !e.HasComment {
			ex.deliver(e.Raw, true, e.ID, e.Name)
		}
		if errors.Is(err, ErrEventTooLong) {
			return err
		}
		return ex.bodyError(err)
	}
}

// countEvent updates the report with an event.
func (ex *Exchange) countEvent(e Event) {
	if e.Data != nil || e.HasID || e.HasRetry || e.Name != "" { // the block is not only a comment
		ex.Report.Events++
	}
	if e.HasID {
		ex.Report.LastEventID = e.ID
	}
	if e.HasRetry {
		ex.Report.Retry = e.Retry
	}
}
