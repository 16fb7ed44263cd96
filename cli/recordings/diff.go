package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/target"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/offer/diff"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/runs/replay"
)

// diffFlags are the flags of mcptea diff.
type diffFlags struct {
	ignoreFlags
	breaking bool
	view     string
}

// ignoreFlags select the differences that a comparison of frames ignores.
type ignoreFlags struct {
	ignore []string
	strict bool
}

func (f *ignoreFlags) declare(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.ignore, "ignore", nil, "ignore the values at this `PATH`: a JSON Pointer with * and **, or a member's name; repeatable")
	fs.BoolVar(&f.strict, "strict", false, "also compare ids, times, cursors, tokens and UUIDs")
}

// options returns the options for two frames.
func (f *ignoreFlags) options() (diff.Options, error) {
	o, err := diff.OptionsOf(f.ignore, true, f.strict)
	if err != nil {
		return o, app.Usage("", "--ignore: %v", err)
	}
	return o, nil
}

// diffCommand is mcptea diff.
type diffCommand struct{ *app.App }

func (p *diffCommand) command() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two recordings, frames or JSON files",
		Long: `Compare two recordings, two frames, or two JSON files by their structure: white space, the order of members and escapes do not count.

A and B are a recording, one frame of a recording as FILE#NUMBER, a JSON file, or - for stdin. The inspector shows the numbers of the frames.

For two recordings, it compares what the servers offer, and the responses to the same requests. Each change of a tool, prompt, resource or capability is "breaking" or "compatible" for clients of A, with the reason; a hint that claims less risk than before, so that a host may run the tool without asking, is "less risk". Lists in frames and in files, such as the output of mcptea list --json, are compared in the same way.

For frames, the ids, times, cursors, tokens and UUIDs are not compared; --strict compares them. --ignore leaves out more: /result/_meta, /result/content/*/text, or timestamp for the members of this name anywhere.

The exit code is 0 without a difference, and 1 with one.`,
		Example: `  mcptea diff before.mcptea.jsonl after.mcptea.jsonl
  mcptea diff --breaking old-tools.json new-tools.json
  mcptea diff session.mcptea.jsonl#12 session.mcptea.jsonl#40 --view side-by-side`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: target.CompleteFiles("jsonl", "json"),
		RunE:              p.RunE(func(_ *cobra.Command, args []string) error { return p.diff(args, f) }),
	}
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.breaking, "breaking", false, "only print and count changes that break clients")
		f.declare(fs)
		app.Choice(fs, &f.view, "view", "print the lines of A and B as `VIEW`: unified, side-by-side, or auto, which is side by side on a terminal of 120 columns or more", "auto", "unified", "side-by-side")
	})
	p.AddOutput(cmd)
	return cmd
}

// Diff is the output of diff --json.
type Diff struct {
	Old         string            `json:"old"`                   // argument A
	New         string            `json:"new"`                   // argument B
	Equal       bool              `json:"equal"`                 // there is no difference, or with --breaking no breaking one
	Breaking    int               `json:"breaking"`              // number of breaking changes
	Changes     []diff.Change     `json:"changes,omitempty"`     // changes of the servers' offers
	Responses   []Response        `json:"responses,omitempty"`   // requests of two recordings whose responses differ, or that only one recording has
	Differences []diff.Difference `json:"differences,omitempty"` // differences between two frames or files
	More        int               `json:"more,omitempty"`        // number of differences that are not listed

	lessRisk   int // changes of hints that claim less risk than before
	compatible int // changes that are neither
	rows       []diff.Row
}

// Response is a request of two recordings whose responses differ.
type Response struct {
	Method      string            `json:"method"`                // method of the request
	Name        string            `json:"name,omitempty"`        // name of the tool or prompt, or URI of the resource
	Kind        diff.Kind         `json:"kind"`                  // "changed"; "added" or "removed" for a request that only one of the recordings has
	OldFrame    int               `json:"old_frame,omitempty"`   // number of the request in A
	NewFrame    int               `json:"new_frame,omitempty"`   // number of the request in B
	Note        string            `json:"note,omitempty"`        // why no differences are listed
	Differences []diff.Difference `json:"differences,omitempty"` // differences between the responses
	More        int               `json:"more,omitempty"`        // number of differences that are not listed

	frames [2]int // numbers of the responses
	rows   []diff.Row
}

// responseOf returns a difference of two recordings.
func responseOf(d replay.Difference) Response {
	r := Response{Name: d.Subject, Kind: d.Kind(), Note: d.Note, Differences: d.Differences, More: d.More, rows: d.Rows}
	if d.Old != nil {
		r.Method, r.OldFrame, r.frames[0] = d.Old.Method, int(d.Old.Row)+1, int(d.Old.Response)+1
	}
	if d.New != nil {
		r.Method, r.NewFrame, r.frames[1] = d.New.Method, int(d.New.Row)+1, int(d.New.Response)+1
	}
	return r
}

