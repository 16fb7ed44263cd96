package recordings

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/session/runs/branch"
	"mcptea/session/runs/replay"
)

// continueFlags holds the flags that select where a session continues.
type continueFlags struct {
	enabled bool
	options branch.Options
}

func (f *continueFlags) declare(fs *pflag.FlagSet) {
	fs.BoolVar(&f.enabled, "continue", false, "send the frames of the recording to TARGET again, and continue from there")
	fs.IntVar(&f.options.Until, "until", 0, "with --continue: send only the frames before this `FRAME`, by its number")
	fs.BoolVar(&f.options.OnlyReadOnly, "only-read-only", false, "with --continue: leave out calls that are not read-only")
	fs.StringArrayVar(&f.options.Allowed, "allow", nil, "with --continue: call this tool again without a question, whatever its annotations are; repeatable  `TOOL`")
}

// check reports flags that do not go together.
func (f *continueFlags) check(fs *pflag.FlagSet) error {
	switch {
	case !f.enabled && (fs.Changed("until") || f.options.OnlyReadOnly || f.options.Allowed != nil):
		return app.Usage("Add --continue, or omit the flag.", "--until, --only-read-only and --allow require --continue")
	case fs.Changed("until") && f.options.Until < 2:
		return app.Usage("The inspector shows the numbers of frames.", "--until: %d is not the number of a frame after the first one", f.options.Until)
	}
	return nil
}

// continueFile continues a recording: in the inspector, or without a terminal until all frames were sent again.
func (p *openCommand) continueFile(name string, t client.Target, o branch.Options) error {
	path, cleanUp, err := p.RecordingFile(name)
	if err != nil {
		return err
	}
	defer cleanUp()
	turns, err := readRecording(p.App, name, path)
	if err != nil {
		return err
	}
	defer func() { _ = turns.Store().Close() }()
	if rows := turns.Store().Snapshot().Rows; o.Until > rows {
		return app.Usage("The inspector shows the numbers of frames.", "--until: %s has no frame %d, its last one is %d", name, o.Until, rows)
	}
	o.File = name
	id, _ := diff.ParseIgnore("/id")
	o.Compare = diff.Options{IgnoreVolatile: true, Ignore: []diff.Ignore{id}}
	if !p.Interactive() || p.JSON {
		return p.continueOnce(t, turns, o)
	}
	return p.inspectBranches(t, turns, o)
}

// inspectBranches shows one branch after the other, as long as the user goes back.
func (p *openCommand) inspectBranches(t client.Target, turns *replay.Transcript, o branch.Options) error {
	made := branch.Find(p.branchDir(), o.File)
	for {
		b := branch.New(turns, o, nil)
		b.Earlier, b.Name = made, branch.Name(len(made))
		if err := noteRedacted(p.App, o.File, b.Replay()); err != nil {
			return err
		}
		chosen, err := p.InspectBranch(t, b)
		if err != nil || chosen == nil || !chosen.Continue {
			return err
		}
		made, o.Until = append(made, b.Made()), chosen.Until
	}
}

// branchDir returns the directory of the recordings of branches, or "" if unknown.
func (p *openCommand) branchDir() string {
	if record, _ := p.Recording(); record != "" {
		return filepath.Dir(record)
	}
	dir, _ := p.RecordingDir()
	return dir
}

// continueOnce sends the frames again, prints what differs as replay does, and ends.
func (p *openCommand) continueOnce(t client.Target, turns *replay.Transcript, o branch.Options) error {
	run := &replayRun{p: p.App, turns: turns, report: replay.Report{Recording: o.File, Results: []replay.Result{}}}
	run.printer = &diffPrinter{out: p.Out}
	b := branch.New(turns, o, run.add)
	if err := noteRedacted(p.App, o.File, b.Replay()); err != nil {
		return err
	}
	record, dir := p.Recording()
	cfg, err := p.Config(t, record)
	if err != nil {
		return err
	}
	cfg.RecordDir = dir
	s, err := p.OpenBranch(cfg, b)
	if err != nil {
		return err
	}
	p.Track(s)
	defer p.CloseSession(s)
	if err := p.ConnectSession(s); err != nil {
		return err
	}
	if err := sendingError(p.Link, s, b.Run(p.Ctx, s)); err != nil {
		return err
	}
	return run.endBranch(Continued{Report: run.report, Until: o.Until, Branch: s.Store().Path()})
}

// Continued is the output of open --continue --json.
type Continued struct {
	replay.Report
	Until  int    `json:"until,omitempty"`  // number of the first frame that was not sent again; absent without --until
	Branch string `json:"branch,omitempty"` // file of the recording of the new session
}

// endBranch prints the summary, and returns the error with the exit code.
func (r *replayRun) endBranch(c Continued) error {
	for _, one := range r.left {
		fmt.Fprintf(r.p.Err, "%s  frame %d: %s\n", r.p.Err.Safe(one.Method+" "+one.Subject), one.Frame, r.p.Err.Safe(one.Note))
	}
	if r.p.JSON {
		if err := r.p.PrintDocument(c); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.p.Err, "%s: %s\n", phrase.Count(r.total, "request"), r.report.Counts())
	if c.Branch != "" {
		fmt.Fprintf(r.p.Err, "the branch is recorded in %s\n", r.p.Err.Safe(c.Branch))
	}
	if r.report.Different+r.report.Failed > 0 {
		return app.Silent(app.ExitError)
	}
	return nil
}
