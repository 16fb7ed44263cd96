package card

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
	"mcptea/lint/contract"
	"mcptea/lint/rules"
)

// Find returns the card for a term: a code, a rule by its id or its slug, a method,
// also under a frequent misspelling, an HTTP status, a capability, a header, a log
// level, a connect step, a topic, or a member of the messages. A word before it selects one of them, as in
// "HTTP 404" or "code 404".
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
		if strings.HasPrefix(head, "HTTP/") { // a status line
			return findStatus(rest, w)
		}
	}
	for _, find := range []func(string, Where) (Card, bool){findStatus, findCode, findRule, findMethod, findTopic, findName, findMember} {
		if c, ok := find(word, w); ok {
			return c, true
		}
	}
	return Card{}, false
}

// qualifiers lists the words that select a kind of term.
var qualifiers = []struct {
	words []string
	find  func(string, Where) (Card, bool)
}{
	{[]string{"http", "status"}, findStatus},
	{[]string{"code", "error"}, findCode},
	{[]string{"rule"}, findRule},
	{[]string{"method", "notification", "request"}, findMethod},
	{[]string{"member", "field", "property", "object"}, findMember},
	{[]string{"capability", "header", "level", "step", "topic"}, findTopic},
}

// tidy removes quotation marks, white space and punctuation that were copied with a
// term, and replaces typographic minus signs.
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

// findCode finds the card of a code. A well-known code may be written without the minus sign.
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

// noCode returns the card of a number that cannot be a code.
func noCode(word string) Card {
	return Card{
		Kind: Code, Key: word, Title: "not an error code",
		What:  []string{"An error code is an integer of at most 64 bits, without a fraction and without quotation marks."},
		Cause: "The sender omits the code, or writes it as a string or a floating point number.",
		Check: "Send an integer such as -32602.",
		See:   []string{"J022", "code"},
	}
}

// findings returns the kinds of findings that have a card: the lint rules, then the user's expectations.
func findings() []lint.Entry { return slices.Concat(rules.Catalogue(), contract.Catalogue()) }

func findRule(word string, _ Where) (Card, bool) {
	entries := findings()
	for i := range entries {
		if e := &entries[i]; strings.EqualFold(e.ID, word) || strings.EqualFold(e.Slug, word) {
			return ofRule(e), true
		}
	}
	return Card{}, false
}

// findMethod finds a method by its name or a frequent misspelling.
func findMethod(word string, w Where) (Card, bool) {
	if m, ok := revision.Lookup(word); ok {
		return ofMethod(m, w), true
	}
	// The name of another term is not a misspelling.
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
	c.What = append([]string{"No protocol version has " + strconv.Quote(word) + ". This is the card of " + meant + "."}, c.What...)
	return c, true
}

// findTopic finds a topic, capability, header, level or step by its key or an alias.
func findTopic(word string, w Where) (Card, bool) {
	all := terms()
	exact := func(t term) bool { return t.Kind != Method && t.Kind != Member && t.Key == word }
	alike := func(t term) bool {
		same := func(name string) bool { return strings.EqualFold(name, word) }
		return t.Kind != Method && t.Kind != Member && (same(t.Key) || slices.ContainsFunc(t.Aliases, same))
	}
	for _, fits := range []func(term) bool{exact, alike} {
		if i := slices.IndexFunc(all, fits); i >= 0 {
			return all[i].card(w), true
		}
	}
	return findPart(word, w)
}

// findPart finds the topic of a part: a member of a capability, a header of an
// argument.
func findPart(word string, w Where) (Card, bool) {
	all := terms()
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

// findName finds a code or a status by its name, such as "Method not found".
func findName(word string, w Where) (Card, bool) {
	for _, e := range meaningTable() {
		if e.Kind == Code && sameName(e.Name, word) {
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

// sameName compares names without case, spaces, underscores and hyphens.
func sameName(a, b string) bool {
	bare := strings.NewReplacer(" ", "", "_", "", "-", "")
	return strings.EqualFold(bare.Replace(a), bare.Replace(b))
}
