package traffic

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// Paint implements [app.Pane].
func (p *Pane) Paint(c *app.Canvas, focused bool) {
	title := append([]paint.Span{{Style: c.Pal.TextBold, Text: p.app.Key("tab.traffic") + " Traffic"}}, p.app.Filter.Title(c.Pal)...)
	in := c.Box(title, p.note(c.Pal, c.W), focused)
	const follow = 14 // width in cells, including the corner
	if p.follow {
		c.Click(c.W-follow, 0, follow, 1, func(int, int) { p.ToggleFollow() })
	}
	p.app.Filter.Paint(in)
	y := in.Next()
	heading := p.rows(in, focused)
	in.Click(0, y+heading, in.W, p.height, func(_, y int) { p.pressLine(y) })
	in.Wheel(p.turn)
	p.app.Filter.Candidates(c)
}

// key returns the name of a key of the program at the focus.
func (p *Pane) key(id string) string {
	if p.Key != nil {
		return p.Key(id)
	}
	return p.app.Key(id)
}

// note returns the text in the upper border: the number of frames, and whether the list follows.
func (p *Pane) note(pal *paint.Palette, w int) []paint.Span {
	count := phrase.Digits(p.snap.Frames())
	switch {
	case w >= 68:
		count = phrase.Count(p.snap.Frames(), "frame") + others(p.snap.Events, p.snap.Unsent)
	case w >= 50:
		count = phrase.Count(p.snap.Frames(), "frame")
	}
	if p.byExchange {
		count = p.exchangeCount(pal, w)
	} else if p.scan.On() {
		if p.snap.Frames() != p.snap.Rows { // events can match the filter, too
			count = phrase.Count(p.snap.Rows, "row")
		}
		count = phrase.Digits(p.Len()) + " of " + paint.If(w >= 50, count, phrase.Digits(p.snap.Rows))
		if p.scan.Next < p.limit {
			count = paint.Spinner(pal, p.spin) + " " + count
		}
	}
	note := []paint.Span{{Style: pal.Muted, Text: count}}
	switch {
	case p.seek.step != 0:
		note = append(note, paint.Span{Style: pal.Warn, Text: "  " + paint.Spinner(pal, p.spin) + " next error"})
	case p.seek.missed:
		note = append(note, paint.Span{Style: pal.Muted, Text: "  " + noMoreErrors})
	}
	switch {
	case p.paused:
		text := "  " + pal.Pause + " paused"
		if n := p.snap.Rows - p.limit; n > 0 {
			text += "  " + phrase.Digits(n) + " new"
		}
		note = append(note, paint.Span{Style: pal.Warn, Text: text})
	case p.follow:
		note = append(note, paint.Span{Style: pal.OK, Text: "  " + pal.Follow + " following"})
	}
	return note
}

// rows paints the list. above is the number of rows of its heading.
func (p *Pane) rows(in *app.Canvas, focused bool) (above int) {
	if p.byExchange {
		return p.exchangeRows(in, focused)
	}
	pal, w, h := in.Pal, in.W, in.Left()
	cols := columnsFor(w, p.snap.Rows)
	if cols.units = h < leastHeading; !cols.units {
		above = 1
	}
	newer := p.scroll(h - above)
	cursor, n := p.cursor(), p.Len()
	for i := p.top; i < min(p.top+p.height, n) && cols.id > 0; i++ {
		if s, ok := p.messages.Message(p.row(i)); ok {
			cols.fitID(s.ID, w)
		}
	}
	if above > 0 {
		in.Line(func(r *paint.Row) { heading(r, pal, cols, w) })
	}
	for i := p.top; i < min(p.top+p.height, n); i++ {
		in.Line(func(r *paint.Row) { p.paint(r, pal, cols, w, i, i == cursor, focused) })
	}
	if newer > 0 {
		p.below(in, newer)
	}
	switch {
	case n > 0:
	case p.scan.On():
		in.Say(2, pal.Muted, p.app.Filter.NoMatches("frame", p.key("back")))
	default:
		in.Say(2, pal.Muted, "No frames yet.")
	}
	return above
}

// scroll makes the cursor visible. It returns the number of frames below the visible ones that the last of h
// rows announces, or 0 if that row shows a frame.
func (p *Pane) scroll(h int) (newer int) {
	for p.height = h; ; p.height-- {
		cursor, n := p.cursor(), p.Len()
		p.top = max(0, min(max(min(p.top, cursor), cursor-p.height+1), n-p.height))
		newer = n - p.top - p.height
		if newer <= 0 || p.height < h || h < leastNewer || p.follow && !p.paused || p.still {
			return paint.If(p.height < h, newer, 0)
		}
	}
}

