package traffic

import (
	"slices"
	"strconv"
	"strings"

	"mcptea/session/record/store"
	"mcptea/ui/paint"
)

// mostWithin is how many frames that pass the filter are looked at for the first one of an exchange in sight.
const mostWithin = 64

// sayMatch has the row of a closed exchange that passes the filter by none of the frames that it shows say
// which of its other frames does, in place of its result.
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

// firstWithin is the frame of an exchange, beside its request and its response, that the filter has found;
// None where it has found one of the two.
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
