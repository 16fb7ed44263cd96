// Package compare is the pane that compares two values: both side by side or one below
// the other, and the changes by path.
package compare

import (
	"context"
	"strconv"
	"strings"

	"mcptea/session/diff"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/difference"
	"mcptea/ui/paint"
	"mcptea/ui/widget/masterdetail"
)

// Side describes one of the two values.
type Side struct {
	Frame  string // "#118"; empty for a value that is not a frame
	Name   string // "call 14", trusted
	Time   string
	Where  string // the connection, trusted
	Took   string
	Size   string
	Note   string // the worst finding, or that it has no finding; trusted
	Wrong  bool   // the note is about a finding
	Row    int32  // of the frame; store.None without one
	Server int    // 0 for the session of the screen, 1 for the second server
}

// Values are what is compared.
type Values struct {
	Sides   [2]Side
	Subject string // what both are about; untrusted
	Pin     string // the pin that expects the first value, or that the second one may be accepted in
	Ignore  []string
	// Read returns the two values. It is called on another goroutine.
	Read func() ([2][]byte, error)
	// Command returns the command that does the same, given the ignored paths; empty
	// without one.
	Command func(swapped bool, ignored []string, strict bool) string
}

// Pane is a comparison. It belongs to the goroutine that draws.
type Pane struct {
	values  Values
	start   func(work func(ctx context.Context)) (stop func())
	swapped bool
	ignored []string
	strict  bool // ids, times, cursors and tokens count
	whole   bool // what is equal is shown in full
	sides   bool // as the user chose it, if chosen
	chosen  bool

	result chan found
	stop   func()
	shown  *found // nil while it is being made
	spin   int

	list  masterdetail.List[int] // of the entries
	lines []line
	first []int // line of each entry
	top   int   // the first line that is shown
	split bool  // the lines are those of two sides
	rows  int   // for lines, at the last painting
}

// found is the outcome of a comparison.
type found struct {
	report diff.Report
	counts [3]int // lines of each side
	err    error
}

// line is a line of the view.
type line struct {
	diff.Line
	pair *diff.Row // the other side of a change in a unified view
}

// wide is the width from which the sides are beside each other.
const wide = 120

// New returns the pane. start runs work on a goroutine and returns what ends it.
func New(v Values, start func(work func(ctx context.Context)) (stop func())) *Pane {
	p := &Pane{values: v, start: start, ignored: v.Ignore}
	p.list.Items = masterdetail.Items[int]{
		Len: func() int {
			if p.shown == nil {
				return 0
			}
			return len(p.shown.report.Entries)
		},
		Key: func(i int) int { return i },
		Row: p.entryRow,
	}
	p.compare()
	return p
}

// Close ends the comparison.
func (p *Pane) Close() {
	if p.stop != nil {
		p.stop()
	}
}

// compare starts the comparison.
func (p *Pane) compare() {
	p.Close()
	p.shown, p.lines = nil, nil
	result := make(chan found, 1)
	p.result = result
	read, swapped, whole := p.values.Read, p.swapped, p.whole
	o := diff.Options{IgnoreVolatile: !p.strict}
	texts := p.ignored
	if !p.strict && p.values.Sides[1].Frame != "" {
		texts = append([]string{"/id"}, texts...)
	}
	for _, text := range texts {
		if rule, err := diff.ParseIgnore(text); err == nil {
			o.Ignore = append(o.Ignore, rule)
		}
	}
	p.stop = p.start(func(context.Context) {
		values, err := read()
		if swapped {
			values[0], values[1] = values[1], values[0]
		}
		var f found
		if f.err = err; err == nil {
			f.report, f.err = diff.NewReport(values[0], values[1], o, whole)
		}
		result <- f
	})
}

// Refresh takes the result when it is there. It reports whether it is not.
func (p *Pane) Refresh(spin int) bool {
	p.spin = spin
	if p.shown == nil {
		select {
		case f := <-p.result:
			p.shown = &f
			p.list.Refresh()
			p.list.SelectIndex(max(p.list.Index(), 0))
			if e := p.selected(); e != nil && e.Ignored {
				p.next(1)
			}
			p.arrange()
			p.show()
		default:
		}
	}
	return p.shown == nil
}

// arrange makes the lines.
func (p *Pane) arrange() {
	p.lines = p.lines[:0]
	r := &p.shown.report
	for i := 0; i < len(r.Lines); {
		if p.split || r.Lines[i].Kind != diff.Changed {
			p.lines = append(p.lines, line{Line: r.Lines[i]})
			i++
			continue
		}
		from := i
		for i < len(r.Lines) && r.Lines[i].Kind == diff.Changed {
			i++
		}
		for k := from; k < i; k++ {
			l := r.Lines[k]
			l.Kind, l.NewNumber = diff.Removed, 0
			p.lines = append(p.lines, line{l, &r.Lines[k].Row})
		}
		for k := from; k < i; k++ {
			l := r.Lines[k]
			l.Kind, l.OldNumber = diff.Added, 0
			p.lines = append(p.lines, line{l, &r.Lines[k].Row})
		}
	}
	p.first = make([]int, len(r.Entries))
	for i := len(p.lines) - 1; i >= 0; i-- {
		if e := p.lines[i].Entry; e >= 0 {
			p.first[e] = i
		}
		p.shown.counts[0] = max(p.shown.counts[0], p.lines[i].OldNumber)
		p.shown.counts[1] = max(p.shown.counts[1], p.lines[i].NewNumber)
	}
}

