package ui

import (
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/frames"
	"mcptea/ui/keys"
	"mcptea/ui/pane/browse"
	"mcptea/ui/pane/build"
	"mcptea/ui/pane/composer"
	"mcptea/ui/pane/detail"
	"mcptea/ui/pane/export"
	"mcptea/ui/pane/inbox"
	"mcptea/ui/pane/intercept"
	"mcptea/ui/pane/logs"
	pinspane "mcptea/ui/pane/pins"
	"mcptea/ui/pane/problems"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/pane/sequence"
	"mcptea/ui/pane/server"
	"mcptea/ui/pane/servers"
	"mcptea/ui/pane/start"
	"mcptea/ui/pane/tasks"
	timelinepane "mcptea/ui/pane/timeline"
	"mcptea/ui/pane/traffic"
	"mcptea/ui/result"
)

// Sections are all commands of the program, by the parts of it that can have the focus,
// for docs/keys.md and for the keys of the user.
func Sections() []keys.Section {
	m := &model{program: &program{}}
	all := []keys.Section{{Name: everywhereName, Commands: append(append(m.everywhere(), m.commands()...), m.ends()[:len(keys.Motions)]...)}}
	in := func(name string, list []keys.Command) { all = append(all, keys.Section{Name: name, Commands: list}) }
	none := &frames.Program{}
	all = append(all, browse.New(nil, nil, "tools").Sections()...)
	in("traffic", traffic.New(none).Own)
	in("timeline", timelinepane.New(none, nil).Own)
	in("sequence diagram", sequence.New(none, nil).Own)
	in("frame", detail.New(none).Own)
	all = append(all, composer.New(nil, nil).Sections()...)
	all = append(all, server.New(nil, server.Program{}, nil).Sections()...)
	all = append(all, inbox.New(nil, nil).Sections()...)
	in("logs", logs.New(nil, nil, nil).Own)
	in("tasks", tasks.New(nil, nil).Own)
	in("result of a task", result.Commands(func() *result.View { return nil }))
	in("problems", problems.New(nil, nil, nil).Own)
	in("pins", pinspane.New(nil, nil).Own)
	in("build", build.New(nil).Own)
	all = append(all, intercept.New(nil, nil).Sections()...)
	in("text of a held frame", intercept.TextCommands())
	in("compare", diff.New(nil).Commands())
	in("comparison of versions", servers.NewVersions(nil, nil).Commands())
	in("export", export.New(nil, nil, export.Options{}).Commands())
	in("question", dialog.Questions())
	in("window", (&palette{p: m.program}).commands())
	in("filter text", []keys.Command{keys.Apply, keys.Clear})
	in("start", start.New(nil, start.Options{}).Own)
	in("list of recordings", recordingspane.New(nil, recordingspane.Program{}, nil, "").Own)
	return all
}
