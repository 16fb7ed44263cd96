package traffic

import (
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
	"mcptea/ui/paint"
	"mcptea/ui/verdict"
)

// columns are the widths of a row's cells; 0 leaves a column out.
type columns struct {
	seq, time, id, took, size, notes int
}

// columnsFor fits the columns into a width, for so many rows.
func columnsFor(w, rows int) columns {
	c := columnsOf(w)
	c.seq = max(c.seq, len(strconv.Itoa(rows))+2)
	return c
}

func columnsOf(w int) columns {
	switch {
	case w >= 100:
		return columns{seq: 7, time: 13, id: 7, took: 9, size: 9, notes: 18}
	case w >= 88: // beside the detail on a screen of 160
		return columns{seq: 6, time: 13, id: 6, took: 9, notes: 17}
	case w >= 72:
		return columns{seq: 6, id: 6, took: 9, notes: 17}
	case w >= 44:
		return columns{seq: 6, id: 5, took: 8, notes: 8}
	}
	return columns{seq: 5, took: 7}
}

func (c columns) right() int { return c.took + c.size + c.notes }

// Title is what stands in the upper border: the filter, and how many frames.
func (p *Pane) Title(pal *paint.Palette) (title, note []paint.Span) {
	title = []paint.Span{{Style: pal.TextBold, Text: "Traffic"}}
	switch {
	case p.typing || p.wrong != nil:
		st := pal.OK
		if p.wrong != nil {
			st = pal.Error
		}
		title = append(title, paint.Span{Style: pal.Accent, Text: "  / "}, paint.Span{Style: st, Text: paint.Sanitize(p.input.Value())})
		if p.typing {
			title = append(title, paint.Span{Style: pal.Cursor, Text: " "})
		}
		if p.wrong != nil {
			title = append(title, paint.Span{Style: pal.Error, Text: "  " + paint.Sanitize(p.wrong.Error())})
		}
	case p.applied != "":
		title = append(title, paint.Span{Style: pal.Accent, Text: "  / "}, paint.Span{Style: pal.Text, Text: paint.Sanitize(p.applied)})
	}
	count := paint.HumanCount(p.snap.Rows)
	if p.applied != "" {
		count = paint.HumanCount(len(p.shown)) + " of " + count
		if int(p.scanned) < p.limit {
			count = paint.Spinner(pal, p.spin) + " " + count
		}
	}
	note = []paint.Span{{Style: pal.Muted, Text: count + "  "}}
	switch {
	case p.seek.step != 0:
		note = append(note, paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, p.spin) + " next error  "})
	case p.seek.missed:
		note = append(note, paint.Span{Style: pal.Muted, Text: noMoreErrors + "  "})
	}
	switch {
	case p.paused:
		text := pal.Pause + " paused"
		if n := p.snap.Rows - p.limit; n > 0 {
			text += "  " + paint.HumanCount(n) + " new"
		}
		note = append(note, paint.Span{Style: pal.Warn, Text: text})
	case p.follow:
		note = append(note, paint.Span{Style: pal.OK, Text: pal.Follow + " follow"})
	default:
		note = append(note, paint.Span{Style: pal.Muted, Text: "f follows"})
	}
	return title, note
}

// Rows paints the list: exactly h rows of w cells.
func (p *Pane) Rows(pal *paint.Palette, w, h int, focused bool) []string {
	rows := make([]string, 0, h)
	var r paint.Row
	cols := columnsFor(w, p.snap.Rows)
	if h > 7 && w >= 50 {
		rows = append(rows, heading(&r, pal, cols, w))
	}
	p.heading = len(rows)
	p.height = h - p.heading
	p.scroll()
	for i := p.top; len(rows) < h; i++ {
		if i >= p.Len() {
			rows = append(rows, p.empty(&r, pal, w, i))
			continue
		}
		rows = append(rows, p.paint(&r, pal, cols, w, i, focused))
	}
	return rows
}

// scroll moves the window so that the cursor shows.
func (p *Pane) scroll() {
	p.top = min(p.top, p.cursor)
	p.top = max(p.top, p.cursor-p.height+1)
	p.top = max(0, min(p.top, p.Len()-p.height))
}

func (p *Pane) empty(r *paint.Row, pal *paint.Palette, w, i int) string {
	r.Start(w, paint.Style{})
	if i == 0 {
		r.Gap(2)
		if p.applied != "" {
			r.Put(pal.Muted, "no frame passes the filter; esc shows all of them")
		} else {
			r.Put(pal.Muted, "nothing has crossed the wire yet")
		}
	}
	return r.String()
}

func heading(r *paint.Row, pal *paint.Palette, c columns, w int) string {
	r.Start(w, paint.Style{})
	r.CellRight(pal.Muted, "#", c.seq)
	r.Gap(2)
	if c.time > 0 {
		r.Cell(pal.Muted, "time", c.time)
	}
	r.Cell(pal.Muted, pal.ArrowBoth, 2)
	r.Cell(pal.Muted, "id", c.id)
	r.Put(pal.Muted, "what")
	r.To(w - c.right() - 1)
	r.CellRight(pal.Muted, "took", c.took)
	r.CellRight(pal.Muted, "size", c.size)
	if c.notes > 0 {
		r.Gap(2)
		r.Put(pal.Muted, "notes")
	}
	return r.String()
}

