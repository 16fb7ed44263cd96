package traffic

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/frames"
	"mcptea/ui/paint"
)

// exchangeRows paints the list of exchanges. above is the number of rows of its heading.
func (p *Pane) exchangeRows(in *app.Canvas, focused bool) (above int) {
	pal, w, h := in.Pal, in.W, in.Left()
	if h >= leastHeading {
		above = 1
	}
	newer := p.scroll(h - above)
	cursor, n := p.cursor(), p.Len()
	list := p.inSight(in, cursor, n)
	p.grid = p.gridFor(w, list)
	g := &p.grid
	g.units = above == 0
	if above > 0 {
		in.Line(func(r *paint.Row) { exchangeHeading(r, pal, g) })
	}
	before := int64(0)
	p.places = p.places[:0]
	for k := range list {
		e := &list[k]
		if e.restart != nil {
			before, p.places = 0, append(p.places, -1)
			in.Line(func(r *paint.Row) { putRule(r, pal, e.restart, w) })
		}
		p.places = append(p.places, p.top+k)
		in.Line(func(r *paint.Row) {
			r.StartItem(pal, g.w, p.top+k == cursor, focused)
			r.Find(p.app.Filter.Marks())
			if e.isPart {
				before = p.paintPart(r, pal, g, e, before)
			} else {
				before = p.paintExchange(r, pal, g, e, before)
			}
		})
	}
	if newer > 0 {
		p.below(in, newer)
	}
	switch {
	case n > 0:
	case p.scan.On():
		in.Say(2, pal.Muted, p.app.Filter.NoMatches("exchange", p.key("back")))
	default:
		in.Say(2, pal.Muted, "No frames yet.")
	}
	return above
}

// leastHeading is the minimum height of a list with a heading, which names the unit of the durations.
const leastHeading = 3

// exchangeCount returns the number of exchanges in the list, as text.
func (p *Pane) exchangeCount(pal *paint.Palette, w int) string {
	n := p.exchanges.Counts()
	text := phrase.Digits(n.Shown)
	switch {
	case p.scan.On():
		text += " of " + paint.If(w >= 64, phrase.Count(n.All, "exchange")+others(n.Events, 0), phrase.Digits(n.All))
	case w >= 68: // next to the title and the state of the list
		text = phrase.Count(n.Shown, "exchange") + ", " + phrase.Count(p.snap.Frames(), "frame") + others(n.Events, p.snap.Unsent)
	case w >= 50:
		text = phrase.Count(n.Shown, "exchange")
	}
	if n.Read < p.limit {
		text = paint.Spinner(pal, p.spin) + " " + text
	}
	return text
}

// others returns the number of rows that are not frames on the wire, for the end of the count.
func others(events, unsent int) (text string) {
	if events > 0 {
		text = ", " + phrase.Count(events, "event")
	}
	if unsent > 0 {
		text += ", " + phrase.Digits(unsent) + " not sent"
	}
	return text
}

func exchangeHeading(r *paint.Row, pal *paint.Palette, g *grid) {
	r.CellRight(pal.Muted, "#", g.seq)
	r.Gap(2)
	if g.time > 0 {
		r.Cell(pal.Muted, "time", g.time)
	}
	r.Cell(pal.Muted, pal.ArrowBoth, 2)
	r.Cell(pal.Muted, "id", g.id)
	r.Cell(pal.Muted, "request", g.subject)
	for _, column := range []struct {
		name string
		w    int
	}{{"sent", g.up}, {"got", g.down}, {"", g.bar}, {"ms", g.took}} {
		if column.w > 0 {
			r.Gap(1)
			r.CellRight(pal.Muted, column.name, column.w)
		}
	}
	r.Gap(1)
	r.Put(pal.Muted, "outcome")
}

// start writes the number, the time and the direction of a row, and returns its time.
func (p *Pane) start(r *paint.Row, pal *paint.Palette, c columns, index int32, row *store.Row, sign paint.Span, before int64) int64 {
	number := pal.Muted
	if p.store.MarkAt(index).Marked || p.highlighted[index] {
		number, sign = pal.WarnBold, paint.Span{Style: pal.WarnBold, Text: pal.Mark}
	}
	r.CellRight(number, strconv.Itoa(int(index)+1), c.seq-1)
	r.Put(sign.Style, sign.Text)
	r.Gap(1)
	if c.time > 0 {
		if before > row.Time {
			before = 0 // the time goes backwards: a row of an unfolded exchange is above
		}
		c.putClock(r, pal, row.Time, before)
	}
	arrow := frames.Arrow(pal, row.Kind, row.Dir)
	if row.Kind == jsonrpc.Invalid && !row.IsEvent() && row.Dir == transport.In {
		arrow.Style = pal.Error
	}
	r.Spans(arrow)
	r.Gap(1)
	return row.Time
}

