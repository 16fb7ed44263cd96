package traffic

import (
	"sort"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/lint"
	"mcptea/session/record/sequence"
	"mcptea/session/record/store"
	"mcptea/session/runs/pins"
	"mcptea/ui/paint"
)

// fold is the run of frames with which a connection begins, from the handshake to
// the last of the lists, or that of pins which ran at the same time. The pane shows one line for
// those of its first frames that it hides: of the first connection as many as have no room.
type fold struct {
	from, to int32 // rows, both inclusive
	until    int32 // the last row that is hidden; from when none is
	open     bool  // the user has opened it
	shut     bool  // the user has closed it
	done     bool  // no further row belongs to it
	conn     uint16
	least    int32 // number of frames from which they are folded
	text     string
	run      *pins.Run // nil unless the frames are those of pins
}

const (
	// leastFold is the number of frames from which they are folded; leastRestart is that
	// of a restart, whose line says more.
	leastFold    = 5
	leastRestart = 2
	// maxFold is the number of frames of a fold: its line looks at each of them.
	maxFold = 256
)

// connecting are the methods of the frames with which a client connects.
var connecting = map[string]bool{
	"initialize": true, "notifications/initialized": true, "server/discover": true,
	"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true, "skills/list": true, "events/list": true,
	"subscriptions/listen": true, "notifications/subscriptions/acknowledged": true, "logging/setLevel": true, "tasks/list": true,
}

// foldConnecting folds the beginning of the newest connection, as far as it has
// come.
func (p *Pane) foldConnecting() {
	if !p.ready || p.limit == 0 {
		return
	}
	last, _ := p.store.Row(int32(p.limit - 1))
	if p.foldConn != last.Conn {
		from := p.startOf(last.Conn)
		p.foldConn = last.Conn
		f := fold{from: from, to: from - 1, until: from, conn: last.Conn, least: leastFold}
		if p.restartOf(f.conn) != nil {
			f.least = leastRestart
		}
		p.folds = append(p.folds, f)
	}
	n := len(p.folds) - 1
	for n >= 0 && (p.folds[n].run != nil || p.folds[n].conn != p.foldConn) {
		n--
	}
	if n < 0 || p.folds[n].done {
		return
	}
	f := &p.folds[n]
	for int(f.to)+1 < p.limit && !f.done {
		row, ok := p.store.Row(f.to + 1)
		if f.done = !ok || !p.connects(f, f.to+1, &row); !f.done {
			f.to++
			f.text = ""
		}
	}
}

// startOf finds the first row of a connection.
func (p *Pane) startOf(conn uint16) int32 {
	return int32(sort.Search(p.limit, func(i int) bool {
		row, _ := p.store.Row(int32(i))
		return row.Conn >= conn
	}))
}

// connects reports whether a row goes on with the run. A list that is requested once more ends it.
func (p *Pane) connects(f *fold, i int32, row *store.Row) bool {
	if row.Kind == store.KindExchange {
		return true // authorization
	}
	method := p.store.Method(row.Method)
	if !row.IsFrame() || !connecting[method] || i-f.from >= maxFold {
		return false
	}
	if row.Kind != jsonrpc.Request || !strings.HasSuffix(method, "/list") {
		return true
	}
	for before := f.from; before < i; before++ {
		if r, _ := p.store.Row(before); r.Kind == jsonrpc.Request && r.Method == row.Method {
			head, _ := p.store.Head(i, maxCursor)
			_, further := jsonrpc.Start(head, "params", "cursor")
			return further
		}
	}
	return true
}

// maxCursor is how many bytes of a request are looked at for its cursor.
const maxCursor = 4 << 10

// closed reports whether a fold hides rows.
func (f *fold) closed() bool { return f.until > f.from }

// says reports whether the line of a fold says more than its frames: it is folded also where
// there is room for them.
func (p *Pane) says(f *fold) bool { return f.run != nil || p.restartOf(f.conn) != nil }

// fit folds what the user has closed, what the line of a fold says better, and from above as much of
// the others as has no room: nothing is folded while the pane has blank rows. What is in sight is not
// folded while the list does not follow.
func (p *Pane) fit() {
	over := p.limit - p.height
	for _, anyhow := range []bool{true, false} { // what is folded anyhow leaves room for the others
		for i := range p.folds {
			if f := &p.folds[i]; anyhow == (f.shut || p.says(f)) {
				f.hide(p.hidden(f, anyhow, over))
				over -= int(f.until - f.from)
			}
		}
	}
	p.toNewest()
}

// hidden is the last row that a fold hides while so many rows have no room.
func (p *Pane) hidden(f *fold, anyhow bool, over int) int32 {
	switch {
	case f.open || f.to-f.from+1 < f.least || int(f.to) >= p.limit:
		return f.from
	case anyhow:
		return f.to
	}
	until := min(f.from+int32(max(over, 0)), f.to)
	if !p.follow || p.paused {
		until = min(until, f.until)
	}
	return until
}

func (f *fold) hide(until int32) {
	if until != f.until {
		f.until, f.text = until, ""
	}
}

// folded is how many rows closed folds hide; none while a filter shows single
// frames.
func (p *Pane) folded() (hidden int) {
	for i := range p.folds {
		hidden += int(p.folds[i].until - p.folds[i].from)
	}
	return hidden
}

// rowAt is the row at a place of the list without a filter; a fold has that of
// its first one.
func (p *Pane) rowAt(i int) int32 {
	row := int32(i)
	for n := range p.folds {
		f := &p.folds[n]
		if row <= f.from {
			break
		}
		row += f.until - f.from
	}
	return row
}

