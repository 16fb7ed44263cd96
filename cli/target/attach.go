package target

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/session/attach"
)

// AnyShared is the value of --attach without an id.
const AnyShared = "*"

// addAttach declares --attach, for commands that need no connection of their own.
func (p *Target) addAttach(cmd *cobra.Command) {
	if wordsOf[cmd.Name()].files || slices.Contains([]string{"login", "steps"}, cmd.Name()) {
		return
	}
	app.Declare(cmd, app.GroupTarget, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.Flags.Attach, "attach", "", "use the connection of the running inspector or tap, or of the one with this `[=ID]`")
		fs.Lookup("attach").NoOptDefVal = AnyShared
	})
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("attach", func(cmd *cobra.Command, _ []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
		if state, err := system.StateDir(); err == nil {
			all, _ := attach.List(cmd.Context(), state)
			for _, i := range all {
				ids = append(ids, i.ID+"\t"+i.Kind+" "+i.Target)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	})
}

// attached returns the target of --attach, and the words of the command.
func (p *Target) attached(cmd *cobra.Command, args []string) (t client.Target, words []string, err error) {
	exclude := func(what string) error {
		return app.Usage("Omit one of them: the connection exists already. The ID of a connection is written --attach=ID.", "--attach and %s cannot be used together", what)
	}
	if cmd.ArgsLenAtDash() >= 0 {
		return t, args, exclude("a command after --")
	}
	for _, name := range []string{"url", "server"} {
		if cmd.Flags().Changed(name) {
			return t, args, exclude("--" + name)
		}
	}
	if i := slices.IndexFunc(p.TargetFlags, func(f shell.Flag) bool {
		return !slices.Contains([]string{"lenient", "timeout", "connect-timeout"}, f.Name)
	}); i >= 0 {
		return t, args, exclude("--" + p.TargetFlags[i].Name)
	}
	all, err := p.SharedConnections(attach.Inspector, attach.Tap)
	if err != nil {
		return t, args, err
	}
	id := p.Flags.Attach
	if at, word := targetWord(cmd, args); word != "" {
		named := func(i attach.Info) bool { return i.ID == word || i.Name == word }
		if id != AnyShared || !slices.ContainsFunc(all, named) {
			return t, args, exclude(fmt.Sprintf("the target %q", word))
		}
		id, args = word, slices.Delete(slices.Clone(args), at, at+1) // written as two words
	}
	info, err := ChooseShared(usable(all, id), id, "inspector or tap", "--attach=ID")
	switch {
	case err != nil:
		return t, args, err
	case info.Problem != "":
		return t, args, &app.Error{Code: app.ExitConnect, Text: strings.TrimSpace(fmt.Sprintf("cannot use the connection of the %s %s", info.Kind, info.ID)) + ": " + display.Sanitize(info.Problem), Hint: info.Try}
	case (len(p.Flags.Answers) > 0 || p.Flags.Sampler != "") && !info.Revision.IsStateless():
		return t, args, app.Usage("Answer there: requests of the server go to it.", "--answer and --sampler cannot be used with the connection of the %s %s, whose protocol version is %s", info.Kind, info.ID, info.Revision)
	}
	info.Notifications = cmd.Name() == "listen"
	return info.Use(), args, nil
}

// usable leaves out the connections that a command cannot use, if it can use others and has not named one.
func usable(all []attach.Info, id string) []attach.Info {
	cannot := func(i attach.Info) bool { return i.Problem != "" }
	if id != AnyShared || !slices.ContainsFunc(all, func(i attach.Info) bool { return !cannot(i) }) {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), cannot)
}

// SharedConnections returns the shared connections of some kinds of processes.
func (p *Target) SharedConnections(kinds ...string) (all []attach.Info, err error) {
	state, err := system.StateDir()
	if err == nil {
		all, err = attach.List(p.Ctx, state)
	}
	if err != nil {
		return nil, app.Failed("%v", err)
	}
	return slices.DeleteFunc(all, func(i attach.Info) bool { return i.Kind != "" && !slices.Contains(kinds, i.Kind) }), nil
}

// ChooseShared returns the connection with an id or name, or the only one. what describes the kind of the
// connections, flag is the flag that selects one.
func ChooseShared(all []attach.Info, id, what, flag string) (attach.Info, error) {
	var lines []string
	for _, i := range all {
		kind := ""
		if what != i.Kind {
			kind = fmt.Sprintf("%-10s", i.Kind)
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("  %s  %s%s  %s", i.ID, kind, display.Sanitize(i.Target), display.Sanitize(i.Name)), " "))
	}
	list := strings.Join(lines, "\n")
	found := slices.IndexFunc(all, func(i attach.Info) bool {
		return id == AnyShared && len(all) == 1 || i.ID == id || i.Name == id && id != ""
	})
	switch {
	case len(all) == 0:
		return attach.Info{}, app.Usage("Start one: mcptea TARGET", "no %s is running", what)
	case found < 0 && id == AnyShared:
		return attach.Info{}, app.Usage("Name one: "+flag+"\n"+list, "%d %s are running", len(all), strings.ReplaceAll(what, " or ", "s or ")+"s")
	case found < 0:
		return attach.Info{}, app.Usage("Those that are running:\n"+list, "--attach: no %s has the id %q", what, id)
	}
	return all[found], nil
}
