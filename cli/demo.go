package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/system"
	"mcptea/ui"
)

// demoFlags holds the flags of mcptea demo.
type demoFlags struct {
	serve  bool
	listen string
	fault  string
	faults []string // names of faults, as given
}

func (p *program) demoCommand() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Inspect the built-in server",
		Long: `Open the inspector on the built-in server, which has tools, resources and prompts of every kind, and simulates faults on request. Without a terminal, connect, list, call a tool and print the frames.

It supports all protocol versions. Over HTTP: /mcp all of them, /legacy the versions with the initialize handshake, /modern 2026-07-28, /sse the HTTP+SSE transport of 2024-11-05.`,
		Example: `  mcptea demo
  mcptea demo --fault banner           # a server that prints text to stdout
  mcptea demo --listen 8080            # only the server, for another client`,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error {
			if err := app.NoArguments(cmd, args); err != nil {
				return err
			}
			return p.demo(f)
		}),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.serve, "serve", false, "run only the server, on stdin and stdout")
		link.DeclareListen(fs, &f.listen, "run only the server, over HTTP")
		fs.StringArrayVar(&f.faults, "fault", nil, "simulate this `FAULT`; \"list\" lists them")
	})
	p.Flags.AddProtocol(cmd)
	p.Flags.AddRecording(cmd)
	p.Flags.AddLint(cmd)
	p.AddScreen(cmd)
	// It fails only for a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("fault", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := []string{"list\tall of them"}
		for _, f := range demo.Faults() {
			names = append(names, f.Name+"\t"+f.Summary)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return cmd
}

func (p *program) demo(f demoFlags) error {
	switch len(f.faults) {
	case 0:
	case 1:
		f.fault = f.faults[0]
	default:
		return app.Usage("Start it once for each. Faults between mcptea and a server can be combined: mcptea help faults.", "--fault: the demo server has one fault at a time, not %s", strings.Join(f.faults, " and "))
	}
	if f.fault == "list" {
		return p.listFaults()
	}
	if _, ok := demo.FaultNamed(f.fault); !ok && f.fault != "" {
		return app.Usage("mcptea demo --fault list lists the faults.", "--fault: unknown fault %q", f.fault)
	}
	// Faults of HTTP have no effect over stdio.
	overHTTP := strings.HasPrefix(f.fault, "http-")
	switch {
	case f.serve && f.listen != "":
		return app.Usage("Use one of them.", "--serve and --listen exclude each other")
	case f.serve && overHTTP:
		return app.Usage("Run: mcptea demo --listen 8080 --fault "+f.fault, "--fault %s requires HTTP", f.fault)
	case f.serve:
		return p.serveStdio(f)
	case f.listen != "":
		return p.serveHTTP(f, f.listen, nil)
	case overHTTP:
		return p.demoOverHTTP(f)
	}
	return p.demoOverStdio(f)
}

func (p *program) listFaults() error {
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}}
	for _, f := range demo.Faults() {
		t.Row(f.Name, f.Summary)
	}
	t.Print()
	return nil
}

func (p *program) serveStdio(f demoFlags) error {
	err := demo.New(demo.Options{Fault: f.fault}).ServeStdio(p.Ctx, p.In, p.Out.Writer, p.Err.Writer)
	var exit *demo.ExitError
	if errors.As(err, &exit) {
		return app.Silent(exit.Code)
	}
	return err
}

// serveHTTP serves until the program is interrupted. It calls listening with the URL,
// or prints the URL to stderr if listening is nil.
func (p *program) serveHTTP(f demoFlags, address string, listening func(url string)) error {
	if listening == nil {
		listening = func(url string) { fmt.Fprintf(p.Err, "The demo server listens at %s\n", url) }
	}
	server := demo.New(demo.Options{Fault: f.fault, Log: p.Err.Writer})
	return p.ListenHTTP(address, server.HandlerContext, func(base string) { listening(base + "/mcp") })
}

// demoOverStdio runs this executable as the server.
func (p *program) demoOverStdio(f demoFlags) error {
	self, err := os.Executable()
	if err != nil {
		return app.Failed("cannot find the mcptea executable: %v", err)
	}
	t := client.Target{Argv: []string{self, "demo", "--serve"}}
	if f.fault != "" {
		t.Argv = append(t.Argv, "--fault", f.fault)
	}
	if err := p.Complete(&t); err != nil {
		return err
	}
	return p.show(t, f.fault)
}

// demoOverHTTP serves on a free port of the loopback interface and connects to it.
func (p *program) demoOverHTTP(f demoFlags) error {
	server := *p
	var end context.CancelCauseFunc
	server.Ctx, end = context.WithCancelCause(p.Ctx)
	urls, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- server.serveHTTP(f, "127.0.0.1:0", func(url string) { urls <- url }) }()
	defer end(nil)
	var err error
	select {
	case err = <-ended:
		return err
	case url := <-urls:
		t := client.Target{URL: url}
		if err = p.Complete(&t); err == nil {
			err = p.show(t, f.fault)
		}
	}
	end(nil)
	if ending := <-ended; err == nil {
		err = ending
	}
	return err
}

// show opens the inspector; without a terminal, it runs the demo script instead.
func (p *program) show(t client.Target, fault string) error {
	if p.Interactive() {
		return p.inspector.Teach(t, lesson(fault))
	}
	return p.demoScript(t)
}

// lesson returns the steps of the demo, or a description of the fault. When the user has ended the
// steps, a file in the state directory records that.
func lesson(fault string) (l ui.Lesson) {
	if f, ok := demo.FaultNamed(fault); ok {
		return ui.Lesson{Steps: []ui.Step{{Name: "fault", Text: "fault " + f.Name + ": the server " + f.Summary}}}
	}
	for _, s := range demo.Steps() {
		l.Steps = append(l.Steps, ui.Step{Name: s.Name, Text: s.Text})
	}
	dir, err := system.StateDir()
	if err != nil {
		return l // without the file, the steps are displayed each time
	}
	path := filepath.Join(dir, "demo-steps-ended")
	_, err = os.Stat(path)
	l.Over = err == nil
	l.End = func() {
		_ = os.MkdirAll(dir, 0o700) // after an error, the steps are displayed again at the next start
		_ = os.WriteFile(path, nil, 0o600)
	}
	return l
}
