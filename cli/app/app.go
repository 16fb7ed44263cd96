// Package app represents one run of the program: its streams, signals and exit code. It writes output, errors
// and help.
//
// It also reads the files, pipes and stdin that the command line names. Each read is bounded, ends with its
// context, and rejects endless files such as /dev/zero.
package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/client/secret"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
)

// App is one run of the program: its streams, its signals, and how output is written.
type App struct {
	In       *os.File
	Out, Err *Screen
	Env      Env      // environment, or nil for the environment of the process
	Args     []string // the command line, without the name of the program
	Version  BuildVersion
	// Secrets holds the secrets of the targets and of their authorization. They are redacted in errors and in
	// everything printed on stderr except questions.
	Secrets *secret.Values
	Code    int
	// TakeError receives an error before it is printed on stderr, and reports whether it has handled it. It may
	// be nil.
	TakeError func(*Error) bool
	// EndlessOutput marks a command that normally ends when the reader closes the pipe.
	EndlessOutput bool
	Output

	Ctx      context.Context // ends with the first signal, see [SignalError]
	stop     context.CancelCauseFunc
	ForceCtx context.Context // ends with the second one
	force    context.CancelFunc
	Watchdog *watchdog
	AtExit   *exitFuncs
	// Relay receives the signals that would end the program, while a tap forwards them.
	Relay *atomic.Pointer[chan os.Signal]
	// Taken reports whether the interface uses the terminal, see Take.
	Taken *atomic.Bool
	// Lent is set while another program uses the terminal: ctrl+c then belongs to that program.
	Lent *atomic.Bool
	// Garbage is the percentage for debug.SetGCPercent: the memory that may become garbage
	// before a collection, relative to the live memory.
	Garbage *atomic.Int32
}

// NewApp makes a run on streams and in an environment; its context ends with the first signal after Listen.
func NewApp(in, out, errs *os.File, env Env) *App {
	p := &App{In: in, Env: env, Out: newScreen(out, env), Err: newScreen(errs, env), AtExit: &exitFuncs{}, Watchdog: &watchdog{}, Relay: &atomic.Pointer[chan os.Signal]{}, Taken: &atomic.Bool{}, Lent: &atomic.Bool{}, Garbage: &atomic.Int32{}}
	p.Err.messages = true
	p.Secrets = new(secret.Values)
	p.Err.secrets = p.Secrets
	p.Garbage.Store(100)
	p.Out.broken = func() { p.stop(ErrBrokenPipe) }
	p.Ctx, p.stop = context.WithCancelCause(context.Background())
	p.ForceCtx, p.force = context.WithCancel(context.Background())
	return p
}

// RunE returns the RunE function of a command, which prints its error. A flag with a negative number or time is an
// error.
func (p *App) RunE(run func(cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		err := negativeFlag(cmd.Flags())
		if err == nil {
			err = run(cmd, args)
		}
		if err != nil {
			p.Report(err)
		}
		return nil
	}
}

// negativeFlag returns an error for the first flag that is a negative number or time, or nil.
func negativeFlag(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		hint, isNumber := map[string]string{"duration": "Write a time such as 500ms, 30s or 2m.", "int": "", "int64": "", "float64": ""}[f.Value.Type()]
		if err == nil && isNumber && strings.HasPrefix(f.Value.String(), "-") {
			err = Usage(hint, "--%s %s is negative", f.Name, f.Value)
		}
	})
	return err
}

// Report prints an error and sets the exit code.
func (p *App) Report(err error) {
	var e *Error
	switch {
	case errors.As(err, &e):
	case SignalOf(err) == errOutput:
		e = &Error{Code: ExitError, Text: fmt.Sprintf("cannot write all of the output: %v", p.Out.Failure)}
	case SignalOf(err) != nil:
		e = &Error{Code: SignalOf(err).Code}
	default:
		e = &Error{Code: ExitError, Text: err.Error()}
	}
	p.Code = e.Code
	if p.TakeError != nil && e.Text != "" && p.TakeError(e) {
		return
	}
	if system.IsErrno(p.Out.Failure, syscall.EPIPE) {
		return // the reader of stdout has exited, which caused this error: [ErrBrokenPipe]
	}
	if e.Text != "" {
		p.Err.Prose(p.Err.Bad("mcptea:") + " " + p.Err.LinkPlace(p.Err.Safe(e.Text), e.File, e.Line))
	}
	if e.Hint != "" {
		fmt.Fprintln(p.Err, p.Err.Hint(e.Hint))
	}
	p.reportJSON(e)
}

