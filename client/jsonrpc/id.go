package jsonrpc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// ID is a request id, or a progress token, with the bytes that its peer wrote: they are shown and sent back
// unchanged. IDs are not comparable with ==, since "é" and "\u00e9" are one id, and so are 7 and 7.0: compare
// with [ID.Same], and use [ID.Key] as the key of a map. The zero ID is absent.
type ID struct {
	_   [0]func() // forbids == and use as a map key
	raw string
}

// Key is the meaning of an [ID]. Keys are comparable: 1, 1.0 and 1e0 have one key, "1" and null have others.
type Key struct {
	// text is a string token without escapes and without its final quote, a number in its shortest form, or
	// another token unchanged.
	text string
}

// Token is an [ID] in the bytes of a frame, which it aliases. The zero Token is absent.
type Token struct {
	raw []byte // a slice, so that tokens are not comparable
}

// TokenOf returns a raw value as a token: of a member such as requestId or progressToken. It
// must be valid JSON, or empty.
func TokenOf(value []byte) Token { return Token{value} }

// IDOf returns the id of a raw token, which is copied.
func IDOf[T string | []byte](token T) ID { return ID{raw: string(token)} }

// ParseID returns the id that the user typed: a JSON value, even of a type that is invalid for
// an id, without white space around it or line breaks. ok is false for other texts.
func ParseID(text string) (id ID, ok bool) {
	if strings.Trim(text, Whitespace) != text || strings.ContainsAny(text, "\n\r") || !Valid([]byte(text)) {
		return ID{}, false
	}
	return IDOf(text), true
}

// IntID returns the id of an integer.
func IntID(n int64) ID { return ID{raw: strconv.FormatInt(n, 10)} }

// StringID returns the id of a string.
func StringID(s string) ID { return ID{raw: Quote(s)} }

// Quote returns a text as a JSON string.
func Quote(s string) string {
	token, _ := json.Marshal(s) // a string always marshals
	return string(token)
}

// String returns the bytes of the id, to be shown.
func (id ID) String() string { return id.raw }

// Append appends the bytes of the id.
func (id ID) Append(dst []byte) []byte { return append(dst, id.raw...) }

// Bytes returns a copy of the bytes of the id.
func (id ID) Bytes() []byte { return []byte(id.raw) }

// Present reports whether there is an id.
func (id ID) Present() bool { return id.raw != "" }

// IsZero reports whether there is no id.
func (id ID) IsZero() bool { return id.raw == "" }

// Type returns the JSON type of the id.
func (id ID) Type() IDType { return typeOfID(id.raw) }

// Key returns the meaning of the id. It allocates only for escapes, and for numbers with a fraction or an
// exponent.
func (id ID) Key() Key { return Key{meaning(id.raw)} }

// Same reports whether two ids mean the same.
func (id ID) Same(other ID) bool { return id.raw == other.raw || id.Key() == other.Key() }

// Token returns a copy of the id as the token that it was written as.
func (id ID) Token() Token { return Token{[]byte(id.raw)} }

