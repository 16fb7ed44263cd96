package inspector

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/paint"
	"mcptea/ui/pane/start"
	"mcptea/ui/program"
)

// maxFrames bounds the newest frames that the list of commands searches by method. The filter searches all.
const maxFrames = 500

// Things implements [app.Finder]: the newest frames, and other things that mcptea can open.
func (m *model) Things() []app.Things {
	if m.targets == nil {
		m.targets = make([]start.Group, len(m.options.Targets))
		for i, read := range m.options.Targets {
			m.Go(func(ctx context.Context) func() {
				g := read(ctx)
				return func() {
					m.targets[i] = g
					m.Refind()
				}
			})
		}
	}
	s, rows := m.session.Store(), int32(m.snap.Rows)
	all := []app.Things{{
		Kind: "frame", Len: int(min(rows, maxFrames)), More: rows > maxFrames,
		Name: func(i int) (name, about string) {
			r, _ := s.Row(rows - 1 - int32(i))
			arrow := paint.If(r.Dir == transport.Out, m.Pal.ArrowOut, m.Pal.ArrowIn)
			return "#" + strconv.Itoa(int(rows)-i) + " " + arrow + " " + s.Method(r.Method), ""
		},
		Show: func(i int) { m.ShowFrame(rows - 1 - int32(i)) },
	}}
	for i := range m.targets {
		of := m.targets[i].Things(func(e *start.Entry) { m.Around.Open(m.targets[i].KeyOf(e)) })
		of.Does = "shows the " + of.Kind + " on the start screen, to open it beside this session"
		all = append(all, of)
	}
	return all
}

// Destinations returns the frame that a text names, and a search for frames that contain it, which uses the
// filter.
func (m *model) Destinations(text string) (list []program.Destination) {
	if m.snap.Rows == 0 {
		return nil
	}
	if row, sentence := m.frameOf(text); row != store.None {
		list = append(list, program.Destination{Kind: "frame", Text: sentence, Show: func() { m.ShowFrame(row) }})
	}
	return append(list, program.Destination{Kind: "filter", Text: "Filter the frames by " + text, Last: true, Show: func() {
		m.showTraffic()
		m.views.frames.Filter.Set(text)
	}})
}

// frameOf returns the frame that a text identifies: "120", "#120", "14:28:14", "+3s" or "-1m"; or None.
func (m *model) frameOf(text string) (row int32, sentence string) {
	s := m.session.Store()
	if n, err := strconv.Atoi(strings.TrimPrefix(text, "#")); err == nil && text[0] != '+' && text[0] != '-' {
		row = int32(min(max(n, 1), m.snap.Rows)) - 1
		return row, fmt.Sprintf("Go to frame #%d", row+1)
	}
	base, _ := s.Row(max(m.selectedRow(), 0))
	at := time.Unix(0, base.Time)
	switch d, err := time.ParseDuration(strings.ReplaceAll(text, " ", "")); {
	case err == nil && (text[0] == '+' || text[0] == '-'):
		at = at.Add(d)
	default:
		clock, ok := parseClock(text)
		if !ok {
			return store.None, ""
		}
		year, month, day := at.Date()
		at = time.Date(year, month, day, 0, 0, 0, 0, at.Location()).Add(clock)
	}
	row = s.RowAt(at)
	return row, fmt.Sprintf("Go to %s: frame #%d", phrase.Clock(at), row+1)
}

// parseClock parses a time of day, and returns the time since midnight.
func parseClock(text string) (time.Duration, bool) {
	for _, form := range []string{"15:04:05", "15:04"} { // a fraction of a second may follow
		if t, err := time.Parse(form, text); err == nil {
			return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond()), true
		}
	}
	return 0, false
}
