package comparison

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session/offer"
	"mcptea/session/offer/diff"
	"mcptea/session/runs/compare"
	"mcptea/themes"
	"mcptea/ui/paint"
)

var palette = paint.NewPalette(themes.ForBackground(true), false)

// report is one of a server that has something of everything.
func report() compare.Report {
	spoken := func(r revision.Revision, tools int, err error) compare.Run {
		return compare.Run{
			Revision: r, Outcome: compare.Spoken, Took: 12 * time.Millisecond, Handshake: client.Handshake{Revision: r},
			Lists: map[string]offer.List{"tools": {Offered: true, Items: make([]offer.Item, tools), Err: err}},
		}
	}
	change := func(k diff.Kind, section, path, reason string, items ...string) compare.Change {
		return compare.Change{Change: diff.Change{Kind: k, Section: section, Path: path, Reason: reason}, Items: items}
	}
	steps := []compare.Step{
		{From: revision.R20250618, To: revision.R20251125, Changes: []compare.Change{
			change(diff.Added, "capabilities", "/tasks", "the server offers it now"),
			change(diff.Removed, "tools", "", "clients that use it fail", "a-tool-with-a-name-that-is-longer-than-most"),
			change(diff.Changed, "tools", "/title", diff.ForInformation, "a\x1b[2Jb", "c", "d", "e", "f", "g", "h", "i", "j", "k"),
		}},
		{From: revision.R20251125, To: revision.R20260728},
	}
	return compare.Report{
		Target: client.Target{Argv: []string{"server"}}, Starts: 4, Ended: true,
		Runs: []compare.Run{
			{Revision: revision.R20241105, Outcome: compare.Refused, Note: `refused: error -32602 "no"`},
			{Revision: revision.R20250326, Outcome: compare.Skipped, Note: "not tried: cancelled"},
			spoken(revision.R20250618, 4, nil), spoken(revision.R20251125, 2, errors.New("went in a circle\x1b")), spoken(revision.R20260728, 1, nil),
		},
		Steps: steps,
	}
}

func text(rows []string, w int, t *testing.T) string {
	t.Helper()
	for i, r := range rows {
		if got := ansi.StringWidth(r); got != w {
			t.Errorf("row %d is %d cells wide, want %d: %q", i, got, w, r)
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func TestReport(t *testing.T) {
	for _, w := range []int{76, 120} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			r := report()
			rows := append(Runs(palette, r, w, time.Time{}, 0), Steps(palette, r, w)...)
			golden.RequireEqual(t, r.Sentence()+"\n"+text(rows, w, t))
		})
	}
}

func TestAnyWidthWillDo(t *testing.T) {
	for _, w := range []int{1, 5, 20, 38, 60} {
		text(Steps(palette, report(), w), w, t)
		text(Runs(palette, report(), w, time.Time{}, 1), w, t)
	}
}

func TestRuns(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	r := report()
	r.Ended = false
	r.Runs[1] = compare.Run{Revision: revision.R20250326, Outcome: compare.Running, Step: "response", Started: now.Add(-3 * time.Second), Deadline: now.Add(27 * time.Second)}
	r.Runs[2] = compare.Run{Revision: revision.R20250618}
	got := text(Runs(palette, r, 76, now, 0), 76, t)
	for _, want := range []string{"3.0 s, times out in 27 s", "waiting", "✓ 2025-11-25  handshake, 12 ms, tools failed after 2", `· 2024-11-05  refused: error -32602 "no"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the rows lack %q:\n%s", want, got)
		}
	}
	if got := r.Sentence(); got != "The server was started 4 times so far." {
		t.Error(got)
	}
}

func TestNothingToCompare(t *testing.T) {
	r := report()
	r.Runs, r.Steps = append(r.Runs[:2], r.Runs[4]), nil
	if got := text(Steps(palette, r, 76), 76, t); got != "No other version to compare with.\n" {
		t.Error(got)
	}
}
