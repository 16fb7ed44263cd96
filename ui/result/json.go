package result

import (
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/offer/content"
	"mcptea/ui/paint"
)

// maxLaidOut is the size, in bytes, above which the lines of JSON are laid out only when visible. As text they
// take more than twice the memory of the JSON.
const maxLaidOut = 1 << 20

// newJSON returns a block that shows JSON on separate lines, spelled as sent.
func newJSON(raw []byte) block {
	if len(raw) > maxLaidOut {
		if l, ok := jsonrpc.NewLayout(raw); ok && l.Longest() <= longest {
			return &largeJSON{laidOut: laidOut{layout: l, group: -1}, raw: raw}
		}
	}
	if laidOut, ok := jsonrpc.Indent(raw); ok {
		return jsonText{newText(laidOut)}
	}
	return newText(string(raw))
}

// jsonText is JSON on separate lines, as json.Indent writes it.
type jsonText struct{ *text }

func (t jsonText) paint(p *paper, i int) []string { return paintJSON(p, t.line(i)) }

// laidOut holds lines. Only those requested last are in memory.
type laidOut struct {
	layout interface {
		Lines() int
		Group(n int) []string // [jsonrpc.GroupSize] lines
	}
	group int // index of the group in memory, or -1
	texts []string
}

func (l *laidOut) lines() int { return l.layout.Lines() }

func (l *laidOut) line(i int) string {
	if group := i / jsonrpc.GroupSize; group != l.group {
		l.group, l.texts = group, l.layout.Group(group)
	}
	return l.texts[i%jsonrpc.GroupSize]
}

// largeJSON is jsonText that is long.
type largeJSON struct {
	laidOut
	raw []byte
}

func (l *largeJSON) whole() string {
	text, _ := jsonrpc.Indent(l.raw)
	return text
}

func (l *largeJSON) paint(p *paper, i int) []string { return paintJSON(p, l.line(i)) }

// longText is text that is long.
type longText struct {
	laidOut
	text content.Text
}

func (t *longText) whole() string     { return t.text.String() }
func (t *longText) line(i int) string { return strings.TrimSuffix(t.laidOut.line(i), "\r") }

func (t *longText) paint(p *paper, i int) []string {
	return p.wrapped(paint.If(t.text.Failed, p.pal.Warn, p.pal.Text), t.line(i), 0)
}

// paintJSON paints one line of JSON.
func paintJSON(p *paper, line string) []string {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	if n := display.Width(display.Sanitize(line)); p.cut {
		return p.wide(n, func(r *paint.Row) { p.js.Put(r, line) })
	} else if n <= p.w {
		p.r.Start(p.w, paint.Style{})
		p.js.Put(p.r, line)
		return []string{p.r.String()}
	}
	// Nearly all tokens that are too long are strings, so continue in the style of a string.
	left := min(indent+2, p.w/2)
	first, rest := splitAt(line, p.w)
	p.r.Start(p.w, paint.Style{})
	p.js.Put(p.r, first)
	return append([]string{p.r.String()}, p.wrapped(p.js.String, rest, left)...)
}
