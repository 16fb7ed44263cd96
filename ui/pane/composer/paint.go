package composer

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// The sizes from which the lists have their own place, and the response has its own box.
const minSide, minReply = 100, 16

// widths of a readable draft, of the narrowest lists next to it, and of a frame in the lists
const wholeDraft, leastSide, wholeFrame = 78, 42, 96

// sideWidth returns the width of the lists next to a draft. It is the share that the user has
// chosen, or the rest beside a readable draft. The rest is from leastSide to wholeFrame and at most
// 45%. It does not depend on the focus, because the focus must not move the border.
func (p *Pane) sideWidth(w int) int {
	if p.side > 0 {
		return min(max(int(p.side*float64(w)+0.5), leastSide/2), w-leastSide/2)
	}
	return max(leastSide, min(w-wholeDraft, w*45/100, wholeFrame))
}

// MoveBorder implements [app.Bordered].
func (p *Pane) MoveBorder(n int) bool {
	if p.width < minSide {
		return false
	}
	if n == 0 {
		p.side = 0
		return true
	}
	p.side = float64(p.sideWidth(p.width)-n) / float64(p.width)
	return true
}

// historyRows returns the number of rows of the history below the malformations: enough for its frames, or few
// while the malformations have the focus.
func (p *Pane) historyRows(c *app.Canvas) int {
	const least, border = 5, 2
	if p.focus == ofBreaks {
		return least
	}
	return max(min(p.history.Wants(c.Screen, c.W, c.H)+border, c.H*2/5, c.H-8), least)
}

// Height returns the number of rows that the pane takes while another pane has the focus, including its border.
// With the focus it takes the whole window.
func (p *Pane) Height() int { return 4 }

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	p.shown, p.width = true, c.W
	if c.H <= p.Height() || !focused && c.H < minReply {
		p.summary(c, focused)
		return
	}
	main := c
	side := c.W >= minSide && c.H >= minReply
	if side {
		var right *app.Canvas
		n := c.W - p.sideWidth(c.W)
		main, right = c.Neighbors(n)
		c.Drag(n-1, 0, 1, c.H, func(x, _ int) { p.side = float64(c.W-n-x) / float64(c.W) })
		top, bottom := right.Over(c.H - p.historyRows(c))
		p.paintBreaks(top, focused)
		p.paintHistory(bottom, focused)
	}
	top, bottom := main.Over(main.H - p.reply.height(c.H))
	x, y := p.paintDraft(top, focused)
	if p.reply.any() {
		p.paintReply(bottom, focused)
	}
	switch {
	case p.focus == ofDraft && focused && p.candidates.open():
		p.candidates.paint(c, p, main.W, x, y)
	case !side && (p.focus == ofBreaks || p.focus == ofHistory):
		free := paint.If(top.H >= minPopup, top.H, c.H) // keep the response visible
		w, h := min(c.W-4, 64), min(free-2, 20)
		over := c.Above((c.W-w)/2, (free-h)/2, w, h)
		if p.focus == ofBreaks {
			p.paintBreaks(over, focused)
		} else {
			p.paintHistory(over, focused)
		}
	}
}

// minPopup is the minimum height of the draft, in rows, at which windows over the draft do not
// cover the response.
const minPopup = 11

// maxSummary is the number of bytes of the params that are put on one line.
const maxSummary = 4 << 10

// summary paints the pane while another pane has the focus.
func (p *Pane) summary(c *app.Canvas, focused bool) {
	in := c.Box(title(c.Pal, "Compose", focused), nil, focused)
	in.Line(func(r *paint.Row) {
		does := "edit "
		if p.Replaces != nil && p.Replaces() {
			does = "compose another, keep this one "
		}
		r.Right(hint(c.Pal, c.Names.Name("compose"), does)...)
		r.Gap(1)
		if p.raw {
			r.Put(c.Pal.Accent, "raw bytes  ")
			r.Put(c.Pal.Text, shortened([]byte(p.params.Head(c.W*4)), c.W))
			return
		}
		r.Put(c.Pal.Text, p.method.Value()+"  ")
		r.PutBytes(c.Pal.Muted, oneLine(p.params.Head(maxSummary)))
	})
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		switch {
		case p.reply.repeat.Repetition != nil:
			r.Put(c.Pal.Text, p.reply.repeat.Progress())
		case p.reply.call == nil:
		case p.reply.call.Running():
			r.Put(c.Pal.Warn, paint.Spinner(c.Pal, p.tick.Spin)+" waiting")
		default:
			r.Spans(p.reply.note(c.Pal)...)
		}
	})
}

