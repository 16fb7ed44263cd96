package browse

import (
	"mcptea/client"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

// hints names the keys that work where the focus is.
func (p *Pane) hints(s *sheet, e *entry, focused bool) {
	if s.Left() <= 0 {
		return
	}
	if e.Warned != nil {
		again := p.sendKey(e)
		s.Line(func(r *paint.Row) {
			r.Put(s.Pal.Warn, s.Pal.WarnMark+" ")
			r.Put(s.Pal.AccentBold, again)
			r.Put(s.Pal.Text, " again sends it all the same   ")
			r.Foreign(s.Pal.Warn, e.Said)
		})
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
	if e.AsJSON || p.part == inForm && (e.InLong() || e.values != nil) {
		return key(command.FormSend)
	}
	return "enter"
}

type keyHint struct{ key, label string }

func (p *Pane) hintsFor(e *entry) []keyHint {
	of := func(n command.Name, label string) keyHint {
		cmd, _ := command.Named(n)
		if label == "" {
			label = cmd.Label
		}
		return keyHint{key(n), label}
	}
	open := of(command.BrowseOpen, "")
	if e.item.Kind == "resources" {
		open.label = e.shape.verb
	}
	var hints []keyHint
	// What the table has no key for in this place is not named.
	also := func(n command.Name, label string) {
		cmd, _ := command.Named(n)
		if len(cmd.Keys) == 0 {
			return
		}
		if found, ok := command.Lookup(p.Context(), cmd.Keys[0]); ok && found.Name == n {
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
		return []keyHint{{"enter", "keeps the filter"}, {"esc", "drops it"}, {"↑ ↓", "choose"}}
	case p.part == inList, e.bare():
		hints = []keyHint{open}
		if e.bare() && p.part != inList {
			hints = []keyHint{{"enter", e.shape.verb}}
		}
		if e.item.Kind == "resources" {
			also(command.BrowseFollow, follow)
		} else if p.part != inList {
			also(command.FormSwitch, "")
		}
		also(command.BrowseCopy, "copy as command")
		also(command.BrowseCompose, "")
		if p.part == inList {
			return hints
		}
	default:
		hints = []keyHint{{p.sendKey(e), e.shape.verb}}
		if !e.AsJSON && e.Form.CanFill() {
			hints = append(hints, keyHint{command.KeyName("right"), "fill in this shape"})
		}
		hints = append(hints, of(command.FormSwitch, ""), of(command.FormEditor, ""))
		if e.shape.ref != nil && completes(p.state.Handshake) && !e.AsJSON {
			hints = append(hints, keyHint{"ctrl+space", "values"})
		}
	}
	if use := p.taskUse(e); use == client.TaskOptional || use == client.TaskRequired {
		hints = append(hints[:1:1], append([]keyHint{of(command.FormTask, p.wishOf(e).String())}, hints[1:]...)...)
	}
	if e.shown() != nil {
		hints = append(hints, of(command.FormResult, ""))
	}
	return append(hints, of(command.Back, ""))
}
