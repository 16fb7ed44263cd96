package comparison

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/session/compare"
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

func (s *sheet) blank() {
	if len(s.rows) > 0 {
		s.line(func(*paint.Row) {})
	}
}

// Heading names the columns of the table.
func Heading(p *paint.Palette, r compare.Report, w int) string {
	runs := r.Spoken()
	s := &sheet{p: p, w: w}
	s.measure(len(runs))
	s.line(func(row *paint.Row) {
		row.To(s.name)
		for _, run := range runs {
			row.Gap(1)
			name := string(run.Revision)
			if s.cell < len(name) {
				name = name[2:]
			}
			row.Cell(p.TextBold, name, s.cell)
		}
	})
	return s.rows[0]
}

// overview adds era, time to connect, and the lengths of the lists.
func (s *sheet) overview(runs []compare.Run) {
	s.each(runs, "era", func(run compare.Run) string { return run.Handshake.Revision.Era().String() })
	s.each(runs, "connected in", func(run compare.Run) string { return paint.HumanDuration(run.Took) })
	for _, kind := range client.ListKinds {
		if !slices.ContainsFunc(runs, func(run compare.Run) bool { return run.Lists[kind.Name].Offered }) {
			continue
		}
		s.each(runs, kind.Name, func(run compare.Run) string {
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

func (s *sheet) each(runs []compare.Run, name string, text func(compare.Run) string) {
	s.line(func(r *paint.Row) {
		r.Put(s.p.Text, name)
		r.To(s.name)
		for _, run := range runs {
			r.Gap(1)
			r.Cell(s.p.Text, text(run), s.cell)
		}
	})
}

// unspoken adds why the other revisions have no column.
func (s *sheet) unspoken(r compare.Report) {
	first := true
	for _, run := range r.Runs {
		if run.Outcome == compare.Spoken {
			continue
		}
		if first {
			s.heading("not compared")
			first = false
		}
		const indent = 14
		for i, text := range paint.WrapFirst(run.Note, max(1, s.w-indent), 3) {
			s.line(func(r *paint.Row) {
				if i == 0 {
					r.Gap(2)
					r.Put(s.p.Text, string(run.Revision))
				}
				r.To(indent)
				r.Put(s.p.Muted, text)
			})
		}
	}
}

func (s *sheet) heading(text string) {
	s.blank()
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
	if len(rows) == 0 && report.Ended {
		s.blank()
		text := "Nothing differs between the versions."
		if len(report.Table.Revisions) < 2 {
			text = "No other version to compare with."
		}
		s.line(func(r *paint.Row) { r.Put(s.p.Text, text) })
	}
}

// fact writes one row of the table. The facts of one entry follow its name.
func (s *sheet) fact(row compare.Row) {
	if row.Section != s.section {
		s.heading(row.Section)
		s.section, s.items = row.Section, nil
	}
	texts, styles, values := s.cells(row)
	if row.Path == "" {
		s.items = row.Items
		s.cellLine(2, s.p.TextBold, strings.Join(row.Items, ", "), texts, styles)
		s.values(values)
		return
	}
	indent := 2
	if len(row.Items) > 0 {
		indent = 4
		if !slices.Equal(row.Items, s.items) {
			s.items = row.Items
			s.line(func(r *paint.Row) { s.itemNames(r, row) })
		}
	}
	s.cellLine(indent, s.p.Text, row.Path, texts, styles)
	s.values(values)
}

func (s *sheet) itemNames(r *paint.Row, row compare.Row) {
	r.Gap(2)
	if len(row.Items) > 1 {
		r.Put(s.p.TextBold, fmt.Sprintf("%d %s", len(row.Items), row.Section))
		r.Put(s.p.Muted, "  ")
		r.Put(s.p.Muted, strings.Join(row.Items, ", "))
		return
	}
	r.Put(s.p.TextBold, row.Items[0])
}

// cellLine writes a name and its cells; a name that is too long for its column
// has a line of its own.
func (s *sheet) cellLine(indent int, st paint.Style, name string, texts []string, styles []paint.Style) {
	fits := indent+paint.Width(paint.Sanitize(name)) < s.name
	if !fits {
		s.line(func(r *paint.Row) {
			r.Gap(indent)
			r.Put(st, name)
		})
	}
	s.line(func(r *paint.Row) {
		if fits {
			r.Gap(indent)
			r.Put(st, name)
		}
		r.To(s.name)
		for i, text := range texts {
			r.Gap(1)
			r.Cell(styles[i], text, s.cell)
		}
	})
}

// listErrors adds why lists are incomplete.
func (s *sheet) listErrors(runs []compare.Run) {
	first := true
	for _, run := range runs {
		for _, kind := range client.ListKinds {
			err := run.Lists[kind.Name].Err
			if err == nil {
				continue
			}
			if first {
				s.heading("lists that could not be fetched")
				first = false
			}
			s.line(func(r *paint.Row) {
				r.Gap(2)
				r.Put(s.p.Text, string(run.Revision)+"  "+kind.Name)
				r.Gap(2)
				r.Put(s.p.Error, err.Error())
			})
		}
	}
}

// legend explains the marks that were used.
func (s *sheet) legend() {
	var parts []string
	if s.undefined {
		parts = append(parts, "! the version does not define it")
	}
	if s.missing {
		parts = append(parts, s.none()+" missing", "blank: not in the version, or not requested")
	}
	if s.withLetter {
		parts = append(parts, "A, B… the values below")
	}
	if len(parts) == 0 {
		return
	}
	s.blank()
	text := ""
	for _, part := range parts {
		if text != "" && paint.Width(text)+3+paint.Width(part) > s.w {
			s.line(func(r *paint.Row) { r.Put(s.p.Muted, text) })
			text = ""
		}
		if text != "" {
			text += "   "
		}
		text += part
	}
	s.line(func(r *paint.Row) { r.Put(s.p.Muted, text) })
}
