package tap

import (
	"context"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/intercept"
	"mcptea/session/record/store"
)

// direction is one direction of a connection over stdio, which a [pump] passes on.
type direction struct {
	dir   transport.Direction
	dst   io.Writer
	queue *store.Queue
	sink  *lines
	row   *atomic.Int32 // of the newest frame
	lane  *intercept.Lane
	back  *direction // the other one, for responses by hand
	// shared takes frames of the server that are for a command; nil without.
	shared *shared
	// note adds a sentence to the recording; nil without one.
	note func(text string)

	mu      sync.Mutex // of dst and what follows
	err     error      // why dst cannot be written
	midLine bool       // the last byte that went through is not the end of a line
	replies []reply    // that wait for the end of the line; at most maxReplies
}

// maxReplies bounds the lines that wait while the sender of the direction has written a part of a
// line only: more than commands send at a time. A further request of a command is refused, and a
// further response by hand is dropped, which the recording says.
const maxReplies = 1000

// reply is a line that the sender of the direction has not written.
type reply struct {
	line []byte
	side transport.Side
}

// pumpSize is how much is read at a time: more than a pipe holds.
const pumpSize = 256 << 10

// run copies src until it ends or dst cannot be written, and returns the error of dst.
func (d *direction) run(ctx context.Context, src io.Reader, gate *intercept.Gate) error {
	p := pump{
		src: src, size: pumpSize, ends: &lineEnds{}, lane: d.lane, pass: d.pass,
		open: func() bool { return !gate.Active() && !d.shared.looks() }, unit: func(line []byte) { d.line(ctx, line) },
	}
	_ = p.run(func() bool { return d.failure() != nil }) // the end of src
	return d.failure()
}

// pass records bytes and writes them, in this order: a response is recorded later
// than its request.
func (d *direction) pass(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue.PutBeside(d.sink, time.Now(), b, d.write)
	d.midLine = b[len(b)-1] != '\n'
	for !d.midLine && len(d.replies) > 0 {
		d.inject(d.replies[0])
		d.replies = d.replies[1:]
	}
}

// inject records a line that the sender has not written, and writes it. The caller holds
// the lock; the last byte that was recorded ended a line.
func (d *direction) inject(r reply) {
	d.record(time.Now(), r)
	d.write(r.line)
}

// record records a line.
func (d *direction) record(at time.Time, r reply) {
	d.queue.Call(func() { d.sink.side = r.side })
	d.queue.Put(d.sink, at, r.line)
	d.queue.Call(func() { d.sink.side = transport.Both })
}

// reply sends a line that the sender has not written: a response by hand, or a request of a
// command. It is false if too many wait already.
func (d *direction) reply(line []byte, side transport.Side) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := reply{line, side}
	switch {
	case !d.midLine:
		d.inject(r)
	case len(d.replies) < maxReplies:
		d.replies = append(d.replies, r)
	default:
		return false
	}
	return true
}

// line passes on one line, with its ending, once the gate lets it.
func (d *direction) line(ctx context.Context, line []byte) {
	now := time.Now()
	text, ending := line[:len(line)-1], "\n"
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text, ending = text[:n-1], "\r\n"
	}
	f := transport.Frame{Bytes: text, Envelope: jsonrpc.Scan(text), Time: now, Dir: d.dir, Ending: ending}
	if d.shared.looks() {
		if taken, rest := d.shared.receive(text, f.Envelope); taken {
			d.record(now, reply{line, transport.Attached})
			if rest != nil {
				d.writeLine(append(rest, ending...))
			}
			return
		}
	}
	d.queue.Put(d.sink, now, line)
	ticket := d.lane.Take(ctx, f, store.None)
	if ticket == nil {
		d.writeLine(line)
		return
	}
	d.queue.Sync() // the row of the frame is known then
	ticket.SetRow(d.row.Load())
	ticket.Move(ctx, func(o intercept.Outcome) {
		for _, frame := range o.Frames {
			d.writeLine(append(frame[:len(frame):len(frame)], ending...))
		}
		for _, frame := range o.Replies {
			if !d.back.reply(append(frame[:len(frame):len(frame)], '\n'), transport.Injected) && d.note != nil {
				d.note(fmt.Sprintf("a response by hand was dropped: %d messages wait for the end of a line that the host or the server has begun", maxReplies))
			}
		}
	})
}

// writeLine writes a line that is recorded already.
func (d *direction) writeLine(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write(line)
}

// write writes to dst, and does nothing once that has failed. The caller holds the lock.
func (d *direction) write(b []byte) {
	if d.err == nil {
		_, d.err = d.dst.Write(b)
	}
}

func (d *direction) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}
