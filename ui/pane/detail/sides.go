package detail

import (
	"bytes"
	"fmt"
	"strconv"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// maxSides is the maximum size of a frame of which both versions are displayed, in bytes.
const maxSides = 4 << 20

// sides holds the bytes of both versions of a frame: before and after a breakpoint or a fault.
type sides struct {
	row      int32
	change   record.Change
	err      error
	received []byte // nil if the frame was not written by a peer
	sent     [][]byte
	differ   bool // both are JSON texts; their differences are displayed by line
	lines    []diff.Line
	from     int    // offset of the first byte that differs
	to       [2]int // offset of the equal rest, in each version
}

// loadSides reads both versions when they are first needed.
func (p *Pane) loadSides() *sides {
	if p.sides.row == p.row && p.sides.change.What == p.info.Changed {
		return &p.sides
	}
	s := sides{row: p.row}
	s.change, _, s.err = p.app.Store().Sides(p.row)
	s.received, s.sent = s.change.Both(p.body)
	if len(s.sent) == 1 && s.received != nil && !s.same() {
		s.lines, s.differ = diff.Between(s.received, s.sent[0])
		s.from, s.to[0], s.to[1] = diff.Differing(s.received, s.sent[0])
	}
	p.sides = s
	return &p.sides
}

func (v *sides) same() bool {
	return len(v.sent) == 1 && v.received != nil && bytes.Equal(v.received, v.sent[0])
}

// changed displays the received and the forwarded version.
func (p *Pane) changed(d *doc.Doc) {
	if p.info.Size > maxSides {
		d.Text(d.Pal.Muted, "the frame is too large to show both sides here; an export as a recording has them", 2)
		return
	}
	v := p.loadSides()
	if v.err != nil {
		d.Text(d.Pal.Muted, v.err.Error(), maxRemark)
		return
	}
	d.Text(d.Pal.Text, "#"+strconv.Itoa(int(p.row)+1)+" "+v.change.Text()+".", 3)
	switch {
	case v.differ:
		rule(d, "original and forwarded", "")
		diff.Show(d, v.lines)
		rule(d, "bytes", "original "+phrase.Size(int64(len(v.received)))+phrase.Signs(" · ")+"forwarded "+phrase.Size(int64(len(v.sent[0]))))
		dump(d, paint.Span{Style: d.Pal.Error, Text: "- "}, v.received, v.from, v.to[0])
		dump(d, paint.Span{Style: d.Pal.OK, Text: "+ "}, v.sent[0], v.from, v.to[1])
	case v.same():
		whole(d, "original, forwarded unchanged", paint.Span{Style: d.Pal.Text, Text: "  "}, v.received)
	default:
		if v.received != nil {
			whole(d, "original", paint.Span{Style: d.Pal.Error, Text: "- "}, v.received)
		}
		for i, frame := range v.sent {
			name := "forwarded"
			if len(v.sent) > 1 {
				name = fmt.Sprintf("forwarded, %d of %d", i+1, len(v.sent))
			}
			whole(d, name, paint.Span{Style: d.Pal.OK, Text: "+ "}, frame)
		}
		if len(v.sent) == 0 {
			rule(d, "forwarded", "nothing")
		}
	}
}

func rule(d *doc.Doc, name, note string) {
	d.Rule(paint.Span{Style: d.Pal.TextBold, Text: name + "  "}, paint.Span{Style: d.Pal.Muted, Text: note})
}

// maxSideLines bounds the lines of one version. dumpRows is the number of rows for its bytes.
const (
	maxSideLines = 5000
	dumpRows     = 3
)

// whole displays a frame as text.
func whole(d *doc.Doc, name string, sign paint.Span, frame []byte) {
	rule(d, name, phrase.Size(int64(len(frame))))
	d.Sign(sign, sign.Style, display.Sanitize(string(frame)), maxSideLines)
}

// dump displays the bytes of a version that differ.
func dump(d *doc.Doc, sign paint.Span, frame []byte, from, to int) {
	w := d.W - 1 - display.Width(sign.Text)
	v := widget.NewHex(frame)
	v.Mark(from, to)
	v.Rows(d.Pal, w, 1) // only the first row has the mark
	rows := v.Rows(d.Pal, w, dumpRows)
	d.Lines(len(rows), func(r *paint.Row, i int) {
		if i == 0 {
			r.Put(sign.Style, sign.Text)
		}
		r.To(1 + display.Width(sign.Text))
		r.Painted(rows[i], w)
	})
}

// changeText describes the effect of a breakpoint or a fault on the frame, for the remarks, or
// returns "".
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
