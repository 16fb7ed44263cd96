package sequence

import (
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// line is a line of the diagram: a row, several rows of progress, or a time without events.
type line struct {
	row, last int32         // store.None for a line of time
	count     int           // rows of progress that are folded; 0 for a row
	pause     time.Duration // 0 for a blank line
}

func (l *line) isTime() bool { return l.row == store.None }

// has reports whether a line shows a row.
func (l *line) has(row int32) bool { return !l.isTime() && row >= l.row && row <= l.last }

const (
	// minPause is the pause after which an exchange is set apart. minGap is the pause whose length
	// is also written there.
	minPause = 250 * time.Millisecond
	minGap   = 2 * time.Second
	// minFold is the number of consecutive rows of progress that are folded. maxFold bounds the rows of a line,
	// because they are examined to find its ends.
	minFold, maxFold = 4, 256
)

// fold returns the first and the last entry of the line that contains an entry.
func (p *Pane) fold(i int) (from, to int) {
	if p.unfolded || p.only || !p.isProgress(i) {
		return i, i
	}
	first := i - i%maxFold
	last := min(first+maxFold, p.count()) - 1
	from, to = i, i
	for from > first && p.isProgress(from-1) {
		from--
	}
	for to < last && p.isProgress(to+1) {
		to++
	}
	if to-from+1 < minFold {
		return i, i
	}
	return from, to
}

func (p *Pane) isProgress(i int) bool {
	r, _ := p.store.Row(p.entry(i))
	return r.Kind == jsonrpc.Notification && p.store.Method(r.Method) == "notifications/progress"
}

// lineAt returns the line that contains an entry, and the entry after it.
func (p *Pane) lineAt(i int) (l line, next int) {
	from, to := p.fold(i)
	l = line{row: p.entry(from), last: p.entry(to)}
	if to > from {
		l.count = to - from + 1
	}
	return l, to + 1
}

// before adds the line of the time before an entry, if it has one.
func (p *Pane) before(lines []line, i int) []line {
	if i == 0 {
		return lines
	}
	r, _ := p.store.Row(p.entry(i))
	last, _ := p.store.Row(p.entry(i - 1))
	switch pause := time.Duration(r.Time - last.Time); {
	case pause >= minGap:
		return append(lines, line{row: store.None, last: store.None, pause: pause})
	case pause >= minPause && r.Kind == jsonrpc.Request && r.Dir == transport.Out:
		return append(lines, line{row: store.None, last: store.None})
	}
	return lines
}

// linesFrom returns the lines starting at an entry.
func (p *Pane) linesFrom(from, most int) []line {
	lines := make([]line, 0, most+1)
	for i := max(0, from); i < p.count() && len(lines) < most; {
		if i > from {
			lines = p.before(lines, i)
		}
		l, next := p.lineAt(i)
		lines = append(lines, l)
		i = next
	}
	return lines[:min(len(lines), most)]
}

// upTo returns the first entry whose lines, up to the given entry, fill a number of rows.
func (p *Pane) upTo(i, rows int) int {
	for rows > 0 && i > 0 {
		rows -= 1 + len(p.before(nil, i))
		i, _ = p.fold(i - 1)
	}
	return i
}

// arrange chooses the visible lines. The selected exchange is among them, starting with its first
// row.
func (p *Pane) arrange(h int) {
	if p.only {
		p.top = 0
		p.lines = p.linesFrom(0, h)
		return
	}
	lead, _ := p.fold(p.indexOf(p.lead))
	if p.top = min(p.top, p.count()-1); p.top > 0 {
		p.top, _ = p.fold(p.top)
	}
	if p.lines = p.linesFrom(p.top, h); lead < p.top || !p.showsExchange() {
		p.top = p.upTo(lead, h/4)
		p.lines = p.linesFrom(p.top, h)
		if !p.showsExchange() {
			p.top = lead
			p.lines = p.linesFrom(p.top, h)
		}
	}
	if p.top > 0 && len(p.lines) < h { // no empty lines below while there are rows above
		p.top = p.upTo(p.top, h-len(p.lines))
		p.lines = p.linesFrom(p.top, h)
	}
}

// showsExchange reports whether the selected exchange is visible, up to its last shown row.
func (p *Pane) showsExchange() bool {
	in := func(row int32) bool {
		return slices.ContainsFunc(p.lines, func(l line) bool { return l.has(row) })
	}
	if !p.scan.On() {
		return len(p.exchange) == 0 || in(p.lead) && in(p.exchange[len(p.exchange)-1])
	}
	return !slices.ContainsFunc(p.exchange, func(row int32) bool {
		_, passes := slices.BinarySearch(p.scan.Passed, row)
		return passes && !in(row)
	})
}

// isFolded reports whether the visible lines hide rows.
func (p *Pane) isFolded() bool {
	return slices.ContainsFunc(p.lines, func(l line) bool { return l.count > 0 })
}

func (p *Pane) nothingFolds() string {
	if p.unfolded || p.isFolded() {
		return ""
	}
	return "There is no folded progress here."
}

// press selects the exchange at a line; on the selected one it shows the frame.
func (p *Pane) press(n int) {
	if n >= len(p.lines) || p.lines[n].isTime() {
		return
	}
	row, before := p.lines[n].row, p.lead
	if p.Select(row); p.lead == before {
		p.app.Whole(row)
	}
}
