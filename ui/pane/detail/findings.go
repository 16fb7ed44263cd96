package detail

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/session/lint"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/severity"
	"mcptea/ui/widget/hexview"
)

// place is the place of a frame to be shown: a JSON pointer, or a byte.
type place struct {
	path   string
	offset int // -1 when the path says it
}

// Point goes to a place of the frame on show: its value in the tree, or its
// byte. Of a frame that is still being read, it does so later.
func (p *Pane) Point(path string, offset int) {
	p.wanted = &place{path, offset}
	p.point()
}

func (p *Pane) point() {
	if p.wanted == nil || p.view == nil || !p.info.IsFrame() {
		return
	}
	to := *p.wanted
	p.wanted = nil
	if to.offset < 0 {
		if to.path != "" || p.mode != Pair {
			p.mode = Tree
		}
		p.view.SelectPointer(to.path)
		return
	}
	p.mode = Bytes
	p.hex.SetMode(hexview.Hex)
	p.hex.Mark(min(to.offset, len(p.body)-1), to.offset+1)
	p.view.SelectOffset(to.offset)
}

// Explain has the findings explained, or only named.
func (p *Pane) Explain(on bool) { p.why = on }

// findings are what the rules say of the frame on show, the worst first.
func (p *Pane) findings() []lint.Finding {
	all := slices.Clone(p.source.FindingsAt(p.row))
	slices.SortStableFunc(all, func(a, b lint.Finding) int { return int(a.Rule.Severity) - int(b.Rule.Severity) })
	return all
}

// mark puts the ids of the rules behind the values that they are about. Finding
// a value means to go through the members around it, so that it is done again
// only when there are other findings.
func (p *Pane) mark(pal *paint.Palette, all []lint.Finding) {
	marked := make([]string, len(all), len(all)+1)
	for i := range all {
		marked[i] = all[i].Rule.ID + " " + all[i].Path
	}
	marked = append(marked, pal.Theme.Name)
	if slices.Equal(marked, p.marked) {
		return
	}
	p.marked = marked
	p.view.ClearMarks()
	for i := range all {
		if f := &all[i]; f.Path != "" {
			p.view.Mark(f.Path, paint.Span{
				Style: severity.Style(pal, f.Rule.Severity), Text: severity.Sign(pal, f.Rule.Severity) + " " + f.Rule.ID,
			})
		}
	}
}

// verdicts writes the findings, a line each or in full, in at most h rows.
func (p *Pane) verdicts(pal *paint.Palette, all []lint.Finding, w, h int) []string {
	var rows []string
	for i := range all {
		next := p.verdict(pal, &all[i], w, i == 0)
		over := len(rows)+len(next) > h || len(rows)+len(next) == h && i < len(all)-1
		if over && i > 0 {
			r := pal.Row()
			r.Start(w, paint.Style{})
			r.Put(pal.Muted, fmt.Sprintf(" and %d more; %s shows all of them", len(all)-i, command.KeyOf(command.TabProblems)))
			return append(rows[:min(len(rows), max(h-1, 0))], r.String())
		}
		rows = append(rows, next...)
	}
	return rows[:min(len(rows), max(h, 1))]
}

func (p *Pane) verdict(pal *paint.Palette, f *lint.Finding, w int, first bool) []string {
	r := pal.Row()
	r.Start(w, paint.Style{})
	why, _ := command.In(command.Detail, command.ExplainFindings)
	if first && !p.why && w >= 50 {
		r.Right(paint.Span{Style: pal.AccentBold, Text: why.Key(false)}, paint.Span{Style: pal.Muted, Text: " explains "})
	}
	s := f.Rule.Severity
	r.Put(severity.Style(pal, s), " "+severity.Sign(pal, s)+" ")
	r.Put(severity.Bold(pal, s), f.Rule.ID+" ")
	if !p.why {
		r.Put(pal.Text, f.Message)
		return []string{r.String()}
	}
	r.Put(pal.TextBold, f.Rule.Slug)
	rows := []string{r.String()}
	say := func(st paint.Style, text string) {
		for _, line := range paint.Wrap(text, max(w-4, 1)) {
			r.Start(w, paint.Style{})
			r.Gap(3)
			r.Put(st, line)
			rows = append(rows, r.String())
		}
	}
	say(pal.Strong, f.Message)
	if f.Hint != "" {
		say(pal.Text, f.Hint)
	}
	last := []string{"fix in " + severity.FixIn(f)}
	if where := f.Where(); where != "" {
		last = append(last, "at "+where)
	}
	if f.Rule.Spec != "" {
		last = append(last, f.Rule.Spec)
	}
	say(pal.Muted, strings.Join(last, ", "))
	return rows
}

// said reports whether one of some rules, or of the rules of a family, has a
// finding already.
func said(all []lint.Finding, rules ...string) bool {
	return slices.ContainsFunc(all, func(f lint.Finding) bool {
		return slices.Contains(rules, f.Rule.ID) || slices.Contains(rules, f.Rule.Family())
	})
}

// Marked is which bytes stand out in the view of the bytes.
func (p *Pane) Marked() (start, end int) {
	if p.hex == nil {
		return 0, 0
	}
	return p.hex.Marked()
}
