package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client/hosts"
	"mcptea/client/secret"
	"mcptea/session"
	"mcptea/session/shell"
	"mcptea/session/tap"
)

// groupHosts is the heading of the flags that edit the configuration of a host.
const groupHosts = "Configuration of hosts"

// wrapFlags are those of mcptea tap that edit the configuration of a host.
type wrapFlags struct {
	wrap, unwrap string // HOST/SERVER
	yes, force   bool
}

func (f *wrapFlags) declare(cmd *cobra.Command) {
	declare(cmd, groupHosts, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.wrap, "wrap", "", "edit the configuration of a host so that its server runs through mcptea tap  `HOST/SERVER`")
		fs.StringVar(&f.unwrap, "unwrap", "", "undo --wrap; all undoes every one  `HOST/SERVER`")
		fs.BoolVar(&f.yes, "yes", false, "with --wrap and --unwrap: write without a question")
		fs.BoolVar(&f.force, "force", false, "with --wrap: also wrap an entry with OAuth")
	})
	for _, name := range []string{"wrap", "unwrap"} {
		// It fails only for a flag that does not exist.
		_ = cmd.RegisterFlagCompletionFunc(name, func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, _, err := discover(cmd.Context())
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

// editHost wraps or unwraps a server of a host.
func (p *Hosts) editHost(f wrapFlags, listen string) error {
	state, err := session.StateDir()
	if err != nil {
		return failed("cannot keep a backup of the configuration: %v", err)
	}
	if f.wrap != "" && f.unwrap != "" {
		return usage("Use one of them.", "--wrap and --unwrap exclude each other")
	}
	e := &hostEdit{p: p, flags: f, listen: listen, id: f.wrap + f.unwrap, journal: journalIn(state)}
	if f.unwrap == "all" {
		return e.unwrapAll()
	}
	return e.refused(e.run())
}

// unwrapAll unwraps the entries of the journal. It goes on after an error, and returns
// the last one.
func (e *hostEdit) unwrapAll() error {
	all := e.journal.Entries()
	if len(all) == 0 {
		return e.p.out.line("No wrapped servers.")
	}
	var last error
	for _, entry := range all {
		one := *e
		one.id, one.file, one.dir = entry.ID, entry.File, entry.Dir
		if last != nil {
			e.p.report(last)
		}
		err := one.run()
		var refused *hosts.RefusedError
		if errors.As(err, &refused) && refused.Reason == "not-wrapped" { // undone by hand
			e.p.note(refused.Error())
			continue
		}
		if err != nil {
			last = one.refused(err)
		}
		if cause := context.Cause(e.p.ctx); cause != nil {
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
	if e.flags.wrap != "" {
		edit, err = e.wrap()
	} else {
		edit, err = e.journal.Unwrap(e.server)
	}
	if err != nil {
		return err
	}
	return e.write(edit)
}

// checkTaps reports entries with the URL of a tap that does not run.
func checkTaps(ctx context.Context, c *hosts.Configuration) {
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
