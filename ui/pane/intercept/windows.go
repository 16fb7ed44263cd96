package intercept

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/internal/words/phrase"
	"mcptea/record/filter"
	"mcptea/session/intercept"
	"mcptea/ui/dialog"
)

// AddBreakpoint asks for the filter of a new breakpoint.
func (p *Pane) AddBreakpoint() { p.editBreakpoint(intercept.Breakpoint{Filter: p.Propose()}) }

// Edit edits the held frame of a row of the record.
func (p *Pane) Edit(row int32) {
	h := find(p.state.Held, func(h intercept.Held) bool { return h.Row == row })
	if h == nil {
		p.app.Fail("The frame is no longer held.")
		return
	}
	switch why := tooLarge(p)(h); {
	case why != "":
		p.app.Fail(why)
	default:
		p.Select(item{held, h.ID})
		p.edit(h)
	}
}

// editEntry opens the selected breakpoint or fault, or a new one.
func (p *Pane) editEntry() {
	switch it := p.selected(); {
	case it.kind == fault && it.id == 0:
		p.editFault(intercept.Fault{})
	case it.kind == fault:
		if f := p.faultOf(it.id); f != nil {
			p.editFault(*f)
		}
	case it.id == 0:
		p.AddBreakpoint()
	default:
		if b := p.breakpointOf(it.id); b != nil {
			p.editBreakpoint(*b)
		}
	}
}

// reportSet reports that a breakpoint or fault was set, and names the tab that lists it. The user stays where they are.
func (p *Pane) reportSet(what string) func(err error) {
	return func(err error) {
		if err == nil {
			p.app.Say("The " + what + " is set. " + p.app.Key("tab.intercept") + " shows it.")
		}
	}
}

// editBreakpoint asks for the filter of a breakpoint, and shows which frames it would have held.
func (p *Pane) editBreakpoint(b intercept.Breakpoint) {
	language := filter.Frames.With(p.Names)
	check := func(text string) error {
		_, err := language.Parse(text)
		return err
	}
	prompt := dialog.Prompt{
		Title: "Breakpoint", Verb: "set", Value: b.Filter, Whole: b.ID == 0, Check: check,
		Text: "Hold frames that match. Without your decision each is forwarded after " + phrase.Took(intercept.DefaultLimit) + ".",
		Hint: func(text string) string {
			f, err := language.Parse(text)
			if err != nil || f.Empty() {
				return ""
			}
			passed, of := f.Newest(p.session.Store())
			if of == 0 {
				return ""
			}
			return fmt.Sprintf("It matches %s of %s.", phrase.Digits(passed), phrase.Count(of, "recorded frame"))
		},
		Accept: func(text string) (func(), error) {
			if err := check(text); err != nil {
				return nil, err
			}
			if text == "" {
				return nil, errors.New("type a filter")
			}
			// The gate may belong to a tap, which does not know the names.
			return func() { p.setBreakpoint(b.ID, p.Names.Expand(text)) }, nil
		},
	}
	p.with(func(Gate) { prompt.Open(p.app) })
}

func (p *Pane) setBreakpoint(id int, text string) {
	p.change(func(g Gate) error {
		list := g.State().Breakpoints
		if i := slices.IndexFunc(list, func(b intercept.Breakpoint) bool { return id != 0 && b.ID == id }); i >= 0 {
			list[i].Filter = text
		} else {
			list = append(list, intercept.Breakpoint{Filter: text})
		}
		return g.SetBreakpoints(list)
	}, p.reportSet("breakpoint"))
}

// delay asks for the delay of a held frame.
func (p *Pane) delay(h *intercept.Held) {
	d := intercept.Decision{Action: intercept.Delay, Bytes: p.texts.Edited(h.ID)}
	id := h.ID
	dialog.Prompt{
		Title: "Delay", Verb: "delay", Value: "5s", Whole: true, Text: "Forward the frame after this time, such as 300ms or 5s.",
		Accept: func(text string) (do func(), err error) {
			if d.Delay, err = time.ParseDuration(text); err != nil || d.Delay <= 0 {
				return nil, fmt.Errorf("%q is not a time: write it as 300ms or 5s", text)
			}
			return func() { p.decide(id, d) }, nil
		},
	}.Open(p.app)
}

// editFault asks for a fault and the frames to which it applies.
func (p *Pane) editFault(old intercept.Fault) {
	prompt := dialog.Prompt{
		Title: "Fault", Verb: "inject", Text: "NAME, NAME=VALUE or NAME@50%; tool=NAME for one tool, method=NAME for another method, or the filter of other frames.",
		Accept: func(text string) (func(), error) {
			f, err := intercept.ParseFault(text)
			if err != nil {
				return nil, err
			}
			f.ID = old.ID
			return func() { p.setFault(f) }, nil
		},
	}
	for _, k := range intercept.FaultKinds() {
		prompt.Choices = append(prompt.Choices, dialog.Entry{Name: k.Name, Summary: k.Summary})
	}
	if old.ID != 0 {
		prompt.Value = old.String()
	}
	p.with(func(Gate) { prompt.Open(p.app) })
}

func (p *Pane) setFault(f intercept.Fault) {
	p.change(func(g Gate) error {
		list := g.State().Faults
		if i := slices.IndexFunc(list, func(old intercept.Fault) bool { return f.ID != 0 && old.ID == f.ID }); i >= 0 {
			f.Disabled = list[i].Disabled
			list[i] = f
		} else {
			list = append(list, f)
		}
		return g.SetFaults(list)
	}, p.reportSet("fault"))
}
