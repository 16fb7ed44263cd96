package traffic

import (
	"strconv"
	"strings"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
)

// columns are the widths of a row's cells; 0 leaves a column out.
type columns struct {
	seq, time, id, took, size int
	short                     bool // times without hours
	units                     bool // durations with their unit: nothing above them names it
}

// columnsFor fits the columns into a width, for so many rows.
func columnsFor(w, rows int) columns {
	c := columnsOf(w)
	c.seq = max(c.seq, len(strconv.Itoa(rows))+2)
	return c
}

// maxID bounds the column of ids.
const maxID = 17

// fitID makes the column of ids wide enough for one, in a row of w cells.
func (c *columns) fitID(id string, w int) {
	most := paint.If(c.time == 0, w/6, w/4) // in a narrow row what a frame is comes first
	c.id = max(c.id, min(max(display.Width(display.Sanitize(id)), len("id"))+1, maxID, most))
}

func columnsOf(w int) columns {
	switch {
	case w >= 100:
		return columns{seq: 7, time: 13, id: 6, took: 9, size: 9}
	case w >= 72: // also beside a frame
		return columns{seq: 6, time: 10, id: 5, took: 7, short: true}
	case w >= 44:
		return columns{seq: 6, id: 5, took: 8}
	}
	return columns{seq: 5, took: 7}
}

// clock writes the time of a row in at most c.time cells. Of a row in the same
// minute as the one above only what changed is written, flush right.
func (c columns) clock(at, above int64) string {
	t := time.Unix(0, at)
	form := paint.If(c.short, "04:05.000", "15:04:05.000")
	text := t.Format(form)
	if above == 0 {
		return text
	}
	switch before := time.Unix(0, above); {
	case before.Unix() == t.Unix():
		return strings.Repeat(" ", len(text)-len(".000")) + text[len(text)-len(".000"):]
	case before.Truncate(time.Minute).Equal(t.Truncate(time.Minute)):
		return strings.Repeat(" ", len(text)-len("05.000")) + text[len(text)-len("05.000"):]
	}
	return text
}

// duration writes how long something took: in milliseconds below a heading that
// says so, otherwise with its unit.
func (c columns) duration(d time.Duration) string {
	if c.units {
		return phrase.Took(d)
	}
	return phrase.Milliseconds(d)
}

func (c columns) right() int { return c.took + c.size }