func (p *diffCommand) diff(args []string, f diffFlags) error {
	switch {
	case len(args) != 2:
		return app.Usage("Run: mcptea diff A B", "diff requires two recordings, frames or JSON files")
	case args[0] == "-" && args[1] == "-":
		return app.Usage("Name a file for one of them.", "stdin can be read only once")
	}
	options, err := f.options()
	if err != nil {
		return err
	}
	var sides [2]diffSide
	for i := range sides {
		if sides[i], err = p.diffSide(args[i]); err != nil {
			return err
		}
	}
	r := &Diff{Old: sides[0].name, New: sides[1].name}
	if err := p.compareSides(r, sides, options, f); err != nil {
		return err
	}
	for i := range r.Changes {
		switch r.Changes[i].Effect() {
		case diff.Breaking:
			r.Breaking++
		case diff.LessRisk:
			r.lessRisk++
		default:
			r.compatible++
		}
	}
	if f.breaking {
		r.Changes = slices.DeleteFunc(r.Changes, func(c diff.Change) bool { return !c.Breaking })
	}
	r.Equal = len(r.Changes)+len(r.Responses)+len(r.Differences)+r.More == 0
	if !p.JSON {
		p.printDiff(r, f)
	} else if err := p.PrintDocument(r); err != nil {
		return err
	}
	if !r.Equal {
		return app.Silent(app.ExitError)
	}
	return nil
}

func (p *diffCommand) compareSides(r *Diff, sides [2]diffSide, o diff.Options, f diffFlags) error {
	a, b := &sides[0], &sides[1]
	isValues := a.value != nil && b.value != nil
	if !isValues || f.breaking { // otherwise the comparison reports invalid JSON
		if err := checkValues(sides); err != nil {
			return err
		}
	}
	old, ok, err := a.offer()
	if err != nil {
		return app.Failed("%v", err)
	}
	now, both, err := b.offer()
	switch offers := ok && both; {
	case err != nil:
		return app.Failed("%v", err)
	case offers:
		r.Changes = diff.Servers(old, now)
	case !isValues:
		return app.Usage("Name a frame of the recording, as FILE#NUMBER.", "a recording can be compared with a recording, or with lists of tools, prompts or resources")
	case f.breaking:
		return app.Usage("Omit --breaking.", "--breaking requires lists of tools, prompts or resources, or capabilities, on both sides")
	}
	switch {
	case f.breaking:
		return nil
	case isValues:
		return p.compareValues(r, sides, o, f)
	case a.turns == nil || b.turns == nil:
		return nil
	}
	differences, err := replay.Compare(p.Ctx, a.turns, b.turns, o)
	switch {
	case p.Ctx.Err() != nil:
		return context.Cause(p.Ctx)
	case err != nil:
		return app.Failed("%v", err)
	}
	for _, d := range differences {
		r.Responses = append(r.Responses, responseOf(d))
	}
	return nil
}

