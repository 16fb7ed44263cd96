package recordings

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/system"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/session/tap/control"
	"mcptea/session/tap/relay"
	"mcptea/session/tap/serve"
)

// serveFlags are the flags of a tap that serves a command over HTTP.
type serveFlags struct {
	shared, sse bool
	token       string // env:NAME, file:PATH or none
	names       []string
	idle        time.Duration
	maxSessions int
}

// noToken is the value of --url-token that serves hosts without a token.
const noToken = "none"

func (f *serveFlags) declare(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupServe, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.shared, "shared", false, "start one process for all hosts instead of one for each session")
		fs.BoolVar(&f.sse, "sse", false, "also serve HTTP+SSE, at "+serve.SSEPath)
		fs.StringVar(&f.token, "url-token", "", "`TOKEN` that hosts must send, given as env:NAME or file:PATH; none for no token; by default a random token")
		fs.StringArrayVar(&f.names, "allow-host", nil, "accept this host `NAME` in the Host and Origin headers; repeatable")
		fs.DurationVar(&f.idle, "idle", 30*time.Minute, "end a session after this `TIME` without a request")
		fs.IntVar(&f.maxSessions, "max-sessions", 32, "open at most `N` sessions at a time")
	})
}

// serveFlagNames are the flags that serveFlags declares.
var serveFlagNames = []string{"shared", "sse", "url-token", "idle", "max-sessions", allowHost}

// allowHost is the flag of serveFlags that also has an effect for the tap of a URL.
const allowHost = "allow-host"

// checkServeFlags refuses flags that have no effect.
func checkServeFlags(cmd *cobra.Command, t client.Target, listen string) error {
	if name := givenServeFlag(cmd); name != "" && name != allowHost && !t.IsStdio() {
		return app.Usage("Omit the flag: each request goes to the server at the URL.", "--%s requires a command, but the target is a URL", name)
	}
	return checkListens(cmd, listen)
}

// checkListens refuses flags that have no effect without --listen.
func checkListens(cmd *cobra.Command, listen string) error {
	if name := givenServeFlag(cmd); name != "" && listen == "" {
		return app.Usage("Add --listen with an address, such as --listen 8080.", "--%s requires --listen", name)
	}
	return nil
}

// givenServeFlag returns the name of the first given flag of serveFlags, or "".
func givenServeFlag(cmd *cobra.Command) string {
	i := slices.IndexFunc(serveFlagNames, func(name string) bool { return cmd.Flags().Changed(name) })
	if i < 0 {
		return ""
	}
	return serveFlagNames[i]
}

// check returns the usage error of values that are not possible.
func (f *serveFlags) check() error {
	switch {
	case f.idle <= 0:
		return app.Usage("Name a time such as 30m.", "--idle: %s", f.idle)
	case f.maxSessions <= 0 || f.maxSessions > maxServed:
		return app.Usage("Name a number from 1 to "+strconv.Itoa(maxServed)+".", "--max-sessions: %d sessions", f.maxSessions)
	}
	for _, name := range f.names {
		if name == "" || strings.ContainsAny(name, "/:@ ") {
			return app.Usage("Write a name such as mcp.example.com, without a scheme and a port.", "--allow-host: %q is not a host name", name)
		}
	}
	return nil
}

// maxServed bounds --max-sessions.
const maxServed = 10_000

// urlToken is a token that a path can contain without escapes, and that cannot be guessed.
var urlToken = regexp.MustCompile(`^[A-Za-z0-9._~-]{16,}$`)

// tokenFor returns the token of hosts for an address, which is "" for none.
func (p *tapCommand) tokenFor(f serveFlags, address string) (string, error) {
	if f.token == noToken {
		if host, _, _ := net.SplitHostPort(address); !system.IsLoopback(host) {
			return "", app.Usage("Omit --url-token none: other machines could run the command.", "%s accepts connections of other machines, which requires a token", address)
		}
		return "", nil
	}
	token, err := app.SecretFrom(p.Ctx, p.Env, "url-token", f.token)
	switch {
	case err != nil:
		return "", err
	case token == "":
		return rand.Text(), nil
	case !urlToken.MatchString(token):
		return "", app.Usage("Use at least 16 letters, digits and the characters - . _ ~", "--url-token: the token cannot be a part of a URL, or is short")
	}
	return token, nil
}

