package inspector

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/demo"
)

// wheel turns the wheel by one notch over a cell.
func (d *driver) wheel(x, y int, b tea.MouseButton) {
	d.program.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
	d.settle()
}

// While a form has the focus the wheel over the list beside it scrolls the list: what is typed next goes to the same
// field. The list shows the selected item again when it has the focus, and then the wheel selects.
func TestWheel_LeavesTheForm(t *testing.T) {
	drive(t, 120, 24, demo.Options{}, func(d *driver) {
		d.press("2<enter>half typed")
		d.sees("┬─ echo ─", "│   add  ", " more ─")
		_, y := d.at(" more ─")
		d.wheel(20, y-2, tea.MouseWheelDown)
		d.press("XYZ")
		d.sees("┬─ echo ─", "half typedXYZ")
		d.lacks("│   add  ")
		for range 20 {
			d.wheel(20, y-2, tea.MouseWheelDown)
		}
		d.sees("─ ↑ 20 more ─") // and nothing below
		d.press("<backspace>")
		d.sees("┬─ echo ─", "half typedXY ")
		d.press("<esc>")
		d.sees("┬─ echo ─", "▌  echo", " more ─")
		d.wheel(20, y-2, tea.MouseWheelDown)
		d.sees("┬─ weather ─")
	})
}

// So it is in prompts, whose list has room for all of them, and the button of a list that has no room pages it.
func TestWheel_LeavesOtherForms(t *testing.T) {
	drive(t, 120, 24, demo.Options{}, func(d *driver) {
		d.press("4<down><enter>half")
		_, y := d.at("Prompts ─")
		d.wheel(20, y+5, tea.MouseWheelDown)
		d.press(" way")
		d.sees("┬─ greeting ─", "half way")
		d.press("<esc>")
		d.press("2<enter>half typed")
		x, y := d.at(" more ─")
		d.click(x, y)
		d.settle()
		d.lacks("│   add  ")
		d.press("XYZ")
		d.sees("┬─ echo ─", "half typedXYZ")
	})
}

// While the text of the composer has the focus the wheel over Break it scrolls that list: the text is sent
// unchanged.
func TestWheel_BreaksNothing(t *testing.T) {
	drive(t, 120, 24, demo.Options{}, func(d *driver) {
		d.press("c")
		x, y := d.at("as it is")
		for range 3 {
			d.wheel(x, y, tea.MouseWheelDown)
		}
		d.lacks("as it is")
		d.press("<ctrl+s>")
		if sent := d.lastSent(); !strings.Contains(sent, `"jsonrpc":"2.0"`) || !strings.HasSuffix(sent, "}") {
			t.Errorf("sent %q", sent)
		}
	})
}
