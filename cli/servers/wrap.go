package servers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/session/tap/control"
)

// wrapFlags holds the flags of mcptea servers wrap and unwrap.
type wrapFlags struct {
	listen     string
	watch      string // path, watchDefault, or ""
	yes, force bool
}

// watchDefault is the value of --watch if the user gives no value.
const watchDefault = "auto"

// edits are the commands that edit the configuration of a host.
type edits struct{ *app.App }

func (p *edits) wrapCommand() *cobra.Command {
	var f wrapFlags
	cmd := p.editCommand("wrap HOST/SERVER", &f)
	cmd.Short = "Edit the configuration of a host so that a server runs through mcptea tap"
	cmd.Long = `Edit the configuration of a host so that its server runs through mcptea tap, which records the traffic. The change is shown, and written after a question. A backup is kept until mcptea servers unwrap restores the entry.

With --watch the tap restarts the server after each save, while the host stays connected. For an entry with a URL, the host starts the tap, which connects to the URL and signs in there itself; with --listen the host connects to a tap that you start.`
	cmd.Example = "  mcptea servers wrap cursor/files\n  mcptea servers wrap cursor/files --watch\n  mcptea servers wrap cursor/search --listen 8080"
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		link.DeclareListen(fs, &f.listen, "for a server with a URL: let the host connect to a tap that you start")
		fs.StringVar(&f.watch, "watch", "", "restart the server when a file under `PATH` changes; by default the directory of the server's program")
		fs.Lookup("watch").NoOptDefVal = watchDefault
		fs.BoolVar(&f.force, "force", false, "also wrap an entry with OAuth")
	})
	return cmd
}

func (p *edits) unwrapCommand() *cobra.Command {
	cmd := p.editCommand("unwrap HOST/SERVER|all", &wrapFlags{})
	cmd.Short = "Undo mcptea servers wrap"
	cmd.Long = `Restore an entry that mcptea servers wrap has edited, or all of them. The change is shown, and written after a question.`
	cmd.Example = "  mcptea servers unwrap cursor/files\n  mcptea servers unwrap all --yes"
	return cmd
}

// editCommand returns a command that edits the configuration of a host.
func (p *edits) editCommand(use string, f *wrapFlags) *cobra.Command {
	verb, _, _ := strings.Cut(use, " ")
	cmd := &cobra.Command{
		Use: use,
		RunE: p.RunE(func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.Usage("Run: mcptea servers "+use, "%s requires one HOST/SERVER", verb)
			}
			return p.editHost(verb, args[0], *f)
		}),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
			c, _, err := target.Discover(cmd.Context())
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, s := range c.Servers {
				if s.Effective && s.Usable() && s.Wrapped == (verb == "unwrap") {
					ids = append(ids, s.ID()+"\t"+s.Written.String())
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) { fs.BoolVar(&f.yes, "yes", false, "write without a question") })
	return cmd
}

// editHost wraps or unwraps a server of a host.
func (p *edits) editHost(verb, id string, f wrapFlags) error {
	state, err := system.StateDir()
	if err != nil {
		return noBackup(err)
	}
	e := &hostEdit{p: p, wrapFlags: f, wraps: verb == "wrap", id: id, journal: target.JournalIn(state)}
	if !e.wraps && id == "all" {
		return e.unwrapAll()
	}
	return e.refused(e.run())
}

// unwrapAll unwraps the entries of the journal. It continues after an error, and returns the last one.
func (e *hostEdit) unwrapAll() error {
	all := e.journal.Entries()
	if len(all) == 0 {
		return e.p.Out.Line("No wrapped servers.")
	}
	var last error
	for _, entry := range all {
		one := *e
		one.id, one.file, one.dir = entry.ID, entry.File, entry.Dir
		if last != nil {
			e.p.Report(last)
		}
		err := one.run()
		var refused *hosts.RefusedError
		if errors.As(err, &refused) && refused.Reason == "not-wrapped" { // undone by hand
			e.p.Note(refused.Error())
			continue
		}
		if err != nil {
			last = one.refused(err)
		}
		if cause := context.Cause(e.p.Ctx); cause != nil {
			return cause
		}
	}
	return last
}

// run finds the entry, and shows and writes the edit.
func (e *hostEdit) run() error {
	edit, err := e.edit()
	if err != nil {
		return err
	}
	return e.write(edit)
}

// edit finds the entry and returns the edit of its file.
func (e *hostEdit) edit() (*hosts.Edit, error) {
	if err := e.find(); err != nil {
		return nil, err
	}
	if e.wraps {
		return e.wrap()
	}
	return e.journal.Unwrap(e.server)
}

// CheckTaps reports entries with the URL of a tap that does not run.
func CheckTaps(ctx context.Context, c *hosts.Configuration) {
	if !slices.ContainsFunc(c.Servers, func(s *hosts.Server) bool { return s.Tap != "" }) {
		return
	}
	taps, err := control.Active(ctx)
	for _, s := range c.Servers {
		runs := slices.ContainsFunc(taps, func(t control.Info) bool { return sameHost(t.Listen, s.Tap) })
		i := slices.IndexFunc(s.Problems, func(q hosts.Problem) bool { return q.ID == "F070" })
		if s.Tap == "" || runs || err != nil || i < 0 {
			continue
		}
		s.Problems[i].ID, s.Problems[i].Name, s.Problems[i].Severity = "F071", "wrap-stale", hosts.Warning
		s.Problems[i].Message = fmt.Sprintf("The tap of the entry does not run: %s cannot connect. Run %s, or unwrap the entry with mcptea servers unwrap %s.", hosts.HostName(s.Host), tapCommand(s), s.ID())
	}
}

// tapCommand starts the tap of a wrapped entry with a URL.
func tapCommand(s *hosts.Server) string {
	u, err := url.Parse(s.Tap)
	if err != nil {
		return "mcptea tap"
	}
	return tapListen(s.ID(), u.Host, s.Expanded.URL)
}

// tapListen returns the command line of a tap over HTTP.
func tapListen(id, listen, target string) string {
	line, err := shell.Bash.Join(shell.Literals("mcptea", "tap", "--as", id, "--listen", listen, secret.URL(target)))
	if err != nil {
		return "mcptea tap"
	}
	return line
}

func sameHost(a, b string) bool {
	first, err := url.Parse(a)
	second, wrong := url.Parse(b)
	return err == nil && wrong == nil && first.Host != "" && first.Host == second.Host
}
