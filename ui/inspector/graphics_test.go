package inspector

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi/kitty"

	"mcptea/demo"
	"mcptea/ui/terminal"
)

// A picture is drawn by the terminal once that has said that it can, and with half
// blocks until then.
func TestPicture_KittyGraphics(t *testing.T) {
	drive(t, 110, 50, demo.Options{}, func(d *driver) {
		d.within(func() {
			d.model.Pictures = terminal.NewPictureScreen(d.model.Draw)
			d.model.Retheme()
		})
		d.press("4/picture<enter><enter><enter>")
		d.settle()
		d.sees("▀")
		raw := func() string {
			d.term.mu.Lock()
			defer d.term.mu.Unlock()
			return d.term.raw.String()
		}
		if !strings.Contains(raw(), "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\") {
			t.Fatal("the terminal is not asked")
		}
		for _, msg := range []tea.Msg{
			uv.KittyGraphicsEvent{Options: kitty.Options{ID: 31}, Payload: []byte("OK")},
			tea.TerminalVersionMsg{Name: "kitty(0.40.0)"},
			uv.CellSizeEvent{Width: 10, Height: 20},
			uv.PrimaryDeviceAttributesEvent{62},
		} {
			d.program.Send(msg)
		}
		d.settle()
		d.settle()
		out := raw()
		if !strings.Contains(out, "\x1b_Gf=100,q=2,i=5063425;") || !strings.Contains(out, "\x1b_Ga=p,U=1,i=5063425,p=1,") {
			t.Fatal("the picture is not sent")
		}
		first := "38;2;77;67;1m" + string(kitty.Placeholder) + string(kitty.Diacritic(0)) + string(kitty.Diacritic(0)) + string(kitty.Placeholder) + string(kitty.Diacritic(0)) + string(kitty.Diacritic(1))
		if !strings.Contains(out, first) {
			t.Error("the cells of the picture are not written")
		}
		d.lacks("▀")
		for _, row := range strings.Split(d.term.screen(), "\n") {
			if strings.ContainsRune(row, kitty.Placeholder) && !strings.HasSuffix(row, "│") {
				t.Errorf("the border is not where it was: %q", row)
			}
		}
	})
}
