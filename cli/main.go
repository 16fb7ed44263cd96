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
	err := p.execute(p.args)
	if p.command != nil { // a command without --, which has flags of its own
		p.args = append([]string{"--"}, p.command...)
		if line, err := shell.Bash.Join(shell.Literals(p.command...)); err == nil {
			p.launch = "starts " + line
		}
		err = p.execute(p.args)
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
type program struct {
	*connection
	Use
	Checks
	Recordings
	Hosts
	Config
	Inspector
}

func newProgram(in, out, errs *os.File) *program {
	c := newConnection(newApp(in, out, errs))
	p := &program{connection: c, Use: Use{c}, Checks: Checks{c}, Hosts: Hosts{c}, Config: Config{c}}
	p.Inspector = Inspector{c, p.execute}
	p.Recordings = Recordings{p.Inspector, p.Hosts}
	return p
}

// execute runs a command line.
func (p *program) execute(args []string) error {
	root := p.root()
	root.SetArgs(codesBehindDashes(root, args))
	return root.ExecuteContext(p.ctx)
}
