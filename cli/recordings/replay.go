package recordings

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/check/report"
	"mcptea/cli/app"
	"mcptea/cli/checks"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/client"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/runs/replay"
	"mcptea/session/session"
)

// replayFlags are the flags of mcptea replay.
type replayFlags struct {
	ignoreFlags
	junit  app.Report
	update bool
}

// replayCommand is mcptea replay.
type replayCommand struct {
	*link.Link
	target *target.Target
}

func (p *replayCommand) command() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE TARGET",
		Short: "Send a recording to a server again and compare the responses",
		Long: `Send the client's frames of a recording to a server again, and compare the structure of the responses with the recording.

All recorded frames are sent, including calls that change something. The handshake is mcptea's own, with the protocol version, the capabilities and the roots of the recording; --protocol and --root change them. Requests of the server get the recorded responses. Cursors, ids of tasks and states of requests that the client sent back are replaced with the values of the new server.

Times, cursors, tokens and UUIDs are not compared; --strict compares them. --ignore leaves out more: /result/_meta, /result/content/*/text, or timestamp for the members of this name anywhere.

A request without a response in the recording is not compared; the reason and what the server does now are printed. It fails if the server ends the connection.

The exit code is 0 if all responses are equal or not compared, 1 if one differs or is missing or the server ended the connection, and 3 if connecting failed.`,
		Example: `  mcptea replay session.mcptea.jsonl -- node server.js
  mcptea replay session.mcptea.jsonl --ignore /result/content/*/text --junit report.xml --url http://127.0.0.1:3000/mcp
  mcptea replay session.mcptea.jsonl --update -- node server.js`,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.replay(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		f.declare(fs)
		f.junit.DeclareJUnit(fs, "")
		fs.BoolVar(&f.update, "update", false, "replace the recording with the new session")
	})
	_ = cmd.MarkFlagFilename("junit", "xml")
	p.target.AddRequest(cmd)
	_ = cmd.Flags().MarkHidden("answer") // declared only for an error message
	_ = cmd.Flags().MarkHidden("sampler")
	return cmd
}

