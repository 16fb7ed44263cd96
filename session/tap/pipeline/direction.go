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
	// First decides about whole lines before the other stages. It calls them with [Direction.Lines],
	// [Direction.Frame] or [Direction.Drop]. If First is nil, bytes are forwarded as they arrive, unless
	// another stage is needed.
	First func(ctx context.Context, c *Chunk)
	// Torn is called instead of First with a last line without an ending, and with the pieces of a line that is
	// too long.
	Torn func(ctx context.Context, f *transport.Frame)
	// At returns the arrival time of the bytes that were read last. Nil is the current time.
	At func() time.Time
	// Deliver writes lines instead of Dst; recorded reports that they are in the recording. Nil writes to Dst.
	Deliver func(line []byte, recorded bool) error
	// Late reports that Deliver itself records lines that are not recorded yet, with the information that it
	// gets about them.
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

// maxReplies bounds the lines that wait while the sender of the direction has written only a part of a line:
// more than commands send at a time. Another request of a command is refused, and another response by hand is
// dropped, which the recording notes.
const maxReplies = 1000

// reply is a line that the sender of the direction has not written.
type reply struct {
	line []byte
	side transport.Side
	why  string // reason for the recording, or "" for the user
	// shown is recorded instead of line, which contains a secret; nil to record line.
	shown []byte
}

// Origin is the HTTP exchange, and the event, that carried a frame.
type Origin struct {
	Exchange           uint32
	EventID, EventName string
}

// pumpSize is the number of bytes that are read at a time: more than a pipe holds.
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

// arrived returns the arrival time of the bytes that were read last.
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

// Record records a line, with its ending. A line from an HTTP exchange is one frame, even if it contains other
// line endings. scanned is the envelope of the line, or nil if it was not scanned.
func (d *Direction) Record(at time.Time, line []byte, scanned *jsonrpc.Envelope, side transport.Side, of Origin) {
	d.record(at, line, scanned, side, of, nil)
}

// record is Record, followed by the change of the frame, if any.
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

// Reply sends a line that the sender has not written: a response by hand, or a request of a command. It returns
// false if too many are already waiting.
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

// Lines forwards some lines of a chunk immediately and unchanged: they are recorded and written together. The
// direction must be open. deliver writes them instead of Dst; nil writes to Dst.
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

// Passage describes how a frame is forwarded, as decided by the first stage.
type Passage struct {
	Of Origin
	// Sent is the line that is forwarded instead of the frame, with its ending, or nil for the frame itself.
	Sent []byte
	Why  string        // reason why Sent is forwarded, or why the frame has waited, in a few words
	Held time.Duration // time for which the frame has waited
	// To writes the line instead of Deliver, while there are no breakpoints and faults. Nil leaves this to
	// Deliver.
	To func(line []byte) error
}

// change returns the change of the frame, or nil if it is forwarded immediately and unchanged.
func (p *Passage) change() *record.Change {
	switch {
	case p.Sent != nil:
		return &record.Change{What: record.Edited, Why: p.Why, Held: p.Held, Sent: [][]byte{bytes.TrimRight(bytes.Clone(p.Sent), "\r\n")}}
	case p.Held > 0:
		return &record.Change{What: record.Forwarded, Why: p.Why, Held: p.Held}
	}
	return nil
}

// Frame forwards a frame, which is a line with its ending, through the stages: it takes out the part that is
// for a command, and records, holds and writes the rest.
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

// takenByCommand takes the part of a server frame that is for a command, and forwards the rest of a batch.
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

// Bytes forwards whole lines immediately and unchanged. The direction must be open.
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
