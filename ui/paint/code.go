package paint

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"

	"mcptea/themes"
)

// maxHighlighted is the size in bytes from which code stays plain: lexers are
// made of regular expressions, and a huge text would hold up the screen.
const maxHighlighted = 1 << 20

// Highlighter colours code with the Chroma style of one theme. It remembers
// lexers and styles that it has met. It is not safe for concurrent use.
type Highlighter struct {
	style  *chroma.Style // nil: attributes only
	text   Style
	seen   map[chroma.TokenType]Style
	lexers map[string]chroma.Lexer
}

// NewHighlighter makes a highlighter for a palette's theme.
func NewHighlighter(p *Palette) *Highlighter {
	return &Highlighter{
		style:  chromaStyle(p.Theme),
		text:   p.Text,
		seen:   map[chroma.TokenType]Style{},
		lexers: map[string]chroma.Lexer{},
	}
}

func chromaStyle(t themes.Theme) *chroma.Style {
	if t.Chroma == "" {
		return nil
	}
	return styles.Registry[t.Chroma]
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
	l := findLexer(kind)
	h.lexers[kind] = l
	return l
}

func findLexer(kind string) chroma.Lexer {
	if kind == "" || kind == "text/plain" {
		return nil
	}
	if _, sub, ok := strings.Cut(kind, "/"); ok {
		if l := lexers.MatchMimeType(kind); l != nil {
			return l
		}
		if _, suffix, ok := strings.Cut(sub, "+"); ok {
			return lexers.Get(suffix)
		}
		if l := lexers.Get(strings.TrimPrefix(sub, "x-")); l != nil {
			return l
		}
	}
	if l := lexers.Get(kind); l != nil {
		return l
	}
	return lexers.Match(kind)
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
	var st Style
	if h.style != nil {
		st = entryStyle(h.style.Get(tt), h.text)
	} else {
		st = foreground(attributesOf(tt))
	}
	h.seen[tt] = st
	return st
}

// entryStyle drops the backgrounds of a syntax style: the terminal keeps its
// own, and a selected row has one.
func entryStyle(e chroma.StyleEntry, text Style) Style {
	r := themes.Role{
		Bold:      e.Bold == chroma.Yes,
		Italic:    e.Italic == chroma.Yes,
		Underline: e.Underline == chroma.Yes,
	}
	if e.Colour.IsSet() {
		r.Color = e.Colour.String()
	}
	if r == (themes.Role{}) {
		return text
	}
	return foreground(r)
}

// attributesOf tells kinds of tokens apart without colours.
func attributesOf(tt chroma.TokenType) themes.Role {
	switch {
	case tt.InCategory(chroma.Keyword), tt.InSubCategory(chroma.NameTag):
		return themes.Role{Bold: true}
	case tt.InCategory(chroma.Comment), tt.InCategory(chroma.Punctuation):
		return themes.Role{Faint: true}
	}
	return themes.Role{}
}
