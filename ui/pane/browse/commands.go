package browse

import (
	"cmp"

	"mcptea/client/jsonrpc"
	"mcptea/offer/declared"
	"mcptea/session/runs/pins"
	"mcptea/session/session"
	"mcptea/ui/form"
	"mcptea/ui/keys"
	"mcptea/ui/result"
)

// ofCall returns a command that acts on the selected call.
func (p *Panel) ofCall(c keys.Command, run func(e *Item, c *call), off func(e *Item, c *call) string) keys.Command {
	return p.list.Of(c, func(e *Item) { run(e, e.shown()) }, func(e *Item) string {
		switch c := e.shown(); {
		case c == nil:
			return "There is no call yet: send one first."
		case off != nil:
			return off(e, c)
		}
		return ""
	})
}

// ItemCommands returns the commands that work in both the list and the form.
func (p *Panel) ItemCommands() []keys.Command {
	return []keys.Command{
		p.list.Of(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy as command", Help: "Copy the command that does the same in a shell", Words: "cli script clipboard", Footer: 45}, func(e *Item) { p.copyCommand(e, e.filter) }, (*Item).unread),
		p.composeCommand(),
		p.repeatCommand(83),
		p.appCommand(),
		p.list.Of(keys.Command{ID: "item.problems", Keys: keys.On("f8"), Label: "problems", Help: "Show what the rules have found about this entry, among the problems", Words: "findings lint errors warnings", Footer: 47}, p.showFound, p.nothingFound),
		p.subscribeCommand("@ space"),
	}
}

// subscribeCommand returns the command that subscribes to a resource. Its keys differ by place: in a result,
// space folds.
func (p *Panel) subscribeCommand(on string) keys.Command {
	return p.list.Of(keys.Command{ID: "subscribe", Keys: keys.On(on), Label: "subscribe", Help: "Subscribe to updates of this resource, or unsubscribe", Words: "updates watch", Footer: 14, Now: p.subscribes}, p.subscribe, func(e *Item) string {
		return keys.Reason(e.item.Kind != "resources", "Only resources can be subscribed to.")
	})
}

func (p *Panel) composeCommand() keys.Command {
	return p.list.Of(keys.Command{ID: "compose.item", Verb: keys.Compose, Label: "compose", Help: "Open the request for this item in the composer", Words: "raw frame"}, p.compose, nil)
}

// repeatCommand returns the command that sends a request many times. The item shows the progress.
func (p *Panel) repeatCommand(footer int) keys.Command {
	return p.list.Of(keys.Command{ID: "compose.repeat", Keys: keys.On("* alt+*"), Label: "many times", Footer: footer, Help: "Send this request several times", Words: "load benchmark times parallel concurrent stress test repeat"}, func(e *Item) {
		if c := e.shown(); p.InResult() && c != nil {
			p.askRepeat(e, c.Method, c.Params, c.ID)
			return
		}
		p.checked(e, "compose.repeat", func(params, _ []byte) { p.askRepeat(e, e.shape.Method, params, jsonrpc.ID{}) })
	}, func(e *Item) string {
		if e.repeat.Runs() {
			return "Frames are still being sent: " + p.app.Key("cancel.call") + " stops that."
		}
		return keys.Reason(p.tick.State.Phase != session.Ready, "Not connected: "+p.app.Key("restart")+" restarts the server.")
	})
}

// appCommand returns the command that opens the app of a tool.
func (p *Panel) appCommand() keys.Command {
	return p.list.Of(keys.Command{ID: "app.open", Verb: keys.Open, Label: "open app", Help: "Open the app of the tool in the browser, with this call or a new one (MCP Apps)", Words: "ui html mcp apps browser widget", Footer: 11}, p.openApp, func(e *Item) string {
		declares, _ := declared.OfTool(e.item.Raw)
		return keys.Reason(e.item.Kind != "tools" || declares.URI == "", "This has no app: no _meta.ui.resourceUri.")
	})
}

// openApp opens the app of a tool with the selected call or, if there is no such call, with the arguments in the form.
func (p *Panel) openApp(e *Item) {
	var made *session.Call
	var arguments []byte
	if c := e.shown(); c != nil {
		made, arguments = c.Call, jsonrpc.Get(c.Params, "arguments")
	} else if given, fine := e.Check(); fine {
		arguments = given
	} else {
		p.list.Enter()
		return
	}
	p.app.Online("Open the app", func() { p.OpenApp(e.item.Name, arguments, made) })
}

// formCommands returns the commands of the form.
func (p *Panel) formCommands() []keys.Command {
	list := []keys.Command{
		p.list.Of(keys.Command{ID: "call.send", Keys: keys.On("enter ctrl+s"), Label: "send", Now: p.sendLabel, Help: "Send the request", Words: "call run read", Footer: 10}, p.send, (*Item).unread),
		p.list.Of(keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "form/JSON", Help: "Switch between the form and JSON, with its schema beside it", Words: "raw arguments schema json", Footer: 12}, func(e *Item) {
			if !e.AsJSON {
				e.ToJSON()
			} else if why := e.ToForm(); why != "" {
				p.app.Fail(why)
			}
		}, (*Item).NoArguments),
		p.list.Of(keys.Command{ID: "edit", Verb: keys.Edit, Label: "$EDITOR", Help: "Edit the arguments as JSON in $VISUAL or $EDITOR", Words: "vim external", Footer: 18}, func(e *Item) {
			p.app.EditText(e.Written(), ".json", e.SetJSON)
		}, (*Item).NoArguments),
		p.list.Of(keys.Command{ID: "complete", Keys: keys.On("ctrl+space ctrl+@"), Label: "complete", Help: "Choose a value that the server suggests, or one that was sent before", Words: "completion values suggestions autocomplete autocompletion", Footer: 13}, func(e *Item) { e.suggest(0) }, (*Item).nothingToOffer),
		p.list.Of(keys.Command{ID: "arguments.choose", Keys: keys.On("ctrl+r"), Label: "saved", Help: "Use saved arguments, or those that were sent before", Words: "history earlier sets load", Footer: 21}, func(e *Item) {
			p.Arguments.Choose(e.shape.Method, p.subject(e), func(arguments []byte) {
				e.Use(arguments)
			})
		}, (*Item).NoArguments),
		p.list.Of(keys.Command{ID: "write", Verb: keys.Write, Label: "save arguments", Help: "Save the arguments under a name", Words: "set store keep"}, func(e *Item) {
			p.Arguments.Save(e.shape.Method, p.subject(e), e.Unresolved())
		}, (*Item).NoArguments),
	}
	for _, c := range form.Commands {
		list = append(list, p.list.Of(c.Command, func(e *Item) {
			if why := c.Do(&e.Form); why != "" {
				p.app.Say(why)
			}
		}, func(e *Item) string { return cmp.Or(e.NoArguments(), c.Off(&e.Form)) }))
	}
	list = append(list,
		p.list.Of(keys.Command{ID: "call.task", Label: "as task", Help: "Call as a task, and set its time to live", Words: "ttl async"}, p.nextWish, p.noWish),
		p.ofCall(keys.Command{ID: "result", Keys: keys.On("ctrl+o"), Label: "result", Help: "Move the focus to the result", Words: "response output", Footer: 16}, func(*Item, *call) { p.ShowResult() }, nil),
	)
	return append(append(list, p.ItemCommands()...), p.callCommands()...)
}

