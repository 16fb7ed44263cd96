package traffic

import (
	"strconv"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// columns holds the widths of a row's cells. 0 leaves a column out.
type columns struct {
	seq, time, id, took, size int
	units                     bool // durations have their unit, since no heading names it
}

// columnsFor returns the columns for a width and a number of rows.
func columnsFor(w, rows int) columns {
	c := columnsOf(w)
	c.seq = max(c.seq, len(strconv.Itoa(rows))+2)
	return c
}

// maxID bounds the column of ids.
const maxID = 17

// fitID widens the column of ids for an id, in a row of w cells.
func (c *columns) fitID(id string, w int) {
	most := paint.If(c.time == 0, w/6, w/4) // in a narrow row the description of the frame has priority
	c.id = max(c.id, min(max(display.Width(display.Sanitize(id)), len("id"))+1, maxID, most))
}

func columnsOf(w int) columns {
	switch {
	case w >= 100:
		return columns{seq: 6, time: wholeClock, id: 6, took: 9, size: 9}
	case w >= 60:
		return columns{seq: 6, time: wholeClock, id: 5, took: 7}
	}
	if w >= clockWidth {
		return columns{seq: 5, time: shortClock, took: 6}
	}
	return columns{seq: 5, took: 6}
}

// The widths of the time with and without the hour, and the minimum width of a row with a time.
const wholeClock, shortClock, clockWidth = 13, 10, 42

// clock returns the time of day of a row in two parts: the part that it shares with the row above, and the part
// that differs. above is 0 if there is no such row.
func clock(at, above int64) (same, changed string) {
	const form = "15:04:05.000"
	text := time.Unix(0, at).Format(form)
	if above == 0 {
		return "", text
	}
	before, n := time.Unix(0, above).Format(form), 0
	for i := range text {
		if text[i] == ':' || text[i] == '.' {
			n = i
		}
		if text[i] != before[i] {
			return text[:n], text[n:]
		}
	}
	return text, ""
}

// putClock writes the time of a row: the hour is in each row, and the part that differs from the row above is
// highlighted.
func (c columns) putClock(r *paint.Row, pal *paint.Palette, at, above int64) {
	same, changed := clock(at, above)
	end := r.Used() + c.time
	if hour := wholeClock - c.time; hour > 0 {
		same, changed = same[min(hour, len(same)):], changed[max(hour-len(same), 0):]
	}
	r.Put(pal.Faint, same)
	r.Put(pal.Muted, changed)
	r.To(end)
}

// duration returns a duration: in milliseconds below a heading with the unit, otherwise with its unit.
func (c columns) duration(d time.Duration) string {
	if c.units || d >= time.Minute { // "11m08s" has its own
		return phrase.Took(d)
	}
	return phrase.Milliseconds(d)
}

func (c columns) right() int { return c.took + c.size }