func (p *Pane) paint(r *paint.Row, pal *paint.Palette, c columns, w, i int, focused bool) string {
	index := p.row(i)
	row, _ := p.store.Row(index)
	base, mark := paint.Style{}, " "
	if i == p.cursor {
		base = pal.Selected
		if focused {
			mark = pal.Bar
		}
	}
	s := p.summary(index, &row)
	r.Start(w, base)
	r.Put(pal.Accent, mark)
	r.CellRight(pal.Muted, strconv.Itoa(int(index)+1), c.seq-1)
	r.Gap(2)
	if c.time > 0 {
		r.Cell(pal.Muted, paint.HumanClock(time.Unix(0, row.Time)), c.time)
	}
	arrow(r, pal, &row)
	idStyle := pal.Muted
	if fromServer(&row) {
		idStyle = pal.Asked
	}
	r.ForeignCell(idStyle, s.id, c.id-1)
	r.Gap(1)
	body := r.Left() - c.right() - 2
	p.what(r, pal, &row, s, body)
	r.To(w - c.right() - 1)
	p.took(r, pal, &row, c.took)
	if c.size > 0 {
		r.CellRight(pal.Muted, sizeOf(&row), c.size)
	}
	if c.notes > 0 {
		r.Gap(2)
		p.notes(r, pal, index, &row, c.notes-2)
	}
	return r.String()
}

func sizeOf(row *store.Row) string {
	if !row.IsFrame() {
		return ""
	}
	return paint.HumanSize(int64(row.Size))
}

// fromServer reports whether a row belongs to a request that the server made.
func fromServer(row *store.Row) bool {
	return row.Kind == jsonrpc.Request && row.Dir == transport.In || row.Kind.IsAnswer() && row.Dir == transport.Out
}

func arrow(r *paint.Row, pal *paint.Palette, row *store.Row) {
	switch {
	case row.Dir == transport.Out:
		r.Put(pal.Out, pal.ArrowOut)
	case row.Kind == jsonrpc.Invalid && !row.IsEvent():
		r.Put(pal.Error, pal.ArrowIn)
	case row.Kind == jsonrpc.Request:
		r.Put(pal.Asked, pal.ArrowIn)
	case row.Kind.IsAnswer():
		r.Put(pal.In, pal.ArrowIn)
	default:
		r.Put(pal.Muted, pal.ArrowIn)
	}
	r.Gap(1)
}

// took shows how long the answer took, or how long it has been waited for.
func (p *Pane) took(r *paint.Row, pal *paint.Palette, row *store.Row, w int) {
	switch {
	case row.Flags&(store.Pending|store.Acknowledged) == store.Pending|store.Acknowledged:
		r.CellRight(pal.OK, "open", w)
	case row.Flags&store.Pending != 0:
		waited := p.now.Sub(time.Unix(0, row.Time))
		r.CellRight(pal.Warn, paint.Spinner(pal, p.spin)+" "+paint.HumanDuration(max(0, waited)), w)
	case row.Flags&store.Abandoned != 0:
		r.CellRight(pal.Error, pal.FailMark, w)
	case row.Flags&store.Cancelled != 0 && row.Pair == store.None:
		r.CellRight(pal.Warn, "cancelled", w)
	case row.Pair != store.None && row.Kind != jsonrpc.Request:
		request, ok := p.store.Row(row.Pair)
		if !ok || request.Time > row.Time {
			r.Gap(w)
			return
		}
		r.CellRight(pal.Muted, paint.HumanDuration(time.Duration(row.Time-request.Time)), w)
	default:
		r.Gap(w)
	}
}

// notes writes what is wrong with a row: the worst finding of the rules, and the
// mark of the store or else what the rule is called.
func (p *Pane) notes(r *paint.Row, pal *paint.Palette, index int32, row *store.Row, w int) {
	text, st := mark(pal, row)
	worst := verdict.Worst(p.judge.FindingsAt(index))
	if worst == nil {
		r.Put(st, text)
		return
	}
	st = verdict.Style(pal, worst.Rule.Severity)
	r.Put(st, worst.Rule.ID)
	if text == "" || text == malformed {
		text = worst.Rule.Slug
	}
	if room := w - len(worst.Rule.ID) - 1; room >= 8 {
		r.Put(st, " "+pal.Cut(text, room))
	}
}

const malformed = "malformed"

// mark is that of the store, the gravest one.
func mark(pal *paint.Palette, row *store.Row) (string, paint.Style) {
	for _, m := range marks {
		if row.Flags&m.flag != 0 {
			if m.grave {
				return m.text, pal.Error
			}
			return m.text, pal.Warn
		}
	}
	if texts := row.Flaws.Texts(); len(texts) > 0 {
		return malformed, pal.Warn
	}
	return "", pal.Muted
}

var marks = []struct {
	flag  store.Flags
	text  string
	grave bool
}{
	{store.UnknownID, "unknown id", true},
	{store.DuplicateResponse, "2nd answer", true},
	{store.NoID, "no id", true},
	{store.DuplicateID, "id reused", true},
	{store.Late, "late", false},
	{store.Torn, "cut off", true},
	{store.Abandoned, "no answer", true},
	{store.OddEnding, "CRLF", false},
}
