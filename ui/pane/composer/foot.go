package composer

import (
	"bytes"

	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// foot is what is below the text: the bytes that are sent, and one line with what is
// wrong with them or what to do.
func (p *Pane) foot(pal *paint.Palette, w, h int) []string {
	var rows []string
	if frame, ok := p.preview(); ok && !p.raw && h >= 14 && !p.method.Empty() {
		size := paint.HumanCount(len(frame.bytes)) + " B" + p.endsWith()
		rows = append(rows, paint.Rule(pal, w, paint.Span{Style: pal.Muted, Text: "bytes  " + size}))
		r := pal.Row()
		r.Start(w, paint.Style{})
		putFolded(r, pal, frame, w)
		rows = append(rows, r.String())
	}
	return append(rows, p.messageRow(pal, w))
}

// putFolded writes the start of the bytes. The _meta is left out, so that what the user
// has written is in sight.
func putFolded(r *paint.Row, pal *paint.Palette, frame assembled, w int) {
	at := -1
	if len(frame.meta) > 0 {
		at = bytes.Index(frame.bytes, frame.meta)
	}
	if at < 0 {
		r.Put(pal.Muted, shortened(frame.bytes, w))
		return
	}
	r.Put(pal.Muted, shortened(frame.bytes[:at], w))
	r.Put(pal.Faint, "{"+pal.Ellipsis+"}")
	r.Put(pal.Muted, shortened(frame.bytes[at+len(frame.meta):], w))
}

func (p *Pane) messageRow(pal *paint.Palette, w int) string {
	if p.repeat.open {
		return p.repeatRow(pal, w)
	}
	r := pal.Row()
	r.Start(w, paint.Style{})
	send := command.KeyIn(command.Composer, command.SendFrame, true)
	switch found := p.warningsShown(); {
	case p.opening != nil:
		r.Put(pal.Warn, paint.Spinner(pal, p.spin)+" ")
		r.Put(pal.Muted, "Reading the frame")
	case len(found) > 0:
		again := " twice sends it unchanged"
		if p.warned == p.draftOfSize() && p.warned != (draft{}) {
			again = " again sends it unchanged"
		}
		text := ended(found[0])
		r.Put(pal.Warn, pal.Cut(text, max(w-len(again)-len(send)-2, 24)))
		r.Gap(2)
		r.Spans(paint.Span{Style: pal.AccentBold, Text: send}, paint.Span{Style: pal.Muted, Text: again})
	case p.Empty() && p.raw:
		r.Put(pal.Muted, `The whole frame, byte by byte. \x1b is one byte, \u{202e} one character.`)
	case p.Empty():
		r.Put(pal.Muted, "Write the method, then its params.   ")
		r.Spans(hint(pal, command.KeyIn(command.Fields, command.PreviousField, true), "history")...)
	}
	return r.String()
}

// warningsShown are the warnings about a draft that is not empty.
func (p *Pane) warningsShown() []string {
	if p.Empty() || p.opening != nil || p.method.Empty() && !p.raw {
		return nil
	}
	return p.warnings()
}

// draftOfSize is the draft, if it is small enough to be compared at each paint.
func (p *Pane) draftOfSize() draft {
	if p.params.Buffer().Size() > maxFollowed {
		return draft{}
	}
	return p.draft()
}
