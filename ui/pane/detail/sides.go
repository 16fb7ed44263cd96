package detail

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"mcptea/session/diff"
	"mcptea/session/record"
	"mcptea/ui/paint"
)

// maxSides is the size of a frame up to which both sides are shown, in bytes.
const maxSides = 4 << 20

// sides are the bytes of a frame before and after a breakpoint or a fault, of a row.
type sides struct {
	row      int32
	change   record.Change
	err      error
	received []byte // nil if no peer has written the frame
	sent     [][]byte
	rows     []diff.Row // how they differ; nil if they cannot be compared as JSON
}

// loadSides reads both sides when they are first wanted.
func (p *Pane) loadSides() {
	if p.sides.row == p.row && p.sides.change.What == p.info.Changed {
		return
	}
	s := sides{row: p.row}
	s.change, _, s.err = p.app.Store().Sides(p.row)
	s.received, s.sent = s.change.Both(p.body)
	if len(s.sent) == 1 && s.received != nil && !bytes.Equal(s.received, s.sent[0]) {
		if rows, err := diff.Rows(s.received, s.sent[0], diff.Options{}); err == nil {
			s.rows = append([]diff.Row{}, diff.Unified(rows)...)
		}
	}
	p.sides = s
}

// sideRows shows what was received and what was sent on.
func (p *Pane) sideRows(pal *paint.Palette, w int) []string {
	o := newSheet(pal, w)
	muted := func(text string) []string {
		o.line(nil, paint.Span{Style: pal.Muted, Text: text})
		return o.rows
	}
	if p.info.Size > maxSides {
		return muted(" the frame is too large to show both sides here; an export as a recording has them")
	}
	p.loadSides()
	v := &p.sides
	if v.err != nil {
		return muted(" " + v.err.Error())
	}
	o.text(paint.Span{}, pal.Text, "#"+strconv.Itoa(int(p.row)+1)+" "+v.change.Text()+".", 3)
	same := len(v.sent) == 1 && v.received != nil && bytes.Equal(v.received, v.sent[0])
	switch {
	case v.rows != nil:
		o.rule("received and sent on", "")
		o.difference(v.rows)
		o.rule("bytes", v.sizes())
		o.bytes(v.received, v.sent[0])
	case same:
		o.rule("received, and sent on as it was", paint.HumanSize(int64(len(v.received))))
		o.whole(v.received, pal.Text, "  ")
	default:
		if v.received != nil {
			o.rule("received", paint.HumanSize(int64(len(v.received))))
			o.whole(v.received, pal.Error, "- ")
		}
		for i, frame := range v.sent {
			name := "sent on"
			if len(v.sent) > 1 {
				name = fmt.Sprintf("sent on, %d of %d", i+1, len(v.sent))
			}
			o.rule(name, paint.HumanSize(int64(len(frame))))
			o.whole(frame, pal.OK, "+ ")
		}
		if len(v.sent) == 0 {
			o.rule("sent on", "nothing")
		}
	}
	return o.rows
}

func (v *sides) sizes() string {
	return fmt.Sprintf("received %s %s sent on %s", paint.HumanSize(int64(len(v.received))), "·", paint.HumanSize(int64(len(v.sent[0]))))
}

// maxSideLines bounds the lines of one part.
const maxSideLines = 5000

// whole shows a frame as text, in lines of the width.
func (o *sheet) whole(frame []byte, st paint.Style, sign string) {
	lines := paint.Wrap(paint.Sanitize(string(frame)), max(1, o.w-4))
	for _, line := range lines[:min(len(lines), maxSideLines)] {
		o.line(nil, paint.Span{Style: st, Text: sign + line})
	}
}

func (o *sheet) difference(rows []diff.Row) {
	if len(rows) == 0 {
		o.line(nil, paint.Span{Style: o.pal.Muted, Text: "Only the spelling has changed: spaces, escapes, or the order of members."})
	}
	const before = 2 // lines of context
	first := slices.IndexFunc(rows, func(r diff.Row) bool { return r.Kind != diff.Same })
	if first > before {
		rows = rows[first-before:]
		o.line(nil, paint.Span{Style: o.pal.Muted, Text: "  " + o.pal.Ellipsis})
	}
	for _, row := range rows[:min(len(rows), maxSideLines)] {
		switch {
		case row.Skipped > 0:
			o.line(nil, paint.Span{Style: o.pal.Muted, Text: "  " + o.pal.Ellipsis})
		case row.Kind == diff.Removed:
			o.line(nil, paint.Span{Style: o.pal.Error, Text: "- " + row.Old})
		case row.Kind == diff.Added:
			o.line(nil, paint.Span{Style: o.pal.OK, Text: "+ " + row.New})
		default:
			o.line(nil, paint.Span{Style: o.pal.Text, Text: "  " + row.Old})
		}
	}
}

const (
	// bytesInRow is how many bytes a row of the dump has, and dumpRows how many rows
	// around the first difference are shown of each side.
	bytesInRow = 16
	dumpRows   = 3
)

// bytes dumps both sides from the first byte that differs.
func (o *sheet) bytes(received, sent []byte) {
	at := 0
	for at < len(received) && at < len(sent) && received[at] == sent[at] {
		at++
	}
	at -= at % bytesInRow
	for _, side := range []struct {
		sign  string
		style paint.Style
		frame []byte
	}{{"- ", o.pal.Error, received}, {"+ ", o.pal.OK, sent}} {
		for from := at; from < min(len(side.frame), at+dumpRows*bytesInRow); from += bytesInRow {
			row := side.frame[from:min(len(side.frame), from+bytesInRow)]
			plain := bytes.Map(func(r rune) rune {
				if r < ' ' || r > '~' {
					return '.'
				}
				return r
			}, row)
			o.line(nil, paint.Span{Style: side.style, Text: fmt.Sprintf("%s%04x  % -47x  %s", side.sign, from, row, plain)})
		}
	}
}

// changeText says what a breakpoint or a fault made of the frame, for the remarks below it;
// empty for others.
func (p *Pane) changeText() string {
	if p.info.Changed == record.NotChanged || p.mode == Sides {
		return ""
	}
	c, ok := p.app.Store().Change(p.row)
	if !ok {
		return ""
	}
	return c.Text() + "; see the view " + modeNames[Sides]
}
