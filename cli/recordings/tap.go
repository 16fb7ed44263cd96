package recordings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/client/hosts"
	"mcptea/client/secret"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/session/tap"
	"mcptea/session/tap/control"
)

// tapFlags holds the flags of mcptea tap.
type tapFlags struct {
	otlp   otlpFlags
	listen string
	list   bool
	as     string // HOST/SERVER
	reload string // HOST/SERVER or process id of a tap
	// restart bounds how often in succession a server that exited is started again.
	restart int

	baseline string // a file
	serve    serveFlags
}

// tapCommand is mcptea tap.
type tapCommand struct {
	*link.Link
	target *target.Target
}

func (p *tapCommand) command() *cobra.Command {
	var f tapFlags
	cmd := &cobra.Command{
		Use:   "tap TARGET",
		Short: "Record the traffic between a host and a server",
		Long: `Record the messages between a host, such as an editor or a desktop application, and its server.

mcptea tap takes the place of the server in the configuration of the host; mcptea servers wrap edits the configuration. Each session has its own recording.

- With a command it starts the server, and forwards stdin, stdout, stderr, signals and the exit code, byte for byte.
- With --watch or --build it restarts the server after each save, like --watch of the inspector, while the host stays connected. mcptea notifies the host of changed lists.
- With a URL it is a bridge: the host speaks stdio, the server Streamable HTTP or HTTP+SSE. mcptea authorizes if the server requires it. If the server has responded to no request, the exit code is 3 or 4.
- With --listen and a URL it is an HTTP reverse proxy: the host connects to the tap instead of the server.
- With --listen and a command it serves hosts that speak HTTP: each session has its own process; with --shared, all use one process.

The recording does not slow or break the session: if it cannot be written, mcptea prints a warning on stderr and the session continues.

With --baseline, the lists of the server are compared with a file during the session. Nothing is held or changed: differences are reported on stderr and in the recording.

--fault changes messages on purpose. An inspector that opens the recording of an active tap, from Active taps on the start screen of mcptea or with mcptea open, can hold its messages at breakpoints; --list prints the active taps.`,
		Example: `  mcptea tap --watch src -- node server.js
  mcptea tap https://mcp.example.com/mcp
  mcptea tap -- npx -y @modelcontextprotocol/server-everything
  mcptea tap --listen 8080 http://127.0.0.1:3000/mcp
  mcptea tap --listen 8080 -- node server.js
  mcptea tap --fault delay=2s@0.1 -- ./my-server`,
	}
	cmd.RunE = p.RunE(func(_ *cobra.Command, args []string) error {
		if f.list {
			if err := app.NoArguments(cmd, args); err != nil {
				return err
			}
			return p.listTaps()
		}
		if f.reload != "" {
			if err := app.NoArguments(cmd, args); err != nil {
				return err
			}
			return p.reloadTaps(f.reload)
		}
		t, rest, err := p.target.NeedTarget(cmd, args)
		if err != nil {
			return err
		}
		if rest = p.target.TakeWatched(rest); len(rest) > 0 {
			return p.target.UnknownCommand(cmd, rest, args)
		}
		if err := checkServeFlags(cmd, t, f.listen); err != nil {
			return err
		}
		return p.tap(t, f)
	})
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		link.DeclareListen(fs, &f.listen, "serve the host over HTTP")
		fs.BoolVar(&f.list, "list", false, "print the active taps")
		fs.StringVar(&f.baseline, "baseline", "", "report when the server differs from this `FILE`, which is written at the first use")
		fs.StringVar(&f.as, "as", "", "name of the server in its host, for the recording; mcptea servers wrap sets it  `HOST/SERVER`")
	})
	_ = cmd.MarkFlagFilename("baseline")
	f.serve.declare(cmd)
	p.target.AddTarget(cmd)
	p.target.AddReload(cmd)
	app.Declare(cmd, app.GroupReload, func(fs *pflag.FlagSet) {
		fs.IntVar(&f.restart, "restart", 0, "restart a server that exits by itself, at most `N` times in a row")
		fs.StringVar(&f.reload, "reload", "", "restart the servers of the active taps with this name or process id, as --list prints them  `NAME`")
	})
	app.Declare(cmd, app.GroupProtocol, func(fs *pflag.FlagSet) {
		fs.StringVar(&p.Flags.Protocol, "protocol", "auto", "make the initialize of the host request this protocol `VERSION`")
		fs.BoolVar(&p.Flags.Lenient, "lenient", false, "with a URL: continue past protocol violations that a client must reject")
	})
	p.Flags.Auth.AddTo(cmd)
	p.Flags.AddRecording(cmd)
	p.Flags.AddFaults(cmd)
	f.otlp.declare(cmd)
	p.AddOutput(cmd)
	p.Flags.AddConfig(cmd)
	return cmd
}

