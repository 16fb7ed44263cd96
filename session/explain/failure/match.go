package failure

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcptea/internal/catalog"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

//go:embed failures.jsonl
var failuresText []byte

// row is a line of failures.jsonl: what a failure means, and when.
type row struct {
	ID    string
	Where string // the place in the code that looks for it
	// When are the conditions, by fact. A value is one of several that are separated by
	// |, "*" for any, or empty for a fact that is absent. The fact "is" names an error,
	// see [isError].
	When map[string]string
	// Unless is what speaks against the row, in the form of When: one of the conditions is enough. Most
	// of these facts are in each situation, see [Facts.seen].
	Unless map[string]string
	// Match is a regular expression for one of the lines; Not is one for what it catches
	// by mistake. What the first group catches that is not empty is the hole {caught},
	// in quotation marks, and {name}, without. Of rows about what a server wrote, Line
	// says which lines count, and General that the row is told only when no other is; see
	// [candidates]. Generic marks advice that any failure of this kind can have: it is told with what
	// was looked at. It and an Open row give way to what an experiment has shown.
	Match, Not string
	Line       lineKind
	General    bool
	Generic    bool
	Open       bool

	Sentence factText // replaces the sentence
	What     factText // half a sentence that is appended to it
	Cause    guessText
	Try      guessText
	Action   Action    // of Try
	Value    guessText // of Action
	Strength Strength  // of Cause
	More     bool      // the texts that are empty are those of the rows that follow

	match, not func() *regexp.Regexp
	kind       func() specificity
}

// factText is a text with holes for facts, and for nothing else: what is concluded has no
// way into it.
type factText string

func (t factText) of(s situation, caught string) string {
	return catalog.Fill(string(t), func(hole string) string { return cmp.Or(caughtAs(hole, caught), s.text(hole)) })
}

// guessText is a text with holes for facts and for conclusions.
type guessText string

func (t guessText) of(s situation, c concluded, caught string) string {
	return catalog.Fill(string(t), func(hole string) string { return cmp.Or(caughtAs(hole, caught), s.text(hole), c[hole]) })
}

// caughtAs is what a match caught, for its two holes.
func caughtAs(hole, caught string) string {
	switch hole {
	case "caught":
		return named(caught)
	case "name":
		return bare(caught)
	}
	return ""
}

// rows are the rows of failures.jsonl by their Where. Of two that match, the first counts.
var rows = sync.OnceValue(func() map[string][]row {
	by := map[string][]row{}
	for _, r := range catalog.Read[row](failuresText) {
		r.checkNames()
		r.match, r.not, r.kind = lazyregexp.New(r.Match), lazyregexp.New(r.Not), sync.OnceValue(r.specificityOf)
		by[r.Where] = append(by[r.Where], r)
	}
	return by
})

// situation is what was seen of a failure, by the name of the fact: a text, a number, or a
// bool. The fact "is" is the error, and "lines" what regular expressions are for. What
// mcptea makes of it is no fact: see [concluded] and [Candidate].
type situation map[string]any

// concluded are texts that mcptea adds of its own knowledge, such as what a code usually
// means, by their names.
type concluded map[string]string

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
		if !s.is(name, want) {
			return false
		}
	}
	return true
}

// contradicts reports whether one of the conditions is fulfilled that speak against a row.
func (s situation) contradicts(unless map[string]string) bool {
	for name, want := range unless {
		if s.is(name, want) {
			return true
		}
	}
	return false
}

// is reports whether a fact fulfills a condition.
func (s situation) is(name, want string) bool {
	value := s.text(name)
	switch {
	case name == "is":
		err, ok := s["is"].(error)
		return ok && isError[want](err)
	case want == "", want == "*":
		return (value == "") == (want == "")
	}
	return slices.Contains(strings.Split(want, "|"), value)
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
			return line, s.asWritten(caught), true
		}
	}
	return "", "", false
}

// asWritten returns what a match caught of a line in lower case, as the peer wrote it.
func (s situation) asWritten(caught string) string {
	original := s.text("original")
	lower := strings.ToLower(original)
	if at := strings.Index(lower, caught); caught != "" && at >= 0 && len(lower) == len(original) {
		return original[at : at+len(caught)]
	}
	return caught
}

// reason is the texts for a situation.
type reason struct {
	sentence, what string // facts
	Candidate
}

