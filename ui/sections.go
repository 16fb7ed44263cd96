package ui

import (
	"context"
	"slices"

	"mcptea/session/session"
	"mcptea/themes"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/pane/browse/list"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/intercept"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/start"
)

// sections are all commands of the program, by the places that can have the focus, for
// docs/keys.md and for the keys of the user: those of an inspector without a server, of the
// other screens and of the windows. The named filters of the user are commands too.
func (o *Options) sections() (all []keys.Section, err error) {
	s, err := session.Open(session.Config{Record: "off"})
	if err != nil {
		return nil, err
	}
	m, stop := newWired(context.Background(), s, Options{Themes: &themes.Catalog{}, Filters: o.Filters}, func() ([]keys.Section, error) { return nil, nil })
	stop()
	m.stop()
	all = []keys.Section{{Name: everywhereName, Commands: slices.Concat(m.program.own, m.commands(), m.motions())}}
	for _, at := range m.routes() {
		for _, s := range at.Sections() { // three lists have the same
			if !slices.ContainsFunc(all, func(other keys.Section) bool { return other.Name == s.Name }) {
				all = append(all, s)
			}
		}
	}
	for _, w := range windowsWithKeys(m.program) {
		all = append(all, w.sections...)
	}
	return all, s.Close(m.ctx)
}

// windowKeys are the commands of a window over the inspector, or of another screen. folder is
// that of ui/pane; empty for a window of several panes.
type windowKeys struct {
	folder   string
	sections []keys.Section
}

// windowsWithKeys are the windows and screens that have commands of their own.
func windowsWithKeys(p *program) []windowKeys {
	in := func(name string, list []keys.Command) []keys.Section {
		return []keys.Section{{Name: name, Commands: list}}
	}
	return []windowKeys{
		{"intercept", in("text of a held frame", intercept.TextCommands())},
		{"", in("compare", diff.New(nil).Commands())},
		{"browse/list", in("tools as a model sees them", list.NewModelView(nil, "", nil).Commands())},
		{"export", in("export", export.New(nil, nil, export.Options{}).Commands())},
		{"", in("question", dialog.Questions())},
		{"", in("window", (&palette{p: p}).commands())},
		{"", in("filter text", []keys.Command{keys.Apply, keys.Clear})},
		{"start", start.New(nil, start.Options{}).Sections()},
		{"recordings", recordingspane.New(nil, recordingspane.Program{}, nil, "").Sections()},
	}
}
