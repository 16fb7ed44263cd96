package probes

import (
	"slices"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/internal/catalog"
)

// given are the words that functions give to the conditions of their steps.
var given = []string{"altered", "changed", "declared", "empty", "default", "late", "messages", "pages", "required", "schema", "skill", "task", "unproven", "violated"}

// Each row belongs to a probe, and uses only names that exist.
func TestSteps_Known(t *testing.T) {
	rows := catalog.Read[row](table)
	known := slices.Clone(given)
	for _, w := range rows {
		known = append(known, strings.Fields(w.Is)...)
	}
	for i, w := range rows {
		id, _, _ := strings.Cut(w.ID, " ")
		switch {
		case !slices.ContainsFunc(probe.Catalogue(), func(e *probe.Entry) bool { return e.ID == id }):
			t.Errorf("%s: no such probe", w.ID)
		case w.Needs != "" && needs[w.Needs] == nil, w.Send != "" && senders[w.Send] == nil, w.On != "" && connections[w.On] == nil:
			t.Errorf("%s: unknown needs, send or on: %+v", w.ID, w)
		case i > 0 && w.ID != rows[i-1].ID && slices.ContainsFunc(rows[:i], func(of row) bool { return of.ID == w.ID }):
			t.Errorf("%s is in two places", w.ID)
		}
		for _, word := range strings.Fields(w.When + " " + w.Unless) {
			word = strings.TrimPrefix(word, "!")
			name, _, _ := strings.Cut(word, "=")
			if conditions[name] == nil && builtin[word] == nil && !slices.Contains(known, word) {
				t.Errorf("%s: unknown word %s", w.ID, word)
			}
		}
	}
	for id, p := range parts() {
		for _, s := range p.steps {
			if len(s.samples) > 0 && len(s.verdicts) == 0 {
				t.Errorf("%s: samples without a verdict", id)
			}
		}
	}
}
