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

// Reading is a text of consent while the user reads it: its rows at a width, and which of them were in
// sight. Windows, the start screen and terminals without windows show a text with it, and nothing else says
// that all of it was in sight. It is made again where the text changes.
type Reading struct {
	whole question.Text // what is agreed to
	text  question.Text // what is shown of it: all that decides something
	width int           // of the rows; 0 before they are known
	rows  []row
	sight question.Sight
}

// Read begins to show a text.
func Read(t question.Text) *Reading { return &Reading{whole: t, text: t} }

// ReadBrief begins to show a text in few rows; nil where it has none, see [question.Text.Brief].
func ReadBrief(t question.Text) *Reading {
	brief, ok := t.Brief()
	if !ok {
		return nil
	}
	return &Reading{whole: t, text: brief}
}

// Layout wraps the text to a width in cells, its margin included, and returns how many rows it has. At
// another width the user has to read it again.
func (r *Reading) Layout(w int) (rows int) {
	if w = max(w, 8); w != r.width {
		r.width, r.rows = w, rowsOf(r.text, w)
		r.sight.Lay(len(r.rows))
	}
	return len(r.rows)
}

// Again has the user read it once more.
func (r *Reading) Again() { r.sight.Again() }

// Left is how many rows were not in sight yet.
func (r *Reading) Left() int { return r.sight.Left() }

// First is the first row that was not in sight; -1 without one.
func (r *Reading) First() int { return r.sight.First() }

// Agree is the agreement to the text, once all of it was in sight for some time.
func (r *Reading) Agree(grace time.Duration) (question.Agreement, bool) {
	return r.sight.Agree(r.whole, grace)
}

// Sign is a sign of the rows, and what it means.
type Sign struct{ Mark, Means string }

// Signs are the signs in the rows; none where all of the text is what it looks like.
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

// Put paints a row, behind a margin of one cell. It is in sight if it fits and the user can read it now.
func (r *Reading) Put(p *paint.Palette, to *paint.Row, i int, readable bool) {
	if consentRow(p, to, &r.rows[i]) && readable {
		r.sight.Show(i)
	}
}

// consentRow paints a row, and reports whether all of it has room.
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
	if p.Separator == "-" { // without characters outside of ASCII
		return "_"
	}
	return p.Separator
}

// row is one row of a question.
type row struct {
	rule    string // a line across with a title
	label   string
	margin  int // of the parts, in cells
	parts   []display.Part
	strong  bool
	marked  bool // it must not be overlooked
	wrapped bool // it goes on with the row before it
	end     bool // it says that nothing follows
}

// cells is the width of the parts.
func (r *row) cells() (n int) {
	for _, part := range r.parts {
		n += display.Width(part.Text)
	}
	return n
}

// ReadingMargin is how many cells the labels of facts take.
const ReadingMargin = 10

// rowsOf returns the rows of the facts and the lines at a width in cells, their margin included:
// wrapped, never shortened, with what could be overlooked marked.
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
