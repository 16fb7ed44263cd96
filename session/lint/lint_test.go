package lint

import (
	"strings"
	"testing"
)

// implemented are the rules that some function finds.
func implemented() map[string]bool {
	found := map[string]bool{}
	for _, family := range families() {
		for _, r := range family {
			if r.id != "" {
				found[r.id] = true
			}
		}
	}
	return found
}

// Each rule fires on its trace.
func TestEachRuleFires(t *testing.T) {
	there := implemented()
	for _, tr := range traces(t, "fires") {
		if !there[tr.rule] {
			continue // TestEveryRuleIsThere names it
		}
		t.Run(tr.rule, func(t *testing.T) {
			found := play(t, tr)
			if !fired(found, tr.rule) {
				t.Errorf("%s does not fire on its trace (%s); found %v:\n%s", tr.rule, tr.context, ids(found), strings.Join(tr.lines, "\n"))
			}
			for _, f := range found {
				if strings.ContainsAny(f.Message, "{}") && f.Rule.ID == tr.rule || f.Message == "" {
					t.Logf("%s says %q", f.Rule.ID, f.Message)
				}
				if f.Rule.ID == tr.rule && strings.Contains(f.Message, "…") && strings.Contains(f.Rule.Says, "{") {
					t.Errorf("%s leaves a word open: %q", f.Rule.ID, f.Message)
				}
			}
		})
	}
}

// Each rule is silent where it nearly fires.
func TestEachRuleIsSilent(t *testing.T) {
	there := implemented()
	near := map[string]bool{}
	for _, tr := range traces(t, "silent") {
		near[tr.rule] = true
		t.Run(tr.rule, func(t *testing.T) {
			for _, f := range play(t, tr) {
				if f.Rule.ID == tr.rule {
					t.Errorf("%s fires at %s%s: %s\n%s", f.Rule.ID, f.Path, "", f.Message, strings.Join(tr.lines, "\n"))
				}
			}
		})
	}
	for id := range there {
		if !near[id] {
			t.Errorf("%s has no near miss", id)
		}
	}
}

// A rule of the catalogue that nothing finds is a hole that nobody sees.
func TestEveryRuleIsThere(t *testing.T) {
	there := implemented()
	fires := map[string]bool{}
	for _, tr := range traces(t, "fires") {
		fires[tr.rule] = true
	}
	for _, entry := range Catalogue() {
		if !there[entry.ID] {
			t.Errorf("%s %s is not implemented", entry.ID, entry.Slug)
		}
		if !fires[entry.ID] {
			t.Errorf("%s has no trace", entry.ID)
		}
		delete(there, entry.ID)
	}
	for id := range there {
		t.Errorf("%s is in no catalogue", id)
	}
}
