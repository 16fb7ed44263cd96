package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"mcptea/cli/config"
	"mcptea/session/commandline"
)

// Main runs the command that os.Args names and returns the exit code. version
// is that of a release, empty for any other build.
func Main(version string) int {
	p := newProgram(os.Stdin, os.Stdout, os.Stderr)
	p.version = versionOf(version)
	defer p.listen()()
	p.args = os.Args[1:]
	p.out.ascii = p.out.terminal && needsASCII(runtime.GOOS, os.Getenv)
	p.err.ascii = p.err.terminal && needsASCII(runtime.GOOS, os.Getenv)
	root := p.root()
	root.SetArgs(codesBehindDashes(root, p.args))
	if err := root.ExecuteContext(p.ctx); err != nil {
		p.report(asUsage(err))
	}
	if errors.Is(p.out.failure, syscall.EPIPE) {
		return errBrokenPipe.code
	}
	if failure := p.out.failure; failure != nil && p.code == ExitOK {
		p.report(failed("not everything could be written: %v", failure))
	}
	return p.code
}

// program is one run: its streams, its signals, and the flags that all commands
// have in common.
type program struct {
	in       *os.File
	out, err *screen
	args     []string // the command line, without the name of the program
	version  version
	flags    flags
	// configured is the configuration file at configPath, and origins is where the
	// value of each setting comes from, by its flag. They are set by loadSettings.
	configured *config.Config
	configPath string
	origins    map[string]origin
	// targetFlags are those of flags that a command to copy needs.
	targetFlags []commandline.Flag
	code        int
	warnings    *warningList
	warnStray   bool // closeSession warns of what the server sent and is no message

	ctx      context.Context // ends with the first signal, see [signalError]
	stop     context.CancelCauseFunc
	forceCtx context.Context // ends with the second one
	force    context.CancelFunc
	watchdog *watchdog
	atExit   *exitFuncs
}

func newProgram(in, out, errs *os.File) *program {
	p := &program{in: in, out: newScreen(out), err: newScreen(errs), warnings: &warningList{}, configured: &config.Config{}, atExit: &exitFuncs{}, watchdog: &watchdog{}}
	p.out.broken = func() { p.stop(errBrokenPipe) }
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	p.forceCtx, p.force = context.WithCancel(context.Background())
	return p
}

// runE makes a Cobra function of a command. It reports the error itself.
func (p *program) runE(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			p.report(err)
		}
		return nil
	}
}

// report tells the error and settles the exit code.
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

// asUsage adds the way out to what Cobra found wrong with the command line.
func asUsage(err error) error {
	var e *exitError
	if errors.As(err, &e) {
		return err
	}
	return usage("Type mcptea --help for the commands and flags there are.", "%s", strings.TrimSpace(err.Error()))
}
