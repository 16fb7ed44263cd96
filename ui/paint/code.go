package paint

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"

	"mcptea/internal/words/display"
	"mcptea/themes"
)

// maxHighlighted is the size of a text, in bytes, from which it stays plain. Lexers consist of
// regular expressions, so a huge text would delay the screen.
const maxHighlighted = 1 << 20

// Highlighter colors code with one theme. It caches the styles of tokens. It is not safe for
// concurrent use.
type Highlighter struct {
	theme themes.Theme
	seen  map[chroma.TokenType]Style
}

// NewHighlighter makes a highlighter for a palette's theme.
func NewHighlighter(p *Palette) *Highlighter {
	return &Highlighter{theme: p.Theme, seen: map[chroma.TokenType]Style{}}
}

// A Source is a text that is highlighted line by line, on demand.
type Source struct {
	Kind string // media type ("application/json"), file name or language; a text of an unknown kind stays plain
	Text string

	by    *Highlighter
	next  chroma.Iterator // nil after the last token
	lines [][]Span
}

// Line returns line i in the colors of a highlighter, or nil after the last line. It reads only as much of the
// text as necessary. The spans are sanitized; the Source owns them.
func (s *Source) Line(h *Highlighter, i int) []Span {
	if s.by != h {
		s.by, s.lines = h, make([][]Span, 1)
		s.next = tokens(s.Kind, strings.ReplaceAll(s.Text, "\r\n", "\n"))
	}
	// A line is complete when the next one has begun.
	for len(s.lines) <= i+1 && s.next != nil {
		tok := s.next()
		if tok == chroma.EOF {
			s.next = nil
			break
		}
		s.add(tok)
	}
	if i >= len(s.lines) {
		return nil
	}
	return s.lines[i]
}

// tokens returns the tokens of a text. A text that is long or of an unknown kind is a single token.
func tokens(kind, text string) chroma.Iterator {
	kind, _, _ = strings.Cut(kind, ";") // parameters of a media type
	if lexer := findLexer(strings.ToLower(strings.TrimSpace(kind))); lexer != nil && len(text) <= maxHighlighted {
		if it, err := lexer.Tokenise(nil, text); err == nil {
			return it
		}
	}
	return chroma.Literator(chroma.Token{Type: chroma.Text, Value: text})
}

func (s *Source) add(tok chroma.Token) {
	st := s.by.tokenStyle(tok.Type)
	for i, part := range strings.Split(tok.Value, "\n") {
		if i > 0 {
			s.lines = append(s.lines, nil)
		}
		if part != "" {
			last := len(s.lines) - 1
			s.lines[last] = append(s.lines[last], Span{st, display.Sanitize(display.ExpandTabs(part))})
		}
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

// codeLook returns the style for a type of token. It uses colors of the theme, because they are
// readable. Styles for code are often made for other backgrounds.
func codeLook(t themes.Theme, tt chroma.TokenType) lipgloss.Style {
	text := styleOf(t.Text)
	switch {
	case !t.Colored() && (tt.InCategory(chroma.Keyword) || tt.InSubCategory(chroma.NameTag)):
		return text.Bold(true)
	case !t.Colored() && (tt.InCategory(chroma.Comment) || tt.InCategory(chroma.Punctuation)):
		return text.Faint(true)
	case !t.Colored():
		return text
	case tt.InCategory(chroma.Comment):
		return styleOf(t.Muted).Italic(true)
	case tt.InCategory(chroma.Punctuation), tt.InCategory(chroma.Operator):
		return styleOf(t.Muted)
	case tt == chroma.KeywordConstant, tt.InSubCategory(chroma.LiteralNumber):
		return styleOf(t.Warn)
	case tt.InCategory(chroma.Keyword):
		return styleOf(t.Asked)
	case tt.InSubCategory(chroma.LiteralString):
		return styleOf(t.OK)
	case tt == chroma.NameTag, tt == chroma.NameFunction, tt == chroma.NameClass, tt == chroma.NameBuiltin:
		return styleOf(t.Accent)
	case tt == chroma.NameAttribute:
		return styleOf(t.Value)
	case tt == chroma.GenericHeading, tt == chroma.GenericSubheading, tt == chroma.GenericStrong:
		return styleOf(t.Strong)
	case tt == chroma.GenericEmph:
		return text.Italic(true)
	case tt == chroma.GenericDeleted, tt == chroma.GenericError, tt == chroma.Error:
		return styleOf(t.Error)
	case tt == chroma.GenericInserted:
		return styleOf(t.OK)
	}
	return text
}
