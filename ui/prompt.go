package ui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/filter"
	"mcptea/session/intercept"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// prompt asks for one line of text, with a list of choices if there are some.
type prompt struct {
	title, text string
	verb        string // of the key that accepts
	// accept returns what to do with the text, or why it is not possible.
	accept func(text string) (action.Action, error)
	// check says while the text is typed what is wrong with it; nil checks nothing.
	check func(text string) error
	// hint is shown below a text that is possible; nil shows nothing.
	hint func(text string) string

	input   input.Input
	problem string
	shown   string // by hint
	at      [2]int

	all     []choice
	choices []choice // those that begin with the text
	list    masterdetail.List[string]
}

// choice is a value for the text.
type choice struct{ name, summary string }

var _ worker = (*prompt)(nil)

// newBreakpointPrompt asks for the filter of a breakpoint; matching says what it would
// have held.
func newBreakpointPrompt(a action.EditBreakpoint, matching func(f *filter.Filter) string) *prompt {
	o := &prompt{
		title: "Breakpoint", verb: "set",
		hint: func(text string) string {
			f, err := filter.Parse(text)
			if err != nil || f.Empty() {
				return ""
			}
			return matching(&f)
		},
		text: "Hold frames that match. Without your decision each goes on after " + paint.HumanDuration(intercept.DefaultLimit) + ".",
		accept: func(text string) (action.Action, error) {
			f, err := filter.Parse(text)
			if err != nil {
				return nil, err
			}
			if f.Empty() {
				return nil, errors.New("type a filter")
			}
			return action.SetBreakpoint{ID: a.ID, Filter: text}, nil
		},
		check: func(text string) error {
			_, err := filter.Parse(text)
			return err
		},
	}
	o.input.SetValue(a.Filter)
	o.changed()
	return o
}

func newDelayPrompt(a action.DelayHeld) *prompt {
	o := &prompt{
		title: "Delay", verb: "delay", text: "Forward the frame after this time, such as 300ms or 5s.",
		accept: func(text string) (action.Action, error) {
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return nil, fmt.Errorf("%q is not a time: write it as 300ms or 5s", text)
			}
			return action.Decide{ID: a.ID, Decision: intercept.Decision{Action: intercept.Delay, Delay: d, Bytes: a.Bytes}}, nil
		},
	}
	o.input.SetValue("5s")
	return o
}

func newFaultPrompt(a action.EditFault) *prompt {
	o := &prompt{
		title: "Fault", verb: "inject", text: "NAME, NAME=VALUE or NAME@50%, and the filter of the frames if it is not for responses to tool calls.",
		accept: func(text string) (action.Action, error) {
			name, frames, _ := strings.Cut(text, " ")
			f, err := intercept.ParseFault(name)
			if err != nil {
				return nil, err
			}
			if f.Filter = strings.TrimSpace(frames); f.Filter != "" {
				if _, err := filter.Parse(f.Filter); err != nil {
					return nil, err
				}
			}
			f.ID = a.ID
			return action.SetFault{Fault: f}, nil
		},
	}
	for _, k := range intercept.FaultKinds() {
		o.all = append(o.all, choice{k.Name, k.Summary})
	}
	o.list.Items = masterdetail.Items[string]{
		Len: func() int { return len(o.choices) },
		Key: func(i int) string { return o.choices[i].name },
		Row: func(r *paint.Row, p *paint.Palette, i, _ int, selected bool) {
			st := p.Text
			if selected {
				st = p.Strong
			}
			r.Cell(st, o.choices[i].name, 20)
			r.Gap(1)
			r.Put(p.Muted, o.choices[i].summary)
		},
	}
	if a.ID != 0 {
		o.input.SetValue(strings.TrimSpace(a.Fault.String() + " " + a.Fault.Filter))
	}
	o.narrow()
	return o
}

// narrow keeps the choices that begin with the name that is typed.
func (o *prompt) narrow() {
	if o.all == nil {
		return
	}
	name := o.input.Value()
	if i := strings.IndexAny(name, "=@ "); i >= 0 {
		name = name[:i]
	}
	o.choices = o.choices[:0]
	for _, c := range o.all {
		if strings.HasPrefix(c.name, name) {
			o.choices = append(o.choices, c)
		}
	}
	o.list.Refresh()
	o.list.SelectIndex(0)
}

