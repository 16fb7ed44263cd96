package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
)

// App is one run of the program: its streams, its signals, and how output is written.
type App struct {
	in       *os.File
	out, err *screen
	args     []string // the command line, without the name of the program
	version  version
	code     int
	output

	ctx      context.Context // ends with the first signal, see [signalError]
	stop     context.CancelCauseFunc
	forceCtx context.Context // ends with the second one
	force    context.CancelFunc
	watchdog *watchdog
	atExit   *exitFuncs
	// relay gets the signals that would end the program, while a tap passes them on.
	relay *atomic.Pointer[chan os.Signal]
}

func newApp(in, out, errs *os.File) *App {
	p := &App{in: in, out: newScreen(out), err: newScreen(errs), atExit: &exitFuncs{}, watchdog: &watchdog{}, relay: &atomic.Pointer[chan os.Signal]{}}
	p.out.broken = func() { p.stop(errBrokenPipe) }
	p.ctx, p.stop = context.WithCancelCause(context.Background())
	p.forceCtx, p.force = context.WithCancel(context.Background())
	return p
}

// runE returns the RunE function of a command, which prints its error.
func (p *App) runE(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			p.report(err)
		}
		return nil
	}
}

// report prints an error and sets the exit code.
func (p *App) report(err error) {
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

// interactive reports whether stdin and stdout are a terminal.
func (p *App) interactive() bool {
	return p.out.terminal && p.out.addressable && term.IsTerminal(p.in.Fd())
}
