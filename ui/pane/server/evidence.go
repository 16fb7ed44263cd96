package server

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// part is evidence of one kind under a heading: lines of stderr, a response, or
// single facts.
type part struct {
	name, remark, right string
	tab                 string // where all lines are; empty when they are all here
	total               int    // lines in all, where not all of them are kept
	lines               []evidenceLine
	facts               bool                 // the lines are facts
	choose              func(n int) []string // the n lines that say most; nil for the first ones
}

// lineKind is how a line of evidence is painted.
type lineKind uint8

const (
	plainLine lineKind = iota
	wrongLine
	headerLine // of HTTP: name and value
)

// evidenceLine is a line of evidence. It may be untrusted.
type evidenceLine struct {
	kind        lineKind
	label, text string
}

// wrapEvidence is how many rows one line may take.
const wrapEvidence = 3

type drawRow = func(r *paint.Row)

// rows paints n lines of a part under its heading.
func (e part) rows(s *sheet, n int) []drawRow {
	pal, w := s.pal, s.w
	var out []drawRow
	if e.facts {
		return factRows(pal, w, e.lines[:min(n, len(e.lines))])
	}
	lines := e.lines[:min(n, len(e.lines))]
	if e.choose != nil {
		lines = nil
		for _, text := range e.choose(n) {
			kind := plainLine
			if failure.LooksWrong(text) {
				kind = wrongLine
			}
			lines = append(lines, evidenceLine{kind: kind, text: strings.TrimRight(text, " \t\r\n")})
		}
	}
	if e.name != "" {
		out = append(out, func(r *paint.Row) { e.heading(r, s, len(lines)) })
	}
	for _, l := range lines {
		label := ""
		if l.kind == headerLine {
			label = l.label + " "
		}
		wrapped := paint.WrapFirst(label+l.text, max(1, w-2), wrapEvidence)
		for i, text := range wrapped {
			out = append(out, func(r *paint.Row) {
				r.Put(pal.Border, pal.Vertical+" ")
				st := pal.Text
				if l.kind == wrongLine {
					st = pal.Error
				}
				if i == 0 && label != "" && strings.HasPrefix(text, strings.TrimRight(label, " ")) {
					n := min(len(label), len(text))
					r.Put(pal.Value, text[:n])
					text = text[n:]
				}
				r.Put(st, text)
			})
		}
	}
	return out
}

// factRows paints labels, and texts beside them. A label is not repeated.
func factRows(pal *paint.Palette, w int, facts []evidenceLine) []drawRow {
	var out []drawRow
	last := ""
	for _, f := range facts {
		for i, text := range paint.WrapFirst(f.text, max(1, w-labelWidth), wrapEvidence) {
			label := f.label
			if i > 0 || f.label == last {
				label = ""
			}
			out = append(out, func(r *paint.Row) {
				r.Put(pal.Muted, label)
				r.To(labelWidth)
				r.Put(pal.Text, text)
			})
		}
		last = f.label
	}
	return out
}

// heading names a part, how much of it is shown, and where the rest is.
func (e part) heading(r *paint.Row, s *sheet, shown int) {
	pal := s.pal
	right := []paint.Span{{Style: pal.Muted, Text: e.right}}
	remark := e.remark
	switch {
	case e.total > shown:
		remark = fmt.Sprintf("%d of %s lines", shown, paint.HumanCount(e.total))
		right = []paint.Span{{Style: pal.AccentBold, Text: s.key(e.tab)}, {Style: pal.Muted, Text: " all lines"}}
	case e.total == 1:
		remark = "one line"
	case e.total > 0:
		remark = fmt.Sprintf("%d lines", e.total)
	}
	if right[0].Text != "" {
		r.Right(right...)
	}
	r.Put(pal.TextBold, e.name)
	r.Gap(2)
	r.Put(pal.Muted, remark)
}

// fitted paints as much of the parts as fits into a number of rows. The longest
// part gives way first; then the last ones are left out.
func fitted(s *sheet, parts []part, room int) []drawRow {
	painted := make([][]drawRow, len(parts))
	counts := make([]int, len(parts))
	total := 0
	for i, e := range parts {
		counts[i] = len(e.lines)
		painted[i] = e.rows(s, counts[i])
		total += len(painted[i])
	}
	for total > room {
		longest := -1
		for i := range painted {
			if counts[i] > 1 && (longest < 0 || len(painted[i]) >= len(painted[longest])) {
				longest = i
			}
		}
		if longest < 0 {
			if len(painted) == 1 {
				break
			}
			total -= len(painted[len(painted)-1])
			painted = painted[:len(painted)-1]
			counts = counts[:len(painted)]
			continue
		}
		total -= len(painted[longest])
		counts[longest]--
		painted[longest] = parts[longest].rows(s, counts[longest])
		total += len(painted[longest])
	}
	return slices.Concat(painted...)
}
