package recordings

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/recordings"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
	"mcptea/ui/widget/input"
	"mcptea/ui/widget/masterdetail"
)

// Catalog is what the pane reads.
type Catalog interface {
	// Recordings returns the recordings, those that are being written first, then the
	// newest; listed reports whether the directory was read.
	Recordings() (list []recordings.Recording, listed bool, err error)
	// ReadFirst makes a recording the next one whose summary is made.
	ReadFirst(path string)
	Dir() string
}

// Pane is the list of recordings and the summary of the selected one. It belongs to the
// goroutine that draws.
type Pane struct {
	catalog Catalog
	now     time.Time
	spin    int

	all    []recordings.Recording
	listed bool
	err    error
	shown  []*recordings.Recording // those that pass the filter, in their order
	order  order
	view   masterdetail.View[string] // by path

	input input.Filter
	words input.Words

	marks []string // paths that the user has marked, in that order
}

// order is by what the recordings are sorted.
type order uint8

const (
	byTime order = iota
	byServer
	byFindings
	bySize
	orders
)

func (o order) String() string { return [...]string{"time", "server", "findings", "size"}[o] }

// New returns the pane over a catalog.
func New(c Catalog) *Pane {
	p := &Pane{catalog: c}
	p.view.Layout = masterdetail.Layout{Beside: 1 << 20, Height: 55}
	p.view.List.Items = masterdetail.Items[string]{
		Len: func() int { return len(p.shown) },
		Key: func(i int) string { return p.shown[i].Path },
		Row: p.itemRow,
	}
	return p
}

// Refresh reads the catalog. spin counts the frames of spinners.
func (p *Pane) Refresh(now time.Time, spin int) {
	p.now, p.spin = now, spin
	p.all, p.listed, p.err = p.catalog.Recordings()
	p.list()
}

// Busy reports whether a summary is still being made.
func (p *Pane) Busy() bool {
	return !p.listed || slices.ContainsFunc(p.all, func(r recordings.Recording) bool { return r.Summary == nil && r.Err == nil })
}

// Total returns the number of recordings, of those that are being written, and of
// their bytes.
func (p *Pane) Total() (files, live int, size int64) {
	for i := range p.all {
		size += p.all[i].Size
		if p.all[i].Live {
			live++
		}
	}
	return len(p.all), live, size
}

// Selected is the path of the selected recording; empty without one.
func (p *Pane) Selected() string {
	if r := p.selected(); r != nil {
		return r.Path
	}
	return ""
}

// Select selects the recording of a path, if it is shown. It stays selected.
func (p *Pane) Select(path string) {
	if p.view.List.Select(path) {
		p.view.List.Pin(true)
	}
}

func (p *Pane) selected() *recordings.Recording {
	if i := p.view.List.Index(); i >= 0 {
		return p.shown[i]
	}
	return nil
}

// list filters and sorts, and keeps the cursor at its recording. Until the user has
// moved it, the first one is selected.
func (p *Pane) list() {
	p.shown = p.shown[:0]
	for i := range p.all {
		if r := &p.all[i]; p.passes(r) {
			p.shown = append(p.shown, r)
		}
	}
	slices.SortStableFunc(p.shown, p.compare)
	list := &p.view.List
	pinned := list.Pinned()
	if kept := list.Refresh(); !pinned && !kept || !pinned && !p.input.Typing() {
		list.SelectIndex(0)
	}
	// Once all are known, one that comes later takes no place from the selected one.
	list.Pin(pinned || p.listed && !p.Busy())
	p.catalog.ReadFirst(p.Selected())
}

// compare keeps the recordings that are being written at the top.
func (p *Pane) compare(a, b *recordings.Recording) int {
	if a.Live != b.Live {
		if a.Live {
			return -1
		}
		return 1
	}
	switch p.order {
	case byServer:
		return strings.Compare(strings.ToLower(serverOf(a)), strings.ToLower(serverOf(b)))
	case byFindings:
		return cmp.Compare(weight(b), weight(a))
	case bySize:
		return cmp.Compare(b.Size, a.Size)
	}
	return started(b).Compare(started(a))
}

// started is the time of the first event, or of the file while that is not known.
func started(r *recordings.Recording) time.Time {
	if r.Summary != nil && !r.Summary.Started.IsZero() {
		return r.Summary.Started
	}
	return r.Modified
}

// weight sorts errors before warnings before nothing.
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

// serverOf names the server: what it calls itself, or its target.
func serverOf(r *recordings.Recording) string {
	switch s := r.Summary; {
	case s == nil:
	case s.Server != "":
		return s.Server
	case s.Target != "":
		return s.Target
	}
	return strings.TrimSuffix(filepath.Base(r.Path), recordings.Suffix)
}

