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
	there := func(value string) compare.Cell { return compare.Cell{State: compare.Present, Value: []byte(value)} }
	missing := compare.Cell{State: compare.Missing}
	odd := compare.Cell{State: compare.Present, Undefined: true}
	long := strings.Repeat("Use it with care. ", 10)
	rows := []compare.Row{
		{Section: "server", Path: "instructions", Cells: []compare.Cell{there(`"` + long + `First."`), there(`"` + long + `Then\u001b[31m red."`), missing}},
		{Section: "capabilities", Items: []string{"tasks"}, Cells: []compare.Cell{odd, {State: compare.Present}, {State: compare.Missing, Undefined: true}}},
		{Section: "capabilities", Items: []string{"tools"}, Path: "listChanged", Cells: []compare.Cell{there("true"), there("false"), {}}},
		{Section: "tools", Items: []string{"a-tool-with-a-name-that-is-longer-than-its-column"}, Cells: []compare.Cell{there(""), missing, missing}},
		{Section: "tools", Items: []string{"a\x1b[2Jb", "c", "d"}, Path: "title", Cells: []compare.Cell{odd, odd, {State: compare.Present}}},
	}
	return compare.Report{
		Target: client.Target{Argv: []string{"server"}}, Starts: 4, Ended: true,
		Runs: []compare.Run{
			{Revision: revision.R20241105, Outcome: compare.Refused, Note: `refused: error -32602 "no"`},
			{Revision: revision.R20250326, Outcome: compare.Skipped, Note: "not tried: cancelled"},
			spoken(revision.R20250618, 4, nil), spoken(revision.R20251125, 2, errors.New("went in a circle\x1b")), spoken(revision.R20260728, 1, nil),
		},
		Table: compare.Table{Revisions: []revision.Revision{revision.R20250618, revision.R20251125, revision.R20260728}, Rows: rows, Notable: rows},
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

func TestTable(t *testing.T) {
	for _, w := range []int{76, 120} {
		t.Run(fmt.Sprint(w), func(t *testing.T) {
			r := report()
			golden.RequireEqual(t, Sentence(r)+"\n"+text(append([]string{Heading(palette, r, w)}, Table(palette, r, w, false)...), w, t))
		})
	}
}

func TestAnyWidthWillDo(t *testing.T) {
	for _, w := range []int{1, 5, 20, 38, 60} {
		text(Table(palette, report(), w, true), w, t)
		text([]string{Heading(palette, report(), w)}, w, t)
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
	for _, want := range []string{"times out in 27 s   3.0 s", "waiting", "✓ 2025-11-25  connected in 12 ms", `· 2024-11-05  refused: error -32602 "no"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the rows lack %q:\n%s", want, got)
		}
	}
	if got := Sentence(r); got != "The server was started 4 times so far." {
		t.Error(got)
	}
}

func TestNothingToCompare(t *testing.T) {
	r := report()
	r.Table.Notable = nil
	if got := text(Table(palette, r, 76, false), 76, t); !strings.Contains(got, "Nothing differs between the versions.") {
		t.Error(got)
	}
	r.Runs, r.Table = r.Runs[:2], compare.Table{}
	if got := text(Table(palette, r, 76, false), 76, t); !strings.HasPrefix(got, "not compared\n  2024-11-05  refused") {
		t.Error(got)
	}
}
