package intercept

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/diff"
	"mcptea/session/intercept"
	"mcptea/ui/command"
	"mcptea/ui/jsonview"
	"mcptea/ui/paint"
	"mcptea/ui/widget/hexview"
	"mcptea/ui/widget/masterdetail"
)

// Paint paints the pane: exactly h rows of w cells.
func (p *Pane) Paint(pal *paint.Palette, js paint.JSONStyles, w, h int, focused bool) []string {
	title := []paint.Span{{Text: "Intercept"}}
	if p.of != "" {
		title = append(title, paint.Span{Style: pal.Accent, Text: "  " + pal.Label(p.of, max(10, w/4))})
	}
	return p.view.Paint(pal, w, h, focused, masterdetail.Content{
		Title: title,
		Note:  p.note(pal),
		Below: func(w int) []string { return p.below(pal, w) },
		Empty: func(w, h int) []string { return p.empty(pal, w, h) },
		Detail: func(at masterdetail.Rect, _ bool) masterdetail.Box {
			return p.detail(pal, js, at)
		},
	})
}

func (p *Pane) note(pal *paint.Palette) []paint.Span {
	waiting := p.Waiting()
	if waiting == 0 {
		return nil
	}
	spans := []paint.Span{{Style: pal.WarnBold, Text: pal.Pause + " " + paint.HumanCount(waiting) + " held"}}
	if behind := len(p.state.Held) - waiting; behind > 0 {
		spans = append(spans, paint.Span{Style: pal.Muted, Text: ", " + paint.HumanCount(behind) + " behind"})
	}
	if p.state.Stalled > 0 {
		spans = append(spans, paint.Span{Style: pal.Warn, Text: ", full: the sender waits"})
	}
	return spans
}

func (p *Pane) below(pal *paint.Palette, w int) []string {
	s := paint.NewSheet(pal, w, 3)
	if len(p.state.Held) > 0 {
		s.Text(pal.Muted, "All are forwarded when mcptea closes.", 1)
		s.Hints(1, p.hint(command.Held, command.ForwardAll, "forward all"))
	} else {
		s.Hints(1, p.hint(command.Global, command.AddBreakpoint, "breakpoint"), p.hint(command.Intercept, command.InjectFault, "fault"))
	}
	return s.Rows
}

func (p *Pane) hint(c command.Context, id command.ID, label string) paint.Hint {
	return paint.Hint{Key: command.KeyIn(c, id, false), Label: label}
}

func (p *Pane) empty(pal *paint.Palette, w, h int) []string {
	s := paint.NewSheet(pal, w, h)
	s.Text(pal.Strong, "No breakpoints yet.", 2)
	s.Blank()
	s.Text(pal.Text, "A breakpoint holds the frames that match a filter. A held frame can be forwarded, edited, dropped, duplicated, delayed, or responded to by hand. A fault changes frames by itself, with a probability.", 6)
	s.Blank()
	s.Hints(2, p.hint(command.Global, command.AddBreakpoint, "add a breakpoint"), p.hint(command.Intercept, command.InjectFault, "inject a fault"))
	return s.Rows
}

// first reports whether an item is the first of its kind.
func (p *Pane) first(i int) bool { return i == 0 || p.items[i-1].kind != p.items[i].kind }

// itemHeight is the number of rows of an item: a heading before the first of a kind,
// and a second row of held frames.
func (p *Pane) itemHeight(i int) int {
	n := 1
	if p.items[i].kind == held {
		n = 2
	}
	if p.first(i) {
		n++
	}
	return n
}

func (p *Pane) itemRow(r *paint.Row, pal *paint.Palette, i, row int, selected bool) {
	it := p.items[i]
	if p.first(i) {
		if row == 0 {
			r.Start(r.Left()+r.Used(), paint.Style{}) // the heading is not selected
			r.Gap(1)
			r.Put(pal.Muted, headings[it.kind])
			return
		}
		row--
	}
	name := pal.Text
	if selected {
		name = pal.Strong
	}
	switch it.kind {
	case held:
		p.heldRow(r, pal, p.heldFrame(it.id), row, name)
	case gone:
		p.keptRow(r, pal, p.keptText(it.id), name)
	case breakpoint:
		b := p.breakpointOf(it.id)
		p.entry(r, pal, !b.Disabled, "b"+strconv.Itoa(b.ID), b.Filter, b.Hits, name)
	case fault:
		f := p.faultOf(it.id)
		text := f.String()
		if f.Filter != "" {
			text += "  " + f.Filter
		}
		p.entry(r, pal, !f.Disabled, "", text, f.Hits, name)
	}
}

