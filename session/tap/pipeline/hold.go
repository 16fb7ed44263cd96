package pipeline

import (
	"context"
	"fmt"

	"mcptea/client/transport"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// hold is the stage of breakpoints and faults: it passes a frame to the gate, and writes the outcome. While
// there are none, it writes the line immediately.
func (d *Direction) hold(ctx context.Context, f transport.Frame, line []byte) {
	ticket := d.lane.Take(ctx, f, store.None)
	if ticket == nil {
		d.writeLine(line)
		return
	}
	ending := "\n"
	if n := len(line); n > 1 && line[n-2] == '\r' {
		ending = "\r\n"
	}
	d.queue.Sync() // the row of the frame is known then
	ticket.SetRow(d.row.Load())
	ticket.Move(ctx, func(o intercept.Outcome) {
		for _, frame := range o.Frames {
			d.writeLine(append(frame[:len(frame):len(frame)], ending...))
		}
		for _, frame := range o.Replies {
			if !d.Back.Reply(append(frame[:len(frame):len(frame)], '\n'), transport.Injected) && d.Note != nil {
				d.Note(fmt.Sprintf("a response by hand was dropped: %d messages wait for the end of a line that the host or the server has begun", maxReplies))
			}
		}
	})
}