// callCommands returns the commands that act on the selected call.
func (p *Panel) callCommands() []keys.Command {
	return []keys.Command{
		p.list.Of(keys.Command{ID: "cancel.call", Verb: keys.End, Label: "cancel call", Now: p.cancels, Help: "Cancel the pending call, or stop sending several times", Words: "stop abort", Footer: 9},
			p.cancel,
			func(e *Item) string {
				return keys.Reason(e.pending() == nil && !e.repeat.Runs(), "No call is pending.")
			}),
		p.ofCall(keys.Command{ID: "timeout.extend", Keys: keys.On("alt+="), Label: "30 s more", Help: "Wait 30 s longer for the response; after a timeout, send the call again with twice the time", Words: "timeout deadline wait", Footer: 9}, p.extend, func(_ *Item, c *call) string {
			return keys.Reason(c.over && c.remedies.longer == 0, "No call is pending.")
		}),
		p.ofCall(keys.Command{ID: "source.open", Verb: keys.Open, Label: "source", Help: "Open the source file that the stack trace of a crash names in $EDITOR", Words: "editor file line crash", Footer: 11},
			func(_ *Item, c *call) { p.app.OpenSource(c.crash.Source) },
			func(_ *Item, c *call) string {
				return keys.Reason(c.crash == nil || c.crash.Source.File == "", "No stack trace names a source file.")
			}),
		p.ofCall(keys.Command{ID: "again", Verb: keys.Again, Label: "resend", Now: p.resends, Help: "Send this call again, unchanged", Words: "repeat retry again reload", Footer: 10},
			p.resend,
			func(*Item, *call) string {
				return keys.Reason(p.tick.State.Phase != session.Ready && p.tick.State.Phase != session.Ended, "Not connected: "+p.app.Key("restart")+" restarts the server.")
			}),
		p.ofCall(keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the first finding of the response, or its error", Words: "why what means rule", Footer: 19}, p.explain, p.unexplained),
		p.ofCall(keys.Command{ID: "pin", Verb: keys.Pin, Label: "pin", Help: pins.Help, Words: "snapshot regression test expect favorite save", Footer: 16},
			func(_ *Item, c *call) { p.Pin(c.Call) },
			func(_ *Item, c *call) string {
				return keys.Reason(!c.over || c.err != nil, "A call is pinned with its response, and this one has none.")
			}),
		p.list.Of(keys.Command{ID: "call.both", Label: "send to", Help: "Send to the server of another session too, and compare the responses", Words: "two builds versions second both servers diff call"}, p.sendToBoth, func(*Item) string {
			if p.IsAlone == nil {
				return ""
			}
			return p.IsAlone()
		}),
	}
}

// sendLabel returns the label of the send key for the selected item.
func (p *Panel) sendLabel() string {
	switch e := p.selected(); {
	case e == nil:
	case e.values.selected() >= 0:
		return "accept"
	case p.offline():
		return "connect first"
	case e.NoArguments() != "":
		return e.shape.Verb
	}
	return "send"
}

// offline reports whether a server must be chosen before sending.
func (p *Panel) offline() bool {
	_, recorded := p.s.Recording()
	return recorded
}

// resends returns the label of the resend key for the selected item.
func (p *Panel) resends() string {
	if e := p.selected(); e != nil && e.NoArguments() != "" {
		return "reload"
	}
	return "resend"
}

// resultCommands returns the commands of the result pane.
func (p *Panel) resultCommands() []keys.Command {
	return append(append(append([]keys.Command{
		p.list.Of(keys.Command{ID: "edit", Verb: keys.Edit, Label: "arguments", Help: "Go back to the arguments", Words: "edit form fields change", Footer: 9}, func(e *Item) { e.Fill(); e.Form.Select(e.named()) }, (*Item).NoArguments),
		p.list.Of(keys.Command{ID: "call.send", Keys: keys.On("ctrl+s"), Label: "send", Help: "Send the request with the arguments as they are now", Words: "call run read again"}, p.send, (*Item).unread),
		p.ofCall(keys.Command{ID: "result", Keys: keys.On("ctrl+o"), Label: "result", Help: "Move the focus to the result", Words: "response output"}, func(*Item, *call) { p.ShowResult() }, func(*Item, *call) string {
			return keys.Reason(p.InResult() && p.list.Inside(), "This is the result: "+p.app.Key("edit")+" goes back to the arguments.")
		}),
		p.appCommand(),
		p.composeCommand(),
		p.repeatCommand(17),
		p.subscribeCommand("@"),
	}, result.Commands(p.resultOnShow)...),
		p.ofCall(keys.Command{ID: "call.previous", Keys: keys.On("[ left"), Label: "previous call", Help: "Show the previous call of this item", Words: "earlier history", Footer: 16}, func(e *Item, _ *call) { e.at-- }, func(e *Item, _ *call) string {
			return keys.Reason(e.at == 0, "This is the first call.")
		}),
		p.ofCall(keys.Command{ID: "call.next", Keys: keys.On("] right"), Label: "next call", Help: "Show the next call of this item", Words: "later history", Footer: 17}, func(e *Item, _ *call) { e.at++ }, func(e *Item, _ *call) string {
			return keys.Reason(e.at == len(e.calls)-1, "This is the last call.")
		}),
		p.ofCall(keys.Command{ID: "diff", Verb: keys.Diff, Label: "diff", Help: "Compare this result with the result of the previous call", Words: "difference compare", Footer: 12},
			func(e *Item, c *call) { p.DiffRows(e.calls[e.at-1].row, c.row) },
			func(e *Item, c *call) string {
				switch {
				case e.at == 0:
					return "There is no previous call to compare with."
				case c.row < 0 || e.calls[e.at-1].row < 0:
					return "The frame is not in Traffic."
				}
				return ""
			}),
	), p.callCommands()...)
}

// resultOnShow returns the result of the selected item. It returns nil if there is no result or if a crash is shown
// instead.
func (p *Panel) resultOnShow() *result.View {
	c := p.selected().onShow()
	if v := c.result(); v != nil && (c.crash == nil || !v.IsRendered()) {
		return v
	}
	return nil
}

// Open moves the focus to an item. If reading it takes no arguments and changes nothing, as for a resource,
// Open also sends the request.
func (p *Panel) Open(e *Item) {
	p.inResult = false
	p.list.Enter()
	if e.sendsAtOnce() {
		p.send(e)
	}
}
