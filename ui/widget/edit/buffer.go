package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mcptea/ui/paint"
)

// Buffer is a text with a cursor. The zero Buffer is empty, of one line. It is
// not safe for concurrent use.
type Buffer struct {
	Multi bool // enter starts a new line

	lines   []string // at least one once used; without Multi exactly one, which may hold line ends
	row     int
	col     int // in bytes, between clusters
	goal    int // the column, in cells, that moving up and down keeps
	version int
	size    int           // bytes of the text
	left    int           // cells scrolled off at the left
	top     int           // lines scrolled off at the top
	rulers  map[int]ruler // of long lines
}

func (b *Buffer) line() string {
	if len(b.lines) == 0 {
		b.lines = []string{""}
	}
	return b.lines[b.row]
}

// Value gives the text.
func (b *Buffer) Value() string { return strings.Join(b.lines, "\n") }

// Size is the length of the text in bytes.
func (b *Buffer) Size() int { return b.size }

// Snapshot returns a function that gives the text as it is now. That function
// may be called by another goroutine, while the text is being edited.
func (b *Buffer) Snapshot() func() string {
	lines := slices.Clone(b.lines)
	return func() string { return strings.Join(lines, "\n") }
}

// Start gives the first line that is not blank, or its beginning when it is
// long.
func (b *Buffer) Start() string {
	for _, line := range b.lines {
		if start := strings.TrimSpace(line[:min(len(line), 1<<10)]); start != "" {
			return start
		}
	}
	return ""
}

// Blank tells whether there is nothing but white space.
func (b *Buffer) Blank() bool {
	return !slices.ContainsFunc(b.lines, func(line string) bool { return strings.TrimSpace(line) != "" })
}

// Empty tells whether there is no text.
func (b *Buffer) Empty() bool { return len(b.lines) == 0 || len(b.lines) == 1 && b.lines[0] == "" }

// Version changes whenever the text does.
func (b *Buffer) Version() int { return b.version }

// SetValue replaces the text; the cursor goes to its end.
func (b *Buffer) SetValue(s string) {
	b.lines, b.row, b.col, b.left, b.top, b.size, b.rulers = nil, 0, 0, 0, 0, 0, nil
	b.Insert(s)
	b.version++
}

// LineCount is the number of lines; Line gives one of them.
func (b *Buffer) LineCount() int { return max(len(b.lines), 1) }

// Line gives line i.
func (b *Buffer) Line(i int) string {
	if i < 0 || i >= len(b.lines) {
		return ""
	}
	return b.lines[i]
}

// Position is the line of the cursor and its place there, in bytes.
func (b *Buffer) Position() (row, col int) { return b.row, b.col }

// SetPosition moves the cursor; it goes to the nearest place there is.
func (b *Buffer) SetPosition(row, col int) {
	b.row = min(max(row, 0), b.LineCount()-1)
	line := b.line()
	at := b.find(b.row, func(m mark) bool { return m.at <= col }).at
	if at < col && at < len(line) {
		at += paint.NextCluster(line[at:]) // col was inside of a cluster
	}
	b.col = at
	b.keepGoal()
}

// Before gives the cursor's line up to the cursor.
func (b *Buffer) Before() string { return b.line()[:b.col] }

// Insert writes text at the cursor. Controls other than line ends and tabs are
// dropped, and what is not UTF-8 is replaced.
func (b *Buffer) Insert(s string) {
	s = Clean(s)
	if s == "" {
		return
	}
	line := b.line()
	head, tail := line[:b.col], line[b.col:]
	parts := []string{s}
	if b.Multi {
		parts = strings.Split(s, "\n")
	}
	last := len(parts) - 1
	b.touched(b.row, b.col, last > 0)
	b.size += len(s)
	b.col = len(parts[last])
	if last == 0 {
		b.col += len(head)
	}
	if last == 0 {
		parts[0] = head + s + tail // one copy of what may be a long line
	} else {
		parts[0] = head + parts[0]
		parts[last] += tail
	}
	b.splice(b.row, b.row+1, parts)
	b.row += last
	b.changed()
}

// Clean drops from text what no input should hold.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

func (b *Buffer) splice(from, to int, parts []string) {
	if to-from == len(parts) {
		copy(b.lines[from:to], parts)
		return
	}
	out := make([]string, 0, len(b.lines)-(to-from)+len(parts))
	out = append(out, b.lines[:from]...)
	out = append(out, parts...)
	b.lines = append(out, b.lines[to:]...)
}

func (b *Buffer) changed() {
	b.version++
	b.keepGoal()
}

func (b *Buffer) keepGoal() { b.goal = b.column() }

// column is the cursor's place in cells.
func (b *Buffer) column() int {
	b.line()
	return b.cellsBefore(b.row, b.col)
}

// shown is how a piece of a line looks.
func shown(s string) string { return paint.Sanitize(s) }

// delete removes from the cursor to another place in the line.
func (b *Buffer) delete(to int) {
	from := b.col
	if to < from {
		from, to = to, from
	}
	line := b.line()
	b.touched(b.row, from, false)
	b.lines[b.row] = line[:from] + line[to:]
	b.size -= to - from
	b.col = from
	b.changed()
}

// join appends the line after row to it.
func (b *Buffer) join(row int) {
	if row < 0 || row+1 >= len(b.lines) {
		return
	}
	b.row, b.col = row, len(b.lines[row])
	b.touched(row, b.col, true)
	b.size -= len("\n")
	b.splice(row, row+2, []string{b.lines[row] + b.lines[row+1]})
	b.changed()
}

// left1 and right1 give the place one cluster away in the line.
func (b *Buffer) left1() int {
	line := b.line()
	// Clusters can only be found from the start; a lone ASCII byte is one.
	if b.col >= 2 && line[b.col-1] < utf8.RuneSelf && line[b.col-2] < utf8.RuneSelf {
		return b.col - 1
	}
	return b.clusterStart(b.row, b.col)
}

func (b *Buffer) right1() int {
	return min(b.col+paint.NextCluster(b.line()[b.col:]), len(b.line()))
}

func (b *Buffer) wordLeft() int {
	line, at := b.line(), b.col
	for at > 0 && !wordByte(line[at-1]) {
		at--
	}
	for at > 0 && wordByte(line[at-1]) {
		at--
	}
	return at
}

func (b *Buffer) wordRight() int {
	line, at := b.line(), b.col
	for at < len(line) && !wordByte(line[at]) {
		at++
	}
	for at < len(line) && wordByte(line[at]) {
		at++
	}
	return at
}

// wordByte takes every byte beyond ASCII for a letter, so a word never ends
// inside a character.
func wordByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// vertical moves by n lines, towards the column that was kept.
func (b *Buffer) vertical(n int) bool {
	row := min(max(b.row+n, 0), b.LineCount()-1)
	if row == b.row {
		return false
	}
	b.row = row
	b.col = b.colAt(row, b.goal)
	return true
}
