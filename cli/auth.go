package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client/oauth"
	"mcptea/session/tokens"
	"mcptea/ui/paint"
)

func (p *program) authCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Manage stored tokens",
		Long: `Manage the tokens that mcptea has stored: in the keyring of the operating system or, without one, in a file with mode 0600.

Commands obtain and store tokens as servers require them. --token-store off stores none.`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return cmd.Help()
			case args[0] == "login":
				return app.Usage("mcptea info URL connects, and obtains and stores a token if the server requires one.", "auth has no command \"login\"")
			}
			return unknownAmong(cmd, "command", args[0], "The commands are forget and list.")
		}),
	}
	forget := &cobra.Command{
		Use:   "forget URL…",
		Short: "Delete the stored tokens of servers",
		Long:  `Delete the stored tokens of the servers at these URLs, and the client registrations at their authorization servers. The tokens are not revoked: a copy elsewhere remains valid until it expires.`,
		Example: `  mcptea auth forget https://mcp.example.com/mcp
  mcptea auth forget --all`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(p.forgetTokens),
	}
	app.Declare(forget, app.GroupOwn, func(fs *pflag.FlagSet) { fs.Bool("all", false, "delete all stored tokens") })
	list := &cobra.Command{
		Use:   "list",
		Short: "List the servers that have stored tokens",
		Args:  app.NoArguments,
		RunE:  p.RunE(func(*cobra.Command, []string) error { return p.listTokens() }),
	}
	for _, c := range []*cobra.Command{forget, list} {
		p.Flags.Auth.AddStore(c)
	}
	cmd.AddCommand(forget, list)
	return cmd
}

func (p *program) listTokens() error {
	defer p.PrintWarnings()
	s, err := p.TokenStore()
	if err != nil {
		return err
	}
	var entries []tokens.Entry
	if s != nil {
		if entries, err = s.List(); err != nil {
			return app.Failed("%v", err)
		}
	}
	if len(entries) == 0 {
		fmt.Fprintln(p.Err, "No stored tokens.")
	}
	for _, e := range entries {
		if err := p.Out.Line(p.Out.Name(paint.Sanitize(e.Resource)) + "\n  " + p.Out.Safe(describe(e))); err != nil {
			return err
		}
	}
	return nil
}

// describe returns an entry in one line.
func describe(e tokens.Entry) string {
	parts := []string{"from " + e.Issuer, "as " + e.ClientID}
	if len(e.Scopes) > 0 {
		parts = append(parts, "scope "+strings.Join(e.Scopes, " "))
	}
	switch left := time.Until(e.Expires); {
	case e.Expires.IsZero():
		parts = append(parts, "no expiry known")
	case left > 0:
		parts = append(parts, "expires in "+paint.HumanDuration(left.Round(time.Second)))
	default:
		parts = append(parts, "expired "+e.Expires.Local().Format(time.DateTime))
	}
	if e.Refreshable {
		parts = append(parts, "refreshable")
	}
	if e.InFile() {
		parts = append(parts, "stored in a file")
	}
	return strings.Join(parts, ", ")
}

func (p *program) forgetTokens(cmd *cobra.Command, args []string) error {
	defer p.PrintWarnings()
	all, err := cmd.Flags().GetBool("all")
	if err != nil {
		return err
	}
	if all == (len(args) > 0) {
		return app.Usage("mcptea auth list lists the servers with stored tokens.", "forget requires the URLs of servers, or --all")
	}
	s, err := p.TokenStore()
	if err != nil || s == nil {
		return err
	}
	entries, err := s.List()
	if err != nil {
		return app.Failed("%v", err)
	}
	forgotten := map[string]bool{}
	for _, e := range entries {
		i := slices.IndexFunc(args, func(url string) bool { return oauth.Resource(url) == e.Resource })
		if i < 0 && !all {
			continue
		}
		if err := s.Drop(e); err != nil {
			return app.Failed("%s: %v", e.Resource, err)
		}
		fmt.Fprintf(p.Err, "Deleted: %s\n", p.Err.Safe(e.Resource))
		if i >= 0 {
			forgotten[args[i]] = true
		}
	}
	for _, url := range args {
		if !forgotten[url] {
			return app.Failed("no token is stored for %s", url)
		}
	}
	return nil
}
