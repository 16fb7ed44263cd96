package inspector

import (
	"context"
	"fmt"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/explain/card"
	"mcptea/ui/app"
	"mcptea/ui/program"
)

var _ = raced.Also(TestLate_WaitsForTheUser, TestLate_OneResult, TestLate_Bound)

// What is ready late neither replaces a window in which the user types, nor takes the
// keys from a text field, whatever it asks of the program.
func TestLate_WaitsForTheUser(t *testing.T) {
	type route struct {
		stop
		composer bool
		window   app.Dialog
	}
	at := func(d *driver) route { return route{d.model.here(), d.model.composerOpen, d.model.Window()} }
	for name, come := range map[string]func(a app.App){
		"a tab":                func(a app.App) { a.ShowTab(tabIntercept) },
		"a frame":              func(a app.App) { a.ShowFrame(0) },
		"a place in a frame":   func(a app.App) { a.ShowPlace(0, "", -1) },
		"a request to compose": func(a app.App) { a.Compose("ping", "{}") },
		"a frame to compose":   func(a app.App) { a.ComposeFrame([]byte(`{}`)) },
		"a window":             func(a app.App) { a.Explain(card.Card{Key: "K001", What: []string{"It came late."}}) },
	} {
		for _, where := range []string{"a window", "a field"} {
			drive(t, 120, 40, demo.Options{}, func(d *driver) {
				if where == "a window" {
					d.within(func() {
						d.model.views.frames.Note(0)
						d.model.Retheme()
					})
				} else {
					d.press("2<enter>")
				}
				d.press("my long text")
				before := at(d)
				d.within(func() {
					d.model.Go(func(context.Context) func() { return func() { come(d.model.app()) } })
				})
				d.settle()
				if at(d) != before {
					t.Errorf("%s, in %s: it took the place of what the user types", name, where)
				}
				d.sees("my long text", "A result is ready. It is shown when you have finished here.")
				d.press("!")
				d.sees("my long text!")
				d.press("<esc>")
				before.window = nil
				if at(d) == before {
					t.Errorf("%s, in %s: it is not shown afterwards:\n%s", name, where, d.term.screen())
				}
			})
		}
	}
}

// All that one result leads to comes at once.
func TestLate_OneResult(t *testing.T) {
	drive(t, 120, 40, demo.Options{}, func(d *driver) {
		d.press("2<enter>my long text")
		d.within(func() {
			d.model.Go(func(context.Context) func() {
				return func() {
					d.model.ShowTab(tabIntercept)
					d.model.Explain(card.Card{Key: "K001", What: []string{"It came late."}})
				}
			})
		})
		d.settle()
		d.lacks("It came late.")
		d.press("<esc>")
		d.sees("It came late.", "Intercept")
	})
}

func TestLate_Bound(t *testing.T) {
	drive(t, 120, 40, demo.Options{}, func(d *driver) {
		d.within(func() {
			d.model.views.frames.Note(0)
			d.model.Retheme()
		})
		ran := ""
		d.within(func() {
			for i := range program.MaxLate + 1 {
				if i == program.MaxLate && d.model.Late() != program.MaxLate {
					t.Errorf("%d results wait", d.model.Late())
				}
				d.model.Update(program.Done(func() { d.model.Turn(func() { ran += fmt.Sprint(i, " ") }) }))
			}
			if d.model.Late() != program.MaxLate {
				t.Errorf("%d results wait", d.model.Late())
			}
		})
		d.press("<esc>")
		for range program.MaxLate {
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
