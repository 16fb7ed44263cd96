package jsonrpc

import (
	"bytes"
	"iter"
	"unicode/utf16"
	"unicode/utf8"
)

// Unquote decodes a JSON string token. It returns false for other tokens.
func Unquote(token []byte) (string, bool) {
	inner, ok := quoted(token)
	if !ok {
		return "", false
	}
	if plainRun(inner) == len(inner) {
		return string(inner), true
	}
	text, ok := appendUnquoted(make([]byte, 0, len(inner)), inner)
	return string(text), ok
}

// AppendUnquoted appends the text of a JSON string token. It returns false for other tokens.
func AppendUnquoted(dst, token []byte) ([]byte, bool) {
	inner, ok := quoted(token)
	if !ok {
		return dst, false
	}
	return appendUnquoted(dst, inner)
}

// quoted returns the bytes between the quotes.
func quoted(token []byte) (inner []byte, ok bool) {
	if len(token) < 2 || token[0] != '"' || token[len(token)-1] != '"' {
		return nil, false
	}
	return token[1 : len(token)-1], true
}

// appendUnquoted decodes the text between quotes like encoding/json: invalid UTF-8, and half of a surrogate
// pair, become U+FFFD.
func appendUnquoted(dst, inner []byte) ([]byte, bool) {
	for len(inner) > 0 {
		if n := plainRun(inner); n > 0 {
			dst, inner = append(dst, inner[:n]...), inner[n:]
			continue
		}
		r, n := nextRune(inner)
		if n == 0 {
			return dst, false
		}
		dst, inner = utf8.AppendRune(dst, r), inner[n:]
	}
	return dst, true
}

// Runes decodes the characters of a JSON string token one by one, without allocating its text, until the first
// invalid one. Other tokens have none.
func Runes(token []byte) iter.Seq[rune] {
	return func(yield func(rune) bool) {
		inner, _ := quoted(token)
		for len(inner) > 0 {
			r, n := nextRune(inner)
			if n == 0 || !yield(r) {
				return
			}
			inner = inner[n:]
		}
	}
}

// nextRune decodes the first character of a text between quotes, and returns its length there in bytes, or 0 if
// the bytes are invalid.
func nextRune(b []byte) (r rune, n int) {
	switch ch := b[0]; {
	case ch == '\\':
		switch escapeLength(b) {
		case 0:
			return 0, 0
		case 2:
			return rune(escapes[b[1]]), 2
		}
		if r, n = escapedRune(b); utf16.IsSurrogate(r) {
			r = utf8.RuneError
		}
		return r, n
	case ch == '"' || ch < 0x20:
		return 0, 0
	case ch < utf8.RuneSelf:
		return rune(ch), 1
	}
	return utf8.DecodeRune(b)
}

// plainRun returns the number of leading bytes that are ASCII without a meaning of their own.
func plainRun(b []byte) int {
	for i, ch := range b {
		if ch == '\\' || ch == '"' || ch < 0x20 || ch >= utf8.RuneSelf {
			return i
		}
	}
	return len(b)
}

// escapedRune returns the character of the valid \u escape at the start of b, together with the next escape if
// both are a surrogate pair, and the number of bytes that it takes.
func escapedRune(b []byte) (r rune, n int) {
	r = hex4(b[2:])
	if utf16.IsSurrogate(r) && len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if both := utf16.DecodeRune(r, hex4(b[8:])); both != utf8.RuneError {
			return both, 12
		}
	}
	return r, 6
}

// escapes are the characters of the short escapes.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// NextLine finds the end of the line that starts at an offset of a JSON string token, between its quotes. The
// line ends at an escaped line feed, which belongs to neither line, or after most bytes of the text, but never
// within a character. next is the start of the next line. size is the number of bytes of the decoded line,
// where invalid UTF-8 counts unchanged. isLast is set at the end of the token.
func NextLine(token []byte, start, most int) (end, next, size int, isLast bool) {
	last := len(token) - 1
	for i := start; ; {
		limit := min(last, i+most-size)
		run := bytes.IndexByte(token[i:limit], '\\')
		switch {
		case run < 0 && limit == last:
			return last, last, size + last - i, true
		case run < 0:
			cut := limit
			for cut > max(i, start+1, limit-utf8.UTFMax) && !utf8.RuneStart(token[cut]) {
				cut--
			}
			return cut, cut, size + cut - i, false
		}
		i, size = i+run, size+run
		r, n := nextRune(token[i:last])
		n = max(n, 1) // an invalid sequence counts as one byte
		if r == '\n' {
			return i, i + n, size, i+n >= last
		}
		width := utf8.RuneLen(r)
		if size+width > most && i > start {
			return i, i, size, false
		}
		i, size = i+n, size+width
	}
}
