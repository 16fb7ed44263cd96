package detail

import (
	"context"
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/offer/jq"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/frames"
	"mcptea/ui/jsonview"
	"mcptea/ui/keys"
	"mcptea/ui/textfield"
	"mcptea/ui/widget"
)

// smallFrame is the size up to which a frame is read immediately, in bytes. Reading it takes no
// longer than the next painting. It is also the number of bytes that are displayed of a frame under
// another one.
const smallFrame = 256 << 10

// A Mode is a way to look at a frame.
type Mode uint8

// The modes.
const (
	Tree Mode = iota // the request with its response below it
	Bytes
	Text
	Sides // the received and the forwarded version of a changed frame
	HTTP
	modes
)

var modeNames = [modes]string{"tree", "bytes", "text", "sides", "http"}

var hexModes = [modes]widget.HexMode{Text: widget.Text} // in other modes, the view is widget.Hex

// Pane shows the frame of one row.
type Pane struct {
	app.Place

	app *frames.Program

	wanted int32 // row to display; the same as the displayed row once that was read
	loaded       // the frame with the cursor; its view is nil until the frame was read
	info   store.Row
	mode   Mode
	then   Mode // mode after an exchange, which has its own mode at first

	tree    jsonview.Stack
	pairing int32 // row of the other frame in the tree, even while it is being read
	hex     *widget.HexView
	text    doc.Scroll // scroll position of the HTTP view or the text about the process
	sides   sides      // both versions of the frame in row sides.row
	both    doc.Scroll // view of both versions
	target  *target    // place to display when the frame was read, or nil
	why     bool       // findings are explained instead of only named
	beside  bool       // request and response are side by side

	marked []string // findings whose signs are in the view

	query textfield.Search
}

