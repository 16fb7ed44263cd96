package recordings

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/pflag"

	"mcptea/cli/app"
	"mcptea/internal/words/phrase"
	"mcptea/record/behavior"
	"mcptea/record/statistics"
)

// statsFlags holds the flags of mcptea open --stats.
type statsFlags struct {
	enabled bool
	since   time.Duration
}

func (f *statsFlags) declare(fs *pflag.FlagSet) {
	fs.BoolVar(&f.enabled, "stats", false, "count the calls in all recordings, by server and tool: how many failed, and how long they took")
	fs.Func("since", "with --stats: count only the calls of the last time, such as 12h or 7d  `TIME`", func(text string) (err error) {
		if f.since, err = parseAge(text); err != nil || f.since <= 0 {
			return app.Usage("Write it as 12h or 7d.", "--since: %q is not a time", text)
		}
		return nil
	})
}

// Stats is the output of open --stats --json.
type Stats struct {
	Directory  string                  `json:"directory"`       // directory of recordings: the default or the named one
	Since      *time.Time              `json:"since,omitempty"` // the calls are from then
	Recordings int                     `json:"recordings"`      // recordings that were read
	Servers    []statistics.Server     `json:"servers"`         // servers, most failures first
	Unreadable []statistics.Unreadable `json:"unreadable"`      // recordings that could not be read
}

// printStats counts the calls in the recordings of a directory.
func (p *openCommand) printStats(dir string, f *statsFlags, markdown bool) error {
	var since time.Time
	if f.since > 0 {
		since = time.Now().Add(-f.since)
	}
	total, err := statistics.Read(p.Ctx, dir, since, func(done, of int) {
		p.Err.Status(fmt.Sprintf("%s of %s", phrase.Digits(done), phrase.Count(of, "recording")))
	})
	p.Err.Status("")
	if p.Ctx.Err() != nil {
		return context.Cause(p.Ctx)
	}
	if err != nil {
		return app.Failed("cannot list the recordings: %v", err)
	}
	doc := Stats{Directory: dir, Recordings: total.Recordings, Servers: total.Servers, Unreadable: append([]statistics.Unreadable{}, total.Unreadable...)}
	if !since.IsZero() {
		doc.Since = &since
	}
	if p.JSON {
		return p.PrintDocument(doc)
	}
	for _, u := range doc.Unreadable {
		p.Warning(fmt.Sprintf("%s: %s", filepath.Base(u.Path), u.Error))
	}
	if len(doc.Servers) == 0 {
		return p.Out.Prose("No calls in " + phrase.Count(doc.Recordings, "recording") + " of " + p.Out.Safe(dir) + ".")
	}
	return p.printServers(doc.Servers, markdown)
}

func (p *openCommand) printServers(servers []statistics.Server, markdown bool) error {
	t := app.Table{Out: p.Out, Looks: []lipgloss.Style{app.Name}, Head: true}
	head := []string{"server", "tool"}
	for i := range statistics.Columns {
		t.Right = append(t.Right, len(head))
		head = append(head, statistics.Columns[i].Name)
	}
	t.Row(head...)
	var rows []behavior.Row
	add := func(server, tool string, c *statistics.Counts) {
		cells := countCells(c)
		t.Row(append([]string{server, tool}, cells...)...)
		rows = append(rows, behavior.Row{Label: server, Cells: append([]string{tool}, cells...)})
	}
	for i := range servers {
		s := &servers[i]
		add(s.Server, "", &s.Counts)
		for j := range s.Tools {
			add("", s.Tools[j].Tool, &s.Tools[j].Counts)
		}
	}
	if markdown {
		return p.printMarkdown(head[1:], rows)
	}
	t.Print()
	return nil
}

// countCells returns the columns after the tool.
func countCells(c *statistics.Counts) []string {
	cells := make([]string, len(statistics.Columns))
	for i := range cells {
		text, more, _ := statistics.Columns[i].Cell(c)
		cells[i] = text + more
	}
	return cells
}
