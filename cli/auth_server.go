package cli

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"mcptea/authority"
	"mcptea/cli/app"
	"mcptea/client/secret"
	"mcptea/internal/shell"
)

// A startedServer is the server under test. If the user has started it, it has no command.
type startedServer struct {
	started bool // mcptea has started a command
	cancel  context.CancelFunc
	ended   chan struct{} // closed when the command has ended
	out     shell.Output  // output of the command; read after ended is closed
	err     error         // error of the command; read after ended is closed
}

// maxServerTime bounds how long a server under test may run.
const maxServerTime = time.Hour

// startServer starts the command of auth check, if there is one, and waits until it listens.
func (p *authCommand) startServer(a *authority.Authority, u *url.URL, command []string, f tokenFlags) (*startedServer, error) {
	s := &startedServer{cancel: func() {}, ended: make(chan struct{})}
	if len(command) == 0 {
		close(s.ended)
		return s, p.dial(u)
	}
	if p.dial(u) == nil {
		return nil, app.Usage("End it, use another port, or omit the command to check that server.", "another program listens at %s", hostPort(u))
	}
	s.started = true
	c := p.commandOf(a, u, command, f)
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(p.Ctx)
	go func() {
		defer close(s.ended)
		s.out, s.err = shell.Run(ctx, c)
	}()
	if err := p.awaitServer(ctx, s, u, f.start); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// stop ends the command and waits for its end.
func (s *startedServer) stop() {
	s.cancel()
	<-s.ended
}

// hasEnded reports whether the command has ended by itself.
func (s *startedServer) hasEnded() bool {
	select {
	case <-s.ended:
		return s.started
	default:
		return false
	}
}

// reason returns the error of the command with the line of stderr that explains it. Node prints its
// version in the last line, which is skipped.
func (s *startedServer) reason() string {
	if s.err == nil {
		return "exit code 0"
	}
	for line := range strings.Lines(string(s.out.Stderr)) {
		if strings.Contains(line, "Error: ") {
			return s.err.Error() + ": " + strings.TrimSpace(line)
		}
	}
	return shell.Reason(s.err, s.out)
}

// commandOf returns the command with settings that make it trust the authority. It also prints the
// command.
func (p *authCommand) commandOf(a *authority.Authority, target *url.URL, command []string, f tokenFlags) shell.Command {
	audience := f.audience
	if audience == "" {
		audience = target.String()
	}
	fill := strings.NewReplacer("{issuer}", a.Issuer(), "{jwks}", a.JWKS(), "{audience}", audience, "{port}", target.Port(),
		"{metadata}", a.Metadata(), "{introspection}", a.Introspection()).Replace
	var env, words, shown []string
	for _, e := range f.env {
		env = append(env, fill(e))
		name, value, _ := strings.Cut(e, "=")
		shown = append(shown, name+"="+shownValue(value, fill))
	}
	for _, v := range [...][2]string{{f.issuerEnv, a.Issuer()}, {f.jwksEnv, a.JWKS()}, {f.audienceEnv, audience}} {
		if v[0] != "" {
			env = append(env, v[0]+"="+v[1])
			shown = append(shown, v[0]+"="+v[1])
		}
	}
	for _, w := range command {
		words = append(words, fill(w))
	}
	fmt.Fprintf(p.Err, "Starting: %s\n", p.Err.Safe(strings.Join(append(shown, secret.Args(words)...), " ")))
	const maxOutput = 64 << 10
	return shell.Command{Argv: words, Env: append(p.Env.Environ(), env...), MaxStdout: maxOutput, MaxStderr: maxOutput, Timeout: maxServerTime}
}

// shownValue returns the displayed form of the value of a variable. A placeholder is filled in,
// with or without a path after it. Other values may be secrets.
func shownValue(value string, fill func(string) string) string {
	name, path, ok := strings.Cut(value, "}")
	if ok && strings.HasPrefix(name, "{") && (path == "" || path[0] == '/') {
		return fill(value)
	}
	return "…"
}

// dial returns an error if no program listens at the address of a URL.
func (p *authCommand) dial(u *url.URL) error {
	dialer := net.Dialer{Timeout: 5 * time.Second}
	c, err := dialer.DialContext(p.Ctx, "tcp", hostPort(u))
	if err != nil {
		return &app.Error{Code: app.ExitConnect, Text: fmt.Sprintf("cannot connect to %s: %v", hostPort(u), err), Hint: "Start the server, or name its command after --."}
	}
	return c.Close()
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// dialInterval is the pause between two attempts to connect while a server is starting.
const dialInterval = 100 * time.Millisecond

// awaitServer waits until the command listens.
func (p *authCommand) awaitServer(ctx context.Context, s *startedServer, u *url.URL, timeout time.Duration) error {
	late := time.NewTimer(timeout)
	defer late.Stop()
	again := time.NewTicker(dialInterval)
	defer again.Stop()
	for p.dial(u) != nil {
		select {
		case <-s.ended:
			return &app.Error{Code: app.ExitConnect, Text: fmt.Sprintf("the command ended before it listened at %s: %s", hostPort(u), s.reason())}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late.C:
			return &app.Error{Code: app.ExitConnect, Text: fmt.Sprintf("the command does not listen at %s after %s", hostPort(u), timeout), Hint: "Compare the port, or raise --connect-timeout."}
		case <-again.C:
		}
	}
	return nil
}
