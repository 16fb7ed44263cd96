package textfield

import (
	"strings"
	"unicode/utf8"
)

// Buffer is a text with a cursor. The zero Buffer is empty, of one line. It is
// not safe for concurrent use.
type Buffer struct {
	Multi bool // enter starts a new line, and long lines are wrapped
	// Raw keeps every byte of the text: it need not be UTF-8. Bytes that are not
	// printable are painted as escapes and can be typed as such; see [Escape].
	Raw bool
	// Secret shows dots instead of the characters, in an [Input].
	Secret bool

	text    text
	at      int // the cursor: an offset between two clusters
	goal    int // the column, in cells, that moving up and down keeps
	version int
	top     int // offset of the first painted row; of the first cell in a text of one line
	w, h    int // size of the rows last painted
	painted []row

	undone, redone []state
	typed          int // the offset after the last typed character, plus one; 0 after other edits
}

// Value returns the text.
func (b *Buffer) Value() string { return b.text.value() }

// Size returns the length of the text in bytes.
func (b *Buffer) Size() int { return b.text.size }

// Snapshot returns a function that returns the current text. It may be called on another goroutine while the
// text is edited.
func (b *Buffer) Snapshot() func() string {
	t := b.text
	return func() string { return t.value() }
}

// Head returns the first n bytes of the text, or all of it if it is shorter.
func (b *Buffer) Head(n int) string {
	b.ready()
	return b.text.slice(0, min(n, b.text.size))
}

// Start returns the first line that is not blank, or its beginning when it is
// long.
func (b *Buffer) Start() string {
	b.ready()
	for p, ok := b.text.locate(0), true; ok; p, ok = b.text.next(p) {
		line := b.text.at(p)
		if start := strings.TrimSpace(line[:min(len(line), 1<<10)]); start != "" {
			return start
		}
	}
	return ""
}

// Empty reports whether there is no text.
func (b *Buffer) Empty() bool { return b.text.size == 0 }

// Version changes whenever the text does.
func (b *Buffer) Version() int { return b.version }

// SetValue replaces the text; the cursor goes to its end. It cannot be undone.
func (b *Buffer) SetValue(s string) {
	b.text, b.top, b.undone, b.redone, b.typed = text{}, 0, nil, nil, 0
	b.ready()
	if !b.Raw {
		s = Clean(s)
	}
	b.text.replace(0, 0, s)
	b.at = b.text.size
	b.version++
	b.keepGoal()
}

// ready makes the zero Buffer usable, and follows a change of Multi while it is
// empty.
func (b *Buffer) ready() {
	if b.text.size == 0 {
		b.text.lines = b.Multi
	}
	b.text.init()
}

// LineCount returns the number of lines.
func (b *Buffer) LineCount() int { return b.text.ends + 1 }

// Offset returns the position of the cursor in bytes.
func (b *Buffer) Offset() int { return b.at }

// SetOffset moves the cursor; it goes to the nearest place between two clusters.
func (b *Buffer) SetOffset(at int) {
	b.ready()
	at = min(max(at, 0), b.text.size)
	p := b.text.locate(at)
	s, i := b.text.at(p), 0
	for i < at-p.start {
		n, _ := b.step(s, i)
		i += n
	}
	b.at = p.start + i
	b.keepGoal()
}

// Insert inserts text at the cursor. Unless the buffer is Raw, control characters other than line ends and tabs
// are dropped, and invalid UTF-8 is replaced.
func (b *Buffer) Insert(s string) {
	if !b.Raw {
		s = Clean(s)
	}
	if s != "" {
		b.Replace(b.at, b.at, s)
	}
}