// entry writes a breakpoint or a fault with the number of its frames.
func (p *Pane) entry(r *paint.Row, pal *paint.Palette, on bool, id, text string, hits int, st paint.Style) {
	r.Right(paint.Span{Style: pal.Muted, Text: paint.HumanCount(hits) + " "})
	box := pal.Off
	if on {
		box = pal.On
	}
	r.Put(pal.Accent, box+" ")
	if id != "" {
		r.Put(pal.Muted, id+" ")
	}
	if !on {
		st = pal.Muted
	}
	r.Put(st, text)
}

func (p *Pane) heldRow(r *paint.Row, pal *paint.Palette, h *intercept.Held, row int, st paint.Style) {
	if row == 0 {
		p.name(r, pal, h, st)
		return
	}
	r.Gap(3)
	if h.Behind != 0 && !h.Stopped {
		r.Put(pal.Muted, "behind "+p.short(h.Behind)+", order is kept")
		return
	}
	age := p.now.Sub(h.Since)
	style := pal.Warn
	if !h.Stopped && h.Until.Sub(p.now) < 10*time.Second {
		style = pal.Error
	}
	r.Right(paint.Span{Style: style, Text: paint.Spinner(pal, p.spin) + " " + paint.HumanDuration(max(0, age)) + " "})
	if h.Delayed {
		r.Put(pal.Accent, "delayed for "+paint.HumanDuration(max(0, h.Until.Sub(p.now))))
		return
	}
	if h.Breakpoint != 0 {
		r.Put(pal.Muted, "by b"+strconv.Itoa(h.Breakpoint))
	} else {
		r.Put(pal.Muted, "held by you")
	}
	if h.Stopped {
		r.Put(pal.Accent, "  clock stopped")
	}
	if _, ok := p.edited[h.ID]; ok {
		r.Put(pal.Accent, "  edited")
	}
	if _, ok := p.drafts[written{h.ID, false}]; ok {
		r.Put(pal.Accent, "  text kept")
	}
}

// name writes the direction, the id and the method of a held frame.
func (p *Pane) name(r *paint.Row, pal *paint.Palette, h *intercept.Held, st paint.Style) {
	if h.Row >= 0 {
		r.Put(pal.Muted, "#"+strconv.Itoa(int(h.Row)+1)+" ")
	}
	if h.Dir == transport.Out {
		r.Put(pal.Out, pal.ArrowOut+" ")
	} else {
		r.Put(pal.In, pal.ArrowIn+" ")
	}
	if h.MessageID != "" {
		r.Put(pal.Muted, paint.Cut(string(h.MessageID), 12)+" ")
	}
	if h.Kind.IsResponse() {
		r.Put(pal.Text, h.Kind.String()+" ")
	}
	r.Put(st, h.Method)
	if name := subject(h); name != "" {
		r.Gap(min(1, r.Left()))
		r.Put(pal.Value, name)
	}
}

// subject is the tool, prompt or URI of a held request.
func subject(h *intercept.Held) string {
	const most = 16 << 10 // it is looked for at each painting
	if h.Kind != jsonrpc.Request || len(h.Bytes) > most {
		return ""
	}
	params, _ := jsonrpc.Member(h.Bytes, "params")
	for _, name := range []string{"name", "uri"} {
		if text := jsonrpc.Text(params, name); text != "" {
			return text
		}
	}
	return ""
}

// short names a held frame in a few words.
func (p *Pane) short(id int64) string {
	h := p.heldFrame(id)
	switch {
	case h == nil:
		return "another frame"
	case h.Row >= 0:
		return "#" + strconv.Itoa(int(h.Row)+1)
	}
	return paint.Sanitize(paint.Cut(h.Method+" "+string(h.MessageID), 30))
}

// maxShown is how much of a held frame is shown, in bytes.
const maxShown = 256 << 10

