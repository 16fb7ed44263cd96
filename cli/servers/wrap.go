package servers

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/shell"
	"mcptea/session/tap"
)

// GroupHosts is the heading of the flags that edit the configuration of a host.
const GroupHosts = "Configuration of hosts"

// WrapFlags are those of mcptea tap that edit the configuration of a host.
type WrapFlags struct {
	Wrap, Unwrap string // HOST/SERVER
	yes, force   bool
}

// Declare declares the flags.
func (f *WrapFlags) Declare(cmd *cobra.Command) {
	app.Declare(cmd, GroupHosts, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.Wrap, "wrap", "", "edit the configuration of a host so that its server runs through mcptea tap  `HOST/SERVER`")
		fs.StringVar(&f.Unwrap, "unwrap", "", "undo --wrap; all undoes every one  `HOST/SERVER`")
		fs.BoolVar(&f.yes, "yes", false, "with --wrap and --unwrap: write without a question")
		fs.BoolVar(&f.force, "force", false, "with --wrap: also wrap an entry with OAuth")
	})
	for _, name := range []string{"wrap", "unwrap"} {
		// It fails only for a flag that does not exist.
		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := target.Discover(cmd.Context())
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var ids []string
			for _, s := range c.Servers {
				if s.Effective && s.Usable() && s.Wrapped == (name == "unwrap") {
					ids = append(ids, s.ID()+"\t"+s.Written.String())
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// EditHost wraps or unwraps a server of a host.
func EditHost(c *target.Connection, f WrapFlags, listen string) error {
	state, err := session.StateDir()
	if err != nil {
		return app.Failed("cannot keep a backup of the configuration: %v", err)
	}
	if f.Wrap != "" && f.Unwrap != "" {
		return app.Usage("Use one of them.", "--wrap and --unwrap exclude each other")
	}
	e := &hostEdit{p: &commands{c}, flags: f, listen: listen, id: f.Wrap + f.Unwrap, journal: target.JournalIn(state)}
	if f.Unwrap == "all" {
		return e.unwrapAll()
	}
	return e.refused(e.run())
}

// unwrapAll unwraps the entries of the journal. It goes on after an error, and returns
// the last one.
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
func (e *hostEdit) run() (err error) {
	if err := e.find(); err != nil {
		return err
	}
	var edit *hosts.Edit
	if e.flags.Wrap != "" {
		edit, err = e.wrap()
	} else {
		edit, err = e.journal.Unwrap(e.server)
	}
	if err != nil {
		return err
	}
	return e.write(edit)
}

// CheckTaps reports entries with the URL of a tap that does not run.
func CheckTaps(ctx context.Context, c *hosts.Configuration) {
	if !slices.ContainsFunc(c.Servers, func(s *hosts.Server) bool { return s.Tap != "" }) {
		return
	}
	state, err := session.StateDir()
	if err != nil {
		return
	}
	taps, err := tap.List(ctx, state)
	for _, s := range c.Servers {
		runs := slices.ContainsFunc(taps, func(t tap.Info) bool { return sameHost(t.Listen, s.Tap) })
		i := slices.IndexFunc(s.Problems, func(q hosts.Problem) bool { return q.ID == "F070" })
		if s.Tap == "" || runs || err != nil || i < 0 {
			continue
		}
		s.Problems[i].ID, s.Problems[i].Severity = "F071", hosts.Warning
		s.Problems[i].Message = fmt.Sprintf("The tap of the entry does not run: %s cannot connect. Run %s, or unwrap the entry with mcptea tap --unwrap %s.", hosts.HostName(s.Host), tapCommand(s), s.ID())
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

// tapListen is the command of a tap over HTTP.
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
