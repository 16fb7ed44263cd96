package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

type write struct {
	bytes []byte // frame with the newline
	other bool   // bytes are in another framing, without a newline
	// scanned is the envelope of bytes; nil for a frame that was not scanned.
	scanned *jsonrpc.Envelope
	note    transport.Note
	done    chan error
}

func (t *Transport) readStdout() {
	defer t.wg.Done()
	in := newLines(t.stdout, maxLine)
	in.clock = t.now
	t.stdoutLines.Store(in)
	if r, ok := t.receiver.(transport.LineReceiver); ok {
		t.readLines(in, r)
	} else {
		t.readFrames(in)
	}
	close(t.stdout.end)
	t.report(transport.ProcessStdoutClosed, "")
	t.afterStdout()
}

// readFrames delivers line by line until the end.
func (t *Transport) readFrames(in *lines) {
	var f flood
	for {
		l, err := in.next()
		if err != nil {
			return
		}
		f.count(t, 1, in.at)
		t.deliver(in, l)
	}
}

// readLines delivers the lines of each read, until the end.
func (t *Transport) readLines(in *lines, r transport.LineReceiver) {
	var f flood
	for {
		lines, part, err := in.all()
		switch {
		case err != nil:
			return
		case lines == nil:
			t.deliver(in, part)
			continue
		}
		f.count(t, bytes.Count(lines, []byte("\n")), in.at)
		r.Lines(in.at, lines)
		t.stdout.delivered()
	}
}

// deliver reports a line as a frame.
func (t *Transport) deliver(in *lines, l line) {
	t.receiver.Frame(transport.Frame{
		Bytes: l.text, Envelope: jsonrpc.Scan(l.text), Time: in.at,
		Dir: transport.In, Ending: l.ending, Truncated: l.truncated, Own: l.owned,
	})
	t.stdout.delivered()
}

// Unfinished implements [transport.Unfinisher].
func (t *Transport) Unfinished() int64 {
	if in := t.stdoutLines.Load(); in != nil {
		return in.open.Load()
	}
	return 0
}

// A server that writes this many lines in this time, and receives nothing in the meantime, does not wait
// for responses.
const (
	floodLines = 256
	floodTime  = 10 * time.Millisecond
)

// flood finds out whether a server writes without waiting.
type flood struct {
	lines int // since
	since time.Time
	sent  int64 // frames by then
}

// count counts lines that were read.
func (f *flood) count(t *Transport, lines int, at time.Time) {
	if f.lines += lines; f.lines < floodLines {
		return
	}
	sent := t.sent.Load()
	t.stdout.linger(at.Sub(f.since) < floodTime && sent == f.sent)
	f.lines, f.since, f.sent = 0, at, sent
}

// now returns the time of a frame, which the exit of the process is not before.
func (t *Transport) now() time.Time {
	now := time.Now()
	for {
		newest := t.newest.Load()
		if newest >= now.UnixNano() || t.newest.CompareAndSwap(newest, now.UnixNano()) {
			return now
		}
	}
}

func (t *Transport) readStderr() {
	defer t.wg.Done()
	defer close(t.stderr.end)
	in := newLines(t.stderr, 64<<10)
	for {
		l, err := in.next()
		if err != nil {
			return
		}
		t.receiver.Stderr(transport.Line{Time: in.at, Text: string(l.text)})
		t.stderr.delivered()
	}
}

// writeStdin writes the frames. No other goroutine writes, so frames are never interleaved.
func (t *Transport) writeStdin() {
	defer t.wg.Done()
	for {
		select {
		case w := <-t.queue:
			if t.hasEnded() {
				w.done <- t.closedErr() // do not write the frame: the server cannot respond
				continue
			}
			w.done <- t.writeFrame(w)
		case <-t.quit:
			return
		}
	}
}

// writeFrame reports and writes a frame.
func (t *Transport) writeFrame(w write) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	text, ending := w.bytes, ""
	if !w.other {
		text, ending = text[:len(text)-1], "\n"
	}
	sent := transport.Outgoing{Bytes: text, Scanned: w.scanned}
	t.receiver.Frame(transport.Frame{
		Bytes: text, Envelope: sent.Envelope(), Time: t.now(),
		Dir: transport.Out, Ending: ending, Note: w.note,
	})
	t.sent.Add(1)
	if err := t.writePieces(w.bytes); err != nil {
		return t.writeError(err)
	}
	return nil
}

// SendLines implements [transport.LineSender].
func (t *Transport) SendLines(lines []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	if t.hasEnded() {
		return t.closedErr()
	}
	t.now() // a lower bound for the time of the exit
	t.sent.Add(1)
	if err := t.writePieces(lines); err != nil {
		return t.writeError(err)
	}
	return nil
}

// writePieces writes a frame, in pieces if the configuration says so.
func (t *Transport) writePieces(b []byte) error {
	for t.cfg.Piece > 0 && len(b) > t.cfg.Piece {
		if _, err := t.stdin.Write(b[:t.cfg.Piece]); err != nil {
			return err
		}
		b = b[t.cfg.Piece:]
		select {
		case <-time.After(t.cfg.PieceInterval):
		case <-t.quit:
			return errClosed
		}
	}
	_, err := t.stdin.Write(b)
	return err
}

// Send implements [transport.Transport]. While the server does not read, it blocks until ctx ends. For a frame
// with a line break without a reason, the error is a *[transport.BreakError].
func (t *Transport) Send(ctx context.Context, frame transport.Outgoing) error {
	if err := frame.Refused(); err != nil {
		return err
	}
	text := append(append(make([]byte, 0, len(frame.Bytes)+1), frame.Bytes...), '\n')
	return t.queued(ctx, write{bytes: text, scanned: frame.Scanned, note: frame.Note, done: make(chan error, 1)})
}

// SendFramed sends a message in the framing of the base protocol of language servers, with a header that
// contains its length. MCP does not have it: if the server responds, it expects this framing.
func (t *Transport) SendFramed(ctx context.Context, frame transport.Outgoing) error {
	text := fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(frame.Bytes), frame.Bytes)
	return t.queued(ctx, write{bytes: text, other: true, note: frame.Note, done: make(chan error, 1)})
}

// queued queues a frame, and waits until it is written.
func (t *Transport) queued(ctx context.Context, w write) error {
	if t.hasEnded() {
		return t.closedErr()
	}
	select {
	case t.queue <- w:
	case <-t.done:
		return t.closedErr()
	case <-t.quit:
		return errClosed
	case <-ctx.Done():
		return fmt.Errorf("the server does not read its stdin: %w", ctx.Err())
	}
	select {
	case err := <-w.done:
		return err
	case <-t.done:
		return t.afterExit(w)
	case <-ctx.Done():
		return fmt.Errorf("the server does not read its stdin: %w", ctx.Err())
	}
}

// afterExit returns the outcome of a write during which the process ended. A server may exit
// because of the frame that it just read.
func (t *Transport) afterExit(w write) error {
	timer := time.NewTimer(exitGrace)
	defer timer.Stop()
	select {
	case err := <-w.done:
		return err
	case <-timer.C:
		return t.closedErr()
	}
}

var errClosed = errors.New("the connection is closed")

// hasEnded reports whether the process has exited and all of its output is delivered.
func (t *Transport) hasEnded() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *Transport) closedErr() error {
	if err := t.Err(); err != nil {
		return err
	}
	return errClosed
}
