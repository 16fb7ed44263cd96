package result

import (
	"strings"
	"unicode/utf8"

	"mcptea/internal/words/display"
	"mcptea/ui/paint"
)

// A block is a piece of a response: lines that are painted one by one, each in as many rows as it needs.
type block interface {
	lines() int
	paint(p *paper, line int) []string
	whole() string     // text to copy
	line(i int) string // text of one line, which is searched
}

// gap is an empty row.
type gap struct{}

func (gap) lines() int                 { return 1 }
func (gap) paint(*paper, int) []string { return nil }
func (gap) whole() string              { return "" }
func (gap) line(int) string            { return "" }

// note is a sentence of this program about the answer.
type note struct {
	what string
	warn bool
}

func (note) lines() int        { return 1 }
func (n note) whole() string   { return n.what }
func (n note) line(int) string { return n.what }

func (n note) paint(p *paper, _ int) []string {
	if n.warn {
		return p.wrapped(p.pal.Warn, p.pal.WarnMark+" "+n.what, 0)
	}
	return p.wrapped(p.pal.Muted, n.what, 0)
}

// A role determines the style of a heading.
type role uint8

const (
	plain role = iota
	good
	bad
	doubtful
)

// heading names what follows, with facts about it.
type heading struct {
	role  role
	name  string
	facts []string // untrusted

	fold    fold
	current bool // commands are about this section
}

// fold describes how much of a section is shown.
type fold uint8

const (
	notFolding fold = iota
	unfolded
	folded
)

func (heading) lines() int { return 1 }

func (h heading) whole() string {
	return strings.TrimSpace(h.name + "  " + strings.Join(h.facts, "  "))
}

func (h heading) line(int) string { return h.whole() }

func (h heading) paint(p *paper, _ int) []string {
	st := p.pal.TextBold
	switch h.role {
	case good:
		st = p.pal.OKBold
	case bad:
		st = p.pal.ErrorBold
	case doubtful:
		st = p.pal.WarnBold
	}
	var rows []string
	p.r.Start(p.w, paint.Style{})
	if h.fold != notFolding {
		glyph := paint.If(h.fold == folded, p.pal.Folded, p.pal.Unfolded)
		bar := paint.If(h.current, p.pal.Bar, " ")
		p.r.Put(p.pal.Accent, bar)
		p.r.Put(p.pal.Muted, glyph+" ")
	}
	p.r.Put(st, h.name)
	for _, f := range h.facts {
		f = display.Sanitize(f)
		if p.r.Used() > 0 && display.Width(f)+2 > p.r.Left() {
			rows = append(rows, p.r.String())
			p.r.Start(p.w, paint.Style{})
		}
		p.r.Gap(min(2, p.r.Left()))
		p.r.Put(p.pal.Muted, f)
	}
	return append(rows, p.r.String())
}

// longest is the number of bytes of one line that are wrapped at a time. Otherwise a line without an end would
// be processed as a whole.
const longest = 4 << 10

// text is a block of plain text.
type text struct {
	s      string
	starts []int32 // start of each line, and the end
	error  bool
}

func newText(s string) *text {
	t := &text{s: s, starts: make([]int32, 0, strings.Count(s, "\n")+len(s)/longest+2)}
	for at := 0; ; {
		t.starts = append(t.starts, int32(at)) //nolint:gosec // a frame is smaller
		n := strings.IndexByte(s[at:], '\n')
		end := at + n + 1
		if n < 0 {
			end = len(s)
		}
		for end-at > longest {
			cut := at + longest
			for cut > at+1 && !utf8.RuneStart(s[cut]) {
				cut--
			}
			t.starts = append(t.starts, int32(cut)) //nolint:gosec // as above
			at = cut
		}
		at = end
		if n < 0 || at == len(s) {
			break
		}
	}
	t.starts = append(t.starts, int32(len(s))) //nolint:gosec // as above
	return t
}

func (t *text) lines() int    { return len(t.starts) - 1 }
func (t *text) whole() string { return t.s }

func (t *text) line(i int) string {
	return strings.TrimSuffix(strings.TrimSuffix(t.s[t.starts[i]:t.starts[i+1]], "\n"), "\r")
}

func (t *text) paint(p *paper, i int) []string {
	st := paint.If(t.error, p.pal.Warn, p.pal.Text)
	return p.wrapped(st, t.line(i), 0)
}

// splitAt cuts a line after a number of cells, counted as it will be painted.
func splitAt(line string, w int) (first, rest string) {
	n, used := 0, 0
	for n < len(line) {
		size, _ := display.Step(line, n)
		used += display.Width(display.Sanitize(line[n : n+size]))
		if used > w {
			break
		}
		n += size
	}
	return line[:n], line[n:]
}

// code is text with the colors of a language.
type code struct {
	paint.Source
	texts []string // lines of the block
}

func newCode(kind, s string) *code {
	s = strings.TrimSuffix(s, "\n")
	return &code{Source: paint.Source{Kind: kind, Text: s}, texts: strings.Split(s, "\n")}
}

func (c *code) lines() int                     { return len(c.texts) }
func (c *code) whole() string                  { return c.Text }
func (c *code) line(i int) string              { return strings.TrimSuffix(c.texts[i], "\r") }
func (c *code) paint(p *paper, i int) []string { return p.spans(c.Line(p.high, i)) }
