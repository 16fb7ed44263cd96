package inspector

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/demo"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/record/store"
	"mcptea/session/session"
)

var _ = raced.Also(TestQuit_NamesWhatEnds)

// The name of the server is whole before the details of the connection are in the header.
func TestHeader_NameBeforeDetails(t *testing.T) {
	driveServer(t, 120, 36, weather(nil), func(d *driver) {
		m, details := d.model, false
		for m.W = 140; m.W >= wideWidth; m.W-- {
			header := ansi.Strip(m.header())
			if strings.Contains(header, "connected in") && !strings.Contains(header, m.serverName()+" ") {
				t.Errorf("%d cells: %q", m.W, header)
			}
			details = details || strings.Contains(header, "connected in")
		}
		if !details {
			t.Error("the details are never shown")
		}
		m.W = 120
	})
}

// What the header says of the connection and of what is pending.
func TestHeader_Words(t *testing.T) {
	server := scripted(map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/list": `{"tools":[]}`,
	})
	driveServer(t, 120, 36, server, func(d *driver) {
		calm := d.session.State()
		for name, tt := range map[string]struct {
			change func(*model)
			want   string
			lacks  string
		}{
			"connected":                {func(*model) {}, "● connected in", "pending"},
			"a call is pending":        {func(m *model) { m.snap.Pending, m.pending = 1, make([]store.Flow, 1) }, "1 pending", "for you"},
			"a request of the server":  {func(m *model) { m.snap.Pending, m.pending = 1, []store.Flow{{Dir: transport.In}} }, "1 pending, 1 for you", ""},
			"a call and what it asks":  {func(m *model) { m.snap.Pending, m.pending = 2, []store.Flow{{}, {Dir: transport.In}} }, "2 pending, 1 for you", ""},
			"failed":                   {func(m *model) { m.state.Phase = session.Failed }, "✗ not connected", "reconnecting"},
			"ended":                    {func(m *model) { m.state.Phase = session.Ended }, "✗ ended  R restart", "reconnecting"},
			"ended, and tried again":   {func(m *model) { m.state.Phase, m.state.Reconnects = session.Ended, true }, "✗ ended  reconnecting", "restart"},
			"failed, and tried again":  {func(m *model) { m.state.Phase, m.state.Reconnects = session.Failed, true }, "✗ not connected  reconnecting", ""},
			"connecting":               {func(m *model) { m.state.Phase = session.Connecting }, "connecting", "connected"},
			"without its subscription": {func(m *model) { m.state.Subscription.Err = errors.New("no") }, "no subscription", ""},
		} {
			snap, pending := d.model.snap, d.model.pending
			d.model.state = calm
			tt.change(d.model)
			header := ansi.Strip(d.model.header())
			if !strings.Contains(header, tt.want) || tt.lacks != "" && strings.Contains(header, tt.lacks) {
				t.Errorf("%s: %q, want %q", name, header, tt.want)
			}
			d.model.state, d.model.snap, d.model.pending = calm, snap, pending
		}
	})
}

// The date of the protocol version is whole where it is shown.
func TestHeader_WholeDate(t *testing.T) {
	driveServer(t, 120, 36, weather(nil), func(d *driver) {
		m := d.model
		shown := 0
		for m.W = 100; m.W >= 40; m.W-- {
			header := ansi.Strip(m.header())
			whole := strings.Contains(header, " 2025-11-25 ")
			if strings.Contains(header, "11-25") != whole {
				t.Errorf("%d cells: %q", m.W, header)
			}
			if whole {
				shown++
			}
		}
		if shown < 30 {
			t.Errorf("the date is shown at %d of 61 widths", shown)
		}
		m.W = 120
	})
}

// The question before the end says what will happen to the server.
func TestQuit_NamesWhatEnds(t *testing.T) {
	for want, tt := range map[string]struct {
		waiting int
		target  client.Target
	}{
		"1 request. The server will be stopped.":                               {1, client.Target{Argv: []string{"node"}}},
		"1,200 requests. The server will be stopped.":                          {1200, client.Target{Argv: []string{"node"}}},
		"2 requests. The connection will be closed; the server keeps running.": {2, client.Target{URL: "http://a.example/mcp"}},
	} {
		if got := lostByQuitting(tt.waiting, tt.target); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Where there is little room the counts give way, and the state of the connection stays.
func TestHeader_CountsGiveWayToTheState(t *testing.T) {
	server := scripted(map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`,
		"tools/list": `{"tools":[]}`,
	})
	driveServer(t, 120, 36, server, func(d *driver) {
		m := d.model
		w := m.W
		m.state.Phase = session.Failed
		m.snap.Pending, m.pending = 1234, []store.Flow{{Dir: transport.In}, {Dir: transport.In}}
		if wide := ansi.Strip(m.header()); !strings.Contains(wide, "pending, 2 for you") {
			t.Errorf("wide: %q", wide)
		}
		for m.W = 60; m.W >= 20; m.W-- {
			if header := ansi.Strip(m.header()); !strings.Contains(header, "✗ not connected") || ansi.StringWidth(header) > m.W {
				t.Errorf("%d cells: %q", m.W, header)
			}
		}
		m.W = w
	})
}

// A place is on the trail once: coming to it again goes back to it.
func TestTrail_PlaceOnce(t *testing.T) {
	m := &model{}
	routes := []stop{{tab: 0}, {tab: 1}, {tab: 2}, {tab: 1}, {tab: 3}, {tab: 1}}
	for _, to := range routes[1:] {
		m.visit(func() { m.activeTab = to.tab })
	}
	if want := routes[:1]; !slices.Equal(m.trail, want) || m.activeTab != 1 {
		t.Errorf("on tab %d the trail is %+v, want %+v", m.activeTab, m.trail, want)
	}
}

// Going back from a frame gives the pane the whole window again, if it had it.
func TestBack_KeepsZoom(t *testing.T) {
	driveServer(t, 120, 36, weather(nil), func(d *driver) {
		d.press("2")
		d.command("zoom")
		if !d.model.zoom {
			t.Fatal("the pane has not the whole window")
		}
		d.within(func() { d.model.ShowFrame(0) })
		d.settle()
		if d.model.zoom || !d.model.frameOpen {
			t.Fatal("the frame is not shown")
		}
		d.command("back")
		if !d.model.zoom || d.model.frameOpen {
			t.Errorf("after going back: whole window %v, frame %v", d.model.zoom, d.model.frameOpen)
		}
	})
}

// A recording that is no longer under its name is said to be so, in the header and on the Server page: it
// may have been deleted, or moved, and goes on.
func TestHeader_RecordingMoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.mcptea.jsonl")
	cfg := servedConfig(revision.R20251125, sessiontest.Demo(demo.Options{Offers: sessiontest.Fixed}))
	cfg.Record = path
	driveSession(t, 200, 60, cfg, func(d *driver) {
		if err := os.Rename(path, path+"2"); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			<-d.session.Start("ping", nil).Done()
			d.sleep(5 * time.Second)
		}
		d.press("1")
		d.sees("recording moved or deleted", "the recording is")
		d.lacks("stopped:")
	})
}
