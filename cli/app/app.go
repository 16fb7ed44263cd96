package app

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
	In       *os.File
	Out, Err *Screen
	Args     []string // the command line, without the name of the program
	Version  version
	Code     int
	Output

	Ctx      context.Context // ends with the first signal, see [signalError]
	stop     context.CancelCauseFunc
	ForceCtx context.Context // ends with the second one
	force    context.CancelFunc
	Watchdog *watchdog
	AtExit   *exitFuncs
	// Relay gets the signals that would end the program, while a tap passes them on.
	Relay *atomic.Pointer[chan os.Signal]
}

func NewApp(in, out, errs *os.File) *App {
	p := &App{In: in, Out: newScreen(out), Err: newScreen(errs), AtExit: &exitFuncs{}, Watchdog: &watchdog{}, Relay: &atomic.Pointer[chan os.Signal]{}}
	p.Out.broken = func() { p.stop(ErrBrokenPipe) }
	p.Ctx, p.stop = context.WithCancelCause(context.Background())
	p.ForceCtx, p.force = context.WithCancel(context.Background())
	return p
}

// RunE returns the RunE function of a command, which prints its error.
func (p *App) RunE(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := run(cmd, args); err != nil {
			p.Report(err)
		}
		return nil
	}
}

// Report prints an error and sets the exit code.
func (p *App) Report(err error) {
	var e *Error
	switch {
	case errors.As(err, &e):
	case SignalOf(err) != nil:
		e = &Error{Code: SignalOf(err).Code}
	default:
		e = &Error{Code: ExitError, Text: err.Error()}
	}
	p.Code = e.Code
	if e.Text != "" {
		fmt.Fprintf(p.Err, "%s %s\n", p.Err.Bad("mcptea:"), p.Err.Safe(e.Text))
	}
	if e.Hint != "" {
		fmt.Fprintln(p.Err, e.Hint)
	}
}

// AsUsage adds a hint to a usage error of Cobra.
func AsUsage(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return Usage("Type mcptea --help for the commands.", "%s", strings.TrimSpace(err.Error()))
}

// Interactive reports whether stdin and stdout are a terminal.
func (p *App) Interactive() bool {
	return p.Out.Terminal && p.Out.Addressable && term.IsTerminal(p.In.Fd())
}