const promptChoices = 10

func (o *prompt) size(w, h int) (int, int) {
	w = min(w-4, 96)
	rows := 5 + len(paint.Wrap(o.text, max(1, w-4)))
	if o.all != nil {
		rows += min(len(o.all), promptChoices, h-2-rows)
	}
	return w, rows
}

func (o *prompt) scroll(n int) {
	if o.all != nil {
		o.list.Move(n)
	}
}
func (o *prompt) close()                      {}
func (o *prompt) refresh(time.Time, int) bool { return false }
func (o *prompt) cursor() (x, y int, ok bool) { return o.at[0], o.at[1], true }

func (o *prompt) paste(text string) {
	o.input.Insert(text)
	o.changed()
}

func (o *prompt) changed() {
	o.problem, o.shown = "", ""
	text := strings.TrimSpace(o.input.Value())
	if o.check != nil {
		if err := o.check(text); err != nil {
			o.problem = sentenceOf(err)
		}
	}
	if o.hint != nil && o.problem == "" {
		o.shown = o.hint(text)
	}
	o.narrow()
}

func (o *prompt) key(k tea.KeyPressMsg) (*command.Command, bool) {
	if c, _ := command.Lookup(command.Dialog, k.String()); c.ID == command.Dismiss {
		return nil, true
	}
	before := o.input.Version()
	if o.input.Key(k); o.input.Version() != before {
		o.changed()
	}
	return nil, false
}

// do implements [worker].
func (o *prompt) do(k tea.KeyPressMsg) (action.Action, bool) {
	c, _ := command.Lookup(command.Dialog, k.String())
	switch {
	case c.Context != command.Dialog:
		return nil, false
	case c.ID == command.Up || c.ID == command.Down:
		if o.all != nil {
			command.ApplyScroll(&o.list, c.ID)
		}
		return nil, true
	case c.ID != command.Accept:
		return nil, false
	}
	text := strings.TrimSpace(o.input.Value())
	if i := o.list.Index; o.all != nil && len(o.choices) > 0 && !strings.ContainsAny(text, "=@ ") {
		text = o.choices[i()].name // a name that was typed only in part
	}
	a, err := o.accept(text)
	if err != nil {
		o.problem = sentenceOf(err)
		return nil, true
	}
	return action.Accepted{Action: a}, true
}

// sentenceOf is an error as a sentence.
func sentenceOf(err error) string {
	text := err.Error()
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func (o *prompt) paint(p *paint.Palette, w, h int) []string {
	s := paint.NewSheet(p, w-2, h-2)
	s.Text(p.Muted, o.text, 6)
	s.Line(func(r *paint.Row) {
		r.Put(p.Accent, p.Prompt+" ")
		shown, x := o.input.Visible(r.Left() - 2)
		o.at = [2]int{1 + r.Used() + x, 1 + len(s.Rows)}
		r.Put(p.Text, shown)
	})
	switch {
	case o.problem != "":
		s.Text(p.Warn, o.problem, 1)
	case o.shown != "":
		s.Text(p.Muted, o.shown, 1)
	default:
		s.Blank()
	}
	if o.all != nil {
		s.Rows = append(s.Rows, o.list.Paint(p, w-2, s.Left()-1, true)...)
	}
	for s.Left() > 1 {
		s.Blank()
	}
	hints := []paint.Hint{{Key: command.KeyIn(command.Dialog, command.Accept, true), Label: o.verb}}
	if o.all != nil {
		hints = append(hints, paint.Hint{Key: command.KeyIn(command.Dialog, command.Up, true) + " " + command.KeyIn(command.Dialog, command.Down, true), Label: "select"})
	}
	s.Hints(1, append(hints, paint.Hint{Key: command.KeyOf(command.Dismiss), Label: "cancel"})...)
	return paint.Box(p, w, h, true, []paint.Span{{Style: p.TextBold, Text: o.title}}, nil, s.Rows)
}
