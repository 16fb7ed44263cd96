package settings

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
)

// Complete applies the flags to a target, and reports flags that do not apply to it. From then on the secrets
// of the target are redacted in all output, including the error.
func (p *Settings) Complete(t *client.Target) error {
	f := &p.Flags
	t.AddSecrets(p.Secrets)
	defer func() { t.AddSecrets(p.Secrets) }()
	if len(f.Inputs) > 0 && f.Entry == nil {
		return app.Usage("Name the entry of a configuration file that has ${input:ID}.", "--input is for a configured server")
	}
	switch f.Transport {
	case "auto":
	case "stdio":
		if !t.IsStdio() {
			return app.Usage("Omit the flag, or start a command with --.", "--transport stdio requires a command, but the target is a URL")
		}
	case client.TransportHTTP, client.TransportSSE:
		if t.IsStdio() {
			return app.Usage("Omit the flag, or connect to a URL.", "--transport %s requires a URL, but the target is a command", f.Transport)
		}
		t.Transport = f.Transport
	default:
		return app.Usage("The transports are auto, stdio, http and sse.", "--transport: unknown transport %q", f.Transport)
	}
	if t.IsStdio() {
		return f.completeStdio(p.Ctx, p.Env, t)
	}
	if err := f.completeHTTP(p.Env, t); err != nil {
		return err
	}
	return p.completeTLS(t)
}

func (f *Flags) completeStdio(ctx context.Context, env app.Env, t *client.Target) (err error) {
	if given := f.givenHTTP; given != nil {
		hint := "Pass secrets to a command in its environment: -e NAME=value."
		if app.GroupOf(given) == app.GroupTLS {
			hint = "The environment of a command determines what it trusts: -e NODE_EXTRA_CA_CERTS=FILE, -e SSL_CERT_FILE=FILE."
		}
		return app.Usage(hint, "--%s is for a server over HTTP, but the target is a command", given.Name)
	}
	if len(f.Headers) > 0 {
		return app.Usage("Pass settings to a command as arguments, or with -e NAME=value.", "-H requires a URL, but the target is a command")
	}
	if f.cwd == "" && f.Entry != nil {
		t.Dir = f.Entry.Expanded.Dir
		if t.Dir == "" {
			t.Dir = f.Entry.Project
		}
	}
	if f.cwd != "" {
		if t.Dir, err = filepath.Abs(f.cwd); err != nil {
			return app.Usage("", "--cwd: %v", err)
		}
		if info, err := os.Stat(t.Dir); err != nil || !info.IsDir() {
			return app.Usage("", "--cwd: %s is not a directory", t.Dir)
		}
	}
	t.KillLeft = f.killLeft
	var given []string
	t.Env, given, err = f.environ(ctx, env)
	t.Private = append(slices.Clip(t.Private), given...)
	return err
}

func (f *Flags) completeHTTP(env app.Env, t *client.Target) error {
	if len(f.env) > 0 || f.envFile != "" || f.cleanEnv || f.cwd != "" || f.killLeft {
		return app.Usage("Omit them; -H \"Name: value\" sends a header.", "-e, --env-file, --clean-env, --cwd and --kill-left require a command, but the target is a URL")
	}
	u, err := mcphttp.ParseURL(t.URL)
	if err != nil {
		return app.Usage(urlHint(t.URL), "%v", err)
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return app.Usage("A port is a number from 1 to 65535.", "the URL has the invalid port %s", port)
		}
	}
	t.Header = http.Header{}
	for _, h := range f.Headers {
		name, value, err := mcphttp.ParseHeader(h)
		switch {
		case errors.Is(err, mcphttp.ErrHeaderName):
			return app.Usage(`Write it as -H "Name: value".`, "-H: %v", err)
		case errors.Is(err, mcphttp.ErrHeaderOfBody):
			return app.Usage("Omit it.", "-H: %v", err)
		case err != nil:
			return app.Usage("Check that only the value was copied.", "-H: %v", err)
		case value == "":
			t.Header[name] = nil
		default:
			t.Header[name] = append(t.Header[name], value)
		}
	}
	f.asHeaders(t)
	return f.Auth.bearer(env, t)
}

func (f *Flags) revision() (revision.Revision, error) {
	r := revision.Revision(f.Protocol)
	switch {
	case r == "auto", r == "latest":
		return "", nil
	case r.IsStateless() && f.Transport == client.TransportSSE:
		return "", app.Usage("Omit one of the flags.", "--protocol %s does not define the HTTP+SSE transport (--transport sse)", r)
	case r.Known():
		return r, nil
	}
	return "", app.Usage("The versions are auto, "+strings.Join(RevisionNames(), ", ")+".", "--protocol: unknown protocol version %q", f.Protocol)
}

func (f *Flags) rootURIs() ([]client.Root, error) {
	var roots []client.Root
	for _, dir := range f.roots {
		root, err := client.RootOf(dir)
		if err != nil {
			return nil, app.Usage("", "--root: %v", err)
		}
		roots = append(roots, root)
	}
	return roots, nil
}

// Client returns the configuration of a client by the flags.
func (p *Settings) Client() (c client.Config, err error) {
	f := &p.Flags
	c = client.Config{Name: "mcptea", Version: p.Version.Version, Lenient: f.Lenient, Apps: !f.noApps, Skills: !f.noSkills, Events: true, As: f.As, Timeout: f.Timeout, ConnectTimeout: f.ConnectTimeout}
	if f.Timeout <= 0 || f.ConnectTimeout <= 0 {
		return c, app.Usage("Write it as 500ms, 10s or 2m.", "--timeout and --connect-timeout must be greater than 0")
	}
	if c.Revision, err = f.revision(); err != nil {
		return c, err
	}
	c.Roots, err = f.rootURIs()
	return c, err
}

// urlHint returns how to write a URL that cannot be read.
func urlHint(text string) string {
	_, rest, _ := strings.Cut(text, "://")
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, ':'); strings.Count(host, ":") > 1 && !strings.Contains(host, "[") && at > 0 {
		return "An IPv6 address is in brackets: " + strings.TrimSuffix(text, rest) + "[" + host[:at] + "]" + host[at:] + strings.TrimSuffix("/"+path, "/")
	}
	return "Write it as http://127.0.0.1:3000/mcp."
}
