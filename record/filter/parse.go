package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error describes a mistake in a part of a filter.
type Error struct {
	At, End int // the bytes of the part
	Text    string
}

// Error implements error.
func (e *Error) Error() string { return e.Text }

// Errors returns the wrong parts of a filter, in their order.
func Errors(err error) []*Error {
	var list wrong
	errors.As(err, &list)
	return list
}

type wrong []*Error

func (w wrong) Error() string {
	if n := len(w) - 1; n > 0 {
		return fmt.Sprintf("%s (%d more)", w[0].Text, n)
	}
	return w[0].Text
}

// A node is a part of a filter, or a group of parts.
type node struct {
	not  bool
	any  bool   // one matching node is sufficient
	list []node // nodes of a group; nil for a part
	part part
}

// Parse parses a filter for frames. The error lists the wrong parts and the possible values; see [Errors].
func Parse(text string) (Filter, error) { return Frames.Parse(text) }

// Parse is like the function [Parse], but for a filter in this language.
func (l Language) Parse(text string) (Filter, error) {
	p := parser{language: l, tokens: split(text), left: maxParts}
	n := p.either(0)
	if len(p.wrong) > 0 {
		slices.SortStableFunc(p.wrong, func(a, b *Error) int { return a.At - b.At })
		return Filter{}, p.wrong
	}
	f := Filter{root: n, nots: n.hasNot()}
	f.root.walk(func(x *part) {
		x.bit = uint8(f.parts)
		f.parts++
		f.changes = f.changes || x.changes
		f.linted = f.linted || x.linted
	})
	return f, nil
}

// words adds the words that are not excluded.
func (n *node) words(words []string) []string {
	if n.not {
		return words
	}
	if n.list == nil && len(n.part.word) > 0 {
		words = append(words, string(n.part.word))
	}
	for i := range n.list {
		words = n.list[i].words(words)
	}
	return words
}

func (n *node) walk(visit func(p *part)) {
	if n.list == nil {
		visit(&n.part)
	}
	for i := range n.list {
		n.list[i].walk(visit)
	}
}

// token is a part of the text of a filter.
type token struct {
	at   int
	text string
}

// split cuts at blanks and parentheses that are not inside quotes. A parenthesis inside of
// a word is part of it.
func split(text string) []token {
	var tokens []token
	quoted, from, depth := false, -1, 0
	flush := func(to int) {
		if from < 0 {
			return
		}
		word := token{from, text[from:to]}
		from = -1
		closing := 0
		for depth > 0 && len(word.text) > 1 && strings.HasSuffix(word.text, ")") {
			word.text, depth = word.text[:len(word.text)-1], depth-1
			closing++
		}
		tokens = append(tokens, word)
		for i := range closing {
			tokens = append(tokens, token{word.at + len(word.text) + i, ")"})
		}
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '"':
			quoted = !quoted
			if from < 0 {
				from = i
			}
		case unicode.IsSpace(r) && !quoted:
			flush(i)
		case from < 0 && r == '-' && strings.HasPrefix(text[i+1:], "("):
			tokens = append(tokens, token{i, "-("})
			depth++
			n++
		case from < 0 && r == '(':
			tokens = append(tokens, token{i, "("})
			depth++
		case from < 0 && r == ')' && depth > 0:
			tokens = append(tokens, token{i, ")"})
			depth--
		case from < 0:
			from = i
		}
		i += n
	}
	flush(len(text))
	return tokens
}

type parser struct {
	language Language
	tokens   []token
	wrong    wrong
	left     int // remaining number of parts of named filters
}

func (p *parser) fail(at, end int, format string, args ...any) {
	p.wrong = append(p.wrong, &Error{at, end, fmt.Sprintf(format, args...)})
}

// next returns the text of the next token; empty at the end.
func (p *parser) next() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.tokens[0].text
}

// either reads parts with "or" between them, up to the end of a group.
func (p *parser) either(depth int) node {
	n := node{any: true, list: []node{p.all(depth)}}
	for p.next() == "or" {
		or := p.tokens[0]
		p.tokens = p.tokens[1:]
		more := p.all(depth)
		if len(more.list) == 0 || len(n.list[len(n.list)-1].list) == 0 {
			p.fail(or.at, or.at+len(or.text), "or needs a part before it and after it.")
		}
		n.list = append(n.list, more)
	}
	if len(n.list) == 1 {
		return n.list[0]
	}
	return n
}

