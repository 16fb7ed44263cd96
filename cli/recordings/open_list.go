package recordings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/session"
	"mcptea/session/recordings"
	"mcptea/session/tap"
	"mcptea/ui"
	"mcptea/ui/paint"
)

// openFlags are the flags of mcptea open without a file.
type openFlags struct {
	json, prune, dryRun     bool
	olderThan, maxSize      string
	keep                    int
	age                     time.Duration // olderThan
	size                    int64         // maxSize
	hasAge, hasKeep, hasMax bool
}

func (f *openFlags) declare(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.json, "json", false, "without a file: print the list of recordings as JSON")
		fs.BoolVar(&f.prune, "prune", false, "delete recordings beyond the limits, by default those that the inspector keeps (100 files, 1 GB)")
		fs.StringVar(&f.olderThan, "older-than", "", "with --prune: delete the recordings that were written last longer ago, such as 12h or 30d  `TIME`")
		fs.IntVar(&f.keep, "keep", 0, "with --prune: keep the newest `N`")
		fs.StringVar(&f.maxSize, "max-size", "", "with --prune: keep at most this `SIZE` in all, the newest first, such as 500MB")
		fs.BoolVar(&f.dryRun, "dry-run", false, "with --prune: print what would be deleted")
	})
}

// read checks the flags.
func (f *openFlags) read(cmd *cobra.Command) error {
	f.hasAge, f.hasKeep, f.hasMax = cmd.Flags().Changed("older-than"), cmd.Flags().Changed("keep"), cmd.Flags().Changed("max-size")
	var err error
	switch {
	case !f.prune && (f.hasAge || f.hasKeep || f.hasMax || f.dryRun):
		return app.Usage("Add --prune, or omit the flag.", "--older-than, --keep, --max-size and --dry-run require --prune")
	case f.prune && f.json:
		return app.Usage("Omit one of the flags.", "--prune and --json exclude each other")
	case f.keep < 0 || f.hasKeep && f.keep == 0:
		return app.Usage("", "--keep: %d is not a number of recordings from 1", f.keep)
	}
	if f.hasAge {
		if f.age, err = parseAge(f.olderThan); err != nil || f.age <= 0 {
			return app.Usage("Write it as 12h or 30d.", "--older-than: %q is not a time", f.olderThan)
		}
	}
	if f.hasMax {
		if f.size, err = app.ParseSize(f.maxSize); err != nil || f.size == 0 {
			return app.Usage("Write it as 500MB or 2GB.", "--max-size: %q is not a size", f.maxSize)
		}
	}
	return nil
}

// parseAge reads a duration that may be in days.
func parseAge(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n > 36500 {
			return 0, errors.New("not a number of days")
		}
		return time.Duration(n * float64(24*time.Hour)), nil
	}
	return time.ParseDuration(text)
}

// listRecordings is mcptea open without a file: a list to choose from, or its text.
func (p *commands) listRecordings(f *openFlags, dir string) error {
	if f.prune {
		return p.pruneRecordings(f, dir)
	}
	catalog := recordings.NewCatalog(recordings.Options{Dir: dir, Version: p.Version.Version, Cache: p.summaries(dir), Taps: activeTaps})
	if p.Interactive() && !f.json {
		return p.chooseRecordings(catalog)
	}
	if err := catalog.Read(p.Ctx); err != nil {
		if p.Ctx.Err() != nil {
			return context.Cause(p.Ctx)
		}
		return app.Failed("cannot list the recordings: %v", err)
	}
	list, _, _ := catalog.Recordings()
	if f.json {
		return p.PrintDocument(Listing{dir, append([]recordings.Recording{}, list...)})
	}
	return p.printRecordings(dir, list)
}

// chooseRecordings shows the list and opens what the user chooses, until the user quits
// the list.
func (p *commands) chooseRecordings(catalog *recordings.Catalog) error {
	for path := ""; ; {
		chosen, err := p.runList(catalog, path)
		if err != nil || chosen == "" {
			return err
		}
		path = chosen
		if err := p.openFile(path, ""); err != nil {
			return err
		}
	}
}

// summaries is the file in which the summaries of a directory are kept; empty for a
// directory that is not that of the recordings.
func (p *commands) summaries(dir string) string {
	own, err := p.RecordingDir()
	if err != nil || own != dir {
		return ""
	}
	state, err := session.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "summaries.json")
}

