package ui

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/session/filter"
	"mcptea/session/intercept"
	"mcptea/ui/action"
	"mcptea/ui/dialog"
	"mcptea/ui/paint"
)

// askBreakpoint asks for the filter of a breakpoint, and says what it would have held.
func (m *model) askBreakpoint(a action.EditBreakpoint) {
	check := func(text string) error {
		_, err := filter.Parse(text)
		return err
	}
	dialog.Prompt{
		Title: "Breakpoint", Verb: "set", Value: a.Filter, Check: check,
		Text: "Hold frames that match. Without your decision each goes on after " + paint.HumanDuration(intercept.DefaultLimit) + ".",
		Hint: func(text string) string {
			f, err := filter.Parse(text)
			if err != nil || f.Empty() {
				return ""
			}
			return m.matching(&f)
		},
		Accept: func(text string) (func(), error) {
			if err := check(text); err != nil {
				return nil, err
			}
			if text == "" {
				return nil, errors.New("type a filter")
			}
			return func() { m.app().Do(action.SetBreakpoint{ID: a.ID, Filter: text}) }, nil
		},
	}.Open(m.app())
}

// askDelay asks for how long a held frame is delayed.
func (m *model) askDelay(a action.DelayHeld) {
	dialog.Prompt{
		Title: "Delay", Verb: "delay", Value: "5s", Text: "Forward the frame after this time, such as 300ms or 5s.",
		Accept: func(text string) (func(), error) {
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return nil, fmt.Errorf("%q is not a time: write it as 300ms or 5s", text)
			}
			return func() {
				m.app().Do(action.Decide{ID: a.ID, Decision: intercept.Decision{Action: intercept.Delay, Delay: d, Bytes: a.Bytes}})
			}, nil
		},
	}.Open(m.app())
}

// askFault asks for a fault and the frames that it is for.
func (m *model) askFault(a action.EditFault) {
	p := dialog.Prompt{
		Title: "Fault", Verb: "inject", Text: "NAME, NAME=VALUE or NAME@50%, and the filter of the frames if it is not for responses to tool calls.",
		Accept: func(text string) (func(), error) {
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
			return func() { m.app().Do(action.SetFault{Fault: f}) }, nil
		},
	}
	for _, k := range intercept.FaultKinds() {
		p.Choices = append(p.Choices, dialog.Choice{Name: k.Name, Summary: k.Summary})
	}
	if a.ID != 0 {
		p.Value = strings.TrimSpace(a.Fault.String() + " " + a.Fault.Filter)
	}
	p.Open(m.app())
}
