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
// the last of the lists, or that of pins which ran at the same time. While it is closed the pane shows one line for it.
type fold struct {
	from, to int32 // rows, both inclusive
	open     bool
	done     bool // no further row belongs to it
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
	// foldGap ends the run: frames that come later than this after the one before
	// are not part of connecting.
	foldGap = 500 * time.Millisecond
)

// connecting are the methods of the frames with which a client connects.
var connecting = map[string]bool{
	"initialize": true, "notifications/initialized": true, "server/discover": true, "ping": true,
	"tools/list": true, "resources/list": true, "resources/templates/list": true, "prompts/list": true, "skills/list": true,
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
		f := fold{from: from, to: from - 1, conn: last.Conn, least: leastFold}
		if p.restartOf(&f) != nil {
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
		if f.done = !ok || !p.connects(f, &row); !f.done {
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

// connects reports whether a row goes on with the run.
func (p *Pane) connects(f *fold, row *store.Row) bool {
	if row.Kind == store.KindExchange {
		return true // authorization
	}
	if !row.IsFrame() || !connecting[p.store.Method(row.Method)] {
		return false
	}
	before, ok := p.store.Row(f.to)
	return f.to < f.from || !ok || row.Time-before.Time < int64(foldGap)
}

// closed reports whether a fold hides rows.
func (f *fold) closed(limit int) bool {
	return !f.open && f.to-f.from+1 >= f.least && int(f.to) < limit
}

// folded is how many rows closed folds hide; none while a filter shows single
// frames.
func (p *Pane) folded() (hidden int) {
	for i := range p.folds {
		if f := &p.folds[i]; f.closed(p.limit) {
			hidden += int(f.to - f.from)
		}
	}
	return hidden
}

// rowAt is the row at a place of the list without a filter; a fold has that of
// its first one.
func (p *Pane) rowAt(i int) int32 {
	row := int32(i)
	for n := range p.folds {
		f := &p.folds[n]
		if !f.closed(p.limit) {
			continue
		}
		if row <= f.from {
			break
		}
		row += f.to - f.from
	}
	return row
}

// listIndex is the index of a row in the list without a filter.
func (p *Pane) listIndex(row int32) int {
	at := row
	for n := range p.folds {
		f := &p.folds[n]
		switch {
		case !f.closed(p.limit) || row <= f.from:
		case row <= f.to:
			at -= row - f.from
		default:
			at -= f.to - f.from
		}
	}
	return int(at)
}

// foldAt is the closed fold that is painted in place of a row.
func (p *Pane) foldAt(row int32) *fold {
	if p.scan.On() {
		return nil
	}
	for i := range p.folds {
		if f := &p.folds[i]; f.from == row && f.closed(p.limit) {
			return f
		}
	}
	return nil
}

// unfold opens the fold that hides a row.
func (p *Pane) unfold(row int32) {
	for i := range p.folds {
		if f := &p.folds[i]; f.closed(p.limit) && row >= f.from && row <= f.to {
			f.open = true
		}
	}
}

// toggleFold opens or closes the fold of the selected row. It reports false without one.
func (p *Pane) toggleFold() bool {
	row := p.Selected()
	for i := range p.folds {
		f := &p.folds[i]
		if !p.scan.On() && row >= f.from && row <= f.to && f.to-f.from+1 >= f.least {
			f.open = !f.open
			p.sel, p.follow = f.from, false
			return true
		}
	}
	return false
}

// foldText says what the frames of a fold were.
func (p *Pane) foldText(f *fold) string {
	if f.text != "" {
		return f.text
	}
	requests, order, counts, cut := 0, []string(nil), map[string]int{}, map[string]bool{}
	for i := f.from; i <= f.to; i++ {
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
	for i := f.from; i <= f.to; i++ {
		if one := lint.Worst(p.app.Source.FindingsAt(i)); one != nil && (worst == nil || one.Severity < worst.Severity) {
			worst = one
		}
	}
	return worst
}

// paintFold writes the line of a fold after its number.
func (p *Pane) paintFold(r *paint.Row, pal *paint.Palette, f *fold, c columns, w int) {
	from, _ := p.store.Row(f.from)
	to, _ := p.store.Row(f.to)
	if c.time > 0 {
		r.Cell(pal.Muted, c.clock(from.Time, 0), c.time)
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
	if restart := p.restartOf(f); restart != nil {
		putRestart(r, pal, restart, end)
	} else {
		r.Put(pal.OK, "connected")
	}
	room := end - 1 - r.Used()
	foreign(r, pal.Muted, display.CutParts("  "+p.foldText(f), room), room)
	p.finding(r, pal, worst, w-c.right()-1)
	r.To(w - c.size - 1 - width)
	r.CellRight(pal.Muted, took, width)
}

func (f *fold) number() string { return phrase.Range(int(f.from)+1, int(f.to)+1) }
