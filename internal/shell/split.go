package shell

import (
	"errors"
	"fmt"
	"strings"
)

// Split splits a command line into its words, like a POSIX shell. It handles blanks, single and
// double quotes, backslashes, and, outside of single quotes, $NAME and ${NAME}, which getenv
// resolves. It expands nothing else. A variable never splits a word, even if its value has blanks.
// The error says what is missing.
func Split(line string, getenv func(name string) (string, bool)) ([]string, error) {
	s := splitter{rest: line, getenv: getenv}
	for s.rest != "" && s.err == nil {
		s.next()
	}
	s.endWord()
	if s.err != nil {
		return nil, s.err
	}
	return s.words, nil
}

type splitter struct {
	rest   string
	getenv func(string) (string, bool)
	words  []string
	word   strings.Builder
	begun  bool // a word has begun, which may be empty
	err    error
}

func (s *splitter) endWord() {
	if s.begun {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.begun = false
}

// next takes the next character outside of quotes, or a whole quotation.
func (s *splitter) next() {
	c := s.rest[0]
	switch c {
	case ' ', '\t', '\n':
		s.rest = s.rest[1:]
		s.endWord()
		return
	case '\'':
		text, rest, found := strings.Cut(s.rest[1:], "'")
		s.word.WriteString(text)
		if s.rest = rest; !found {
			s.err = errors.New("the closing ' is missing")
		}
	case '"':
		s.rest = s.rest[1:]
		s.quoted()
	case '$':
		s.variable()
	case '\\':
		s.escaped()
	default:
		s.word.WriteByte(c)
		s.rest = s.rest[1:]
	}
	s.begun = true
}

func (s *splitter) escaped() {
	if len(s.rest) > 1 {
		s.word.WriteByte(s.rest[1])
	}
	s.rest = s.rest[min(2, len(s.rest)):]
}

// quoted reads the rest of a double-quoted string.
func (s *splitter) quoted() {
	for s.rest != "" && s.err == nil {
		switch c := s.rest[0]; {
		case c == '"':
			s.rest = s.rest[1:]
			return
		case c == '$':
			s.variable()
		case c == '\\' && len(s.rest) > 1 && strings.IndexByte("$`\"\\\n", s.rest[1]) >= 0:
			s.escaped()
		default:
			s.word.WriteByte(c)
			s.rest = s.rest[1:]
		}
	}
	if s.err == nil {
		s.err = errors.New(`the closing " is missing`)
	}
}

func (s *splitter) variable() {
	text := s.rest[1:]
	name, rest := text, ""
	if inner, ok := strings.CutPrefix(text, "{"); ok {
		name, rest, ok = strings.Cut(inner, "}")
		if !ok {
			s.err = errors.New("the closing } is missing")
			return
		}
	} else {
		end := strings.IndexFunc(text, func(r rune) bool {
			return r != '_' && !isAlphanumeric(r)
		})
		if end >= 0 {
			name, rest = text[:end], text[end:]
		}
	}
	if name == "" {
		s.word.WriteByte('$')
		s.rest = text
		return
	}
	value, ok := s.getenv(name)
	if !ok {
		s.err = fmt.Errorf("the environment variable %s is not set", name)
		return
	}
	s.word.WriteString(value)
	s.rest = rest
}
