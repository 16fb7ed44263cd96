package terminal

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
)

// drawnFields are the fields of a view that the screen draws: what sets one, what the terminal gets for it, and
// what takes it back.
var drawnFields = map[string]struct {
	set     func(v *tea.View)
	on, off string
}{
	"Content":       {func(v *tea.View) { v.Content = "the content" }, "the content", ansi.ResetModeAltScreenSaveCursor},
	"Cursor":        {func(v *tea.View) { v.Cursor = tea.NewCursor(1, 1) }, ansi.ShowCursor, ansi.ShowCursor},
	"WindowTitle":   {func(v *tea.View) { v.WindowTitle = "a title" }, ansi.SetWindowTitle("a title"), ansi.SetWindowTitle("")},
	"ProgressBar":   {func(v *tea.View) { v.ProgressBar = tea.NewProgressBar(tea.ProgressBarDefault, 40) }, ansi.SetProgressBar(40), ansi.ResetProgressBar},
	"ProgramStatus": {func(v *tea.View) { v.ProgramStatus = &tea.ProgramStatus{State: tea.ProgramStateWorking, ID: "one"} }, "\x1b]7501;state=working:id=one\a", ansi.ClearProgramStatusID("one")},
	"AltScreen":     {func(*tea.View) {}, ansi.SetModeAltScreenSaveCursor, ansi.ResetModeAltScreenSaveCursor},
	"ReportFocus":   {func(v *tea.View) { v.ReportFocus = true }, ansi.SetModeFocusEvent, ansi.ResetModeFocusEvent},
	"MouseMode":     {func(v *tea.View) { v.MouseMode = tea.MouseModeCellMotion }, ansi.SetModeMouseButtonEvent, ansi.ResetModeMouseButtonEvent},
}

// unusedFields are those that the screen does not draw, for which no program sets them.
var unusedFields = []string{"OnMouse", "BackgroundColor", "ForegroundColor", "DisableBracketedPasteMode", "KeyboardEnhancements"}

// shownBy draws a view once before was visible for a while.
func shownBy(draw func(tea.View)) func(tea.View) {
	return func(v tea.View) {
		time.Sleep(2 * frameTime)
		draw(v)
		time.Sleep(2 * frameTime)
	}
}

// Each field of a view is drawn and taken back, or is set nowhere.
func TestView_NoFieldIsLost(t *testing.T) {
	unused := map[string]bool{}
	for _, name := range unusedFields {
		unused[name] = true
	}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[tea.View]()) {
		f, drawn := drawnFields[field.Name]
		if drawn == unused[field.Name] {
			t.Errorf("tea.View.%s: the screen has to draw it, or no program may set it", field.Name)
		}
		if !drawn {
			continue
		}
		onScreen(t, 20, 4, func(o *output, s *Screen, draw func(tea.View)) {
			show := shownBy(draw)
			show(tea.View{})
			if field.Name != "AltScreen" { // which is on from the first view on
				o.taken()
			}
			var v tea.View
			f.set(&v)
			show(v)
			if got := o.taken(); !strings.Contains(got, f.on) {
				t.Errorf("%s: the terminal gets %q, want %q in it", field.Name, got, f.on)
			}
			s.release()
			if got := o.taken(); !strings.Contains(got, f.off) {
				t.Errorf("%s is not taken back: %q, want %q in it", field.Name, got, f.off)
			}
			s.takeOver()
			show(v) // as after an editor
			if got := o.taken(); !strings.Contains(got, f.on) {
				t.Errorf("%s is lost after the terminal was lent: %q", field.Name, got)
			}
		})
	}
	sets := regexp.MustCompile(`\b(?:` + strings.Join(unusedFields, "|") + `)\s*(?:=[^=]|:)`)
	_ = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			if sets.MatchString(line) {
				t.Errorf("%s:%d sets a field that the screen does not draw: %s", path, i+1, strings.TrimSpace(line))
			}
		}
		return nil
	})
}

// The status of a program is written when it changes, and not with each view; another id clears that before.
func TestView_StatusIsWrittenOnce(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, _ *Screen, draw func(tea.View)) {
		show := shownBy(draw)
		status := func(id string) *tea.ProgramStatus {
			return &tea.ProgramStatus{State: tea.ProgramStateIdle, ID: id}
		}
		show(tea.View{ProgramStatus: status("one")})
		o.taken()
		show(tea.View{ProgramStatus: status("one"), Content: "x"})
		if got := o.taken(); strings.Contains(got, "7501") {
			t.Errorf("written again: %q", got)
		}
		show(tea.View{ProgramStatus: status("two"), Content: "x"})
		if got := o.taken(); !strings.Contains(got, ansi.ClearProgramStatusID("one")) || !strings.Contains(got, "id=two") {
			t.Errorf("another program: %q", got)
		}
	})
}
