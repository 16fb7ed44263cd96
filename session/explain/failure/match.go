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
	"mcptea/session/explain/facts"
)

//go:embed failures.jsonl
var failuresText []byte

// A row is a line of failures.jsonl: an explanation and its conditions.
type row struct {
	ID    string
	Where string // name of the place in the code that looks for the row
	// When maps names of facts to conditions. A value lists alternatives separated by |, "*" for any, or is
	// empty for an absent fact. The fact "is" names an error, see [isError].
	When map[string]string
	// Unless holds conditions in the form of When; if one of them holds, the row does not apply. Most of these
	// facts are in each situation, see [Facts.seen].
	Unless map[string]string
	// Match is a regular expression for one of the lines, and Not one for its false matches. The first nonempty
	// group fills the hole {caught} in quotation marks, and {name} without them. Line selects the lines that
	// count. A row with General is used only if no other row matches; see [candidates]. Generic marks advice
	// that fits any failure of this kind; it is shown with the facts that were compared. An experiment
	// overrides Generic and Open rows.
	Match, Not string
	Line       lineKind
	// Own is a second expression, for lines whose text alone is a report. Some programs print the same failure in both ways.
	Own string
	// To is what the advice changes, if it belongs to the client, or "". See [addressee].
	To      addressee
	General bool
	Generic bool
	Open    bool
	// Vague marks advice that leaves it to the message what to do. Advice about a thing that the message names replaces it.
	Vague bool
	// Hedged marks a cause that says itself that it is only possible.
	Hedged bool
	// Tells holds the kinds of things that the cause is about without a hole for their names, separated by spaces.
	Tells string

	Sentence factText // replaces the sentence
	What     factText // clause appended to the sentence
	Cause    guessText
	Try      guessText
	Action   Action    // action of Try
	Value    guessText // object of the action
	Strength Strength  // strength of Cause
	More     bool      // later rows fill in the empty texts

	match, own, not func() *regexp.Regexp
	kind            func() specificity
}

// An addressee is a part of the connection that advice changes and that a service behind the server never sees.
type addressee string

// The addressees.
const (
	toSession     addressee = "session"     // session of the connection
	toCredentials addressee = "credentials" // credentials that the client sends
)

// isOf reports whether advice can be about a message of a party.
func (to addressee) isOf(party facts.Party) bool {
	return to == "" || party != facts.PartyService
}

// A factText is a text with holes for facts only: a conclusion cannot enter it.
type factText string

func (t factText) of(s situation, caught string) string {
	return catalog.Fill(string(t), func(hole string) string { return cmp.Or(caughtAs(hole, caught), s.text(hole)) })
}

// A guessText is a text with holes for facts and for conclusions.
type guessText string

func (t guessText) of(s situation, c concluded, caught string) string {
	text, _ := t.fill(s, c, caught)
	return text
}

// fill returns the text, and the contents of its holes, a line each.
func (t guessText) fill(s situation, c concluded, caught string) (text, filled string) {
	text = catalog.Fill(string(t), func(hole string) string {
		value := cmp.Or(caughtAs(hole, caught), s.text(hole), c[hole])
		if value != "" {
			filled += value + "\n"
		}
		return value
	})
	return text, filled
}

// caughtAs returns the text of a match in the form for one of its two holes.
func caughtAs(hole, caught string) string {
	switch hole {
	case "caught":
		return named(caught)
	case "name":
		return bare(caught)
	}
	return ""
}

// rows maps each Where to its rows of failures.jsonl. The first one that matches counts.
var rows = sync.OnceValue(func() map[string][]row {
	by := map[string][]row{}
	for _, r := range catalog.Read[row](failuresText) {
		r.checkNames()
		r.match, r.own, r.not, r.kind = lazyregexp.New(r.Match), lazyregexp.New(r.Own), lazyregexp.New(r.Not), sync.OnceValue(r.specificityOf)
		by[r.Where] = append(by[r.Where], r)
	}
	return by
})

// A situation maps the names of observed facts to a text, a number or a bool. The fact "is" is the error, and
// "lines" holds the lines for regular expressions. Conclusions of mcptea are not facts: see [concluded] and
// [Candidate].
type situation map[string]any

// concluded maps names to texts that mcptea adds from its own knowledge, such as the usual meaning of a code.
type concluded map[string]string

// text returns a fact for a hole or a condition, or "" if it is absent.
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

