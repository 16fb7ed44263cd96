package ui

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/recordings"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	recordingspane "mcptea/ui/pane/recordings"
)

// ChooseRecording shows the list of recordings and returns the path of the one that the
// user opens; empty if the user quits. The recording of the path selected is selected
// first. The error is about the terminal or the options.
func ChooseRecording(ctx context.Context, c *recordings.Catalog, selected string, o Options) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	reading.Go(func() { c.Follow(ctx) })
	s := newRecordings(ctx, c, selected, &o)
	err := s.run(s)
	return s.chosen, err
}

// recordingsScreen is the list of recordings.
type recordingsScreen struct {
	*program
	catalog catalog
	list    *recordingspane.Pane
	chosen  string // path to open
}

// catalog is what the screen needs of a [recordings.Catalog].
type catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

func newRecordings(ctx context.Context, c catalog, selected string, o *Options) *recordingsScreen {
	s := &recordingsScreen{program: newProgram(ctx, o), catalog: c}
	s.list = recordingspane.New(s, recordingspane.Program{Open: s.open, Compare: s.compare, Ask: s.askToDelete}, c, selected)
	s.screen = s
	return s
}

func (s *recordingsScreen) open(path string) {
	s.chosen = path
	s.do(tea.Quit)
}

func (s *recordingsScreen) compare(paths, names [2]string) {
	diff.Open(s, diff.Comparing, diff.Recordings(paths, names))
}

func (s *recordingsScreen) askToDelete(path, what string, yes func()) {
	dialog.Consent{
		Title: "Delete this recording?", Facts: []dialog.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}},
		Yes: "delete", No: "cancel", Accept: yes,
	}.Open(s)
}

// title implements [screen], as does what follows.
func (s *recordingsScreen) title() string            { return "mcptea recordings" }
func (s *recordingsScreen) opened() tea.Cmd          { return nil }
func (s *recordingsScreen) commands() []keys.Command { return nil }
func (s *recordingsScreen) places() []listed         { return nil }
func (s *recordingsScreen) focused() app.Pane        { return s.list }
func (s *recordingsScreen) section() string          { return "list of recordings" }
func (s *recordingsScreen) quit(bool)                { s.do(tea.Quit) }
func (s *recordingsScreen) leave(keys.Motion)        {}
func (s *recordingsScreen) press(int, int)           {}
func (s *recordingsScreen) paste(string)             {}
func (s *recordingsScreen) settle()                  {}
func (s *recordingsScreen) receive(tea.Msg)          {}
func (s *recordingsScreen) changed() <-chan struct{} { return s.catalog.Changed() }

// refresh implements [screen]. The times of day get older.
func (s *recordingsScreen) refresh(t app.Tick) pace {
	return pace{next: moves(s.list.Refresh(t), 10*time.Second)}
}

// paint implements [screen].
func (s *recordingsScreen) paint(c *app.Canvas) []string {
	return append([]string{s.header()}, c.Show(s.list, 0, 1, c.W, c.H-2, true)...)
}

// header is the first row: the directory and what is in it.
func (s *recordingsScreen) header() string {
	p := s.pal
	files, live, size := s.list.Total()
	r := p.Row()
	r.Start(s.w, p.Header)
	if live > 0 {
		r.Right(paint.Span{Style: p.OK, Text: p.Dot + " " + paint.HumanCount(live) + " live "})
	}
	r.Gap(1)
	r.Put(p.AccentBold, "mcptea")
	r.Gap(2)
	r.Put(p.Strong, "recordings")
	r.Gap(2)
	r.Put(p.Text, paint.Plural(files, "file")+", "+paint.HumanSize(size))
	r.Gap(2)
	r.Put(p.Muted, s.catalog.Dir())
	return r.String()
}
