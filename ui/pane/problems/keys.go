package problems

import (
	"fmt"

	"mcptea/session/explain/card"
	"mcptea/session/lint"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		if p.filtering() {
			p.unfilter()
			return nil
		}
		return action.Leave{}
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.FilterProblems:
		p.input.Open()
		return nil
	case command.CycleSeverity:
		p.nextLeast()
		return nil
	}
	l, ok := p.selected()
	if !ok || p.navigate(name) {
		return nil
	}
	switch name {
	case command.ShowFindingFrame:
		return jump(l.finding())
	case command.MuteRule, command.MuteRuleAlways:
		p.chosen = true // it stays selected, so that the same key brings it back
		return action.Mute{Rule: l.g.Rule.ID, On: !l.g.Muted, Always: name == command.MuteRuleAlways}
	case command.Explain:
		return action.Explain{Card: card.OfRule(l.g.Rule)}
	case command.CopyFinding:
		f := l.finding()
		return action.Copy{Text: paint.SanitizeLines(f.Text(p.frameName(f.Row))), What: "finding"}
	case command.CopyFindingJSON:
		f := l.finding()
		b, err := f.JSON(int(f.Row) + 1)
		if err != nil {
			return action.Flash{Text: err.Error(), Wrong: true}
		}
		return action.Copy{Text: paint.EscapeJSON(string(b)), What: "finding as JSON"}
	}
	p.fold(name, l)
	return nil
}

// jump shows the frame that a finding is about, at its place.
func jump(f *lint.Finding) action.Action {
	if f.Row < 0 {
		return action.Flash{Text: "this is about no frame of its own"}
	}
	place := action.SelectPlace{Row: f.Row, Path: f.Path, Offset: -1}
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

func (p *Pane) navigate(name command.ID) bool {
	page := max(p.area.list.h/2, 1)
	by, ok := command.Steps(name, page, page, len(p.lines))
	if ok {
		p.move(p.cursor + by)
	}
	return ok
}

// fold shows the findings of a rule one by one, or hides them.
func (p *Pane) fold(name command.ID, l line) {
	rule := l.g.Rule.ID
	switch name {
	case command.ToggleFold:
		p.open[rule] = !p.open[rule]
	case command.Collapse:
		p.open[rule] = false
	case command.Expand:
		if p.open[rule] && l.f < 0 {
			p.move(p.cursor + 1)
			return
		}
		p.open[rule] = true
	case command.ExpandAll:
		for _, g := range p.groups {
			p.open[g.Rule.ID] = true
		}
	case command.CollapseAll:
		clear(p.open)
	default:
		return
	}
	p.chosen = true
	p.list() // a finding that is folded away leaves the cursor on its rule
}

// Click does what a click on a cell means: select a line, and on the selected
// one unfold the rule or go to the frame.
func (p *Pane) Click(x, y int) action.Action {
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
		p.fold(command.ToggleFold, l)
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
