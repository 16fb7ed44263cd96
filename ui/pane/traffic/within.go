package traffic

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/record/store"
	"mcptea/ui/paint"
)

// mostWithin bounds the matching frames that are read to find the first one of a visible exchange.
const mostWithin = 64

// sayMatch replaces the result in the row of a folded exchange by the frame that the filter matches, if the row
// shows no matching frame.
func (p *Pane) sayMatch(pal *paint.Palette, e *exchange) {
	if !p.scan.On() || !p.isClosed(e.index) {
		return
	}
	row := p.firstWithin(e)
	if row == store.None {
		return
	}
	m, _ := p.messages.Message(row)
	noun := m.Noun
	if noun == "" {
		noun = m.Method
	}
	words := slices.DeleteFunc([]string{noun, m.Name, m.Shown()}, func(word string) bool { return word == "" })
	o := &e.outcome
	o.lead, o.text, o.textStyle, o.isResult = pal.Last+" #"+strconv.Itoa(int(row)+1)+" ", strings.Join(words, " "), pal.Text, false
}

// firstWithin returns the matching frame of an exchange other than its request and its response, or None if one
// of these two matches.
func (p *Pane) firstWithin(e *exchange) int32 {
	if row := p.exchanges.BestIn(e.index); row != store.None {
		return paint.If(row == e.index || row == e.response, store.None, row)
	}
	passed := p.scan.Passed
	first, isShown := slices.BinarySearch(passed, e.index)
	if _, ends := slices.BinarySearch(passed, e.response); isShown || ends {
		return store.None
	}
	row, _ := p.passedWithin(e.index, &first, 1, mostWithin)
	return row
}
