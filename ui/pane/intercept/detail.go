package intercept

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/intercept"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/doc"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget"
)

// maxShown is the number of bytes shown of a held frame.
const maxShown = 256 << 10

// detail paints an item in full.
func (p *Pane) detail(c *app.Canvas, it item) {
	b, f, k, h := p.breakpointOf(it.id), p.faultOf(it.id), p.kept(it.id), p.heldFrame(it.id)
	on := func(title string) *doc.Doc {
		return doc.On(c.Box([]paint.Span{{Style: c.Pal.TextBold, Text: c.Pal.Label(title, 50)}}, nil, false))
	}
	switch {
	case it.kind == held && h != nil:
		p.heldFacts(c, h)
	case it.kind == orphanText && k != nil:
		keptFacts(on(k.Name), k)
	case it.kind == breakpoint && b != nil:
		breakpointFacts(on("Breakpoint b"+strconv.Itoa(b.ID)), b)
	case it.kind == fault && f != nil:
		faultFacts(on("Fault "+f.Name), f)
	case it.kind == fault:
		d := on("Fault")
		d.Text(c.Pal.Text, "A fault changes frames by itself, with a probability: it delays or drops them, answers with a wrong id, sends invalid JSON.", 6)
		d.Gap()
		d.Keys(1, doc.Key{ID: "edit", Label: "inject a fault"})
		d.Paint()
	default:
		d := on("Breakpoint")
		if len(p.state.Breakpoints) == 0 {
			d.Text(c.Pal.Strong, "No breakpoints yet.", 2)
			d.Gap()
		}
		d.Text(c.Pal.Text, "A breakpoint holds the frames that match a filter. A held frame can be forwarded, edited, dropped, duplicated, delayed, or responded to by hand.", 6)
		d.Gap()
		d.Keys(1, doc.Key{ID: "edit", Label: "add a breakpoint"})
		d.Paint()
	}
}

func keptFacts(d *doc.Doc, k *intercept.Kept) {
	d.Text(d.Pal.Text, "This is your text. Its frame is no longer held: it was forwarded without it, or its request or connection has ended.", 3)
	d.Gap()
	d.Keys(2, doc.Key{ID: "copy", Label: "copy"}, doc.Key{ID: "held.drop", Label: "remove"})
	d.Gap()
	d.Rest(1, func(c *app.Canvas) {
		view := widget.NewHex(k.Text[:min(len(k.Text), maxShown)])
		view.SetMode(widget.Text)
		c.Rows(view.Rows(c.Pal, c.W, max(c.H, 1))...)
	})
	d.Paint()
}

func breakpointFacts(d *doc.Doc, b *intercept.Breakpoint) {
	pal := d.Pal
	d.FactText("filter", pal.Strong, b.Filter, 3)
	d.Fact("held", paint.Span{Style: pal.Text, Text: phrase.Count(b.Hits, "frame")})
	entryFacts(d, b.Disabled, "A frame that matches is held, and so are the frames after it in its direction. Without a decision it is forwarded after "+phrase.Took(intercept.DefaultLimit)+"; while you edit it, its clock is stopped. When "+phrase.Digits(intercept.MaxQueued)+" frames wait in a direction, the sender waits.")
}

func faultFacts(d *doc.Doc, f *intercept.Fault) {
	pal := d.Pal
	for _, k := range intercept.FaultKinds() {
		switch {
		case k.Name != f.Name:
		case k.InPlace:
			d.FactText("fault", pal.Strong, "instead of a response to a tool call: "+k.Summary, 3)
		default:
			d.FactText("fault", pal.Strong, k.Summary, 3)
		}
	}
	d.FactText("value", pal.Text, f.Arg, 1)
	d.FactText("tool", pal.Text, f.Tool, 1)
	d.FactText("method", pal.Text, f.Method, 1)
	d.FactText("filter", pal.Text, f.Filter, 2)
	if f.Probability != 0 && f.Probability != 1 {
		d.FactText("chance", pal.Text, strconv.FormatFloat(100*f.Probability, 'f', -1, 64)+"%", 1)
	}
	d.Fact("changed", paint.Span{Style: pal.Text, Text: phrase.Count(f.Hits, "frame")})
	entryFacts(d, f.Disabled, "")
}

// entryFacts adds the last lines about a breakpoint or a fault.
func entryFacts(d *doc.Doc, off bool, what string) {
	if off {
		d.Fact("state", paint.Span{Style: d.Pal.Warn, Text: "off"})
	}
	d.Gap()
	d.Text(d.Pal.Muted, what, 6)
	d.Gap()
	d.Keys(2, doc.Key{ID: "edit", Label: "edit"}, doc.Key{ID: "intercept.toggle", Label: "on or off"}, doc.Key{ID: "remove", Label: "remove"})
	d.Paint()
}