func (p *replayCommand) replay(cmd *cobra.Command, args []string, f replayFlags) error {
	if len(args) == 0 || cmd.ArgsLenAtDash() == 0 || target.IsURL(args[0]) {
		return app.Usage("Run: mcptea replay FILE TARGET", "replay requires a recording")
	}
	t, rest, err := p.target.NeedTarget(cmd, args)
	switch {
	case err != nil:
		return err
	case len(rest) > 1:
		return app.Usage("Run: mcptea replay FILE TARGET", "replay takes one recording, found %q too", rest[1])
	case len(p.Flags.Answers) > 0:
		return app.Usage("Omit the flag.", "--answer does not apply to replay, which responds as in the recording")
	case p.Flags.Sampler != "":
		return app.Usage("Omit the flag.", "--sampler does not apply to replay, which responds as in the recording")
	case f.update && p.Flags.Record != "":
		return app.Usage("Omit one of the flags.", "--update and --record exclude each other")
	}
	if err := p.Reports(f.junit); err != nil {
		return err
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	path, cleanUp, err := p.RecordingFile(args[0])
	if err != nil {
		return err
	}
	defer cleanUp()
	if f.update && path != args[0] {
		return app.Usage("Name a regular file.", "--update cannot replace %s, which is a pipe", args[0])
	}
	turns, err := readRecording(p.App, args[0], path)
	if err != nil {
		return err
	}
	run := &replayRun{p: p.App, flags: f, turns: turns, report: replay.Report{Recording: args[0], Results: []replay.Result{}}}
	run.printer = &diffPrinter{out: p.Out}
	r := replay.New(turns, options, run.add)
	if err := noteRedacted(p.App, args[0], r); err != nil {
		return err
	}
	temporary := ""
	if f.update {
		if temporary, err = temporaryBeside(path); err != nil {
			return app.Failed("cannot write the new recording: %v", err)
		}
		p.Flags.Record = temporary
		defer func() { _ = os.Remove(temporary) }() // fails once it has its name
	}
	if err := p.sendAgain(t, r); err != nil {
		return err
	}
	return run.end(temporary, path)
}

// noteRedacted warns of frames that cannot be sent as recorded, because they are redacted.
func noteRedacted(a *app.App, name string, r *replay.Replay) error {
	frames, err := r.Redacted()
	if err != nil {
		return app.Failed("%s: %v", name, err)
	}
	if len(frames) > 0 {
		a.Note(fmt.Sprintf("%s: secrets are redacted in %s, such as frame %d; they are sent redacted", name, phrase.Count(len(frames), "frame"), frames[0]))
	}
	return nil
}

// sendAgain connects, and sends the recording.
func (p *replayCommand) sendAgain(t client.Target, r *replay.Replay) error {
	cfg, err := p.Config(t, "off")
	if err != nil {
		return err
	}
	if cfg.Authorization != nil && p.Err.Terminal {
		cfg.Authorization.OpenBrowser = p.Browse
	}
	var wrong error
	cfg.Dial = func(tap client.Tap, c client.Config) *client.Client {
		c.Revision, c.Roots = cfg.Client.Revision, cfg.Client.Roots
		wrong = r.Configure(&c)
		made := client.New(t, tap, c)
		r.Use(made)
		return made
	}
	s, err := session.Open(cfg)
	if err != nil {
		return app.Usage("Use another file, or omit --record.", "cannot record the session: %v", err)
	}
	p.Track(s)
	defer p.CloseSession(s)
	if err := p.ConnectSession(s); err != nil {
		return err
	}
	if wrong != nil {
		return app.Failed("cannot read the recording: %v", wrong)
	}
	return sendingError(p.Link, s, r.Run(p.Ctx))
}

// sendingError converts an error of sending a recording for the user.
func sendingError(l *link.Link, s *session.Session, err error) error {
	switch {
	case l.Ctx.Err() != nil:
		return context.Cause(l.Ctx)
	case errors.Is(err, store.ErrNotKept):
		return app.Failed("the recording is incomplete: %v", err)
	case err != nil:
		return l.Failure(s, err, app.ExitError)
	}
	return nil
}

// temporaryBeside returns the name of a new file in the directory of another file.
func temporaryBeside(path string) (string, error) {
	tmp, err := system.TempFile(path)
	if err != nil {
		return "", err
	}
	_ = tmp.Close()
	return tmp.Name(), os.Remove(tmp.Name()) // the recording creates it
}

// replayRun collects and prints the results.
type replayRun struct {
	p       *app.App
	turns   *replay.Transcript
	flags   replayFlags
	printer *diffPrinter
	total   int
	left    []replay.Result // results of requests that were not sent
	report  replay.Report   // report with the results for --json and --junit
}

// add adds a result. Without --json a difference is printed immediately.
func (r *replayRun) add(result replay.Result) {
	r.total++
	r.report.Count(result.State)
	if strings.HasPrefix(result.Note, replay.NotSent) && len(r.left) < app.MaxNotes {
		r.left = append(r.left, result)
	}
	if !r.p.JSON {
		r.print(result)
	}
	if !r.flags.junit.Wanted() {
		result.Rows = nil
	}
	if r.flags.junit.Wanted() || r.p.JSON {
		r.report.Results = append(r.report.Results, result)
	}
}

func (r *replayRun) print(result replay.Result) {
	d := r.printer
	name := d.out.Strong(d.text(strings.TrimSpace(result.Method + " " + result.Subject)))
	if result.Frame > 0 {
		name += fmt.Sprintf("  frame %d", result.Frame)
	}
	switch result.State {
	case replay.Different:
		note := ""
		if result.Note != "" {
			note = ": " + result.Note
		}
		d.out.Line(d.out.Bad("different") + "  " + name + note)
		d.rows(result.Rows)
		d.out.Line("")
	case replay.Failed:
		d.out.Line(d.out.Bad("failed") + "  " + name + ": " + d.text(result.Note))
	case replay.NotCompared:
		d.out.Line(d.out.Faint("not compared") + "  " + name + ": " + d.text(result.Reason()))
	case replay.Equal:
	}
}

// end prints the summary, and returns the error with the exit code.
func (r *replayRun) end(temporary, path string) error {
	var err error
	if r.p.JSON {
		err = r.p.PrintDocument(r.report)
	}
	if err == nil && r.flags.junit.Wanted() {
		err = r.writeJUnit()
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(r.p.Err, "%s: %s\n", phrase.Count(r.total, "request"), r.report.Counts())
	if temporary != "" {
		_ = r.turns.Store().Close() // Windows does not replace an open file
		if err := system.RenameFile(temporary, path); err != nil {
			return app.Failed("cannot replace the recording: %v", err)
		}
		fmt.Fprintf(r.p.Err, "%s is the new recording\n", r.report.Recording)
		return nil
	}
	if r.report.Different+r.report.Failed > 0 {
		return app.Silent(app.ExitError)
	}
	return nil
}

// writeJUnit writes a case for each request that was compared.
func (r *replayRun) writeJUnit() error {
	suite := report.Suite{Name: r.report.Recording}
	var took time.Duration
	for _, one := range r.report.Results {
		name := fmt.Sprintf("frame %d %s %s", one.Frame, one.Method, one.Subject)
		c := report.Case{Name: strings.TrimSpace(name), Class: suite.Name, Took: time.Duration(one.Took)}
		switch one.State {
		case replay.Different:
			message := one.Note
			if message == "" {
				message = phrase.Count(len(one.Differences)+one.More, "difference") + ", the first at " + one.Differences[0].Path
			}
			c.Failure = &report.Problem{Type: "different", Message: message, Text: strings.Join(checks.DiffLines(one.Rows, checks.MaxDiff), "\n")}
		case replay.Failed:
			c.Error = &report.Problem{Type: "failed", Message: one.Note}
		case replay.NotCompared:
			c.Skipped = &report.Problem{Message: one.Reason()}
		case replay.Equal:
		}
		took += time.Duration(one.Took)
		suite.Cases = append(suite.Cases, c)
	}
	suite.Took = took
	return r.p.WriteReport(r.flags.junit, func(w io.Writer) error { return report.WriteJUnit(w, []report.Suite{suite}) })
}
