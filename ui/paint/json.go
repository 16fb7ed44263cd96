package paint

import "mcptea/themes"

// JSONStyles holds the colors of JSON. Keys have the color that argument names have everywhere.
// Values have the colors of code.
type JSONStyles struct {
	Key, String, Number, Literal, Punct Style
}

// NewJSONStyles returns the styles for a theme. It is slow, so the caller keeps them.
func NewJSONStyles(t themes.Theme) JSONStyles {
	text := styleOf(t.Text)
	js := JSONStyles{
		Key:     compile(styleOf(t.Value)),
		String:  compile(text),
		Number:  compile(text),
		Literal: compile(text.Bold(true)),
		Punct:   compile(styleOf(t.Muted)),
	}
	if t.Colored() {
		js.String = compile(styleOf(t.OK))
		js.Number = compile(styleOf(t.Warn))
		js.Literal = compile(styleOf(t.Asked))
	}
	return js
}

// Put writes one line of JSON into a row. The text is untrusted. It may be incomplete or wrong,
// like a draft.
func (js *JSONStyles) Put(r *Row, line string) {
	for line != "" && r.Left() > 0 {
		n, st, _ := js.Token(line, false)
		r.Put(st, line[:n])
		line = line[n:]
	}
	if line != "" {
		r.More(line)
	}
}

// Token returns the length and the style of the first token in b, a part of a line that is not
// empty. inString reports whether the part begins inside of a string. open reports whether the
// token is a string that the part does not close.
func (js *JSONStyles) Token(b string, inString bool) (n int, st Style, open bool) {
	c := b[0]
	switch {
	case c == '"' || inString:
		from := 1
		if inString {
			from = 0
		}
		n, open = stringEnd(b, from)
		for i := n; i < len(b); i++ {
			if b[i] == ':' {
				return n, js.Key, open
			} else if b[i] != ' ' && b[i] != '\t' {
				break
			}
		}
		return n, js.String, open
	case c == '-' || c >= '0' && c <= '9':
		return run(b, func(c byte) bool {
			return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
		}), js.Number, false
	case c >= 'a' && c <= 'z':
		return run(b, func(c byte) bool { return c >= 'a' && c <= 'z' }), js.Literal, false
	}
	return run(b, func(c byte) bool {
		return c != '"' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}), js.Punct, false
}

func run(b string, in func(byte) bool) int {
	n := 1
	for n < len(b) && in(b[n]) {
		n++
	}
	return n
}

// stringEnd returns the length of a string in b that continues at from. If the string is not
// closed, it extends to the end, and open is true.
func stringEnd(b string, from int) (n int, open bool) {
	for i := from; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1, false
		}
	}
	return len(b), true
}
