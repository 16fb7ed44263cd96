package cli

import (
	"errors"
	"os"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

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
		p.report(failed("cannot write %s: %v", p.output.path, err))
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

// program is the command line program.
type program struct{ *connection }

func newProgram(in, out, errs *os.File) *program {
	return &program{newConnection(newApp(in, out, errs))}
}