// activeTaps are the active taps by the path of the recording. Those that cannot be
// listed are left out.
func activeTaps(ctx context.Context) map[string]recordings.Tap {
	state, err := session.StateDir()
	if err != nil {
		return nil
	}
	taps, _ := tap.List(ctx, state)
	all := map[string]recordings.Tap{}
	for _, t := range taps {
		for _, s := range t.Sessions {
			if s.Recording != "" {
				all[s.Recording] = recordings.Tap{PID: t.PID, Name: t.Name, Listen: t.Listen}
			}
		}
	}
	return all
}

func (p *commands) runList(catalog *recordings.Catalog, selected string) (string, error) {
	defer p.RestoreTerminal()()
	chosen, err := ui.ChooseRecording(p.Ctx, catalog, selected, p.ScreenOptions())
	if p.Ctx.Err() != nil {
		return "", context.Cause(p.Ctx)
	}
	return chosen, inspector.TerminalError(err)
}

// printRecordings prints a table.
func (p *commands) printRecordings(dir string, list []recordings.Recording) error {
	if len(list) == 0 {
		return p.Out.Line("No recordings in " + p.Out.Safe(dir) + ".")
	}
	now := time.Now()
	p.Out.Line(p.Out.Faint(fmt.Sprintf("%-24s %-16s %10s %7s %-16s %8s  %s", "server", "when", "frames", "errors", "findings", "size", "file")))
	for i := range list {
		r := &list[i]
		name, frames, errs, findings := "", "", "", "unreadable"
		when := paint.HumanDate(r.Modified, now)
		if s := r.Summary; s != nil {
			name, frames, errs, findings = s.Server, paint.HumanCount(s.Frames()), paint.HumanCount(s.Errors), findingsText(s)
			if name == "" {
				name = s.Target
			}
			if s.Partial {
				frames += "+"
			}
			when = paint.HumanDate(s.Started, now)
		}
		if r.Live {
			when = "now"
		}
		name = paint.Cut(paint.Sanitize(name), 24)
		name += strings.Repeat(" ", max(0, 24-paint.Width(name)))
		p.Out.Line(fmt.Sprintf("%s %-16s %10s %7s %-16s %8s  %s", p.Out.Name(name), when, frames, errs, findings, paint.HumanSize(r.Size), p.Out.Safe(filepath.Base(r.Path))))
	}
	return nil
}

func findingsText(s *recordings.Summary) string {
	var parts []string
	if s.Failure != "" {
		return "not connected"
	}
	if s.FindingErrors > 0 {
		parts = append(parts, paint.Plural(s.FindingErrors, "error"))
	}
	if s.FindingWarnings > 0 {
		parts = append(parts, paint.Plural(s.FindingWarnings, "warn"))
	}
	return strings.Join(parts, ", ")
}

// Listing is what open --json prints.
type Listing struct {
	Directory  string                 `json:"directory"`  // the directory of recordings, or the one that was named
	Recordings []recordings.Recording `json:"recordings"` // those that are being written first, then the newest
}

// pruneRecordings deletes the recordings beyond the limits.
func (p *commands) pruneRecordings(f *openFlags, dir string) error {
	limits := recordings.Limits{Keep: f.keep, Age: f.age, Size: f.size}
	if !f.hasAge && !f.hasKeep && !f.hasMax {
		limits = recordings.DefaultLimits
	}
	list, err := recordings.List(dir)
	if err != nil {
		return app.Failed("cannot list the recordings: %v", err)
	}
	deleted, size := 0, int64(0)
	var wrong error
	for _, r := range limits.Exceeding(list, time.Now()) {
		if !f.dryRun {
			if err := recordings.Delete(r.Path); err != nil && !errors.Is(err, os.ErrNotExist) {
				wrong = app.Failed("cannot delete %s: %v", r.Path, err)
				continue
			}
		}
		deleted, size = deleted+1, size+r.Size
		p.Out.Line(p.Out.Safe(r.Path))
	}
	what := "deleted"
	if f.dryRun {
		what = "would be deleted"
	}
	fmt.Fprintf(p.Err, "%s of %s %s, %s\n", paint.HumanCount(deleted), paint.Plural(len(list), "recording"), what, paint.HumanSize(size))
	return wrong
}
