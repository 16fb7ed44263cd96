package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mcptea/cli/config"
	"mcptea/session/lint/rules"
)

// mutedRule is a rule whose findings are ignored.
type mutedRule struct {
	id     string
	origin origin
}

// mutedRules are the rules that --mute and the configuration file name, by id or
// slug.
func (p *connection) mutedRules() ([]mutedRule, error) {
	var all []mutedRule
	for _, name := range p.flags.mute {
		id, err := ruleNamed("--mute", name)
		if err != nil {
			return nil, err
		}
		all = append(all, mutedRule{id, origin{fromFlag, "--mute"}})
	}
	for _, r := range p.configured.Mute {
		id, err := ruleNamed(fmt.Sprintf("%s:%d: mute", p.configPath, r.Line), r.Name)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(all, func(m mutedRule) bool { return m.id == id }) {
			all = append(all, mutedRule{id, p.inFile(r.Line)})
		}
	}
	return all, nil
}

// muted are the ids of [program.mutedRules].
func (p *connection) muted() ([]string, error) {
	rules, err := p.mutedRules()
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.id)
	}
	return ids, err
}

// muteAlways adds a rule to the muted rules of the configuration file, or removes
// it, and returns the path of the file. It may be called from any goroutine.
func (p *connection) muteAlways(id string, on bool) (string, error) {
	for _, e := range rules.Catalogue() {
		if e.ID == id {
			return p.configPath, config.Mute(context.WithoutCancel(p.ctx), p.configPath, e.ID, e.Slug, on)
		}
	}
	return p.configPath, fmt.Errorf("no rule %s", id)
}

// ruleNamed returns the id of a rule that is named by its id or slug.
func ruleNamed(where, name string) (string, error) {
	var names []string
	for _, e := range rules.Catalogue() {
		if strings.EqualFold(name, e.ID) || strings.EqualFold(name, e.Slug) {
			return e.ID, nil
		}
		names = append(names, e.ID, e.Slug)
	}
	hint := "Name a rule by its id or slug, such as J030 or response-unknown-id; mcptea explain lists them."
	if near := nearest(name, names); len(near) > 0 {
		for i, n := range near {
			near[i] = ruleTitle(n)
		}
		hint = "Did you mean " + strings.Join(near, " or ") + "?"
	}
	return "", usage(hint, "%s %q: no such rule", where, name)
}

// ruleTitle is the id and the slug of a rule that is named by one of them.
func ruleTitle(name string) string {
	for _, e := range rules.Catalogue() {
		if e.ID == name || e.Slug == name {
			return e.ID + " " + e.Slug
		}
	}
	return name
}
