package traffic

import (
	"slices"

	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// Highlight shows rows as if the user had marked them.
func (p *Pane) Highlight(rows ...int32) {
	p.highlighted = map[int32]bool{}
	for _, row := range rows {
		p.highlighted[row] = true
	}
}

// nextMark selects the nearest later or earlier row with a mark or a note, and wraps around.
func (p *Pane) nextMark(forward bool) {
	at := p.Selected()
	var rows []int32
	for _, m := range p.store.Marks() {
		if m.Row != at {
			rows = append(rows, m.Row)
		}
	}
	if len(rows) == 0 {
		p.app.Say("No other frame has a mark or a note.")
		return
	}
	slices.Sort(rows)
	i, _ := slices.BinarySearch(rows, at)
	if !forward {
		i--
	}
	p.Select(rows[(i+len(rows))%len(rows)])
}

// maxNoteWidth bounds the part of a note that its row shows, in cells.
const maxNoteWidth = 32

// userNote returns the note of the user on a row, for the list.
func userNote(pal *paint.Palette, text string, width int) paint.Span {
	return paint.Span{Style: pal.Warn, Text: phrase.Signs("“") + pal.Label(text, min(maxNoteWidth, max(8, width))) + phrase.Signs("”")}
}
