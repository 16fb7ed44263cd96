// Package jq filters JSON with the language of jq. A filter reads nothing but its input: there is no
// environment and no file.
package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// SyntaxError is what is wrong with a filter.
type SyntaxError struct {
	At   int // byte of the filter; its length at the end
	Text string
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.Text }

// Query is a filter. It is safe for concurrent use.
type Query struct{ code *gojq.Code }

// Compile reads a filter. An error is a [SyntaxError].
func Compile(text string) (*Query, error) {
	query, err := gojq.Parse(text)
	var parse *gojq.ParseError
	switch {
	case errors.As(err, &parse) && parse.Token == "":
		return nil, &SyntaxError{At: len(text), Text: "It is not complete: something is missing here."}
	case errors.As(err, &parse):
		return nil, &SyntaxError{At: min(max(parse.Offset-len(parse.Token), 0), len(text)), Text: err.Error()}
	case err != nil:
		return nil, &SyntaxError{At: len(text), Text: err.Error()}
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &SyntaxError{At: len(text), Text: err.Error()}
	}
	return &Query{code}, nil
}

// The bounds of a run: a filter may make values without end.
const (
	maxValues = 1000
	maxSize   = 4 << 20 // bytes of the values in all
	maxTime   = 2 * time.Second
)

// errMore says that a filter makes more than the bounds allow.
var errMore = fmt.Errorf("more than %d values or %d MB; the first ones are shown", maxValues, maxSize>>20)

// Run returns what the filter makes of a JSON value, each as JSON. With an error they are those until
// then.
func (q *Query) Run(ctx context.Context, raw []byte) (values [][]byte, err error) {
	input, err := decode(raw)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("the filter takes longer than %v", maxTime))
	defer stop()
	size, made := 0, q.code.RunWithContext(ctx, input)
	for v, ok := made.Next(); ok; v, ok = made.Next() {
		if err, failed := v.(error); failed {
			var halt *gojq.HaltError
			switch {
			case errors.As(err, &halt) && halt.Value() == nil:
				return values, nil
			case ctx.Err() != nil:
				return values, context.Cause(ctx)
			}
			return values, err
		}
		b, err := gojq.Marshal(v)
		if err != nil {
			return values, err
		}
		if size += len(b); len(values) == maxValues || size > maxSize {
			return values, errMore
		}
		values = append(values, b)
	}
	return values, nil
}

func decode(raw []byte) (value any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&value)
	return value, err
}

// maxNames is how many names are proposed.
const maxNames = 20

// Names are the members that can follow where a filter ends with a dot and the beginning of a name, and
// where that name begins; none where it ends otherwise. They are untrusted.
func Names(ctx context.Context, raw []byte, text string) (names []string, from int) {
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
	q, err := Compile(before)
	if err != nil {
		return nil, from
	}
	values, _ := q.Run(ctx, raw)
	for _, v := range values {
		var object map[string]json.RawMessage
		if json.Unmarshal(v, &object) != nil {
			continue
		}
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

// balanced is a filter whose parentheses are closed, from the last one that is open: what is selected in
// "map(.a" is what ".a" of each element is.
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
