package cli

import (
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/cli/inspector"
	"mcptea/cli/link"
	"mcptea/cli/settings"
	"mcptea/cli/target"
	"mcptea/internal/desktop"
	"mcptea/internal/shell"
	"mcptea/internal/system"
	"mcptea/ui"
)

// Main runs the command line in os.Args and returns the exit code. version is the version of a release, or ""
// for other builds.
func Main(version string) int {
	p := newProgram(os.Stdin, os.Stdout, os.Stderr, nil)
	deferCollector(p.Garbage)
	log.SetOutput(io.Discard) // net/http logs bytes that follow a response, in the middle of the output of a command
	return p.run(version, os.Args[1:])
}

// Run runs a command line on streams and returns the exit code. It is like [Main], but does not
// change the process: the garbage collector and the standard logger.
func Run(version string, in, out, errs *os.File, args []string) int {
	return newProgram(in, out, errs, nil).run(version, args)
}

// run runs a command line and returns the exit code.
func (p *program) run(version string, args []string) int {
	p.Version = app.VersionOf(version)
	defer p.Listen()()
	defer desktop.CloseBrowser()
	defer func() { p.JQ.Close() }()
	p.Args = args
	p.Out.ASCII = p.Out.Terminal && settings.NeedsASCII(runtime.GOOS, p.Env.Get)
	p.Err.ASCII = p.Err.Terminal && settings.NeedsASCII(runtime.GOOS, p.Env.Get)
	var err error
	if slices.Equal(p.Args, []string{"--version"}) { // --version needs no command tree
		err = p.Out.Line(p.Version.Line())
	} else {
		err = p.execute(p.Args)
	}
	if p.source != nil { // source file of a server, with its own flags
		err = p.inspector.StartOn(p.source)
	}
	if p.withoutDashes != nil { // command of a server without --, with its own flags
		p.Args = append([]string{"--"}, p.withoutDashes...)
		if line, err := shell.Bash.Join(shell.Literals(p.withoutDashes...)); err == nil {
			p.Launch = "starts " + line
		}
		err = p.execute(p.Args)
	}
	switch {
	case err == nil:
	case p.Out.Failure != nil: // Cobra has returned the error, as for a completion script
		p.Report(err)
	default:
		p.Report(app.AsUsage(err))
	}
	p.inspector.Host.Wait() // wait for other sessions and windows that the inspector opened
	if err := p.CloseOutput(); err != nil {
		p.Report(app.Failed("cannot write %s: %v", p.Output.Path, err))
	}
	if system.IsErrno(p.Out.Failure, syscall.EPIPE) {
		if p.EndlessOutput {
			return app.ExitOK
		}
		return app.ErrBrokenPipe.Code
	}
	if failure := p.Out.Failure; failure != nil && p.Code == app.ExitOK {
		p.Report(app.Failed("cannot write all of the output: %v", failure))
	}
	return p.Code
}

// Commands returns the commands with their flags, for documentation.
func Commands() *cobra.Command { return newProgram(os.Stdin, os.Stdout, os.Stderr, nil).root("") }

// program is the program for one command line.
type program struct {
	*settings.Settings
	*target.Target
	*link.Link
	inspector     *inspector.Inspector
	withoutDashes []string // command of a server that was given without --, or nil
	source        []string // source file or project, with the arguments of the server, or nil
}

func newProgram(in, out, errs *os.File, env app.Env) *program {
	a := app.NewApp(in, out, errs, env)
	p := programOf(settings.New(a), &ui.Host{})
	p.inspector.Notes = a.Err
	p.inspector.Host.Taking = func() func() {
		restore, release := p.inspector.RestoreTerminal(), a.Take()
		stop := p.inspector.FollowTaps()
		return func() {
			stop()
			release()
			restore()
		}
	}
	return p
}

// programOf returns a program with its own settings, on a terminal that it may share.
func programOf(s *settings.Settings, host *ui.Host) *program {
	p := &program{Settings: s, Target: target.New(s), Link: link.New(s)}
	p.inspector = &inspector.Inspector{
		Settings: s, Target: p.Target, Link: p.Link, Execute: p.execute, Host: host,
		Fresh: func(a *app.App) *inspector.Inspector {
			other := *p.Settings
			other.App = a
			fresh := programOf(&other, host).inspector
			fresh.Notes = p.inspector.Notes
			return fresh
		},
	}
	return p
}

// execute runs a command line.
func (p *program) execute(args []string) error {
	only := ""
	if len(args) > 0 && !slices.Contains(args, "--help") && !slices.Contains(args, "-h") { // the help knows which flags are shared
		only = args[0]
	}
	root := p.root(only)
	root.SetArgs(checks.CodesBehindDashes(root, args))
	return root.ExecuteContext(p.Ctx)
}
