package recordings

import (
	"path/filepath"
	"strconv"
	"strings"

	"mcptea/session/recordings"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// besideWidth is the width from which the requests are beside the summary.
const besideWidth = 90

// detail is the summary of the selected recording.
func (p *Pane) detail(pal *paint.Palette, at masterdetail.Rect) masterdetail.Box {
	r := p.selected()
	if r == nil {
		return masterdetail.Box{}
	}
	b := masterdetail.Box{Title: []paint.Span{{Style: pal.Strong, Text: pal.Label(serverOf(r), max(10, at.W/2))}}}
	if r.Live {
		b.Title = append([]paint.Span{{Style: pal.OK, Text: pal.Dot + " "}}, append(b.Title, paint.Span{Style: pal.OK, Text: " live"})...)
	}
	w := at.W
	if at.W >= besideWidth && r.Summary != nil {
		w = at.W * 44 / 100
	}
	b.Rows = p.facts(pal, r, w, at.H)
	if w < at.W {
		for i, row := range b.Rows {
			b.Rows[i] = paint.Pad(row, w)
		}
		for len(b.Rows) < at.H {
			b.Rows = append(b.Rows, paint.Pad("", w))
		}
		b.Rows = paint.JoinSide(b.Rows, requests(pal, r.Summary, at.W-w, at.H))
		b.Note = []paint.Span{{Style: pal.Muted, Text: paint.Plural(total(r.Summary), "request")}}
	}
	return b
}

func total(s *recordings.Summary) int {
	n := 0
	for _, q := range s.Requests {
		n += q.Count
	}
	return n
}

// facts are the rows of the summary.
func (p *Pane) facts(pal *paint.Palette, r *recordings.Recording, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	s.Margin = 10
	sum := r.Summary
	switch {
	case r.Err != nil:
		s.Text(pal.Error, "Unreadable: "+r.Err.Error(), 3)
	case sum == nil:
		s.Text(pal.Muted, "Reading "+paint.HumanSize(r.Size)+".", 1)
	default:
		p.summary(pal, &s, sum)
	}
	if t := r.Tap; t != nil {
		s.Fact("tap", func(row *paint.Row) {
			if t.Name != "" {
				row.Put(pal.Text, t.Name)
				row.Gap(2)
			}
			row.Put(pal.Muted, "pid "+strconv.Itoa(t.PID))
			if t.Listen != "" {
				row.Put(pal.Muted, "  "+t.Listen)
			}
		})
	}
	s.FactText("file", pal.Muted, filepath.Base(r.Path), 2)
	if r.Tap != nil {
		s.Text(pal.Muted, command.KeyIn(command.Recordings, command.OpenRecording, false)+" follows it; there, "+command.KeyOf(command.AddBreakpoint)+" holds frames on their way.", 2)
	}
	return s.Rows
}

func (p *Pane) summary(pal *paint.Palette, s *paint.Sheet, sum *recordings.Summary) {
	if sum.Failure != "" {
		s.FactText("failed", pal.Error, sum.Failure, 2)
	}
	if sum.Damage != "" {
		s.FactText("damaged", pal.Warn, sum.Damage, 2)
	}
	if sum.Target != "" {
		s.FactText("target", pal.Text, sum.Target, 2)
	}
	s.Fact("protocol", func(r *paint.Row) {
		if sum.Revision != "" {
			r.Put(pal.Text, sum.Revision)
			r.Gap(2)
		}
		r.Put(pal.Muted, sum.Transport)
	})
	s.Fact("started", func(r *paint.Row) {
		r.Put(pal.Text, paint.HumanDate(sum.Started, p.now))
		r.Put(pal.Muted, "  for "+paint.HumanDuration(sum.Duration()))
	})
	s.Fact("frames", func(r *paint.Row) {
		r.Put(pal.Out, pal.Up+" "+paint.HumanCount(sum.Out))
		r.Put(pal.In, "  "+pal.Down+" "+paint.HumanCount(sum.In))
		if sum.Partial {
			r.Put(pal.Muted, "  in the part that was read")
		}
		if sum.Errors > 0 {
			r.Put(pal.Error, "  "+paint.Plural(sum.Errors, "error"))
		}
	})
	if sum.FindingErrors+sum.FindingWarnings > 0 {
		s.Fact("findings", func(r *paint.Row) { r.Spans(severities(pal, sum)...) })
	}
	if len(sum.Activity) > 1 && s.Left() > 2 {
		s.Fact("activity", func(r *paint.Row) { r.Put(pal.Accent, pal.Sparkline(sum.Activity, r.Left()-1)) })
	}
}

// requests is the table of the requests by how often they were sent.
func requests(pal *paint.Palette, sum *recordings.Summary, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	const count, duration = 7, 9
	name := max(w-2*count-2*duration-2, 10)
	s.Line(func(r *paint.Row) {
		r.Cell(pal.Muted, "request", name)
		r.CellRight(pal.Muted, "sent", count)
		r.CellRight(pal.Muted, "errors", count)
		r.CellRight(pal.Muted, "median", duration)
		r.CellRight(pal.Muted, "p95", duration)
	})
	for i, q := range sum.Requests {
		if s.Left() == 1 && i < len(sum.Requests)-1 {
			s.Text(pal.Muted, paint.HumanCount(len(sum.Requests)-i)+" more", 1)
			break
		}
		s.Line(func(r *paint.Row) {
			request(r, pal, &q, name)
			r.CellRight(pal.Text, paint.HumanCount(q.Count), count)
			style, errors := pal.Muted, pal.Absent
			if q.Errors > 0 {
				style, errors = pal.Error, paint.HumanCount(q.Errors)
			}
			r.CellRight(style, errors, count)
			if q.Median == 0 {
				return
			}
			r.CellRight(pal.Text, paint.HumanDuration(q.Median), duration)
			r.CellRight(pal.Text, paint.HumanDuration(q.Percentile), duration)
		})
	}
	return s.Rows
}

// request writes the method and the tool or prompt into w cells. Requests of the server
// have an arrow.
func request(r *paint.Row, pal *paint.Palette, q *recordings.Request, w int) {
	end := r.Used() + w
	if q.FromServer {
		r.Put(pal.In, pal.ArrowIn+" ")
	}
	method := paint.Sanitize(q.Method)
	r.Put(pal.Text, pal.Cut(method, end-r.Used()-1))
	if q.Name != "" {
		r.Gap(1)
		r.Put(pal.Value, pal.Label(strings.TrimSpace(q.Name), max(0, end-r.Used()-1)))
	}
	r.To(end)
}
