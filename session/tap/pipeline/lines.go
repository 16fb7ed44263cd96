package pipeline

import (
	"bytes"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

const (
	// MaxFrame is the size from which on a line is recorded in pieces.
	MaxFrame = 64 << 20
	// MaxStderr bounds a line of stderr.
	MaxStderr = 64 << 10
)

// Lines cuts a stream into lines. It is a [store.LineSink].
type Lines struct {
	Max  int // the size from which on a line is cut into pieces
	Take func(at time.Time, l Line)

	side    transport.Side // side of the lines that end now
	origin  Origin
	scanned *jsonrpc.Envelope // envelope of the line that ends next, or nil
	whole   bool              // the input is one frame, regardless of line ends in it
	part    []byte            // the beginning of a line
}

// Line is a line of a stream, or a piece of one.
type Line struct {
	Text      []byte // without its ending
	Ending    string // "\n", "\r\n", or "" if the line has no ending
	Truncated bool   // the end of the line is not there
	// Scanned is the envelope of Text, or nil if it was not scanned yet.
	Scanned *jsonrpc.Envelope
}

// lineOf returns a line whose last byte ends it.
func lineOf(b []byte) Line {
	if n := len(b); n > 1 && b[n-2] == '\r' {
		return Line{Text: b[:n-2], Ending: "\r\n"}
	}
	return Line{Text: b[:len(b)-1], Ending: "\n"}
}

// Write takes the next bytes of the stream.
func (l *Lines) Write(at time.Time, b []byte) { l.WriteScanned(at, b, nil) }

// WriteScanned takes the next lines of the stream, whole, with the envelope of each.
func (l *Lines) WriteScanned(at time.Time, b []byte, scanned []jsonrpc.Envelope) {
	for len(b) > 0 && !l.whole {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		text := b[:i+1]
		b = b[i+1:]
		if len(l.part) > 0 {
			l.part = append(l.part, text...)
			text = l.part
		}
		line := lineOf(text)
		if len(scanned) > 0 {
			line.Scanned, scanned = &scanned[0], scanned[1:]
		} else {
			line.Scanned, l.scanned = l.scanned, nil
		}
		l.Take(at, line)
		l.part = l.part[:0]
	}
	l.part = append(l.part, b...)
	for len(l.part) >= l.Max && !l.whole {
		l.Take(at, Line{Text: l.part[:l.Max], Truncated: true})
		l.part = append(l.part[:0], l.part[l.Max:]...)
	}
	if len(l.part) == 0 && cap(l.part) > 4<<20 {
		l.part = nil
	}
}

// begin sets the known data about the next frame. scanned may be nil. A frame with an origin continues until
// finish.
func (l *Lines) begin(side transport.Side, of Origin, scanned *jsonrpc.Envelope) {
	l.side, l.origin, l.whole, l.scanned = side, of, of != (Origin{}), scanned
}

// finish ends a frame that begin has started, even if its last line has no ending: the next line does not
// continue it.
func (l *Lines) finish(at time.Time) {
	if l.whole || len(l.part) > 0 {
		text := l.part
		l.part = nil
		l.Take(at, Line{Text: text, Truncated: !l.whole, Scanned: l.scanned})
	}
	l.side, l.origin, l.whole, l.scanned = transport.Both, Origin{}, false, nil
}

// End takes the last line, which has no line ending.
func (l *Lines) End() {
	if len(l.part) > 0 {
		l.Take(time.Now(), Line{Text: l.part, Truncated: true})
		l.part = nil
	}
}

// frames returns a sink that records the lines of a direction as frames, and the variable that holds the row of
// the newest one.
func (r *Recorder) frames(dir transport.Direction) (sink *Lines, row *atomic.Int32) {
	row = new(atomic.Int32)
	sink = &Lines{Max: MaxFrame}
	sink.Take = func(at time.Time, l Line) {
		f := transport.Frame{Bytes: l.Text, Time: at, Dir: dir, Ending: l.Ending, Truncated: l.Truncated, Note: transport.Note{Side: sink.side}}
		if l.Scanned != nil {
			f.Envelope = *l.Scanned
		} else {
			f.Envelope = jsonrpc.Scan(l.Text)
		}
		if sink.origin != (Origin{}) {
			f.Exchange, f.EventID, f.EventName, f.Ending = sink.origin.Exchange, sink.origin.EventID, sink.origin.EventName, ""
		}
		row.Store(r.Frame(f))
	}
	return sink, row
}
