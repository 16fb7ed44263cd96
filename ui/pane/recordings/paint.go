package recordings

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/recordings"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"

	"mcptea/ui/widget"
)

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	count := phrase.Digits(len(p.all))
	if p.Filtering() {
		count = phrase.Digits(p.Count()) + " of " + count
	}
	return []paint.Span{{Style: pal.Muted, Text: count + "  by "}, {Style: pal.Accent, Text: p.SortedBy()}}
}

// sign marks recordings that the user has marked, that are being written, and that are broken.
func (p *Pane) sign(r *recordings.Recording, pal *paint.Palette) paint.Span {
	switch {
	case slices.Contains(p.marks, r.Path):
		return paint.Span{Style: pal.WarnBold, Text: pal.Mark}
	case r.Live:
		return paint.Span{Style: pal.OK, Text: pal.Dot}
	case r.Err != nil || r.Summary != nil && r.Summary.Damage+r.Summary.Drift != "":
		return paint.Span{Style: pal.Warn, Text: pal.WarnMark}
	}
	return paint.Span{}
}

func (p *Pane) columns() []widget.Column[*recordings.Recording] {
	type cell = func(r *recordings.Recording, pal *paint.Palette) []paint.Span
	text := func(of func(r *recordings.Recording, pal *paint.Palette) (paint.Style, string)) cell {
		return func(r *recordings.Recording, pal *paint.Palette) []paint.Span {
			st, text := of(r, pal)
			return []paint.Span{{Style: st, Text: text}}
		}
	}
	read := func(of func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string)) cell {
		return func(r *recordings.Recording, pal *paint.Palette) []paint.Span {
			if r.Summary == nil {
				return nil
			}
			st, text := of(r.Summary, pal)
			return []paint.Span{{Style: st, Text: text}}
		}
	}
	return []widget.Column[*recordings.Recording]{
		{Name: "server", Compare: byServer, Cell: text(func(r *recordings.Recording, pal *paint.Palette) (paint.Style, string) {
			return pal.Text, withoutScheme(r.Server())
		})},
		{Name: "target", From: 150, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) {
			if s.Server == "" {
				return pal.Muted, "" // the column of the server shows it
			}
			return pal.Muted, s.Target
		})},
		{Name: "calls", From: 72, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) { return pal.Value, calls(s, pal) })},
		{Name: "time", Compare: byTime, Width: 16, Cell: text(func(r *recordings.Recording, pal *paint.Palette) (paint.Style, string) {
			if r.Live {
				return pal.OK, p.when(r)
			}
			return pal.Text, p.when(r)
		})},
		{Name: "source", Width: 18, From: 104, Cell: text(func(r *recordings.Recording, pal *paint.Palette) (paint.Style, string) { return pal.Muted, r.Source() })},
		{Name: "transport", Width: 9, From: 130, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) { return pal.Muted, s.Transport })},
		{Name: "protocol", Width: 10, From: 140, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) { return pal.Muted, s.Revision })},
		{Name: "duration", Width: 8, Right: true, From: 110, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) {
			return pal.Text, phrase.Took(s.Duration())
		})},
		{Name: "frames", Width: 7, Right: true, From: 56, Cell: read(func(s *recordings.Summary, pal *paint.Palette) (paint.Style, string) {
			if s.Partial {
				return pal.Text, phrase.Digits(s.Frames()) + "+" // there may be more
			}
			return pal.Text, phrase.Digits(s.Frames())
		})},
		{Name: "findings", Compare: byFindings, Width: 13, Right: true, Cell: p.findings},
		{Name: "size", Compare: bySize, Width: 7, Right: true, From: 90, Cell: text(func(r *recordings.Recording, pal *paint.Palette) (paint.Style, string) {
			return pal.Muted, phrase.Size(r.Size)
		})},
	}
}

// maxCalls is the number of tools and prompts that a row names.
const maxCalls = 8