// reportJSON prints an error on stdout if the command line requests JSON and nothing was printed. With
// --output, the file stays unchanged. With --jq, nothing is printed on stdout, since the filter is for the
// output of the command.
func (p *App) reportJSON(e *Error) {
	doc := e.Document
	if doc == nil {
		doc = &ErrorDocument{Message: e.Text, Try: e.Hint}
	}
	if doc.Message == "" || p.Out.Wrote || !p.wantsJSON() {
		return
	}
	doc = doc.redacted(p.Secrets.Redact)
	doc.Code = CodeName(e.Code)
	out := p.Out
	if p.temp != nil {
		p.Out = p.stdout
	}
	_ = p.PrintDocument(map[string]any{"error": doc}) // the screen keeps the error
	p.Out = out
}

// wantsJSON reports whether the command line requests JSON without a filter, even if it was not parsed.
func (p *App) wantsJSON() bool {
	wants := p.JSON
	for _, arg := range p.Args {
		if arg == "--" {
			break
		}
		if arg == "--jq" || strings.HasPrefix(arg, "--jq=") {
			return false
		}
		wants = wants || arg == "--json"
	}
	return wants && !p.Filters()
}

// AsUsage adds a hint to a usage error of Cobra.
func AsUsage(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return Usage("Type mcptea --help for the commands.", "%s", strings.TrimSpace(err.Error()))
}

// Interactive reports whether stdin and stdout are a terminal, or the interface is on one.
func (p *App) Interactive() bool {
	return p.Taken.Load() || p.Out.Terminal && p.Out.Addressable && term.IsTerminal(p.In.Fd())
}

// InTerminal reports whether stdin is a terminal, so that the user can be asked there.
func (p *App) InTerminal() bool { return !p.Taken.Load() && term.IsTerminal(p.In.Fd()) }

// DidYouMean names the most similar names to a word, or returns "".
func DidYouMean(word string, names []string) string {
	return OneOf(phrase.Nearest(word, names))
}

// OneOf asks whether one of some names was meant, or returns "" if there are none.
func OneOf(near []string) string {
	if len(near) == 0 {
		return ""
	}
	safe := make([]string, len(near)) // the names may be untrusted
	for i, name := range near {
		safe[i] = display.Sanitize(name)
	}
	return "Did you mean " + strings.Join(safe, " or ") + "?"
}

// Suggest returns a hint that names similar names to a word, followed by another hint.
func Suggest(word string, names []string, hint string) string {
	if near := DidYouMean(word, names); near != "" {
		return strings.TrimSuffix(near+"\n"+hint, "\n")
	}
	return hint
}

// DefaultRecordLimit is the maximum size of a recording.
const DefaultRecordLimit = "2GB"

var errNotASize = errors.New("not a size")

// units are the suffixes of sizes, in bytes.
var units = map[string]float64{
	"": 1, "B": 1, "K": 1e3, "KB": 1e3, "M": 1e6, "MB": 1e6, "G": 1e9, "GB": 1e9,
	"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30,
}

// ParseSize reads a number of bytes such as 500MB.
func ParseSize(text string) (int64, error) {
	text = strings.ToUpper(strings.ReplaceAll(strings.TrimSpace(text), " ", ""))
	number := strings.TrimRight(text, "BGIKM")
	unit, known := units[text[len(number):]]
	n, err := strconv.ParseFloat(number, 64)
	if !known || err != nil || math.IsNaN(n) || n < 0 || n*unit >= math.MaxInt64 {
		return 0, errNotASize
	}
	return int64(n * unit), nil
}