// find returns the texts of the first row for a situation, or of a later one with decisive words if the first is about
// a class of failures.
func find(where string, s situation) (why reason, ok bool) { return findWith(where, s, nil) }

// findWith is find with what is concluded beside the rows.
func findWith(where string, s situation, c concluded) (why reason, ok bool) {
	for i := range rows()[where] {
		r := &rows()[where][i]
		if ok && (r.Match == "" || r.More || r.Cause == "") {
			continue
		}
		caught, fits := s.fits(r)
		if !fits || ok && !r.kind().supersedes(why.kind) {
			continue
		}
		if ok {
			next := r.reason(s, c, caught)
			next.sentence, next.what = cmp.Or(next.sentence, why.sentence), cmp.Or(next.what, why.what)
			return next, true
		}
		why = why.or(r.reason(s, c, caught))
		if r.More {
			continue
		}
		if ok = true; why.kind.isDecisive() {
			break
		}
	}
	return why, ok || why != reason{}
}

// fits reports whether a row is for a situation, and what it catches of the lines.
func (s situation) fits(r *row) (caught string, ok bool) {
	if !s.fulfills(r.When) || s.contradicts(r.Unless) {
		return "", false
	}
	if r.Match == "" {
		return "", true
	}
	_, caught, ok = s.caught(r)
	return caught, ok
}

// reason returns the texts of a row for a situation.
func (r *row) reason(s situation, c concluded, caught string) (why reason) {
	why.sentence, why.what = r.Sentence.of(s, caught), clauses(r.What.of(s, caught))
	why.Cause, why.Strength, why.kind = r.Cause.of(s, c, caught), r.Strength, r.kind()
	why.Remedy, why.Generic, why.Open = r.remedy(s, c, caught), r.Generic, r.Open
	return why
}

// or returns a reason with the texts of another one in place of those that it lacks.
func (why reason) or(other reason) reason {
	why.sentence, why.what = cmp.Or(why.sentence, other.sentence), cmp.Or(why.what, other.what)
	if why.Cause == "" {
		why.Cause, why.Strength, why.kind = other.Cause, other.Strength, other.kind
	}
	if why.Remedy.Text == "" {
		why.Remedy, why.Generic, why.Open = other.Remedy, other.Generic, other.Open
	}
	return why
}

// remedy is what a row says to do; empty without advice.
func (r *row) remedy(s situation, c concluded, caught string) (remedy Remedy) {
	if text := r.Try.of(s, c, caught); text != "" {
		remedy = Remedy{r.ID, text, r.Action, r.Value.of(s, c, caught)}
	}
	return remedy
}

// explain returns the explanation of a situation.
func explain(where string, s situation) Explanation { return Explanation{}.with(where, s) }

// with adds to an explanation what the rows say about a situation.
func (e Explanation) with(where string, s situation) Explanation {
	return e.withKnowledge(where, s, nil)
}

// withKnowledge is with, and what is concluded beside the rows.
func (e Explanation) withKnowledge(where string, s situation, c concluded) Explanation {
	why, _ := findWith(where, s, c)
	return e.because(why)
}

// because adds a reason to an explanation. What the reason lacks stays.
func (e Explanation) because(why reason) Explanation {
	e.Sentence = cmp.Or(why.sentence, e.Sentence)
	if why.Remedy.Text != "" {
		e.own.Remedy, e.own.Generic, e.own.Open = why.Remedy, why.Generic, why.Open
	}
	if why.Cause != "" {
		e.own.Cause, e.own.Strength, e.own.kind = why.Cause, why.Strength, why.kind
	}
	if why.what != "" {
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": " + why.what
		if !strings.HasSuffix(e.Sentence, ".") {
			e.Sentence += "."
		}
	}
	return e
}

const knownName = 80 // so many bytes of what is repeated

// named formats a caught name for a sentence: in quotation marks, unless it is a number
// or a version.
func named(caught string) string {
	if caught != "" && strings.ContainsRune("0123456789<>=^~", rune(caught[0])) {
		return bare(caught)
	}
	return phrase.Quote(caught, knownName)
}

// bare is a caught name without quotation marks, when it can go without.
func bare(caught string) string {
	quoted := phrase.Quote(caught, knownName)
	if plain := strings.Trim(quoted, `"`); plain == caught {
		return plain
	}
	return quoted
}

// clauses removes the separators that clauses without a text leave at the ends.
func clauses(what string) string { return strings.Trim(what, "; ") }