// contradicts reports whether one of the conditions of Unless holds.
func (s situation) contradicts(unless map[string]string) bool {
	for name, want := range unless {
		if s.is(name, want) {
			return true
		}
	}
	return false
}

// is reports whether a fact meets a condition.
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

// caught returns the first line that a row matches, and the text that it catches.
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

// asWritten returns the text that a match caught in a lower-case line, in the peer's own letter case.
func (s situation) asWritten(caught string) string {
	original := s.text("original")
	lower := strings.ToLower(original)
	if at := strings.Index(lower, caught); caught != "" && at >= 0 && len(lower) == len(original) {
		return original[at : at+len(caught)]
	}
	return caught
}

// A reason holds the texts of a row for a situation.
type reason struct {
	sentence, what string // facts only
	Candidate
}

// find returns the texts of the first row for a situation, or of a later one with decisive words if the first is about
// a class of failures.
func find(where string, s situation) (why reason, ok bool) { return findWith(where, s, nil) }

// findWith is like find, with additional conclusions.
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

// fits reports whether a row applies to a situation, and which text of the lines it captures.
func (s situation) fits(r *row) (caught string, ok bool) {
	if !s.fulfills(r.When) || s.contradicts(r.Unless) || !r.To.isOf(facts.Party(s.text("party"))) {
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
	why.Strength, why.kind, why.hedged, why.subject.kinds = r.Strength, r.kind(), r.Hedged, r.Tells
	why.Cause, why.subject.texts = r.Cause.fill(s, c, caught)
	why.Remedy, why.Generic, why.Open = r.remedy(s, c, caught), r.Generic, r.Open
	return why
}

// or returns a reason with the texts of another one in place of those that it lacks.
func (why reason) or(other reason) reason {
	why.sentence, why.what = cmp.Or(why.sentence, other.sentence), cmp.Or(why.what, other.what)
	if why.Cause == "" {
		why.Cause, why.Strength, why.kind, why.hedged, why.subject = other.Cause, other.Strength, other.kind, other.hedged, other.subject
	}
	if why.Remedy.Text == "" {
		why.Remedy, why.Generic, why.Open = other.Remedy, other.Generic, other.Open
	}
	return why
}

// remedy returns the advice of a row, or the zero Remedy.
func (r *row) remedy(s situation, c concluded, caught string) (remedy Remedy) {
	if text := r.Try.of(s, c, caught); text != "" {
		remedy = Remedy{r.ID, text, r.Action, r.Value.of(s, c, caught), r.Vague}
	}
	return remedy
}

// explain returns the explanation of a situation.
func explain(where string, s situation) Explanation { return Explanation{}.with(where, s) }

// with adds the texts of the rows for a situation to an explanation.
func (e Explanation) with(where string, s situation) Explanation {
	return e.withKnowledge(where, s, nil)
}

// withKnowledge is like with, with additional conclusions.
func (e Explanation) withKnowledge(where string, s situation, c concluded) Explanation {
	why, _ := findWith(where, s, c)
	return e.because(why)
}

// because adds a reason to an explanation. Texts that the reason lacks stay.
func (e Explanation) because(why reason) Explanation {
	e.Sentence = cmp.Or(why.sentence, e.Sentence)
	if why.Remedy.Text != "" {
		e.own.Remedy, e.own.Generic, e.own.Open = why.Remedy, why.Generic, why.Open
	}
	if why.Cause != "" {
		e.own.Cause, e.own.Strength, e.own.kind, e.own.hedged, e.own.subject = why.Cause, why.Strength, why.kind, why.hedged, why.subject
	}
	if why.what != "" {
		e.Sentence = strings.TrimSuffix(e.Sentence, ".") + ": " + why.what
		if !strings.HasSuffix(e.Sentence, ".") {
			e.Sentence += "."
		}
	}
	return e
}

const knownName = 80 // maximum length of a repeated name, in bytes

// named formats a caught name for a sentence: in quotation marks, unless it is a number
// or a version.
func named(caught string) string {
	if caught != "" && strings.ContainsRune("0123456789<>=^~", rune(caught[0])) {
		return bare(caught)
	}
	return phrase.Quote(caught, knownName)
}

// bare returns a caught name without quotation marks if it needs none.
func bare(caught string) string {
	quoted := phrase.Quote(caught, knownName)
	if plain := strings.Trim(quoted, `"`); plain == caught {
		return plain
	}
	return quoted
}

// clauses removes the separators that empty clauses leave at the ends.
func clauses(what string) string { return strings.Trim(what, "; ") }
