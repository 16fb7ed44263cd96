package card

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/session/lint"
)

// Find returns the card for a term: a code, a rule by its id or its
// slug, a method also under a name that is often taken for it, an HTTP status,
// a capability, a header, a log level, a connect step, or a topic. A word before
// it may say which of them is meant, as in "HTTP 404" or "code 404".
func Find(word string, w Where) (Card, bool) {
	word = tidy(word)
	if head, rest, ok := strings.Cut(word, " "); ok {
		for _, q := range qualifiers {
			if slices.Contains(q.words, strings.TrimSuffix(strings.ToLower(head), ":")) {
				if c, ok := q.find(strings.TrimSpace(rest), w); ok {
					return c, true
				}
			}
		}
		if strings.HasPrefix(head, "HTTP/") { // a line of an answer
			return findStatus(rest, w)
		}
	}
	for _, find := range []func(string, Where) (Card, bool){findStatus, findCode, findRule, findMethod, findTopic, findName} {
		if c, ok := find(word, w); ok {
			return c, true
		}
	}
	return Card{}, false
}

// qualifiers say what a word is meant as.
var qualifiers = []struct {
	words []string
	find  func(string, Where) (Card, bool)
}{
	{[]string{"http", "status"}, findStatus},
	{[]string{"code", "error"}, findCode},
	{[]string{"rule"}, findRule},
	{[]string{"method", "notification", "request"}, findMethod},
	{[]string{"capability", "header", "level", "step", "topic"}, findTopic},
}

// tidy takes off what comes along when something is copied: quotation marks,
// blanks, and the minus of typesetters.
func tidy(word string) string {
	word = strings.NewReplacer("−", "-", "‑", "-", "–", "-").Replace(word)
	word = strings.Join(strings.Fields(word), " ")
	return strings.TrimRight(strings.Trim(word, "\"'`"), ":,;")
}

func findStatus(word string, w Where) (Card, bool) {
	number, text, _ := strings.Cut(word, " ")
	status, err := strconv.Atoi(number)
	if err != nil || len(number) != 3 || status < lowestStatus || status > highestStatus {
		return Card{}, false
	}
	if text != "" && !strings.EqualFold(text, http.StatusText(status)) {
		return Card{}, false
	}
	return OfStatus(status, w), true
}

var number = lazyregexp.New(`^[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// findCode takes a code. Without the minus it stands for a well-known code.
func findCode(word string, w Where) (Card, bool) {
	if !number().MatchString(word) {
		return Card{}, false
	}
	code, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		return noCode(word), true
	}
	if code >= 32000 && code <= 32999 && word[0] != '+' {
		code = -code
	}
	return OfCode(code, w), true
}

// noCode is a number that cannot be a code.
func noCode(word string) Card {
	return Card{
		Kind: Code, Key: word, Title: "no error code",
		What:  []string{"An error code is an integer, without a fraction and without quotation marks, and small enough for programs to hold."},
		Cause: "The sender leaves the code out, or writes it as text or as a floating point number.",
		Check: "Send an integer such as -32602.",
		See:   []string{"J022", "code"},
	}
}

func findRule(word string, _ Where) (Card, bool) {
	entries := lint.Catalogue()
	for i := range entries {
		if e := &entries[i]; strings.EqualFold(e.ID, word) || strings.EqualFold(e.Slug, word) {
			return OfRule(e), true
		}
	}
	return Card{}, false
}

// findMethod takes the name of a method, or one that is often taken for it.
func findMethod(word string, w Where) (Card, bool) {
	if m, ok := revision.Lookup(word); ok {
		return ofMethod(m, w), true
	}
	// What is something else by its own name is not taken for a method.
	if c, ok := findTopic(word, w); ok && !strings.Contains(word, "/") {
		return c, true
	}
	meant, ok := revision.Suggest(word)
	if !ok {
		return Card{}, false
	}
	m, ok := revision.Lookup(meant)
	if !ok {
		return Card{}, false
	}
	c := ofMethod(m, w)
	c.What = append([]string{"No revision has " + strconv.Quote(word) + "; " + meant + " is what is meant."}, c.What...)
	return c, true
}

// findTopic takes the key of whatever has a card of its own, or another name
// for it.
func findTopic(word string, w Where) (Card, bool) {
	all := tables().topics
	exact := func(t topic) bool { return t.Key == word }
	alike := func(t topic) bool {
		same := func(name string) bool { return strings.EqualFold(name, word) }
		return same(t.Key) || slices.ContainsFunc(t.Aliases, same)
	}
	for _, fits := range []func(topic) bool{exact, alike} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].card(w), true
		}
	}
	return findPart(word, w)
}

// findPart takes what is a part of something: a member of a capability, a
// header of an argument.
func findPart(word string, w Where) (Card, bool) {
	all := tables().topics
	for i := range all {
		t := &all[i]
		head, _, dotted := strings.Cut(word, ".")
		prefix := strings.TrimSuffix(t.Key, "…")
		switch {
		case t.Kind == Capability && dotted && strings.EqualFold(head, t.Key):
		case prefix != t.Key && len(word) > len(prefix) && strings.EqualFold(word[:len(prefix)], prefix):
		default:
			continue
		}
		return t.card(w), true
	}
	return Card{}, false
}

// findName takes the name of a code or of a status, such as "Method not found".
func findName(word string, w Where) (Card, bool) {
	for i := range tables().codes {
		if e := &tables().codes[i]; sameName(e.Name, word) {
			return OfCode(*e.Code, w), true
		}
	}
	for status := lowestStatus; status <= highestStatus; status++ {
		if text := http.StatusText(status); text != "" && sameName(text, word) {
			return OfStatus(status, w), true
		}
	}
	return Card{}, false
}

// sameName compares names however they are written: as words or as one.
func sameName(a, b string) bool {
	bare := strings.NewReplacer(" ", "", "_", "", "-", "")
	return strings.EqualFold(bare.Replace(a), bare.Replace(b))
}