// leastNewer is the minimum height of a list whose last row announces newer frames.
const leastNewer = 4

// below writes the number of newer frames into the last row, with the key that leads to them.
func (p *Pane) below(in *app.Canvas, newer int) {
	id, does, run := "follow", "follow", p.ToggleFollow
	if p.paused {
		id, does, run = "pause", "go on", p.pause
	}
	in.Click(0, in.Next(), in.W, 1, func(int, int) { run() })
	in.Line(func(r *paint.Row) {
		r.Gap(2)
		r.Put(in.Pal.Accent, in.Pal.Down+" "+phrase.Digits(newer+p.snap.Rows-p.limit)+" newer")
		if key := p.key(id); key != "" {
			r.Gap(3)
			r.Put(in.Pal.AccentBold, key)
			r.Put(in.Pal.Muted, " "+does)
		}
	})
}

func heading(r *paint.Row, pal *paint.Palette, c columns, w int) {
	r.CellRight(pal.Muted, "#", c.seq)
	r.Gap(2)
	if c.time > 0 {
		r.Cell(pal.Muted, "time", c.time)
	}
	r.Cell(pal.Muted, pal.ArrowBoth, 2)
	r.Cell(pal.Muted, "id", c.id)
	r.Put(pal.Muted, "frame")
	r.To(w - c.right() - 1)
	r.CellRight(pal.Muted, "size", c.size)
	r.CellRight(pal.Muted, "ms", c.took)
}

func (p *Pane) paint(r *paint.Row, pal *paint.Palette, c columns, w, i int, selected, focused bool) {
	index := p.row(i)
	row, _ := p.store.Row(index)
	r.StartItem(pal, w, selected, focused)
	r.Find(p.app.Filter.Marks())
	s, _ := p.messages.Message(index)
	above := store.None // row above, if it is visible
	if i > p.top {
		above = p.row(i - 1)
	}
	set := p.store.MarkAt(index)
	before, _ := p.store.Row(above)
	p.start(r, pal, c, index, &row, paint.Span{Text: " "}, before.Time)
	idStyle := paint.If(frames.OfServer(row.Kind, row.Dir), pal.Asked, pal.Muted)
	r.Cell(idStyle, s.ID, c.id-1)
	r.Gap(1)
	note := p.remark(pal, index, &row, w >= 60)
	if set.Note != "" {
		note = append(slices.Clip(note), paint.Span{Text: " "}, userNote(pal, set.Note, w/4))
	}
	took, size := p.took(pal, &row, c), sizeOf(&row)
	end := w - 2 // end of the text, which takes the place of a missing time and size
	width := display.Width(took.Text)
	if c.time > 0 { // only in a wide row: in a narrow one each cell counts
		width = max(width, c.took)
	}
	switch {
	case size != "" && c.size > 0, len(note) > 0 && c.size > 0:
		end -= c.size + width
	case took.Text != "":
		end -= width
	}
	room := end - r.Used()
	if n := paint.SpansWidth(note); n > 0 {
		room -= n + 1
	}
	p.what(r, pal, &row, &s, p.branch(pal, above, &row), max(8, room))
	if len(note) > 0 {
		at := end - paint.SpansWidth(note)
		found := p.app.Source.FindingsAt(index)
		if worst := lint.Worst(found); worst != nil && strings.HasSuffix(note[len(note)-1].Text, flaws(pal, worst, len(found))) {
			p.ruleName(r, pal, worst, at) // no other text names the problem
		}
		r.To(at)
		r.Spans(note...)
	}
	if c.size > 0 && size != "" {
		r.To(w - 1 - c.size - width)
		r.CellRight(pal.Muted, size, c.size)
	}
	if took.Text != "" {
		r.To(w - 1 - width)
		r.CellRight(took.Style, took.Text, width)
	}
}

func sizeOf(row *store.Row) string {
	if !row.IsFrame() && row.Kind != store.KindDelivery {
		return ""
	}
	return phrase.Size(int64(row.Size))
}

