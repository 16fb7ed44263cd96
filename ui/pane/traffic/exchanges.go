package traffic

import (
	"mcptea/client/jsonrpc"
	"mcptea/session/record/store"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// viewCommand shows the frames one by one, and then the next view.
func (p *Pane) viewCommand() keys.Command {
	c := p.app.Next(frames.Timeline)
	next := c.Run
	c.Help = "Show the frames one by one, then the next view: timeline, sequence"
	c.Words += " frames exchanges wire list"
	c.Now = func() string {
		if p.byExchange {
			return frames.Views()[frames.FrameList]
		}
		return c.Label
	}
	c.Run = func() {
		if p.byExchange {
			p.ShowExchanges(false)
		} else {
			next()
		}
	}
	return c
}

// ShowExchanges shows exchanges, or frames one by one. What is selected stays selected.
func (p *Pane) ShowExchanges(by bool) {
	if p.byExchange != by {
		p.sel = max(p.Selected(), 0)
		p.byExchange, p.scan.ByExchange, p.seek = by, by, seek{}
		p.reveal()
	}
}

// ByExchange reports whether exchanges are shown, and not frames one by one.
func (p *Pane) ByExchange() bool { return p.byExchange }

// Unfolded reports whether the frames of an exchange are in the list.
func (p *Pane) Unfolded() bool { return !p.byExchange || p.exchanges.HasOpen() }

// reveal brings the selected row in sight: what hides it is opened.
func (p *Pane) reveal() {
	root := p.store.Root(p.sel)
	switch {
	case p.follow, !p.byExchange:
	case p.exchanges.IsHidden(root):
		p.exchanges.ToggleRepeats(root)
		p.reveal()
		return
	case root != p.sel && !p.exchanges.IsOpen(root):
		p.exchanges.Toggle(root)
	}
	p.look()
}

// passes reports whether the filter shows the selected row, or its exchange.
func (p *Pane) passes() bool {
	if !p.byExchange {
		return p.Selected() == p.sel
	}
	root := p.store.Root(p.sel)
	at := p.exchanges.IndexOf(root)
	return at >= 0 && p.row(at) == root
}

// toggleExchange opens the exchange of a row, or closes it; a row without others is marked. The first of
// equal exchanges opens them before itself, and closes them after itself.
func (p *Pane) toggleExchange(row int32) {
	root := p.store.Root(row)
	to := root
	r, _ := p.store.Row(root)
	equal, closed := p.exchanges.Repeats(root)
	switch first := len(equal) > 0 && equal[0] == root; {
	case closed:
		p.exchanges.ToggleRepeats(root)
		p.follow = false
	case first && (p.exchanges.IsOpen(root) || !isExchange(&r)):
		if p.exchanges.ToggleRepeats(root); isExchange(&r) {
			p.exchanges.Toggle(root)
		}
	case !isExchange(&r):
		p.app.Mark(row)
		return
	default:
		if p.isClosed(root) {
			to = p.told(root)
		}
		p.exchanges.Toggle(root)
	}
	if p.sel = to; to != row || p.scan.On() { // what was found is in it
		p.follow = false
	}
	p.look()
}

// space is what the key that opens exchanges does on the selected row.
func (p *Pane) space() string {
	row := p.Selected()
	r, ok := p.store.Row(p.store.Root(row))
	switch equal, closed := p.exchanges.Repeats(row); {
	case !ok || !p.byExchange:
	case closed && len(equal) > 0:
		return "unfold"
	case len(equal) > 0 && equal[0] == row && !p.isClosed(row):
		return "fold"
	case isExchange(&r):
		return paint.If(p.isClosed(row), "unfold", "fold")
	}
	return "mark"
}

// isClosed reports whether a row is shown in place of its whole exchange.
func (p *Pane) isClosed(row int32) bool {
	r, ok := p.store.Row(row)
	return ok && p.byExchange && isExchange(&r) && p.store.Root(row) == row && !p.exchanges.IsOpen(row)
}

// Closed is the selected row when it is shown in place of its whole exchange, else store.None.
func (p *Pane) Closed() int32 {
	if row := p.Selected(); p.isClosed(row) {
		return row
	}
	return store.None
}

// together are the exchanges that have one row, that of a root; nil where they have a row each.
func (p *Pane) together(root int32) []int32 {
	if equal, closed := p.exchanges.Repeats(root); closed && p.byExchange && equal[0] == root {
		return equal
	}
	return nil
}

// forExchange has commands on a frame mean the whole exchange where its row is shown in place of it.
func (p *Pane) forExchange(commands []keys.Command) []keys.Command {
	for i := range commands {
		c := &commands[i]
		run, of := c.Run, map[string]func(root int32){
			"mark": func(root int32) {
				roots := p.together(root)
				if roots == nil {
					roots = []int32{root}
				}
				p.app.MarkExchanges(roots)
			},
			"frame.open": func(root int32) {
				told := p.told(root)
				if told != root {
					p.Select(told)
				}
				p.app.Whole(told)
			},
			"diff": func(root int32) {
				r, _ := p.store.Row(root)
				p.app.Diff(max(root, r.Pair))
			},
		}[c.ID]
		if of != nil {
			c.Run = func() {
				if root := p.Closed(); root != store.None {
					of(root)
				} else {
					run()
				}
			}
		}
	}
	return commands
}

// told is the frame that the row of a closed exchange is about: the one that it names because the filter has
// found it and neither request nor response, else the root.
func (p *Pane) told(root int32) int32 {
	if r, ok := p.store.Row(root); ok && p.scan.On() {
		if found := p.firstWithin(&exchange{index: root, response: r.Pair}); found != store.None {
			return found
		}
	}
	return root
}

// explained is the frame that is explained for the selected row: of a closed exchange the one with the worst
// finding, else the error response, else the root.
func (p *Pane) explained() int32 {
	root := p.Closed()
	if root == store.None {
		return p.Selected()
	}
	r, _ := p.store.Row(root)
	switch worst, _ := p.app.Source.WorstIn(root, r.Pair); {
	case worst != nil:
		return worst.Row
	case p.isError(r.Pair):
		return r.Pair
	}
	return root
}

// isExchange reports whether a root has a row with columns; the others are told in a line.
func isExchange(r *store.Row) bool { return r.Kind == jsonrpc.Request || r.Kind == jsonrpc.Batch }
