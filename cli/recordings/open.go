package recordings

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/shell"
	"mcptea/record"
	"mcptea/record/recordings"
	"mcptea/session/runs/branch"
	"mcptea/session/session"
	"mcptea/ui"
)

const noTerminalForRecording = `Commands that work without a terminal:
  mcptea lint FILE             check the frames of a recording
  mcptea export FILE --to …    write a recording in another format
  mcptea open                  list the recordings`

// openCommand is mcptea open.
type openCommand struct{ *inspector.Inspector }

func (p *openCommand) command() *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use:   "open [FILE] [TARGET]",
		Short: "Open a recording in the inspector, or list the recordings",
		Long: `Open a recording in the inspector, and follow it while it is being written. Without FILE, list the recordings and open your choice; FILE may also be a directory with recordings. Without a terminal, or with --json, print the list.

Everything that needs no server works: Traffic, filters, details, findings, explanations, logs, lists, tasks, and server requests. To send a frame or a call, the inspector asks for a target first. It proposes TARGET, or the target of the recording, and connects only when you accept.

With --continue, the session continues the recording: the frames of its client are sent to TARGET again, with new ids and with the cursors, tasks and states of the new server; requests of the server get the recorded responses, and differences are shown as in mcptea replay. Then the session is live. The inspector asks before a call that is not read-only; without a terminal the call is left out, unless --allow names its tool. Requests that were pending are not sent. --until FRAME sends only the frames before this one. Without a terminal, or with --json, the session ends there.

With --save-client, the behavior of the client of the recording is written to a file: its name, its capabilities, its requests after connecting, the form of its frames, and its responses to the server. With this file and --as-client, another command connects as that client: record a host with mcptea tap, and act as the host that fails. With --hosts the clients of several recordings are compared.

With --stats, the calls in all recordings are counted by server and tool.

Of a damaged or incomplete recording, the readable part is opened.`,
		Example: `  mcptea open
  mcptea open session.mcptea.jsonl
  mcptea open bug-report.mcptea.jsonl http://127.0.0.1:3000/mcp
  mcptea open session.mcptea.jsonl --continue --until 29 -- node server.js
  mcptea open --json | jq -r '.recordings[] | select(.summary.finding_errors > 0) | .path'
  mcptea open editor.mcptea.jsonl --save-client editor.host.json
  mcptea open --hosts editor.mcptea.jsonl cli.mcptea.jsonl
  mcptea open --stats --since 7d
  mcptea open --prune --older-than 30d`,
		Args: cobra.ArbitraryArgs,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.openRecordings(cmd, args, &f) }),
	}
	f.declare(cmd)
	p.AddInspectorFlags(cmd)
	p.AddJSON(cmd)
	return cmd
}

