package dialog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/question"
	"mcptea/ui/paint"
)

// A Reading is a text of consent with the rows that were visible. Windows, the start screen and terminals
// without windows show a text with it; only a Reading can confirm that all of the text was visible. A changed
// text needs a new Reading.
type Reading struct {
	whole question.Text // text to agree to
	text  question.Text // shown part: everything that decides something
	width int           // width of the rows, or 0 before it is known
	rows  []row
	sight question.Sight
}

// Read returns a Reading for a text.
func Read(t question.Text) *Reading { return &Reading{whole: t, text: t} }

// ReadBrief returns a Reading for the short form of a text, or nil if it has none, see [question.Text.Brief].
func ReadBrief(t question.Text) *Reading {
	brief, ok := t.Brief()
	if !ok {
		return nil
	}
	return &Reading{whole: t, text: brief}
}

// Layout wraps the text to a width in cells, including its margin, and returns the number of rows. At another
// width the user must read it again.
func (r *Reading) Layout(w int) (rows int) {
	if w = max(w, 8); w != r.width {
		r.width, r.rows = w, rowsOf(r.text, w)
		r.sight.Lay(len(r.rows))
	}
	return len(r.rows)
}

// Again requires that the user reads the text once more.
func (r *Reading) Again() { r.sight.Again() }

// Left returns the number of rows that were not visible yet.
func (r *Reading) Left() int { return r.sight.Left() }

// First returns the first row that was not visible, or -1.
func (r *Reading) First() int { return r.sight.First() }

// Agree returns the agreement to the text, if all of it was visible for some time.
func (r *Reading) Agree(grace time.Duration) (question.Agreement, bool) {
	return r.sight.Agree(r.whole, grace)
}

// A Sign is a sign in the rows, with its meaning.
type Sign struct{ Mark, Means string }

// Signs returns the signs in the rows, or nil if all of the text is literal.
func (r *Reading) Signs(blank, wrapped string) (signs []Sign) {
	all := []Sign{{blank, "blank"}, {"⏎", "break"}, {wrapped, "wrapped"}, {"‹U+…›", "invisible"}}
	var used [4]bool
	for i := range r.rows {
		used[2] = used[2] || r.rows[i].wrapped
		for _, part := range r.rows[i].parts {
			switch part.Kind {
			case display.Blank:
				used[0] = true
			case display.Hidden:
				used[1] = used[1] || strings.Contains(part.Text, all[1].Mark)
				used[3] = used[3] || strings.ReplaceAll(part.Text, all[1].Mark, "") != ""
			}
		}
	}
	for i, sign := range all {
		if used[i] {
			signs = append(signs, sign)
		}
	}
	return signs
}

// Put paints a row after a margin of one cell. The row counts as visible if it fits and readable is set.
func (r *Reading) Put(p *paint.Palette, to *paint.Row, i int, readable bool) {
	if consentRow(p, to, &r.rows[i]) && readable {
		r.sight.Show(i)
	}
}

// consentRow paints a row, and reports whether it fits.
func consentRow(p *paint.Palette, r *paint.Row, row *row) (whole bool) {
	if row.rule != "" {
		w := r.Left() - 1
		r.Painted(paint.Rule(p, w, paint.Span{Style: p.Muted, Text: row.rule}), w)
		return true
	}
	label := row.label
	if row.wrapped {
		label = strings.Repeat(" ", max(0, row.margin-3)) + p.Reply
	}
	r.Put(paint.If(row.marked, p.WarnBold, p.Muted), label)
	r.To(1 + row.margin)
	if row.end {
		r.Put(p.Muted, "end")
		return true
	}
	whole = row.cells() <= r.Left()
	style := paint.If(row.strong, p.Strong, p.Text)
	for _, part := range row.parts {
		switch part.Kind {
		case display.Blank:
			r.Put(p.Accent, strings.Repeat(blankMark(p), len(part.Text)))
		case display.Hidden:
			r.Put(p.WarnBold, part.Text)
		default:
			r.Put(style, part.Text)
		}
	}
	return whole
}

func blankMark(p *paint.Palette) string {
	if p.Separator == "-" { // ASCII only
		return "_"
	}
	return p.Separator
}

// A row is one row of a question.
type row struct {
	rule    string // horizontal line with a title
	label   string
	margin  int // margin of the parts, in cells
	parts   []display.Part
	strong  bool
	marked  bool // the row must not be overlooked
	wrapped bool // the row continues the previous one
	end     bool // the row marks the end of the text
}

// cells returns the width of the parts.
func (r *row) cells() (n int) {
	for _, part := range r.parts {
		n += display.Width(part.Text)
	}
	return n
}

// ReadingMargin is the width of the labels of facts, in cells.
const ReadingMargin = 10

// rowsOf returns the rows of the facts and the lines at a width in cells, including their margin: wrapped,
// never shortened, with marks for text that could be overlooked.
func rowsOf(t question.Text, w int) (rows []row) {
	const margin = ReadingMargin
	for _, f := range t.Facts {
		label := f.Label
		for _, part := range display.WrapParts(display.Marked(f.Text, false), w-margin) {
			rows = append(rows, row{label: label, margin: margin, parts: part, strong: f.Strong, marked: f.Marked})
			label = ""
		}
	}
	if len(t.Lines) == 0 {
		return rows
	}
	if parts, ok := plainLine(t, w-3); ok {
		return append(rows, row{rule: t.Name}, row{margin: 1, parts: parts})
	}
	digits := len(fmt.Sprint(len(t.Lines)))
	rows = append(rows, row{rule: fmt.Sprintf("%s: %s", t.Name, phrase.Count(len(t.Lines), "line"))})
	for i, line := range t.Lines {
		number := fmt.Sprintf("%*d", digits+1, i+1)
		for _, part := range display.WrapParts(display.Marked(line, t.Blanks), w-digits-3) {
			rows = append(rows, row{label: number, margin: digits + 3, parts: part, wrapped: number == ""})
			number = ""
		}
	}
	return append(rows, row{margin: digits + 3, end: true})
}

// plainLine returns the parts of a text that needs no numbers and no end to be read in full: one line that fits in w cells and
// has only visible characters.
func plainLine(t question.Text, w int) (parts []display.Part, ok bool) {
	if len(t.Lines) != 1 || t.Lines[0] == "" {
		return nil, false
	}
	wrapped := display.WrapParts(display.Marked(t.Lines[0], t.Blanks), w)
	if len(wrapped) != 1 || slices.ContainsFunc(wrapped[0], func(p display.Part) bool { return p.Kind == display.Hidden }) {
		return nil, false
	}
	return wrapped[0], true
}
