package inspector

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/demo"
	"mcptea/internal/test/raced"
)

// requireSize fails unless a screen has h rows of w cells.
func requireSize(t *testing.T, what, content string, w, h int) {
	t.Helper()
	rows := strings.Split(content, "\n")
	if len(rows) != h {
		t.Fatalf("%s at %dx%d: %d rows", what, w, h, len(rows))
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			t.Fatalf("%s at %dx%d: row %d has %d cells: %q", what, w, h, i, got, ansi.Strip(row))
		}
	}
}

func TestRecordings_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, keys := range [][]string{{"j"}, {"j", "x"}, {"?"}, {"/", "t"}} {
		d := newListDriver(t, 80, 24)
		d.press(keys...)
		for w := 1; w < 220; w += 7 {
			for h := 1; h < 70; h += 5 {
				d.m.Update(tea.WindowSizeMsg{Width: w, Height: h})
				requireSize(t, strings.Join(keys, " "), d.m.View().Content, w, h)
			}
		}
	}
}

// The windows of marks, exports and intercepted frames fit at every size.
func TestWindows_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.term.blind.Store(true) // the emulator has one size
		d.call("echo", `{"message":"one"}`)
		d.call("echo", `{"message":"two"}`)
		each := func(what, keys, closing string) {
			d.press(keys)
			for w := 40; w < 220; w += steps(27, 9) {
				for h := 10; h < 70; h += steps(12, 4) {
					d.program.Send(tea.WindowSizeMsg{Width: w, Height: h})
					d.sleep(1)
					requireSize(t, what, d.model.View().Content, w, h)
				}
			}
			d.program.Send(tea.WindowSizeMsg{Width: 120, Height: 36})
			d.settle()
			d.press(closing)
		}
		each("export", "9<end>X", "<esc>")
		each("diff", "m<up><up>d", "<esc>")
		each("breakpoint", "b", "<ctrl+u>method:tools/call dir:out<enter>")
		each("fault", "Ii", "drop method:ping<enter>")
		d.session.Start("tools/call", []byte(`{"name":"echo","arguments":{"message":"held"}}`))
		d.settle()
		each("held", "I", "")
		each("edit", "e", "<end><backspace>  }<ctrl+s>")
		each("edited", "", "")
		each("respond", "a", "<esc>")
		each("delay", "w", "<esc>F")
	})
}
