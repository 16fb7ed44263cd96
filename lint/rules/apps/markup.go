package apps

import (
	"html"
	"iter"
	"strings"
)

// element is a start tag.
type element struct {
	Name       string // name in lower case
	Attributes []attribute
	// Text is the unchanged text of an element that contains no tags, such as script and style. It aliases the
	// document.
	Text string
}

// attribute is an attribute of a tag.
type attribute struct {
	Name  string // name in lower case
	Value string // references such as &amp; are resolved
}

// Bounds of the parsed markup.
const (
	maxDocument   = 4 << 20 // bytes; the rest is not read
	maxAttributes = 100     // bound for the attributes of a tag; the others are left out
	maxName       = 100     // bytes of a name; longer ones are cut
)

// Get returns the value of the first attribute with a name.
func (t *element) Get(name string) (value string, ok bool) {
	for _, a := range t.Attributes {
		if a.Name == name {
			return a.Value, true
		}
	}
	return "", false
}

// rawText lists the elements whose text has no tags.
var rawText = map[string]bool{
	"script": true, "style": true, "title": true, "textarea": true,
	"xmp": true, "iframe": true, "noembed": true, "noframes": true, "noscript": true,
}

// elements iterates over the start tags of a document. A declaration such as <!DOCTYPE html> is a
// tag with the name "!doctype" without attributes.
func elements(document string) iter.Seq[element] {
	return func(yield func(element) bool) {
		s := scanner{text: document[:min(len(document), maxDocument)]}
		for {
			tag, ok := s.next()
			if !ok || !yield(tag) {
				return
			}
		}
	}
}

type scanner struct {
	text string
	i    int
}

// next returns the next start tag.
func (s *scanner) next() (element, bool) {
	for {
		at := strings.IndexByte(s.text[s.i:], '<')
		if at < 0 {
			return element{}, false
		}
		s.i += at + 1
		rest := s.text[s.i:]
		switch {
		case strings.HasPrefix(rest, "!--"):
			s.comment()
		case len(rest) > 8 && strings.EqualFold(rest[:8], "!doctype"):
			s.skipPast(">")
			return element{Name: "!doctype"}, true
		case strings.HasPrefix(rest, "!"), strings.HasPrefix(rest, "?"):
			s.skipPast(">")
		case len(rest) > 1 && rest[0] == '/' && isLetter(rest[1]):
			s.i++
			s.tag() // an end tag, which may have attributes
		case rest != "" && isLetter(rest[0]):
			tag := s.tag()
			if rawText[tag.Name] {
				tag.Text = s.raw(tag.Name)
			}
			return tag, true
		}
	}
}

// comment passes a comment, which may be <!--> or end with --!>.
func (s *scanner) comment() {
	s.i += len("!--")
	for _, short := range []string{">", "->"} {
		if strings.HasPrefix(s.text[s.i:], short) {
			s.i += len(short)
			return
		}
	}
	for {
		s.skipPast("--")
		for s.i < len(s.text) && s.text[s.i] == '-' {
			s.i++
		}
		rest := s.text[s.i:]
		if rest == "" || rest[0] == '>' || strings.HasPrefix(rest, "!>") {
			return
		}
	}
}

func (s *scanner) skipPast(end string) {
	at := strings.Index(s.text[s.i:], end)
	if at < 0 {
		s.i = len(s.text)
		return
	}
	s.i += at + len(end)
}

// tag reads a tag after "<" or "</".
func (s *scanner) tag() element {
	start := s.i
	for s.i < len(s.text) && !isSpace(s.text[s.i]) && s.text[s.i] != '/' && s.text[s.i] != '>' {
		s.i++
	}
	t := element{Name: lower(s.text[start:s.i])}
	for {
		for s.i < len(s.text) && (isSpace(s.text[s.i]) || s.text[s.i] == '/') {
			s.i++
		}
		if s.i >= len(s.text) {
			return t
		}
		if s.text[s.i] == '>' {
			s.i++
			return t
		}
		a := s.attribute()
		if len(t.Attributes) < maxAttributes {
			t.Attributes = append(t.Attributes, a)
		}
	}
}

// attribute reads a name, of at least one byte, and its value.
func (s *scanner) attribute() (a attribute) {
	start := s.i
	s.i++
	for s.i < len(s.text) && !isSpace(s.text[s.i]) && strings.IndexByte("/>=", s.text[s.i]) < 0 {
		s.i++
	}
	a.Name = lower(s.text[start:s.i])
	after := s.i
	s.space()
	if s.i >= len(s.text) || s.text[s.i] != '=' {
		s.i = after
		return a
	}
	s.i++
	s.space()
	if s.i >= len(s.text) {
		return a
	}
	start = s.i
	if quote := s.text[s.i]; quote == '"' || quote == '\'' {
		start++
		s.i++
		s.skipPast(string(quote))
		a.Value = html.UnescapeString(strings.TrimSuffix(s.text[start:s.i], string(quote)))
		return a
	}
	for s.i < len(s.text) && !isSpace(s.text[s.i]) && s.text[s.i] != '>' {
		s.i++
	}
	a.Value = html.UnescapeString(s.text[start:s.i])
	return a
}

// raw reads text up to the end tag of an element, which is read next.
func (s *scanner) raw(name string) string {
	start := s.i
	for {
		at := strings.Index(s.text[s.i:], "</")
		if at < 0 {
			s.i = len(s.text)
			return s.text[start:]
		}
		s.i += at
		rest := s.text[s.i+2:]
		if len(rest) >= len(name) && strings.EqualFold(rest[:len(name)], name) &&
			(len(rest) == len(name) || isSpace(rest[len(name)]) || rest[len(name)] == '>' || rest[len(name)] == '/') {
			return s.text[start:s.i]
		}
		s.i += 2
	}
}

func (s *scanner) space() {
	for s.i < len(s.text) && isSpace(s.text[s.i]) {
		s.i++
	}
}

func lower(name string) string { return strings.ToLower(name[:min(len(name), maxName)]) }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