// passes reports whether a recording contains all the words, and none of those after a
// dash.
func (p *Pane) passes(r *recordings.Recording) bool {
	if len(p.words) == 0 {
		return true
	}
	texts := []string{filepath.Base(r.Path), p.when(r)}
	if r.Live {
		texts = append(texts, "live")
	}
	if r.Err != nil {
		texts = append(texts, "unreadable")
	}
	if r.Tap != nil {
		texts = append(texts, "tap", r.Tap.Name)
	}
	if s := r.Summary; s != nil {
		texts = append(texts, s.Server, s.Target, s.Transport, s.Revision, s.Tool, s.Failure)
		for name, on := range map[string]bool{
			"findings": s.FindingErrors+s.FindingWarnings > 0, "errors": s.Errors > 0, "failed": s.Failure != "", "damaged": s.Damage != "",
		} {
			if on {
				texts = append(texts, name)
			}
		}
		for _, q := range s.Requests {
			texts = append(texts, q.Method, q.Name)
		}
	}
	return p.words.Match(strings.ToLower(strings.Join(texts, "\n")))
}

// when is the time of a recording.
func (p *Pane) when(r *recordings.Recording) string {
	if r.Live {
		return "now"
	}
	return paint.HumanDate(started(r), p.now)
}

// Context implements the contract of panes.
func (p *Pane) Context() command.Context { return command.Recordings }

// Typing reports whether keys are text for the filter.
func (p *Pane) Typing() bool { return p.input.Typing() }

// Type takes a key while the filter is being typed.
func (p *Pane) Type(k tea.KeyPressMsg) (action.Action, bool) {
	taken := p.input.Type(k, command.FilterKeys())
	p.apply()
	return nil, taken
}

// Paste takes pasted text while the filter is being typed.
func (p *Pane) Paste(text string) {
	if p.input.Paste(text) {
		p.apply()
	}
}

func (p *Pane) apply() {
	if words := input.ParseWords(p.input.Value()); !slices.Equal(words, p.words) {
		p.words = words
		p.view.List.Pin(false)
		p.list()
	}
}

// Cursor is the cell of the text cursor while the filter is being typed.
func (p *Pane) Cursor() (x, y int, ok bool) {
	x, ok = p.input.CursorX()
	return x + 1, 1, ok
}

// Do carries out a command.
func (p *Pane) Do(name command.ID) action.Action {
	switch name {
	case command.Back:
		if len(p.words) > 0 {
			p.input.SetValue("")
			p.apply()
			return nil
		}
		return action.Leave{}
	case command.NextPane, command.PreviousPane:
		return action.Leave{Forward: name == command.NextPane}
	case command.FilterRecordings:
		p.input.Open()
		return nil
	case command.SortRecordings:
		p.order = (p.order + 1) % orders
		p.list()
		return nil
	}
	r := p.selected()
	if r == nil {
		return nil
	}
	if command.ApplyScroll(&p.view.List, name) {
		p.catalog.ReadFirst(p.Selected())
		return nil
	}
	switch name {
	case command.OpenRecording:
		if r.Err != nil {
			return action.Flash{Text: "This file is not a recording that can be read: " + r.Err.Error(), Wrong: true}
		}
		return action.OpenRecording{Path: r.Path}
	case command.MarkRecording:
		p.mark(r.Path)
	case command.DiffRecordings:
		return p.diff(r)
	case command.DeleteRecording:
		if r.Live {
			return action.Flash{Text: "This recording is being written.", Wrong: true}
		}
		return action.DeleteRecording{Path: r.Path, What: serverOf(r) + ", " + p.when(r) + ", " + paint.HumanSize(r.Size)}
	case command.CopyRecordingPath:
		return action.Copy{Text: r.Path, What: "path of the recording"}
	}
	return nil
}

// mark marks a recording, or unmarks it.
func (p *Pane) mark(path string) {
	if i := slices.Index(p.marks, path); i >= 0 {
		p.marks = slices.Delete(p.marks, i, i+1)
		return
	}
	p.marks = append(p.marks, path)
}

// diff compares the two recordings that were marked last, or one with the marked one.
func (p *Pane) diff(selected *recordings.Recording) action.Action {
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
		return action.Flash{Text: "Mark a recording with " + command.KeyIn(command.Recordings, command.MarkRecording, false) + ", then select another one to compare."}
	}
	if started(chosen[0]).After(started(chosen[1])) {
		slices.Reverse(chosen)
	}
	var a action.DiffRecordings
	for i, r := range chosen {
		a.Paths[i], a.Names[i] = r.Path, paint.Sanitize(serverOf(r))+", "+p.when(r)
	}
	return a
}

// Click selects a recording, or opens the selected one.
func (p *Pane) Click(x, y int) action.Action {
	switch p.view.Click(x, y) {
	case masterdetail.Again:
		return p.Do(command.OpenRecording)
	case masterdetail.Selected:
		p.catalog.ReadFirst(p.Selected())
	}
	return nil
}

// Scroll turns the wheel by n lines over a cell.
func (p *Pane) Scroll(x, y, n int) { p.view.Scroll(x, y, n) }
