// Package recordings implements the list of recordings, with a summary of the selected one.
//
// Tests: ui/pane/recordings_test.go, ui/inspector/recordings_test.go
package recordings

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/record/recordings"
	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/keys"
	"mcptea/ui/page"
	"mcptea/ui/paint"
)

// Catalog contains functions for reading recordings.
type Catalog interface {
	// Recordings returns the recordings: those being written first, then the newest. listed reports whether the
	// directory has been read.
	Recordings() (list []recordings.Recording, listed bool, err error)
	// ReadFirst makes a recording the next one whose summary is made.
	ReadFirst(path string)
	Delete(paths ...string) error
	Dir() string
	HostDir() string // directory for the recordings of taps that hosts start, or ""
}

// Program contains the functions of the program that the list uses.
type Program struct {
	Open func(path string)
	// Compare compares two recordings, the older one first. The names are trusted.
	Compare    func(paths, names [2]string)
	Statistics func() // shows the calls of all recordings
	// Ask asks the user before a recording is deleted.
	Ask func(path, what string, yes func())
}

// Pane is the list of recordings and the summary of the selected one.
type Pane struct {
	page.Page[*recordings.Recording, string] // recordings by path

	app     app.Program
	program Program
	catalog Catalog
	tick    app.Tick

	all    []recordings.Recording
	sorted []*recordings.Recording
	listed bool
	err    error
	want   string   // path that is selected when it is listed; empty then
	marks  []string // paths that the user has marked, in that order
}

