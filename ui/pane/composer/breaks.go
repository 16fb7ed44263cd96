package composer

import (
	"bytes"
	"strconv"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/offer/compose"
	"mcptea/ui/app"
	"mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// breaks lists the ways to make a frame invalid. Entry 0 leaves the frame valid.
type breaks struct {
	list   widget.List[int]
	before int           // malformation of the draft when the list got the focus
	tried  map[int]*past // newest frame that was sent with each malformation
}

// applied is the malformation that was applied to the text in raw mode. It counts until the user edits
// the text.
type applied struct {
	at            int // index in the list of malformations, as in [Pane.malformed]
	before, after string
}

// brokenFrame is a frame before and after a malformation.
type brokenFrame struct {
	at            int // index of the malformation plus one
	before, after []byte
}

func (b *breaks) init(p *Pane) {
	b.tried = map[int]*past{}
	b.list.Items = widget.Items[int]{
		Len: func() int { return len(jsonrpc.Mutations()) + 1 }, Key: func(i int) int { return i },
		Row: p.breakRow,
	}
}

// pickBreak applies the selected malformation to the draft, so that the preview shows the frame as
// it will be sent. In raw mode, [Pane.chooseBreak] applies it.
func (p *Pane) pickBreak() {
	if p.focus == ofBreaks && !p.raw && !p.isLarge() {
		p.malformed = p.breaks.list.Index()
	}
}

// brokenAs returns the malformation of the frame to send: the malformation chosen in the form, or applied
// to the text in raw mode, or 0.
func (p *Pane) brokenAs() int {
	switch {
	case !p.raw:
		return p.malformed
	case p.applied.at > 0 && p.followed() && p.params.Value() == p.applied.after:
		return p.applied.at
	}
	return 0
}

// intact returns the frame that a malformation is applied to.
func (p *Pane) intact() []byte {
	if p.raw && p.brokenAs() > 0 {
		return []byte(p.applied.before)
	}
	return p.assemble(p.sentID(), 0, p.masked())
}

// unapplied returns why the draft is not sent while a different malformation is selected: in raw mode the
// preview shows one that is not in the text yet.
func (p *Pane) unapplied() string {
	i := p.breaks.list.Index()
	if !p.raw || p.focus != ofBreaks || i == p.brokenAs() {
		return ""
	}
	name := "as it is"
	if i > 0 {
		name = jsonrpc.Mutations()[i-1].Summary
	}
	return "The text is not changed yet: " + p.app.Key("compose.malform") + " applies \"" + name + "\", then " + p.app.Key("send") + " sends it."
}

// revision returns the protocol version of the session. Malformations depend on it.
func (p *Pane) revision() revision.Revision { return p.tick.State.Handshake.Revision }

// Breaks reports whether the list of malformations has the focus.
func (p *Pane) Breaks() bool { return p.focus == ofBreaks }

// IsBroken reports whether the next frame is invalid on purpose.
func (p *Pane) IsBroken() bool { return p.brokenAs() > 0 }

// HasBroken reports whether a frame was sent that is invalid on purpose.
func (p *Pane) HasBroken() bool { return len(p.breaks.tried) > 0 }

// selectBreak breaks the draft in a way, as enter does in the list: the draft has the focus then, which is
// sent next.
func (p *Pane) selectBreak(i int) {
	p.enter(ofBreaks)
	p.breaks.list.SelectIndex(i)
	p.pickBreak()
	p.chooseBreak()
}

// breakList is the list of malformations on the screen.
type breakList struct {
	*widget.List[int]
	p *Pane
}

// Move implements [doc.List] for the mouse wheel. While the text has the focus, it only scrolls the list, so
// that the frame stays the same.
func (l breakList) Move(n int) {
	if l.p.focus != ofBreaks {
		l.ScrollAway(n)
		return
	}
	l.List.Move(n)
	l.p.pickBreak()
}

// Click implements [doc.List].
func (l breakList) Click(row int) (hit, again bool) {
	hit, again = l.List.Click(row)
	l.p.pickBreak()
	return hit, again
}

// chooseBreak ends the choice of a malformation. In raw mode it changes the text, which undo
// takes back; otherwise the malformation is applied when the frame is sent.
func (p *Pane) chooseBreak() {
	if p.raw {
		p.applyBreak(p.breaks.list.Index())
	}
	p.enter(ofDraft)
}

// breaksSo returns the label of enter in the list.
func (p *Pane) breaksSo() string { return paint.If(p.breaks.list.Index() > 0, "break it", "as it is") }

// applyBreak changes the text of raw mode from one malformation to another, or back to the original.
func (p *Pane) applyBreak(i int) {
	if i == p.brokenAs() {
		return
	}
	before, text := p.intact(), p.params.Value()
	made := before
	if i > 0 {
		made = jsonrpc.Mutations()[i-1].Apply(before)
	}
	start, end, madeEnd := diff.Differing([]byte(text), made)
	p.params.Replace(start, end, string(made[start:madeEnd]))
	p.applied = applied{i, string(before), string(made)}
}

// broken returns the frame before and after the selected malformation. It returns false for a large frame.
func (p *Pane) broken() (brokenFrame, bool) {
	if !p.followed() {
		return brokenFrame{}, false
	}
	made := brokenFrame{at: p.breaks.list.Index(), before: p.intact()}
	made.after = made.before
	if made.at > 0 {
		made.after = jsonrpc.Mutations()[made.at-1].Apply(made.before)
	}
	return made, true
}

// reached returns the number of malformed frames that the server has received.
func (b *breaks) reached() (n int) {
	for _, e := range b.tried {
		if e.outcome.text != notSent {
			n++
		}
	}
	return n
}

// paintBreaks paints the list and the preview.
func (p *Pane) paintBreaks(c *app.Canvas, focused bool) {
	list := &p.breaks.list
	if focused = focused && p.focus == ofBreaks; focused {
		list.Return()
	} else if list.Index() != p.brokenAs() {
		list.SelectIndex(p.brokenAs())
	}
	var note []paint.Span
	if n := p.breaks.reached(); n > 0 {
		note = []paint.Span{{Style: c.Pal.Muted, Text: strconv.Itoa(n) + " of " + strconv.Itoa(list.Len()-1) + " tried"}}
	}
	c.Press(func() { p.enter(ofBreaks) })
	d := doc.On(c.Box(title(c.Pal, "Break it", focused), note, focused))
	d.Margin = 0
	d.List(breakList{list, p}, p.chooseBreak)
	if made, ok := p.broken(); ok && c.H >= 12 {
		p.paintPreview(d, made)
	}
	d.Paint()
}

func (p *Pane) breakRow(r *paint.Row, pal *paint.Palette, i, _ int, selected bool) {
	mark, st, text := pal.Ring, pal.Text, "as it is"
	if i == p.brokenAs() {
		mark = pal.Dot
	}
	if selected && p.focus == ofBreaks {
		st = pal.Strong
	}
	if i > 0 {
		m := jsonrpc.Mutations()[i-1]
		text = m.Summary
		right := paint.Span{Style: pal.Muted, Text: compose.Provokes(m.Name)}
		if e := p.breaks.tried[i]; e != nil && e.outcome.text != "" {
			right = e.outcome.span(pal)
		}
		right.Text += " "
		r.Right(right)
	}
	r.Put(pal.Accent, mark+" ")
	r.Put(st, text)
}

// paintPreview shows as many bytes around the change as fit, the sizes, and the expected reaction of the
// server.
func (p *Pane) paintPreview(d *doc.Doc, made brokenFrame) {
	pal := d.Pal
	start, _, to := diff.Differing(made.before, made.after)
	head := "preview"
	if p.raw && made.at != p.brokenAs() {
		head += ": " + d.Names.Name("compose.malform") + " applies it"
	}
	d.Lines(1, func(r *paint.Row, _ int) {
		w := r.Left() - 1
		r.Painted(paint.Rule(pal, w, paint.Span{Style: pal.Muted, Text: head}), w)
	})
	d.FactRow("", func(r *paint.Row) {
		w := r.Left() - 1
		changed := made.after[start:to]
		after := min(len(made.after)-to, max(w/2-len(changed), 0)) // the rest of the row is for the bytes before
		from := max(start-max(w-1-len(changed)-after, w/3), 0)
		if from > 0 {
			r.Put(pal.Muted, pal.Ellipsis)
		}
		r.Put(pal.Text, shortened(made.after[from:start], w))
		switch {
		case len(changed) > 0:
			r.Put(pal.Broken, shortened(changed, w))
		case len(made.before) > len(made.after):
			r.Put(pal.Error, "["+strconv.Itoa(len(made.before)-len(made.after))+" B removed]")
		}
		r.Put(pal.Text, shortened(made.after[to:], w))
	})
	size := phrase.Digits(len(made.after)) + " B"
	if i := made.at; i > 0 {
		size += " instead of " + phrase.Digits(len(made.before)) + " B"
	}
	d.Row(paint.Span{Style: pal.Muted, Text: size})
	next := paint.If(p.raw, "changes the text; undo reverts it", "applied when the frame is sent")
	if i := made.at; i > 0 {
		if want := compose.Expected(jsonrpc.Mutations()[i-1], p.revision()); want != "" {
			next = "expected: " + want
		}
	}
	d.Text(pal.Muted, next, 2)
}

// shortened returns the start of some bytes, with escapes.
func shortened(b []byte, w int) string {
	b = b[:min(len(b), max(w, 0)*4)]
	return textfield.Escape(string(bytes.ReplaceAll(b, []byte("\n"), []byte(phrase.Signs("⏎")))))
}
