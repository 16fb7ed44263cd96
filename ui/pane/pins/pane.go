// Package pins is the pane of the pinned calls: their state, and how the response of the
// selected one differs from the expected one.
package pins

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/diff"
	"mcptea/session/pins"
	"mcptea/ui/action"
	"mcptea/ui/command"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/widget/masterdetail"
)

// Pins is what the pane reads.
type Pins interface {
	Path() string
	Version() int
	List() (list []pins.Pin, others, version int, problem error)
}

// Pane is the list of the pins and the selected one. It belongs to the goroutine that
// draws.
type Pane struct {
	pins    Pins
	list    []pins.Pin
	others  int
	version int
	problem error
	spin    int

	view  masterdetail.View[string]
	top   int    // the first line of the detail
	shown string // the pin whose lines are these
	lines []uidiff.Line
	of    int // the version of the lines
	rows  int // of the detail at the last painting
}

// New returns the pane.
func New(of Pins) *Pane {
	p := &Pane{pins: of, version: -1, of: -1}
	p.view.Layout = masterdetail.Layout{Beside: 100, Percent: 42, Min: 42, Max: 64, Height: 60}
	p.view.List.Items = masterdetail.Items[string]{
		Len: func() int { return len(p.list) },
		Key: func(i int) string { return p.list[i].Name },
		Row: p.row,
	}
	return p
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Pins }

// Refresh takes what is new. It reports whether a pin is running.
func (p *Pane) Refresh(spin int) (busy bool) {
	p.spin = spin
	if p.pins.Version() != p.version {
		p.list, p.others, p.version, p.problem = p.pins.List()
		p.view.List.Refresh()
		if p.view.List.Index() < 0 {
			p.view.List.SelectIndex(0)
		}
	}
	for i := range p.list {
		busy = busy || p.list[i].State == pins.Running
	}
	return busy
}

// Height is how many rows the pane needs for all pins; 0 without pins.
func (p *Pane) Height() int {
	switch {
	case len(p.list) > 0:
		least := 0
		if _, failed := p.Counts(); failed > 0 {
			least = 12 // to read a difference
		}
		return max(len(p.list)+3+min(p.failures(), 3), least)
	case p.problem != nil:
		return 5
	}
	return 0
}

// failures counts the pins that need a sentence.
func (p *Pane) failures() (n int) {
	for i := range p.list {
		if noteOf(&p.list[i]) != "" {
			n++
		}
	}
	return n
}

// Counts are the numbers of pins that passed and that failed.
func (p *Pane) Counts() (passed, failed int) {
	for i := range p.list {
		switch p.list[i].State {
		case pins.Passed:
			passed++
		case pins.Failed, pins.Rejected:
			failed++
		}
	}
	return passed, failed
}

// Select selects a pin.
func (p *Pane) Select(name string) { p.view.List.Select(name) }

// selected is the pin under the cursor; nil without one.
func (p *Pane) selected() *pins.Pin {
	i := p.view.List.Index()
	if i < 0 || i >= len(p.list) {
		return nil
	}
	return &p.list[i]
}

// Typing implements the contract of panes.
func (p *Pane) Typing() bool { return false }

// Type implements the contract of panes.
func (p *Pane) Type(tea.KeyPressMsg) (action.Action, bool) { return nil, false }

// Paste implements the contract of panes.
func (p *Pane) Paste(string) {}

// Cursor implements the contract of panes.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// Click selects a pin.
func (p *Pane) Click(x, y int) action.Action {
	p.view.Click(x, y)
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) {
	if !p.view.Scroll(x, y, n) {
		p.top += n
	}
}