// tapServe serves a command to hosts over HTTP until the program is interrupted. subject is the subject of the sentence
// that has the URL.
func (p *tapCommand) tapServe(t client.Target, f tapFlags, gate *intercept.Gate, subject string) error {
	if err := f.serve.check(); err != nil {
		return err
	}
	token, err := p.tokenFor(f.serve, f.listen)
	if err != nil {
		return err
	}
	asked, err := p.askedRevision()
	if err != nil {
		return err
	}
	l, err := p.ListenAt(f.listen)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	base := "http://" + l.Addr().String()
	p.sayServed(subject, base, token, f.serve)
	observe, flush, err := p.otlpObserver(f.otlp, t.Secrets())
	if err != nil {
		return err
	}
	defer flush()
	socket := p.serveTap(control.Info{Name: f.as, Target: t.String(), Transport: t.TransportName(), Listen: base + serve.Path}, gate)
	defer socket.Close()
	tcp, _ := l.Addr().(*net.TCPAddr)
	ctx, stop := context.WithCancel(context.WithoutCancel(p.Ctx))
	defer stop()
	g := &serve.Gateway{
		Context: ctx, Server: t, Shared: f.serve.shared, SSE: f.serve.sse, Token: token, Names: f.serve.names,
		Loopback: tcp != nil && tcp.IP.IsLoopback(), Idle: f.serve.idle, MaxSessions: f.serve.maxSessions,
	}
	record := p.recordTap(t, f.as, t.Secrets())
	until, declares := "with the next request", false
	var building func() string
	g.NewRelay = func(label string) *relay.Relay {
		secrets := t.Secrets()
		r := &relay.Relay{
			Server: t, Secrets: secrets, Stderr: &serverStderr{screen: p.Err, secrets: secrets, label: "session " + label}, Revision: asked, Again: f.restart, Gate: gate, Control: socket,
			Observe: observe, Baseline: f.baseline, Until: until, Declares: declares, Building: building,
			Warn: func(text string) { p.warnTap("session " + label + ": " + text) },
			Dial: func(relay.Events) transport.Transport { return restartable(t) },
		}
		if record != nil {
			r.Record = func() (*store.Writer, error) { return record(t.TransportName()) }
		}
		return r
	}
	if !p.target.Watches() {
		socket.Restarts("", func() error {
			go func() { _ = g.RestartAfter(ctx, session.Cause{}) }() // the outcome is in the recordings, and on stderr
			return nil
		})
		return p.serveHosts(ctx, g, l)
	}
	w, err := p.watchFiles(g, t, socket)
	if err != nil {
		return err
	}
	defer w.close()
	until, declares, building = w.until, true, w.building
	go w.run(ctx)
	return p.serveHosts(ctx, g, l)
}

// sayServed prints the URLs for hosts after a subject. A token of the user is not printed.
func (p *tapCommand) sayServed(subject, base, token string, f serveFlags) {
	suffix, isGiven := "", f.token != "" && f.token != noToken
	switch {
	case isGiven:
		suffix = "/TOKEN"
	case token != "":
		suffix = "/" + token
	}
	fmt.Fprintf(p.Err, "%s listens at %s\n", p.Err.Safe(subject), base+serve.Path+suffix)
	if f.sse {
		fmt.Fprintf(p.Err, "HTTP+SSE: %s\n", base+serve.SSEPath+suffix)
	}
	if isGiven {
		fmt.Fprintln(p.Err, p.Err.Faint("TOKEN is the value of "+p.Err.Safe(f.token)+"; a host can send it as Authorization: Bearer TOKEN instead"))
	}
}

// serveHosts serves hosts until the program is interrupted, and then ends all servers.
func (p *tapCommand) serveHosts(ctx context.Context, g *serve.Gateway, l net.Listener) error {
	server := &http.Server{Handler: mcphttp.WithBodyTimeout(g.Handler(), mcphttp.BodyTimeout), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	// Completing the recordings may take longer; it has its own limits.
	defer context.AfterFunc(p.Ctx, func() { p.Watchdog.Extend(time.Minute) })()
	var err error
	select {
	case err = <-served:
	case <-p.Ctx.Done():
	}
	g.End()
	g.Wait()
	_ = server.Close()
	if err == nil {
		err = <-served
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// restartable returns a connection to a server that can be restarted.
func restartable(t client.Target) transport.Transport {
	return stdio.New(stdio.Config{Argv: t.Argv, Env: t.Env, Dir: t.Dir, Grace: restartGrace, Idle: restartIdle, KillLeft: true, Mark: t.Mark})
}

// askedRevision returns the protocol version that initialize requests instead of the version of the host, or "".
func (p *tapCommand) askedRevision() (revision.Revision, error) {
	asked := revision.Revision(p.Flags.Protocol)
	switch {
	case p.Flags.Protocol == "auto":
		return "", nil
	case asked.IsStateless():
		return "", app.Usage("Omit the flag: what the host sends goes through.", "--protocol is for the initialize handshake, and %s has none", asked)
	}
	return asked, nil
}
