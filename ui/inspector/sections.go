package inspector

import (
	"context"
	"slices"

	"mcptea/check/modelview"
	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/pane/actions"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/reduce"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

// Sections returns the commands of the inspector, by the places that can have the focus, for docs/keys.md and
// for the keys of the user: of an inspector without a server, and of the windows, with the user's own commands.
func Sections(own Own) (all []keys.Section, err error) {
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		return nil, err
	}
	m, stop := newWired(context.Background(), s, Options{Options: program.Options{Themes: &themes.Catalog{}}, Own: own}, func() ([]keys.Section, error) { return nil, nil })
	stop()
	m.Stop()
	all = []keys.Section{{Name: program.Everywhere, Commands: slices.Concat(m.Program.Own, sessions.Commands(), m.Commands(), m.Motions())}}
	for _, at := range m.Routes() {
		for _, s := range at.Sections() { // three lists have the same commands
			if !slices.ContainsFunc(all, func(other keys.Section) bool { return other.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	all = append(all, keys.Section{Name: "the steps of mcptea demo", Commands: m.lessonCommands()})
	for _, w := range windowsWithKeys(m.Program) {
		all = append(all, w.sections...)
	}
	return all, s.Close(m.Ctx)
}

// windowKeys are the commands of a window over the inspector. folder is its folder in ui/pane, or "" for a
// window of several panes.
type windowKeys struct {
	folder   string
	sections []keys.Section
}

// windowsWithKeys returns the windows that have commands of their own.
func windowsWithKeys(p *program.Program) []windowKeys {
	in := func(name string, list []keys.Command) []keys.Section {
		return []keys.Section{{Name: name, Commands: list}}
	}
	return []windowKeys{
		{"intercept", in("text of a held frame", intercept.TextCommands())},
		{"", in("compare", diff.New(nil).Commands())},
		{"browse", in("tools as a model sees them", browse.NewModelView(nil, modelview.Server{}).Commands())},
		{"export", in("export", export.New(nil, nil, export.Options{}).Commands())},
		{"actions", in("commands of this session", actions.New(nil, actions.Options{}).Commands())},
		{"reduce", in("reduce to a finding", reduce.New(nil, reduce.Options{}).Commands())},
		{"", in("question", dialog.Questions())},
		{"", in("window", program.NewPalette(p).Commands())},
		{"", in("filter text", []keys.Command{keys.Apply, keys.Clear})},
	}
}
