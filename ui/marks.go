package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/ui/paint"
)

// place is a frame that words of the list of commands name: a number, a time of the day,
// or a time before or after the selected frame.
type place struct {
	row  int32
	text string // what it is, for the list
}

// placeFor returns the frame that a text names: "120", "#120", "14:28:14", "+3s" or
// "-1m".
func (m *model) placeFor(text string) (place, bool) {
	s := m.session.Store()
	if m.snap.Rows == 0 {
		return place{}, false
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && text[0] != '+' && text[0] != '-' {
		row := int32(min(max(n, 1), m.snap.Rows)) - 1
		return place{row, fmt.Sprintf("Go to frame #%d", row+1)}, true
	}
	base, _ := s.Row(max(m.selectedRow(), 0))
	at := time.Unix(0, base.Time)
	switch d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); {
	case err == nil && (text[0] == '+' || text[0] == '-'):
		at = at.Add(d)
	default:
		clock, ok := parseClock(text)
		if !ok {
			return place{}, false
		}
		year, month, day := at.Date()
		at = time.Date(year, month, day, 0, 0, 0, 0, at.Location()).Add(clock)
	}
	row := s.RowAt(at)
	return place{row, fmt.Sprintf("Go to %s: frame #%d", paint.HumanClock(at), row+1)}, true
}

// parseClock parses a time of the day, and returns how long after midnight it is.
func parseClock(text string) (time.Duration, bool) {
	for _, form := range []string{"15:04:05", "15:04"} { // a fraction of a second may follow
		if t, err := time.Parse(form, text); err == nil {
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond()), true
		}
	}
	return 0, false
}
