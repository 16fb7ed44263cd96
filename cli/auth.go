package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2/tree"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/cli/tokens"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/internal/words/display"
)

// authCommand is the command mcptea auth.
type authCommand struct {
	*link.Link
	target *target.Target
}

func (p *authCommand) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "auth",
		Short: "Obtain and manage tokens",
		Long: `Obtain tokens for servers over HTTP, and manage the stored tokens: in the keyring of the operating system or, without a keyring, in a file with mode 0600.

No login is needed before a command: it obtains and stores a token when the server requires one. --token-store off stores none.`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if target.IsURL(args[0]) || target.AsURL(args[0]) != "" {
				return app.Usage("mcptea auth login URL obtains a token, mcptea auth steps URL prints each step, and mcptea auth status lists the stored tokens.", "auth requires a command before the URL")
			}
			return unknownAmong(cmd, "command", args[0], "The commands are check, login, logout, serve, status and steps.")
		}),
	}
	login := &cobra.Command{
		Use:   "login TARGET",
		Short: "Obtain a new token for a server",
		Long: `Obtain a new token for a server and store it, even if there is one, and print each step. The client registration is kept.

The exit code is 4 if no token was obtained, and 1 if the server requires none.`,
		Example: `  mcptea auth login https://mcp.example.com/mcp
  mcptea auth login https://mcp.example.com/mcp --scope read --open-browser`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(p.login),
	}
	p.target.AddRequest(login)
	var all bool
	logout := &cobra.Command{
		Use:     "logout URL…",
		Aliases: []string{"forget"},
		Short:   "Delete the stored tokens of servers",
		Long:    `Delete the stored tokens of the servers at these URLs, and the client registrations at their authorization servers. The tokens are not revoked: a copy elsewhere remains valid until it expires.`,
		Example: `  mcptea auth logout https://mcp.example.com/mcp
  mcptea auth logout --all`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(_ *cobra.Command, args []string) error { return p.forgetTokens(args, all) }),
	}
	app.Declare(logout, app.GroupOwn, func(fs *pflag.FlagSet) { fs.BoolVar(&all, "all", false, "delete all stored tokens") })
	status := &cobra.Command{
		Use:     "status [URL…]",
		Aliases: []string{"list"},
		Short:   "List the servers that have stored tokens",
		Long: `List the servers that have stored tokens, or the servers at these URLs, with the issuer, the client, the scopes and the time of expiry.

The exit code is 4 if one of the URLs has no token that is valid or can be refreshed.`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(_ *cobra.Command, args []string) error { return p.tokenStatus(args) }),
	}
	for _, c := range []*cobra.Command{logout, status} {
		p.Flags.Auth.AddStore(c)
	}
	p.AddOutput(status)
	cmd.AddCommand(login, logout, status, p.stepsCommand(), p.serveCommand(), p.checkCommand())
	return cmd
}

// login obtains a new token. It connects without a token, which the server must reject.
func (p *authCommand) login(cmd *cobra.Command, args []string) error {
	s, url, err := p.authorizing(cmd, args, "")
	if err != nil {
		return err
	}
	defer p.CloseSession(s)
	failed := s.Connect(p.Ctx)
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	steps := s.State().Authorization
	obtained := slices.ContainsFunc(steps, func(st oauth.Step) bool { return st.Name == oauth.StepToken && st.State == oauth.Done })
	switch {
	case failed != nil && !obtained:
		return p.Failure(s, failed, app.ExitConnect)
	case !obtained:
		return errNoAuthorization
	case failed != nil:
		p.Warning(fmt.Sprintf("a token was obtained, and connecting failed then: %s", link.SentenceOf(failed)))
	}
	for _, st := range steps {
		fmt.Fprintf(p.Err, "%s %s\n", p.Err.Faint(fmt.Sprintf("%-20s", st.Name)), p.Err.Safe(st.Detail))
		for _, remark := range st.Remarks {
			fmt.Fprintf(p.Err, "%s %s\n", p.Err.Faint(fmt.Sprintf("%-20s", "")), p.Err.Safe(remark))
		}
	}
	if p.Flags.Auth.Stored() {
		return p.tokenStatus([]string{url})
	}
	return nil
}

// tokenDocument is a stored token as auth status --json prints it.
type tokenDocument struct {
	Resource    string     `json:"resource"`          // URL of the server
	Issuer      string     `json:"issuer"`            // authorization server
	ClientID    string     `json:"client_id"`         // client id of mcptea at the authorization server
	Scopes      []string   `json:"scopes"`            // granted
	Expires     *time.Time `json:"expires,omitempty"` // absent if unknown
	Expired     bool       `json:"expired"`           // the time has passed
	Refreshable bool       `json:"refreshable"`       // there is a refresh token
	InFile      bool       `json:"in_file"`           // stored in a file, and not in the keyring
}

// tokensDocument is the output of auth status --json.
type tokensDocument struct {
	Tokens []tokenDocument `json:"tokens"` // tokens of all servers, or of the named servers
}

// tokenStatus prints the stored tokens of all servers, or of the servers at the URLs.
func (p *authCommand) tokenStatus(urls []string) error {
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
	docs, usable := []tokenDocument{}, map[string]bool{}
	for _, e := range entries {
		if len(urls) > 0 && !slices.ContainsFunc(urls, func(url string) bool { return oauth.Resource(url) == e.Resource }) {
			continue
		}
		d := tokenDocument{Resource: e.Resource, Issuer: e.Issuer, ClientID: e.ClientID, Scopes: append([]string{}, e.Scopes...), Refreshable: e.Refreshable, InFile: e.InFile()}
		if !e.Expires.IsZero() {
			d.Expires, d.Expired = &e.Expires, oauth.HasExpired(e.Expires)
		}
		usable[e.Resource] = usable[e.Resource] || !d.Expired || d.Refreshable
		docs = append(docs, d)
		if p.JSON {
			continue
		}
		p.Out.Tree(tree.Root(p.Out.Name(display.Sanitize(e.Resource))).
			Child(p.Out.Labeled("", describe(e), max(0, p.Out.Width-p.Out.Branch(1)))))
	}
	if p.JSON {
		if err := p.PrintDocument(tokensDocument{docs}); err != nil {
			return err
		}
	}
	if len(docs) == 0 && len(urls) == 0 {
		fmt.Fprintln(p.Err, "No stored tokens.")
	}
	for _, url := range urls {
		if !usable[oauth.Resource(url)] {
			return &app.Error{Code: app.ExitAuth, Text: "no valid token is stored for " + secret.URL(url), Hint: "mcptea auth login URL obtains one."}
		}
	}
	return nil
}

// describe describes a stored token in one line.
func describe(e tokens.Entry) string {
	parts := []string{"from " + e.Issuer, "as " + e.ClientID}
	if len(e.Scopes) > 0 {
		parts = append(parts, "scope "+strings.Join(e.Scopes, " "))
	}
	parts = append(parts, cmp.Or(oauth.Lifetime(e.Expires), "no expiry known"))
	if e.Refreshable {
		parts = append(parts, "refreshable")
	}
	if e.InFile() {
		parts = append(parts, "stored in a file")
	}
	return strings.Join(parts, ", ")
}

func (p *authCommand) forgetTokens(args []string, all bool) error {
	defer p.PrintWarnings()
	if all == (len(args) > 0) {
		return app.Usage("mcptea auth status lists the servers with stored tokens.", "logout requires the URLs of servers, or --all")
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
