package facts

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// listingVerbs are the first words of the names of tools that list values.
var listingVerbs = strings.Fields("list search find get describe show")

// noNouns are words in names of arguments that do not say what the value is.
var noNouns = strings.Fields("argument id ids name names key keys uid slug number value type sql query text get list search find describe show all the not was does for with from")

// alsoListed maps a word for what a message calls missing to the words of tools that list it.
var alsoListed = map[string][]string{"relation": {"table", "schema"}, "table": {"schema"}, "column": {"table", "schema"}, "directory": {"director"}, "repo": {"repositor"}, "repository": {"repositor"}}

var nounForm = lazyregexp.New(`[A-Z]?[a-z]{3,}`)

// Listing returns the name of a tool of the server that lists values such as the one of a thing, or "". It compares the
// words of the argument, and the words before the name in the message, with the names of the tools.
func Listing(r Request, t Thing, message string) string {
	const reach = 40
	nouns := nounForm().FindAllString(t.Place, -1)
	if t.Kind == ThingArgument {
		nouns = nounForm().FindAllString(t.Name, -1)
	}
	before := textBefore(message, t.Name)
	nouns = append(nouns, nounForm().FindAllString(before[max(0, len(before)-reach):], -1)...)
	var wanted []string
	for _, noun := range nouns {
		noun = strings.ToLower(noun)
		if slices.Contains(noNouns, noun) {
			continue
		}
		wanted = append(append(wanted, strings.TrimSuffix(noun, "s")), alsoListed[noun]...)
	}
	called := jsonrpc.Text(r.Params, "name")
	for _, verb := range listingVerbs {
		for _, name := range r.Tools {
			words := nounForm().FindAllString(name, -1)
			if name == called || !slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(word, verb) }) {
				continue
			}
			for _, word := range words {
				lower := strings.ToLower(word)
				if slices.ContainsFunc(wanted, func(noun string) bool {
					return lower == noun || lower == noun+"s" || lower == noun+"es" || strings.HasPrefix(lower, noun+"y") || strings.HasPrefix(lower, noun+"ies")
				}) && (verb != "get" || strings.HasSuffix(lower, "s") || lower == "schema") {
					return name
				}
			}
		}
	}
	return ""
}
