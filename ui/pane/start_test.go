package pane_test

import (
	"context"
	"fmt"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/ui/pane/start"
)

// held keeps the work of the pane until the test has it done.
type held struct {
	*panetest.Program
	work []func(context.Context) func()
}

func (h *held) Go(work func(context.Context) func()) { h.work = append(h.work, work) }

func (h *held) done() {
	work := h.work
	h.work = nil
	for _, w := range work {
		if done := w(h.T.Context()); done != nil {
			done()
		}
	}
}

// A slow file system is not asked about each key that is typed.
func TestStart_FewMeaningsAreLookedUpAtATime(t *testing.T) {
	h := &held{Program: panetest.New(t)}
	var asked []string
	p := start.New(h, start.Options{Meaning: func(text string) []start.Entry { asked = append(asked, text); return nil }})
	h.Pane = p
	const maxAsking = 4
	typed := ""
	for i := range 3 * maxAsking {
		h.Type(fmt.Sprint(i % 10))
		typed += fmt.Sprint(i % 10)
	}
	if len(h.work) != maxAsking {
		t.Errorf("%d lines are looked up at a time, want %d", len(h.work), maxAsking)
	}
	for len(h.work) > 0 {
		h.done()
	}
	if asked[len(asked)-1] != typed {
		t.Errorf("the meaning of %q was asked for last, want %q", asked[len(asked)-1], typed)
	}
}
