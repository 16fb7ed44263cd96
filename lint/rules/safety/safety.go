// Package safety checks the server's text for characters that a terminal would execute, and for text that a user
// does not see.
package safety

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// Rules check text that a terminal would execute, or that is displayed
// differently from its content. mcptea sanitizes all of it.
var Rules = []lint.Rule{
	{ID: "Y001", When: lint.Special, Message: firstInTexts(isTerminalControl)},
	{ID: "Y002", When: lint.Special, Message: firstInTexts(isBidi)},
	{ID: "Y003", After: invisibleCharacters, Methods: revision.ListMethods()},
	{ID: "Y004", After: confusableNames, Methods: revision.ListMethods()},
	{ID: "Y005", After: controlInName, Methods: revision.ListMethods()},
	{ID: "Y006", Limit: lint.PerMessage(lint.SomeEntries), Methods: textsForModels(), When: lint.Result, Message: concealedText},
	{ID: "Y007", Limit: lint.PerMessage(lint.SomeEntries), Methods: lint.ToolLists, After: similarNames},
	{ID: "Y008", Methods: lint.ToolLists, Message: lint.EachTool(falseReadOnly)},
	{ID: "Y009", Limit: lint.PerMessage(lint.SomeEntries), Methods: textsForModels(), When: lint.Result, Message: steeringText},
}

// textsForModels returns the methods whose results have texts that a model reads before any call.
func textsForModels() []string {
	return append([]string{"initialize", "server/discover"}, revision.ListMethods()...)
}

// mayHoldHidden reports whether a raw value may contain a character of Y001 or Y002: JSON can contain them only
// as bytes outside ASCII, or as the escapes \u and \b.
func mayHoldHidden(raw []byte) bool {
	for i, c := range raw {
		if c >= 0x80 || c == '\\' && i+1 < len(raw) && (raw[i+1] == 'u' || raw[i+1] == 'b') {
			return true
		}
	}
	return false
}

// firstInTexts reports the first character of a kind in the strings of a message, without names
// of members.
func firstInTexts(is func(rune) bool) func(*lint.Context) {
	return func(c *lint.Context) {
		if !mayHoldHidden(c.M.Bytes) {
			return
		}
		visitStrings(c.M.Bytes, nil, mayHoldHidden, func(path []any, token []byte) (found bool) {
			if isBinary(path) { // S022
				return false
			}
			for r := range jsonrpc.Runes(token) {
				if is(r) {
					place := lint.At(path...).Path()
					c.Report(lint.AtPointer(place), "place", place, "what", runeName(r))
					return true
				}
			}
			return false
		})
	}
}

// isBinary reports whether a path leads to the data of a block or resource, which is not text.
func isBinary(path []any) bool {
	if len(path) < 2 {
		return false
	}
	name := path[len(path)-1]
	return name == "blob" || name == "data" && slices.Contains(path, any("content"))
}

// visitStrings calls visit for the string tokens of a value for which may returns true. It stops
// when visit returns true.
func visitStrings(value []byte, path []any, may func(token []byte) bool, visit func(path []any, token []byte) bool) bool {
	if len(path) >= lint.MaxNesting || len(value) == 0 {
		return false
	}
	switch value[0] {
	case '"':
		return may(value) && visit(path, value)
	case '{':
		for name, v := range jsonrpc.Members(value) {
			if visitStrings(v, append(path, string(name)), may, visit) {
				return true
			}
		}
	case '[':
		for i, v := range lint.Indexed(value) {
			if visitStrings(v, append(path, i), may, visit) {
				return true
			}
		}
	}
	return false
}

// runeName describes a character that must not be shown directly.
func runeName(r rune) string {
	switch r {
	case 0x1b:
		return "an escape character (U+001B)"
	case 0x07:
		return "a bell (U+0007)"
	case '\n':
		return "a line break"
	}
	return fmt.Sprintf("U+%04X", r)
}

// isTerminalControl reports a character that a terminal executes: escape, C1
// controls, bell. Tabs and line breaks are allowed.
func isTerminalControl(r rune) bool {
	return r == 0x1b || r == 0x07 || r == 0x08 || r >= 0x80 && r <= 0x9f
}

func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// isInvisible reports a character without a shape. Joiners are for
// [countInvisible].
func isInvisible(r rune) bool {
	switch {
	case r == 0xad, r == 0xfeff, r == 0x180e, r >= 0x2060 && r <= 0x2064, r == 0x200b:
		return true
	case r >= 0xe0000 && r <= 0xe007f:
		return true // tags: whole sentences can be written in them
	}
	return false
}

