package recordings

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/cli/inspector"
	"mcptea/internal/system"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/recordings"
	"mcptea/session/tap/control"
	"mcptea/ui"
)

// openFlags are the flags of mcptea open.
type openFlags struct {
	prune, dryRun bool
	limits        recordings.Limits
	continues     continueFlags
	clients       clientFlags
	stats         statsFlags
}

func (f *openFlags) declare(cmd *cobra.Command) {
	app.Declare(cmd, app.GroupOwn, func(fs *pflag.FlagSet) {
		fs.BoolVar(&f.prune, "prune", false, "delete recordings beyond the limits, by default the limits of the inspector (100 files, 1 GB)")
		fs.Func("older-than", "with --prune: delete the recordings whose last write is longer ago, such as 12h or 30d  `TIME`", func(text string) (err error) {
			if f.limits.Age, err = parseAge(text); err != nil || f.limits.Age <= 0 {
				return app.Usage("Write it as 12h or 30d.", "--older-than: %q is not a time", text)
			}
			return nil
		})
		fs.Func("keep", "with --prune: keep the newest `N`", func(text string) (err error) {
			if f.limits.Keep, err = strconv.Atoi(text); err != nil || f.limits.Keep <= 0 {
				return app.Usage("", "--keep: %s is not a number of recordings from 1", text)
			}
			return nil
		})
		fs.Func("max-size", "with --prune: keep at most this `SIZE` in all, the newest first, such as 500MB", func(text string) (err error) {
			if f.limits.Size, err = app.ParseSize(text); err != nil || f.limits.Size == 0 {
				return app.Usage("Write it as 500MB or 2GB.", "--max-size: %q is not a size", text)
			}
			return nil
		})
		fs.BoolVar(&f.dryRun, "dry-run", false, "with --prune: print what would be deleted")
		f.continues.declare(fs)
		f.clients.declare(fs)
		f.stats.declare(fs)
	})
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

// listRecordings implements mcptea open without a file: a list to choose from, or its text.
func (p *openCommand) listRecordings(f *openFlags, dir string) error {
	if f.prune {
		return p.pruneRecordings(f, dir)
	}
	catalog := recordings.NewCatalog(recordings.Options{
		Dir: dir, HostDir: p.hostRecordings(dir), Version: p.Version.Version, Cache: p.summaries(dir), Taps: activeTaps,
		Lint: func(report func(record.Severity)) recordings.Linter { return rules.OfServer(report) },
	})
	if p.Interactive() && !p.JSON {
		return p.chooseRecordings(catalog)
	}
	if err := catalog.Read(p.Ctx); err != nil {
		if p.Ctx.Err() != nil {
			return context.Cause(p.Ctx)
		}
		return app.Failed("cannot list the recordings: %v", err)
	}
	list, _, _ := catalog.Recordings()
	if p.JSON {
		return p.PrintDocument(Listing{dir, append([]recordings.Recording{}, list...)})
	}
	return p.printRecordings(dir, list)
}

// chooseRecordings shows the list and opens what the user chooses, until the user quits
// the list.
func (p *openCommand) chooseRecordings(catalog *recordings.Catalog) error {
	for before := (ui.ChosenRecording{}); ; {
		chosen, err := p.runList(catalog, before)
		if err != nil || chosen.Path == "" {
			return err
		}
		if err := p.openFile(chosen.Path, chosen.Filter, new(givenTarget)); err != nil {
			return err
		}
		before = chosen
	}
}

// summaries returns the file with the summaries of a directory, or "" for any directory other than the
// directory of the recordings.
func (p *openCommand) summaries(dir string) string {
	defaultDir, err := p.RecordingDir()
	if err != nil || defaultDir != dir {
		return ""
	}
	state, err := system.StateDir()
	if err != nil {
		return ""
	}
	return filepath.Join(state, "summaries.json")
}

// hostRecordings returns the directory where taps of hosts record. It returns "" unless the given
// directory is a different one that the user has chosen.
func (p *openCommand) hostRecordings(dir string) string {
	if defaultDir, err := p.RecordingDir(); err != nil || defaultDir != dir {
		return ""
	}
	return p.HostRecordings()
}

// activeTaps returns the active taps by the path of the recording. Those that cannot be listed
// are left out.
func activeTaps(ctx context.Context) map[string]recordings.Tap {
	taps, _ := control.Active(ctx)
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

func (p *openCommand) runList(catalog *recordings.Catalog, before ui.ChosenRecording) (ui.ChosenRecording, error) {
	chosen, err := ui.ChooseRecording(p.Ctx, catalog, before, p.ScreenOptions())
	if p.Ctx.Err() != nil {
		return ui.ChosenRecording{}, context.Cause(p.Ctx)
	}
	return chosen, inspector.TerminalError(err)
}

// printRecordings prints a table.
func (p *openCommand) printRecordings(dir string, list []recordings.Recording) error {
	if len(list) == 0 {
		if err := p.Out.Prose("No recordings in " + p.Out.Safe(dir) + "."); err != nil {
			return err
		}
		if hosts := p.hostRecordings(dir); hosts != "" {
			return p.Out.Prose("Hosts start taps without your XDG_STATE_HOME. Their recordings: mcptea open " + p.Out.Safe(hosts))
		}
		return nil
	}
	now := time.Now()
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}, Right: []int{2, 3, 5}, Head: true}
	t.Row("server", "when", "frames", "errors", "findings", "size", "file")
	for _, r := range list {
		name, frames, errs, findings := "", "", "", "unreadable"
		when := phrase.Date(r.Modified, now)
		if s := r.Summary; s != nil {
			name, frames, errs, findings = cmp.Or(s.Server, s.Target), phrase.Digits(s.Frames()), phrase.Digits(s.Errors), findingsText(s)
			if s.Partial {
				frames += "+"
			}
			when = phrase.Date(s.Started, now)
		}
		if r.Live {
			when = "now"
		}
		t.Row(display.Cut(display.Sanitize(name), 24), when, frames, errs, findings, phrase.Size(r.Size), filepath.Base(r.Path))
	}
	t.Print()
	return nil
}

func findingsText(s *recordings.Summary) string {
	var parts []string
	if s.Failure != "" {
		return "not connected"
	}
	if s.FindingErrors > 0 {
		parts = append(parts, phrase.Count(s.FindingErrors, "error"))
	}
	if s.FindingWarnings > 0 {
		parts = append(parts, phrase.Count(s.FindingWarnings, "warning"))
	}
	if s.Drift != "" {
		parts = append(parts, "drift")
	}
	return strings.Join(parts, ", ")
}

// Listing is the output of open --json.
type Listing struct {
	Directory  string                 `json:"directory"`  // directory of recordings: the default or the named one
	Recordings []recordings.Recording `json:"recordings"` // recordings in progress first, then newest first
}

// pruneRecordings deletes the recordings beyond the limits.
func (p *openCommand) pruneRecordings(f *openFlags, dir string) error {
	limits := f.limits
	if limits == (recordings.Limits{}) {
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
	fmt.Fprintf(p.Err, "%s of %s %s, %s\n", phrase.Digits(deleted), phrase.Count(len(list), "recording"), what, phrase.Size(size))
	return wrong
}