// tap runs a tap until the server, or for a URL the program, ends. sayWhoIsAwaited tells on a terminal that the
// tap waits for a host, which writes to its stdin.
func (p *tapCommand) sayWhoIsAwaited() {
	how := "mcptea servers wrap HOST/NAME makes a host start it"
	if s := p.Flags.Entry; s != nil && s.Host != settings.OwnHost {
		how = "mcptea servers wrap " + p.Err.Safe(s.ID()) + " has " + hosts.HostName(s.Host) + " start it"
	}
	fmt.Fprintln(p.Err, p.Err.Faint("waiting for a host, which writes its frames to stdin; ctrl+c ends the tap"))
	fmt.Fprintln(p.Err, p.Err.Faint(how))
}

func (p *tapCommand) tap(t client.Target, f tapFlags) error {
	gate, err := p.newTapGate(t)
	if err != nil {
		return err
	}
	if f.as != "" {
		findHome()
	}
	switch {
	case f.listen != "" && !t.IsStdio() && p.target.Watches():
		return app.Usage("Omit --listen: the host starts the tap, and is connected over stdio.", "with --listen and a URL the server is not restarted")
	case f.restart > maxRestart:
		return app.Usage("Name a number up to 1000.", "--restart: %d starts", f.restart)
	case !t.IsStdio() && f.restart > 0:
		return app.Usage("Omit the flag: the next request connects again.", "--restart requires a command, but the target is a URL")
	case f.listen != "" && t.IsStdio():
		return p.tapServe(t, f, gate, "The tap of "+t.String())
	case f.listen != "":
		return p.tapHTTP(t, f, gate)
	}
	if p.InTerminal() {
		p.sayWhoIsAwaited()
	}
	switch {
	case !t.IsStdio():
		return p.tapURL(t, f, gate)
	case p.target.Watches() || f.restart > 0:
		return p.tapCommandAgain(t, f, gate)
	}
	return p.tapStdio(t, f, gate)
}

// maxRestart bounds --restart.
const maxRestart = 1000

// newTapGate returns the gate of a tap, with the faults of --fault.
func (p *tapCommand) newTapGate(t client.Target) (*intercept.Gate, error) {
	faults, err := p.Flags.ParseFaults(t)
	if err != nil {
		return nil, err
	}
	gate := intercept.New(intercept.Options{Seed: p.Flags.FaultSeed, HTTP: !t.IsStdio()})
	return gate, gate.SetFaults(faults)
}

// recordTap returns a function that creates a recording of a tap, or nil if the user wants none.
func (p *tapCommand) recordTap(t client.Target, as string, secrets *secret.Values) func(transport string) (*store.Writer, error) {
	if p.Flags.Record == "off" {
		return nil
	}
	return func(transport string) (*store.Writer, error) {
		limit, err := app.ParseSize(p.Flags.RecordLimit)
		if err != nil {
			return nil, err
		}
		path := p.Flags.Record
		if path == "" {
			path, err = session.NewRecordingPath(p.Configured.Record.Dir, t, as)
		} else if path, err = filepath.Abs(path); err == nil { // inspectors have other working directories
			path = session.UnusedRecording(path) // the host starts the same command each time
		}
		if err != nil {
			return nil, err
		}
		return store.NewWriter(store.Options{Path: path, Limit: limit, Secrets: secrets}, record.Header{
			Tool: strings.TrimSpace("mcptea " + p.Version.Version + " tap " + as), Transport: transport, Target: t.String(), Insecure: t.IsInsecure(),
		})
	}
}

// warnTap prints a warning of a tap. The host shows it in the log of the server.
func (p *tapCommand) warnTap(text string) {
	fmt.Fprintf(p.Err, "%s %s\n", p.Err.Warn("mcptea:"), p.Err.Safe(text))
}

// serveTap lets inspectors attach to a tap. It returns nil if that is not possible.
func (p *tapCommand) serveTap(info control.Info, gate *intercept.Gate) *control.Control {
	state, err := system.StateDir()
	var c *control.Control
	if err == nil {
		c, err = control.Serve(state, info, gate)
	}
	if err != nil {
		p.warnTap(fmt.Sprintf("inspectors cannot attach to this tap: %v", err))
		return nil
	}
	return c
}

// sayKeepsClient prints the command that saves the recorded host as a client for --as-client.
func (p *tapCommand) sayKeepsClient(recording string) {
	line := failure.CommandLine([]string{"mcptea", "open", recording, "--save-client", "it.host.json"})
	fmt.Fprintln(p.Err, p.Err.Faint("to be this host: "+p.Err.Safe(line)+", then --as-client it.host.json"))
}

