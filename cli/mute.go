package cli

import (
	"context"
	"fmt"
	"strings"

	"mcptea/cli/settings"
	"mcptea/session/lint"
)

// muted are the ids of the rules that --mute and the file of settings name, by
// their ids or slugs.
func (p *program) muted() ([]string, error) {
	var ids []string
	for _, name := range p.flags.mute {
		id, err := ruleNamed("--mute", name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	path := settings.Path()
	chosen, err := settings.Read(p.ctx, path)
	if err != nil {
		return nil, inputError(settingsHint, "cannot read the settings", err)
	}
	for _, r := range chosen.Mute {
		id, err := ruleNamed(fmt.Sprintf("%s:%d: mute", path, r.Line), r.Name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

const settingsHint = "MCPTEA_CONFIG=off does without the file, and MCPTEA_CONFIG=FILE reads another."

// muteAlways mutes a rule in every session to come, or no longer, and says in
// which file that now stands.
func muteAlways(id string, on bool) (string, error) {
	path := settings.Path()
	for _, e := range lint.Catalogue() {
		if e.ID == id {
			return path, settings.Mute(context.Background(), path, e.ID, e.Slug, on)
		}
	}
	return path, fmt.Errorf("there is no rule %s", id)
}

// ruleNamed finds a rule by what somebody has typed, or written somewhere.
func ruleNamed(where, name string) (string, error) {
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
	return "", usage(hint, "%s %q: there is no such rule", where, name)
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
