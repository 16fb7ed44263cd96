package browse

import (
	"mcptea/client"
	"mcptea/internal/words/display"
	"mcptea/offer/diff"
	"mcptea/session/session"
	"mcptea/ui/keys"
	"mcptea/ui/result"
)

// listCommands returns the commands of the list.
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
	}, append(p.ItemCommands(), p.resultFromList()...)...)
}

// resultFromList returns the commands of the result that work in the list, too, because the result is visible beside it.
func (p *Panel) resultFromList() []keys.Command {
	var list []keys.Command
	for _, c := range result.Commands(p.resultOnShow) {
		if c.ID != "result.jq" && c.ID != "result.pipe" && c.ID != "write" {
			continue
		}
		run := c.Run
		c.Footer, c.Run = 0, func() {
			p.ShowResult()
			run()
		}
		list = append(list, c)
	}
	return list
}

// open marks a change of the item as seen and opens it; see [Panel.Open].
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

// opens returns the label of the open key for the selected item.
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

// cannotFetch returns why the lists cannot be requested, or "".
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

// unchanged returns why there is no change to go to, or "".
func (p *Pane) unchanged() string {
	return keys.Reason(p.changed == 0, "Nothing has changed here.")
}

// nextChange selects the next changed item, wrapping around.
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

// notify wakes the readers of the session state.
func (p *Pane) notify() {
	if s := p.s.Store(); s != nil {
		s.Notify()
	}
}

// diffChange opens a full comparison of the two versions of an item.
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