// countInvisible counts the invisible characters, and returns the first.
func countInvisible(text string) (first rune, n int) {
	before := rune(0)
	for _, r := range text {
		// A joiner is valid between emoji and between letters of some scripts.
		hidden := isInvisible(r) || (r == 0x200c || r == 0x200d) && before < 0x250
		if hidden && (r < 0xe0000 || before != 0x1f3f4) {
			if n == 0 {
				first = r
			}
			n++
		}
		if !hidden || r < 0xe0000 {
			before = r
		}
	}
	return first, n
}

// textMembers lists the members of a list entry that are displayed.
var textMembers = []string{"name", "title", "description", "uri", "uriTemplate"}

// eachItem calls visit for the entries of a list in a result, with the place of one of
// their members.
func eachItem(c *lint.Context, visit func(item []byte, at func(member string) lint.Place)) {
	list, ok := revision.ListOf(c.M.Method)
	if !c.M.IsResult() || !ok || !c.M.Envelope.Special && bytes.IndexByte(c.M.Result, 0x7f) < 0 {
		return // all names are plain ASCII
	}
	for i, item := range lint.Indexed(c.M.Get(c.M.Result, list.Member)) {
		visit(item, func(member string) lint.Place { return lint.At("result", list.Member, i, member) })
	}
}

func invisibleCharacters(c *lint.Context) {
	eachItem(c, func(item []byte, place func(string) lint.Place) {
		for _, member := range textMembers {
			if first, n := countInvisible(jsonrpc.Text(item, member)); n > 0 {
				at := place(member)
				c.Report(at, "place", at.Path(), "count", n, "what", runeName(first))
			}
		}
	})
}

func controlInName(c *lint.Context) {
	eachItem(c, func(item []byte, place func(string) lint.Place) {
		for _, member := range []string{"name", "uri"} {
			text := jsonrpc.Text(item, member)
			if k := strings.IndexFunc(text, unicode.IsControl); k >= 0 {
				r, _ := utf8.DecodeRuneInString(text[k:])
				at := place(member)
				c.Report(at, "place", at.Path(), "what", runeName(r))
			}
		}
	})
}

// confusableNames reports names that mix scripts, and names that look alike.
func confusableNames(c *lint.Context) {
	seen := map[string]string{}
	eachItem(c, func(item []byte, place func(string) lint.Place) {
		name := jsonrpc.Text(item, "name")
		at := place("name")
		plain := skeleton(name)
		other, same := seen[plain]
		switch scripts := scriptsOf(name); {
		case same && other != name:
			c.Report(at, "name", lint.Quoted(name), "reason", "looks like "+lint.Quoted(other))
		case len(scripts) > 1:
			c.Report(at, "name", lint.Quoted(name), "reason", "mixes letters of "+strings.Join(scripts, " and "))
		}
		seen[plain] = name
	})
}

// scriptsOf names the scripts of the letters in a name, considering only scripts with letters that look alike.
func scriptsOf(name string) []string {
	var found []string
	for _, s := range []struct {
		name  string
		table *unicode.RangeTable
	}{{"Latin", unicode.Latin}, {"Cyrillic", unicode.Cyrillic}, {"Greek", unicode.Greek}, {"Armenian", unicode.Armenian}, {"Cherokee", unicode.Cherokee}} {
		if strings.IndexFunc(name, func(r rune) bool { return unicode.Is(s.table, r) }) >= 0 {
			found = append(found, s.name)
		}
	}
	return found
}

// confusables replaces characters that look like an ASCII character in most fonts with that character (Unicode UTS #39,
// confusables; only common ones).
var confusables = strings.NewReplacer(
	"а", "a", "е", "e", "о", "o", "р", "p", "с", "c", "у", "y", "х", "x", "і", "i", "ј", "j", "ѕ", "s", "ԁ", "d", "һ", "h",
	"А", "A", "В", "B", "Е", "E", "К", "K", "М", "M", "Н", "H", "О", "O", "Р", "P", "С", "C", "Т", "T", "Х", "X", "У", "Y", "І", "I",
	"α", "a", "ο", "o", "ν", "v", "ρ", "p", "ι", "i", "Α", "A", "Β", "B", "Ε", "E", "Ζ", "Z", "Η", "H", "Ι", "I", "Κ", "K",
	"Μ", "M", "Ν", "N", "Ο", "O", "Ρ", "P", "Τ", "T", "Υ", "Y", "Χ", "X",
	"ɡ", "g", "ı", "i", "ⅼ", "l", "０", "0", "１", "1", "＿", "_", "－", "-",
)

// skeleton returns a name without invisible characters. Confusable characters are replaced by the
// ASCII letters that they resemble.
func skeleton(name string) string {
	name = strings.Map(func(r rune) rune {
		if isInvisible(r) || isBidi(r) {
			return -1
		}
		return r
	}, name)
	return confusables.Replace(name)
}
