package intercept

import (
	"strconv"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/intercept"
	"mcptea/ui/paint"
)

func (p *Pane) title() []paint.Span {
	title := []paint.Span{{Text: "Intercept"}}
	if p.of != "" {
		title = append(title, paint.Span{Text: "  " + p.of})
	}
	return title
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	waiting := p.Waiting()
	if waiting == 0 {
		return nil
	}
	spans := []paint.Span{{Style: pal.WarnBold, Text: pal.Pause + " " + phrase.Digits(waiting) + " held"}}
	if behind := len(p.state.Held) - waiting; behind > 0 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: ", " + phrase.Digits(behind) + " behind"})
	}
	if p.state.Stalled > 0 {
		spans = append(spans, paint.Span{Style: pal.Warn, Text: ", full: the sender waits"})
	}
	return spans
}

// first reports whether an item is the first of its kind.
func (p *Pane) first(it item) bool {
	for _, other := range p.items {
		if other.kind == it.kind {
			return other == it
		}
	}
	return false
}

// height is the number of rows of an item: a heading before the first of a kind, and a
// second row of held frames.
func (p *Pane) height(it item) int {
	n := 1
	if it.kind == held {
		n = 2
	}
	if p.first(it) {
		n++
	}
	return n
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, it item, row int, selected bool) {
	if p.first(it) {
		if row == 0 {
			r.Start(r.Left()+r.Used(), paint.Style{}) // the heading is not selected
			r.Gap(1)
			r.Put(pal.Muted, headings[it.kind])
			return
		}
		row--
	}
	name := paint.If(selected, pal.Strong, pal.Text)
	switch {
	case it.kind == held:
		p.heldRow(r, pal, p.heldFrame(it.id), row, name)
	case it.kind == gone:
		k := p.kept(it.id)
		r.Right(paint.Span{Style: pal.Muted, Text: phrase.Size(int64(len(k.Text))) + " "})
		r.Put(name, k.Name)
	case it.id == 0:
		what := "add a breakpoint" + pal.Ellipsis
		if it.kind == fault {
			what = "inject a fault" + pal.Ellipsis
		}
		r.Put(pal.Muted, "+   "+what)
	case it.kind == breakpoint:
		b := p.breakpointOf(it.id)
		entry(r, pal, !b.Disabled, "b"+strconv.Itoa(b.ID), b.Filter, b.Hits, name)
	default:
		f := p.faultOf(it.id)
		entry(r, pal, !f.Disabled, "", f.String(), f.Hits, name)
	}
}

// entry writes a breakpoint or a fault with the number of its frames.
func entry(r *paint.Row, pal *paint.Palette, on bool, id, text string, hits int, st paint.Style) {
	r.Right(paint.Span{Style: pal.Muted, Text: phrase.Digits(hits) + " "})
	box := pal.Off
	if on {
		box = pal.On
	} else {
		st = pal.Muted
	}
	r.Put(pal.Accent, box+" ")
	if id != "" {
		r.Put(pal.Muted, id+" ")
	}
	r.Put(st, text)
}

func (p *Pane) heldRow(r *paint.Row, pal *paint.Palette, h *intercept.Held, row int, st paint.Style) {
	if row == 0 {
		p.name(r, pal, h, st)
		return
	}
	r.Gap(3)
	if h.Behind != 0 && !h.Stopped {
		r.Put(pal.Muted, "behind "+p.short(h.Behind)+", order is kept")
		return
	}
	style := paint.If(!h.Stopped && h.Until.Sub(p.now) < 10*time.Second, pal.Error, pal.Warn)
	r.Right(paint.Span{Style: style, Text: paint.Spinner(pal, p.tick.Spin) + " " + phrase.Took(max(0, p.now.Sub(h.Since))) + " "})
	if h.Delayed {
		r.Put(pal.Accent, "delayed for "+phrase.Took(max(0, h.Until.Sub(p.now))))
		return
	}
	if h.Breakpoint != 0 {
		r.Put(pal.Muted, "by b"+strconv.Itoa(h.Breakpoint))
	} else {
		r.Put(pal.Muted, "held by you")
	}
	if h.Stopped {
		r.Put(pal.Accent, "  clock stopped")
	}
	if p.texts.Edited(h.ID) != nil {
		r.Put(pal.Accent, "  edited")
	}
	if _, ok := p.texts.Draft(h.ID, false); ok {
		r.Put(pal.Accent, "  text kept")
	}
}

// name writes the direction, the id and the method of a held frame.
func (p *Pane) name(r *paint.Row, pal *paint.Palette, h *intercept.Held, st paint.Style) {
	if h.Row >= 0 {
		r.Put(pal.Muted, "#"+strconv.Itoa(int(h.Row)+1)+" ")
	}
	if h.Dir == transport.Out {
		r.Put(pal.Out, pal.ArrowOut+" ")
	} else {
		r.Put(pal.In, pal.ArrowIn+" ")
	}
	if h.MessageID.Present() {
		r.Put(pal.Muted, display.Cut(h.MessageID.String(), 12)+" ")
	}
	if h.Kind.IsResponse() {
		r.Put(pal.Text, h.Kind.String()+" ")
	}
	r.Put(st, h.Method)
	if name := h.Subject(); name != "" {
		r.Gap(min(1, r.Left()))
		r.Put(pal.Value, name)
	}
}

// short names a held frame in a few words.
func (p *Pane) short(id int64) string {
	h := p.heldFrame(id)
	switch {
	case h == nil:
		return "another frame"
	case h.Row >= 0:
		return "#" + strconv.Itoa(int(h.Row)+1)
	}
	return display.Sanitize(display.Cut(h.Method+" "+h.MessageID.String(), 30))
}
