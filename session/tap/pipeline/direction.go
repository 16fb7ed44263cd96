package pipeline

import (
	"bytes"
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
)

// Direction is one direction of a connection over stdio: its stages in their order. Its fields are
// set before the first frame.
type Direction struct {
	Dir transport.Direction
	Dst io.Writer
	// First decides about whole lines before the other stages, which it calls with [Direction.Lines],
	// [Direction.Frame] or [Direction.Drop]. Nil is no such stage: bytes pass as they come while no other
	// one is needed.
	First func(ctx context.Context, c *Chunk)
	// Torn takes in place of First a last line without its end, and the pieces of one that is too long.
	Torn func(ctx context.Context, f *transport.Frame)
	// At is when what was read last has come; nil is now.
	At func() time.Time
	// Deliver takes lines in place of Dst; recorded says that they are in the recording. Nil is Dst.
	Deliver func(line []byte, recorded bool) error
	// Late says that Deliver records what is not recorded, with what it learns of it.
	Late bool
	// Back is the other direction, for responses by hand.
	Back *Direction
	// Shared takes frames of the server that are for a command; nil without.
	Shared *Shared
	// Note adds a sentence to the recording, or nil.
	Note func(text string)

	recorder *Recorder
	queue    *store.Queue
	sink     *Lines
	row      *atomic.Int32 // row of the newest frame
	gate     *intercept.Gate
	lane     *intercept.Lane

	recording sync.Mutex // a line and its side go to the queue together

	mu      sync.Mutex // guards Dst and the fields below
	err     error      // why Dst cannot be written
	midLine bool       // the last forwarded byte is not the end of a line
	replies []reply    // replies that wait for the end of the line; at most maxReplies
}

// NewDirection returns a direction whose frames are recorded through a queue, and held by a gate; a
// nil gate holds none.
func NewDirection(dir transport.Direction, r *Recorder, q *store.Queue, gate *intercept.Gate) *Direction {
	d := &Direction{Dir: dir, recorder: r, queue: q, gate: gate}
	d.sink, d.row = r.frames(dir)
	if gate != nil {
		d.lane = gate.NewLane("")
	}
	return d
}

// InSession makes the held frames of the direction frames of one of several sessions.
func (d *Direction) InSession(label string) {
	if d.gate != nil {
		d.lane = d.gate.NewLane(label)
	}
}

// maxReplies bounds the lines that wait while the sender of the direction has written a part of a
// line only: more than commands send at a time. A further request of a command is refused, and
// another response by hand is dropped, which the recording says.
const maxReplies = 1000

// reply is a line that the sender of the direction has not written.
type reply struct {
	line []byte
	side transport.Side
	why  string // reason for the recording, or "" for the user
	// shown is recorded in place of line, which has a secret; nil for line.
	shown []byte
}

// Origin is where a frame came with an HTTP exchange.
type Origin struct {
	Exchange           uint32
	EventID, EventName string
}

// pumpSize is how much is read at a time: more than a pipe holds.
const pumpSize = 256 << 10

// Run copies src until it ends or Dst cannot be written, and returns the error of Dst.
func (d *Direction) Run(ctx context.Context, src io.Reader) error {
	p := Pump{Src: src, Size: pumpSize, Ends: &lineEnds{}, Lane: d.lane, Pass: d.pass, Open: d.IsOpen}
	p.Unit = func(line []byte) { d.line(ctx, line) }
	if d.First != nil {
		p.Ends, p.Open = &lineEnds{many: true}, func() bool { return false }
		p.Pass = func(b []byte) {
			d.Torn(ctx, &transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: d.arrived(), Dir: d.Dir, Truncated: true})
		}
		var c Chunk
		p.Unit = func(lines []byte) {
			for at := d.arrived(); len(lines) > 0; {
				lines = c.Scan(d.Dir, at, lines)
				d.First(ctx, &c)
			}
		}
	}
	_ = p.Run(func() bool { return d.failure() != nil }) // the end of src
	return d.failure()
}

// arrived is when what was read last has come.
func (d *Direction) arrived() time.Time {
	if d.At == nil {
		return time.Now()
	}
	return d.At()
}

// IsOpen reports whether frames need not be looked at: no breakpoint, fault or command concerns one.
func (d *Direction) IsOpen() bool { return !d.gate.Active() && !d.Shared.looks() }

// End records a last line without its end.
func (d *Direction) End() { d.queue.Call(d.sink.End) }

