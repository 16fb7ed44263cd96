// Package target is how a command comes to its server: what names it, the flags and the
// settings, connecting, and one request.
package target

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/config"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/shell"
	"mcptea/internal/system/userdir"
	"mcptea/session/record/filter"
	"mcptea/session/session"
	"mcptea/session/state"
)

// Connection is how a command comes to its server: the flags and the settings, and what
// became of them.
type Connection struct {
	*app.App
	Flags   Flags
	Command []string // the command of a server that was given without --; nil without one
	// Configured is the configuration file at ConfigPath, and Origins is where the
	// value of each setting comes from, by its flag. They are set by Validate.
	Configured *config.Config
	ConfigPath string
	// NamedFilters are those of the configuration file.
	NamedFilters filter.Names
	Origins      map[string]Origin
	// TargetFlags are the flags that a copied command has to repeat.
	TargetFlags []shell.Flag
	Launch      string        // what the target starts, if that is not on the command line as it is
	Shown       *hosts.Server // the configured server that the user has chosen by what it starts, if any
	quiet       bool          // nothing is asked on the terminal
	warnings    *warningList
	traces      *sync.Map // of [*session.Session] to [*FrameLog], with --trace
	warnStray   bool      // CloseSession prints a warning about frames that are not messages
}

// NewConnection makes the connection of a run.
func NewConnection(a *app.App) *Connection {
	return &Connection{App: a, warnings: &warningList{}, traces: &sync.Map{}, Configured: &config.Config{}}
}

// IsURL reports whether a word is a URL, with its scheme.
func IsURL(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// Complete applies the flags to a target, and reports those that do not apply to it.
func (p *Connection) Complete(t *client.Target) error {
	f := &p.Flags
	if len(f.inputs) > 0 && f.Entry == nil {
		return app.Usage("Name the entry of a configuration file that has ${input:ID}.", "--input is for a configured server")
	}
	switch f.Transport {
	case "auto":
	case "stdio":
		if !t.IsStdio() {
			return app.Usage("Omit the flag, or start a command with --.", "--transport stdio requires a command, and the target is a URL")
		}
	case client.TransportHTTP, client.TransportSSE:
		if t.IsStdio() {
			return app.Usage("Omit the flag, or connect to a URL.", "--transport %s requires a URL, and the target is a command", f.Transport)
		}
		t.Transport = f.Transport
	default:
		return app.Usage("The transports are auto, stdio, http and sse.", "--transport: unknown transport %q", f.Transport)
	}
	if t.IsStdio() {
		return f.completeStdio(p.Ctx, t)
	}
	if err := f.completeHTTP(t); err != nil {
		return err
	}
	return p.completeTLS(t)
}

func (f *Flags) completeStdio(ctx context.Context, t *client.Target) (err error) {
	if given := f.givenHTTP; given != nil {
		hint := "Pass secrets to a command in its environment: -e NAME=value."
		if app.GroupOf(given) == app.GroupTLS {
			hint = "What a command trusts is set in its environment: -e NODE_EXTRA_CA_CERTS=FILE, -e SSL_CERT_FILE=FILE."
		}
		return app.Usage(hint, "--%s is for a server over HTTP, and the target is a command", given.Name)
	}
	if len(f.Headers) > 0 {
		return app.Usage("Pass settings to a command as arguments, or with -e NAME=value.", "-H requires a URL, and the target is a command")
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
	t.Env, err = f.environ(ctx)
	return err
}

func (f *Flags) completeHTTP(t *client.Target) error {
	if len(f.env) > 0 || f.envFile != "" || f.cleanEnv || f.cwd != "" || f.killLeft {
		return app.Usage("Omit them; -H \"Name: value\" sends a header.", "-e, --env-file, --clean-env, --cwd and --kill-left require a command, and the target is a URL")
	}
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		// The URL is not shown: it may contain a secret.
		return app.Usage("Write it as http://127.0.0.1:3000/mcp.", "the URL does not begin with http:// or https://, or has no host")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return app.Usage("A port is a number from 1 to 65535.", "the URL has the invalid port %s", port)
		}
	}
	t.Header = http.Header{}
	for _, h := range f.Headers {
		name, value, ok := strings.Cut(h, ":")
		value = strings.TrimSpace(value)
		switch {
		case !ok || !mcphttp.IsToken(name):
			return app.Usage(`Write it as -H "Name: value".`, "-H: the header has no valid name")
		case strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f }):
			// The value is not shown: it may be a secret.
			return app.Usage("Check that only the value was copied.", "-H: the value of %s contains a control character", name)
		case value == "":
			t.Header[name] = nil
		default:
			t.Header[name] = append(t.Header[name], value)
		}
	}
	return f.Auth.bearer(t)
}

// TasksFile has the ids of tasks, in the state directory.
const TasksFile = "tasks.jsonl"

// Config returns the configuration of a session. record is the value of --record if
// the flag is not set.
func (p *Connection) Config(t client.Target, record string, lists ...client.ListKind) (session.Config, error) {
	f := &p.Flags
	// Many servers do not exit when their stdin is closed, and the result has been
	// printed already.
	if t.Grace == 0 {
		t.Grace, t.Idle = 500*time.Millisecond, 50*time.Millisecond
	}
	c := session.Config{Target: t, Tool: "mcptea " + p.Version.Version, Record: record, Lists: lists}
	if f.Record != "" {
		c.Record = f.Record
	}
	var err error
	if c.RecordLimit, err = app.ParseSize(f.RecordLimit); err != nil {
		return c, err // Validate has accepted it
	}
	c.Client = client.Config{Name: "mcptea", Version: p.Version.Version, Lenient: f.lenient, Apps: !f.noApps, Skills: !f.noSkills, Timeout: f.Timeout, ConnectTimeout: f.ConnectTimeout}
	if f.Timeout <= 0 || f.ConnectTimeout <= 0 {
		return c, app.Usage("Write it as 500ms, 10s or 2m.", "--timeout and --connect-timeout must be greater than 0")
	}
	if c.Client.Revision, err = f.revision(); err != nil {
		return c, err
	}
	if c.Client.Roots, err = f.rootURIs(); err != nil {
		return c, err
	}
	if f.trace != "" {
		c.Follow = p.traced(t)
	}
	c.FaultSeed = f.FaultSeed
	if c.Faults, err = f.ParseFaults(t); err != nil {
		return c, err
	}
	if !t.IsStdio() && t.Shared == nil { // the tasks of a process end with it
		if dir, err := userdir.State(); err == nil {
			c.Tasks = state.NewTasks(filepath.Join(dir, TasksFile))
		}
	}
	c.Authorization, err = p.authorization(t)
	return c, err
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
