package checks

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/authority"
	"mcptea/authority/trial"
	"mcptea/cli/app"
	"mcptea/session/explain/card"
)

// Kinds of the cards of the authority of auth check and auth serve.
const (
	tokenKind  card.Kind = "token"
	answerKind card.Kind = "response"
)

const (
	tokenPrefix  = "token-"
	answerPrefix = "answer-"
)

// tokenCard returns the description of a token of auth check, found by its name or by the id of its finding.
func tokenCard(word string) (c card.Card, ok bool) {
	name := strings.TrimPrefix(word, tokenPrefix)
	if strings.HasPrefix(name, "step-up-") && name != word {
		return card.Card{
			Kind: tokenKind, Key: word, Title: "a call of a tool without its scope", What: []string{"A call of mcptea auth check --step-up and mcptea check --step-up."},
			Facts: []card.Fact{
				{Label: "right server", Text: "returns 403 with error=\"insufficient_scope\" and scope in WWW-Authenticate, before the tool is carried out"},
				{Label: "section", Text: "MCP authorization, scope challenge handling; RFC 6750 §3.1"},
			},
			Check: "Compare the scopes of the token before the tool is carried out.", See: []string{"403", "WWW-Authenticate"},
		}, true
	}
	t, ok := authority.TokenNamed(name)
	if !ok || t.Expect == "never" && name == word { // such as metadata, which is a word of OAuth
		return c, false
	}
	right, other := fmt.Sprintf("rejects it with %d", t.Status), t.Level+": the server accepts it"
	switch {
	case t.Expect == "never":
		right, other = "never does this", t.Level
	case t.Expect == "accept":
		right, other = "accepts it", t.Level+": the server rejects it"
	case t.Expect == "either":
		right += ", or accepts it if it verifies tokens without the authority"
	case t.AnyStatus:
		right += " or another error"
	}
	c = card.Card{
		Kind: tokenKind, Key: tokenPrefix + t.Name, Title: t.Summary, What: []string{"A token of mcptea auth check and mcptea check --authority."},
		Facts: []card.Fact{{Label: "right server", Text: right}, {Label: "otherwise", Text: other}},
		Check: t.Fix, See: topicsOf(t.Name),
	}
	for library, does := range trial.LibraryTraits(t.Name) {
		c.Facts = append(c.Facts, card.Fact{Label: "library", Text: library + ": " + does})
	}
	c.Facts = append(c.Facts, card.Fact{Label: "section", Text: t.Spec}, card.Fact{Label: "try it", Text: "mcptea auth check URL --only " + t.Name})
	return c, true
}

// topicsOf returns the topics that the name of a token or response begins with.
func topicsOf(name string) (topics []string) {
	for _, topic := range [...]string{"aud", "iss", "kid", "jku", "jwk", "x5c", "x5u", "crit", "dpop", "pkce"} {
		if strings.HasPrefix(name, topic) {
			topics = append(topics, topic)
		}
	}
	return append(topics, "authorization")
}

// answerCard returns the description of a wrong response of auth serve, found by its name.
func answerCard(word string) (c card.Card, ok bool) {
	w, ok := authority.AnswerNamed(strings.TrimPrefix(word, answerPrefix))
	if !ok {
		return c, false
	}
	return card.Card{
		Kind: answerKind, Key: answerPrefix + w.Name, Title: w.Summary, What: []string{"A wrong response of mcptea auth serve, for testing a client."},
		Facts: slices.DeleteFunc([]card.Fact{{Label: "right client", Text: w.Right}, {Label: "section", Text: w.Spec}, {Label: "try it", Text: "mcptea auth serve --demo --wrong " + w.Name}},
			func(f card.Fact) bool { return f.Text == "" }),
		See: topicsOf(w.Name),
	}, true
}

// listAuthority lists the tokens or the wrong responses of the authority.
func (p *explainCommand) listAuthority(find func(word string) (card.Card, bool), names []string) error {
	var all []card.Card
	t := app.Table{Out: p.Out, Indent: "  ", Wrap: true}
	for _, name := range names {
		c, _ := find(name)
		all = append(all, c)
		t.Row(c.Key, c.Title)
	}
	if p.JSON {
		return p.cardJSON(all)
	}
	t.Print()
	return nil
}

// tokenNames returns the ids of the cards of tokens.
func tokenNames() (names []string) {
	for _, t := range authority.Tokens() {
		names = append(names, tokenPrefix+t.Name)
	}
	return names
}

// answerNames returns the ids of the cards of wrong responses.
func answerNames() (names []string) {
	for _, w := range authority.Answers() {
		names = append(names, answerPrefix+w.Name)
	}
	return names
}