// heldFacts paints a held frame as it will be forwarded, its bytes, and the possible actions.
func (p *Pane) heldFacts(c *app.Canvas, h *intercept.Held) {
	pal := c.Pal
	title := h.Method
	if h.Kind.IsResponse() {
		title = h.Kind.String() + " of " + title
	}
	note := []paint.Span{
		{Style: pal.Muted, Text: "held "},
		{Style: pal.Warn, Text: phrase.Took(max(0, p.now.Sub(h.Since)))},
		{Style: pal.Muted, Text: ", forwarded after " + phrase.Took(h.Until.Sub(h.Since))},
	}
	if h.Stopped {
		note[2].Text = ", clock stopped"
	}
	in := c.Box([]paint.Span{{Style: pal.TextBold, Text: pal.Label(strings.TrimSpace(title+" "+h.Subject()), 50)}}, note, false)
	b := p.texts.Bytes(h)
	actions := p.actions(h, len(b))
	keyed := slices.DeleteFunc(slices.Clone(actions), func(a action) bool { return !a.listed })
	p.load(h, b)
	d := doc.On(in)
	if p.problem != "" {
		d.Text(pal.Error, pal.FailMark+" Not JSON: "+p.problem+".", 3)
		rows := max(in.H-len(keyed)-6, minHex)
		d.Add(rows, func(n int) { p.hex(d, h, b, n) }).Give(3, minHex)
	} else {
		const frame = 8 // rows
		top, below := in.Over(max(in.H-minHex-len(keyed)-2, min(frame, in.H)))
		p.frame(top, b)
		d = doc.On(below)
		d.Add(minHex, func(n int) { p.hex(d, h, b, n) }).Give(3, 0)
	}
	d.Rule(moreActions(pal, d.Names.Name("held.more"), actions)...)
	for _, a := range keyed {
		a.add(d, h)
	}
	d.Text(pal.Muted, strings.TrimSpace(p.timesOut(h)+" Forwarded when mcptea closes."), 2).Give(2, 0)
	d.Paint()
}

// minHex is the number of rows of the bytes below the tree of a held frame, with their heading.
const minHex = 4

// moreActions returns the heading of the actions, and the actions that exist only in the window.
func moreActions(pal *paint.Palette, key string, actions []action) []paint.Span {
	var names []string
	for _, a := range actions {
		if !a.listed {
			names = append(names, a.label)
		}
	}
	return []paint.Span{{Style: pal.Muted, Text: "actions   "}, {Style: pal.AccentBold, Text: key}, {Style: pal.Muted, Text: " " + strings.Join(names, ", ")}}
}

// action is something to do with a held frame. A listed one is a row below the frame, which a click runs; the
// others are chosen in a window.
type action struct {
	listed      bool
	id          string // id of a command, or "" for an action of the window only
	label, what string
	do          func(h *intercept.Held)
}

func (a *action) add(d *doc.Doc, h *intercept.Held) {
	d.Lines(1, func(r *paint.Row, _ int) {
		run, key := func() { a.do(h) }, d.Names.Name("held.more")
		if a.id != "" {
			run, key = func() { d.Names.Run(a.id) }, d.Names.Name(a.id)
		}
		d.Click(0, d.Next(), d.W, 1, func(int, int) { run() })
		r.CellRight(d.Pal.AccentBold, key, 5)
		r.Gap(1)
		r.Put(d.Pal.Text, a.label)
		r.To(25)
		r.Put(d.Pal.Muted, " "+a.what)
	})
}

// sizes describes the size of a frame, before and after editing. A held frame may be received or about to be
// sent, so the words must fit both.
func sizes(original []byte, now int) string {
	text := phrase.Size(int64(now))
	if now != len(original) {
		text += ", before the edit " + phrase.Size(int64(len(original)))
	}
	return text
}

// hex paints the part of the bytes with the first change.
func (p *Pane) hex(d *doc.Doc, h *intercept.Held, b []byte, n int) {
	if n < 2 {
		return
	}
	size := sizes(h.Bytes, len(b))
	if len(b) > 0 && b[len(b)-1] == '\n' {
		size += ", ends with \\n"
	}
	d.Line(func(r *paint.Row) {
		r.Gap(1)
		r.Painted(paint.Rule(d.Pal, d.W-2, paint.Span{Style: d.Pal.Muted, Text: "bytes  " + size}), d.W-2)
	})
	v := widget.NewHex(b[:min(len(b), maxShown)])
	if p.texts.Edited(h.ID) != nil {
		from, to, _ := diff.Differing(b, h.Bytes)
		v.Mark(from, max(to, from+1))
	}
	for _, row := range v.Rows(d.Pal, d.W-1, n-1) {
		d.Rows(" " + row)
	}
}

