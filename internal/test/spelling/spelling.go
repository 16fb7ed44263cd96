// Package spelling writes JSON values in other ways that mean the same, as the encoders of other
// languages do, and puts servers behind such an encoder. It is for tests.
package spelling

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"mcptea/client/jsonrpc"
)

// A Spelling writes JSON values in a different way with the same meaning.
type Spelling struct {
	Name string
	// Usual marks the spellings that are always tried: those of common encoders, and one of each other kind.
	Usual  bool
	text   func(r rune) string // spelling of a character in a string, or "" for the character itself
	names  bool                // text holds for the names of members, too
	number func(n string) string
	order  func(members []string) // reorders the members of an object
	space  string                 // between tokens
}

func hex(format string) func(rune) string {
	return func(r rune) string {
		if r > 0xffff {
			a, b := utf16.EncodeRune(r)
			return fmt.Sprintf(format+format, a, b)
		}
		return fmt.Sprintf(format, r)
	}
}

func only(chars string, as func(rune) string) func(rune) string {
	return func(r rune) string {
		if strings.ContainsRune(chars, r) {
			return as(r)
		}
		return ""
	}
}

func above(as func(rune) string) func(rune) string {
	return func(r rune) string {
		if r > 0x7f {
			return as(r)
		}
		return ""
	}
}

func integer(suffix string) func(string) string {
	return func(n string) string {
		if strings.ContainsAny(n, ".eE") {
			return n
		}
		return n + suffix
	}
}

// All are the spellings of encoders that are in use, then others that JSON permits (RFC 8259,
// sections 2, 4, 6 and 7).
var All = []Spelling{
	{Name: "identity"},
	{Name: "solidus", Usual: true, text: only("/", func(rune) string { return `\/` }), names: true}, // PHP
	{Name: "solidus in values", text: only("/", func(rune) string { return `\/` })},                 // PHP
	{Name: "non-ASCII, lower", text: above(hex(`\u%04x`)), names: true},                             // Python
	{Name: "non-ASCII, upper", Usual: true, text: above(hex(`\u%04X`)), names: true},                // .NET
	{Name: "HTML-safe", text: only("<>&'+`", hex(`\u%04X`)), names: true},                           // .NET, Go
	{Name: "quotes as hex", text: only(`"`, hex(`\u%04X`)), names: true},                            // .NET
	{Name: "every character", text: hex(`\u%04x`)},
	{Name: "every character and name", text: hex(`\u%04x`), names: true},
	{Name: "letters", text: only("aeiounrst", hex(`\u%04x`))},
	{Name: "digits", text: only("0123456789-.", hex(`\u%04X`))},
	{Name: "members reversed", Usual: true, order: func(m []string) { slices.Reverse(m) }},
	{Name: "members sorted", order: func(m []string) { slices.Sort(m) }},
	{Name: "blanks", space: " "},
	{Name: "tabs and line ends", Usual: true, space: "\t\r\n "},
	{Name: "tabs", space: "\t "},
	{Name: "numbers 1.0", number: integer(".0")},
	{Name: "numbers 1e0", number: integer("e0")},
	{Name: "numbers 1E+0", number: integer("E+0")},
	{Name: "all but the order", Usual: true, text: hex(`\u%04x`), names: true, number: integer(".0"), space: "\t "},
}

// Reorders reports whether the members of objects come in another order.
func (s *Spelling) Reorders() bool { return s.order != nil }

// OnOneLine reports whether a value stays on one line, as messages on stdio have to.
func (s *Spelling) OnOneLine() bool { return !strings.Contains(s.space, "\n") }

// Write returns a value in the spelling, or unchanged if it is nested too deeply.
func (s *Spelling) Write(value []byte) string {
	if jsonrpc.Scan(value).Flaws&jsonrpc.FlawTooDeep != 0 {
		return string(value)
	}
	return s.write(value)
}

// write writes a value that is not nested too deeply.
func (s *Spelling) write(value []byte) string {
	open, end := s.space, s.space
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '{':
		var all []string
		for name, v := range jsonrpc.Members(value) {
			key := jsonrpc.Quote(string(name))
			if at := jsonrpc.SpanOf(value, v).Start; at > 0 { // name as written
				key = string(bytes.TrimRight(value[:at], " \t\r\n"))
				key = rawName(strings.TrimSuffix(key, ":"))
			}
			if s.names {
				key = s.string(key)
			}
			all = append(all, key+open+":"+end+s.write(v))
		}
		if s.order != nil {
			s.order(all)
		}
		return "{" + open + strings.Join(all, end+","+open) + end + "}"
	case value[0] == '[':
		var all []string
		for v := range jsonrpc.Elements(value) {
			all = append(all, s.write(v))
		}
		return "[" + open + strings.Join(all, end+","+open) + end + "]"
	case value[0] == '"':
		return s.string(string(value))
	case s.number != nil && value[0] != 't' && value[0] != 'f' && value[0] != 'n':
		return s.number(string(value))
	}
	return string(value)
}

// rawName returns the string token at the end of a text.
func rawName(text string) string {
	text = strings.TrimRight(text, " \t\r\n")
	for i := len(text) - 2; i >= 0; i-- {
		if text[i] == '"' {
			if n := len(text[:i]) - len(strings.TrimRight(text[:i], `\`)); n%2 == 0 {
				return text[i:]
			}
		}
	}
	return text
}

// string writes a string token. A token with escapes that are not characters stays unchanged.
func (s *Spelling) string(token string) string {
	text, ok := jsonrpc.Unquote([]byte(token))
	if s.text == nil || !ok || strings.Contains(text, "\ufffd") {
		return token
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if as := s.text(r); as != "" {
			b.WriteString(as)
		} else {
			one := jsonrpc.Quote(string(r))
			switch r {
			case '<', '>', '&', '\u2028', '\u2029':
				one = `"` + string(r) + `"`
			}
			b.WriteString(one[1 : len(one)-1])
		}
	}
	b.WriteByte('"')
	return b.String()
}
