package compose

import (
	"strings"

	"mcptea/client/jsonrpc"
)

// A Place is the cursor position in a JSON text, which may be incomplete.
type Place struct {
	From, To int    // the token at the cursor, with its quotation marks
	Typed    string // the text of the token up to the cursor
	Quoted   bool   // the token is a string

	Path     []string // names of the members, and "[]" for elements, down to the value
	Key      bool     // the name of a member is being written; Path leads to its object
	siblings []string // names of the members of the object so far
}

// level is an object or an array that is open.
type level struct {
	array    bool
	name     string // name of the member being read
	wantName bool
	names    []string
}

// PlaceAt finds the place of the cursor in a text.
func PlaceAt(text string, at int) Place {
	var stack []level
	i := 0
	for i < at {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			if end > at || end == at && text[at-1] != '"' || end == i+1 {
				return placeIn(stack, text, i, at, true)
			}
			if n := len(stack); n > 0 && stack[n-1].wantName {
				name, _ := jsonrpc.Unquote([]byte(text[i:end]))
				stack[n-1].name = name
				stack[n-1].names = append(stack[n-1].names, name)
				stack[n-1].wantName = false
			}
			i = end
			continue
		case c == '{' || c == '[':
			stack = append(stack, level{array: c == '[', wantName: c == '{'})
		case c == '}' || c == ']':
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case c == ',':
			if n := len(stack); n > 0 && !stack[n-1].array {
				stack[n-1].wantName, stack[n-1].name = true, ""
			}
		case isWord(c):
			start := i
			for i < len(text) && isWord(text[i]) {
				i++
			}
			if i >= at {
				return placeIn(stack, text, start, at, false)
			}
			continue
		}
		i++
	}
	return placeIn(stack, text, at, at, false)
}

// stringEnd returns the end of the string that starts at i. If it is not closed on its line, it ends before the
// line feed.
func stringEnd(text string, i int) int {
	end, _ := jsonrpc.StringEnd(text, i)
	if line := strings.IndexByte(text[i:end], '\n'); line >= 0 {
		return i + line
	}
	return end
}

func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '/'
}

// placeIn describes a token that starts at from.
func placeIn(stack []level, text string, from, at int, quoted bool) Place {
	p := Place{From: from, To: at, Quoted: quoted, Typed: text[from:at]}
	for p.To < len(text) && (isWord(text[p.To]) || quoted && text[p.To] == ':' && p.To > at) {
		p.To++
	}
	if quoted {
		p.Typed = text[from+1 : at]
		if p.To < len(text) && text[p.To] == '"' {
			p.To++
		} else {
			p.To = at // the string is not closed: the rest is not part of it
		}
	}
	for i, l := range stack {
		last := i == len(stack)-1
		switch {
		case l.array:
			p.Path = append(p.Path, "[]")
		case last && l.wantName:
			p.Key, p.siblings = true, l.names
		default:
			p.Path = append(p.Path, l.name)
		}
	}
	return p
}

// stringsIn returns the strings of a JSON text by their path, joined with slashes,
// down to a depth of 4. The text need not be complete.
func stringsIn(text string) map[string]string {
	found := map[string]string{}
	var stack []level
	for i := 0; i < len(text); {
		n := len(stack)
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			token, _ := jsonrpc.Unquote([]byte(text[i:end]))
			switch {
			case n > 0 && stack[n-1].wantName:
				stack[n-1].name, stack[n-1].wantName = token, false
			case n > 0 && n <= 4:
				found[joined(stack)] = token
			}
			i = end
			continue
		case c == '{' || c == '[':
			stack = append(stack, level{array: c == '[', wantName: c == '{'})
		case (c == '}' || c == ']') && n > 0:
			stack = stack[:n-1]
		case c == ',' && n > 0 && !stack[n-1].array:
			stack[n-1].wantName = true
		}
		i++
	}
	return found
}

func joined(stack []level) string {
	path := ""
	for i, l := range stack {
		if i > 0 {
			path += "/"
		}
		if l.array {
			path += "[]"
		} else {
			path += l.name
		}
	}
	return path
}
