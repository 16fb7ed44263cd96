// Package jq filters JSON with the language of jq. A filter reads only its input: it has no environment and no
// files.
//
// A few characters of the language can allocate any amount of memory in one step that cannot be interrupted: a
// repeated string, or a small array that contains itself many times and is converted to text. So filters run in
// a separate process, which is this program again. It exits when it reaches a bound of memory or time, and an
// [Engine] kills it when the result is no longer needed.
package jq

import (
	"errors"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

// A SyntaxError describes an error in a filter, in addition to the parser's text.
type SyntaxError struct {
	At    int    // byte of the filter; its length at the end
	Text  string // message for a reader who sees the position
	Token int    // bytes of the filter up to the end of the unexpected token, or -1
	cause error
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.cause.Error() }

// Query is a filter that can be run.
type Query struct{ text string }

// Compile reads a filter. An error is a [SyntaxError].
func Compile(text string) (*Query, error) {
	if _, _, err := compile(text); err != nil {
		return nil, err
	}
	return &Query{text}, nil
}

// compile is like [Compile], for the process that runs the filter.
func compile(text string) (*gojq.Query, *gojq.Code, error) {
	query, err := gojq.Parse(text)
	if err != nil {
		wrong := &SyntaxError{At: len(text), Text: err.Error(), Token: -1, cause: err}
		if parse, ok := errors.AsType[*gojq.ParseError](err); ok {
			wrong.Token = parse.Offset
			if parse.Token == "" {
				wrong.Text = "It is not complete: something is missing here."
			} else {
				wrong.At = min(max(parse.Offset-len(parse.Token), 0), len(text))
			}
		}
		return nil, nil, wrong
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, nil, &SyntaxError{At: len(text), Text: err.Error(), Token: -1, cause: err}
	}
	return query, code, nil
}

// maxNames is the number of names proposed.
const maxNames = 20

// namesIn returns the members that can complete a filter that ends with a dot and the start of a name, and the
// offset of that name. It returns none for other filters. The names are untrusted.
func namesIn(in any, text string) (names []string, from int) {
	from = len(text)
	for from > 0 && isName(text[from-1]) {
		from--
	}
	if from == 0 || text[from-1] != '.' {
		return nil, from
	}
	before, typed := strings.TrimSpace(text[:from-1]), text[from:]
	if before == "" || strings.HasSuffix(before, "|") || strings.HasSuffix(before, "(") || strings.HasSuffix(before, ",") {
		before += "."
	}
	before = balanced(before)
	_, code, err := compile(before)
	if err != nil {
		return nil, from
	}
	ctx, stop := within(maxTime)
	defer stop()
	made := code.RunWithContext(ctx, in)
	for range maxValues {
		v, ok := made.Next()
		if _, failed := v.(error); failed || !ok {
			break
		}
		object, _ := v.(map[string]any)
		for name := range object {
			if strings.HasPrefix(name, typed) && name != typed && !slices.Contains(names, name) && isIdentifier(name) {
				names = append(names, name)
			}
		}
		if len(names) >= maxNames {
			break
		}
	}
	slices.Sort(names)
	return names[:min(len(names), maxNames)], from
}

// balanced returns the text after the last open parenthesis, so that its parentheses are balanced: "map(.a"
// completes like ".a" in each element.
func balanced(text string) string {
	depth := 0
	for i := len(text) - 1; i >= 0; i-- {
		switch text[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth < 0 {
				outer := strings.TrimRight(text[:i], "abcdefghijklmnopqrstuvwxyz_")
				called, inner := text[len(outer):i], text[i+1:]
				if called == "map" || called == "map_values" || called == "sort_by" || called == "group_by" || called == "min_by" || called == "max_by" || called == "unique_by" {
					inner = ".[] | " + inner
				}
				outer = strings.TrimSuffix(strings.TrimSpace(outer), "|")
				if strings.TrimSpace(outer) == "" {
					return balanced(inner)
				}
				return balanced(outer + " | " + inner)
			}
		}
	}
	return text
}

func isName(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isIdentifier reports whether a member can be named after a dot without quotation marks.
func isIdentifier(name string) bool {
	for i := range len(name) {
		if !isName(name[i]) {
			return false
		}
	}
	return name != "" && (name[0] < '0' || name[0] > '9')
}
