package filter

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Named is a filter with a name, as the user has written it.
type Named struct {
	Name, Text string
	Line       int // line in the file that defines it
}

// Names holds filters by name: "@name" in another filter stands for the named filter in parentheses. The
// zero Names is empty, and "@name" is text.
type Names struct{ list []Named }

// maxNested is the maximum nesting depth of a named filter, including itself. Deeper nesting would be hard to
// follow.
const maxNested = 8

// maxParts is the maximum number of parts of a filter after its names are replaced. Nested names multiply, and
// each frame is matched with each part.
const maxParts = 1000

// Reserved lists names that no filter can have, because the inspector has commands with their ids, "filter."
// and the name.
var Reserved = []string{"apply", "by", "choose", "clear"}

// IsName reports whether a filter can be named so: letters, digits, - and _.
func IsName(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}) < 0
}

// A namedError is the reason why a filter in a file cannot be used.
type namedError struct {
	file   string
	filter Named
	err    error
}

func (e *namedError) Error() string {
	return fmt.Sprintf("%s:%d: filters.%s: %v", e.file, e.filter.Line, e.filter.Name, e.err)
}

func (e *namedError) Unwrap() error { return e.err }

// Place returns the file, and the line in it.
func (e *namedError) Place() (path string, line int) { return e.file, e.filter.Line }

// NewNames checks the filters of a file, whose names must be unique. The error names the line of the first
// invalid filter, or the lines of a cycle.
func NewNames(file string, list []Named) (Names, error) {
	n := Names{slices.SortedFunc(slices.Values(list), func(a, b Named) int { return strings.Compare(a.Name, b.Name) })}
	wrong := func(d Named, err error) (Names, error) {
		return Names{}, &namedError{file, d, err}
	}
	known := map[string]int{}
	for _, d := range list {
		if _, err := n.depth(d, nil, known); err != nil {
			return wrong(d, err)
		}
	}
	language := Frames.With(n)
	for _, d := range list {
		switch f, err := language.Parse(d.Text); {
		case err != nil:
			return wrong(d, err)
		case f.Empty():
			return wrong(d, errors.New("the filter is empty"))
		}
	}
	return n, nil
}

// depth returns the nesting depth of a filter, including itself. known caches depths. outer lists the filters
// around it, outermost first.
func (n Names) depth(d Named, outer []Named, known map[string]int) (int, error) {
	path := append(slices.Clip(outer), d)
	if slices.ContainsFunc(outer, func(x Named) bool { return x.Name == d.Name }) {
		return 0, fmt.Errorf("the filters form a cycle: %s", steps(path))
	}
	depth, ok := known[d.Name]
	for _, t := range split(d.Text) {
		inner, isName := n.lookup(strings.TrimPrefix(t.text, "-"))
		if ok || !isName {
			continue
		}
		below, err := n.depth(inner, path, known)
		if err != nil {
			return 0, err
		}
		depth = max(depth, below)
	}
	if !ok {
		depth++
		known[d.Name] = depth
	}
	if len(outer)+depth > maxNested {
		return 0, fmt.Errorf("names are nested more than %d deep: %s", maxNested, steps(path))
	}
	return depth, nil
}

func steps(path []Named) string {
	var list []string
	for _, d := range path {
		list = append(list, fmt.Sprintf("@%s (line %d)", d.Name, d.Line))
	}
	return strings.Join(list, " → ")
}

// All lists the filters by their names.
func (n Names) All() []Named { return n.list }

// lookup returns the filter that a part names with its @; ok is false for text.
func (n Names) lookup(part string) (d Named, ok bool) {
	name, isName := strings.CutPrefix(part, "@")
	if !isName {
		return d, false
	}
	i, ok := slices.BinarySearchFunc(n.list, name, func(d Named, name string) int { return strings.Compare(d.Name, name) })
	if ok {
		d = n.list[i]
	}
	return d, ok
}

// Expand returns a filter with names replaced by their filters, for use where the names are unknown.
func (n Names) Expand(text string) string {
	tokens := split(text)
	for _, t := range slices.Backward(tokens) {
		part, not := strings.CutPrefix(t.text, "-")
		d, ok := n.lookup(part)
		if !ok {
			continue
		}
		whole := "(" + n.Expand(d.Text) + ")"
		if not {
			whole = "-" + whole
		}
		text = text[:t.at] + whole + text[t.at+len(t.text):]
	}
	return text
}

// With returns the language with named filters.
func (l Language) With(n Names) Language {
	l.names = n
	return l
}

// Names returns the named filters of the language.
func (l Language) Names() Names { return l.names }
