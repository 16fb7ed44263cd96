package problems

import (
	"fmt"

	"mcptea/session/failure/card"
	"mcptea/session/lint"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		if p.filtering() {
			p.clearFilter()
			return nil
		}
		return action.Leave{}
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.FilterProblems:
		p.input.Open()
		return nil
	case command.CycleSeverity:
		p.cycleSeverity()
		return nil
	}
	l, ok := p.selected()
	if !ok || command.ApplyScroll(&p.view.List, name) {
		return nil
	}
	switch name {
	case command.ShowFindingFrame:
		return jump(l.finding())
	case command.MuteRule, command.MuteRuleAlways:
		p.view.List.Pin(true) // it stays selected, so that the same key unmutes it
		return action.Mute{Rule: l.group.Rule.ID, On: !l.group.Muted, Always: name == command.MuteRuleAlways}
	case command.Explain:
		return action.Explain{Card: card.OfRule(l.group.Rule)}
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

// jump shows the frame of a finding at its place.
func jump(f *lint.Finding) action.Action {
	if f.Row < 0 {
		return action.Flash{Text: "This finding is not about one frame."}
	}
	place := action.SelectPlace{Row: f.Row, Path: f.Path, Offset: -1}
	if f.AtByte() {
		place.Offset = f.Offset
	}
	return place
}

// frameName names a frame in copied text.
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

// fold shows or hides the findings of rules.
func (p *Pane) fold(name command.ID, l line) {
	rule := l.group.Rule.ID
	switch name {
	case command.ToggleFold:
		p.open[rule] = !p.open[rule]
	case command.Collapse:
		p.open[rule] = false
	case command.Expand:
		if p.open[rule] && l.i < 0 {
			p.view.List.Move(1)
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
	p.view.List.Pin(true)
	p.list() // the cursor of a finding that is folded away goes to its rule
}

// Click selects a line; on the selected one it unfolds the rule, or shows the frame
// of the finding.
func (p *Pane) Click(x, y int) action.Action {
	if p.view.Click(x, y) != masterdetail.Again {
		return nil
	}
	l, _ := p.selected()
	if l.i >= 0 {
		return jump(l.finding())
	}
	p.fold(command.ToggleFold, l)
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) { p.view.Scroll(x, y, n) }
