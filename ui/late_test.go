package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// What is ready late neither replaces a window in which the user types, nor takes the
// keys from a text field.
func TestLate_WaitsForTheUser(t *testing.T) {
	for name, c := range map[string]struct {
		msg  tea.Msg
		done func(d *driver) bool // the result is on show
	}{
		"a tab":         {nil, func(d *driver) bool { return d.model.tabs[d.model.activeTab].ID == tabIntercept }},
		"a large frame": {nil, func(d *driver) bool { return d.model.composerOpen }},
		"frames of a tap": {nil, func(d *driver) bool {
			return strings.Contains(d.term.screen(), "─ Breakpoint ─")
		}},
	} {
		for _, place := range []string{"a window", "a field"} {
			drive(t, 120, 40, demo.Options{}, func(d *driver) {
				switch name {
				case "a large frame":
					c.msg = done(func() { d.model.later(func() { d.model.ComposeFrame([]byte(`{}`)) }) })
				case "a tab":
					c.msg = done(func() { d.model.later(func() { d.model.ShowTab(tabIntercept) }) })
				case "frames of a tap":
					c.msg = done(func() { d.model.later(d.model.intercept.AddBreakpoint) })
				}
				if place == "a window" {
					d.within(func() {
						d.model.wire.frames.Note(0)
						d.model.dirty = true
					})
				} else {
					d.press("2<enter>")
				}
				d.press("my long text")
				d.program.Send(c.msg)
				d.settle()
				if c.done(d) {
					t.Errorf("%s, in %s: it took the place of what the user types", name, place)
				}
				d.sees("my long text", "A result is ready. It is shown when you have finished here.")
				d.press("!")
				d.sees("my long text!")
				d.press("<esc>")
				if !c.done(d) {
					t.Errorf("%s, in %s: it is not shown afterwards:\n%s", name, place, d.term.screen())
				}
			})
		}
	}
}

func TestLate_Bound(t *testing.T) {
	drive(t, 120, 40, demo.Options{}, func(d *driver) {
		d.within(func() {
			d.model.wire.frames.Note(0)
			d.model.dirty = true
		})
		ran := ""
		d.within(func() {
			for i := range maxLate + 1 {
				if i == maxLate && len(d.model.late) != maxLate {
					t.Errorf("%d results wait", len(d.model.late))
				}
				d.model.later(func() { ran += fmt.Sprint(i, " ") })
			}
			if len(d.model.late) != maxLate {
				t.Errorf("%d results wait", len(d.model.late))
			}
		})
		d.press("<esc>")
		for range maxLate {
			d.press("<down>")
		}
		if ran != "1 2 3 4 5 6 7 8 " {
			t.Errorf("ran %s", ran)
		}
	})
}

// The earlier call of a comparison may be one whose response has another form.
func TestDiffEarlier_OfLists(t *testing.T) {
	lists := 0
	serve := sessiontest.Scripted(func(method, id string) string {
		switch method {
		case "initialize":
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`
		case "tools/list":
			if lists++; lists == 2 {
				return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"no"}}`
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[]}}`
		}
		return ""
	})
	driveServer(t, 120, 40, serve, func(d *driver) {
		for range 2 {
			d.session.Start("tools/list", nil)
			d.settle()
		}
		var failed, last int32 = -1, -1
		s := d.session.Store()
		for i := range int32(s.Snapshot().Rows) {
			switch r, _ := s.Row(i); {
			case s.Method(r.Method) != "tools/list":
			case r.Kind == jsonrpc.ErrorResponse:
				failed = i
			case r.Kind == jsonrpc.Response:
				last = i
			}
		}
		d.within(func() { d.model.diffRows(failed, last) })
		d.sees("Compare", fmt.Sprintf("A  #%d", failed+1), fmt.Sprintf("B  #%d", last+1))
		d.press("[")
		d.sees("Compare", "No differences")
		d.lacks(fmt.Sprintf("A  #%d", failed+1))
	})
}
