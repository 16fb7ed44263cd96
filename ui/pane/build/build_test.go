package build

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/session"
	"mcptea/session/watch"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

func screen(t *testing.T, p *Pane, w, h int) string {
	t.Helper()
	rows := p.Paint(paint.NewPalette(themes.ForBackground(true), false), paint.JSONStyles{}, w, h, true)
	if len(rows) != h {
		t.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			t.Errorf("row %d has %d cells, want %d", i, ansi.StringWidth(row), w)
		}
	}
	return ansi.Strip(strings.Join(rows, "\n"))
}

func TestPane(t *testing.T) {
	p := New()
	p.SetState(watch.State{})
	if p.Failed() || !strings.Contains(screen(t, p, 80, 10), "No build has failed yet.") {
		t.Error("there is a failure before the first build")
	}
	p.SetState(watch.State{Phase: watch.Broken, Saved: "main.go saved", Build: &watch.Build{
		Command: "go build .", Err: errors.New("exit status 1"), Took: 1200 * time.Millisecond,
		Output: []byte("# tracker\n\x1b[31m./main.go:12:3: undefined: x\x1b[0m\n\tnote\n./other.go:3:1: bad\x1b]0;title\x07\n"),
		Places: []watch.Place{{File: "./main.go", Line: 12, Column: 3, Text: "undefined: x", Row: 1}, {File: "./other.go", Line: 3, Column: 1, Text: "bad", Row: 3}},
	}})
	p.Refresh(session.State{Attempt: 1}, nil, time.Time{}, 0)
	for _, size := range [][2]int{{80, 24}, {120, 12}, {200, 60}, {30, 6}} {
		if text := screen(t, p, size[0], size[1]); size[0] >= 80 && (!strings.Contains(text, "Build failed  go build .") ||
			!strings.Contains(text, "▌./main.go:12:3: undefined: x") || !strings.Contains(text, "main.go saved  2 messages name a place; exit status 1")) {
			t.Errorf("%v:\n%s", size, text)
		}
	}
	if p.Badge() != "2" {
		t.Errorf("badge %q", p.Badge())
	}
	open := func(file string, line int) {
		t.Helper()
		if a, ok := p.Do(command.OpenPlace).(action.OpenFile); !ok || a.Path != file || a.Line != line {
			t.Errorf("%+v, want %s:%d", a, file, line)
		}
	}
	open("./main.go", 12)
	p.Do(command.Down) // a line of the first message
	open("./main.go", 12)
	p.Do(command.NextPlace)
	open("./other.go", 3)
	p.Do(command.NextPlace)
	open("./other.go", 3)
	p.Do(command.LastPlace)
	open("./main.go", 12)
	p.SetState(watch.State{Build: &watch.Build{}})
	if p.Failed() || p.Badge() != "" {
		t.Error("a build that passed counts as a failure")
	}
}

func TestPane_NoPlaces(t *testing.T) {
	p := New()
	p.SetState(watch.State{Build: &watch.Build{Command: "make", Err: errors.New("exit status 2")}})
	if text := screen(t, p, 80, 10); !strings.Contains(text, "the command failed: exit status 2") || !strings.Contains(text, "The server starts when the build passes.") {
		t.Error(text)
	}
	if _, ok := p.Do(command.OpenPlace).(action.Flash); !ok || p.Works(command.OpenPlace) {
		t.Error("there is something to open")
	}
}
