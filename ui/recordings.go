package ui

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
	s := newRecordings(ctx, c, selected, &o)
	if err := s.prepare(); err != nil {
		return "", err
	}
	reading.Go(func() { c.Follow(ctx) })
	err := s.run(s)
	return s.chosen, err
}

// recordingsScreen is the list of recordings. The times of day get older.
type recordingsScreen struct {
	single
	list   *recordingspane.Pane
	chosen string // path to open
}

// catalog is what the screen needs of a [recordings.Catalog].
type catalog interface {
	recordingspane.Catalog
	Changed() <-chan struct{}
}

func newRecordings(ctx context.Context, c catalog, selected string, o *Options) *recordingsScreen {
	s := &recordingsScreen{single: single{program: newProgram(ctx, o, o.sections), name: "mcptea recordings", news: c.Changed(), ages: 10 * time.Second}}
	s.list = recordingspane.New(s, recordingspane.Program{
		Open: func(path string) {
			s.chosen = path
			s.do(tea.Quit)
		},
		Compare: func(paths, names [2]string) { diff.Open(s, diff.Comparing, diff.Recordings(paths, names)) },
		Ask: func(path, what string, yes func()) {
			dialog.Consent{
				Title: "Delete this recording?", Text: consent.Text{Facts: []consent.Fact{{Label: "recording", Text: what}, {Label: "file", Text: path}}},
				Yes: "delete", No: "cancel", Accept: yes,
			}.Open(s)
		},
	}, c, selected)
	s.pane = s.list
	s.header = func(r *paint.Row, p *paint.Palette) {
		files, live, size := s.list.Total()
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
	s.screen = s
	return s
}
