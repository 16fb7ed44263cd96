package failure

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mcptea/internal/catalog"
	"mcptea/internal/lazyregexp"
)

//go:embed failures.jsonl
var failuresText []byte

// row is a line of failures.jsonl: what a failure means, and when. Holes of its texts are
// facts of the [situation].
type row struct {
	ID    string
	Where string // the place in the code that looks for it
	// When are the conditions, by fact. A value is one of several that are separated by
	// |, "*" for any, or empty for a fact that is absent. The fact "is" names an error,
	// see [isError].
	When map[string]string
	// Match is a regular expression for one of the lines; Not is one for what it catches
	// by mistake. What the first group catches that is not empty is the hole {caught},
	// in quotation marks, and {name}, without.
	Match, Not string

	Sentence string // replaces the sentence
	What     string // half a sentence that is appended to it
	Cause    string
	Try      string
	More     bool // the texts that are empty are those of the rows that follow

	match, not func() *regexp.Regexp
}

// rows are the rows of failures.jsonl by their Where. Of two that match, the first counts.
var rows = sync.OnceValue(func() map[string][]row {
	by := map[string][]row{}
	for _, r := range catalog.Read[row](failuresText) {
		r.match, r.not = lazyregexp.New(r.Match), lazyregexp.New(r.Not)
		by[r.Where] = append(by[r.Where], r)
	}
	return by
})

// situation is what is known of a failure, by the name of the fact: a text, a number, or
// a bool. The fact "is" is the error, and "lines" what regular expressions are for.
type situation map[string]any

// text is a fact for a hole or a condition; empty if it is absent.
func (s situation) text(name string) string {
	switch value := s[name].(type) {
	case nil:
		return ""
	case string:
		return value
	case bool:
		if value {
			return "true"
		}
		return ""
	default:
		return fmt.Sprint(value)
	}
}

func (s situation) fulfills(when map[string]string) bool {
	for name, want := range when {
		value := s.text(name)
		switch {
		case name == "is":
			if err, ok := s["is"].(error); !ok || !isError[want](err) {
				return false
			}
		case want == "", want == "*":
			if (value == "") != (want == "") {
				return false
			}
		case !slices.Contains(strings.Split(want, "|"), value):
			return false
		}
	}
	return true
}

// caught finds the first of the lines that a row matches, and what it catches.
func (s situation) caught(r *row) (line, caught string, ok bool) {
	lines, _ := s["lines"].([]string)
	for _, line := range lines {
		m := r.match().FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if i := slices.IndexFunc(m[1:], func(group string) bool { return group != "" }); i >= 0 {
			caught = m[1+i]
		}
		if r.Not == "" || !r.not().MatchString(caught) {
			return line, caught, true
		}
	}
	return "", "", false
}

// reason is the texts for a situation.
type reason struct {
	sentence, what, cause, try string
	line                       string // the one that matched
}

// find returns the texts of the first row for a situation.
func find(where string, s situation) (why reason, ok bool) {
	for i := range rows()[where] {
		r := &rows()[where][i]
		if !s.fulfills(r.When) {
			continue
		}
		caught := ""
		if r.Match != "" {
			line, name, matches := s.caught(r)
			if !matches {
				continue
			}
			why.line, caught = line, name
		}
		fill := func(text string) string {
			return catalog.Fill(text, func(hole string) string {
				switch hole {
				case "caught":
					return named(caught)
				case "name":
					return bare(caught)
				}
				return s.text(hole)
			})
		}
		why.sentence, why.what = cmp.Or(why.sentence, fill(r.Sentence)), cmp.Or(why.what, fill(r.What))
		why.cause, why.try = cmp.Or(why.cause, fill(r.Cause)), cmp.Or(why.try, fill(r.Try))
		if ok = true; !r.More {
			break
		}
	}
	return why, ok
}

// explain returns the explanation of a situation.
func explain(where string, s situation) Explanation { return Explanation{}.with(where, s) }

// with adds to an explanation what the rows say about a situation.
func (e Explanation) with(where string, s situation) Explanation {
	why, _ := find(where, s)
	return e.because(why)
}

// because adds a reason to an explanation. What the reason lacks stays.
func (e Explanation) because(why reason) Explanation {
	e.Sentence, e.Cause, e.Try = cmp.Or(why.sentence, e.Sentence), cmp.Or(why.cause, e.Cause), cmp.Or(why.try, e.Try)
	if why.what != "" {
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": " + why.what
		if !strings.HasSuffix(e.Sentence, ".") {
			e.Sentence += "."
		}
	}
	return e
}

const (
	knownLines = 200  // so many of the newest lines are looked at
	knownReach = 4096 // so many bytes of each
	knownName  = 80   // so many bytes of what is repeated
)

// known looks in lines of a server or its launcher for a reason why the server did not
// start. The order is that of the rows, not that of the lines: a warning about a version
// precedes the error that it leads to.
func known(lines []string, where ...string) (why reason, ok bool) {
	lines = withoutSource(lines[max(0, len(lines)-knownLines):])
	for i, line := range lines {
		lines[i] = line[:min(len(line), knownReach)]
	}
	for _, where := range where {
		if why, ok = find(where, situation{"lines": lines}); ok {
			break
		}
	}
	return why, ok
}

// caret is the line under a line of source that a runtime shows.
var caret = lazyregexp.New(`^\s*[\^~]+\s*$`)

// withoutSource are lines less those of source code that a runtime shows above a caret: of
// a bundle, one has all its words. What a program contains is no report of it.
func withoutSource(lines []string) []string {
	lines = slices.Clone(lines)
	for i := len(lines) - 1; i > 0; i-- {
		if caret().MatchString(lines[i]) {
			lines = slices.Delete(lines, i-1, i+1)
			i--
		}
	}
	return lines
}

// addKnown adds the facts about a known reason in lines: {known}, {known_cause} and
// {known_try}.
func (s situation) addKnown(lines []string, where ...string) {
	why, _ := known(lines, where...)
	s["known"], s["known_cause"], s["known_try"] = why.what, why.cause, why.try
}

// named formats a caught name for a sentence: in quotation marks, unless it is a number
// or a version.
func named(caught string) string {
	if caught != "" && strings.ContainsRune("0123456789<>=^~", rune(caught[0])) {
		return bare(caught)
	}
	return quote(caught, knownName)
}

// bare is a caught name without quotation marks, when it can go without.
func bare(caught string) string {
	quoted := quote(caught, knownName)
	if plain := strings.Trim(quoted, `"`); plain == caught {
		return plain
	}
	return quoted
}

// quote repeats a text of the server in quotation marks, at most so many bytes of it.
func quote(text string, most int) string {
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "…"
	}
	return strconv.Quote(text)
}