// listIndex is the index of a row in the list without a filter.
func (p *Pane) listIndex(row int32) int {
	at := row
	for n := range p.folds {
		f := &p.folds[n]
		switch {
		case row <= f.from:
		case row <= f.until:
			at -= row - f.from
		default:
			at -= f.until - f.from
		}
	}
	return int(at)
}

// foldAt is the closed fold that is painted in place of a row.
func (p *Pane) foldAt(row int32) *fold {
	if p.scan.On() || p.byExchange {
		return nil
	}
	for i := range p.folds {
		if f := &p.folds[i]; f.from == row && f.closed() {
			return f
		}
	}
	return nil
}

// unfold opens the fold that hides a row.
func (p *Pane) unfold(row int32) {
	for i := range p.folds {
		if f := &p.folds[i]; f.closed() && row > f.from && row <= f.until {
			f.open, f.shut = true, false
		}
	}
	p.fit()
}

// foldOf is the fold that the selected row belongs to; nil without one.
func (p *Pane) foldOf(row int32) *fold {
	for i := range p.folds {
		f := &p.folds[i]
		if !p.byExchange && !p.scan.On() && row >= f.from && row <= f.to && f.to-f.from+1 >= f.least {
			return f
		}
	}
	return nil
}

// toggleFold opens or closes the fold of the selected row. It reports false without one.
func (p *Pane) toggleFold() bool {
	f := p.foldOf(p.Selected())
	if f == nil {
		return false
	}
	f.open = f.closed()
	f.shut = !f.open
	p.sel, p.follow = f.from, false
	p.fit()
	return true
}

// space is what the key that folds does on the selected row.
func (p *Pane) space() string {
	row := p.Selected()
	switch equal, closed := p.exchanges.Repeats(row); {
	case !p.byExchange || len(equal) == 0:
	case closed:
		return "unfold"
	case equal[0] == row && !p.isClosed(row):
		return "fold"
	}
	if r, ok := p.store.Row(p.store.Root(row)); ok && p.byExchange && isExchange(&r) {
		return paint.If(p.isClosed(row), "unfold", "fold")
	}
	switch f := p.foldOf(row); {
	case f == nil:
		return "mark"
	case f.closed() && row == f.from:
		return "unfold"
	}
	return "fold"
}

// foldText says what the frames of a fold were.
func (p *Pane) foldText(f *fold) string {
	if f.text != "" {
		return f.text
	}
	requests, order, counts, cut := 0, []string(nil), map[string]int{}, map[string]bool{}
	for i := f.from; i <= f.until; i++ {
		row, _ := p.store.Row(i)
		switch method := p.store.Method(row.Method); {
		case row.Kind == jsonrpc.Request:
			requests++
		case row.Kind == jsonrpc.Response && strings.HasSuffix(method, "/list"):
			noun, n, whole := sequence.Listed(p.store, i)
			if n == 0 {
				continue
			}
			if _, ok := counts[noun]; !ok {
				order = append(order, noun)
			}
			counts[noun] += n
			cut[noun] = cut[noun] || !whole
		}
	}
	text := phrase.Count(requests, "request")
	for _, noun := range order {
		some := phrase.Count(counts[noun], noun)
		if cut[noun] {
			some = "more than " + some
		}
		text += ", " + some
	}
	f.text = text
	return text
}

// worstIn is the gravest finding about a frame of a fold.
func (p *Pane) worstIn(f *fold) *lint.Finding {
	var worst *lint.Finding
	for i := f.from; i <= f.until; i++ {
		if one := lint.Worst(p.app.Source.FindingsAt(i)); one != nil && (worst == nil || one.Severity < worst.Severity) {
			worst = one
		}
	}
	return worst
}

// paintFold writes the line of a fold after its number.
func (p *Pane) paintFold(r *paint.Row, pal *paint.Palette, f *fold, c columns, w int) {
	from, _ := p.store.Row(f.from)
	to, _ := p.store.Row(f.until)
	if c.time > 0 {
		c.putClock(r, pal, from.Time, 0)
	}
	r.Gap(2)
	r.Gap(c.id)
	if f.run != nil {
		putPins(r, pal, f.run, w-c.right()-2)
		r.To(w - c.right() - 1)
		r.CellRight(pal.Muted, c.duration(f.run.Took), c.took)
		return
	}
	took, worst := c.duration(time.Duration(to.Time-from.Time)), p.worstIn(f)
	width := display.Width(took)
	end := w - c.size - width - 2
	if worst != nil {
		end = w - c.right() - 2 - display.Width(flaw(pal, worst))
	}
	if restart := p.restartOf(f.conn); restart != nil {
		putRestart(r, pal, restart, end)
	} else {
		r.Put(pal.OK, "connected")
	}
	room := end - 1 - r.Used()
	if worst != nil && room > leastCounts { // what is wrong is named before what is counted
		room = max(room-display.Width(worst.Rule.Slug)-3, leastCounts)
	}
	r.PutIn(room, pal.Muted, display.CutParts("  "+p.foldText(f), room))
	p.finding(r, pal, worst, w-c.right()-1)
	r.To(w - c.size - 1 - width)
	r.CellRight(pal.Muted, took, width)
}

// leastCounts is the room for the first of what a fold counts.
const leastCounts = 16

func (f *fold) number() string { return phrase.Range(int(f.from)+1, int(f.until)+1) }
