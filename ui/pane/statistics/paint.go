package statistics

import (
	"path/filepath"
	"strconv"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/record/statistics"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	spans := paint.Spans{{Style: pal.Muted, Text: "of "}, {Style: pal.Accent, Text: periods[p.period].name}, {Style: pal.Muted, Text: "  by "}, {Style: pal.Accent, Text: p.order.String()}}
	spans.If(!p.counted && p.err == nil, pal.Muted, "  "+p.done())
	spans.If(p.err != nil && len(p.rows) > 0, pal.Error, "  cannot be read again")
	return spans
}

func sign(r row, pal *paint.Palette) paint.Span {
	if c := r.counts(); c.FailedSessions > 0 {
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	}
	return paint.Span{}
}

// room is the width of the columns of [statistics.Columns], and the width of the table from which they are shown.
var room = map[string]struct{ width, from int }{
	"calls": {9, 0}, "tool errors": {11, 80}, "error responses": {15, 100}, "unanswered": {10, 110}, "by mcptea": {9, 120},
	statistics.FailedIn: {11, 0}, "p50": {8, 0}, "p95": {8, 0}, "p99": {8, 90},
}

func (p *Pane) columns() []widget.Column[row] {
	columns := []widget.Column[row]{{Name: names, Cell: func(r row, pal *paint.Palette) []paint.Span {
		if r.tool == nil {
			return []paint.Span{{Style: pal.Strong, Text: r.name()}}
		}
		return []paint.Span{{Style: pal.Text, Text: "  " + r.name()}}
	}}}
	for i := range statistics.Columns {
		c := &statistics.Columns[i]
		at := room[c.Name]
		columns = append(columns, widget.Column[row]{Name: c.Name, Width: at.width, From: at.from, Right: true, Cell: func(r row, pal *paint.Palette) []paint.Span {
			text, more, isAbsent := c.Cell(r.counts())
			if isAbsent {
				return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
			}
			return []paint.Span{{Style: paint.If(c.IsError, pal.Error, pal.Text), Text: text}, {Style: pal.Muted, Text: more}}
		}})
	}
	return columns
}

// detail paints a row in words, with the recordings that have a failure.
func (p *Pane) detail(c *app.Canvas, r row) {
	d := doc.On(c.Box([]paint.Span{{Style: c.Pal.Strong, Text: r.name()}}, nil, false))
	p.facts(d, r)
	d.Paint()
}

func (p *Pane) needs(r row, s *app.Screen, w, h int) int {
	return 2 + doc.Measure(s, w-2, h, func(d *doc.Doc) { p.facts(d, r) })
}

func (p *Pane) facts(d *doc.Doc, r row) {
	pal, c := d.Pal, r.counts()
	d.Margin = 10
	calls := paint.Spans{{Style: pal.Text, Text: phrase.Count(c.Calls, "call") + " in " + phrase.Count(c.Sessions, "recording")}}
	calls.If(c.ToolErrors > 0, pal.Error, ", "+phrase.Count(c.ToolErrors, "tool error"))
	calls.If(c.ProtocolErrors > 0, pal.Error, ", "+phrase.Count(c.ProtocolErrors, "error response"))
	calls.If(c.Unanswered > 0, pal.Error, ", "+phrase.Digits(c.Unanswered)+" without a response")
	calls.If(c.Own > 0, pal.Text, ", "+phrase.Digits(c.Own)+" with a response of mcptea instead of the server")
	d.Fact("calls", calls...)
	if c.Answered() > 0 {
		d.Fact("time", paint.Span{Style: pal.Text, Text: "half within " + phrase.Took(time.Duration(c.P50)) + ", 95 % within " + phrase.Took(time.Duration(c.P95)) + ", 99 % within " + phrase.Took(time.Duration(c.P99))})
	}
	if r.tool == nil && r.server.Unconnected > 0 {
		d.Fact("connected", paint.Span{Style: pal.Error, Text: "not in " + phrase.Count(r.server.Unconnected, "recording")})
	}
	failed := r.failed()
	for i, path := range failed {
		label := ""
		if i == 0 {
			label = "failed in"
		}
		if i == shownFailed && len(failed) > shownFailed+1 {
			d.Fact(label, paint.Span{Style: pal.Muted, Text: strconv.Itoa(len(failed)-i) + " more"})
			break
		}
		when, about := p.program.Name(path)
		d.Fact(label, paint.Span{Style: pal.Text, Text: when}, paint.Span{Style: pal.Muted, Text: "  " + about})
	}
	if len(failed) > 0 {
		d.Text(pal.Muted, p.app.Key("failed.open")+" shows the calls that failed.", 1)
	}
	for _, u := range p.total.Unreadable[:min(len(p.total.Unreadable), 1)] {
		d.FactText("unreadable", pal.Warn, phrase.Count(len(p.total.Unreadable), "recording")+", such as "+filepath.Base(u.Path)+": "+u.Error, 2)
	}
}

// shownFailed is the number of recordings named under the table.
const shownFailed = 5
