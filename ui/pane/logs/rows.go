package logs

import (
	"strings"

	"mcptea/session/store"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// keepKnown bounds the entries whose text is remembered.
const keepKnown = 512

// entry is what a row shows of an entry.
type entry struct {
	log          store.Log
	logger, text string
}

func (p *Pane) entry(n int) (entry, bool) {
	if e, ok := p.known[n]; ok {
		return e, true
	}
	l, ok := p.s.LogAt(n)
	if !ok {
		return entry{}, false
	}
	if len(p.known) >= keepKnown {
		clear(p.known)
	}
	e := entry{log: l}
	e.logger, e.text = p.s.LogText(l)
	p.known[n] = e
	return e, true
}

// columns are the widths of a row's cells; 0 leaves a column out.
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

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, _ paint.JSONStyles, w, h int, focused bool) []string {
	inner, place := w-2, max(0, h-2)
	var body []string
	if p.input.Shown() {
		body = append(body, p.filterLine(pal, inner))
	}
	var r paint.Row
	cols := columnsFor(inner)
	if place > 7 && p.Len() > 0 {
		body = append(body, heading(&r, pal, cols, inner))
	}
	p.upper = len(body)
	reader := p.reader(pal, inner, place)
	p.height = max(0, place-len(body)-len(reader))
	p.scroll()
	if p.Len() == 0 {
		body = append(body, p.empty(pal, inner)...)
	}
	for i := p.top; i < p.Len() && i < p.top+p.height; i++ {
		body = append(body, p.row(&r, pal, cols, inner, i, focused))
	}
	if len(reader) > 0 {
		for len(body) < place-len(reader) {
			body = append(body, "")
		}
		body = append(body, reader...)
	}
	title, note := p.title(pal)
	return paint.Box(pal, w, h, focused, title, note, body)
}

// scroll moves the window so that the cursor shows.
func (p *Pane) scroll() {
	p.top = min(p.top, p.cursor)
	p.top = max(p.top, p.cursor-p.height+1)
	p.top = max(0, min(p.top, p.Len()-p.height))
}

func (p *Pane) title(pal *paint.Palette) (title, note []paint.Span) {
	title = []paint.Span{{Style: pal.TextBold, Text: "Logs"}}
	if p.least > store.LevelNone {
		title = append(title, paint.Span{Style: pal.Accent, Text: "  " + p.least.String() + " and worse"})
	}
	if spans := p.level.spans(pal, p.spin); spans != nil {
		note = append(spans, paint.Span{Text: "   "})
	}
	count := paint.HumanCount(p.st.Logs)
	if p.filtering() {
		count = paint.HumanCount(len(p.shown)) + " of " + count
		if p.scanned < p.st.Logs {
			count = paint.Spinner(pal, p.spin) + " " + count
		}
	} else if p.first > 0 {
		count = "newest " + paint.HumanCount(p.Len()) + " of " + count
	}
	note = append(note, paint.Span{Style: pal.Muted, Text: count + "  "})
	if p.follow {
		note = append(note, paint.Span{Style: pal.OK, Text: pal.Follow + " follow"})
	} else {
		note = append(note, paint.Span{Style: pal.Muted, Text: command.KeyOf(command.Follow) + " follows"})
	}
	return title, note
}

func (p *Pane) filterLine(pal *paint.Palette, w int) string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	r.Gap(1)
	p.input.Put(r, pal, pal.Text, min(r.Left()-3, 60))
	if p.input.Typing() && p.input.Empty() && r.Left() > 50 {
		r.Gap(2)
		r.Put(pal.Muted, "text, source or level; -word excludes")
	}
	return r.String()
}

func heading(r *paint.Row, pal *paint.Palette, c columns, w int) string {
	r.Start(w, paint.Style{})
	r.Gap(2)
	r.Cell(pal.Muted, "time", c.time)
	r.Cell(pal.Muted, "from", c.source)
	r.Cell(pal.Muted, "level", c.level)
	r.Put(pal.Muted, "text")
	return r.String()
}

func (p *Pane) row(r *paint.Row, pal *paint.Palette, c columns, w, i int, focused bool) string {
	base, mark := paint.Style{}, " "
	if i == p.cursor {
		base = pal.Selected
		if focused {
			mark = pal.Bar
		}
	}
	r.Start(w, base)
	r.Put(pal.Accent, mark)
	r.Gap(1)
	e, ok := p.entry(p.number(i))
	if !ok {
		r.Put(pal.Muted, "no longer in memory; the recording has it")
		return r.String()
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
		r.Foreign(pal.Value, e.logger)
		r.Gap(2)
	}
	text := pal.Text
	if severity(e.log) >= store.LevelError || e.log.Source == store.LogStray {
		text = st
	}
	r.Foreign(text, strings.TrimRight(e.text, "\r\n"))
	return r.String()
}

// levelName is the word for a level; people must not depend on its colour.
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
