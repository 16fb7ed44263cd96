package settings

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"mcptea/cli/app"
	"mcptea/internal/words/phrase"
	"mcptea/lint/rules"
)

// MutedRule is a rule whose findings are ignored.
type MutedRule struct {
	ID     string
	Origin Origin
}

// MutedRules returns the rules that --mute and the configuration file name, by id or slug.
func (p *Settings) MutedRules() ([]MutedRule, error) {
	var all []MutedRule
	for _, name := range p.Flags.mute {
		id, err := RuleNamed("--mute", name)
		if err != nil {
			return nil, err
		}
		all = append(all, MutedRule{id, Origin{fromFlag, "--mute"}})
	}
	for _, r := range p.Configured.Mute {
		id, err := RuleNamed(fmt.Sprintf("%s:%d: mute", p.ConfigPath, r.Line), r.Name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(m MutedRule) bool { return m.ID == id }) {
			all = append(all, MutedRule{id, p.InFile(r.Line)})
		}
	}
	return all, nil
}

// Muted returns the ids of [Settings.mutedRules].
func (p *Settings) Muted() ([]string, error) {
	rules, err := p.MutedRules()
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	return ids, err
}

// MuteAlways adds a rule to the muted rules of the configuration file, or removes
// it, and returns the path of the file. It may be called from any goroutine.
func (p *Settings) MuteAlways(id string, on bool) (string, error) {
	for _, e := range rules.Catalogue() {
		if e.ID == id {
			return p.ConfigPath, Mute(context.WithoutCancel(p.Ctx), p.ConfigPath, e.ID, e.Slug, on)
		}
	}
	return p.ConfigPath, fmt.Errorf("no rule %s", id)
}

// RuleNamed returns the id of a rule that is named by its id or slug.
func RuleNamed(where, name string) (string, error) {
	var names []string
	for _, e := range rules.Catalogue() {
		if strings.EqualFold(name, e.ID) || strings.EqualFold(name, e.Slug) {
			return e.ID, nil
		}
		names = append(names, e.ID, e.Slug)
	}
	hint := "Name a rule by its id or slug, such as J030 or response-unknown-id; mcptea explain lists them."
	near := phrase.Nearest(name, names)
	for i, n := range near {
		near[i] = ruleTitle(n)
	}
	return "", app.Usage(cmp.Or(app.OneOf(near), hint), "%s %q: no such rule", where, name)
}

// ruleTitle returns the id and the slug of a rule that is named by one of them.
func ruleTitle(name string) string {
	for _, e := range rules.Catalogue() {
		if e.ID == name || e.Slug == name {
			return e.ID + " " + e.Slug
		}
	}
	return name
}