// paintPart paints a frame of an unfolded exchange in the columns of the exchanges. The column of the duration
// has the time after the request.
func (p *Pane) paintPart(r *paint.Row, pal *paint.Palette, g *grid, e *exchange, before int64) int64 {
	index, row, m := e.index, e.row, &e.subject
	before = p.start(r, pal, g.columns, index, &row, paint.Span{Style: pal.Muted, Text: " "}, before)
	r.Cell(pal.Muted, m.ID, g.id)
	from := r.Used()
	end, size := from+g.subject+g.sizes(), g.sizeAt(row.Dir)
	r.Put(pal.Muted, paint.If(p.exchanges.IsLast(index), pal.Last, pal.Child)+" ")
	if size > 0 && row.IsFrame() {
		size += from - display.Width(e.outcome.text)
		p.what(r, pal, &row, m, "", max(8, size-1-r.Used()))
		r.To(size)
		r.Put(pal.Muted, e.outcome.text)
	} else {
		p.what(r, pal, &row, m, "", max(8, end-r.Used()))
	}
	r.To(end + 1)
	root, _ := p.store.Row(p.store.Root(index))
	r.CellRight(pal.Muted, "+"+g.duration(max(0, time.Duration(row.Time-root.Time))), g.took)
	r.Gap(1)
	if size == 0 || !row.IsFrame() {
		r.Put(pal.Muted, e.outcome.text)
	}
	p.putNote(r, g, e.notes, r.Used()+1)
	return before
}

// partOf reads the columns of a frame of an open exchange: the outcome is its size, which has a separate column
// if there is room.
func (p *Pane) partOf(pal *paint.Palette, w int, e *exchange) {
	e.row, _ = p.store.Row(e.index)
	e.subject, _ = p.messages.Message(e.index)
	e.notes = p.remark(pal, e.index, &e.row, w >= 72)
	e.outcome.text = sizeOf(&e.row)
}

// putNote writes the fault of a row at its right end, but not before a column.
func (p *Pane) putNote(r *paint.Row, g *grid, note []paint.Span, from int) {
	if n := paint.SpansWidth(note); n > 0 {
		r.To(max(from, g.w-1-n))
		r.Spans(note...)
	}
}

func (p *Pane) paintExchange(r *paint.Row, pal *paint.Palette, g *grid, e *exchange, before int64) int64 {
	sign := paint.Span{Style: pal.Accent, Text: paint.If(e.open, pal.Unfolded, paint.If(e.equal > 0, pal.Folded, " "))}
	if p.store.MarkAt(e.response).Marked {
		sign = paint.Span{Style: pal.WarnBold, Text: pal.Mark}
	}
	before = p.start(r, pal, g.columns, e.index, &e.row, sign, before)
	r.Cell(paint.If(frames.OfServer(e.row.Kind, e.row.Dir), pal.Asked, pal.Muted), e.subject.ID, g.id)
	end := g.w - 1
	if n := paint.SpansWidth(e.notes); n > 0 {
		end -= n + 1
	}
	if !isExchange(&e.row) {
		if e.equal > 0 {
			r.Put(pal.TextBold, pal.Times+strconv.Itoa(e.equal)+" ")
		}
		from := r.Used()
		p.what(r, pal, &e.row, &e.subject, "", max(8, end-r.Used()))
		if e.equal == 0 && e.row.IsFrame() {
			size := sizeOf(&e.row)
			if at := from + g.sizeAt(e.row.Dir) - display.Width(size); at > r.Used() && at+display.Width(size) <= end {
				r.To(at)
				r.Put(pal.Muted, size)
			}
		}
	} else {
		p.putRequest(r, pal, g, e)
		if w := end - r.Used(); w >= 2 && e.outcome.sign.Text != "" {
			r.Spans(e.outcome.sign)
			r.Gap(1)
			r.PutIn(w-2, pal.Muted, e.outcome.lead)
			left := max(0, end-r.Used())
			if e.outcome.lead != "" && left < leastFound {
				left = 0
			}
			p.found(r, e.outcome.textStyle, p.outcomeIn(e, left), left)
		}
	}
	p.putNote(r, g, e.notes, end+1)
	return before
}

// leastFound is the minimum room, in cells, for a text with words of a filter after its number.
const leastFound = 12

// outcomeIn returns the text of an outcome for w cells. It shortens a long text to its first line, except while a filter
// marks words.
func (p *Pane) outcomeIn(e *exchange, w int) string {
	text := e.outcome.text
	if !e.outcome.isResult || len(p.app.Filter.Marks()) > 0 {
		return text
	}
	if line, ok := e.answer.FirstLine(); ok && !fitsIn(text, w) {
		return line
	}
	return withoutHalfNumber(text, w)
}

// argumentsIn returns the arguments of a request for w cells. If a single argument does not fit, it returns only the
// value, except while a filter marks words.
func (p *Pane) argumentsIn(e *exchange, w int) string {
	if len(p.app.Filter.Marks()) > 0 {
		return e.subject.Text
	}
	text := e.subject.Text
	if one, ok := e.subject.Only(); ok && e.subject.Name != "" && !fitsIn(text, w) {
		text = one // the name of the argument is the same in each row
	}
	return withoutHalfNumber(text, w)
}

