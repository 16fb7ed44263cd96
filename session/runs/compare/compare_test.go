package compare

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
	"mcptea/session/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// comparison is one of the demo server with a fault. It must be called in a
// bubble.
func comparison(fault string, changed func()) *Comparison {
	return New(session.Config{
		Target: client.Target{Argv: []string{"demo-server"}},
		Client: client.Config{Name: "mcptea", Version: "test", Timeout: time.Minute},
		Policies: requests.Policies{
			Sampling: requests.Policy{Mode: requests.PolicyUser}, Elicitation: requests.Policy{Mode: requests.PolicyUser},
		},
		Dial: sessiontest.Dial(sessiontest.Demo(demo.Options{Fault: fault})),
	}, changed)
}

// outcomesOf are the outcomes of all runs, oldest revision first.
func outcomesOf(r Report) string {
	var words []string
	for _, run := range r.Runs {
		words = append(words, run.Outcome.String())
	}
	return strings.Join(words, " ")
}

func TestRevisionsAreFound(t *testing.T) {
	for _, tt := range []struct {
		fault, want, note string
		starts            int
	}{
		{"", "spoken spoken spoken spoken spoken", "", 5},
		{"legacy-only", "spoken spoken spoken spoken refused", "not supported: server/discover returned error -32601", 5},
		{"modern-only", "skipped skipped skipped refused spoken", "does not list it and rejects the handshake", 2},
		{"wrong-version", "other other other other refused", `the server selected "1999-01-01"`, 5},
		{"init-error", "refused refused refused refused refused", "refused: error -32603", 5},
		{"no-answer", "failed failed failed failed refused", "Timed out after 30 s waiting for the initialize response", 5},
		{"discover-silent", "spoken spoken spoken spoken refused", "got no response within 5 s", 5},
		{"cursor-loop", "spoken spoken spoken spoken spoken", "", 5},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := comparison(tt.fault, nil).Run(t.Context())
				if got := outcomesOf(r); got != tt.want || r.Starts != tt.starts || !r.Ended {
					t.Errorf("%s after %d starts, want %s after %d", got, r.Starts, tt.want, tt.starts)
				}
				said := func(run Run) bool { return strings.Contains(run.Note, tt.note) }
				if !slices.ContainsFunc(r.Runs, said) {
					t.Errorf("no run has the note %q: %+v", tt.note, r.Runs)
				}
			})
		})
	}
}

func TestWhatDiffersIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := comparison("", nil).Run(t.Context())
		for _, run := range r.Runs {
			if len(run.Lists["tools"].Items) == 0 || run.Handshake.Revision != run.Revision || len(run.Server) == 0 {
				t.Errorf("%s: %d tools, %s, server %s", run.Revision, len(run.Lists["tools"].Items), run.Handshake.Revision, run.Server)
			}
		}
		if !slices.Contains(r.Listed, "2026-07-28") || r.detection.Era != revision.EraStateless {
			t.Errorf("listed %q, %s", r.Listed, r.detection.Era)
		}
		for _, want := range []string{
			"capabilities completions  : - + + + +", // 2024-11-05 has no such capability
			"tools send-order  : - - - - +",
			"tools ping-client  : + + + + -",
		} {
			if !slices.ContainsFunc(r.Table.Notable, func(row Row) bool { return drawn(row) == want }) {
				t.Errorf("the table lacks %s:\n%s", want, all(r.Table.Notable))
			}
		}
		titles := slices.IndexFunc(r.Table.Notable, func(row Row) bool { return row.Section == "tools" && row.Path == "title" })
		if titles < 0 || len(r.Table.Notable[titles].Items) < 20 {
			t.Errorf("the titles of the tools do not share a row:\n%s", all(r.Table.Notable))
		}
	})
}

// drawn is a row as a line of signs: there, there and not defined, missing.
func drawn(row Row) string {
	var b strings.Builder
	b.WriteString(row.Section + " " + strings.Join(row.Items, ",") + " " + row.Path + " :")
	for _, c := range row.Cells {
		switch {
		case c.State == Nothing:
			b.WriteString(" .")
		case c.State == Missing:
			b.WriteString(" -")
		case c.Undefined:
			b.WriteString(" !")
		default:
			b.WriteString(" +")
		}
	}
	return b.String()
}

func all(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(drawn(r) + "\n")
	}
	return b.String()
}

func TestItTellsWhatItWaitsFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := comparison("no-answer", nil)
		done := make(chan Report, 1)
		go func() { done <- c.Run(t.Context()) }()
		time.Sleep(10 * time.Second)
		r := c.Report()
		run := r.Runs[4] // the server is asked first, and then offered a handshake
		if run.Outcome != Running || run.Step != client.StepResponse || time.Until(run.Deadline) != 20*time.Second {
			t.Errorf("%s, %s, gives up in %s", run.Outcome, run.Step, time.Until(run.Deadline))
		}
		<-done
	})
}

func TestItCanBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		c := comparison("no-answer", nil)
		start := time.Now()
		time.AfterFunc(45*time.Second, stop)
		r := c.Run(ctx)
		if got := outcomesOf(r); got != "skipped skipped skipped skipped refused" {
			t.Error(got)
		}
		if took := time.Since(start); took > 46*time.Second {
			t.Errorf("it ended after %s", took)
		}
	})
}

func TestTheCallerIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		comparison("", func() { n++ }).Run(t.Context())
		if n < 10 {
			t.Errorf("told %d times of five runs", n)
		}
	})
}