// Works reports whether a command does something now.
func (p *Pane) Works(id command.ID) bool {
	one := p.selected()
	switch id {
	case command.AcceptPin, command.DiffFrames, command.RejectPin:
		return one != nil && one.Response != nil && (one.State == pins.Failed || one.State == pins.Rejected)
	case command.AcceptAllPins:
		n := 0
		for i := range p.list {
			if p.list[i].Rows != nil && p.list[i].State == pins.Failed {
				n++
			}
		}
		return n > 1
	case command.ShowPinFrame:
		return one != nil && one.RequestRow >= 0
	case command.NextDifference, command.LastDifference:
		return len(p.lines) > p.rows
	case command.RunPin, command.RunPins, command.RemovePin:
		return one != nil
	}
	return true
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		return action.Leave{}
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.RunPins:
		return action.RunPins{}
	case command.AcceptAllPins:
		var names []string
		for i := range p.list {
			if one := &p.list[i]; one.State == pins.Failed && one.Response != nil {
				names = append(names, one.Name)
			}
		}
		if names == nil {
			return action.Flash{Text: "No pin has a response to accept."}
		}
		return action.AcceptPins{Names: names, Row: -1}
	}
	one := p.selected()
	if one == nil {
		return nil
	}
	switch name {
	case command.RunPin:
		return action.RunPins{Names: []string{one.Name}}
	case command.AcceptPin:
		return action.AcceptPins{Names: []string{one.Name}, Row: -1}
	case command.RejectPin:
		return action.RejectPin{Name: one.Name}
	case command.RemovePin:
		return action.RemovePin{Name: one.Name}
	case command.ShowPinFrame:
		row := one.ResponseRow
		if row < 0 {
			row = one.RequestRow
		}
		if row < 0 {
			return action.Flash{Text: "The pin has not run in this session."}
		}
		return action.SelectFrame{Row: row}
	case command.DiffFrames:
		return action.ComparePin{Name: one.Name}
	case command.NextDifference:
		p.next(1)
	case command.LastDifference:
		p.next(-1)
	case command.PageDown, command.HalfDown:
		p.top += max(1, p.rows/2)
	case command.PageUp, command.HalfUp:
		p.top -= max(1, p.rows/2)
	default:
		command.ApplyScroll(&p.view.List, name)
	}
	return nil
}

// next scrolls to the next line, or the previous one, where a difference begins.
func (p *Pane) next(step int) {
	for i := p.top + step; i >= 0 && i < len(p.lines); i += step {
		if p.lines[i].Kind != diff.Same && (i == 0 || p.lines[i-1].Kind == diff.Same) {
			p.top = i
			return
		}
	}
}

// arrange makes the lines of the detail for the selected pin.
func (p *Pane) arrange(one *pins.Pin) {
	if p.shown == one.Name && p.of == p.version {
		return
	}
	moved := p.shown != one.Name
	p.shown, p.of = one.Name, p.version
	rows := one.Rows
	if rows == nil && one.Response != nil && len(one.Response) <= maxShown {
		rows = diff.Lines(one.Response)
	}
	p.lines = uidiff.Lines(rows)
	if moved {
		first := slices.IndexFunc(p.lines, func(l uidiff.Line) bool { return l.Kind != diff.Same })
		p.top = max(0, first-2)
	}
}

// maxShown is the size of a response without a difference that is shown, in bytes.
const maxShown = 256 << 10

// noteOf is the sentence about a pin below the list; empty without one.
func noteOf(one *pins.Pin) string {
	switch {
	case one.State == pins.Failed && one.Rows == nil || one.State == pins.Rejected && one.Rows == nil:
		return one.Reason
	case one.Warning != "":
		return one.Warning
	case one.State == pins.NotRun && !one.Outside.Empty():
		return "sends " + outside(one) + ": " + command.KeyIn(command.Pins, command.RunPin, false) + " runs it"
	case one.State == pins.NotRun && !one.ReadOnly:
		return "not read-only: " + command.KeyIn(command.Pins, command.RunPin, false) + " runs it"
	}
	return ""
}

// took is the total of the durations.
func (p *Pane) took() (total time.Duration) {
	for i := range p.list {
		total += p.list[i].Took
	}
	return total
}

// arguments are those of a pin in one line.
func arguments(one *pins.Pin) string { return strings.TrimSpace(one.Arguments) }
