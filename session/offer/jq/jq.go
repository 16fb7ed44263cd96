// Package jq filters JSON with the language of jq. A filter reads nothing but its input: there is no
// environment and no file.
package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/itchyny/gojq"
)

// SyntaxError is what is wrong with a filter, beside the words of the language.
type SyntaxError struct {
	At    int    // byte of the filter; its length at the end
	Text  string // for who sees the place
	Token int    // bytes of the filter until behind the unexpected token; -1 without one
	cause error
}

// Error implements error.
func (e *SyntaxError) Error() string { return e.cause.Error() }

// Query is a filter. It is safe for concurrent use.
type Query struct{ code *gojq.Code }

// Compile reads a filter. An error is a [SyntaxError].
func Compile(text string) (*Query, error) {
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
		return nil, wrong
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, &SyntaxError{At: len(text), Text: err.Error(), Token: -1, cause: err}
	}
	return &Query{code}, nil
}

// Input is a decoded JSON value, for more than one filter. Filters do not change it.
type Input struct{ value any }

// Decode reads a JSON value. Numbers are kept as they were sent.
func Decode(raw []byte) (in Input, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&in.value)
	return in, err
}

// Values are what the filter makes of a value, until an error, without bounds: there may be no end of
// them. One that halts ends with an error of which [Halts] is true.
func (q *Query) Values(ctx context.Context, in Input) iter.Seq2[any, error] {
	return func(yield func(any, error) bool) {
		made := q.code.RunWithContext(ctx, in.value)
		for v, ok := made.Next(); ok; v, ok = made.Next() {
			if err, failed := v.(error); failed {
				yield(nil, err)
				return
			}
			if !yield(v, nil) {
				return
			}
		}
	}
}

// Halts reports whether an error is the end that a filter wants ("halt"), without a value.
func Halts(err error) bool {
	halt, is := errors.AsType[*gojq.HaltError](err)
	return is && halt.Value() == nil
}

// Marshal is a value as JSON.
func Marshal(v any) ([]byte, error) { return gojq.Marshal(v) }

// The bounds of a run: a filter may make values without end.
const (
	maxValues = 1000
	maxSize   = 4 << 20 // bytes of the values in all
	maxTime   = 2 * time.Second
)

// errMore says that a filter makes more than the bounds allow.
var errMore = fmt.Errorf("more than %d values or %d MB; the first ones are shown", maxValues, maxSize>>20)

// Run returns what the filter makes of a value, each as JSON, within bounds. With an error they are those
// until then.
func (q *Query) Run(ctx context.Context, in Input) (values [][]byte, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, maxTime, fmt.Errorf("the filter takes longer than %v", maxTime))
	defer stop()
	size := 0
	for v, err := range q.Values(ctx, in) {
		switch {
		case Halts(err):
			return values, nil
		case err != nil && ctx.Err() != nil:
			return values, context.Cause(ctx)
		case err != nil:
			return values, err
		}
		b, err := Marshal(v)
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

// maxNames is how many names are proposed.
const maxNames = 20

// Names are the members that can follow where a filter ends with a dot and the beginning of a name, and
// where that name begins; none where it ends otherwise. They are untrusted.
func Names(ctx context.Context, in Input, text string) (names []string, from int) {
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
	values, _ := q.Run(ctx, in)
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
