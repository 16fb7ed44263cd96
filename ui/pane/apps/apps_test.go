package apps

import (
	"context"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/apps"
	"mcptea/session/session"
	"mcptea/ui/app"
)

// open is the pane on a server with two tools that have an app, and one without. filtered is
// what the pane shows in Traffic.
type open struct {
	*panetest.Program
	pane     *Pane
	dark     bool
	filtered string
}

func opened(t *testing.T) *open {
	t.Helper()
	tool := func(name, meta string) string {
		return `{"name":"` + name + `","inputSchema":{"type":"object"}` + meta + `}`
	}
	has := `,"_meta":{"ui":{"resourceUri":"ui://test/app"}}`
	serve := sessiontest.Scripted(func(method, id string) string {
		result := "{}"
		switch method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{}},"serverInfo":{"name":"test","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + tool("map", has) + "," + tool("chart", has) + "," + tool("plain", "") + `]}`
		case "resources/read":
			result = `{"contents":[{"uri":"ui://test/app","mimeType":"text/html;profile=mcp-app","text":"<!doctype html>","_meta":{"ui":{"permissions":{"camera":{}}}}}]}`
		case "tools/call":
			result = `{"content":[{"type":"text","text":"done"}]}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
	s, err := session.Open(session.Config{
		Target: client.Target{Argv: []string{"test-server"}}, Record: "off", Lists: client.ListKinds, Dial: sessiontest.Dial(serve),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := &open{Program: panetest.New(t), dark: true}
	o.pane = New(o, s, Host{
		Dark: func() bool { return o.dark }, Filter: func(text string) { o.filtered = text },
		OpenLink: func(context.Context, string) error { return nil },
		Save:     func(string, []byte) (string, error) { return "", nil },
	})
	o.Pane = o.pane
	t.Cleanup(func() { o.pane.Close(context.Background()) })
	return o
}

// refresh has the pane look at its apps.
func (o *open) refresh() { o.pane.Refresh(app.Tick{Now: time.Now()}) }

func (o *open) sees(t *testing.T, texts ...string) {
	t.Helper()
	o.refresh()
	o.Sees(texts...)
}

// on selects a row of the list by its key.
func (o *open) on(t *testing.T, key string) {
	t.Helper()
	o.refresh()
	o.pane.Select(key)
	if r, ok := o.pane.Selected(); !ok || r.key != key {
		t.Fatalf("no row %q", key)
	}
	o.refresh()
}

// Without an app the pane is absent, says how to open one, and each of its keys why it does
// nothing.
func TestPane_NoApp(t *testing.T) {
	o := opened(t)
	if o.pane.Present() || o.pane.Badge() != "" {
		t.Errorf("present: %v, badge %q", o.pane.Present(), o.pane.Badge())
	}
	o.sees(t, "No app is open.", "mcptea app TOOL TARGET")
	for _, key := range []string{"r", "o", "x", "y", "f4"} {
		if asked := o.Press(key); asked != "off: "+notOpen {
			t.Errorf("%s asked %q", key, asked)
		}
	}
}

// An app that is opened is the newest of the list, and its page is opened in the browser. A
// tool without an app is an error.
func TestPane_Open(t *testing.T) {
	o := opened(t)
	o.pane.Open("plain", []byte("{}"), nil)
	if last := o.Asked[len(o.Asked)-1]; !strings.HasPrefix(last, "fail: ") || o.pane.Present() {
		t.Errorf("a tool without an app: %q", last)
	}
	o.Asked = nil
	o.pane.Open("map", []byte("{}"), nil)
	url := o.pane.state().URL
	if got, want := strings.Join(o.Asked, "; "), "say: reading the app of map; show tab.apps; open "+url; got != want {
		t.Errorf("asked %q, want %q", got, want)
	}
	o.sees(t, "map", "waits for the browser", "theme", "dark", "tool-input", "camera", "declares no csp")
	if o.pane.Badge() != "1" {
		t.Errorf("the badge is %q", o.pane.Badge())
	}
	if asked := o.Press("y"); asked != "copy URL of the app: "+url {
		t.Errorf("y asked %q", asked)
	}
	if asked := o.Press("o"); asked != "open "+url {
		t.Errorf("o asked %q", asked)
	}
	o.Press("f4")
	if !strings.HasPrefix(o.filtered, "conn:") {
		t.Errorf("the filter is %q", o.filtered)
	}
	o.pane.Open("chart", []byte("{}"), nil)
	if asked := o.Press("y"); asked == "copy URL of the app: "+url {
		t.Error("after another app was opened y copies the URL of the earlier one")
	}
	o.refresh()
	if screen := o.Paint(o.W, o.H, true); strings.Index(screen, "chart") > strings.Index(screen, " map ") || o.pane.Badge() != "2" {
		t.Errorf("the newest app is not the first:\n%s", screen)
	}
}

// enter changes a setting of the host to the next value; on a row that is neither a setting
// nor a message it says what to select.
func TestPane_Settings(t *testing.T) {
	o := opened(t)
	o.dark = false
	o.pane.Open("map", []byte("{}"), nil)
	if asked := o.Press("enter"); asked != "off: Select a setting, or a message to send." {
		t.Errorf("enter on the app asked %q", asked)
	}
	for _, step := range []struct{ row, before, after string }{
		{"theme 0", "light", "dark"}, {"width 0", "720 px", "1200 px"}, {"locale 0", "en-US", "de-DE"},
	} {
		o.on(t, step.row)
		r, _ := o.pane.Selected()
		if got := r.value(o.pane.state()); !strings.HasPrefix(got, step.before) {
			t.Errorf("%s begins with %q, want %q", step.row, got, step.before)
		}
		o.Press("enter")
		o.refresh()
		if got := r.value(o.pane.state()); !strings.HasPrefix(got, step.after) {
			t.Errorf("%s becomes %q, want %q", step.row, got, step.after)
		}
	}
}

// A closed app stays in the list with the reason; it is not counted.
func TestPane_Close(t *testing.T) {
	o := opened(t)
	o.pane.Open("map", []byte("{}"), nil)
	o.Press("x")
	o.refresh()
	if o.pane.Badge() != "" || o.pane.state().Phase != apps.Closed {
		t.Errorf("badge %q, phase %v", o.pane.Badge(), o.pane.state().Phase)
	}
	o.sees(t, "map", "closed")
	if asked := o.Press("o"); asked != "off: The page was opened already; r opens the app again." {
		t.Errorf("o asked %q", asked)
	}
	o.Press("r")
	o.refresh()
	if o.pane.Badge() != "1" || len(o.pane.apps) != 2 {
		t.Errorf("after opening it again: badge %q, %d apps", o.pane.Badge(), len(o.pane.apps))
	}
}

// A value that is not in the list, such as a width set by an option, is followed by the first.
func TestFollowing(t *testing.T) {
	list := []int{320, 480}
	for now, want := range map[int]int{320: 480, 480: 320, 333: 320} {
		if got := following(list, now); got != want {
			t.Errorf("after %d comes %d, want %d", now, got, want)
		}
	}
}
