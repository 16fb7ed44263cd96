package single

import (
	"context"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/internal/words/phrase"
	"mcptea/session/question/consent"
	"mcptea/session/record/recordings"
	"mcptea/ui/dialog"
	"mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	recordingspane "mcptea/ui/pane/recordings"
	"mcptea/ui/program"
	"mcptea/ui/sessions"
)

// ChooseRecording shows the list of recordings on a terminal and returns the path of the one that the
// user opens; empty if the user quits. The recording of the path selected is selected
// first. sections are the commands of all screens. The error is about the terminal or the
// options.
func ChooseRecording(ctx context.Context, h *sessions.Host, c *recordings.Catalog, selected string, o program.Options, sections func() ([]keys.Section, error)) (string, error) {
	ctx, stop := context.WithCancel(ctx)
	var reading sync.WaitGroup
	defer reading.Wait()
	defer stop()
	s := NewRecordings(ctx, c, selected, &o, sections)
	if err := s.Prepare(); err != nil {
		return "", err
	}
	reading.Go(func() { c.Follow(ctx) })
	err := h.Show(s.Program)
	return s.Chosen, err
}

// RecordingsScreen is the list of recordings. The times of day get older.
type RecordingsScreen struct {
	single
	List   *recordingspane.Pane
	Chosen string // path to open
}

// Catalog is what the screen needs of a [recordings.Catalog].
type Catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

// NewRecordings returns the list of the recordings of a catalog; [ChooseRecording] shows it.
func NewRecordings(ctx context.Context, c Catalog, selected string, o *program.Options, sections func() ([]keys.Section, error)) *RecordingsScreen {
	s := &RecordingsScreen{single: single{Program: program.New(ctx, o, sections), name: "mcptea recordings", news: c.Changed(), ages: 10 * time.Second}}
	s.List = recordingspane.New(s, recordingspane.Program{
		Open: func(path string) {
			s.Chosen = path
			s.Do(tea.Quit)
		},
		Compare: func(paths, names [2]string) { diff.Open(s, diff.Comparing, diff.Recordings(paths, names)) },
		Ask: func(path, what string, yes func()) {
			dialog.Consent{
				Title: "Delete this recording?", Text: consent.Text{Facts: []consent.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}}},
				Yes: "delete", No: "cancel", Accept: yes,
			}.Open(s)
		},
	}, c, selected)
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
