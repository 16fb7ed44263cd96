package secret

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// maxLevels bounds the levels of escapes that are undone, as in a URL in a JSON string in a JSON string.
const maxLevels = 3

// decoder undoes the escapes of a text: of URLs, of strings of JSON and of programs, of HTML, and of
// words of a shell.
type decoder struct {
	text []byte // once decode has returned true
	at   []int  // index of each byte in the original text, and the index of the end

	from        []byte // the text before
	fromAt      []int
	initialized bool
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// maxDecoder is the size of the largest buffer that is kept for the next text, in bytes.
const maxDecoder = 64 << 10

func (d *decoder) release() {
	if cap(d.text) > maxDecoder || cap(d.from) > maxDecoder {
		*d = decoder{}
	}
	clear(d.text) // the text is not kept, except for the remains of a longer one
	clear(d.from)
	d.initialized = false
	decoders.Put(d)
}

// hasEscape reports whether there may be an escape in a text.
func hasEscape(text string) bool {
	return strings.IndexByte(text, '%') >= 0 || strings.IndexByte(text, '\\') >= 0 || strings.IndexByte(text, '&') >= 0 || strings.Contains(text, quoteInQuotes)
}

// withoutEscapes returns a text whose escapes are undone, at all levels that a decoder has.
func withoutEscapes(text string) string {
	if !hasEscape(text) {
		return text
	}
	var d decoder
	undone := text
	for range maxLevels {
		if !d.decode(text) {
			break
		}
		undone = string(d.text)
	}
	return undone
}

// decode undoes the escapes of its current text, which is initially the argument. It returns false if there are
// none.
func (d *decoder) decode(text string) (changed bool) {
	identity := !d.initialized
	if identity {
		d.text, d.at, d.initialized = append(d.text[:0], text...), d.at[:0], true
	}
	d.from, d.text = d.text, d.from[:0]
	d.fromAt, d.at = d.at, d.fromAt[:0]
	place := func(i int) int {
		if identity {
			return i
		}
		return d.fromAt[i]
	}
	for i := 0; i < len(d.from); {
		run := i
		for run < len(d.from) && !beginsEscape[d.from[run]] {
			run++
		}
		if d.text = append(d.text, d.from[i:run]...); identity {
			for ; i < run; i++ {
				d.at = append(d.at, i)
			}
		} else {
			d.at = append(d.at, d.fromAt[i:run]...)
		}
		if i = run; i == len(d.from) {
			break
		}
		before := len(d.text)
		used := d.escape(d.from[i:])
		if used == 0 {
			d.text, used = append(d.text, d.from[i]), 1
		} else {
			changed = true
		}
		for range len(d.text) - before {
			d.at = append(d.at, place(i))
		}
		i += used
	}
	d.at = append(d.at, place(len(d.from)))
	return changed
}

// beginsEscape are the bytes that an escape begins with.
var beginsEscape = [256]bool{'%': true, '\\': true, '&': true, '\'': true}

// escape decodes the escape at the start of some bytes, and returns its length, or 0 if there is none. So do
// the methods for each kind.
func (d *decoder) escape(rest []byte) int {
	switch rest[0] {
	case '%':
		return d.percent(rest)
	case '\\':
		return d.backslash(rest)
	case '&':
		return d.entity(rest)
	}
	return d.quote(rest)
}

// percent decodes %XX.
func (d *decoder) percent(rest []byte) int {
	n, ok := number(rest, 1, 3, 16)
	if !ok {
		return 0
	}
	d.text = append(d.text, byte(n))
	return 3
}

// number returns the number in the given bytes of an escape.
func number(rest []byte, from, to, base int) (n int, ok bool) {
	if to > len(rest) || from >= to {
		return 0, false
	}
	for _, ch := range rest[from:to] {
		digit := 0
		switch ch |= 0x20; {
		case ch >= '0' && ch <= '9':
			digit = int(ch - '0')
		case ch >= 'a' && ch <= 'f':
			digit = int(ch-'a') + 10
		default:
			return 0, false
		}
		if digit >= base {
			return 0, false
		}
		n = n*base + digit
	}
	return n, true
}

var controls = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a', 'e': 0x1b}

func (d *decoder) backslash(rest []byte) int {
	if len(rest) < 2 {
		return 0
	}
	switch ch := rest[1]; {
	case bytes.HasPrefix(rest[1:], []byte(quoteEscaped)): // the backslash is before a quote of a shell
		return 0
	case ch == 'x':
		if n, ok := number(rest, 2, 4, 16); ok {
			d.text = append(d.text, byte(n))
			return 4
		}
		return 0
	case ch == 'u':
		return d.unicode(rest)
	case ch == 'U':
		if n, ok := number(rest, 2, 10, 16); ok {
			d.text = utf8.AppendRune(d.text, rune(n))
			return 10
		}
		return 0
	case ch >= '0' && ch <= '7':
		if n, ok := number(rest, 1, 4, 8); ok && n < 256 {
			d.text = append(d.text, byte(n))
			return 4
		}
		return 0
	case controls[ch] != 0:
		d.text = append(d.text, controls[ch])
		return 2
	case isLetter(ch) || ch == '8' || ch == '9' || ch >= utf8.RuneSelf:
		return 0
	default:
		d.text = append(d.text, ch)
		return 2
	}
}

// unicode decodes \uXXXX, a pair of surrogates, and \u{X}.
func (d *decoder) unicode(rest []byte) int {
	if len(rest) > 3 && rest[2] == '{' {
		end := strings.IndexByte(string(rest[:min(len(rest), 12)]), '}')
		if n, ok := number(rest, 3, end, 16); ok {
			d.text = utf8.AppendRune(d.text, rune(n))
			return end + 1
		}
		return 0
	}
	n, ok := number(rest, 2, 6, 16)
	if !ok {
		return 0
	}
	if utf16.IsSurrogate(rune(n)) && len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' {
		if low, ok := number(rest, 8, 12, 16); ok && utf16.IsSurrogate(rune(low)) {
			d.text = utf8.AppendRune(d.text, utf16.DecodeRune(rune(n), rune(low)))
			return 12
		}
	}
	d.text = utf8.AppendRune(d.text, rune(n))
	return 6
}

// maxEntity is the length of the longest character reference of HTML that is decoded.
const maxEntity = len("&#x10FFFF;")

var entities = map[string]byte{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\''}

func (d *decoder) entity(rest []byte) int {
	end := strings.IndexByte(string(rest[:min(len(rest), maxEntity)]), ';')
	if end < 3 {
		return 0
	}
	name := string(rest[1:end])
	if ch, ok := entities[name]; ok {
		d.text = append(d.text, ch)
		return end + 1
	}
	if name[0] != '#' {
		return 0
	}
	var n uint64
	var err error
	if name[1]|0x20 == 'x' {
		n, err = strconv.ParseUint(name[2:], 16, 32)
	} else {
		n, err = strconv.ParseUint(name[1:], 10, 32)
	}
	if err != nil {
		return 0
	}
	d.text = utf8.AppendRune(d.text, rune(n))
	return end + 1
}

// How a quote is written in a word of a shell that is in quotes.
const (
	quoteInQuotes = `'"'"'`
	quoteEscaped  = `'\''`
)

func (d *decoder) quote(rest []byte) int {
	for _, form := range []string{quoteEscaped, quoteInQuotes} {
		if bytes.HasPrefix(rest, []byte(form)) {
			d.text = append(d.text, '\'')
			return len(form)
		}
	}
	return 0
}
