package parts_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/ui/app"
)

// notes is a session with notes.
type notes struct {
	all      []Note
	readOnly bool
	err      error
}

func (s *notes) Notes() []Note  { return slices.Clone(s.all) }
func (s *notes) ReadOnly() bool { return s.readOnly }
func (s *notes) Remove(n Note) error {
	if s.err == nil {
		s.all = slices.DeleteFunc(s.all, func(o Note) bool { return o == n })
	}
	return s.err
}

func TestPage_TheExampleWorks(t *testing.T) {
	s := &notes{all: []Note{{6, "the token is refused"}, {41, "a late \x1b[31mresponse"}, {99, "sent twice"}}}
	prog := panetest.New(t)
	p := New(prog, s)
	prog.Pane = p
	look := func(want ...string) {
		t.Helper()
		p.Refresh(app.Tick{})
		screen := prog.Paint(80, 12, true)
		for _, text := range want {
			if !strings.Contains(screen, text) {
				t.Errorf("no %q in\n%s", text, screen)
			}
		}
	}
	press := func(want string, names ...string) {
		t.Helper()
		if got := prog.Press(names...); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
		p.Refresh(app.Tick{})
	}
	look("Notes", "the token is refused", "sent twice", "#7")
	press("show frame 41", "j", "enter")
	press("copy note: a late ␛[31mresponse", "y")
	press("", "/")
	prog.Type("twice")
	press("", "enter")
	look("#100")
	press("show frame 99", "f4")
	press("", "esc")

	s.readOnly = true
	press("off: The recording is read-only.", "x")
	s.readOnly, s.err = false, errors.New("no space left on device")
	press("fail: Cannot remove the note: no space left on device.", "x")
	s.err = nil
	for range 3 {
		press("", "x")
	}
	look("No notes.")
	press("off: No note is selected.", "y")
}

func TestPage_CommandsWithoutASession(t *testing.T) {
	if got := len(New(nil, nil).Commands()); got != 4 {
		t.Errorf("%d commands", got)
	}
}
