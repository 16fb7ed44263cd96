package paint

import (
	"bytes"

	"mcptea/themes"
)

// JSONStyles colours JSON. Keys have the colour that argument names have
// everywhere; the values have those of code.
type JSONStyles struct {
	Key, String, Number, Literal, Punct Style
}

// NewJSONStyles makes the styles for a theme. Make them once.
func NewJSONStyles(t themes.Theme) JSONStyles {
	text := foreground(t.Text)
	js := JSONStyles{
		Key:     foreground(t.Value),
		String:  text,
		Number:  text,
		Literal: text.Bold(),
		Punct:   foreground(t.Muted),
	}
	if t.Colored() {
		js.String = foreground(t.OK)
		js.Number = foreground(t.Warn)
		js.Literal = foreground(t.Asked)
	}
	return js
}

// Put writes one line of JSON, or of what is meant to become JSON, into a row.
// The text is somebody else's and need not be complete or correct.
func (js *JSONStyles) Put(r *Row, line []byte) {
	for len(line) > 0 && r.Left() > 0 {
		n, st := js.token(line)
		r.ForeignBytes(st, line[:n])
		line = line[n:]
	}
}

// token gives the length and the style of what the line starts with.
func (js *JSONStyles) token(b []byte) (int, Style) {
	switch c := b[0]; {
	case c == '"':
		n := stringEnd(b)
		if rest := bytes.TrimLeft(b[n:], " \t"); len(rest) > 0 && rest[0] == ':' {
			return n, js.Key
		}
		return n, js.String
	case c == '-' || c >= '0' && c <= '9':
		return run(b, func(c byte) bool {
			return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
		}), js.Number
	case c >= 'a' && c <= 'z':
		return run(b, func(c byte) bool { return c >= 'a' && c <= 'z' }), js.Literal
	}
	return run(b, func(c byte) bool {
		return c != '"' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z')
	}), js.Punct
}

func run(b []byte, in func(byte) bool) int {
	n := 1
	for n < len(b) && in(b[n]) {
		n++
	}
	return n
}

// stringEnd is the length of the string that b starts with; one that is not
// closed goes to the end.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}
