package paint

import "mcptea/themes"

// JSONStyles holds the colors of JSON. Keys have the color of argument names everywhere; values have those of
// code.
type JSONStyles struct {
	Key, String, Number, Literal, Punct Style
}

// NewJSONStyles makes the styles for a theme. Make them once.
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

// Put writes one line of JSON, or of a draft of JSON, into a row. The text is untrusted and may be incomplete
// or wrong.
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

// Token returns the length and the style of the first token of a part of a line,
// which is not empty. inString says that the part begins inside of a string; open
// that the token is a string that the part does not close.
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

// stringEnd returns the length of the string that continues at a position of b. An unclosed string is open and
// extends to the end.
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
