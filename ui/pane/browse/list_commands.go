package browse

import (
	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/session/offer/diff"
	"mcptea/session/session"
	"mcptea/ui/keys"
)

// listCommands are those of the list, and of an item that is not filled in.
func (p *Pane) listCommands() []keys.Command {
	return append([]keys.Command{
		p.Do(keys.Command{ID: "item.open", Keys: keys.On("enter l right"), Label: "arguments/read", Now: p.opens, Help: "Edit the arguments, or read the resource", Words: "call run read get", Footer: 10}, p.open),
		p.Do(keys.Command{ID: "edit", Verb: keys.Edit, Label: "arguments", Help: "Go to the arguments", Words: "edit form fields change"}, func(l *line) { p.item(l).Fill() }, func(l *line) string { return p.item(l).NoArguments() }),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter by name, description", Words: "search find", Footer: 15, Run: p.StartFilter},
		{ID: "refresh", Keys: keys.On("ctrl+r"), Label: "refresh", Help: "Request the list again", Words: "reload fetch list", Footer: 40, Run: p.fetch, Off: p.cannotFetch},
		{ID: "view.shown", Verb: keys.NextView, Label: "as a model", Help: "Show the tools as a host hands them to a model, and what they cost", Words: hosts + " llm tokens cost context", Footer: 56, Run: p.asModel, Off: func() string {
			return keys.Reason(p.kind.one != "tool" || len(p.tick.State.Lists["tools"].Items) == 0, "There are no tools to hand to a model here.")
		}},
		p.Do(keys.Command{ID: "diff", Verb: keys.Diff, Label: "full diff", Help: "Compare the entry with what it was, as JSON", Words: "difference compare", Footer: 11}, p.diffChange, func(l *line) string {
			return keys.Reason(l.change == nil, "Nothing has changed here.")
		}),
		{ID: "match.next", Verb: keys.NextMatch, Label: "next change", Help: "Select the next entry that has changed", Words: "difference restart", Footer: 12, Run: func() { p.nextChange(1) }, Off: p.unchanged},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous change", Help: "Select the previous entry that has changed", Words: "difference restart", Run: func() { p.nextChange(-1) }, Off: p.unchanged},
		{ID: "change.see", Verb: keys.Ignore, Label: "mark seen", Help: "Mark all changes on show as seen", Words: "clear difference restart", Footer: 13, Run: p.see, Off: p.unchanged},
	}, p.ItemCommands()...)
}

// open opens an item: its arguments, or what a resource holds, since reading takes no
// arguments and changes nothing.
func (p *Pane) open(l *line) {
	if c := l.change; c != nil {
		p.s.Changes().See(c.List, c.Key)
		p.notify()
		if c.Kind == diff.Removed {
			return
		}
	}
	p.Panel.Open(p.item(l))
}

// opens is what opening does with the selected item.
func (p *Pane) opens() string {
	l, ok := p.Selected()
	switch {
	case !ok:
		return ""
	case l.change != nil && l.change.Kind == diff.Removed:
		return "mark seen"
	}
	return p.item(l).Opens()
}

// fetch requests the lists again.
func (p *Pane) fetch() {
	p.app.Online("Fetch the list", func() {
		for _, k := range client.ListKinds {
			for _, name := range p.kind.lists {
				if k.Name == name {
					p.s.Fetch(k)
				}
			}
		}
	})
}

// cannotFetch is why the lists are not requested.
func (p *Pane) cannotFetch() string {
	st := &p.tick.State
	offered := p.isOffered()
	switch {
	case st.Phase == session.Failed || st.Phase == session.Idle:
		return "Not connected: " + p.app.Key("restart") + " restarts the server."
	case st.Phase == session.Ready && !offered:
		return "The server does not offer " + p.kind.noun + "."
	}
	return ""
}

// unchanged is why there is no change to go to.
func (p *Pane) unchanged() string {
	return keys.Reason(p.changed == 0, "Nothing has changed here.")
}

// nextChange selects the next item that differs, from the first one again after the last.
func (p *Pane) nextChange(step int) {
	changed := func(l *line) bool { return l.change != nil }
	if !p.Seek(step, changed) && !(p.ClearFilter() && p.Seek(step, changed)) {
		p.app.Say("There are no other changes.")
	}
}

// see marks all changes as seen.
func (p *Pane) see() {
	p.s.Changes().SeeList(p.kind.lists...)
	p.notify()
}

// notify has the state looked at again.
func (p *Pane) notify() {
	if s := p.s.Store(); s != nil {
		s.Notify()
	}
}

// diffChange compares the two versions of an item in full.
func (p *Pane) diffChange(l *line) {
	old, now := l.change.Old, l.change.New
	if old == nil {
		old = []byte("{}")
	}
	if now == nil {
		now = []byte("{}")
	}
	name := display.Cut(display.Sanitize(l.change.Key), 40)
	p.DiffValues(name+" before", name+" now", old, now)
}
