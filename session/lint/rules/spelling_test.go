package rules

import (
	"bytes"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// spelling writes a JSON value in another way that means the same.
type spelling struct {
	name   string
	text   func(r rune) string // how a character of a string is written; empty for itself
	names  bool                // text holds for the names of members, too
	number func(n string) string
	order  func(members []string) // of an object
	space  string                 // between tokens
	side   transport.Direction
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

// spellings are those of encoders that are in use, and those that JSON permits.
var spellings = []spelling{
	{name: "solidus", text: only("/", func(rune) string { return `\/` }), names: true},                                   // PHP
	{name: "solidus in values", text: only("/", func(rune) string { return `\/` })},                                      // PHP
	{name: "non-ASCII, lower", text: above(hex(`\u%04x`)), names: true},                                                  // Python, PHP
	{name: "non-ASCII, upper", text: above(hex(`\u%04X`)), names: true},                                                  // .NET
	{name: "HTML-safe", text: only("<>&'+`", hex(`\u%04X`)), names: true},                                                // .NET, Go
	{name: "quotes as hex", text: only(`"`, hex(`\u%04X`)), names: true},                                                 // .NET
	{name: "every character", text: hex(`\u%04x`)}, {name: "every character and name", text: hex(`\u%04x`), names: true}, // no encoder
	{name: "letters", text: only("aeiounrst", hex(`\u%04x`))}, {name: "digits", text: only("0123456789-.", hex(`\u%04X`))}, // no encoder
	{name: "members reversed", order: func(m []string) { slices.Reverse(m) }}, {name: "members sorted", order: func(m []string) { slices.Sort(m) }},
	{name: "blanks", space: " "}, {name: "tabs and line ends", space: "\t\r\n "},
	{name: "numbers 1.0", number: integer(".0")}, {name: "numbers 1e0", number: integer("e0")}, {name: "numbers 1E+0", number: integer("E+0")},
}

// write returns a valid value in a spelling.
func (s *spelling) write(value []byte) string {
	open, end := s.space, s.space
	switch {
	case len(value) == 0:
		return ""
	case value[0] == '{':
		var all []string
		for name, v := range jsonrpc.Members(value) {
			key := jsonrpc.Quote(string(name))
			if at := jsonrpc.SpanOf(value, v).Start; at > 0 { // as it is written
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

// rawName is the string token at the end of a text.
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

// string writes a string token. What has escapes that name no character stays as it is.
func (s *spelling) string(token string) string {
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
			one := jsonrpc.StringID(string(r)).String()
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

// allSpellings has TestTrace_Spellings write the messages of each side in each spelling.
var allSpellings = flag.String("spellings", "some", "how traces are written: some, or all")

// someSpellings are those of a usual run: what encoders in use write, and one of everything
// else.
var someSpellings = []string{"solidus", "non-ASCII, upper", "every character and name", "members reversed", "tabs and line ends", "numbers 1.0"}

// aboutSpelling are the rules whose findings are about the bytes themselves, with the reason.
var aboutSpelling = map[string]string{}

// How a message is written does not change what is found in it, nor where.
func TestTrace_Spellings(t *testing.T) {
	sides := []string{""}
	if *allSpellings == "all" {
		sides = []string{"C>", "S>", ""}
	}
	all := slices.Concat(traces(t, "fires"), traces(t, "silent"))
	wants := make([][]string, len(all))
	for i, tr := range all {
		wants[i] = places(replay(t, tr))
	}
	for i := range spellings {
		s := &spellings[i]
		if *allSpellings != "all" && !slices.Contains(someSpellings, s.name) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for i, tr := range all {
				for _, side := range sides {
					if got := places(respelled(t, tr, s, side)); !slices.Equal(got, wants[i]) {
						t.Errorf("%s %s (%s), side %q: + %v - %v", tr.file, tr.rule, tr.context, side, without(got, wants[i]), without(wants[i], got))
					}
				}
			}
		})
	}
}

func without(a, b []string) (left []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			left = append(left, x)
		}
	}
	return left
}

// places are the rules that have fired, and where.
func places(p *player) []string {
	var all []string
	for _, f := range p.found {
		if aboutSpelling[f.Rule.ID] == "" {
			all = append(all, fmt.Sprintf("%s @%d %s", f.Rule.ID, f.Row, f.Path))
		}
	}
	slices.Sort(all)
	return all
}
