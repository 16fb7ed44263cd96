package comparison

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/session/runs/compare"
	"mcptea/ui/paint"
)

// The widths of the columns. The names of the facts take what is left.
const (
	leastCell = 10
	mostCell  = 22
	leastName = 18
	mostName  = 36
)

// sheet collects the rows of a table.
type sheet struct {
	p          *paint.Palette
	w          int
	name, cell int // widths
	row        paint.Row
	rows       []string

	section    string
	items      []string
	undefined  bool // the mark was used and the legend explains it
	missing    bool
	withLetter bool
}

// Table returns the comparison of the supported revisions in rows of w cells: the
// differences, or, with all, everything that was compared. [Heading] is the row
// above it.
func Table(p *paint.Palette, r compare.Report, w int, all bool) []string {
	runs := r.Spoken()
	s := &sheet{p: p, w: w}
	s.measure(len(runs))
	if len(runs) > 0 {
		s.overview(runs)
	}
	if r.Ended {
		s.unspoken(r)
	}
	if len(runs) > 0 {
		s.facts(r, all)
		s.listErrors(runs)
		s.legend()
	}
	return s.rows
}

func (s *sheet) measure(columns int) {
	n := max(1, columns)
	s.cell = min(max((s.w-mostName)/n-1, leastCell), mostCell)
	if s.w < leastName+n*(leastCell+1) {
		s.cell = len("25-11-25")
	}
	s.name = max(8, s.w-n*(s.cell+1))
	if s.name > mostName {
		s.name = mostName
	}
}

func (s *sheet) line(draw func(r *paint.Row)) {
	s.row.Start(s.w, paint.Style{})
	draw(&s.row)
	s.rows = append(s.rows, s.row.String())
}

// Heading names the columns of the table.
func Heading(p *paint.Palette, r compare.Report, w int) string {
	runs := r.Spoken()
	s := &sheet{p: p, w: w}
	s.measure(len(runs))
	s.each(runs, "", p.TextBold, func(run compare.Run) string {
		name := string(run.Revision)
		if s.cell < len(name) {
			name = name[2:]
		}
		return name
	})
	return s.rows[0]
}

// overview adds era, time to connect, and the lengths of the lists.
func (s *sheet) overview(runs []compare.Run) {
	s.each(runs, "era", s.p.Text, func(run compare.Run) string { return run.Handshake.Revision.Era().String() })
	s.each(runs, "connected in", s.p.Text, func(run compare.Run) string { return paint.HumanDuration(run.Took) })
	for _, kind := range client.ListKinds {
		if !slices.ContainsFunc(runs, func(run compare.Run) bool { return run.Lists[kind.Name].Offered }) {
			continue
		}
		s.each(runs, kind.Name, s.p.Text, func(run compare.Run) string {
			l := run.Lists[kind.Name]
			switch {
			case l.Err != nil:
				return fmt.Sprintf("%s after %d", s.p.FailMark, len(l.Items))
			case !l.Offered:
				s.missing = true
				return s.none()
			}
			return paint.HumanCount(len(l.Items))
		})
	}
}

func (s *sheet) none() string { return s.p.Horizontal }

// each writes a row with a text for each run.
func (s *sheet) each(runs []compare.Run, name string, st paint.Style, text func(compare.Run) string) {
	cells := make([]paint.Span, len(runs))
	for i, run := range runs {
		cells[i] = paint.Span{Style: st, Text: text(run)}
	}
	s.cellLine(0, s.p.Text, name, cells)
}

// unspoken adds why the other revisions have no column.
func (s *sheet) unspoken(r compare.Report) {
	head := "not compared"
	for _, run := range r.Runs {
		if run.Outcome != compare.Spoken {
			s.heading(head)
			s.hanging(2, 14, paint.Span{Style: s.p.Text, Text: string(run.Revision)}, s.p.Muted, run.Note, 3)
			head = ""
		}
	}
}

// hanging writes text from a column on, in at most so many rows, with a label before the
// first one.
func (s *sheet) hanging(indent, column int, label paint.Span, st paint.Style, text string, most int) {
	for i, text := range paint.WrapFirst(text, max(1, s.w-column), most) {
		s.line(func(r *paint.Row) {
			if i == 0 {
				r.Gap(indent)
				r.Spans(label)
			}
			r.To(column)
			r.Put(st, text)
		})
	}
}

