// Package statistics implements the pane that counts the calls in all recordings by server and tool: how many
// failed, and how long they took.
//
// Tests: ui/inspector/statistics_test.go
package statistics

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/internal/words/search"
	"mcptea/record/filter"
	"mcptea/record/statistics"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// Program contains the functions of the program that the pane uses.
type Program struct {
	// Read counts the calls since a time; the zero time means all. It is not called in Update.
	Read func(ctx context.Context, since time.Time, progress func(done, of int)) (statistics.Total, error)
	// Open opens a recording; filter is the initial filter of Traffic.
	Open func(path, filter string)
	// Name returns texts that identify a recording.
	Name func(path string) (when, about string)
	// List returns to the list of recordings.
	List func()
}

// row is a server, or one of its tools.
type row struct {
	server *statistics.Server
	tool   *statistics.Tool // nil for the row of the server
}

func (r row) key() string {
	if r.tool == nil {
		return r.server.Server
	}
	return r.server.Server + "\x00" + r.tool.Tool
}

func (r row) name() string {
	if r.tool == nil {
		return r.server.Server
	}
	return r.tool.Tool
}

func (r row) counts() *statistics.Counts {
	if r.tool == nil {
		return &r.server.Counts
	}
	return &r.tool.Counts
}

// failed returns the recordings that have a failure, newest first.
func (r row) failed() []string {
	if r.tool == nil {
		return r.server.Failed
	}
	return r.tool.Failed
}

// A Pane is the table.
type Pane struct {
	page.Page[row, string]

	app     app.Program
	program Program
	tick    app.Tick

	reading  app.Work
	progress atomic.Int64 // recordings read in the lower half, and their total number in the upper half
	counted  bool         // total is for the current period
	total    statistics.Total
	err      error
	rows     []row
	order    order
	period   int // an index of periods
}

// order is the sort order of the servers, and of the tools of each.
type order uint8

const (
	byFailures order = iota
	byCalls
	byTime
	byName
	orders
)

// String returns the name of the column that shows it.
func (o order) String() string { return [...]string{statistics.FailedIn, "calls", "p95", names}[o] }

// names is the name of the column with servers and tools.
const names = "server, tool"

// periods lists the periods that can be counted.
var periods = [...]struct {
	name string
	time time.Duration
}{{"24 h", 24 * time.Hour}, {"7 days", 7 * 24 * time.Hour}, {"30 days", 30 * 24 * time.Hour}, {"all time", 0}}

// New returns the pane. It reads when it is shown.
func New(a app.Program, program Program) *Pane {
	p := &Pane{app: a, program: program, period: len(periods) - 1}
	p.Init(page.Spec[row, string]{
		Noun:    "server or tool",
		Title:   func() []paint.Span { return []paint.Span{{Text: "Statistics"}} },
		Note:    p.note,
		Len:     func() int { return len(p.rows) },
		At:      func(i int) row { return p.rows[i] },
		Key:     row.key,
		Sign:    sign,
		Columns: p.columns(),
		Match:   match,
		Syntax:  "words of the names of servers and tools",
		Empty:   p.empty,
		Detail:  func(r row) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, r) }) },
		Needs:   p.needs,
		Open:    p.open,
		Sorted:  byFailures.String(),
		Layout:  page.Layout{Beside: 1 << 20, Height: 65},
	})
	p.Name, p.Own = "statistics", []keys.Command{
		p.Do(keys.Command{ID: "failed.open", Keys: keys.On("enter l right"), Label: "failed calls", Help: "Open a recording at the calls that failed", Words: "errors show frames", Footer: 10}, p.open, p.whyNot),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the servers and tools by their names", Words: "search find", Footer: 12, Run: p.StartFilter},
		{ID: "sort", Verb: keys.Sort, Label: "sort", Help: "Sort by failures, calls, p95 or name", Words: "order", Footer: 14, Run: p.sortNext},
		{ID: "period.shorter", Keys: keys.On("["), Label: "shorter", Help: "Count a shorter time up to now", Words: "since days period", Footer: 15, Run: func() { p.choose(-1) }, Off: func() string { return keys.Reason(p.period == 0, "This is the shortest time.") }},
		{ID: "period.longer", Keys: keys.On("]"), Label: "longer", Help: "Count a longer time up to now", Words: "since days period", Footer: 15, Run: func() { p.choose(1) }, Off: func() string { return keys.Reason(p.period == len(periods)-1, "All calls are counted.") }},
		{ID: "again", Verb: keys.Again, Label: "count again", Help: "Read the recordings again", Words: "refresh reload", Footer: 17, Run: func() { p.Count(); p.app.Say("The recordings are counted again.") }},
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy name", Help: "Copy the name of the server or tool", Words: "clipboard", Footer: 18}, func(r row) { a.Copy(r.name(), nil, "name") }),
		{ID: "view", Verb: keys.NextShape, Label: "recordings", Help: "Go back to the list of recordings", Words: "list view", Footer: 11, Run: program.List},
	}
	return p
}