// New returns the pane over a catalog. The recording of the path selected is selected
// first.
func New(a app.Program, program Program, c Catalog, selected string) *Pane {
	p := &Pane{app: a, program: program, catalog: c, want: selected}
	p.Init(page.Spec[*recordings.Recording, string]{
		Noun:    "recording",
		Title:   func() []paint.Span { return []paint.Span{{Text: "Recordings"}} },
		Note:    p.note,
		Len:     func() int { return len(p.sorted) },
		At:      func(i int) *recordings.Recording { return p.sorted[i] },
		Key:     func(r *recordings.Recording) string { return r.Path },
		Sign:    p.sign,
		Columns: p.columns(),
		Sorted:  "time",
		Match:   p.match,
		Syntax:  "server: source: since:7d took:>1m size:>1M findings:>0 live",
		Empty:   p.empty,
		Detail:  func(r *recordings.Recording) app.Pane { return app.Still(func(c *app.Canvas) { p.detail(c, r) }) },
		Needs:   p.needs,
		Open:    p.open,
		Layout:  page.Layout{Beside: 1 << 20, Height: 55},
	})
	p.Name, p.Own = "list of recordings", []keys.Command{
		p.Do(keys.Command{ID: "recording.open", Keys: keys.On("enter l right"), Label: "open", Help: "Open the recording in the inspector", Words: "show inspect", Footer: 10}, p.open, unreadable),
		{ID: "filter", Keys: keys.On("/"), Label: "filter", Help: "Filter the recordings by server, source, target, method, date or state", Words: "search find", Footer: 12, Run: p.StartFilter},
		{ID: "sort", Verb: keys.Sort, Label: "sort", Help: "Sort by time, server, findings or size", Words: "order", Footer: 14, Run: p.sortNext},
		{ID: "view", Verb: keys.NextShape, Label: "statistics", Help: "Count the calls of all recordings by server and tool: failures and times", Words: "stats percentile errors latency", Footer: 14, Run: program.Statistics},
		p.Do(keys.Command{ID: "mark", Verb: keys.Mark, Keys: keys.On("space"), Label: "mark", Help: "Mark the recording, to compare it; or unmark it", Words: "select", Footer: 15}, p.mark),
		p.Do(keys.Command{ID: "diff", Verb: keys.Diff, Label: "diff", Help: "Compare two marked recordings, or this one with the marked one", Words: "difference compare breaking", Footer: 15}, p.diff),
		p.Do(keys.Command{ID: "remove", Verb: keys.End, Label: "delete", Help: "Delete the recording; asks first", Words: "remove", Footer: 16}, p.remove, func(r *recordings.Recording) string { return keys.Reason(r.Live, "This recording is being written.") }),
		p.Do(keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy path", Help: "Copy the path of the recording", Words: "clipboard file", Footer: 18}, func(r *recordings.Recording) { a.Copy(r.Path, nil, "path of the recording") }),
	}
	return p
}

// Things implements [app.Finder].
func (p *Pane) Things() []app.Things {
	list := slices.Clone(p.sorted)
	return []app.Things{{
		Kind: "recording", Len: len(list),
		Name: func(i int) (name, about string) { return list[i].Server(), filepath.Base(list[i].Path) },
		Show: func(i int) {
			p.ClearFilter()
			p.Select(list[i].Path)
		},
	}}
}

// Refresh implements [app.Pane].
func (p *Pane) Refresh(t app.Tick) bool {
	p.tick = t
	p.all, p.listed, p.err = p.catalog.Recordings()
	p.sort()
	busy := !p.listed || slices.ContainsFunc(p.all, func(r recordings.Recording) bool { return r.Summary == nil && r.Err == nil })
	switch {
	case p.listed && p.want != "":
		p.Select(p.want)
		p.want = ""
	case !busy:
		p.Keep() // later ones must not move the selection
	}
	if r, ok := p.Selected(); ok {
		p.catalog.ReadFirst(r.Path)
	}
	return p.Page.Refresh(t) || busy
}

// Total returns the number of recordings, of those being written, and their bytes.
func (p *Pane) Total() (files, live int, size int64) {
	for i := range p.all {
		size += p.all[i].Size
		if p.all[i].Live {
			live++
		}
	}
	return len(p.all), live, size
}

func (p *Pane) sortNext() {
	p.SortNext()
	p.sort()
}

// sort keeps the recordings that are being written at the top.
func (p *Pane) sort() {
	p.sorted = p.sorted[:0]
	for i := range p.all {
		p.sorted = append(p.sorted, &p.all[i])
	}
	p.Sort(p.sorted, func(r *recordings.Recording) bool { return r.Live })
	p.Changed()
}

func byServer(a, b *recordings.Recording) int {
	return strings.Compare(strings.ToLower(a.Server()), strings.ToLower(b.Server()))
}

func byTime(a, b *recordings.Recording) int { return b.Started().Compare(a.Started()) }

func byFindings(a, b *recordings.Recording) int { return cmp.Compare(weight(b), weight(a)) }

func bySize(a, b *recordings.Recording) int { return cmp.Compare(b.Size, a.Size) }

// weight sorts failures before errors before warnings before nothing.
func weight(r *recordings.Recording) int {
	if r.Summary == nil {
		return -1
	}
	w := r.Summary.FindingErrors<<20 + r.Summary.FindingWarnings
	if r.Summary.Failure != "" {
		w += 1 << 40
	}
	return w
}

func (p *Pane) match(words string) func(*recordings.Recording) bool {
	matches := recordings.Match(words, p.tick.Now)
	return func(r *recordings.Recording) bool { return matches(r, p.when(r)) }
}

// when returns the time of a recording.
func (p *Pane) when(r *recordings.Recording) string {
	if r.Live {
		return "now"
	}
	return phrase.Date(r.Started(), p.tick.Now)
}

func (p *Pane) open(r *recordings.Recording) {
	if why := unreadable(r); why != "" {
		p.app.Fail(why)
		return
	}
	p.program.Open(r.Path)
}

func unreadable(r *recordings.Recording) string {
	if r.Err != nil {
		return "This file is not a recording that can be read: " + r.Err.Error() + "."
	}
	return ""
}

// NameOf returns texts that identify the recording of a path: when it started, and its server, size and file.
func (p *Pane) NameOf(path string) (when, about string) {
	for i := range p.all {
		if r := &p.all[i]; r.Path == path {
			return p.when(r), display.Sanitize(r.Server()) + "  " + phrase.Size(r.Size) + "  " + filepath.Base(path)
		}
	}
	return filepath.Base(path), ""
}

// mark marks a recording, or unmarks it.
func (p *Pane) mark(r *recordings.Recording) {
	if i := slices.Index(p.marks, r.Path); i >= 0 {
		p.marks = slices.Delete(p.marks, i, i+1)
		return
	}
	p.marks = append(p.marks, r.Path)
}

// diff compares the two recordings that were marked last, or one with the marked one.
func (p *Pane) diff(selected *recordings.Recording) {
	var chosen []*recordings.Recording
	for _, path := range p.marks {
		if i := slices.IndexFunc(p.all, func(r recordings.Recording) bool { return r.Path == path }); i >= 0 {
			chosen = append(chosen, &p.all[i])
		}
	}
	switch n := len(chosen); {
	case n >= 2:
		chosen = chosen[n-2:]
	case n == 1 && chosen[0].Path != selected.Path:
		chosen = append(chosen, selected)
	default:
		p.app.Say("Mark a recording with " + p.app.Key("mark") + ", then select another one to compare.")
		return
	}
	if chosen[0].Started().After(chosen[1].Started()) {
		slices.Reverse(chosen)
	}
	var paths, names [2]string
	for i, r := range chosen {
		paths[i], names[i] = r.Path, display.Sanitize(r.Server())+", "+p.when(r)
	}
	p.program.Compare(paths, names)
}

func (p *Pane) remove(r *recordings.Recording) {
	path := r.Path
	p.program.Ask(path, r.Server()+", "+p.when(r)+", "+phrase.Size(r.Size), func() {
		p.app.Go(func(context.Context) func() {
			err := p.catalog.Delete(path)
			return func() {
				if err != nil {
					p.app.Fail("Cannot delete the recording: " + err.Error() + ".")
				} else {
					p.app.Say("Deleted.")
				}
				p.Refresh(p.tick)
			}
		})
	})
}

func (p *Pane) empty(d *doc.Doc) {
	switch {
	case p.err != nil:
		d.Text(d.Pal.Error, "Cannot read the directory of recordings: "+p.err.Error(), 3)
	case !p.listed:
		d.Text(d.Pal.Muted, "Reading the directory.", 1)
	default:
		d.Text(d.Pal.Strong, "No recordings yet.", 2)
		d.Gap()
		d.Text(d.Pal.Text, "The inspector records each session in "+p.catalog.Dir()+".", 3)
		d.Gap()
		if dir := p.catalog.HostDir(); dir != "" {
			d.Text(d.Pal.Text, "Hosts start taps without your XDG_STATE_HOME. For their recordings:", 3)
			d.Text(d.Pal.Muted, "mcptea open "+dir, 3)
			return
		}
		d.Text(d.Pal.Muted, "To make one: mcptea demo", 2)
	}
}
