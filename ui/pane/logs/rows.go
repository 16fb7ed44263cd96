package logs

import (
	"strings"

	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/ui/paint"
)

// maxKnown is the number of entries kept with their texts.
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
	var err error
	if e.logger, e.text, err = p.log.LogText(l); err != nil {
		e.text = "not shown: " + err.Error()
	}
	p.known[n] = e
	return e, true
}

func (p *Pane) note(pal *paint.Palette) (note []paint.Span) {
	if spans := p.level.spans(pal, p.spin); spans != nil {
		note = append(spans, paint.Span{Text: "   "})
	}
	count := phrase.Digits(p.st.Logs)
	switch {
	case p.first > 0 && p.Filtering():
		count = phrase.Digits(p.Count()) + " of the newest " + phrase.Digits(p.Len()) + " (of " + count + ")"
	case p.first > 0:
		count = "newest " + phrase.Digits(p.Len()) + " of " + count
	case p.Filtering():
		count = phrase.Digits(p.Count()) + " of " + count
	}
	if p.Behind() {
		count = paint.Spinner(pal, p.spin) + " " + count
	}
	follow := paint.Span{Style: pal.Muted, Text: p.app.Key("follow") + " follow"}
	if p.Following() {
		follow = paint.Span{Style: pal.OK, Text: pal.Follow + " follow"}
	}
	return append(note, paint.Span{Style: pal.Muted, Text: count + "  "}, follow)
}

// cell returns a cell function that handles entries no longer in memory.
func (p *Pane) cell(of func(l store.Log, pal *paint.Palette) paint.Span) func(int, *paint.Palette) []paint.Span {
	return func(n int, pal *paint.Palette) []paint.Span {
		e, ok := p.entry(n)
		if !ok {
			return nil
		}
		return []paint.Span{of(e.log, pal)}
	}
}

func (p *Pane) clock(l store.Log, pal *paint.Palette) paint.Span {
	return paint.Span{Style: pal.Muted, Text: phrase.Clock(l.Time)}
}

func (p *Pane) from(l store.Log, pal *paint.Palette) paint.Span {
	return paint.Span{Style: pal.Muted, Text: p.source(l.Source)}
}

func (p *Pane) levelOf(l store.Log, pal *paint.Palette) paint.Span {
	return paint.Span{Style: levelStyle(pal, l), Text: levelName(l)}
}

func (p *Pane) text(n int, pal *paint.Palette) []paint.Span {
	e, ok := p.entry(n)
	if !ok {
		return []paint.Span{{Style: pal.Muted, Text: "no longer in memory; the recording has it"}}
	}
	text := paint.Span{Style: pal.Text, Text: strings.TrimRight(e.text, "\r\n")}
	if severity(e.log) >= store.LevelError || e.log.Source == store.LogStray {
		text.Style = levelStyle(pal, e.log)
	}
	if e.logger == "" {
		return []paint.Span{text}
	}
	return []paint.Span{{Style: pal.Value, Text: e.logger}, {Text: "  "}, text}
}

// levelName returns the word for a level, shown next to its color.
func levelName(l store.Log) string {
	switch {
	case l.Source == store.LogStray:
		return "stray"
	case l.Level == store.LevelUnknown:
		return "unknown"
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