// calls returns the tools and prompts that the client has called, most frequent first. They distinguish two
// recordings of a server.
func calls(s *recordings.Summary, pal *paint.Palette) string {
	var names []string
	for _, q := range s.Requests {
		if q.Name == "" || q.FromServer {
			continue
		}
		if len(names) == maxCalls {
			names = append(names, pal.Ellipsis)
			break
		}
		name := strings.TrimSpace(q.Name)
		if q.Count > 1 {
			name += " " + pal.Times + phrase.Digits(q.Count)
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// withoutScheme returns a server or a URL without the scheme, which does not distinguish any two.
func withoutScheme(server string) string {
	return strings.TrimPrefix(strings.TrimPrefix(server, "http://"), "https://")
}

// findings returns the number of findings by severity, or why there are none.
func (p *Pane) findings(r *recordings.Recording, pal *paint.Palette) []paint.Span {
	s := r.Summary
	switch {
	case r.Err != nil:
		return []paint.Span{{Style: pal.Error, Text: "unreadable"}}
	case s == nil:
		return []paint.Span{{Style: pal.Muted, Text: paint.Spinner(pal, p.tick.Spin)}}
	case s.Failure != "":
		return []paint.Span{{Style: pal.Error, Text: "not connected"}}
	case s.FindingErrors+s.FindingWarnings == 0:
		return []paint.Span{{Style: pal.Muted, Text: pal.Absent}}
	}
	return severities(pal, s)
}

func severities(pal *paint.Palette, s *recordings.Summary) []paint.Span {
	var spans []paint.Span
	add := func(of lint.Severity, n int) {
		switch {
		case n == 0:
			return
		case len(spans) > 0:
			spans = append(spans, paint.Span{Text: " "})
		}
		spans = append(spans, paint.Span{Style: app.SeverityStyle(pal, of), Text: app.SeveritySign(pal, of) + " " + phrase.Digits(n)})
	}
	add(lint.Error, s.FindingErrors)
	add(lint.Warn, s.FindingWarnings)
	return spans
}

// besideWidth is the width from which the requests are next to the summary.
const besideWidth = 90

// detail paints the summary of a recording.
func (p *Pane) detail(c *app.Canvas, r *recordings.Recording) {
	pal, sum := c.Pal, r.Summary
	title := []paint.Span{{Style: pal.Strong, Text: r.Server()}}
	if r.Live {
		title = []paint.Span{{Style: pal.OK, Text: pal.Dot + " "}, title[0], {Style: pal.OK, Text: " live"}}
	}
	paintFacts := func(c *app.Canvas) {
		d := doc.On(c)
		p.facts(d, r)
		d.Paint()
	}
	if c.W < besideWidth || sum == nil {
		paintFacts(c.Box(title, nil, false))
		return
	}
	total := 0
	for _, q := range sum.Requests {
		total += q.Count
	}
	left, right := c.Box(title, []paint.Span{{Style: pal.Muted, Text: phrase.Count(total, "request")}}, false).Beside(factsWidth(c.W))
	paintFacts(left)
	requests(right, sum)
}

// factsWidth returns the width of the summary next to the requests.
func factsWidth(w int) int { return w * 44 / 100 }

// needs returns the number of rows that the detail wants.
func (p *Pane) needs(r *recordings.Recording, s *app.Screen, w, h int) int {
	if w < besideWidth || r.Summary == nil {
		return 2 + doc.Measure(s, w-2, h, func(d *doc.Doc) { p.facts(d, r) })
	}
	return 2 + max(doc.Measure(s, factsWidth(w), h, func(d *doc.Doc) { p.facts(d, r) }), 1+len(r.Summary.Requests))
}

// facts adds the rows of the summary.
func (p *Pane) facts(d *doc.Doc, r *recordings.Recording) {
	pal := d.Pal
	d.Margin = 10
	switch {
	case r.Err != nil:
		d.Text(pal.Error, "Unreadable: "+r.Err.Error(), 3)
	case r.Summary == nil:
		d.Text(pal.Muted, "Reading "+phrase.Size(r.Size)+".", 1)
	default:
		p.summary(d, r.Summary)
	}
	if t := r.Tap; t != nil {
		spans := []paint.Span{{Style: pal.Muted, Text: "pid " + strconv.Itoa(t.PID) + "  " + t.Listen}}
		if t.Name != "" {
			spans = append([]paint.Span{{Style: pal.Text, Text: t.Name + "  "}}, spans...)
		}
		d.Fact("tap", spans...)
	} else if source := r.Source(); source != "" {
		d.Fact("source", paint.Span{Style: pal.Text, Text: source})
	}
	d.FactText("file", pal.Muted, filepath.Base(r.Path), 2)
	if r.Tap != nil {
		d.Text(pal.Muted, p.app.Key("recording.open")+" follows it; there, "+p.app.Key("breakpoint")+" holds frames on their way.", 2)
	}
}

func (p *Pane) summary(d *doc.Doc, sum *recordings.Summary) {
	pal := d.Pal
	d.FactText("failed", pal.Error, sum.Failure, 2)
	d.FactText("damaged", pal.Warn, sum.Damage, 2)
	d.FactText("drift", pal.Warn, sum.Drift, 4)
	d.FactText("target", pal.Text, sum.Target, 2)
	d.Fact("protocol", paint.Span{Style: pal.Text, Text: strings.TrimLeft(sum.Revision+"  ", " ")}, paint.Span{Style: pal.Muted, Text: sum.Transport})
	d.Fact("started", paint.Span{Style: pal.Text, Text: phrase.Date(sum.Started, p.tick.Now)}, paint.Span{Style: pal.Muted, Text: "  for " + phrase.Took(sum.Duration())})
	frames := paint.Spans{{Style: pal.Out, Text: pal.Up + " " + phrase.Digits(sum.Out)}, {Style: pal.In, Text: "  " + pal.Down + " " + phrase.Digits(sum.In)}}
	frames.If(sum.Partial, pal.Muted, "  in the part read")
	frames.If(sum.Errors > 0, pal.Error, "  "+phrase.Count(sum.Errors, "error"))
	d.Fact("frames", frames...)
	if sum.FindingErrors+sum.FindingWarnings > 0 {
		d.Fact("findings", severities(pal, sum)...)
	}
	if len(sum.Activity) > 1 {
		d.FactRow("activity", func(r *paint.Row) { r.Put(pal.Accent, pal.Sparkline(sum.Activity, r.Left()-1)) }).Give(1, 0)
	}
}

// requests paints the table of the requests, most frequent first.
func requests(c *app.Canvas, sum *recordings.Summary) {
	pal := c.Pal
	const count, duration = 7, 9
	name := max(c.W-2*count-2*duration-2, 10)
	c.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Cell(pal.Muted, "request", name)
		r.CellRight(pal.Muted, "sent", count)
		r.CellRight(pal.Muted, "errors", count)
		r.CellRight(pal.Muted, "median", duration)
		r.CellRight(pal.Muted, "p95", duration)
	})
	for i, q := range sum.Requests {
		c.Line(func(r *paint.Row) {
			r.Gap(1)
			if c.Left() == 1 && i < len(sum.Requests)-1 {
				r.Put(pal.Muted, phrase.Digits(len(sum.Requests)-i)+" more")
				return
			}
			request(r, pal, &q, name)
			r.CellRight(pal.Text, phrase.Digits(q.Count), count)
			style, errors := pal.Muted, pal.Absent
			if q.Errors > 0 {
				style, errors = pal.Error, phrase.Digits(q.Errors)
			}
			r.CellRight(style, errors, count)
			if q.Median == 0 {
				return
			}
			r.CellRight(pal.Text, phrase.Took(q.Median), duration)
			r.CellRight(pal.Text, phrase.Took(q.Percentile), duration)
		})
	}
}

// request writes the method and the tool or prompt into w cells. Requests of the server
// have an arrow.
func request(r *paint.Row, pal *paint.Palette, q *recordings.Request, w int) {
	end := r.Used() + w
	if q.FromServer {
		r.Put(pal.In, pal.ArrowIn+" ")
	}
	method := display.Sanitize(q.Method)
	r.Put(pal.Text, pal.Cut(method, end-r.Used()-1))
	if q.Name != "" {
		r.Gap(1)
		r.Put(pal.Value, pal.Label(strings.TrimSpace(q.Name), max(0, end-r.Used()-1)))
	}
	r.To(end)
}