// paintDraft paints the form or the bytes, the frame to send, and the warnings. It returns the cell of the text
// cursor.
func (p *Pane) paintDraft(c *app.Canvas, focused bool) (x, y int) {
	c.Press(func() { p.enter(ofDraft) })
	focused = focused && p.focus == ofDraft
	pal := c.Pal
	in := c.Box(title(pal, "Compose", focused), p.note(pal), focused)
	inner, foot := max(in.W-2, 1), 1
	frame := p.analyze()
	at := func(f field, cx, cy int) { // the cursor is in a field
		if focused && p.field == f && p.opening == nil {
			x, y = cx+1, cy+1
			in.Field(text{p}, cx, cy)
		}
	}
	if !p.raw {
		p.paintMethod(in, focused, at)
		if p.idKind == idGiven {
			p.paintID(in, at)
		}
		p.paintMeta(in, frame)
	}
	sent, label := []string(nil), "bytes  "
	if p.followed() && !p.raw && c.H >= 14 && !p.method.Empty() {
		free := in.Left() - p.params.LineCount() - foot - 2
		most := min(max(free, 1), in.H/2)
		if sent = pal.WrapMost(shortened(frame.bytes, inner*in.H), inner, most+1); len(sent) > most {
			sent, label = pal.WrapMost(folded(pal, frame, inner*in.H), inner, most), "start of the frame  "
		}
		foot += 1 + len(sent)
	}
	top, room := in.Next(), in.Left()-foot
	if room > 0 {
		for _, row := range p.params.Rows(pal, c.JS, inner, room, focused && p.field == fieldParams) {
			painted(in, row, inner)
		}
		in.Click(1, top, inner, room, func(x, y int) {
			p.field = fieldParams
			p.params.Click(x, y)
		})
		cx, cy := p.params.Cursor()
		at(fieldParams, cx+1, cy+top)
	}
	if len(sent) > 0 {
		size := phrase.Digits(len(frame.bytes)) + " B" + p.endsWith()
		painted(in, paint.Rule(pal, inner, paint.Span{Style: pal.Muted, Text: label + size}), inner)
		for _, text := range sent {
			in.Say(1, pal.Muted, text)
		}
	}
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		p.putMessage(r, in, frame)
	})
	c.Wheel(p.params.Scroll)
	return x, y
}

// painted adds a row of w cells between two blanks.
func painted(c *app.Canvas, row string, w int) {
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Painted(row, w)
	})
}

func (p *Pane) paintMethod(in *app.Canvas, focused bool, at func(field, int, int)) {
	pal, y := in.Pal, in.Next()
	ground := paint.Style{}
	if focused && p.field == fieldMethod {
		ground = pal.Field
	}
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Put(pal.Accent.On(ground), pal.Prompt+" ")
		if p.method.Empty() {
			r.Put(pal.Muted.On(ground), "method, such as tools/call")
			r.GapOn(ground, max(r.Left()-1, 0))
			return
		}
		n := max(r.Left()-1, 1)
		r.Painted(p.method.Rows(pal, ground, n, 1, textfield.Plain(pal.TextBold))[0], n)
	})
	in.Click(0, y, in.W, 1, func(x, _ int) {
		p.field = fieldMethod
		p.method.Click(max(x-3, 0), 0)
	})
	x := 0
	if !p.method.Empty() {
		x, _ = p.method.Cursor()
	}
	at(fieldMethod, x+3, y)
}

func (p *Pane) paintID(in *app.Canvas, at func(field, int, int)) {
	pal, y := in.Pal, in.Next()
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Put(pal.Muted, "id ")
		r.Painted(p.id.Rows(pal, pal.Field, 24, 1, textfield.Plain(pal.Text))[0], 24)
		r.Put(pal.Muted, "  sent as ")
		r.Put(pal.Value, idToken(p.id.Value()).String())
	})
	in.Click(0, y, in.W, 1, func(x, _ int) {
		p.field = fieldID
		p.id.Click(max(x-4, 0), 0)
	})
	x, _ := p.id.Cursor()
	at(fieldID, x+4, y)
}

// paintMeta shows the _meta in one line. A click switches between leaving it out of the frame and filling it in.
func (p *Pane) paintMeta(in *app.Canvas, frame *seen) {
	pal := in.Pal
	out := len(frame.meta) == 0
	if p.method.Empty() || out && (!p.noMeta || !p.followed() || hasMeta([]byte(p.params.Value()))) {
		return
	}
	in.Click(0, in.Next(), in.W, 1, func(int, int) { p.toggleMeta() })
	in.Line(func(r *paint.Row) {
		r.Gap(1)
		if out {
			r.Put(pal.Muted, `  "_meta" is left out`)
			return
		}
		r.Put(pal.Muted, pal.Folded+" ")
		r.Put(pal.Value, `"_meta"`)
		r.Put(pal.Muted, ": { "+phrase.Count(jsonrpc.Count(frame.meta), "member")+", filled in }")
	})
}