// pass records bytes and writes them, in this order: a response is recorded later
// than its request.
func (d *Direction) pass(b []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue.PutBeside(d.sink, time.Now(), b, nil, d.write)
	d.midLine = b[len(b)-1] != '\n'
	for !d.midLine && len(d.replies) > 0 {
		d.inject(d.replies[0])
		d.replies = d.replies[1:]
	}
}

// inject records a line that the sender has not written, and writes it. The caller holds
// the lock; the last byte that was recorded ended a line.
func (d *Direction) inject(r reply) {
	var c *record.Change
	if r.why != "" {
		c = &record.Change{What: record.Added, Why: r.why}
	}
	shown := r.line
	if r.shown != nil {
		shown = r.shown
	}
	d.record(time.Now(), shown, nil, r.side, Origin{}, c)
	d.write(r.line)
}

// Record records a line, with its end. What has come with an HTTP exchange may have further line ends,
// and is one frame. scanned is what is in the line; nil if it was not scanned.
func (d *Direction) Record(at time.Time, line []byte, scanned *jsonrpc.Envelope, side transport.Side, of Origin) {
	d.record(at, line, scanned, side, of, nil)
}

// record is Record, followed by what has become of the frame; nil for nothing.
func (d *Direction) record(at time.Time, line []byte, scanned *jsonrpc.Envelope, side transport.Side, of Origin, c *record.Change) {
	d.recording.Lock()
	defer d.recording.Unlock()
	if side == transport.Both && of == (Origin{}) && scanned != nil {
		d.queue.PutScanned(d.sink, at, line, []jsonrpc.Envelope{*scanned})
	} else {
		d.recordNoted(at, line, scanned, side, of)
	}
	if c != nil {
		now := time.Now()
		d.queue.Call(func() {
			c.Row = d.row.Load()
			d.recorder.Change(now, c)
		})
	}
}

// recordNoted records a line, with its scanned envelope and its origin if they are known.
func (d *Direction) recordNoted(at time.Time, line []byte, scanned *jsonrpc.Envelope, side transport.Side, of Origin) {
	if of != (Origin{}) {
		line = bytes.TrimSuffix(line, []byte("\n"))
	}
	var kept *jsonrpc.Envelope // the frame of the caller is not
	if scanned != nil {
		kept = new(*scanned)
	}
	d.queue.Call(func() { d.sink.begin(side, of, kept) })
	d.queue.Put(d.sink, at, line)
	d.queue.Call(func() { d.sink.finish(at) })
}

// Reply sends a line that the sender has not written: a response by hand, or a request of a
// command. It is false if too many wait already.
func (d *Direction) Reply(line []byte, side transport.Side) bool {
	return d.reply(reply{line: line, side: side})
}

// Inject is Reply for a line of mcptea itself, and records why there is one. A line that has a secret
// is recorded as shown; nil is the line.
func (d *Direction) Inject(line []byte, why string, shown []byte) bool {
	return d.reply(reply{line, transport.Injected, why, shown})
}

func (d *Direction) reply(r reply) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
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

// line forwards one line, with its ending.
func (d *Direction) line(ctx context.Context, line []byte) {
	l := lineOf(line)
	f := transport.Frame{Bytes: l.Text, Envelope: jsonrpc.Scan(l.Text), Time: time.Now(), Dir: d.Dir, Ending: l.Ending}
	d.Frame(ctx, f, line, Passage{})
}

// Lines forwards some lines of a chunk as they are and at once: they are recorded and written together.
// The direction is open, and deliver writes them in place of Dst; nil does not.
func (d *Direction) Lines(c *Chunk, from, to int, deliver func(lines []byte) error) {
	lines, scanned := c.part(from, to)
	d.mu.Lock()
	defer d.mu.Unlock()
	write := d.write
	if deliver != nil {
		write = func(b []byte) { _ = deliver(b) } // the end of a server is not the end of the direction
	}
	d.queue.PutBeside(d.sink, c.at, lines, scanned, write)
}

// Passage is what the first stage knows of a frame that goes on.
type Passage struct {
	Of Origin
	// Sent is the line that goes on in place of the frame, with its end; nil for the frame itself.
	Sent []byte
	Why  string        // Sent goes on, or the frame has waited, in a few words
	Held time.Duration // time for which the frame has waited
	// To takes the line in place of Deliver, while there are no breakpoints and faults; nil does not.
	To func(line []byte) error
}

