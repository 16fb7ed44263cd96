package tap

import (
	"bytes"
	"io"

	"mcptea/session/intercept"
)

// pump passes a stream on: bytes as they come while the gate is open, else unit by unit,
// each a line or an event.
type pump struct {
	src  io.Reader
	size int             // how much is read at a time
	ends ends            // of the units
	open func() bool     // the units are not looked at
	lane *intercept.Lane // nil until there is one
	pass func(b []byte)  // passes on bytes as they are
	unit func(raw []byte)

	part []byte // the beginning of a unit that is not passed on yet
}

// ends finds the ends of units. The bytes that a method gets are taken.
type ends interface {
	// next returns the position after the first unit of b that ends there, or -1.
	next(b []byte) int
	// skip takes bytes without looking for positions.
	skip(b []byte)
	// fresh reports that no unit has begun.
	fresh() bool
}

// run passes the stream on until it ends, with the error of src, or until failed reports
// an error. Frames that are held then go on before it returns, or when their context ends.
func (p *pump) run(failed func() bool) (err error) {
	for buf := make([]byte, p.size); err == nil && !failed(); {
		var n int
		n, err = p.src.Read(buf)
		p.move(buf[:n])
	}
	p.rest() // an incomplete unit at the end
	if p.lane != nil {
		p.lane.Wait()
	}
	return err
}

// rest passes on the beginning of a unit that is not waited for any more.
func (p *pump) rest() {
	if len(p.part) > 0 {
		p.pass(p.part)
		p.part = nil
	}
}

// move passes on the bytes of one read.
func (p *pump) move(b []byte) {
	for len(b) > 0 {
		if p.open() {
			p.rest()
			p.ends.skip(b)
			p.pass(b)
			return
		}
		whole := p.ends.fresh() || len(p.part) > 0 // not the rest of a unit that has passed in part
		end := p.ends.next(b)
		switch {
		case !whole && end < 0:
			p.pass(b)
			return
		case !whole:
			p.pass(b[:end])
		case end < 0:
			if p.part = append(p.part, b...); len(p.part) > maxFrame {
				p.rest()
			}
			return
		default:
			p.unit(append(p.part, b[:end]...))
			p.part = nil
		}
		b = b[end:]
	}
}

// lineEnds finds the ends of lines.
type lineEnds struct{ inside bool }

func (l *lineEnds) fresh() bool { return !l.inside }

func (l *lineEnds) next(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if l.inside = i < 0; l.inside {
		return -1
	}
	return i + 1
}

func (l *lineEnds) skip(b []byte) { l.inside = b[len(b)-1] != '\n' }
