package pane_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcptea/internal/test/panetest"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/build"
)

func buildOpen(t *testing.T) (*panetest.Program, *build.Pane) {
	program := panetest.New(t)
	p := build.New(program)
	program.Pane = p
	return program, p
}

func TestBuild(t *testing.T) {
	fx, p := buildOpen(t)
	p.SetState(watch.State{})
	if got := fx.Press("y"); got != "off: No build has failed." {
		t.Error(got)
	}
	if p.Failed() || !strings.Contains(fx.Paint(80, 10, true), "No build has failed yet.") {
		t.Error("there is a failure before the first build")
	}
	p.SetState(watch.State{Phase: watch.Broken, Saved: "main.go saved", Build: &watch.Build{
		Command: "go build .", Err: errors.New("exit status 1"), Took: 1200 * time.Millisecond,
		Output: []byte("# tracker\n\x1b[31m./main.go:12:3: undefined: x\x1b[0m\n\tnote\n./other.go:3:1: bad\x1b]0;title\x07\n"),
		Places: []watch.Place{{File: "./main.go", Line: 12, Text: "undefined: x", Row: 1}, {File: "./other.go", Line: 3, Text: "bad", Row: 3}},
	}})
	p.Refresh(app.Tick{State: session.State{Attempt: 1}})
	for _, size := range [][2]int{{80, 24}, {120, 12}, {200, 60}, {30, 6}} {
		if text := fx.Paint(size[0], size[1], true); size[0] >= 80 && (!strings.Contains(text, "Build failed  go build .") ||
			!strings.Contains(text, "▌./main.go:12:3: undefined: x") || !strings.Contains(text, "main.go saved  2 messages have a file and a line; exit status 1")) {
			t.Errorf("%v:\n%s", size, text)
		}
	}
	if p.Badge() != "2" {
		t.Errorf("badge %q", p.Badge())
	}
	for _, step := range []struct{ key, want string }{
		{"enter", "open ./main.go:12"},
		{"j", ""}, // a line of the first message
		{"enter", "open ./main.go:12"},
		{"n", ""},
		{"enter", "open ./other.go:3"},
		{"n", "say: No more places in this direction."},
		{"enter", "open ./other.go:3"},
		{"N", ""},
		{"N", "say: No more places in this direction."},
		{"o", "open ./main.go:12"},
	} {
		if got := fx.Press(step.key); got != step.want {
			t.Errorf("%s: %q, want %q", step.key, got, step.want)
		}
	}
	if got := fx.Press("y"); !strings.Contains(got, "copy output of the build: # tracker\n\x1b[31m./main.go") {
		t.Errorf("y: %q", got)
	}
	fx.Paint(80, 24, true)
	fx.Screen.Click(5, 7)
	fx.Screen.Click(5, 7)
	if got := fx.Asked[len(fx.Asked)-1]; got != "open ./other.go:3" {
		t.Errorf("a click on the selected line: %q", got)
	}
	p.SetState(watch.State{Build: &watch.Build{}})
	if p.Failed() || p.Badge() != "" {
		t.Error("a build that passed counts as a failure")
	}
}

func TestBuild_NoPlaces(t *testing.T) {
	fx, p := buildOpen(t)
	p.SetState(watch.State{Build: &watch.Build{Command: "make", Err: errors.New("exit status 2")}})
	if text := fx.Paint(80, 10, true); !strings.Contains(text, "the command failed: exit status 2") || !strings.Contains(text, "The server starts when the build passes.") {
		t.Error(text)
	}
	for _, key := range []string{"enter", "n", "N"} {
		if got := fx.Press(key); got != "off: The output names no source file." {
			t.Errorf("%s: %q", key, got)
		}
	}
}