func (p *Pane) detail(pal *paint.Palette, js paint.JSONStyles, at masterdetail.Rect) masterdetail.Box {
	it := p.selected()
	switch it.kind {
	case breakpoint:
		if b := p.breakpointOf(it.id); b != nil {
			return p.breakpointBox(pal, b, at)
		}
	case fault:
		if f := p.faultOf(it.id); f != nil {
			return p.faultBox(pal, f, at)
		}
	case gone:
		if k := p.keptText(it.id); k != nil {
			return p.keptBox(pal, k, at)
		}
	case held:
		if h := p.heldFrame(it.id); h != nil {
			return p.heldBox(pal, js, h, at)
		}
	}
	return masterdetail.Box{}
}

func (p *Pane) breakpointBox(pal *paint.Palette, b *intercept.Breakpoint, at masterdetail.Rect) masterdetail.Box {
	s := paint.NewSheet(pal, at.W, at.H)
	s.Margin = 8
	s.FactText("filter", pal.Strong, b.Filter, 3)
	s.Fact("held", func(r *paint.Row) { r.Put(pal.Text, paint.Plural(b.Hits, "frame")) })
	if b.Disabled {
		s.Fact("state", func(r *paint.Row) { r.Put(pal.Warn, "off") })
	}
	s.Blank()
	s.Text(pal.Muted, "A frame that matches is held, and so are those behind it in its direction. Without a decision it is forwarded after "+paint.HumanDuration(intercept.DefaultLimit)+"; while you edit it, its clock is stopped. When "+paint.HumanCount(intercept.MaxQueued)+" frames wait in a direction, the sender waits.", 6)
	s.Blank()
	s.Hints(2, p.hint(command.Intercept, command.OpenEntry, "edit"), p.hint(command.Intercept, command.ToggleEntry, "on or off"), p.hint(command.Intercept, command.RemoveEntry, "remove"))
	return masterdetail.Box{Title: []paint.Span{{Style: pal.TextBold, Text: "Breakpoint b" + strconv.Itoa(b.ID)}}, Rows: s.Rows}
}

func (p *Pane) faultBox(pal *paint.Palette, f *intercept.Fault, at masterdetail.Rect) masterdetail.Box {
	s := paint.NewSheet(pal, at.W, at.H)
	s.Margin = 8
	for _, k := range intercept.FaultKinds() {
		switch {
		case k.Name != f.Name:
		case k.InPlace:
			s.FactText("fault", pal.Strong, "in place of a response to a tool call: "+k.Summary, 3)
		default:
			s.FactText("fault", pal.Strong, k.Summary, 3)
		}
	}
	if f.Arg != "" {
		s.FactText("value", pal.Text, f.Arg, 1)
	}
	if f.Filter != "" {
		s.FactText("filter", pal.Text, f.Filter, 2)
	}
	if f.Probability != 0 && f.Probability != 1 {
		s.FactText("chance", pal.Text, strconv.FormatFloat(100*f.Probability, 'f', -1, 64)+"%", 1)
	}
	s.Fact("changed", func(r *paint.Row) { r.Put(pal.Text, paint.Plural(f.Hits, "frame")) })
	if f.Disabled {
		s.Fact("state", func(r *paint.Row) { r.Put(pal.Warn, "off") })
	}
	s.Blank()
	s.Hints(2, p.hint(command.Intercept, command.OpenEntry, "edit"), p.hint(command.Intercept, command.ToggleEntry, "on or off"), p.hint(command.Intercept, command.RemoveEntry, "remove"))
	return masterdetail.Box{Title: []paint.Span{{Style: pal.TextBold, Text: "Fault " + f.Name}}, Rows: s.Rows}
}

// actions are the rows below a held frame: the keys and what they do.
func (p *Pane) actions(pal *paint.Palette, h *intercept.Held, w int) []string {
	s := paint.NewSheet(pal, w, 8)
	edited, isEdited := p.edited[h.ID]
	to := "server"
	if h.Dir == transport.In {
		to = "client"
	}
	s.Rule(paint.Span{Style: pal.Muted, Text: "actions"})
	action := func(id command.ID, label, what string) {
		s.Line(func(r *paint.Row) {
			r.CellRight(pal.AccentBold, command.KeyIn(command.Held, id, false), 5)
			r.Gap(1)
			r.Put(pal.Text, label)
			r.To(26)
			r.Put(pal.Muted, " "+what)
		})
	}
	size := func(b []byte) string { return paint.HumanSize(int64(len(b))) }
	if isEdited {
		action(command.ForwardFrame, "forward as edited", size(edited)+" to the "+to)
		action(command.ForwardReceived, "forward as received", size(h.Bytes)+" to the "+to)
	} else {
		action(command.ForwardFrame, "forward", size(h.Bytes)+" to the "+to)
	}
	action(command.EditHeld, "edit", "its bytes")
	action(command.DropFrame, "drop", "the "+to+" receives nothing")
	action(command.DuplicateFrame, "duplicate", "the "+to+" receives it twice")
	action(command.DelayFrame, "delay", "then forward")
	if h.Kind == jsonrpc.Request {
		action(command.RespondToHeld, "respond", "by hand; the "+to+" receives nothing")
	}
	return s.Rows
}

