package checks

import (
	"strings"
	"testing"

	"mcptea/check/directory"
	"mcptea/check/probe"
	"mcptea/client/hosts"
	"mcptea/client/servercard"
	"mcptea/lint/rules"
	"mcptea/session/apps/appcheck"
	"mcptea/session/explain/card"
)

// Each code that a command prints beside a finding is one that mcptea explain knows.
func TestExplain_EachCodeOfEachCatalogue(t *testing.T) {
	codes := map[string]string{} // name by code
	for _, e := range rules.Catalogue() {
		codes[e.ID] = e.Slug
	}
	for _, e := range probe.Catalogue() {
		codes[e.ID] = e.Slug
	}
	for _, r := range directory.Requirements() {
		codes[r.ID] = r.Name
	}
	for _, e := range appcheck.Catalogue() {
		codes[e.ID] = e.Slug
	}
	for _, r := range servercard.Rules() {
		codes[r.ID] = r.Name
	}
	for _, k := range hosts.Kinds() {
		codes[k.ID] = k.Name
	}
	for code, name := range codes {
		for _, word := range []string{code, strings.ToLower(code)} {
			if c, ok := explained(word, card.Where{}); !ok || c.Key != code || c.Title != name {
				t.Errorf("%s: %v, %s %s; want %s %s", word, ok, c.Key, c.Title, code, name)
			}
		}
	}
	for _, word := range []string{"MUST", "SHOULD", "ROB", "SEC", "era", "stateless", "read-only", "closed-world"} { // words of rows and headings
		if c, ok := explained(word, card.Where{}); !ok || c.Kind != card.Topic {
			t.Errorf("%s is not explained: %+v", word, c)
		}
	}
	for _, prefix := range []string{"J0", "P-", "A-", "F0", "DIR-", "CARD-"} {
		found := false
		for code := range codes {
			found = found || strings.HasPrefix(code, prefix)
		}
		if !found {
			t.Errorf("no code begins with %s", prefix)
		}
	}
}