// folded returns the frame with {…} instead of its _meta, so that the user's own text is visible. The text on
// each side is cut to the given cells; the caller cuts the whole.
func folded(pal *paint.Palette, frame *seen, cells int) string {
	at := -1
	if len(frame.meta) > 0 {
		at = bytes.Index(frame.bytes, frame.meta)
	}
	if at < 0 {
		return shortened(frame.bytes, cells)
	}
	return shortened(frame.bytes[:at], cells) + "{" + pal.Ellipsis + "}" + shortened(frame.bytes[at+len(frame.meta):], cells)
}

// nextHint names the key that leads from a field of the draft to the next part. It returns nothing while the
// key selects a candidate.
func (p *Pane) nextHint(c *app.Canvas) []paint.Span {
	if p.candidates.open() {
		return nil
	}
	return hint(c.Pal, c.Names.Name("pane.next"), paint.If(p.raw || p.field == fieldParams, "Break it", "params"))
}

// putMessage writes the problem of the draft, or what to do.
func (p *Pane) putMessage(r *paint.Row, c *app.Canvas, frame *seen) {
	pal, send := c.Pal, c.Names.Name("send")
	switch empty := p.Empty(); {
	case p.opening != nil:
		r.Put(pal.Warn, paint.Spinner(pal, p.tick.Spin)+" ")
		r.Put(pal.Muted, "Reading the frame")
	case empty && p.raw:
		r.Put(pal.Muted, `The whole frame, byte by byte. \x1b is one byte, \u{202e} one character.`)
	case empty:
		r.Put(pal.Muted, "Write the method, then its params.   ")
		if p.focus == ofDraft {
			r.Spans(hint(pal, c.Names.Name("move.up"), "history")...)
			r.Gap(2)
			r.Spans(p.nextHint(c)...)
		}
	case p.method.Empty() && !p.raw:
	default:
		if len(frame.warnings) == 0 {
			if p.focus == ofDraft {
				r.Spans(p.nextHint(c)...)
			}
			return
		}
		text, again := ended(frame.warnings[0]), " twice sends it unchanged"
		room := max(r.Left()-len(again)-len(send)-3, 24)
		switch {
		case p.followed() && p.warned == p.draft():
			text, again = pal.Cut(text, room), " again sends it unchanged"
		case display.Width(text) > room: // name the problem before the remedy
			r.Put(pal.Warn, text)
			return
		}
		r.Put(pal.Warn, text)
		r.Gap(2)
		r.Spans(paint.Span{Style: pal.AccentBold, Text: send}, paint.Span{Style: pal.Muted, Text: again})
	}
}

// note returns the text in the upper border: the kind of the frame, and whether it is JSON.
func (p *Pane) note(pal *paint.Palette) []paint.Span {
	var spans []paint.Span
	add := func(st paint.Style, text string) {
		if len(spans) > 0 {
			spans = append(spans, paint.Span{Style: pal.Muted, Text: " " + pal.Separator + " "})
		}
		spans = append(spans, paint.Span{Style: st, Text: text})
	}
	switch kind, id := p.sentID(), p.idOf(p.sentID()); {
	case p.raw:
		add(pal.Accent, "raw bytes")
		if p.brokenAs() > 0 { // the malformation matters more than the size
			break
		}
		add(pal.Muted, phrase.Size(int64(p.params.Size()))+p.endsWith())
		add(pal.Muted, "id as written")
	case kind == idNone:
		add(pal.Muted, "notification")
	default:
		add(pal.Muted, "request")
		add(pal.Muted, "id "+display.Cut(display.Sanitize(id.String()), 24))
	}
	if i := p.brokenAs(); i > 0 {
		add(pal.Warn, "broken: "+jsonrpc.Mutations()[i-1].Summary)
	}
	switch p.params.Fault() {
	case textfield.Incomplete:
		add(pal.Warn, "incomplete JSON")
	case textfield.NotUTF8:
		add(pal.Warn, "invalid UTF-8")
	case textfield.NotJSON:
		add(pal.Warn, "invalid JSON")
	}
	return spans
}

// endsWith describes what the transport appends to the bytes of a frame.
func (p *Pane) endsWith() string {
	if p.isStdio() {
		return `, ends with \n`
	}
	return ""
}

// hint returns a key and its effect.
func hint(pal *paint.Palette, key, text string) []paint.Span {
	return []paint.Span{{Style: pal.AccentBold, Text: key}, {Style: pal.Muted, Text: " " + text}}
}

func title(pal *paint.Palette, text string, focused bool) []paint.Span {
	st := paint.If(focused, pal.TextBold, pal.Text)
	return []paint.Span{{Style: st, Text: text}}
}
