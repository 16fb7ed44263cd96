package problems

import (
	"fmt"

	"mcptea/session/explain/card"
	"mcptea/session/lint"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.Name) command.Action {
	switch name {
	case command.Back:
		if p.filtering() {
			p.unfilter()
			return nil
		}
		return command.Leave{}
	case command.NextRegion, command.PrevRegion:
		return command.Leave{Forward: name == command.NextRegion}
	case command.ProblemFilter:
		p.typing = true
		return nil
	case command.ProblemShow:
		p.nextLeast()
		return nil
	}
	l, ok := p.selected()
	if !ok || p.navigate(name) {
		return nil
	}
	switch name {
	case command.ProblemOpen:
		return jump(l.finding())
	case command.ProblemMute, command.ProblemAlways:
		p.chosen = true // it stays selected, so that the same key brings it back
		return command.Mute{Rule: l.g.Rule.ID, On: !l.g.Muted, Always: name == command.ProblemAlways}
	case command.ExplainIt:
		return command.Explain{Card: card.OfRule(l.g.Rule)}
	case command.ProblemCopy:
		f := l.finding()
		return command.Copy{Text: paint.SanitizeLines(f.Text(p.frameName(f.Row))), What: "finding"}
	case command.ProblemJSON:
		f := l.finding()
		b, err := f.JSON(int(f.Row) + 1)
		if err != nil {
			return command.Flash{Text: err.Error(), Wrong: true}
		}
		return command.Copy{Text: paint.EscapeJSON(string(b)), What: "finding as JSON"}
	}
	p.fold(name, l)
	return nil
}

// jump shows the frame that a finding is about, at its place.
func jump(f *lint.Finding) command.Action {
	if f.Row < 0 {
		return command.Flash{Text: "this is about no frame of its own"}
	}
	place := command.SelectPlace{Row: f.Row, Path: f.Path, Offset: -1}
	if f.AtByte() {
		place.Offset = f.Offset
	}
	return place
}

// frameName is how a frame is called in a text.
func (p *Pane) frameName(row int32) string {
	if row < 0 {
		return ""
	}
	name := fmt.Sprintf("frame %d", row+1)
	if m := p.method(row); m != "" {
		name += " (" + m + ")"
	}
	return name
}

func (p *Pane) navigate(name command.Name) bool {
	page := max(p.area.list.h/2, 1)
	by, ok := command.Steps(name, page, page, len(p.lines))
	if ok {
		p.move(p.cursor + by)
	}
	return ok
}

// fold shows the findings of a rule one by one, or hides them.
func (p *Pane) fold(name command.Name, l line) {
	rule := l.g.Rule.ID
	switch name {
	case command.DetailFold:
		p.open[rule] = !p.open[rule]
	case command.DetailFoldUp:
		p.open[rule] = false
	case command.DetailOpen:
		if p.open[rule] && l.f < 0 {
			p.move(p.cursor + 1)
			return
		}
		p.open[rule] = true
	case command.DetailAll:
		for _, g := range p.groups {
			p.open[g.Rule.ID] = true
		}
	case command.DetailLevel:
		clear(p.open)
	default:
		return
	}
	p.chosen = true
	p.list() // a finding that is folded away leaves the cursor on its rule
}

// Click does what a click on a cell means: select a line, and on the selected
// one unfold the rule or go to the frame.
func (p *Pane) Click(x, y int) command.Action {
	i := y - p.area.list.y
	if !p.area.list.holds(x, y) || i >= len(p.rows) || p.rows[i] < 0 {
		return nil
	}
	if p.rows[i] != p.cursor {
		p.move(p.rows[i])
		return nil
	}
	l, ok := p.selected()
	switch {
	case !ok:
	case l.f < 0:
		p.fold(command.DetailFold, l)
	default:
		return jump(l.finding())
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if p.area.list.holds(x, y) {
		p.move(p.cursor + n/max(n, -n, 1))
	}
}