// MarshalText implements [encoding.TextMarshaler].
func (id ID) MarshalText() ([]byte, error) { return []byte(id.raw), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (id *ID) UnmarshalText(text []byte) error {
	id.raw = string(text)
	return nil
}

// ID returns a copy that does not alias the frame.
func (t Token) ID() ID { return ID{raw: string(t.raw)} }

// Key is like [ID.Key].
func (t Token) Key() Key { return Key{string(meaning(t.raw))} }

// Meaning returns the bytes of the key, for hashes. They may alias the frame.
func (t Token) Meaning() []byte { return meaning(t.raw) }

// Same reports whether two tokens mean the same.
func (t Token) Same(other Token) bool {
	return bytes.Equal(t.raw, other.raw) || bytes.Equal(meaning(t.raw), meaning(other.raw))
}

// Is reports whether the token means the same as an id.
func (t Token) Is(id ID) bool {
	return string(t.raw) == id.raw || string(meaning(t.raw)) == meaning(id.raw)
}

// Shown returns the bytes as in the frame.
func (t Token) Shown() []byte { return t.raw }

// String returns a copy of the bytes as in the frame, for display.
func (t Token) String() string { return string(t.raw) }

// Present reports whether there is a token.
func (t Token) Present() bool { return len(t.raw) > 0 }

// Type returns the JSON type of the token.
func (t Token) Type() IDType { return typeOfID(t.raw) }

// Lookup returns the value of a token in a map. It copies nothing.
func Lookup[V any](m map[Key]V, t Token) (V, bool) {
	v, ok := m[Key{string(meaning(t.raw))}]
	return v, ok
}

// OfOtherType returns the token with the same text and the other JSON type: 5 for "5", and "5"
// for 5. It is absent for a string that is not a number, and for other values.
func (t Token) OfOtherType() Token {
	switch typeOfID(t.raw) {
	case IDString:
		text := meaning(t.raw)[1:]
		if c := (cursor{b: text}); len(text) > 0 && text[0] != '"' && c.scalar() && c.i == len(text) && TypeOf(text) == "number" {
			return Token{text}
		}
	case IDInteger, IDFraction:
		return Token{append(append([]byte{'"'}, meaning(t.raw)...), '"')}
	}
	return Token{}
}

// Like reports whether two ids are equal apart from their types: "5" and 5. A response whose id has another
// type is faulty, but it is still the response.
func (k Key) Like(other Key) bool {
	text := func(k Key) string { return strings.TrimPrefix(k.text, `"`) }
	return k == other || text(k) != "" && text(k) == text(other)
}

// KeyOfText returns the key of the string that a text is.
func KeyOfText(text string) Key { return Key{`"` + text} }

// IDSpan is the place of the id in a frame.
type IDSpan struct{ at Span }

// Present reports whether the frame has an id.
func (s IDSpan) Present() bool { return s.at.Present() }

// Of returns the id in the bytes of the frame.
func (s IDSpan) Of(frame []byte) Token { return Token{s.at.Of(frame)} }

// Span returns the place.
func (s IDSpan) Span() Span { return s.at }

// Replace is like [Span.Replace].
func (s IDSpan) Replace(frame []byte, with ID) []byte { return s.at.Replace(frame, []byte(with.raw)) }

// TypeOfID returns the JSON type of a raw id token, which must be valid JSON.
func TypeOfID(token []byte) IDType { return typeOfID(token) }

func typeOfID[T string | []byte](token T) IDType {
	if len(token) == 0 {
		return IDAbsent
	}
	switch ch := token[0]; {
	case ch == '"':
		return IDString
	case ch == 'n':
		return IDNull
	case ch != '-' && (ch < '0' || ch > '9'):
		return IDOther
	}
	if isPlainInteger(token) || isWhole(meaning(token)) {
		return IDInteger
	}
	return IDFraction
}

// isPlainInteger reports a number without a fraction and an exponent.
func isPlainInteger[T string | []byte](token T) bool {
	for i := 0; i < len(token); i++ {
		if ch := token[i]; ch == '.' || ch == 'e' || ch == 'E' {
			return false
		}
	}
	return true
}

// maxDigits is the maximum length of a number without an exponent in a key.
const maxDigits = 40

// meaning returns the text of a [Key]. It is a part of the token if the token has the usual form, otherwise a
// new text.
func meaning[T string | []byte](token T) T {
	if len(token) == 0 {
		return token
	}
	switch ch := token[0]; {
	case ch == '"' && len(token) > 1 && token[len(token)-1] == '"':
		for i := 1; i < len(token)-1; i++ {
			if token[i] == '\\' {
				return T(unescaped([]byte(token[:len(token)-1]), i))
			}
		}
		return token[:len(token)-1]
	case ch == '-' || ch >= '0' && ch <= '9':
		if len(token) <= maxDigits && isPlainInteger(token) && (len(token) != 2 || token[0] != '-' || token[1] != '0') {
			return token
		}
		return T(shortest([]byte(token)))
	}
	return token
}

// unescaped returns a string token, with its first quote, without its escapes; the first escape is at i. Half
// of a surrogate pair is not combined with others: it becomes its three bytes, which no valid UTF-8 contains.
func unescaped(token []byte, i int) []byte {
	out := append(make([]byte, 0, len(token)), token[:i]...)
	for i < len(token) {
		if token[i] != '\\' || i+1 == len(token) {
			out = append(out, token[i])
			i++
			continue
		}
		if ch := token[i+1]; ch != 'u' {
			out = append(out, cmp.Or(escapes[ch], ch))
			i += 2
			continue
		}
		r, n := escapedRune(token[i:])
		if utf16.IsSurrogate(r) {
			out = append(out, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		} else {
			out = utf8.AppendRune(out, r)
		}
		i += n
	}
	return out
}

// hex4 returns the number of four hexadecimal digits; -1 without them.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	n, err := strconv.ParseUint(string(b[:4]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}

// shortest returns a number in the form that all numbers of the same value share: an integer of up to maxDigits
// as its digits, otherwise its digits and an exponent. Nothing is rounded.
func shortest(token []byte) []byte {
	sign, rest := "", token
	if rest[0] == '-' {
		sign, rest = "-", rest[1:]
	}
	mantissa, exponent := rest, int64(0)
	if i := bytes.IndexAny(rest, "eE"); i >= 0 {
		n, err := strconv.ParseInt(string(rest[i+1:]), 10, 32)
		if err != nil {
			return token // an exponent beyond all use: the work stays bounded
		}
		mantissa, exponent = rest[:i], n
	}
	digits := mantissa
	if i := bytes.IndexByte(mantissa, '.'); i >= 0 {
		digits = append(append(make([]byte, 0, len(mantissa)), mantissa[:i]...), mantissa[i+1:]...)
		exponent -= int64(len(mantissa) - i - 1)
	}
	digits = bytes.TrimLeft(digits, "0")
	whole := len(digits)
	digits = bytes.TrimRight(digits, "0")
	exponent += int64(whole - len(digits))
	if len(digits) == 0 {
		return []byte("0")
	}
	out := append([]byte(sign), digits...)
	if exponent >= 0 && int64(len(digits))+exponent < maxDigits {
		return append(out, bytes.Repeat([]byte{'0'}, int(exponent))...)
	}
	return strconv.AppendInt(append(out, 'e'), exponent, 10)
}

// isWhole reports whether a number in its shortest form is an integer.
func isWhole[T string | []byte](shortest T) bool {
	for i := 0; i < len(shortest); i++ {
		if shortest[i] == 'e' {
			return i+1 < len(shortest) && shortest[i+1] != '-'
		}
		if ch := shortest[i]; ch == '.' || ch == 'E' {
			return false
		}
	}
	return true
}

// MethodSpan is the place of the method in a frame; [Envelope.MethodName] returns its text.
type MethodSpan struct{ at Span }

// Present reports whether the frame has a method that is not empty.
func (s MethodSpan) Present() bool { return s.at.Present() }

// Span returns the place, without the quotes.
func (s MethodSpan) Span() Span { return s.at }

// IsText reports whether a raw value is the string of a text, however it is written.
func IsText(value []byte, text string) bool {
	if len(value) < 2 || value[0] != '"' || value[len(value)-1] != '"' {
		return false
	}
	return string(meaning(value)[1:]) == text
}
