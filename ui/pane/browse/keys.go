package browse

import (
	"cmp"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/offer/declared"
	"mcptea/session/offer/diff"
	"mcptea/session/session"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/result"
)

// of makes a command about the selected item, which is off without one, or when off says so.
func (p *Pane) of(c keys.Command, run func(e *entry), off func(e *entry) string) keys.Command {
	return p.Do(c, func(l *line) { run(p.entry(l)) }, func(l *line) string {
		if off == nil {
			return ""
		}
		return off(p.entry(l))
	})
}

// ofCall makes a command about the call on show.
func (p *Pane) ofCall(c keys.Command, run func(e *entry, c *call), off func(e *entry, c *call) string) keys.Command {
	return p.of(c, func(e *entry) { run(e, e.shown()) }, func(e *entry) string {
		switch c := e.shown(); {
		case c == nil:
			return "There is no call yet: send one first."
		case off != nil:
			return off(e, c)
		}
		return ""
	})
}

// listCommands are those of the list, and of an item that is not filled in.
func (p *Pane) listCommands() []keys.Command {
	return append([]keys.Command{
		p.Do(keys.Command{ID: "item.open", Keys: keys.On("enter l right"), Label: "open", Help: "Edit the arguments, or read the resource", Words: "call run read get", Footer: 10}, p.open),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the list by name", Words: "search find", Footer: 15, Run: p.StartFilter},
		{ID: "refresh", Keys: keys.On("ctrl+r"), Label: "refresh", Help: "Request the list again", Words: "reload fetch list", Footer: 40, Run: p.fetch},
		{ID: "view.shown", Verb: keys.NextView, Label: "as a model", Help: "Show the tools as a host hands them to a model, and what they cost", Words: "claude openai gemini llm tokens", Footer: 95, Run: p.asModel, Off: func() string {
			return keys.Reason(p.kind.one != "tool" || len(p.tick.State.Lists["tools"].Items) == 0, "There are no tools to hand to a model here.")
		}},
		p.Do(keys.Command{ID: "diff", Verb: keys.Diff, Label: "full diff", Help: "Compare the entry with what it was, as JSON", Words: "difference compare", Footer: 11}, p.diffChange, func(l *line) string {
			return keys.Reason(l.change == nil, "This entry has not changed since it was seen.")
		}),
		{ID: "match.next", Verb: keys.NextMatch, Label: "next change", Help: "Select the next entry that has changed", Words: "difference restart", Footer: 12, Run: func() { p.nextChange(1) }, Off: p.unchanged},
		{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous change", Help: "Select the previous entry that has changed", Words: "difference restart", Run: func() { p.nextChange(-1) }, Off: p.unchanged},
		{ID: "change.see", Verb: keys.Ignore, Label: "mark seen", Help: "Mark all changes on show as seen", Words: "clear difference restart", Footer: 13, Run: p.see, Off: p.unchanged},
	}, p.itemCommands()...)
}

// itemCommands are those that work in the list and in the form.
func (p *Pane) itemCommands() []keys.Command {
	return []keys.Command{
		p.of(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy as command", Help: "Copy the command that does the same in a shell", Words: "cli script clipboard", Footer: 45}, p.copyCommand, (*entry).unread),
		p.of(keys.Command{ID: "compose.item", Verb: keys.Compose, Label: "compose", Help: "Open the request for this item in the composer", Words: "raw frame", Footer: 46}, p.compose, nil),
		p.appCommand(),
		p.of(keys.Command{ID: "subscribe", Keys: keys.On("space"), Label: "subscribe", Help: "Subscribe to updates of this resource, or unsubscribe", Words: "updates watch", Footer: 44, Now: p.subscribes}, p.subscribe, func(e *entry) string {
			return keys.Reason(e.item.Kind != "resources", "Only resources can be subscribed to.")
		}),
	}
}

// appCommand opens the app of a tool.
func (p *Pane) appCommand() keys.Command {
	return p.of(keys.Command{ID: "app.open", Verb: keys.Open, Label: "open app", Help: "Open the app of the tool in the browser, with this call or a new one (MCP Apps)", Words: "ui html mcp apps browser widget", Footer: 11}, p.openApp, func(e *entry) string {
		declares, _ := declared.OfTool(e.item.Raw)
		return keys.Reason(e.item.Kind != "tools" || declares.URI == "", "This has no app: no _meta.ui.resourceUri.")
	})
}

// openApp opens the app of a tool with the call on show, or else with the arguments of the
// form.
func (p *Pane) openApp(e *entry) {
	if c := e.shown(); c != nil {
		arguments, _ := jsonrpc.Member(c.Params, "arguments")
		p.app.Online("Open the app", func() { p.OpenApp(e.item.Name, arguments, c.Call) })
		return
	}
	arguments, fine := e.Check()
	if !fine {
		p.Enter()
		return
	}
	p.app.Online("Open the app", func() { p.OpenApp(e.item.Name, arguments, nil) })
}

// formCommands are those of the arguments.
func (p *Pane) formCommands() []keys.Command {
	list := []keys.Command{
		p.of(keys.Command{ID: "call.send", Keys: keys.On("enter ctrl+s"), Label: "send", Help: "Send the request", Words: "call run read", Footer: 10}, p.send, (*entry).unread),
		p.of(keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "form/JSON", Help: "Switch between the form and JSON, with its schema beside it", Words: "raw arguments schema", Footer: 12}, p.toggleJSON, (*entry).noArguments),
		p.of(keys.Command{ID: "edit", Verb: keys.Edit, Label: "$EDITOR", Help: "Edit the arguments as JSON in $VISUAL or $EDITOR", Words: "vim external", Footer: 18}, func(e *entry) {
			p.app.EditText(e.Written(), ".json", e.SetJSON)
		}, (*entry).noArguments),
		p.of(keys.Command{ID: "complete", Keys: keys.On("ctrl+space ctrl+@"), Label: "complete", Help: "Choose a value that the server suggests, or one that was sent before", Words: "completion values suggestions", Footer: 13}, func(e *entry) { e.suggest(0) }, (*entry).nothingToOffer),
		p.of(keys.Command{ID: "arguments.choose", Keys: keys.On("ctrl+r"), Label: "saved", Help: "Use saved arguments, or those that were sent before", Words: "history earlier sets load", Footer: 21}, func(e *entry) {
			p.Arguments.Choose(e.shape.Method, p.subject(e), func(arguments []byte) {
				e.Use(arguments)
			})
		}, (*entry).noArguments),
		p.of(keys.Command{ID: "write", Verb: keys.Write, Label: "save arguments", Help: "Save the arguments under a name", Words: "set store keep"}, func(e *entry) {
			p.Arguments.Save(e.shape.Method, p.subject(e), e.Unresolved())
		}, (*entry).noArguments),
	}
	for _, c := range form.Commands {
		list = append(list, p.of(c.Command, func(e *entry) {
			if why := c.Do(&e.Form); why != "" {
				p.app.Say(why)
			}
		}, func(e *entry) string { return cmp.Or(e.noArguments(), c.Off(&e.Form)) }))
	}
	list = append(list,
		p.of(keys.Command{ID: "call.task", Label: "as task", Help: "Call as a task, and set its time to live", Words: "ttl async"}, p.nextWish, p.noWish),
		p.ofCall(keys.Command{ID: "result", Keys: keys.On("ctrl+o"), Label: "result", Help: "Move the focus to the result", Words: "response output", Footer: 16}, func(*entry, *call) { p.ShowResult() }, nil),
	)
	return append(append(list, p.itemCommands()...), p.callCommands()...)
}

// callCommands are those of the call on show.
func (p *Pane) callCommands() []keys.Command {
	pending := func(_ *entry, c *call) string { return keys.Reason(c.over, "No call is pending.") }
	return []keys.Command{
		p.of(keys.Command{ID: "cancel.call", Verb: keys.End, Label: "cancel call", Help: "Cancel the pending call", Words: "stop abort", Footer: 9},
			func(e *entry) { p.app.Online("Cancel", func() { p.s.Cancel(e.pending().ID) }) },
			func(e *entry) string { return keys.Reason(e.pending() == nil, "No call is pending.") }),
		p.ofCall(keys.Command{ID: "timeout.extend", Keys: keys.On("alt+="), Label: "30 s more", Help: "Wait 30 s longer for the response", Words: "timeout deadline wait", Footer: 9}, func(_ *entry, c *call) { p.s.Extend(c.Last(), extension) }, pending),
		p.ofCall(keys.Command{ID: "source.open", Verb: keys.Open, Label: "source", Help: "Open the source file that the stack trace of a crash names in $EDITOR", Words: "editor file line crash", Footer: 11},
			func(_ *entry, c *call) { p.app.OpenSource(c.crash.File, c.crash.Line) },
			func(_ *entry, c *call) string {
				return keys.Reason(c.crash == nil || c.crash.File == "", "No stack trace names a source file.")
			}),
		p.ofCall(keys.Command{ID: "again", Verb: keys.Again, Label: "resend", Help: "Send this call again as it was", Words: "repeat retry again", Footer: 18},
			func(e *entry, c *call) { p.request(c.Method, c.Params, e.addCall) },
			func(*entry, *call) string {
				return keys.Reason(p.tick.State.Phase != session.Ready, "Not connected: "+p.app.Key("restart")+" restarts the server.")
			}),
		p.ofCall(keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the first finding of the response, or its error", Words: "why what means rule", Footer: 19}, p.explain, p.unexplained),
		p.ofCall(keys.Command{ID: "pin", Verb: keys.Pin, Label: "pin", Help: "Pin this call and its response: it runs again after each restart", Words: "snapshot regression test expect", Footer: 86},
			func(_ *entry, c *call) { p.Pin(c.Call) },
			func(_ *entry, c *call) string {
				return keys.Reason(!c.over || c.err != nil, "A call is pinned with its response, which is not here.")
			}),
		p.of(keys.Command{ID: "compare.servers", Verb: keys.Second, Label: "both servers", Help: "Send this call to a second server too and compare the responses", Words: "two builds versions second diff"}, func(e *entry) {
			if c := e.shown(); c != nil {
				p.Compare(c.Method, c.Params)
				return
			}
			p.Compare("", nil) // what they offer
		}, nil),
	}
}

// resultCommands are those of the call on show and of its result.
func (p *Pane) resultCommands() []keys.Command {
	return append(append(append([]keys.Command{p.appCommand()}, result.Commands(p.resultOnShow)...),
		p.ofCall(keys.Command{ID: "call.previous", Keys: keys.On("[ left"), Label: "previous call", Help: "Show the previous call of this item", Words: "earlier history", Footer: 16}, func(e *entry, _ *call) { e.at-- }, func(e *entry, _ *call) string {
			return keys.Reason(e.at == 0, "This is the first call.")
		}),
		p.ofCall(keys.Command{ID: "call.next", Keys: keys.On("] right"), Label: "next call", Help: "Show the next call of this item", Words: "later history", Footer: 17}, func(e *entry, _ *call) { e.at++ }, func(e *entry, _ *call) string {
			return keys.Reason(e.at == len(e.calls)-1, "This is the last call.")
		}),
		p.ofCall(keys.Command{ID: "diff", Verb: keys.Diff, Label: "diff", Help: "Compare this result with that of the previous call", Words: "difference compare", Footer: 20},
			func(e *entry, c *call) { p.DiffRows(e.calls[e.at-1].rowOf(), c.rowOf()) },
			func(e *entry, c *call) string {
				switch {
				case e.at == 0:
					return "There is no previous call to compare with."
				case c.rowOf() < 0 || e.calls[e.at-1].rowOf() < 0:
					return "The frame is not in Traffic."
				}
				return ""
			}),
	), p.callCommands()...)
}

// resultOnShow is the result under the cursor; nil before there is one, and where a crash is
// on show in its place.
func (p *Pane) resultOnShow() *result.View {
	c := p.selected().onShow()
	if v := c.result(); v != nil && (c.crash == nil || !v.IsRendered()) {
		return v
	}
	return nil
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
	p.inResult = false
	p.Enter()
	if l.it.Kind == "resources" {
		p.send(p.entry(l))
	}
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

// unchanged is why there is no change to go to.
func (p *Pane) unchanged() string {
	return keys.Reason(p.changed == 0, "Nothing has changed since it was seen.")
}

// nextChange selects the next item that differs, from the first one again after the last.
func (p *Pane) nextChange(step int) {
	at := 0
	if l, ok := p.Selected(); ok {
		at = p.places[l.key]
	}
	switch {
	case at < p.changed:
		at = (at + step + p.changed) % p.changed
	case step > 0:
		at = 0
	default:
		at = p.changed - 1
	}
	if key := p.lines[at].key; !p.Select(key) {
		p.ClearFilter()
		p.Select(key)
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
	name := paint.Cut(paint.Sanitize(l.change.Key), 40)
	p.DiffValues(name+" before", name+" now", old, now)
}
