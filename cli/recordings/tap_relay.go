package recordings

import (
	"context"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/intercept"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/session/tap/control"
	"mcptea/session/tap/relay"
)

// restartGrace bounds the exit of a restarted server after its stdin was closed; after half of it, the server
// receives SIGTERM. A server that has run for less than restartIdle does not react to the end of stdin.
const (
	restartGrace = 2 * time.Second
	restartIdle  = 200 * time.Millisecond
)

// newRelay makes a tap whose server can be replaced while the host stays connected. The caller calls
// the function when it has ended.
func (p *tapCommand) newRelay(t client.Target, f tapFlags, gate *intercept.Gate, secrets *secret.Values) (*relay.Relay, func(), error) {
	asked, err := p.askedRevision()
	if err != nil {
		return nil, nil, err
	}
	signals, stop := p.relaySignals()
	observe, flush, err := p.otlpObserver(f.otlp, secrets)
	if err != nil {
		stop()
		return nil, nil, err
	}
	socket := p.serveTap(control.Info{Name: f.as, Target: t.String(), Transport: t.TransportName()}, gate)
	r := &relay.Relay{
		Server: t, Secrets: secrets, Revision: asked, Again: f.restart, Stdin: p.In, Stdout: p.Out.Writer, Stderr: p.stderrFor(secrets),
		Signals: signals, Gate: gate, Control: socket, Warn: p.warnTap, Observe: observe, Baseline: f.baseline,
	}
	if record := p.recordTap(t, f.as, secrets); record != nil {
		r.Record = func() (*store.Writer, error) { return record(t.TransportName()) }
	}
	return r, func() {
		socket.Close()
		flush()
		stop()
	}, nil
}

// runRelay runs a tap, and ends as its server has ended. If a server with a URL has not responded to any request,
// the exit code is the code of a failed connection.
func (p *tapCommand) runRelay(r *relay.Relay, end func()) error {
	defer context.AfterFunc(p.Ctx, func() { p.Watchdog.Extend(time.Minute) })()
	exit := r.Run(p.Ctx)
	end()
	if exit.Signal != "" {
		endBySignal(exit.Signal)
	}
	if err := r.Unconnected(); err != nil && exit.Code == 0 {
		// The requests of the host had the reason as their responses, and stderr has it.
		return app.Silent(link.ConnectCode(err, failure.Explain(err, failure.TargetFacts(r.Server, r.Secrets))))
	}
	return app.Silent(exitCodeOf(exit))
}

// tapCommandAgain runs a tap that starts its command again: when files change, or when it has ended.
func (p *tapCommand) tapCommandAgain(t client.Target, f tapFlags, gate *intercept.Gate) error {
	r, end, err := p.newRelay(t, f, gate, t.Secrets())
	if err != nil {
		return err
	}
	defer end()
	r.Dial = func(relay.Events) transport.Transport { return restartable(t) }
	return p.followed(r, t, end)
}

// followed runs a tap that follows changes of files, if the flags request that.
func (p *tapCommand) followed(r *relay.Relay, t client.Target, end func()) error {
	if !p.target.Watches() {
		r.Follow = func(ctx context.Context) { _ = r.Connect(ctx) }
		r.Control.Restarts("", func() error {
			go func() { _ = r.RestartAfter(p.Ctx, session.Cause{}) }() // the recording and stderr have the outcome
			return nil
		})
		return p.runRelay(r, end)
	}
	w, err := p.watchFiles(r, t, r.Control)
	if err != nil {
		return err
	}
	defer w.close()
	r.Declares, r.Until, r.Building = true, w.until, w.building
	r.Follow = w.run
	return p.runRelay(r, end)
}

// fileWatch restarts the servers of a tap when files change.
type fileWatch struct {
	run      func(context.Context) // runs until the context ends
	until    string                // reason, in the words of [relay.Relay.Until]
	building func() string         // returns the build command while it runs, or ""
	close    func()
}

// restarted is a tap whose servers are restarted. Waits reports how many calls a restart waits for.
type restarted interface {
	watch.Session
	Waits(calls int, deadline time.Time)
}

// watchFiles returns the watch of the files of a server. r restarts the server, and waits for calls before.
func (p *tapCommand) watchFiles(r restarted, t client.Target, socket *control.Control) (*fileWatch, error) {
	var loop *watch.Loop
	before := watch.State{}
	loop, unwatch, err := p.target.Reload(r, t, func() {
		s := loop.State()
		if s.Phase == watch.Waiting && before.Phase != s.Phase {
			r.Waits(s.Calls, s.Deadline)
		}
		before = s
	}, p.warnTap)
	if err != nil {
		return nil, err
	}
	watching := loop.State().Watching
	socket.Restarts(watching, func() error {
		loop.Now()
		return nil
	})
	building := func() string {
		if loop.State().Phase != watch.Building {
			return ""
		}
		return p.Flags.Build
	}
	run := func(ctx context.Context) { loop.Run(ctx, func() {}) }
	return &fileWatch{run: run, until: untilChanged(watching), building: building, close: unwatch}, nil
}

// untilChanged returns when a server starts again, for the watched paths.
func untilChanged(watching string) string {
	if strings.HasSuffix(watching, "/") || strings.Contains(watching, ", ") {
		return "when a file of " + watching + " changes"
	}
	return "when " + watching + " changes"
}

// tapURL runs a tap between a host over stdio and a server with a URL.
func (p *tapCommand) tapURL(t client.Target, f tapFlags, gate *intercept.Gate) error {
	authorization, err := p.TapAuthorization(t)
	if err != nil {
		return err
	}
	secrets := t.Secrets()
	r, end, err := p.newRelay(t, f, gate, secrets)
	if err != nil {
		return err
	}
	defer end()
	raw := client.Raw{Lenient: p.Flags.Lenient, Tool: r.Tool, Secrets: secrets}
	if authorization != nil {
		authorization.OnStep = r.Authorization
		authorization.OpenBrowser = func(ctx context.Context, at oauth.Consent) error {
			r.Consent(at)
			return p.Browse(ctx, at)
		}
		if raw.Authorization, err = oauth.New(*authorization); err != nil {
			return app.Usage("A URL begins with http:// or https://.", "%v", err)
		}
	}
	r.OnDemand, r.Until = true, "with the next request"
	r.Dial = func(e relay.Events) transport.Transport {
		raw := raw
		raw.Lost, raw.Expired = e.Lost, e.Expired
		return t.NewTransport(raw)
	}
	return p.followed(r, t, end)
}
