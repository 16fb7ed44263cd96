package browse

import (
	"slices"

	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/form"
)

// hints names the keys that work where the focus is.
func (p *Pane) hints(s *sheet, e *entry, focused bool) {
	if s.Left() <= 0 {
		return
	}
	if e.Warned != nil {
		s.Line(func(r *paint.Row) { e.Warning().Put(r, s.Pal, p.sendKey(e)) })
		return
	}
	s.Line(func(r *paint.Row) {
		for _, h := range p.hintsFor(e) {
			if r.Left() < paint.Width(h.key)+paint.Width(h.label)+2 {
				break
			}
			st := s.Pal.AccentBold
			if !focused {
				st = s.Pal.Muted
			}
			r.Put(st, h.key)
			r.Put(s.Pal.Muted, " "+h.label)
			r.Gap(min(3, r.Left()))
		}
	})
}

// sendKey is the key that sends where the focus is: enter, but where that
// starts a new line or takes a value.
func (p *Pane) sendKey(e *entry) string {
	c, _ := command.In(command.Form, command.SendCall)
	keys := c.Binding.Keys()
	if e.AsJSON || p.part == inForm && (e.InLong() || e.values != nil && e.values.at >= 0) {
		keys = slices.DeleteFunc(slices.Clone(keys), func(k string) bool { return k == newLine })
	}
	if len(keys) == 0 {
		return ""
	}
	return command.KeyName(keys[0])
}

// key is the key that runs a command where the focus is.
func (p *Pane) key(id command.ID) string { return command.KeyIn(p.Context(), id, p.Typing()) }

type keyHint struct{ key, label string }

func (p *Pane) hintsFor(e *entry) []keyHint {
	of := func(n command.ID, label string) keyHint {
		cmd, _ := command.In(p.Context(), n)
		if cmd.ID == "" {
			cmd, _ = command.Named(n)
		}
		if label == "" {
			label = cmd.Label()
		}
		return keyHint{cmd.Key(p.Typing()), label}
	}
	open := of(command.OpenItem, "")
	if e.item.Kind == "resources" {
		open.label = e.shape.verb
	}
	var hints []keyHint
	// What the table has no key for in this place is not named.
	also := func(n command.ID, label string) {
		if cmd, ok := command.In(p.Context(), n); ok && cmd.Binding.Enabled() {
			hints = append(hints, of(n, label))
		}
	}
	follow := ""
	if p.subscribed[e.item.URI].on {
		follow = "unsubscribe"
	}
	switch {
	case p.list.Typing():
		// All else is text for the filter.
		apply, _ := command.In(command.FilterText, command.ApplyFilter)
		drop, _ := command.In(command.FilterText, command.ClearFilter)
		return []keyHint{{apply.Key(true), apply.Label()}, {drop.Key(true), drop.Label()}}
	case p.part == inList, e.bare():
		hints = []keyHint{open}
		if e.bare() && p.part != inList {
			hints = []keyHint{{command.KeyIn(command.NoArguments, command.SendCall, false), e.shape.verb}}
		}
		if e.item.Kind == "resources" {
			also(command.Subscribe, follow)
		} else if p.part != inList {
			also(command.ToggleFormJSON, "")
		}
		also(command.CopyCommand, "copy as command")
		also(command.ComposeItem, "")
		if p.part == inList {
			return hints
		}
	default:
		hints = []keyHint{{p.sendKey(e), e.shape.verb}}
		if !e.AsJSON && e.Form.CanFill() {
			hints = append(hints, keyHint{command.KeyName(form.FillKey), "fill in the example"})
		}
		hints = append(hints, of(command.ToggleFormJSON, ""), of(command.OpenEditor, ""))
		if e.shape.ref != nil && completes(p.state.Handshake) && !e.AsJSON {
			hints = append(hints, of(command.Complete, ""))
		}
	}
	if use := p.taskUse(e); use == client.TaskOptional || use == client.TaskRequired {
		hints = append(hints[:1:1], append([]keyHint{of(command.CycleTaskOption, p.wishOf(e).String())}, hints[1:]...)...)
	}
	if e.shown() != nil {
		hints = append(hints, of(command.ShowResult, ""))
	}
	return append(hints, of(command.Back, ""))
}