func (p *tapCommand) tapStdio(t client.Target, f tapFlags, gate *intercept.Gate) error {
	as := f.as
	signals, stop := p.relaySignals()
	defer stop()
	observe, flush, err := p.otlpObserver(f.otlp, t.Secrets())
	if err != nil {
		return err
	}
	defer flush()
	control := p.serveTap(control.Info{Name: as, Target: t.String(), Transport: t.TransportName()}, gate)
	defer control.Close()
	s := &tap.Stdio{
		Command: stdio.Config{Argv: t.Argv, Env: t.Env, Dir: t.Dir}, Target: t.String(), Secrets: t.Secrets(),
		Stdin: p.In, Stdout: p.Out.Writer, Stderr: p.stderrFor(t.Secrets()),
		Signals: signals, Gate: gate, Control: control, Warn: p.warnTap, Observe: observe,
		Baseline: f.baseline,
	}
	if record := p.recordTap(t, as, t.Secrets()); record != nil {
		s.Record = func() (*store.Writer, error) { return record(t.TransportName()) }
	}
	exit, err := s.Run()
	if err != nil {
		return startFailure(err)
	}
	control.Close()
	flush()
	if exit.Signal != "" {
		endBySignal(exit.Signal)
	}
	return app.Silent(exitCodeOf(exit))
}

// findHome sets HOME for mcptea itself, after the environment of the server was made:
// some hosts pass on PATH only, and recordings are in the home directory.
func findHome() {
	if runtime.GOOS == "windows" || os.Getenv("HOME") != "" {
		return
	}
	if u, err := user.Current(); err == nil && u.HomeDir != "" {
		_ = os.Setenv("HOME", u.HomeDir)
	}
}

// tapHTTP serves hosts over HTTP until the program is interrupted.
func (p *tapCommand) tapHTTP(t client.Target, f tapFlags, gate *intercept.Gate) error {
	server, err := mcphttp.Endpoint(t.URL)
	if err != nil {
		return app.Usage("A URL begins with http:// or https://.", "%v", err)
	}
	if err := f.serve.check(); err != nil {
		return err
	}
	l, err := p.ListenAt(f.listen)
	if err != nil {
		return err
	}
	address := "http://" + l.Addr().String() + server.EscapedPath()
	fmt.Fprintf(p.Err, "The tap of %s listens at %s\n", p.Err.Safe(t.String()), address)
	observe, flush, err := p.otlpObserver(f.otlp, t.Secrets())
	if err != nil {
		return err
	}
	defer flush()
	control := p.serveTap(control.Info{Name: f.as, Target: t.String(), Transport: t.TransportName(), Listen: t.Redact(address)}, gate)
	defer control.Close()
	proxy := &tap.Proxy{
		URL: server, Target: t.String(), Secrets: t.Secrets(), Header: t.Header, TLS: t.TLS, Record: p.recordTap(t, f.as, t.Secrets()), Gate: gate, Control: control, Warn: p.warnTap, Observe: observe,
		Baseline: f.baseline, Names: f.serve.names,
	}
	// The end of the recordings has separate limits.
	defer context.AfterFunc(p.Ctx, func() { p.Watchdog.Extend(time.Minute) })()
	if record := proxy.Record; record != nil {
		var last atomic.Pointer[string]
		proxy.Record = func(transport string) (*store.Writer, error) {
			w, err := record(transport)
			if err == nil {
				path := w.Path()
				last.Store(&path)
			}
			return w, err
		}
		defer func() {
			if path := last.Load(); path != nil {
				p.sayKeepsClient(*path)
			}
		}()
	}
	return proxy.Serve(p.Ctx, l)
}

// exitCodeOf returns the exit code of a tap: the exit code of its server, or 128 plus the number of a signal,
// as in shells.
func exitCodeOf(exit *stdio.ExitError) int {
	if exit.Signal != "" {
		return 128 + signalNumber(exit.Signal)
	}
	return exit.Code
}

// The exit codes of a command that cannot be started, as in shells.
const (
	exitNotExecutable = 126
	exitNotFound      = 127
)

// startFailure converts the error of a server that cannot be started.
func startFailure(err error) error {
	code := exitNotExecutable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		code = exitNotFound
	}
	hint := ""
	var failed *stdio.StartError
	if errors.As(err, &failed) && failed.Near != "" {
		hint = "Did you mean " + failed.Near + "?"
	}
	text := err.Error()
	return &app.Error{Code: code, Text: phrase.Capital(text), Hint: hint}
}

// relaySignals sends the signals that would end the program, and the signals that a server may use, to the
// returned channel until stop is called.
func (p *tapCommand) relaySignals() (signals <-chan os.Signal, stop func()) {
	relay := make(chan os.Signal, 16)
	p.Relay.Store(&relay)
	signal.Notify(relay, serverSignals()...)
	return relay, func() {
		signal.Stop(relay)
		p.Relay.Store(nil)
	}
}