// New returns a pane that shows nothing yet.
func New(a *frames.Program) *Pane {
	p := &Pane{app: a, wanted: store.None, loaded: loaded{row: store.None}, pairing: store.None}
	p.query.Begin, p.query.In = p.find, "frame" // the half with the cursor
	shown := p.shown
	tree := func(c keys.Command, run func(v *jsonview.View)) keys.Command {
		c.Run = func() { run(p.tree.View()) }
		c.Off = func() string {
			return keys.Reason(p.mode != Tree || p.view == nil, "This works in the tree view.")
		}
		return c
	}
	p.Name, p.Own = "frame", append([]keys.Command{
		a.On(shown, keys.Command{ID: "view.shown", Verb: keys.NextView, Label: "view", Help: "Switch between tree, bytes, text, both sides and HTTP", Words: "raw hex headers tree", Footer: 10}, func(int32) { p.NextView() }),
		tree(keys.Command{ID: "fold.toggle", Keys: keys.On("space enter"), Label: "fold", Help: "Fold or unfold", Words: "collapse expand", Footer: 11}, func(v *jsonview.View) { v.Toggle() }),
		tree(keys.Command{ID: "fold.close", Keys: keys.On("h left"), Label: "fold", Help: "Fold, or go to the parent", Words: "collapse"}, (*jsonview.View).Fold),
		tree(keys.Command{ID: "fold.open", Keys: keys.On("l right"), Label: "unfold", Help: "Unfold, or go to the first child", Words: "expand"}, (*jsonview.View).Unfold),
		tree(keys.Command{ID: "fold.open-all", Keys: keys.On("+"), Label: "unfold all", Help: "Unfold everything", Words: "expand"}, (*jsonview.View).UnfoldAll),
		tree(keys.Command{ID: "fold.close-all", Keys: keys.On("-"), Label: "fold all", Help: "Fold to the second level", Words: "collapse"}, func(v *jsonview.View) { v.FoldDepth(2) }),
		a.On(shown, keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy value", Help: "Copy the value as sent; in the other views, copy the frame", Words: "yank clipboard", Footer: 14}, p.copy),
		a.Pairs(shown, 15, p.pair),
		tree(keys.Command{ID: "filter", Keys: keys.On("/"), Label: "search", Help: "Search keys and values", Words: "find", Footer: 16}, func(*jsonview.View) { p.query.Open() }),
		p.again(keys.Command{ID: "match.next", Verb: keys.NextMatch, Label: "next match", Help: "Go to the next match", Words: "search"}, (*jsonview.View).SearchNext),
		p.again(keys.Command{ID: "match.previous", Verb: keys.PrevMatch, Label: "previous match", Help: "Go to the previous match", Words: "search"}, (*jsonview.View).SearchPrev),
		tree(keys.Command{ID: "copy.other", Verb: keys.CopyOther, Label: "copy path", Help: "Copy the path of the value, as a filter of jq", Words: "pointer clipboard jq", Footer: 17}, func(v *jsonview.View) {
			path := display.Sanitize(jq.Path(v.Place()))
			a.Copy(path, nil, "path "+display.Cut(path, 40))
		}),
		tree(keys.Command{ID: "filter.by", Verb: keys.FilterBy, Label: "filter by value", Help: "Show only frames that contain this value", Words: "search find"}, func(v *jsonview.View) {
			a.Filter.Set(filterFor(v.Value()))
			a.Show(frames.ExchangeList)
			a.Say("Traffic shows only the frames that contain this value.")
		}),
		a.Next(frames.Timeline),
		a.On(shown, keys.Command{ID: "explain", Verb: keys.Explain, Label: "explain", Help: "Explain the findings of the frame, its error, status or method", Words: "why what means code lint problems", Footer: 22}, p.explain),
	}, a.Commands("this frame", shown)...)
	return p
}

// shown returns the row that is shown.
func (p *Pane) shown() int32 {
	p.turn()
	return p.row
}

// turn switches to the frame that contains the cursor of the tree.
func (p *Pane) turn() {
	if p.other == nil || p.tree.View() != p.other.view {
		return
	}
	left := p.loaded
	p.loaded, left.other = *left.other, nil
	p.other = &left
	p.info, _ = p.app.Store().Row(p.row)
	p.pairing = left.row
	p.startShowing()
	if row := p.row; len(p.body) < int(p.info.Size) {
		p.app.Go(func(context.Context) func() {
			whole, err := p.app.Store().Body(row)
			return func() {
				if p.row == row && err == nil {
					p.body = whole
					p.startShowing()
				}
			}
		})
	}
}

// Show switches to a row. The row is displayed when it has been read.
func (p *Pane) Show(row int32) {
	s := p.app.Store()
	info, ok := s.Row(row)
	switch {
	case !ok:
		p.wanted, p.loaded, p.hex = store.None, loaded{row: store.None}, nil
		return
	case row == p.row:
		p.wanted = row
		p.annotate(info)
		return
	case row == p.wanted:
		return
	}
	p.wanted = row
	if info.Size > smallFrame {
		p.begin(row, info)
	}
	p.app.Go(func(context.Context) func() {
		l := load(s, row)
		return func() { p.accept(l, info) }
	})
}

// startShowing displays the frame that was read.
func (p *Pane) startShowing() {
	p.marked, p.hex = nil, widget.NewHex(p.body)
	p.hex.SetMode(hexModes[p.mode])
	p.note()
}

// stack displays the frame together with its request or response, if there is one.
func (p *Pane) stack(other *loaded) {
	p.other = other
	var view *jsonview.View
	if other != nil {
		p.pairing, view = other.row, other.view
	}
	p.tree.Show(p.view, view, p.info.IsAnswer())
}

// annotate updates the view if the request or response of the frame has arrived since.
func (p *Pane) annotate(info store.Row) {
	if info.Pair != p.info.Pair || info.Flags != p.info.Flags || info.Changed != p.info.Changed {
		p.info = info
		p.note()
	}
	s, row := p.app.Store(), p.row
	other := partner(s, row)
	if p.view == nil || other == p.pairing {
		return
	}
	p.pairing = other
	p.app.Go(func(context.Context) func() {
		o := read(s, other, smallFrame)
		return func() {
			if row == p.row && other == p.pairing && p.view != nil {
				p.stack(&o)
				p.note()
			}
		}
	})
}

// note writes, next to the id, which request the id belongs to.
func (p *Pane) note() {
	if p.view == nil {
		return
	}
	text := ""
	switch pair, ok := p.app.Store().Row(p.info.Pair); {
	case ok && p.other != nil: // the title of the other half names the request
	case ok && p.info.Kind == jsonrpc.Request:
		text = fmt.Sprintf("response #%d, %s", p.info.Pair+1, phrase.Took(time.Duration(pair.Time-p.info.Time)))
	case ok && p.info.IsAnswer():
		text = fmt.Sprintf("response to #%d, %s", p.info.Pair+1, phrase.Took(time.Duration(p.info.Time-pair.Time)))
	case p.info.Flags&store.Pending != 0:
		text = "no response yet"
	case p.info.Flags&store.UnknownID != 0:
		text = "no request has this id"
	}
	p.view.Note("/id", text)
}

// again returns a command that continues the search.
func (p *Pane) again(c keys.Command, next func(*jsonview.View) func() jsonview.Match) keys.Command {
	c.Run = func() { p.search(p.tree.View(), next(p.tree.View())) }
	c.Off = func() string {
		if !p.query.Empty() && p.mode != Tree {
			return "The search is in the tree: " + p.app.Key("view.shown") + " leads there."
		}
		if p.view == nil {
			return "This frame has no tree to search in."
		}
		return keys.Reason(p.query.Empty(), "No search in this frame yet: "+p.app.Key("filter")+" starts one in the tree.")
	}
	return c
}

// find searches for words.
func (p *Pane) find(words string) {
	if v := p.tree.View(); v != nil {
		p.search(v, v.Search(words))
	}
}

// search runs a search and displays the match.
func (p *Pane) search(in *jsonview.View, find func() jsonview.Match) {
	p.query.Missed, p.query.Only, p.query.Busy = false, false, find != nil
	in.Find(p.app.Go, find, func(ok, only bool) {
		p.query.Busy, p.query.Only = false, only
		p.query.Missed = !ok && in == p.tree.View()
	})
}

// has reports whether a mode has something to display.
func (p *Pane) has(m Mode) bool {
	switch m {
	case Tree, Bytes:
		return p.info.Kind != store.KindProcess // its body is a sentence of mcptea
	case Sides:
		return p.info.Changed != record.NotChanged
	case HTTP:
		return p.info.Exchange != 0 || p.info.Kind == store.KindDelivery
	}
	return true
}

// modes returns the available modes and their names, and the index of the current one.
func (p *Pane) modes() (list []Mode, names []string, shown int) {
	for m := range modes {
		if p.has(m) {
			if m == p.mode {
				shown = len(list)
			}
			list, names = append(list, m), append(names, modeNames[m])
		}
	}
	return list, names, shown
}

// NextView shows the next view of the frame.
func (p *Pane) NextView() {
	list, _, shown := p.modes()
	if len(list) < 2 {
		p.app.Say("This frame has only one view.")
		return
	}
	p.setMode(list[(shown+1)%len(list)])
}

// ShowBytes displays the bytes of the frame, even if the frame has not been read yet.
func (p *Pane) ShowBytes() { p.setMode(Bytes) }

// ShowsBytes reports whether the bytes of the frame are shown.
func (p *Pane) ShowsBytes() bool { return p.mode == Bytes || p.mode == Text }

func (p *Pane) setMode(m Mode) {
	p.mode = m
	if p.hex == nil || p.mode != Bytes && p.mode != Text {
		return
	}
	p.hex.SetMode(hexModes[p.mode])
	// Highlight the bytes of the value selected in the tree.
	if from, to := p.view.Span(); to > from {
		p.hex.Mark(from, to)
	}
}

// scroller returns the part that motions move.
func (p *Pane) scroller() keys.Scroller {
	switch {
	case p.view == nil, p.info.Kind == store.KindProcess, p.mode == HTTP:
		return &p.text
	case p.beside && p.mode == Tree:
		return p.tree.View()
	case p.mode == Tree && !p.isRaw():
		return &p.tree
	case p.mode == Sides:
		return &p.both
	}
	return p.hex
}

// Motion implements [app.Pane].
func (p *Pane) Motion(m keys.Motion) bool {
	if m == keys.Back && p.query.Drop() {
		return true
	}
	return keys.Scroll(p.scroller(), m)
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(app.Tick) bool { return false }

// copy copies the value under the cursor, or the whole frame.
func (p *Pane) copy(row int32) {
	if p.mode == Tree && p.view != nil {
		p.app.Copy("", p.tree.View().Value(), "value")
		return
	}
	p.app.CopyFrame(row)
}

// pair moves the cursor to the other frame in the tree, or selects the row of that frame.
func (p *Pane) pair(row int32) {
	if p.mode != Tree && !p.beside || p.view == nil || !p.tree.Cross() {
		p.app.Pair(row)
	}
}

// Explain explains the findings. If there are none, it explains the subject of the frame.
func (p *Pane) Explain() { p.explain(p.row) }

// ExplainFindings makes the pane explain the findings of the frames from now on.
func (p *Pane) ExplainFindings() { p.why = true }

// explain explains the findings. If there are none, it explains the subject of the frame.
func (p *Pane) explain(row int32) {
	found := len(p.app.Source.FindingsAt(row)) > 0
	_, _, about := p.app.CardOf(row, p.mode == HTTP)
	if p.why = found && !p.why; !p.why && (about || !found) {
		p.app.Card(row, p.mode == HTTP)
	}
}