// Paste inserts pasted text. Terminals paste the end of a line as a carriage return,
// which becomes a line feed.
func (b *Buffer) Paste(s string) {
	b.Insert(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// Replace replaces the bytes between two offsets with a string and moves the cursor after it.
func (b *Buffer) Replace(from, to int, with string) {
	b.ready()
	b.remember()
	b.change(from, to, with)
}

func (b *Buffer) change(from, to int, with string) {
	b.text.replace(from, to, with)
	b.at = from + len(with)
	switch {
	case b.top > from && b.top >= to:
		b.top += len(with) - (to - from)
	case b.top > from:
		b.top = from
	}
	b.version++
	b.keepGoal()
}

// Clean removes characters from a text that no input may contain.
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

// delete removes the text between the cursor and another offset.
func (b *Buffer) delete(to int) {
	from := b.at
	if to < from {
		from, to = to, from
	}
	if from < to {
		b.Replace(from, to, "")
	}
}

// left1 and right1 return the offsets one cluster away. A line end is a cluster.
func (b *Buffer) left1() int {
	b.ready()
	p := b.text.locate(b.at)
	if b.at == p.start {
		before, ok := b.text.previous(p)
		if !ok {
			return b.at
		}
		p = before
	}
	s, to := b.text.at(p), b.at-p.start
	// Clusters can only be found from the start; a lone ASCII byte is one.
	if to >= 2 && !b.Raw && s[to-1] < utf8.RuneSelf && s[to-2] < utf8.RuneSelf {
		return b.at - 1
	}
	i := 0
	for {
		n, _ := b.step(s, i)
		if i+n >= to {
			return p.start + i
		}
		i += n
	}
}

func (b *Buffer) right1() int {
	b.ready()
	p := b.text.locate(b.at)
	s := b.text.at(p)
	if b.at-p.start >= len(s) {
		return b.at
	}
	n, _ := b.step(s, b.at-p.start)
	return b.at + n
}

// byteAt returns a byte of the text.
func (b *Buffer) byteAt(at int) byte {
	p := b.text.locate(at)
	return b.text.at(p)[at-p.start]
}

// maxWord bounds the search for the end of a word.
const maxWord = 4 << 10

func (b *Buffer) wordLeft() int {
	b.ready()
	least := max(b.at-maxWord, 0)
	s := b.text.slice(least, b.at)
	at := len(s)
	for at > 0 && !wordByte(s[at-1]) {
		at--
	}
	for at > 0 && wordByte(s[at-1]) {
		at--
	}
	return least + at
}

func (b *Buffer) wordRight() int {
	b.ready()
	s, at := b.text.slice(b.at, min(b.at+maxWord, b.text.size)), 0
	for at < len(s) && !wordByte(s[at]) {
		at++
	}
	for at < len(s) && wordByte(s[at]) {
		at++
	}
	return b.at + at
}

// wordByte reports whether a byte belongs to a word. All non-ASCII bytes count as letters, so that a word never
// ends inside a character.
func wordByte(c byte) bool {
	return c >= utf8.RuneSelf || c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// maxUndo is the number of changes that can be undone.
const maxUndo = 200

// state is a text and its cursor before a change. Texts share their blocks.
type state struct {
	text text
	at   int
}

// remember keeps the text before a change.
func (b *Buffer) remember() {
	b.undone = append(b.undone, state{b.text, b.at})
	if len(b.undone) > maxUndo {
		b.undone = b.undone[1:]
	}
	b.redone, b.typed = nil, 0
}

// typeText inserts a character at the cursor. Consecutively typed characters are one change.
func (b *Buffer) typeText(s string) {
	b.ready()
	if !b.Raw {
		s = Clean(s)
	}
	if b.typed == 0 || b.typed-1 != b.at {
		b.remember()
	}
	b.change(b.at, b.at, s)
	b.typed = b.at + 1
	if b.Raw {
		b.readTyped()
	}
}

// Undo undoes the last change, and reports whether there was one.
func (b *Buffer) Undo() bool { return b.restore(&b.undone, &b.redone) }

// Redo makes the change again that was undone last.
func (b *Buffer) Redo() bool { return b.restore(&b.redone, &b.undone) }

func (b *Buffer) restore(from, to *[]state) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	s := (*from)[n-1]
	*from = (*from)[:n-1]
	*to = append(*to, state{b.text, b.at})
	b.text, b.at, b.typed = s.text, s.at, 0
	b.top = min(b.top, b.text.size)
	b.version++
	b.keepGoal()
	return true
}