// fitsIn reports whether a text fits into w cells.
func fitsIn(text string, w int) bool {
	return wideOf(text) <= w
}

// withoutHalfNumber removes the digits of a number that would be cut at the end of w cells, because they would
// read as another number.
func withoutHalfNumber(text string, w int) string {
	kept := w - 1 // without the cell of the ellipsis
	if fitsIn(text, w) || kept < 1 || kept >= len(text) || !isDigit(text[kept]) || !isDigit(text[kept-1]) {
		return text
	}
	if name := strings.TrimRight(text[:kept], "0123456789.-"); strings.HasSuffix(name, ": ") {
		return name + phrase.Ellipsis()
	}
	return text
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// putRequest writes the columns of a request up to its outcome.
func (p *Pane) putRequest(r *paint.Row, pal *paint.Palette, g *grid, e *exchange) {
	end := r.Used() + g.subject
	put := func(st paint.Style, text string) { r.PutIn(end-r.Used(), st, text) }
	if e.row.App {
		put(pal.Asked, "app ")
	}
	st := paint.If(e.row.Dir == transport.In, pal.Asked, paint.If(e.subject.Name == "", pal.Text, pal.Muted))
	switch method := e.method(); {
	case e.row.Kind == jsonrpc.Batch:
		put(pal.TextBold, "batch ")
	case method != "":
		put(st, method+" ")
	}
	if e.subject.Name != "" {
		put(pal.Value, cutName(e.subject.Name, end-r.Used()-1)+" ")
	}
	if e.equal > 0 {
		put(pal.TextBold, pal.Times+strconv.Itoa(e.equal))
	} else {
		p.found(r, pal.Muted, p.argumentsIn(e, end-r.Used()), end-r.Used())
	}
	r.To(end)
	sent, got := sizeOf(&e.row), paint.If(e.response != store.None, phrase.Size(int64(e.end.Size)), "")
	if e.row.Dir == transport.In {
		sent, got = got, sent
	}
	if g.up > 0 {
		r.Gap(1)
		r.CellRight(pal.Muted, sent, g.up)
		r.Gap(1)
		r.CellRight(pal.Muted, got, g.down)
	}
	if g.bar > 0 {
		r.Gap(1)
		to := r.Used() + g.bar
		putBar(r, pal, e, g.bar)
		r.To(to)
	}
	took := ""
	if e.took > 0 || e.response != store.None {
		took = g.duration(e.took)
	}
	r.Gap(1)
	r.CellRight(paint.If(e.live != nil, pal.Warn, pal.Muted), took, g.took)
	r.Gap(1)
}

// cutName cuts the start of a URI that does not fit in w cells, because URIs differ at their ends. It returns other names
// unchanged.
func cutName(name string, w int) string {
	if w < 8 || !strings.Contains(name, "://") || fitsIn(name, w) {
		return name
	}
	runes := []rune(display.Sanitize(name))
	if len(runes) <= w {
		return name
	}
	return phrase.Ellipsis() + string(runes[len(runes)-w+1:])
}

// inSight reads the visible part of n exchanges: as many as fit next to the lines of restarts, including the
// one at the cursor.
func (p *Pane) inSight(in *app.Canvas, cursor, n int) []exchange {
	pal := in.Pal
	list := make([]exchange, 0, max(p.height, 0))
	conn, rules := uint16(0), 0
	if p.top > 0 {
		above, _ := p.store.Row(p.row(p.top - 1))
		conn = above.Conn
	}
	for i := p.top; i < min(p.top+p.height, n); i++ {
		row, isRoot := p.exchanges.At(i)
		e := exchange{index: row, response: store.None, isPart: true}
		if isRoot {
			e = p.exchangeOf(pal, row)
			if equal := p.together(row); equal != nil {
				p.sumUp(pal, &e, equal)
			} else {
				p.sayMatch(pal, &e)
			}
			if conn != 0 && conn != e.row.Conn {
				e.restart = p.restartOf(e.row.Conn)
			}
			conn = e.row.Conn
		} else {
			p.partOf(pal, in.W, &e)
		}
		if set := p.store.MarkAt(row); set.Note != "" {
			e.notes = append(append(slices.Clip(e.notes), paint.Span{Text: " "}), userNote(pal, set.Note, in.W/4))
		}
		if list = append(list, e); e.restart != nil {
			rules++
		}
	}
	for ; len(list)+rules > p.height && len(list) > 1; list = list[:len(list)-1] {
		if cursor-p.top > len(list)/2 {
			if list[0].restart != nil {
				rules--
			}
			list, p.top = append(list[1:], exchange{}), p.top+1
		} else if list[len(list)-1].restart != nil {
			rules--
		}
	}
	return list
}

// putRule writes a restart as a line across the list.
func putRule(r *paint.Row, pal *paint.Palette, restart *session.Restarted, w int) {
	r.Put(pal.Faint, strings.Repeat(pal.Lines.Top, 2)+" ")
	putRestart(r, pal, restart, w-4)
	r.Gap(1)
	r.Put(pal.Faint, strings.Repeat(pal.Lines.Top, max(0, w-r.Used())))
}