// actions returns the possible actions on a held frame, most frequent first.
func (p *Pane) actions(h *intercept.Held, size int) []action {
	to := paint.If(h.Dir == transport.In, "client", "server")
	list := []action{{true, "held.forward", "forward", phrase.Size(int64(size)) + " to the " + to, p.forward}}
	edited := p.texts.Edited(h.ID) != nil
	if edited {
		list[0].label = "forward as edited"
	}
	list = append(list, action{true, "edit", "edit", "its bytes", p.edit}, action{true, "held.drop", "drop", "the " + to + " receives nothing", func(*intercept.Held) { p.drop() }})
	if edited {
		list = append(list,
			action{true, "", "forward unedited", phrase.Size(int64(len(h.Bytes))) + " to the " + to, func(h *intercept.Held) { p.decide(h.ID, intercept.Decision{Action: intercept.Forward}) }},
			action{true, "", "undo", "what was edited", func(h *intercept.Held) { p.setEdited(h.ID, h.Bytes) }})
	}
	if h.Kind == jsonrpc.Request {
		list = append(list, action{false, "held.respond", "respond", "by hand instead of the " + to, p.respond})
	}
	list = append(list, action{false, "held.duplicate", "duplicate", "the " + to + " receives it twice", p.duplicate}, action{false, "held.delay", "delay", "then forward", p.delay})
	if len(p.state.Held) > 1 {
		list = append(list, action{false, "held.forward-all", "forward all", phrase.Count(len(p.state.Held), "frame") + ", unedited", func(*intercept.Held) { p.forwardAll() }})
	}
	return list
}

// withKeys is the number of first actions that have keys.
const withKeys = 3

// more opens the window of the other actions. The frame may be gone when one is chosen.
func (p *Pane) more(h *intercept.Held) {
	id, list := h.ID, p.actions(h, len(p.texts.Bytes(h)))[withKeys:]
	dialog.Choose{
		Title: h.Name(), Verb: "do", Width: 64,
		Len: func() int { return len(list) },
		Entry: func(i int) dialog.Entry {
			return dialog.Entry{Key: list[i].label, Name: list[i].label, Summary: list[i].what}
		},
		Accept: func(i int) {
			if h := p.heldFrame(id); h != nil {
				list[i].do(h)
				return
			}
			p.app.Say("The frame is no longer held.")
		},
	}.Open(p.app)
}

// timesOut describes when mcptea stops waiting for the response, if its own request or the response to it is
// held. A breakpoint gives a request more time. The timeout of another client is unknown.
func (p *Pane) timesOut(h *intercept.Held) string {
	request := h.Kind == jsonrpc.Request && h.Dir == transport.Out
	if p.attached != nil || !h.MessageID.Present() || !request && (!h.Kind.IsResponse() || h.Dir != transport.In) {
		return ""
	}
	at, limited := p.session.Deadline(h.MessageID)
	switch {
	case !p.session.Pending(h.MessageID):
		return " mcptea no longer waits for the response."
	case h.Stopped || !limited: // the deadline moves as long as the clock is stopped
		return ""
	}
	return " mcptea waits " + phrase.Countdown(at.Sub(p.now).Round(time.Second)) + " more for the response."
}

// load prepares the view of a frame as it will be sent.
func (p *Pane) load(h *intercept.Held, b []byte) {
	if p.treeOf == h.ID {
		return
	}
	p.treeOf, p.tree, p.changed, p.edited, p.problem = h.ID, nil, nil, false, ""
	if len(b) > maxShown || len(h.Bytes) > maxShown {
		p.problem = problemOf(b)
		return
	}
	if p.texts.Edited(h.ID) != nil {
		p.changed, p.edited = diff.Between(h.Bytes, b)
	}
	if p.edited {
		return
	}
	if doc, err := jsonview.Parse(b); err == nil {
		p.tree = jsonview.NewView(doc)
		return
	}
	p.problem = problemOf(b)
}

// frame displays the frame as it will be sent: the changes of an edit, its tree, or the bytes of a
// large frame.
func (p *Pane) frame(c *app.Canvas, b []byte) {
	switch {
	case p.edited:
		d := doc.On(c)
		diff.Show(d, p.changed)
		d.Paint()
	case p.tree != nil:
		c.Rows(p.tree.Rows(c.Pal, c.JS, c.W, c.H, false)...)
		c.Wheel(func(n int) { p.tree.Scroll(n) })
	default:
		c.Rows(widget.NewHex(b[:min(len(b), maxShown)]).Rows(c.Pal, c.W, max(c.H, 1))...)
	}
}
