package pipeline

import (
	"bytes"
	"io"

	"mcptea/session/intercept"
)

// Pump forwards a stream: bytes as they arrive while the gate is open, otherwise unit by unit, each a line or
// an event.
type Pump struct {
	Src  io.Reader
	Size int              // number of bytes that are read at a time
	Ends Ends             // ends of the units
	Open func() bool      // the units are not looked at
	Lane *intercept.Lane  // lane, or nil until there is one
	Pass func(b []byte)   // forwards bytes unchanged
	Unit func(raw []byte) // called with each unit, which is valid during the call

	part []byte // the beginning of a unit that is not forwarded yet
}

// Ends finds the ends of units. Each method consumes the bytes passed to it.
type Ends interface {
	// Next returns the position after the first unit of b that ends there, or -1.
	Next(b []byte) int
	// Skip consumes bytes without looking for the ends of units.
	Skip(b []byte)
	// Fresh reports that no unit has begun.
	Fresh() bool
}

// Run passes the stream on until it ends, with the error of Src, or until failed reports
// an error. Frames that are held then go on before it returns, or when their context ends.
func (p *Pump) Run(failed func() bool) (err error) {
	for buf := make([]byte, p.Size); err == nil && !failed(); {
		var n int
		n, err = p.Src.Read(buf)
		p.move(buf[:n])
	}
	p.rest() // an incomplete unit at the end
	if p.Lane != nil {
		p.Lane.Wait()
	}
	return err
}

// rest forwards the beginning of a unit whose end is no longer awaited.
func (p *Pump) rest() {
	if len(p.part) > 0 {
		p.Pass(p.part)
		p.part = nil
	}
}

// move forwards the bytes of one read.
func (p *Pump) move(b []byte) {
	for len(b) > 0 {
		if p.Open() {
			p.rest()
			p.Ends.Skip(b)
			p.Pass(b)
			return
		}
		whole := p.Ends.Fresh() || len(p.part) > 0 // not the rest of a unit that was partly forwarded
		end := p.Ends.Next(b)
		switch {
		case !whole && end < 0:
			p.Pass(b)
			return
		case !whole:
			p.Pass(b[:end])
		case end < 0:
			if p.part = append(p.part, b...); len(p.part) > MaxFrame {
				p.rest()
			}
			return
		default:
			unit := b[:end]
			if len(p.part) > 0 {
				unit = append(p.part, unit...)
				p.part = nil
			}
			p.Unit(unit)
		}
		b = b[end:]
	}
}

// lineEnds finds the ends of lines. With many, whole lines that arrive together form one unit.
type lineEnds struct{ many, inside bool }

func (l *lineEnds) Fresh() bool { return !l.inside }

func (l *lineEnds) Next(b []byte) int {
	i := bytes.IndexByte(b, '\n')
	if l.many && !l.inside { // otherwise the line has begun before
		i = bytes.LastIndexByte(b, '\n')
	}
	if l.inside = i < 0; l.inside {
		return -1
	}
	return i + 1
}

func (l *lineEnds) Skip(b []byte) { l.inside = b[len(b)-1] != '\n' }
