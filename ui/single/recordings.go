package single

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/phrase"
	"mcptea/record/recordings"
	"mcptea/record/statistics"
	"mcptea/session/question"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	recordingspane "mcptea/ui/pane/recordings"
	statisticspane "mcptea/ui/pane/statistics"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

// A ChosenRecording is the user's choice in the list of recordings.
type ChosenRecording struct {
	Path   string // empty if the user quits
	Filter string // initial filter of its frames
	Failed bool   // it was chosen in the statistics to show the failed calls
}

// ChooseRecording shows the list of recordings on a terminal and returns the recording that the user
// opens. The previous choice is selected initially. sections returns the commands of all screens. The
// error is about the terminal or the options.
func ChooseRecording(ctx context.Context, h *sessions.Host, c *recordings.Catalog, before ChosenRecording, o program.Options, sections func() ([]keys.Section, error)) (ChosenRecording, error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	s := NewRecordings(ctx, c, before.Path, &o, sections)
	if before.Failed {
		s.showStatistics()
	}
	if err := s.Prepare(); err != nil {
		return ChosenRecording{}, err
	}
	reading.Go(func() { c.Follow(ctx) })
	err := h.Show(s.Program)
	return s.Chosen, err
}

// RecordingsScreen is the list of recordings. Its ages are updated.
type RecordingsScreen struct {
	single
	List       *recordingspane.Pane
	statistics *statisticspane.Pane
	Chosen     ChosenRecording
}

// Catalog is the part of [recordings.Catalog] that the screen uses.
type Catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

// NewRecordings returns the list of the recordings of a catalog; [ChooseRecording] shows it.
func NewRecordings(ctx context.Context, c Catalog, selected string, o *program.Options, sections func() ([]keys.Section, error)) *RecordingsScreen {
	s := &RecordingsScreen{single: single{Program: program.New(ctx, o, sections), name: "mcptea recordings", news: c.Changed(), ages: 10 * time.Second}}
	s.List = recordingspane.New(s, recordingspane.Program{
		Open: func(path string) {
			s.choose(ChosenRecording{Path: path})
		},
		Statistics: s.showStatistics,
		Compare:    func(paths, names [2]string) { diff.Open(s, diff.Comparing, diff.Recordings(paths, names)) },
		Ask: func(path, what string, yes func()) {
			dialog.Consent{
				Title: "Delete this recording?", Text: question.Text{Facts: []question.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}}},
				Yes: "delete", No: "cancel", Accept: yes,
			}.Open(s)
		},
	}, c, selected)
	s.statistics = statisticspane.New(s, statisticspane.Program{
		Read: func(ctx context.Context, since time.Time, progress func(done, of int)) (statistics.Total, error) {
			return statistics.Read(ctx, c.Dir(), since, progress)
		},
		Open: func(path, filter string) { s.choose(ChosenRecording{path, filter, true}) },
		Name: s.List.NameOf,
		List: func() { s.Pane = s.List },
	})
	s.Pane = s.List
	s.header = func(r *paint.Row, p *paint.Palette) {
		files, live, size := s.List.Total()
		if live > 0 {
			r.Right(paint.Span{Style: p.OK, Text: p.Dot + " " + phrase.Digits(live) + " live "})
		}
		r.Gap(1)
		r.Put(p.AccentBold, "mcptea")
		r.Gap(2)
		r.Put(p.Strong, "recordings")
		r.Gap(2)
		r.Put(p.Text, phrase.Count(files, "file")+", "+phrase.Size(size))
		r.Gap(2)
		r.Put(p.Muted, c.Dir())
	}
	s.Screen = s
	return s
}

func (s *RecordingsScreen) choose(r ChosenRecording) {
	s.Chosen = r
	s.statistics.Stop()
	s.Do(tea.Quit)
}

// showStatistics shows the statistics of all recordings. They are computed when they are first shown, and when
// the user requests it again.
func (s *RecordingsScreen) showStatistics() {
	s.Pane = s.statistics
	s.statistics.Show()
}
