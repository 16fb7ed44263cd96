package traffic

import (
	"mcptea/session/record/store"
	"mcptea/ui/paint"
)

// Highlight shows rows as if the user had marked them.
func (p *Pane) Highlight(rows ...int32) {
	p.highlighted = map[int32]bool{}
	for _, row := range rows {
		p.highlighted[row] = true
	}
}

// nextMark selects the nearest row after the selected one, or before it, that has a mark
// or a note. After the last the first follows.
func (p *Pane) nextMark(forward bool) {
	at, best, wrapped := p.Selected(), store.None, store.None
	closer := func(row, than int32) bool { return than == store.None || (row < than) == forward }
	for _, m := range p.store.Marks() {
		switch {
		case m.Row == at:
		case (m.Row > at) == forward:
			if closer(m.Row, best) {
				best = m.Row
			}
		case closer(m.Row, wrapped):
			wrapped = m.Row
		}
	}
	if best == store.None {
		best = wrapped
	}
	if best == store.None {
		p.app.Say("No other frame has a mark or a note.")
		return
	}
	p.Select(best)
}

// maxNoteWidth is how many cells of a note are shown in its row.
const maxNoteWidth = 32

// userNote is the note of the user on a row, for the list.
func userNote(pal *paint.Palette, text string, width int) paint.Span {
	return paint.Span{Style: pal.Warn, Text: "“" + pal.Label(text, min(maxNoteWidth, max(8, width))) + "”"}
}