// took returns the duration until the response, or until now if it is pending.
func (p *Pane) took(pal *paint.Palette, row *store.Row, c columns) paint.Span {
	switch {
	case row.Flags&(store.Pending|store.Acknowledged) == store.Pending|store.Acknowledged:
		return paint.Span{Style: pal.OK, Text: "open"}
	case row.Flags&store.Pending != 0:
		waited := p.now.Sub(time.Unix(0, row.Time))
		if p.still {
			return paint.Span{Style: pal.Warn, Text: "pending"} // the duration was not recorded
		}
		return paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin) + " " + phrase.Took(max(0, waited))}
	case row.Flags&store.Abandoned != 0:
		return paint.Span{Style: pal.Error, Text: pal.FailMark}
	case row.Flags&store.TimedOut != 0 && row.Pair == store.None:
		return paint.Span{Style: pal.Error, Text: "timed out"}
	case row.Flags&store.Cancelled != 0 && row.Pair == store.None:
		return paint.Span{Style: pal.Warn, Text: "cancelled"}
	case row.Kind == store.KindExchange && row.Request() != store.None:
		if request, ok := p.store.Row(row.Request()); ok && request.Time <= row.Time {
			return paint.Span{Style: pal.Muted, Text: c.duration(time.Duration(row.Time - request.Time))}
		}
	case row.Pair != store.None && row.Kind != jsonrpc.Request:
		if request, ok := p.store.Row(row.Pair); ok && request.Time <= row.Time {
			return paint.Span{Style: pal.Muted, Text: c.duration(time.Duration(row.Time - request.Time))}
		}
	}
	return paint.Span{}
}

// remark returns the fault of a row: the most severe finding, and the mark of the store if there is room. For a
// held frame, it returns that first.
func (p *Pane) remark(pal *paint.Palette, index int32, row *store.Row, long bool) []paint.Span {
	if held, ok := p.held[index]; ok {
		return []paint.Span{{Style: pal.Warn, Text: pal.Pause + " " + phrase.Took(held)}}
	}
	var changed []paint.Span
	if row.Changed != record.NotChanged {
		changed = p.changed(pal, index, row, long)
	}
	if changed == nil && p.Again != nil {
		changed = p.Again(pal, index)
	}
	text, st := mark(pal, row)
	if status := p.status(row); status != 0 && row.Flags&store.Abandoned != 0 {
		text = "HTTP " + strconv.Itoa(status) // the HTTP response contained no message
	}
	findings := p.app.Source.FindingsAt(index)
	worst := lint.Worst(findings)
	if worst == nil {
		if by := p.app.SentBy(p.agent, index, row); text == "" && by != "" {
			return []paint.Span{{Style: pal.Asked, Text: by}}
		}
		if text == "" || changed != nil {
			return changed
		}
		return []paint.Span{{Style: st, Text: text}}
	}
	if st = app.SeverityStyle(pal, worst.Severity); p.mended(row.Conn) {
		st = pal.Muted
	}
	spans := paint.Spans{{Style: st, Text: flaws(pal, worst, len(findings))}}
	spans.If(long && text != "" && text != malformed, st, " "+text)
	if changed != nil {
		spans = append(append(changed, paint.Span{Text: "  "}), spans...)
	}
	return spans
}

// status returns the status of the HTTP exchange of a frame, or 0.
func (p *Pane) status(row *store.Row) int {
	if row.Exchange == 0 {
		return 0
	}
	x, _ := p.store.ExchangeOf(row.Exchange)
	return x.Status
}

// changed describes the change of a frame by a breakpoint or a fault.
func (p *Pane) changed(pal *paint.Palette, index int32, row *store.Row, long bool) []paint.Span {
	text := row.Changed.String()
	if c, ok := p.store.Change(index); ok && long {
		text = c.Mark()
	}
	return []paint.Span{{Style: pal.Warn, Text: pal.Pause + " " + text}}
}

// branch returns the sign that ties a response or a notification to its request: a line if the row above
// belongs to the same request, otherwise the number of the request.
func (p *Pane) branch(pal *paint.Palette, above int32, row *store.Row) string {
	request := row.Request()
	if request == store.None {
		return ""
	}
	before, ok := p.store.Row(above)
	switch {
	case ok && (above == request || before.Request() == request):
		if row.Kind.IsResponse() || row.Kind == store.KindExchange {
			return pal.Last + " "
		}
		return pal.Child + " "
	case row.Kind == jsonrpc.Notification:
		if of, _ := p.store.Row(request); of.Flags&store.Acknowledged != 0 {
			return "" // all frames belong to the subscription
		}
	}
	return pal.Reply + " #" + strconv.Itoa(int(request)+1) + " "
}