func (p *openCommand) openRecordings(cmd *cobra.Command, args []string, f *openFlags) error {
	switch {
	case !f.prune && (f.dryRun || f.limits != recordings.Limits{}):
		return app.Usage("Add --prune, or omit the flag.", "--older-than, --keep, --max-size and --dry-run require --prune")
	case f.prune && p.JSON:
		return app.Usage("Omit one of the flags.", "--prune and --json exclude each other")
	case cmd.ArgsLenAtDash() == 0:
		return app.Usage("Run: mcptea open FILE -- COMMAND", "a target requires a recording before it")
	}
	if err := f.continues.check(cmd.Flags()); err != nil {
		return err
	}
	if done, err := p.readOnly(cmd, args, f); done {
		return err
	}
	if f.continues.enabled && len(args) == 0 {
		return app.Usage("Run: mcptea open FILE --continue -- COMMAND", "--continue requires a recording and a target")
	}
	if len(args) == 0 {
		dir, err := p.RecordingDir()
		if err != nil {
			return app.Failed("cannot find the directory of recordings: %v", err)
		}
		return p.listRecordings(f, dir)
	}
	t, rest, found, err := p.SplitTarget(cmd, args)
	if err != nil {
		return err
	}
	if len(rest) > 1 {
		return app.Usage("Run: mcptea open FILE", "open takes one file, found %q too", rest[1])
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() && !found {
		return p.listRecordings(f, args[0])
	}
	switch {
	case f.continues.enabled && !found:
		return app.Usage("Run: mcptea open FILE --continue -- COMMAND", "--continue requires a target; in the inspector, R offers the target of the recording")
	case f.continues.enabled && !f.prune:
		return p.continueFile(args[0], t, f.continues.options)
	case f.prune || p.JSON:
		return app.Usage("Omit the file, or name a directory.", "--prune and --json are for the list of recordings")
	case !p.Interactive():
		if _, err := os.Stat(args[0]); err != nil {
			return openError(args[0], err)
		}
		if use := app.ReaderOf("open", args[0]); use != "" {
			return app.Usage(use, "%s is not a recording", args[0])
		}
		return app.Usage(noTerminalForRecording, "the inspector requires a terminal")
	}
	var given givenTarget
	if found {
		given.private = t.Private
		given.AddReached(t)
	}
	return p.openFile(args[0], "", &given)
}

// readOnly implements the flags of mcptea open that read recordings without showing them. done reports whether
// one was given.
func (p *openCommand) readOnly(cmd *cobra.Command, args []string, f *openFlags) (done bool, err error) {
	given := 0
	for _, name := range []string{"prune", "continue", "save-client", "hosts", "stats"} {
		if cmd.Flags().Changed(name) {
			given++
		}
	}
	switch {
	case given > 1:
		return true, app.Usage("Use one of them.", "--prune, --continue, --save-client, --hosts and --stats exclude each other")
	case f.stats.since > 0 && !f.stats.enabled:
		return true, app.Usage("Add --stats, or omit the flag.", "--since requires --stats")
	case f.clients.markdown && !f.clients.hosts && !f.stats.enabled:
		return true, app.Usage("Add one of them, or omit the flag.", "--markdown requires --hosts or --stats")
	case f.clients.markdown && p.JSON:
		return true, app.Usage("Omit one of the flags.", "--markdown and --json cannot be used together")
	case f.clients.hosts:
		return true, p.compareHosts(args, f.clients.markdown)
	case f.clients.save != "":
		if len(args) == 0 || p.JSON {
			return true, app.Usage("Run: mcptea open FILE --save-client CLIENT.json", "--save-client takes recordings, and no --json")
		}
		return true, p.saveClient(args, f.clients.save)
	case f.stats.enabled && len(args) > 1:
		return true, app.Usage("Run: mcptea open --stats [DIRECTORY]", "--stats takes one directory, found %q too", args[1])
	case f.stats.enabled && len(args) == 1:
		return true, p.printStats(args[0], &f.stats, f.clients.markdown)
	case f.stats.enabled:
		dir, err := p.RecordingDir()
		if err != nil {
			return true, app.Failed("cannot find the directory of recordings: %v", err)
		}
		return true, p.printStats(dir, &f.stats, f.clients.markdown)
	}
	return false, nil
}

// givenTarget is the target of the command line as the user would type it, with variables instead of its
// secrets, or the zero value.
type givenTarget struct {
	shell.Line
	private []string
}

// text returns the line; empty if it cannot be written.
func (g *givenTarget) text() string {
	line, err := g.For(shell.Bash)
	if err != nil {
		return ""
	}
	return line
}

// lookup returns the value of a variable of the line, or else of the environment.
func (g *givenTarget) lookup(env app.Env) func(name string) (string, bool) {
	return func(name string) (string, bool) {
		if value, ok := g.Value(name); ok {
			return value, true
		}
		return env.Lookup(name)
	}
}

// openGarbage is the value of [app.App.Garbage] while a recording is shown: reading and checking a large one
// leaves much garbage.
const openGarbage = 50

// openFile opens the inspector with a recording, and then with the target that the user chose there, if any.
// filter is the initial filter of Traffic, or "" for the filter of the flag.
func (p *openCommand) openFile(path, filter string, given *givenTarget) error {
	regular, done, err := p.regularFile(path)
	if err != nil {
		return err
	}
	defer done()
	cfg := session.Config{Client: client.Config{Name: "mcptea", Version: p.Version.Version}, Lint: true, NoHeuristics: p.Flags.NoHeuristics, Lists: client.ListKinds}
	if cfg.Mute, err = p.Muted(); err != nil {
		return err
	}
	s, err := session.OpenRecording(regular, cfg)
	if err != nil {
		return openError(path, err)
	}
	p.Garbage.Store(openGarbage)
	o := p.ScreenOptions()
	o.Target, o.Attach = given.text(), inspector.AttachTo
	o.Filter = cmp.Or(filter, o.Filter)
	chosen, err := p.RunInspector(s, o)
	if rec, _ := s.Recording(); rec.Skipped != "" {
		p.Note(rec.Skipped)
	}
	if err != nil || chosen == nil {
		return err
	}
	return p.openChosen(path, chosen, given)
}

// openChosen connects to the target that the user typed.
func (p *openCommand) openChosen(path string, chosen *ui.ConnectTo, given *givenTarget) error {
	words, err := shell.Split(chosen.Target, given.lookup(p.Env))
	if err != nil {
		return app.Usage("Write it as in a shell.", "cannot read the target: %v", err)
	}
	t := client.Target{Argv: words}
	if len(words) == 1 {
		if address := target.AsURL(words[0]); target.IsURL(words[0]) {
			t = client.Target{URL: words[0]}
		} else if address != "" {
			t = client.Target{URL: address}
		}
	}
	t.Private = given.private
	if err := p.Complete(&t); err != nil {
		return err
	}
	if chosen.Continue {
		return p.continueFile(path, t, branch.Options{Until: chosen.Until})
	}
	return p.Open(t, chosen.Draft)
}

// openError explains why a file cannot be opened as a recording.
func openError(path string, err error) error {
	switch {
	case errors.Is(err, record.ErrNotARecording):
		return app.Usage(cmp.Or(app.ReaderOf("open", path), "mcptea lint checks the frames of other files and logs."), "%s is not a recording of mcptea: it has neither a header nor an event of the format", path)
	case errors.Is(err, fs.ErrNotExist):
		return app.Usage(cmp.Or(app.NearFiles(path), "mcptea open without a file lists the recordings."), "cannot open %s: no such file or directory", path)
	}
	return app.Failed("%v", err)
}

// pipeTimeout bounds the wait for the first line of a recording from a pipe.
const pipeTimeout = 10 * time.Second

// regularFile returns the path of a file whose bytes can be read at any offset: the path itself or, for a pipe,
// a temporary file filled from it.
func (p *openCommand) regularFile(path string) (regular string, done func(), err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", nil, openError(path, err)
	case info.IsDir():
		return "", nil, app.Usage("Name a file in it.", "cannot open %s: it is a directory", path)
	case info.Mode().IsRegular():
		return path, func() {}, nil
	}
	if err := app.RefuseDevice(path); err != nil {
		return "", nil, err
	}
	c, err := p.CopyPipe(path, maxFirstLine)
	if err != nil {
		return "", nil, err
	}
	select {
	case <-c.Line:
		return c.Path, c.Remove, nil
	case err = <-c.End:
		select {
		case <-c.Line: // the whole recording has already arrived
			return c.Path, c.Remove, nil
		default:
		}
		if err == nil {
			err = app.Usage("", "%s sent no recording", path)
		} else {
			err = app.Failed("cannot read %s: %v", path, err)
		}
	case <-time.After(pipeTimeout):
		err = app.Failed("%s sent nothing within %s", path, pipeTimeout)
	case <-p.Ctx.Done():
		err = context.Cause(p.Ctx)
	}
	c.Remove()
	return "", nil, err
}

// maxFirstLine bounds the bytes read from a pipe before its first line ends.
const maxFirstLine = 64 << 20
