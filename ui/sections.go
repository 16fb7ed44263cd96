package ui

import (
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/servers"
)

// Sections are all commands of the program, by the parts of it that can have the focus,
// for docs/keys.md and for the keys of the user.
func Sections() []keys.Section {
	p := &program{}
	everywhere := p.everywhere()
	for i := range keys.Motions {
		everywhere = append(everywhere, keys.Motions[i].Command)
	}
	return []keys.Section{
		{Name: everywhereName, Commands: everywhere},
		{Name: "question", Commands: dialog.Questions()},
		{Name: "compare", Commands: diff.New(nil).Commands()},
		{Name: "comparison of versions", Commands: servers.NewVersions(nil, nil).Commands()},
		{Name: "export", Commands: export.New(nil, nil, export.Options{}).Commands()},
	}
}