// Show counts the calls if they were not.
func (p *Pane) Show() {
	if !p.counted && !p.reading.Busy() {
		p.Count()
	}
}

// Count reads the recordings. The previous counts stay visible until then.
func (p *Pane) Count() {
	since := time.Time{}
	if of := periods[p.period].time; of > 0 {
		since = p.tick.Now.Add(-of)
	}
	p.counted, p.err = false, nil
	p.progress.Store(0)
	p.reading.Start(p.app, func(ctx context.Context) func() {
		total, err := p.program.Read(ctx, since, func(done, of int) { p.progress.Store(int64(of)<<32 | int64(done)) })
		return func() {
			p.counted, p.err = true, err
			if err == nil {
				p.total = total
				p.sort()
			}
		}
	})
}

// Stop ends the reading; [Pane.Count] starts it again.
func (p *Pane) Stop() { p.reading.Stop() }

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.tick = t
	return p.Page.Refresh(t) || p.reading.Busy()
}

func (p *Pane) choose(step int) {
	p.period += step
	p.Count()
}

func (p *Pane) sortNext() {
	p.order = (p.order + 1) % orders
	p.sort()
}

func (p *Pane) compare(a, b row) int {
	x, y := a.counts(), b.counts()
	by := 0
	switch p.order {
	case byFailures:
		by = cmp.Or(cmp.Compare(y.FailedSessions, x.FailedSessions), cmp.Compare(y.Failures(), x.Failures()))
	case byCalls:
		by = cmp.Compare(y.Calls, x.Calls)
	case byTime:
		by = cmp.Compare(y.P95, x.P95)
	}
	return cmp.Or(by, strings.Compare(strings.ToLower(a.name()), strings.ToLower(b.name())), strings.Compare(a.name(), b.name()))
}

// sort sorts the servers, each with its tools.
func (p *Pane) sort() {
	p.SortBy(p.order.String())
	servers := make([]row, len(p.total.Servers))
	for i := range servers {
		servers[i] = row{server: &p.total.Servers[i]}
	}
	slices.SortFunc(servers, p.compare)
	p.rows = p.rows[:0]
	for _, s := range servers {
		p.rows = append(p.rows, s)
		from := len(p.rows)
		for i := range s.server.Tools {
			p.rows = append(p.rows, row{s.server, &s.server.Tools[i]})
		}
		slices.SortFunc(p.rows[from:], p.compare)
	}
	p.Changed()
}

// match returns a filter. The words must occur in the name of a server; for a tool, in the names of the tool and its server
// together.
func match(words string) func(row) bool {
	typed := search.Of(words)
	return func(r row) bool {
		if r.tool != nil {
			return typed.In(r.server.Server, r.tool.Tool)
		}
		return typed.In(r.server.Server)
	}
}

// whyNot returns why no recording of a row can be opened, or "".
func (p *Pane) whyNot(r row) string {
	return keys.Reason(len(r.failed()) == 0, "Nothing failed here.")
}

// open shows the failed calls: in the only recording with them, or in the recording that the user chooses.
func (p *Pane) open(r row) {
	failed, words := r.failed(), "method:tools/call -status:ok"
	if r.tool != nil {
		words = "tool:" + filter.Quote(r.tool.Tool) + " -status:ok"
	}
	switch len(failed) {
	case 0:
		p.app.Say(p.whyNot(r))
	case 1:
		p.program.Open(failed[0], p.shown(r, words))
	default:
		dialog.Choose{
			Title: "Failed calls of " + display.Sanitize(r.name()), Text: "The recordings with one, the newest first.", Verb: "open", Width: 90,
			Len: func() int { return len(failed) },
			Entry: func(i int) dialog.Entry {
				when, about := p.program.Name(failed[i])
				return dialog.Entry{Key: failed[i], Name: when, Summary: about}
			},
			Accept: func(i int) { p.program.Open(failed[i], p.shown(r, words)) },
		}.Open(p.app)
	}
}

// shown returns the filter for a recording of a row. It returns "" if the server did not connect in
// the recording, because there are no calls, and if the name is beyond the maximum, because such
// names are not distinguished.
func (p *Pane) shown(r row, words string) string {
	if r.tool == nil && r.server.Unconnected > 0 || r.tool != nil && r.tool.Tool == statistics.Others {
		return ""
	}
	return words
}

// done describes the progress of reading.
func (p *Pane) done() string {
	n := p.progress.Load()
	if n == 0 {
		return "reading"
	}
	return "reading " + phrase.Digits(n&(1<<32-1)) + " of " + phrase.Count(int(n>>32), "recording")
}

func (p *Pane) empty(d *doc.Doc) {
	switch {
	case p.err != nil:
		d.Text(d.Pal.Error, "Cannot read the recordings: "+p.err.Error()+".", 3)
	case !p.counted:
		d.Text(d.Pal.Muted, phrase.Capital(p.done())+".", 1)
	default:
		d.Text(d.Pal.Strong, "No calls in "+phrase.Count(p.total.Recordings, "recording")+" of "+periods[p.period].name+".", 2)
	}
}