// show scrolls to the lines of the selected entry.
func (p *Pane) show() {
	i := p.list.Index()
	if i < 0 || i >= len(p.first) {
		return
	}
	at := p.first[i]
	if at < p.top || at >= p.top+max(1, p.rows-2) {
		p.top = at - max(1, p.rows/4)
	}
}

// next selects the next entry that counts, or the one before.
func (p *Pane) next(step int) {
	entries := p.shown.report.Entries
	for i := p.list.Index() + step; i >= 0 && i < len(entries); i += step {
		if !entries[i].Ignored {
			p.list.SelectIndex(i)
			p.show()
			return
		}
	}
}

// selected is the entry under the cursor; nil without one.
func (p *Pane) selected() *diff.Entry {
	i := p.list.Index()
	if p.shown == nil || i < 0 || i >= len(p.shown.report.Entries) {
		return nil
	}
	return &p.shown.report.Entries[i]
}

// Works reports whether a command does something now.
func (p *Pane) Works(id command.ID) bool {
	switch id {
	case command.AcceptPin:
		return p.values.Pin != "" && !p.swapped
	case command.NextDifference, command.LastDifference:
		return p.list.Len() > 1
	case command.IgnorePath:
		e := p.selected()
		return e != nil && !e.Ignored && e.Path != ""
	case command.CopyCommand:
		return p.command() != ""
	case command.EarlierCall, command.ExportFrames:
		return p.values.Sides[0].Row >= 0 && p.values.Sides[1].Row >= 0
	}
	return true
}

// Do carries out a command. It reports false for one that it does not have.
func (p *Pane) Do(id command.ID) (a action.Action, taken bool) {
	if !p.Works(id) {
		return nil, true
	}
	switch id {
	case command.NextDifference:
		p.next(1)
	case command.LastDifference:
		p.next(-1)
	case command.ToggleSides:
		p.sides, p.chosen = !p.split, true
	case command.SwapSides:
		p.swapped = !p.swapped
		p.values.Sides[0], p.values.Sides[1] = p.values.Sides[1], p.values.Sides[0]
		p.compare()
	case command.ToggleStrict:
		p.strict = !p.strict
		p.compare()
	case command.ToggleFold:
		p.whole = !p.whole
		p.compare()
	case command.IgnorePath:
		return p.ignore(), true
	case command.AcceptPin:
		return action.Accepted{Action: action.AcceptPins{Names: []string{p.values.Pin}, Row: p.values.Sides[1].Row}}, true
	case command.CopyCommand:
		return action.Copy{Text: p.command(), What: "command"}, true
	case command.CopyDiff:
		return p.copy(), true
	case command.EarlierCall:
		return action.DiffEarlier{Old: p.values.Sides[0].Row, New: p.values.Sides[1].Row}, true
	case command.ExportFrames:
		return action.ExportRows{Rows: []int32{p.values.Sides[0].Row, p.values.Sides[1].Row}}, true
	case command.PageDown, command.HalfDown:
		p.top += max(1, p.rows/2)
	case command.PageUp, command.HalfUp:
		p.top -= max(1, p.rows/2)
	default:
		if !command.ApplyScroll(&p.list, id) {
			return nil, false
		}
		p.show()
	}
	return nil, true
}

// Scroll moves the lines.
func (p *Pane) Scroll(n int) { p.top += n }

// ignore leaves the place of the selected entry out, in all elements of arrays.
func (p *Pane) ignore() action.Action {
	rule := anyElement(p.selected().Path)
	p.ignored = append(p.ignored[:len(p.ignored):len(p.ignored)], rule)
	p.compare()
	if p.values.Pin != "" && p.values.Sides[1].Frame == "" {
		return action.IgnoreInPin{Name: p.values.Pin, Path: rule}
	}
	return action.Flash{Text: "Ignored: " + paint.Sanitize(rule)}
}

// anyElement replaces the numbers of elements in a JSON Pointer by "*".
func anyElement(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i, part := range parts {
		if _, err := strconv.ParseUint(part, 10, 32); err == nil {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// command is the one that makes the same comparison in a shell; empty without one.
func (p *Pane) command() string {
	if p.values.Command == nil {
		return ""
	}
	return p.values.Command(p.swapped, p.ignored, p.strict)
}

// copy copies the differences as text.
func (p *Pane) copy() action.Action {
	if p.shown == nil || p.shown.err != nil {
		return nil
	}
	rows := make([]diff.Row, len(p.shown.report.Lines))
	for i := range p.shown.report.Lines {
		rows[i] = p.shown.report.Lines[i].Row
	}
	text := "--- " + p.nameOf(0) + "\n+++ " + p.nameOf(1) + "\n" + difference.Text(rows)
	return action.Copy{Text: text, What: "differences"}
}

func (p *Pane) nameOf(side int) string {
	s := &p.values.Sides[side]
	return strings.TrimSpace(s.Frame + " " + s.Name)
}
