package link

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/settings"
	"mcptea/cli/tokens"
	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/internal/desktop"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
)

// authorization returns how to obtain tokens for a target: nil for a server over
// stdio, and if the user has set the Authorization header. The caller sets Browse.
func (p *Link) authorization(t client.Target) (*oauth.Config, error) {
	if p.Flags.Auth.Token != "" {
		p.warnOfArgument("--token", settings.TokenVariable)
	}
	if u, err := url.Parse(t.URL); t.IsStdio() || settings.HasAuthorization(&t) || err == nil && u.User != nil {
		return nil, nil //nolint:nilnil // no authorization
	}
	c, err := p.Flags.Auth.Config(p.Ctx, p.Env)
	if err != nil {
		return nil, err
	}
	p.Secrets.AddGiven(c.Secrets()...)
	p.WarnOfClientKey()
	if p.Flags.Auth.Secret != "" {
		p.warnOfArgument("--client-secret", settings.SecretVariable)
	}
	c.Version, c.Lenient, c.Timeout = p.Version.Version, p.Flags.Lenient, p.Flags.ConnectTimeout
	c.Until = p.Flags.Auth.Until
	if s, err := p.TokenStore(); err != nil {
		return nil, err
	} else if s != nil {
		c.Store = s
		if p.Flags.Auth.Relogin {
			c.Store = &withoutTokens{Store: s}
		}
	}
	return c, nil
}

// TapAuthorization returns the settings for a tap that obtains tokens for a target, or nil if it
// cannot. The tap itself does not open the consent page. Hosts start several taps of a server: one
// of them asks the user, and the others wait for its token.
func (p *Link) TapAuthorization(t client.Target) (*oauth.Config, error) {
	c, err := p.authorization(t)
	if c == nil || err != nil {
		return c, err
	}
	c.Server, c.Outlives, c.OneConsent = t.URL, true, c.Store != nil
	return c, nil
}

// withoutTokens is a store whose tokens are not used before a new one is saved. Its client
// registrations are.
type withoutTokens struct {
	oauth.Store
	renewed atomic.Bool
}

// Load returns the entries of a resource, without their tokens before the first Save.
func (s *withoutTokens) Load(resource string) ([]oauth.StoredToken, error) {
	all, err := s.Store.Load(resource)
	if !s.renewed.Load() {
		for i := range all {
			all[i].Token = oauth.Token{}
		}
	}
	return all, err
}

// Save stores a token.
func (s *withoutTokens) Save(t oauth.StoredToken) error {
	s.renewed.Store(true)
	return s.Store.Save(t)
}

func (p *Link) warnOfArgument(flag, variable string) {
	p.Warning(fmt.Sprintf("other users of this machine can see %s in the process list; use $%s instead", flag, variable))
}

// TokenStore returns the store of tokens, nil if tokens are not stored.
func (p *Link) TokenStore() (*tokens.Store, error) {
	switch p.Flags.Auth.Store {
	case settings.StoreAuto, settings.StoreFile:
		dir, err := system.StateDir()
		switch {
		case err != nil && p.Flags.Auth.Store == settings.StoreFile:
			return nil, app.Usage("Set HOME or XDG_STATE_HOME.", "--token-store file: no directory for tokens: %v", err)
		case err != nil:
			return nil, nil //nolint:nilnil // tokens are kept in memory
		}
		s := tokens.Open(dir)
		if p.Flags.Auth.Store == settings.StoreFile {
			s = tokens.With(dir, nil)
		}
		s.Warn = p.warnings.add
		return s, nil
	case settings.StoreOff:
		return nil, nil //nolint:nilnil // off
	}
	return nil, app.Usage("The stores are auto, file and off.", "--token-store: unknown store %q", p.Flags.Auth.Store)
}

// Browse prints the URL of the consent page to stderr, and opens it with
// --open-browser.
func (p *Link) Browse(ctx context.Context, at oauth.Consent) error {
	within := time.Until(at.Deadline)
	if within > time.Second {
		within = within.Round(time.Second)
	}
	page := failure.PageOf(at.URL)
	fmt.Fprintf(p.Err, "%s authorization required by %s. Open this page on this machine within %s (until %s):\n\n  %s\n\n  host %s\n",
		p.Err.Strong("mcptea:"), p.Err.Safe(at.Issuer), phrase.Duration(within), at.Deadline.Format("15:04:05"), p.Err.Name(p.Err.Safe(at.URL)), p.Err.Strong(p.Err.Safe(page.Host)))
	for _, text := range page.Warnings {
		fmt.Fprintf(p.Err, "  %s %s\n", p.Err.Warn("warning:"), text)
	}
	if at.Resource != "" {
		fmt.Fprintf(p.Err, "  %s the metadata of the server names the resource %s, not its URL: many clients refuse to authorize then; in the server, set \"resource\" to the URL of its endpoint, byte for byte (RFC 9728 §3.3)\n", p.Err.Warn("warning:"), p.Err.Safe(at.Resource))
	}
	fmt.Fprintln(p.Err)
	if port := redirectPort(at.URL); p.Env.Get("SSH_CONNECTION") != "" && port != "" {
		fmt.Fprintf(p.Err, "Over SSH, forward the port of the redirect to this machine: ssh -L %s:127.0.0.1:%s …\n", port, port)
	}
	if !p.Flags.Auth.Browser {
		return oauth.ErrNotOpened
	}
	if err := openConsent(ctx, at); err != nil {
		p.Warning(err.Error())
		return oauth.ErrNotOpened
	}
	return nil
}

// openConsent opens a consent page. The context ends when the user has given consent, or when nothing waits for
// it.
func openConsent(ctx context.Context, at oauth.Consent) error {
	loaded, err := desktop.OpenOnce(ctx, at.URL)
	context.AfterFunc(ctx, loaded)
	return err
}

// redirectPort returns the port of the redirect URI in the URL of a consent page.
func redirectPort(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	back, err := url.Parse(u.Query().Get("redirect_uri"))
	if err != nil {
		return ""
	}
	return back.Port()
}

// OpenConsentPage opens the consent page for the inspector, whose Server tab also shows the URL.
func (p *Link) OpenConsentPage(ctx context.Context, at oauth.Consent) error {
	if !p.Flags.Auth.Browser {
		return oauth.ErrNotOpened
	}
	if err := openConsent(ctx, at); err != nil {
		p.warnings.add(err.Error())
		return oauth.ErrNotOpened
	}
	return nil
}

// warningList are warnings that are printed when the inspector has left the screen.
type warningList struct {
	mu    sync.Mutex
	texts []string
}

func (r *warningList) add(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts = append(r.texts, text)
}

// PrintWarnings prints the warnings that were added.
func (p *Link) PrintWarnings() {
	p.warnings.mu.Lock()
	defer p.warnings.mu.Unlock()
	for _, text := range p.warnings.texts {
		p.Warning(text)
	}
	p.warnings.texts = nil
}

// isUnauthorized reports whether an error means that authorization is missing or has
// failed.
func isUnauthorized(err error) bool {
	var refused *transport.AuthorizationError
	var status *transport.StatusError
	return errors.As(err, &refused) || errors.As(err, &status) && status.Status == http.StatusUnauthorized
}

// ConnectCode returns the exit code for a failure to connect, with its explanation.
func ConnectCode(err error, why failure.Explanation) int {
	if isUnauthorized(err) && !why.OtherThanLogin() {
		return app.ExitAuth
	}
	return app.ExitConnect
}
