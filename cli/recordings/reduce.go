package recordings

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/link"
	"mcptea/cli/target"
	"mcptea/internal/system"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/runs/reduce"
)

// reduceFlags are the flags of mcptea reduce.
type reduceFlags struct {
	rule          string
	output, issue string
	needed        bool

	// With a server.
	frame, runs   int
	assert, allow []string
	good          string
	reset         string
}

// reduceCommand is mcptea reduce.
type reduceCommand struct {
	*link.Link
	target *target.Target
}

func (p *reduceCommand) command() *cobra.Command {
	var f reduceFlags
	cmd := &cobra.Command{
		Use:   "reduce FILE [TARGET]",
		Short: "Reduce a recording of a bug to the smallest case, without the user's texts",
		Long: `Leave out frames, members and texts of a recording as long as a rule of the linter has the same finding, and replace the remaining texts of the user with invented texts of the same shape. The result is a file for mcptea lint, to attach to an issue. Nothing is sent.

By default it keeps the worst finding of the recording, preferably about the server; --rule selects a rule. It stays at the same place, about the same kind of value.

With a TARGET, the result is a script for mcptea run whose last request fails as in the recording: with an error, a crash, no response, or the finding of --rule. Each candidate runs on a newly started server, at most --runs times, with invented values. Tools that are not read-only are left out, unless --allow names them. If the server keeps data from run to run, nothing is written; --reset clears the data before each start.

If the failure needs a text of the recording, mcptea names the text and writes nothing, unless --needed is given. The exit code is 1 if there is no failure to keep.`,
		Example: `  mcptea reduce bug.mcptea.jsonl > bug.frames
  mcptea reduce bug.mcptea.jsonl --rule S011 --output bug.frames --issue bug.md
  mcptea reduce bug.mcptea.jsonl --output bug.txtar -- node server.js
  mcptea reduce bug.mcptea.jsonl --allow put --reset 'rm -f data.db' -- node server.js`,
		RunE: p.RunE(func(cmd *cobra.Command, args []string) error { return p.reduce(cmd, args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.StringVar(&f.rule, "rule", "", "keep the first finding of this `RULE`, such as S011")
		fs.StringVarP(&f.output, "output", "o", "", "write the frames or the script to this `FILE` instead of stdout")
		fs.StringVar(&f.issue, "issue", "", "write the text of an issue to this `FILE`")
		fs.BoolVar(&f.needed, "needed", false, "also write texts of the recording that the failure needs")
		fs.IntVar(&f.frame, "frame", 0, "with a server, keep the failure of the request with this `NUMBER` (default: the last failed request)")
		fs.StringArrayVar(&f.assert, "assert", nil, "with a server, keep the failure of this `LINE` of a script after the last request, such as 'jq .structuredContent.ok'; repeatable")
		fs.StringVar(&f.good, "good", "", "keep a difference between the server and the server of this `COMMAND`, which responds correctly")
		fs.StringArrayVar(&f.allow, "allow", nil, "call this `TOOL`, even if it is not read-only; repeatable")
		fs.IntVar(&f.runs, "runs", 300, "start the server at most this `NUMBER` of times")
		fs.StringVar(&f.reset, "reset", "", "run this `COMMAND` before each start, to clear data that the server keeps")
	})
	p.target.AddRequest(cmd)
	return cmd
}

// Reduced is the output of reduce --json.
type Reduced struct {
	Rule    string   `json:"rule,omitempty"`    // id of the rule whose finding stays
	Message string   `json:"message,omitempty"` // message of the finding in the reduced frames
	Failure string   `json:"failure,omitempty"` // failure of the last request with a server: "tool error", "error -32603", "crash", "timeout", "assertion", "lint S011"
	Before  int      `json:"before"`            // number of frames of the connection; with a server, of requests
	After   int      `json:"after"`             // number of frames or requests that are left
	Checks  int      `json:"checks"`            // number of candidates that were tried
	Limited bool     `json:"limited"`           // the reduction ended before nothing more could go
	Left    []string `json:"left"`              // texts of the recording that the result still has
	Frames  string   `json:"frames,omitempty"`  // a file for mcptea lint
	Script  string   `json:"script,omitempty"`  // a script for mcptea run
}

func (p *reduceCommand) reduce(cmd *cobra.Command, args []string, f reduceFlags) error {
	t, rest, found, err := p.target.SplitTarget(cmd, args)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return app.Usage("Run: mcptea reduce FILE [TARGET]", "reduce takes one recording")
	case f.runs < 1:
		return app.Usage("", "--runs %d: the server must be started at least once", f.runs)
	}
	name := rest[0]
	turns, err := readRecording(p.App, name, name)
	if err != nil {
		return err
	}
	if found {
		return (&reduceRun{p: p, flags: f, target: t, turns: turns}).reduce(name)
	}
	d, want, err := p.aim(turns.Store(), name, f.rule)
	if err != nil {
		return err
	}
	got, ok := d.ToFinding(p.Ctx, want, func(at reduce.Progress) {
		if at.Checks%10 == 0 {
			p.Err.Status(fmt.Sprintf("%s left after %s; ctrl+c ends it with the smallest case so far", phrase.Count(at.Frames, "frame"), phrase.Count(at.Checks, "check")))
		}
	})
	p.Err.Status("")
	if !ok {
		return app.Failed("%s: no file keeps the finding: %s %s", name, want.Rule.ID, want.Message)
	}
	r := Reduced{
		Rule: got.Rule.ID, Message: got.Message, Before: reduce.Len(d.Frames), After: got.Frames, Checks: got.Checks,
		Limited: got.Limited, Frames: got.Text,
	}
	if r.Left, err = got.Left(turns.Store()); err != nil {
		return app.Failed("%s: %v", name, err)
	}
	if len(r.Left) > 0 && !f.needed {
		return app.Usage("Read them, and write the frames with --needed if they may be shown.",
			"%s: nothing is written, since the finding needs texts of the recording: %s", name, reduce.Quoted(r.Left))
	}
	return p.write(&r, got.Issue(), f)
}

// aim returns the dialogue of the connection with the finding to keep, and the finding.
func (p *reduceCommand) aim(st *store.Store, name, rule string) (d *reduce.Dialogue, want lint.Finding, err error) {
	dialogues, err := reduce.Dialogues(st)
	if err != nil {
		return nil, want, app.Failed("%s: %v", name, err)
	}
	d, want, ok := reduce.Worst(p.Ctx, dialogues, rule)
	switch {
	case ok:
		return d, want, nil
	case rule != "":
		return nil, want, app.Failed("%s: the recording has no finding of %s. mcptea lint %s shows the findings", name, rule, name)
	}
	return nil, want, app.Failed("%s: the recording has no error and no warning; --rule keeps an info", name)
}

// write writes the files and prints the result. issue is the text of an issue.
func (p *reduceCommand) write(r *Reduced, issue string, f reduceFlags) error {
	text := r.Frames + r.Script // exactly one of them is set
	for _, file := range []struct{ path, text string }{{f.issue, issue}, {f.output, text}} {
		if file.path == "" {
			continue
		}
		if err := system.WriteFileBytes(file.path, []byte(file.text)); err != nil {
			return app.Failed("%v", err)
		}
	}
	switch {
	case p.JSON:
		return p.PrintDocument(r)
	case f.output == "":
		for line := range strings.Lines(text) {
			if err := p.Out.Line(p.Out.JSON(strings.TrimSuffix(line, "\n"))); err != nil {
				return nil // the error is reported at the end of the command
			}
		}
	}
	if r.Script != "" {
		p.Note(fmt.Sprintf("%s of %d left after %s: %s", phrase.Count(r.After, "request"), r.Before, phrase.Count(r.Checks, "run"), r.Failure))
	} else {
		p.Note(fmt.Sprintf("%s of %d left: %s %s", phrase.Count(r.After, "frame"), r.Before, r.Rule, r.Message))
	}
	if r.Limited {
		p.Note("the reduction ended early: the case may become smaller")
	}
	return nil
}

// scriptIssue returns the text of an issue about a failure.
func scriptIssue(r *Reduced) string {
	return fmt.Sprintf("The last request fails: %s.\n\nSave this as `bug.txtar`, then run `mcptea run bug.txtar -- SERVER`. All values are invented.\n\n```\n%s```\n", r.Failure, r.Script)
}