func (p *Pane) heldBox(pal *paint.Palette, js paint.JSONStyles, h *intercept.Held, at masterdetail.Rect) masterdetail.Box {
	box := masterdetail.Box{
		Title: []paint.Span{{Style: pal.TextBold, Text: titleOf(pal, h)}},
		Note: []paint.Span{
			{Style: pal.Muted, Text: "held "},
			{Style: pal.Warn, Text: paint.HumanDuration(max(0, p.now.Sub(h.Since)))},
			{Style: pal.Muted, Text: " of " + paint.HumanDuration(h.Until.Sub(h.Since))},
		},
	}
	if h.Stopped {
		box.Note[2].Text = ", clock stopped"
	}
	actions := p.actions(pal, h, at.W)
	if at.H < 12 {
		actions = nil // the last line of the screen names the keys
	}
	room := max(1, at.H-len(actions))
	box.Rows = p.frame(pal, js, h, at.W, room)
	for len(box.Rows) < room {
		box.Rows = append(box.Rows, "")
	}
	box.Rows = append(box.Rows[:room], actions...)
	return box
}

func titleOf(pal *paint.Palette, h *intercept.Held) string {
	text := h.Method
	if h.Kind.IsResponse() {
		text = h.Kind.String() + " of " + text
	}
	return pal.Label(strings.TrimSpace(text+" "+subject(h)), 50)
}

// frame shows the frame as it goes on: what was edited in it, or its tree.
func (p *Pane) frame(pal *paint.Palette, js paint.JSONStyles, h *intercept.Held, w, room int) []string {
	b := p.bytes(h)
	if p.treeOf != h.ID {
		p.treeOf, p.tree, p.changed = h.ID, nil, nil
		_, edited := p.edited[h.ID]
		switch {
		case len(b) > maxShown || len(h.Bytes) > maxShown:
		case edited:
			if rows, err := diff.Rows(h.Bytes, b, diff.Options{}); err == nil {
				p.changed = append([]diff.Row{}, diff.Unified(rows)...)
			}
		default:
			if doc, err := jsonview.Parse(b); err == nil {
				p.tree = jsonview.NewView(doc)
			}
		}
	}
	switch {
	case p.changed != nil:
		return changes(pal, p.changed, w, room)
	case p.tree != nil:
		return p.tree.Rows(pal, js, w, room, false)
	}
	return hexview.New(b[:min(len(b), maxShown)]).Rows(pal, w, room)
}

// changes are the rows of a unified view of the differences to what was received.
func changes(pal *paint.Palette, rows []diff.Row, w, room int) []string {
	s := paint.NewSheet(pal, w, room)
	if len(rows) == 0 {
		s.Text(pal.Muted, "Only the spelling has changed: spaces, escapes, or the order of members.", 2)
	}
	if first := slices.IndexFunc(rows, func(r diff.Row) bool { return r.Kind != diff.Same }); len(rows) > room && first > 2 {
		rows = rows[min(first-2, len(rows)-room):]
	}
	for _, row := range rows {
		if s.Left() == 0 {
			break
		}
		s.Line(func(r *paint.Row) {
			switch {
			case row.Skipped > 0:
				r.Put(pal.Muted, "  "+pal.Ellipsis)
			case row.Kind == diff.Removed:
				r.Put(pal.Error, "- "+row.Old)
			case row.Kind == diff.Added:
				r.Put(pal.OK, "+ "+row.New)
			default:
				r.Put(pal.Text, "  "+row.Old)
			}
		})
	}
	return s.Rows
}
