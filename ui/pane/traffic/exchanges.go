package traffic

import (
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// viewCommand shows single frames, and then the next view.
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

// ShowExchanges shows exchanges, or single frames. The selection stays.
func (p *Pane) ShowExchanges(by bool) {
	if p.byExchange != by {
		p.sel = max(p.Selected(), 0)
		p.byExchange, p.scan.ByExchange, p.seek = by, by, seek{}
		p.reveal()
	}
}

// ByExchange reports whether the list shows exchanges, not single frames.
func (p *Pane) ByExchange() bool { return p.byExchange }

// Unfolded reports whether the list contains the frames of an exchange.
func (p *Pane) Unfolded() bool { return !p.byExchange || p.exchanges.HasOpen() }

// reveal unfolds what hides the selected row.
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
	p.readRows()
}

// passes reports whether the filter matches the selected row or its exchange.
func (p *Pane) passes() bool {
	if !p.byExchange {
		return p.Selected() == p.sel
	}
	root := p.store.Root(p.sel)
	at := p.exchanges.IndexOf(root)
	return at >= 0 && p.row(at) == root
}

// toggleExchange unfolds or folds the exchange of a row; a row without other frames is marked. On the first of
// equal exchanges, the key unfolds first the others and then its own frames.
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
			to = p.shownFrame(root)
		}
		p.exchanges.Toggle(root)
	}
	if p.sel = to; to != row || p.scan.On() { // the found frame is in it
		p.follow = false
	}
	p.readRows()
}

// space returns the label of the key that unfolds exchanges, for the selected row.
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

// isClosed reports whether a row represents its whole exchange.
func (p *Pane) isClosed(row int32) bool {
	r, ok := p.store.Row(row)
	return ok && p.byExchange && isExchange(&r) && p.store.Root(row) == row && !p.exchanges.IsOpen(row)
}

// Closed returns the selected row if it represents its whole exchange, otherwise store.None.
func (p *Pane) Closed() int32 {
	if row := p.Selected(); p.isClosed(row) {
		return row
	}
	return store.None
}

// together returns the exchanges that share the row of a root, or nil if each has its own row.
func (p *Pane) together(root int32) []int32 {
	if equal, closed := p.exchanges.Repeats(root); closed && p.byExchange && equal[0] == root {
		return equal
	}
	return nil
}

// forExchange makes commands on a frame apply to the whole exchange if the row of the frame represents it.
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
				shown := p.shownFrame(root)
				if shown != root {
					p.Select(shown)
				}
				p.app.Whole(shown)
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

// shownFrame returns the frame that the row of a folded exchange describes: the frame that the row names because the
// filter matches only that frame, otherwise the root.
func (p *Pane) shownFrame(root int32) int32 {
	if r, ok := p.store.Row(root); ok && p.scan.On() {
		if found := p.firstWithin(&exchange{index: root, response: r.Pair}); found != store.None {
			return found
		}
	}
	return root
}

// explained returns the frame to explain for the selected row: in a folded exchange the frame with the worst
// finding, or else the error response, or else the root.
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

// isExchange reports whether a root has a row with columns. Other roots have a line of text.
func isExchange(r *store.Row) bool { return r.Kind == jsonrpc.Request || r.Kind == jsonrpc.Batch }
