package script

import (
	"errors"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
)

var (
	errQuote   = errors.New("a single quote is not closed; write '' for one in a quoted word")
	errBracket = errors.New("a bracket of the JSON is not closed")
)

// split splits a line into words. Blanks separate them, but not in single quotes, and
// not in JSON: a word, or what follows := in it, that begins with a brace, a bracket or
// a double quote extends to the end of the value. A word that begins with # begins a
// comment.
func split(line string) ([]string, error) {
	var words []string
	for i := 0; i < len(line); {
		switch line[i] {
		case ' ', '\t':
			i++
		case '#':
			return words, nil
		default:
			word, n, err := word(line[i:])
			if err != nil {
				return nil, err
			}
			words = append(words, word)
			i += n
		}
	}
	return words, nil
}

// word reads the word at the beginning of a text; n is its length in the text.
func word(text string) (word string, n int, err error) {
	var b strings.Builder
	for n < len(text) && text[n] != ' ' && text[n] != '\t' {
		atValue := b.Len() == 0 || strings.HasSuffix(b.String(), ":=")
		switch c := text[n]; {
		case c == '\'':
			quoted, length, err := quoted(text[n:])
			if err != nil {
				return "", 0, err
			}
			b.WriteString(quoted)
			n += length
		case atValue && (c == '{' && !strings.HasPrefix(text[n:], "{{") || c == '[' || c == '"'):
			length := balanced(text[n:])
			if length < 0 {
				return "", 0, errBracket
			}
			b.WriteString(text[n : n+length])
			n += length
		case strings.HasPrefix(text[n:], `\{{`):
			b.WriteString(`\{{`)
			n += len(`\{{`)
		case strings.HasPrefix(text[n:], "{{"):
			length := strings.Index(text[n:], "}}")
			if length < 0 {
				return "", 0, errBracket
			}
			b.WriteString(text[n : n+length+2])
			n += length + 2
		default:
			b.WriteByte(c)
			n++
		}
	}
	return b.String(), n, nil
}

// quoted reads text in single quotes.
func quoted(text string) (inner string, n int, err error) {
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] != '\'':
			b.WriteByte(text[i])
		case strings.HasPrefix(text[i:], "''"):
			b.WriteByte('\'')
			i++
		default:
			return b.String(), i + 1, nil
		}
	}
	return "", 0, errQuote
}

// balanced returns the length of the JSON value at the start of a text, judged by its brackets and quotes, or
// -1 if they are not closed.
func balanced(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			end, isClosed := jsonrpc.StringEnd(text, i)
			if !isClosed {
				return -1
			}
			if depth == 0 {
				return end
			}
			i = end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// errUndefined returns the error for a variable without a value.
func errUndefined(name string) error {
	return fmt.Errorf("the variable %q is not set; capture sets one", name)
}