// change returns what has become of the frame; nil if it goes on at once as it is.
func (p *Passage) change() *record.Change {
	switch {
	case p.Sent != nil:
		return &record.Change{What: record.Edited, Why: p.Why, Held: p.Held, Sent: [][]byte{bytes.TrimRight(bytes.Clone(p.Sent), "\r\n")}}
	case p.Held > 0:
		return &record.Change{What: record.Forwarded, Why: p.Why, Held: p.Held}
	}
	return nil
}

// Frame forwards a frame, which is a line with its ending, through the stages: what is for a command
// is taken out, the rest is recorded, held, and written.
func (d *Direction) Frame(ctx context.Context, f transport.Frame, line []byte, p Passage) {
	if d.takenByCommand(f, line, p.Of) {
		return
	}
	if d.Late && p.Sent == nil && !d.lane.IsActive() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.deliver(line, false)
		return
	}
	sent := line
	if p.Sent != nil {
		sent = p.Sent
	}
	if !d.lane.IsActive() {
		d.mu.Lock() // frames are recorded in the order in which they are written
		defer d.mu.Unlock()
		d.record(f.Time, line, &f.Envelope, transport.Both, p.Of, p.change())
		if p.To != nil {
			_ = p.To(sent) // the end of a server is not the end of the direction
		} else {
			d.write(sent)
		}
		return
	}
	d.record(f.Time, line, &f.Envelope, transport.Both, p.Of, p.change())
	if p.Sent != nil {
		f.Bytes = bytes.TrimRight(sent, "\r\n")
		f.Envelope = jsonrpc.Scan(f.Bytes)
	}
	d.hold(ctx, f, sent)
}

// Command records and forwards a line of a command that uses the connection, past the other stages.
func (d *Direction) Command(f transport.Frame, line []byte, p Passage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.record(f.Time, line, &f.Envelope, transport.Attached, p.Of, p.change())
	if p.To != nil {
		_ = p.To(line) // the end of a server is not the end of the direction
	} else {
		d.write(line)
	}
}

// Own records a line of the tap itself, which send sends, in one order with the other lines.
func (d *Direction) Own(line []byte, send func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.Record(time.Now(), line, nil, transport.Own, Origin{})
	return send()
}

// takenByCommand takes what is for a command that uses the connection out of a frame of the server,
// and forwards the rest of a batch.
func (d *Direction) takenByCommand(f transport.Frame, line []byte, of Origin) bool {
	if !d.Shared.looks() {
		return false
	}
	taken, rest := d.Shared.receive(f.Bytes, f.Envelope)
	if !taken {
		return false
	}
	d.Record(f.Time, line, &f.Envelope, transport.Attached, of)
	if rest != nil {
		d.writeLine(append(rest, '\n'))
	}
	return true
}

// Drop records a frame that does not go on, and why.
func (d *Direction) Drop(f transport.Frame, line []byte, why string, of Origin) {
	d.record(f.Time, line, &f.Envelope, transport.Withheld, of, &record.Change{What: record.Dropped, Why: why, Sent: [][]byte{}})
}

// Bytes forwards whole lines as they are and at once. The direction is open.
func (d *Direction) Bytes(at time.Time, lines []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue.PutBeside(d.sink, at, lines, nil, d.write)
}

// DropLines is Drop for some lines of a chunk.
func (d *Direction) DropLines(c *Chunk, from, to int, why string) {
	lines, scanned := c.part(from, to)
	d.recording.Lock()
	defer d.recording.Unlock()
	now := time.Now()
	d.queue.Call(func() { d.sink.begin(transport.Withheld, Origin{}, nil) })
	d.queue.PutScanned(d.sink, c.at, lines, scanned)
	d.queue.Call(func() {
		d.sink.finish(now)
		newest := d.row.Load()
		for row := newest - int32(to-from) + 1; row <= newest && newest != store.None; row++ {
			d.recorder.Change(now, &record.Change{Row: row, What: record.Dropped, Why: why, Sent: [][]byte{}})
		}
	})
}

// writeLine writes a line that is recorded already.
func (d *Direction) writeLine(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.write(line)
}

// write writes a line that is recorded, and does nothing once that has failed. The caller holds
// the lock.
func (d *Direction) write(b []byte) { d.deliver(b, true) }

func (d *Direction) deliver(b []byte, recorded bool) {
	switch {
	case d.err != nil:
	case d.Deliver != nil:
		d.err = d.Deliver(b, recorded)
	default:
		_, d.err = d.Dst.Write(b)
	}
}

func (d *Direction) failure() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.err
}
