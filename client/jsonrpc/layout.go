package jsonrpc

import (
	"math"
	"strings"
)

// GroupSize is the number of lines of a [Layout] that are laid out at a time.
const GroupSize = 64

// A Layout is the text that [Indent] returns. Only the requested lines are in memory.
type Layout struct {
	raw     []byte
	step    string      // indentation of a level
	deepest int         // maximum depth to which lines are indented
	groups  []lineStart // first lines of the groups
	lines   int
	size    int // size of the text, in bytes
	longest int // size of its longest line, in bytes
}

// A lineStart is the start of a line: its first token, and its depth.
type lineStart struct{ at, depth int32 }

// NewLayout splits JSON into indented lines. It returns false for invalid JSON.
func NewLayout(raw []byte) (*Layout, bool) { return newLayout(raw, step) }

func newLayout(raw []byte, step string) (*Layout, bool) {
	if len(raw) > math.MaxInt32 || !isJSON(raw) {
		return nil, false
	}
	l := &Layout{raw: raw, step: step, groups: make([]lineStart, 1), lines: 1}
	var lines []int // line numbers by depth
	length := 0
	layOut(raw, l.groups[0], func(token []byte) {
		l.size += len(token)
		length += len(token)
		l.longest = max(l.longest, length)
	}, func(next lineStart) bool {
		if l.lines%GroupSize == 0 {
			l.groups = append(l.groups, next)
		}
		for len(lines) <= int(next.depth) {
			lines = append(lines, 0)
		}
		lines[next.depth]++
		l.lines++
		l.size++
		length = len(step) * min(int(next.depth), maxIndent)
		return true
	})
	deepest, blanks := deepestIndent(lines, len(step), maxBlanks*len(raw)+moreBlanks)
	l.deepest, l.size = deepest, l.size+blanks
	return l, true
}

// Lines returns the number of lines.
func (l *Layout) Lines() int { return l.lines }

// Longest returns the number of bytes a line has at most.
func (l *Layout) Longest() int { return l.longest }

// Group returns the lines of a group: [GroupSize] of them, except for the last one.
func (l *Layout) Group(n int) []string {
	var text strings.Builder
	left := GroupSize
	l.writeFrom(&text, l.groups[n], func() bool {
		left--
		return left > 0
	})
	return strings.Split(text.String(), "\n")
}

func (l *Layout) write(out writer) {
	l.writeFrom(out, l.groups[0], func() bool { return true })
}

// writeFrom writes lines from a given one, as long as more returns true.
func (l *Layout) writeFrom(out writer, from lineStart, more func() bool) {
	indent := func(depth int32) {
		for range min(int(depth), l.deepest) {
			_, _ = out.WriteString(l.step)
		}
	}
	indent(from.depth)
	layOut(l.raw, from, func(token []byte) { _, _ = out.Write(token) }, func(next lineStart) bool {
		if !more() {
			return false
		}
		_ = out.WriteByte('\n')
		indent(next.depth)
		return true
	})
}
