package cli

import (
	"strings"

	"mcptea/session/lint"
)

// muted are the ids of the rules that --mute names, by their ids or slugs.
func (p *program) muted() ([]string, error) {
	var ids []string
	for _, name := range p.flags.mute {
		id, err := ruleNamed(name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// ruleNamed finds a rule by what somebody has typed.
func ruleNamed(name string) (string, error) {
	var names []string
	for _, e := range lint.Catalogue() {
		if strings.EqualFold(name, e.ID) || strings.EqualFold(name, e.Slug) {
			return e.ID, nil
		}
		names = append(names, e.ID, e.Slug)
	}
	hint := "A rule is named by its id or its slug, such as J030 or response-unknown-id, as mcptea lint and the Problems tab show them."
	if near := nearest(name, names); len(near) > 0 {
		said := make([]string, len(near))
		for i, n := range near {
			said[i] = ruleTitle(n)
		}
		hint = "Did you mean " + strings.Join(said, " or ") + "?"
	}
	return "", usage(hint, "--mute %q: there is no such rule", name)
}

// ruleTitle is the id of a rule and its slug, whichever of them is given.
func ruleTitle(name string) string {
	for _, e := range lint.Catalogue() {
		if e.ID == name || e.Slug == name {
			return e.ID + " " + e.Slug
		}
	}
	return name
}