// checkValues returns an error for the first value that is not valid JSON.
func checkValues(sides [2]diffSide) error {
	for _, side := range sides {
		if side.turns == nil {
			if err := checkValue(side.name, side.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// compareValues compares two frames or files.
func (p *diffCommand) compareValues(r *Diff, sides [2]diffSide, o diff.Options, f diffFlags) error {
	if !sides[0].isFrame || !sides[1].isFrame { // a file is compared as a whole
		strict := ignoreFlags{ignore: f.ignore, strict: true}
		o, _ = strict.options() // checked before
	}
	var err error
	if p.JSON {
		r.Differences, r.More, err = diff.Compare(sides[0].value, sides[1].value, o)
	} else {
		r.rows, r.More, err = diff.CountedRows(sides[0].value, sides[1].value, o)
	}
	if err != nil {
		return checkValues(sides)
	}
	if len(r.Differences)+r.More == 0 {
		r.Changes = nil // changes in ignored parts do not count
	}
	return nil
}

// diffSide is A or B: a recording, or a value.
type diffSide struct {
	name    string
	turns   *replay.Transcript // transcript, or nil for a value
	value   []byte             // value, or nil for a recording
	isFrame bool
}

// offer returns the offer of the server as the side describes it. ok is false if the side does not describe it.
func (s *diffSide) offer() (o diff.Server, ok bool, err error) {
	if s.turns != nil {
		o, err = s.turns.Server()
		return o, true, err
	}
	o, ok = diff.Offer(s.value)
	return o, ok, nil
}

// maxValueFile bounds a JSON file that is compared; it is held in memory.
const maxValueFile = 1 << 30

func (p *diffCommand) diffSide(arg string) (diffSide, error) {
	name, frame, isFrame := frameOf(arg)
	path, cleanUp, err := p.RecordingFile(name)
	if err != nil {
		return diffSide{}, err
	}
	defer cleanUp() // an open file stays readable
	turns, err := readTurns(p.App, name, path)
	switch {
	case errors.Is(err, record.ErrNotARecording) && isFrame:
		return diffSide{}, app.NotARecording(name, record.ErrNotARecording)
	case errors.Is(err, record.ErrNotARecording):
		value, err := app.ReadText(p.Ctx, path, maxValueFile)
		return diffSide{name: name, value: value}, app.InputError("", "cannot read "+name, err)
	case err != nil:
		return diffSide{}, err
	case !isFrame:
		return diffSide{name: name, turns: turns}, nil
	}
	if row, ok := turns.Store().Row(int32(frame - 1)); !ok || row.Kind >= store.KindProcess {
		return diffSide{}, noFrame(name, frame, turns.Store())
	}
	value, err := turns.Frame(int32(frame - 1))
	if err != nil {
		return diffSide{}, app.Failed("%s: frame %d: %v", name, frame, err)
	}
	return diffSide{name: arg, value: value, isFrame: true}, nil
}

// noFrame reports that a number is not the number of a frame. Events among the frames have numbers, too.
func noFrame(name string, number int, s *store.Store) error {
	rows, frames, last := s.Snapshot().Rows, 0, 0
	for i := range rows {
		if row, ok := s.Row(int32(i)); ok && row.Kind < store.KindProcess {
			frames, last = frames+1, i+1
		}
	}
	what := "there is no frame %d"
	if number <= rows {
		what = "%d is the number of an event, not of a frame"
	}
	return app.Usage("", "%s: "+what+"; the recording has %s, the last one is %d", name, number, phrase.Count(frames, "frame"), last)
}

// frameOf splits FILE#NUMBER, unless a file has that very name.
func frameOf(arg string) (name string, frame int, ok bool) {
	at := strings.LastIndexByte(arg, '#')
	if at <= 0 {
		return arg, 0, false
	}
	n, err := strconv.ParseInt(arg[at+1:], 10, 32)
	if err != nil || n < 1 {
		return arg, 0, false
	}
	if _, err := os.Stat(arg); err == nil {
		return arg, 0, false
	}
	return arg[:at], int(n), true
}

// readTurns reads the readable part of a recording. name is the name that the user typed. The error may be
// [record.ErrNotARecording].
func readTurns(a *app.App, name, path string) (*replay.Transcript, error) {
	s, err := store.Open(path)
	if errors.Is(err, record.ErrNotARecording) {
		return nil, record.ErrNotARecording
	}
	if err != nil {
		return nil, app.Usage("", "%v", err)
	}
	a.AtExit.Add(func() { _ = s.Close() })
	if err := s.Load(a.Ctx); err != nil {
		return nil, cannotRead(a, name, err)
	}
	turns, err := replay.Read(a.Ctx, s)
	if err != nil {
		return nil, cannotRead(a, name, err)
	}
	problems, total := s.Problems(store.InUse(path))
	for _, text := range problems {
		a.Note(name + ": " + text)
	}
	if more := total - len(problems); more > 0 {
		a.Note(fmt.Sprintf("%s: %s not shown", name, phrase.Count(more, "more problem")))
	}
	return turns, nil
}

func cannotRead(a *app.App, name string, err error) error {
	if a.Ctx.Err() != nil {
		return context.Cause(a.Ctx)
	}
	return app.Failed("%s: %v", name, err)
}

// checkValue returns an error with the place where a value is not valid JSON.
func checkValue(name string, value []byte) error {
	if jsonrpc.Valid(value) {
		return nil
	}
	const hint = "Name a recording, a frame as FILE#NUMBER, or a JSON file."
	var syntax *json.SyntaxError
	err := app.CheckJSON(value)
	switch {
	case len(bytes.TrimSpace(value)) == 0:
		return app.Usage(hint, "%s is empty", name)
	case errors.As(err, &syntax):
		before := bytes.TrimRight(value[:min(int(syntax.Offset), len(value))], " \t\r\n")
		line, column := bytes.Count(before, []byte("\n"))+1, len(before)-bytes.LastIndexByte(before, '\n')-1
		return app.Usage(hint, "%s is neither a recording nor JSON: %v at line %d, column %d", name, err, line, column)
	}
	return app.Usage(hint, "%s is not JSON in valid UTF-8", name)
}
