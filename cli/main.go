package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/spf13/cobra"

	"mcptea/cli/config"
	"mcptea/client/hosts"
	"mcptea/session/shell"
)

// Main runs the command line in os.Args and returns the exit code. version is that
// of a release, empty for other builds.
func Main(version string) int {
	p := newProgram(os.Stdin, os.Stdout, os.Stderr)
	p.version = versionOf(version)
	defer p.listen()()
	p.args = os.Args[1:]
	p.out.ascii = p.out.terminal && needsASCII(runtime.GOOS, os.Getenv)
	p.err.ascii = p.err.terminal && needsASCII(runtime.GOOS, os.Getenv)
	root := p.root()
	root.SetArgs(codesBehindDashes(root, p.args))
	err := root.ExecuteContext(p.ctx)
	if p.command != nil { // a command without --, which has flags of its own
		p.args = append([]string{"--"}, p.command...)
		if line, err := shell.Bash.Join(shell.Literals(p.command...)); err == nil {
			p.launch = "starts " + line
		}
		root = p.root()
		root.SetArgs(p.args)
		err = root.ExecuteContext(p.ctx)
	}
	if err != nil {
		p.report(asUsage(err))
	}
	if err := p.closeOutput(); err != nil {
		p.report(failed("cannot write %s: %v", p.flags.output.path, err))
	}
	if errors.Is(p.out.failure, syscall.EPIPE) {
		return errBrokenPipe.code
	}
	if failure := p.out.failure; failure != nil && p.code == ExitOK {
		p.report(failed("cannot write all of the output: %v", failure))
	}
	return p.code
}

// Commands returns the commands with their flags, for documentation of them.
func Commands() *cobra.Command { return newProgram(os.Stdin, os.Stdout, os.Stderr).root() }

// program is one run: its streams, signals, and the values of shared flags.
type program struct {
	in       *os.File
	out, err *screen
	args     []string // the command line, without the name of the program
	command  []string // the command of a server that was given without --; nil without one
	version  version
	flags    flags
	// configured is the configuration file at configPath, and origins is where the
	// value of each setting comes from, by its flag. They are set by loadSettings.
	configured *config.Config
	configPath string
	origins    map[string]origin
	// targetFlags are the flags that a copied command has to repeat.
	targetFlags []shell.Flag
	launch      string        // what the target starts, if that is not on the command line as it is
	shown       *hosts.Server // the configured server that the user has chosen by what it starts, if any
	code        int
	warnings    *warningList
	warnStray   bool // closeSession prints a warning about frames that are not messages

	ctx      context.Context // ends with the first signal, see [signalError]
	stop     context.CancelCauseFunc
	forceCtx context.Context // ends with the second one
	force    context.CancelFunc
	watchdog *watchdog
	atExit   *exitFuncs
	// relay gets the signals that would end the program, while a tap passes them on.
	relay *atomic.Pointer[chan os.Signal]
}

func newProgram(in, out, errs *os.File) *program {
	p := &program{in: in, out: newScreen(out), err: newScreen(errs), warnings: &warningList{}, configured: &config.Config{}, atExit: &exitFuncs{}, watchdog: &watchdog{}, relay: &atomic.Pointer[chan os.Signal]{}}
	p.out.broken = func() { p.stop(errBrokenPipe) }
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	p.forceCtx, p.force = context.WithCancel(context.Background())
	return p
}

// runE returns the RunE function of a command, which prints its error.
func (p *program) runE(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			p.report(err)
		}
		return nil
	}
}

// report prints an error and sets the exit code.
func (p *program) report(err error) {
	var e *exitError
	switch {
	case errors.As(err, &e):
	case signalOf(err) != nil:
		e = &exitError{code: signalOf(err).code}
	default:
		e = &exitError{code: ExitError, text: err.Error()}
	}
	p.code = e.code
	if e.text != "" {
		fmt.Fprintf(p.err, "%s %s\n", p.err.bad("mcptea:"), p.err.safe(e.text))
	}
	if e.hint != "" {
		fmt.Fprintln(p.err, e.hint)
	}
}

// asUsage adds a hint to a usage error of Cobra.
func asUsage(err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return usage("Type mcptea --help for the commands.", "%s", strings.TrimSpace(err.Error()))
}
