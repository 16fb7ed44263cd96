package logs

import (
	"strings"

	"mcptea/session/record/store"
	"mcptea/ui/app"
	"mcptea/ui/paint"
)

// maxKnown is how many entries are kept with their texts.
const maxKnown = 512

// entry is an entry with its texts.
type entry struct {
	log          store.Log
	logger, text string
}

func (p *Pane) entry(n int) (entry, bool) {
	if e, ok := p.known[n]; ok {
		return e, true
	}
	l, ok := p.log.LogAt(n)
	if !ok {
		return entry{}, false
	}
	if len(p.known) >= maxKnown {
		clear(p.known)
	}
	e := entry{log: l}
	e.logger, e.text = p.log.LogText(l)
	p.known[n] = e
	return e, true
}

// columns are the widths of the cells of a row; 0 leaves a column out.
type columns struct{ time, source, level int }

func columnsFor(w int) columns {
	switch {
	case w >= 96:
		return columns{time: 14, source: 8, level: 11}
	case w >= 60:
		return columns{time: 10, source: 8, level: 11}
	}
	return columns{source: 7, level: 6}
}

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	title, note := p.title(c.Pal)
	in := c.Box(title, note, focused)
	c.Wheel(p.turn)
	p.columns = columnsFor(in.W)
	if p.filter.Shown() {
		p.filter.Paint(in, &p.filter)
	}
	if in.H > 7 && p.Len() > 0 {
		in.Line(func(r *paint.Row) { heading(r, c.Pal, p.columns) })
	}
	n, room := p.readerRows(in.H), in.Left()
	if n > 0 {
		room = max(room-n-1, 0)
	}
	y := in.Next()
	if p.Len() == 0 {
		in.Rows(p.empty(c.Pal, in.W)...)
	}
	in.Click(0, y, in.W, room, func(_, y int) { p.press(y) })
	in.Rows(p.list.Paint(c.Pal, in.W, room, focused)...)
	if n > 0 {
		for in.Left() > n+1 {
			in.Rows("")
		}
		p.reader(in, n)
	}
	p.filter.Candidates(c)
}

func (p *Pane) title(pal *paint.Palette) (title, note []paint.Span) {
	title = []paint.Span{{Style: pal.TextBold, Text: "Logs"}}
	if spans := p.level.spans(pal, p.spin); spans != nil {
		note = append(spans, paint.Span{Text: "   "})
	}
	count := paint.HumanCount(p.st.Logs)
	if p.filtering() {
		count = paint.HumanCount(p.Len()) + " of " + count
		if p.behind() {
			count = paint.Spinner(pal, p.spin) + " " + count
		}
	} else if p.first > 0 {
		count = "newest " + paint.HumanCount(p.Len()) + " of " + count
	}
	note = append(note, paint.Span{Style: pal.Muted, Text: count + "  "})
	if p.follow {
		note = append(note, paint.Span{Style: pal.OK, Text: pal.Follow + " follow"})
	} else {
		note = append(note, paint.Span{Style: pal.Muted, Text: p.app.Key("follow") + " follow"})
	}
	return title, note
}

func heading(r *paint.Row, pal *paint.Palette, c columns) {
	r.Gap(2)
	r.Cell(pal.Muted, "time", c.time)
	r.Cell(pal.Muted, "from", c.source)
	r.Cell(pal.Muted, "level", c.level)
	r.Put(pal.Muted, "text")
}

func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, _ int, _ bool) {
	c := p.columns
	r.Find(p.filter.Marks())
	r.Gap(1)
	e, ok := p.entry(p.number(i))
	if !ok {
		r.Put(pal.Muted, "no longer in memory; the recording has it")
		return
	}
	clock := paint.HumanClock(e.log.Time)
	if c.time < 13 && c.time > 0 {
		clock = clock[:8]
	}
	if c.time > 0 {
		r.Cell(pal.Muted, clock, c.time)
	}
	r.Cell(pal.Muted, p.source(e.log.Source), c.source)
	st := levelStyle(pal, e.log)
	r.Cell(st, levelName(e.log, c.level < 10), c.level)
	if e.logger != "" {
		r.Put(pal.Value, e.logger)
		r.Gap(2)
	}
	text := pal.Text
	if severity(e.log) >= store.LevelError || e.log.Source == store.LogStray {
		text = st
	}
	r.Put(text, strings.TrimRight(e.text, "\r\n"))
}

// levelName is the word for a level, which is shown beside its color.
func levelName(l store.Log, short bool) string {
	switch {
	case l.Source == store.LogStray:
		return "stray"
	case l.Level == store.LevelUnknown && !short:
		return "unknown"
	case short && len(l.Level.String()) > 5:
		return map[store.Level]string{
			store.LevelNotice: "note", store.LevelWarning: "warn", store.LevelCritical: "crit", store.LevelEmergency: "emerg",
		}[l.Level]
	}
	return l.Level.String()
}

func levelStyle(pal *paint.Palette, l store.Log) paint.Style {
	switch {
	case l.Level >= store.LevelCritical:
		return pal.ErrorBold
	case l.Level == store.LevelError, l.Source == store.LogStray:
		return pal.Error
	case l.Level == store.LevelWarning, l.Level == store.LevelUnknown:
		return pal.Warn
	case l.Level == store.LevelInfo, l.Level == store.LevelNotice:
		return pal.OK
	}
	return pal.Muted
}
