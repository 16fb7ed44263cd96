package paint

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"

	"mcptea/themes"
	"mcptea/ui/paint/lexers"
)

// maxHighlighted is the size in bytes from which code stays plain: lexers are
// made of regular expressions, and a huge text would hold up the screen.
const maxHighlighted = 1 << 20

// Highlighter colours code with the Chroma style of one theme. It remembers
// lexers and styles that it has met. It is not safe for concurrent use.
type Highlighter struct {
	theme  themes.Theme
	seen   map[chroma.TokenType]Style
	lexers map[string]chroma.Lexer
}

// NewHighlighter makes a highlighter for a palette's theme.
func NewHighlighter(p *Palette) *Highlighter {
	return &Highlighter{
		theme:  p.Theme,
		seen:   map[chroma.TokenType]Style{},
		lexers: map[string]chroma.Lexer{},
	}
}

// Code is a text whose lines are coloured as they are asked for.
type Code struct {
	h     *Highlighter
	next  chroma.Iterator
	lines [][]Span
	total int
}

// Code starts on a text. kind is a media type ("application/json"), a file
// name or a language; an unknown kind stays plain.
func (h *Highlighter) Code(kind, text string) *Code {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	c := &Code{h: h, total: strings.Count(text, "\n") + 1, lines: make([][]Span, 1)}
	if lexer := h.lexer(kind); lexer != nil && len(text) <= maxHighlighted {
		if it, err := lexer.Tokenise(nil, text); err == nil {
			c.next = it
			return c
		}
	}
	c.next = chroma.Literator(chroma.Token{Type: chroma.Text, Value: text})
	return c
}

func (h *Highlighter) lexer(kind string) chroma.Lexer {
	if i := strings.IndexByte(kind, ';'); i >= 0 {
		kind = kind[:i] // parameters of a media type
	}
	kind = strings.ToLower(strings.TrimSpace(kind))
	if l, ok := h.lexers[kind]; ok {
		return l
	}
	l := lexers.Find(kind)
	h.lexers[kind] = l
	return l
}

// Len is the number of lines.
func (c *Code) Len() int { return c.total }

// Lines gives n lines from line from on, fewer at the end. No more of the text
// is read than that takes. The spans are sanitised; they belong to the Code.
func (c *Code) Lines(from, n int) [][]Span {
	from = max(from, 0)
	end := min(from+max(n, 0), c.total)
	// A line is known to be whole when the next one has begun.
	for len(c.lines) <= end && c.next != nil {
		tok := c.next()
		if tok == chroma.EOF {
			c.next = nil
			break
		}
		c.add(tok)
	}
	end = min(end, len(c.lines))
	if from >= end {
		return nil
	}
	return c.lines[from:end]
}

// Source is a text that is highlighted when one of its lines is asked for.
type Source struct {
	Kind, Text string // as for [Highlighter.Code]

	code *Code
}

// Line is line i in the colors of a highlighter.
func (s *Source) Line(h *Highlighter, i int) []Span {
	if s.code == nil || s.code.h != h {
		s.code = h.Code(s.Kind, s.Text)
	}
	if lines := s.code.Lines(i, 1); len(lines) > 0 {
		return lines[0]
	}
	return nil
}

func (c *Code) add(tok chroma.Token) {
	st := c.h.tokenStyle(tok.Type)
	for i, part := range strings.Split(tok.Value, "\n") {
		if i > 0 {
			c.lines = append(c.lines, nil)
		}
		if part == "" {
			continue
		}
		last := len(c.lines) - 1
		c.lines[last] = append(c.lines[last], Span{st, Sanitize(expandTabs(part))})
	}
}

func (h *Highlighter) tokenStyle(tt chroma.TokenType) Style {
	if st, ok := h.seen[tt]; ok {
		return st
	}
	st := compile(codeLook(h.theme, tt))
	h.seen[tt] = st
	return st
}

// codeLook is how a kind of token looks. Themes are readable in all of their roles, which
// syntax styles made for other backgrounds are not.
func codeLook(t themes.Theme, tt chroma.TokenType) lipgloss.Style {
	text := look(t.Text)
	switch {
	case !t.Colored() && (tt.InCategory(chroma.Keyword) || tt.InSubCategory(chroma.NameTag)):
		return text.Bold(true)
	case !t.Colored() && (tt.InCategory(chroma.Comment) || tt.InCategory(chroma.Punctuation)):
		return text.Faint(true)
	case !t.Colored():
		return text
	case tt.InCategory(chroma.Comment):
		return look(t.Muted).Italic(true)
	case tt.InCategory(chroma.Punctuation), tt.InCategory(chroma.Operator):
		return look(t.Muted)
	case tt == chroma.KeywordConstant, tt.InSubCategory(chroma.LiteralNumber):
		return look(t.Warn)
	case tt.InCategory(chroma.Keyword):
		return look(t.Asked)
	case tt.InSubCategory(chroma.LiteralString):
		return look(t.OK)
	case tt == chroma.NameTag, tt == chroma.NameFunction, tt == chroma.NameClass, tt == chroma.NameBuiltin:
		return look(t.Accent)
	case tt == chroma.NameAttribute:
		return look(t.Value)
	case tt == chroma.GenericHeading, tt == chroma.GenericSubheading, tt == chroma.GenericStrong:
		return look(t.Strong)
	case tt == chroma.GenericEmph:
		return text.Italic(true)
	case tt == chroma.GenericDeleted, tt == chroma.GenericError, tt == chroma.Error:
		return look(t.Error)
	case tt == chroma.GenericInserted:
		return look(t.OK)
	}
	return text
}
