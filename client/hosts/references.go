package hosts

import "strings"

const (
	// maxReferences is the maximum number of references to variables in a value that are expanded.
	maxReferences = 1000
	// maxExpanded bounds the length of an expanded value, in bytes: no system starts a program with a longer argument.
	maxExpanded = 128 << 10
	// maxGrown bounds how much longer all values of a file become by their references, in bytes.
	maxGrown = 4 << 20
)

// scanner finds the references in a text in one pass: after a search up to the end of the text, it does not
// repeat it.
type scanner struct {
	text string
	at   int
	// Offsets of the next closing characters from at, or the length of the text.
	brace, braces, paren, line int
}

func scan(text string) *scanner { return &scanner{text: text} }

// hasReference reports whether a value depends on a variable.
func hasReference(text string) bool {
	_, _, ok := scan(text).next()
	return ok
}

// referencesIn returns at most most references in a value.
func referencesIn(text string, most int) (all []string) {
	for s := scan(text); len(all) < most; {
		start, end, ok := s.next()
		if !ok {
			break
		}
		all = append(all, text[start:end])
	}
	return all
}

// replaceReferences returns a text with other texts instead of its references.
func replaceReferences(text string, replace func(match string) string) string {
	var b strings.Builder
	done := 0
	for s := scan(text); ; {
		start, end, ok := s.next()
		if !ok {
			break
		}
		b.WriteString(text[done:start])
		b.WriteString(replace(text[start:end]))
		done = end
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// next returns the next reference: ${{…}} on one line, ${…}, $(…), $NAME, {env:…}, {file:…} or %NAME%.
func (s *scanner) next() (start, end int, ok bool) {
	for ; s.at < len(s.text); s.at++ {
		if end := s.end(s.text[s.at:]); end > 0 {
			start, s.at = s.at, end
			return start, end, true
		}
	}
	return 0, 0, false
}

// end returns the end of the reference at the start of the text, or 0.
func (s *scanner) end(rest string) int {
	switch {
	case strings.HasPrefix(rest, "${"):
		if strings.HasPrefix(rest, "${{") {
			if end := s.find(&s.braces, s.at+3, "}}"); end < s.find(&s.line, s.at+3, "\n") {
				return end + 2
			}
		}
		return s.closed(s.find(&s.brace, s.at+2, "}"))
	case strings.HasPrefix(rest, "$("):
		return s.closed(s.find(&s.paren, s.at+2, ")"))
	case strings.HasPrefix(rest, "{env:"), strings.HasPrefix(rest, "{file:"):
		return s.closed(s.find(&s.brace, s.at+5, "}"))
	case rest[0] == '$':
		if n := nameLength(rest[1:]); n > 0 {
			return s.at + 1 + n
		}
	case rest[0] == '%':
		if n := nameLength(rest[1:]); n > 0 && strings.HasPrefix(rest[1+n:], "%") {
			return s.at + 2 + n
		}
	}
	return 0
}

// closed returns the end of a reference whose closing character is at an offset, or 0 if it has no end.
func (s *scanner) closed(at int) int {
	if at == len(s.text) {
		return 0
	}
	return at + 1
}

// find returns the offset of the next text after an offset, or the length of the text. known caches
// the previous result.
func (s *scanner) find(known *int, from int, text string) int {
	if *known < from {
		if i := strings.Index(s.text[from:], text); i >= 0 {
			*known = from + i
		} else {
			*known = len(s.text)
		}
	}
	return *known
}

// nameLength returns the length of the variable name at the start of a text, or 0.
func nameLength(text string) int {
	isName := func(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
	n := 0
	for n < len(text) && (isName(text[n]) || n > 0 && text[n] >= '0' && text[n] <= '9') {
		n++
	}
	return n
}
