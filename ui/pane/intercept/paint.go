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

// heading returns the heading above the first item of a kind.
func (p *Pane) heading(it item) string {
	for _, other := range p.items {
		if other.kind == it.kind {
			return paint.If(other == it, headings[it.kind], "")
		}
	}
	return ""
}

// isOff reports a breakpoint or a fault that is switched off.
func (p *Pane) isOff(it item) bool {
	if it.kind == breakpoint {
		return p.breakpointOf(it.id).Disabled
	}
	return p.faultOf(it.id).Disabled
}

// mark returns the number of a held frame in Traffic with its direction, or the number of a breakpoint after
// its state.
func (p *Pane) mark(it item, pal *paint.Palette) []paint.Span {
	switch {
	case it.kind == held:
		h, number := p.heldFrame(it.id), ""
		if h.Row >= 0 {
			number = "#" + strconv.Itoa(int(h.Row)+1) + " "
		}
		arrow := paint.If(h.Dir == transport.Out, paint.Span{Style: pal.Out, Text: pal.ArrowOut}, paint.Span{Style: pal.In, Text: pal.ArrowIn})
		return []paint.Span{{Style: pal.Muted, Text: number}, arrow}
	case it.kind == orphanText:
		return nil
	case it.id == 0:
		return []paint.Span{{Style: pal.Muted, Text: "+"}}
	}
	box := paint.Span{Style: pal.Accent, Text: paint.If(p.isOff(it), pal.Off, pal.On)}
	if it.kind == fault {
		return []paint.Span{box}
	}
	return []paint.Span{box, {Style: pal.Muted, Text: " b" + strconv.FormatInt(it.id, 10)}}
}

// what describes an item: the id and the method of a held frame, a filter, a fault.
func (p *Pane) what(it item, pal *paint.Palette) []paint.Span {
	switch {
	case it.kind == held:
		return name(pal, p.heldFrame(it.id))
	case it.kind == orphanText:
		return []paint.Span{{Style: pal.Text, Text: p.kept(it.id).Name}}
	case it.id == 0 && it.kind == fault:
		return []paint.Span{{Style: pal.Muted, Text: "inject a fault" + pal.Ellipsis}}
	case it.id == 0:
		return []paint.Span{{Style: pal.Muted, Text: "add a breakpoint" + pal.Ellipsis}}
	}
	text := ""
	if it.kind == breakpoint {
		text = p.breakpointOf(it.id).Filter
	} else {
		text = p.faultOf(it.id).String()
	}
	return []paint.Span{{Style: paint.If(p.isOff(it), pal.Muted, pal.Text), Text: text}}
}

// name returns the id, the method and the subject of a held frame.
func name(pal *paint.Palette, h *intercept.Held) []paint.Span {
	var spans paint.Spans
	if h.MessageID.Present() {
		spans.If(true, pal.Muted, pal.Cut(h.MessageID.String(), 12)+" ")
	}
	spans.If(h.Kind.IsResponse(), pal.Text, h.Kind.String()+" ")
	spans.If(h.Method != "", pal.Text, h.Method)
	spans.If(h.Subject() != "", pal.Value, " "+h.Subject())
	return spans
}

// reason describes why a frame is held, and the user's actions on it.
func (p *Pane) reason(it item, pal *paint.Palette) []paint.Span {
	if it.kind != held {
		return nil
	}
	h := p.heldFrame(it.id)
	switch {
	case h.Behind != 0 && !h.Stopped:
		return []paint.Span{{Style: pal.Muted, Text: "behind " + p.short(h.Behind) + ", order is kept"}}
	case h.Delayed:
		return []paint.Span{{Style: pal.Accent, Text: "delayed for " + phrase.Took(max(0, h.Until.Sub(p.now)))}}
	}
	spans := paint.Spans{{Style: pal.Muted, Text: "held by you"}}
	if h.Breakpoint != 0 {
		spans[0].Text = "by b" + strconv.Itoa(h.Breakpoint)
	}
	_, draft := p.texts.Draft(h.ID, false)
	spans.If(h.Stopped, pal.Accent, "  clock stopped")
	spans.If(p.texts.Edited(h.ID) != nil, pal.Accent, "  edited")
	spans.If(draft, pal.Accent, "  text kept")
	return spans
}

// count returns the number of frames that a breakpoint or a fault applied to, or the size of the user's text.
func (p *Pane) count(it item, pal *paint.Palette) []paint.Span {
	text := ""
	switch {
	case it.kind == orphanText:
		text = phrase.Size(int64(len(p.kept(it.id).Text)))
	case it.id == 0 || it.kind == held:
		return nil
	case it.kind == breakpoint:
		text = phrase.Digits(p.breakpointOf(it.id).Hits)
	default:
		text = phrase.Digits(p.faultOf(it.id).Hits)
	}
	return []paint.Span{{Style: pal.Muted, Text: text}}
}

// heldFor returns how long a frame has been held.
func (p *Pane) heldFor(it item, pal *paint.Palette) []paint.Span {
	if it.kind != held {
		return nil
	}
	h := p.heldFrame(it.id)
	if h.Behind != 0 && !h.Stopped {
		return nil
	}
	style := paint.If(!h.Stopped && h.Until.Sub(p.now) < 10*time.Second, pal.Error, pal.Warn)
	return []paint.Span{{Style: style, Text: paint.Spinner(pal, p.tick.Spin) + " " + phrase.Took(max(0, p.now.Sub(h.Since)))}}
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