// all reads parts that all must hold.
func (p *parser) all(depth int) node {
	n := node{list: []node{}}
	for len(p.tokens) > 0 {
		t := p.tokens[0]
		switch t.text {
		case "or":
			return n
		case ")":
			if depth > 0 {
				return n
			}
		}
		p.tokens = p.tokens[1:]
		switch t.text {
		case "and", "-": // a part follows after the dash
		case "(", "-(":
			group := p.either(depth + 1)
			group.not = strings.HasPrefix(t.text, "-")
			n.list = append(n.list, group)
			if p.next() != ")" {
				p.fail(t.at, t.at+len(t.text), "( has no ) that closes it.")
				continue
			}
			p.tokens = p.tokens[1:]
		default:
			n.list = append(n.list, p.part(t))
		}
	}
	return n
}

func (p *parser) part(t token) node {
	n := node{}
	text := t.text
	if rest, ok := strings.CutPrefix(text, "-"); ok && rest != "" {
		n.not, text = true, rest
	}
	end := t.at + len(t.text)
	if d, ok := p.language.names.lookup(text); ok {
		n = p.named(t, d)
		n.not = n.not != (text != t.text)
		return n
	}
	name, value, found := p.language.cut(text)
	property, known := p.language.property(name)
	switch {
	case found && !known && p.language.HasProperties() && isWord(name) && !strings.HasPrefix(value, "/"):
		p.fail(t.at, end, "%s: is %s Known: %s. Quotes search for the text: %s.", name, p.language.lacks(name), strings.Join(slices.Sorted(slices.Values(p.language.order)), ", "), Quote(text))
		return n
	case found && known:
		at := end - len(value)
		value, _ = unquote(value)
		if value == "" {
			p.fail(t.at, end, "%s: takes %s.", name, property.takes)
			return n
		}
		match := anyOf(property, value)
		if match == nil {
			p.fail(at, end, "%s: takes %s.", name, property.takes)
		}
		n.part = part{match: match, changes: property.changes, linted: property.linted}
		return n
	}
	word, ok := unquote(text)
	if !ok {
		p.fail(t.at, end, "The closing quotation mark is missing: %s", t.text)
	}
	n.part = wordPart(word)
	return n
}

// named returns the filter that a part names.
func (p *parser) named(t token, d Named) node {
	end := t.at + len(t.text)
	inner := parser{language: p.language, tokens: split(d.Text), left: p.left}
	inner.left -= len(inner.tokens)
	n := node{}
	if inner.left >= 0 {
		n = inner.either(0)
	}
	if p.left = inner.left; p.left < 0 {
		p.fail(t.at, end, "@%s makes it a filter of more than %d parts.", d.Name, maxParts)
	} else if len(inner.wrong) > 0 {
		p.fail(t.at, end, "@%s: %s", d.Name, inner.wrong[0].Text)
	}
	return n
}

// anyOf returns the matcher of one or several values, or nil if one of them is invalid.
func anyOf(p property, value string) matcher {
	if p.whole {
		return p.build(value)
	}
	var list []matcher
	for one := range strings.SplitSeq(value, ",") {
		m := p.build(one)
		if m == nil {
			return nil
		}
		list = append(list, m)
	}
	if len(list) == 1 {
		return list[0]
	}
	return func(fr *Frame) bool { return slices.ContainsFunc(list, func(m matcher) bool { return m(fr) }) }
}

// unquote removes the quotation marks of a part; a doubled mark inside quotes becomes one. It returns false if
// the last mark is missing.
func unquote(token string) (text string, ok bool) {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(token); i++ {
		switch {
		case token[i] != '"':
			b.WriteByte(token[i])
		case quoted && strings.HasPrefix(token[i+1:], `"`):
			b.WriteByte('"')
			i++
		default:
			quoted = !quoted
		}
	}
	return b.String(), !quoted
}

// Quote returns a filter for a text, whatever is in it.
func Quote(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// isWord reports whether a key looks like the name of a property.
func isWord(key string) bool {
	for _, r := range key {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return key != ""
}