// heading begins a part; one without a text goes on.
func (s *sheet) heading(text string) {
	if text == "" {
		return
	}
	if len(s.rows) > 0 {
		s.line(func(*paint.Row) {})
	}
	s.line(func(r *paint.Row) { r.Put(s.p.TextBold, text) })
}

func (s *sheet) facts(report compare.Report, all bool) {
	rows := report.Table.Notable
	if all {
		rows = report.Table.Rows
	}
	for _, row := range rows {
		s.fact(row)
	}
	switch {
	case len(rows) > 0 || !report.Ended:
	case len(report.Table.Revisions) < 2:
		s.note(s.p.Text, "No other version to compare with.")
	default:
		s.note(s.p.Text, "Nothing differs between the versions.")
	}
}

// fact writes one row of the table. The facts of one entry follow its name.
func (s *sheet) fact(row compare.Row) {
	if row.Section != s.section {
		s.heading(row.Section)
		s.section, s.items = row.Section, nil
	}
	cells, values := s.cells(row)
	indent, st, name, again := 2, s.p.Text, row.Path, slices.Equal(row.Items, s.items)
	s.items = row.Items
	switch {
	case row.Path == "":
		st, name = s.p.TextBold, strings.Join(row.Items, ", ")
	case len(row.Items) > 0:
		indent = 4
		if !again {
			s.line(func(r *paint.Row) { s.itemNames(r, row) })
		}
	}
	s.cellLine(indent, st, name, cells)
	for i, v := range values {
		s.hanging(valueIndent-3, valueIndent, paint.Span{Style: s.p.AccentBold, Text: letter(i)}, s.p.Value, v, 2)
	}
}

func (s *sheet) itemNames(r *paint.Row, row compare.Row) {
	r.Gap(2)
	if len(row.Items) > 1 {
		r.Put(s.p.TextBold, fmt.Sprintf("%d %s", len(row.Items), row.Section))
		r.Put(s.p.Muted, "  "+strings.Join(row.Items, ", "))
		return
	}
	r.Put(s.p.TextBold, row.Items[0])
}

// cellLine writes a name and its cells; a name that is too long for its column
// has a line of its own.
func (s *sheet) cellLine(indent int, st paint.Style, name string, cells []paint.Span) {
	head := func(r *paint.Row) {
		r.Gap(indent)
		r.Put(st, name)
	}
	if indent+paint.Width(paint.Sanitize(name)) >= s.name {
		s.line(head)
		head = func(*paint.Row) {}
	}
	s.line(func(r *paint.Row) {
		head(r)
		r.To(s.name)
		for _, c := range cells {
			r.Gap(1)
			r.Cell(c.Style, c.Text, s.cell)
		}
	})
}

// listErrors adds why lists are incomplete.
func (s *sheet) listErrors(runs []compare.Run) {
	head := "lists that could not be fetched"
	for _, run := range runs {
		for _, kind := range client.ListKinds {
			if err := run.Lists[kind.Name].Err; err != nil {
				s.heading(head)
				s.line(func(r *paint.Row) {
					r.Gap(2)
					r.Put(s.p.Text, string(run.Revision)+"  "+kind.Name)
					r.Gap(2)
					r.Put(s.p.Error, err.Error())
				})
				head = ""
			}
		}
	}
}

// legend explains the marks that were used.
func (s *sheet) legend() {
	var parts []string
	for _, mark := range []struct {
		used bool
		text string
	}{
		{s.undefined, "! the version does not define it"},
		{s.missing, s.none() + " missing"},
		{s.missing, "blank: not in the version, or not requested"},
		{s.withLetter, "A, B… the values below"},
	} {
		if mark.used {
			parts = append(parts, strings.ReplaceAll(mark.text, " ", whole))
		}
	}
	s.note(s.p.Muted, strings.Join(parts, "   "))
}

// whole is a blank at which a paragraph is not broken.
const whole = "\u00a0"

// note adds a paragraph.
func (s *sheet) note(st paint.Style, text string) {
	if text == "" {
		return
	}
	s.line(func(*paint.Row) {})
	for _, text := range paint.Wrap(text, max(1, s.w)) {
		s.line(func(r *paint.Row) { r.Put(st, strings.ReplaceAll(text, whole, " ")) })
	}
}
