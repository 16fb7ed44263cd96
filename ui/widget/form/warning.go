package form

import (
	"math"
	"strconv"

	"mcptea/ui/paint"
)

// Warning says why values were not sent at once, and what the second time sends.
type Warning struct {
	Said  string // what is wrong with the values as a whole
	Empty string // the first of the required texts that are empty, when that is all; else ""
	More  int    // how many others are empty
}

// Put writes the warning in a row. Key is the one that sends.
func (w Warning) Put(r *paint.Row, p *paint.Palette, key string) {
	r.Put(p.Warn, p.WarnMark+" ")
	if w.Empty == "" {
		r.Put(p.AccentBold, key)
		r.Put(p.Text, " again sends it anyway   ")
		r.Put(p.Warn, w.Said)
		return
	}
	verb, after := " is empty. ", ` again sends ""`
	if w.More > 0 {
		verb = " and " + strconv.Itoa(w.More) + " more are empty. "
	}
	room := max(r.Left()-len(verb)-len(key)-len(after), 8)
	r.Cell(p.Warn, w.Empty, min(paint.Width(paint.Sanitize(w.Empty)), room))
	r.Put(p.Warn, verb)
	r.Put(p.AccentBold, key)
	r.Put(p.Text, after)
}

// Number is a bound as it is shown: with commas between thousands when it is whole.
func Number(f float64) string {
	const most = 1 << 53 // a double has all integers up to there
	if f == math.Trunc(f) && math.Abs(f) < most {
		return paint.HumanCount(int(f))
	}
	return strconv.FormatFloat(f, 'g', 12, 64)
}
