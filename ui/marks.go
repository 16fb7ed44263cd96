package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/ui/paint"
)

// destination is the frame that a text names: "120", "#120", "14:28:14", "+3s" or "-1m";
// nil if it names none.
func (m *model) destination(text string) *destination {
	s := m.session.Store()
	if m.snap.Rows == 0 {
		return nil
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && text[0] != '+' && text[0] != '-' {
		row := int32(min(max(n, 1), m.snap.Rows)) - 1
		return m.toFrame(row, fmt.Sprintf("Go to frame #%d", row+1))
	}
	base, _ := s.Row(max(m.selectedRow(), 0))
	at := time.Unix(0, base.Time)
	switch d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); {
	case err == nil && (text[0] == '+' || text[0] == '-'):
		at = at.Add(d)
	default:
		clock, ok := parseClock(text)
		if !ok {
			return nil
		}
		year, month, day := at.Date()
		at = time.Date(year, month, day, 0, 0, 0, 0, at.Location()).Add(clock)
	}
	row := s.RowAt(at)
	return m.toFrame(row, fmt.Sprintf("Go to %s: frame #%d", paint.HumanClock(at), row+1))
}

func (m *model) toFrame(row int32, text string) *destination {
	return &destination{text, func() { m.selectFrame(row) }}
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
