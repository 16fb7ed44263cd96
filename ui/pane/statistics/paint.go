package statistics

import (
	"path/filepath"
	"strconv"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/session/record/statistics"
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

func (p *Pane) columns() []widget.Column[row] {
	number := func(st func(pal *paint.Palette) paint.Style, of func(c *statistics.Counts) int) func(r row, pal *paint.Palette) []paint.Span {
		return func(r row, pal *paint.Palette) []paint.Span {
			n := of(r.counts())
			if n == 0 {
				return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
			}
			return []paint.Span{{Style: st(pal), Text: phrase.Digits(n)}}
		}
	}
	took := func(of func(c *statistics.Counts) time.Duration) func(r row, pal *paint.Palette) []paint.Span {
		return func(r row, pal *paint.Palette) []paint.Span {
			c := r.counts()
			if c.Answered() == 0 {
				return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
			}
			return []paint.Span{{Style: pal.Text, Text: phrase.Took(of(c))}}
		}
	}
	text := func(pal *paint.Palette) paint.Style { return pal.Text }
	failed := func(pal *paint.Palette) paint.Style { return pal.Error }
	return []widget.Column[row]{
		{Name: "server, tool", Cell: func(r row, pal *paint.Palette) []paint.Span {
			if r.tool == nil {
				return []paint.Span{{Style: pal.Strong, Text: r.name()}}
			}
			return []paint.Span{{Style: pal.Text, Text: "  " + r.name()}}
		}},
		{Name: "calls", Width: 9, Right: true, Cell: number(text, func(c *statistics.Counts) int { return c.Calls })},
		{Name: "tool errors", Width: 11, Right: true, From: 80, Cell: number(failed, func(c *statistics.Counts) int { return c.ToolErrors })},
		{Name: "error responses", Width: 15, Right: true, From: 100, Cell: number(failed, func(c *statistics.Counts) int { return c.ProtocolErrors })},
		{Name: "unanswered", Width: 10, Right: true, From: 110, Cell: number(failed, func(c *statistics.Counts) int { return c.Unanswered })},
		{Name: "failed in", Width: 11, Right: true, Cell: func(r row, pal *paint.Palette) []paint.Span {
			c := r.counts()
			if c.FailedSessions == 0 {
				return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
			}
			return []paint.Span{{Style: pal.Error, Text: phrase.Digits(c.FailedSessions)}, {Style: pal.Muted, Text: " of " + phrase.Digits(c.Sessions)}}
		}},
		{Name: "p50", Width: 8, Right: true, Cell: took(func(c *statistics.Counts) time.Duration { return time.Duration(c.P50) })},
		{Name: "p95", Width: 8, Right: true, Cell: took(func(c *statistics.Counts) time.Duration { return time.Duration(c.P95) })},
		{Name: "p99", Width: 8, Right: true, From: 90, Cell: took(func(c *statistics.Counts) time.Duration { return time.Duration(c.P99) })},
	}
}

// detail is a row in words, with the recordings in which something failed.
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

// shownFailed is how many recordings are named under the table.
const shownFailed = 5
