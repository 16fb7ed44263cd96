package inspector

import (
	"context"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/runs/watch"
	"mcptea/session/session"
)

var _ = raced.Also(
	TestReload_ShowsWhatChanged, TestReload_WaitsForACall, TestReload_FailedRestartWithOtherFocus,
	TestReload_FailedRestart, TestReload_SlowedDown, TestReload_CallAfterSave,
)

// driveReloaded runs a script against a server that is edited: it responds on each
// connection with the next of the results by method. Each path that is sent was saved.
func driveReloaded(t *testing.T, w, h int, serve func(context.Context, io.Reader, io.Writer) error, script func(d *driver, saved chan<- watch.Burst)) {
	t.Helper()
	var saved chan watch.Burst
	driveWith(t, w, h, func() (*session.Session, error) {
		return session.Open(session.Config{
			Target: client.Target{Argv: []string{"node", "server.js"}}, Record: "off", Lists: client.ListKinds,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125}, Dial: sessiontest.Dial(serve),
		})
	}, func(s *session.Session) Options {
		saved = make(chan watch.Burst)
		return Options{Reload: watch.New(s, watch.Config{Changes: saved, Watching: "src/", Notify: s.Store().Notify, Note: s.Store().Note})}
	}, func(d *driver) { script(d, saved) })
}

func TestReload_ShowsWhatChanged(t *testing.T) {
	driveReloaded(t, 120, 36, servesNext(edited...), func(d *driver, saved chan<- watch.Burst) {
		d.sees("watching src/", "2 Tools 4")
		d.tool("search_issues")
		d.press("golang/go<tab>panic<esc><esc>") // out of the form, and of the filter
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.settle()
		d.sees("2 Tools +1 −1 ~1", "+1 −1 ~1 4 ─", "connected restart 1", "~ search_issues", "+ export_csv", "− find_duplicates",
			"changed by restart 1", "server.js saved", "properties.query", "renamed from q", "q moved to query", "restart 1 · tools +1 −1 ~1")
		d.command("item.open")
		d.sees("2 Tools +1 −1 ", "panic")
		d.press("<esc>")
		d.command("match.next")
		d.command("change.see")
		d.sees("2 Tools 4")
		d.lacks("find_duplicates")
	})
}

func TestReload_WaitsForACall(t *testing.T) {
	hanging := func(ctx context.Context, in io.Reader, out io.Writer) error {
		return sessiontest.Scripted(func(method, id string) string {
			switch method {
			case "tools/call":
				return ""
			case "tools/list":
				return `{"jsonrpc":"2.0","id":` + id + `,"result":{"tools":[{"name":"slow","inputSchema":{"type":"object"}}]}}`
			}
			if strings.HasPrefix(method, "notifications/") {
				return ""
			}
			return `{"jsonrpc":"2.0","id":` + id + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
		})(ctx, in, out)
	}
	driveReloaded(t, 120, 36, hanging, func(d *driver, saved chan<- watch.Burst) {
		d.tool("slow")
		d.command("call.send")
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.settle()
		d.sees("restart waits for 1 call, ", " · R now")
		d.command("restart")
		d.settle()
		d.sees("connected restart 1", "watching src/")

		d.command("call.send")
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.sleep(12 * time.Second)
		d.sees("connected restart 2", "watching src/")
	})
}

// A restart that fails is reported wherever the focus is, and what was shown comes back.
func TestReload_FailedRestartWithOtherFocus(t *testing.T) {
	for _, focus := range []slot{slotPins, slotTraffic} {
		broken := map[string]string{}
		driveReloaded(t, 120, 36, servesNext(edited[0], broken, broken, edited[1]), func(d *driver, saved chan<- watch.Burst) {
			if err := os.WriteFile(d.model.pins.Path(), []byte("# a\ncall search_issues {}\nexpect {}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			d.within(func() { _ = d.model.pins.Load() })
			if d.command("pins"); focus == slotTraffic {
				d.command("tab.traffic")
			}
			if d.model.focus != focus {
				t.Fatalf("the focus is %d, want %d", d.model.focus, focus)
			}
			saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
			d.settle()
			d.sees("Connection failed", "not connected")
			for range 3 {
				saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
				d.settle()
				if strings.Contains(d.term.screen(), "● connected") {
					break
				}
			}
			d.sees("● connected", "/ filter")
			if d.model.focus != focus {
				t.Errorf("the focus is %d, want %d again", d.model.focus, focus)
			}
		})
	}
}

func TestReload_FailedRestart(t *testing.T) {
	broken := map[string]string{}
	driveReloaded(t, 120, 36, servesNext(edited[0], broken, broken, edited[1]), func(d *driver, saved chan<- watch.Burst) {
		d.sees("2 Tools 4")
		saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
		d.settle()
		d.sees("Connection failed", "not connected")
		for range 3 { // connecting tries more than once
			saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/server.js"}}}
			d.settle()
			if strings.Contains(d.term.screen(), "● connected") {
				break
			}
		}
		d.sees("● connected", "2 Tools +1 −1 ~1", "/ filter")
	})
}

// The header says when the next restart comes, and after which file, where each one was followed by
// a change; R does not wait.
func TestReload_SlowedDown(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 36}} {
		driveReloaded(t, size[0], size[1], servesNext(edited...), func(d *driver, saved chan<- watch.Burst) {
			slow := func() bool {
				st := d.model.options.Reload.State()
				return st.Phase == watch.Slowed && time.Until(st.Deadline) > 3*time.Second
			}
			for !slow() {
				saved <- watch.Burst{Changes: []watch.Change{{Path: "/src/state-of-the-server-1.js"}}}
				time.Sleep(100 * time.Millisecond)
			}
			d.sees("restart in ", " s", "R now")
			if size[0] >= 120 {
				d.sees(": state-of-the-server-… changed after the last")
			}
			d.settle()
			before := d.model.state.Attempt
			d.press("R")
			d.lacks("restart in")
			d.settle()
			if d.model.state.Attempt != before+1 {
				t.Errorf("attempt %d after %d", d.model.state.Attempt, before)
			}
		})
	}
}

// A call after a save is shown as not sent until the restart, and its result is of the new server.
func TestReload_CallAfterSave(t *testing.T) {
	var newest atomic.Uint64 // the generation of the sources
	var saved chan watch.Burst
	serve := sessiontest.Scripted(func(method, id string) string {
		result := `{"content":[{"type":"text","text":"from the server"}]}`
		switch {
		case strings.HasPrefix(method, "notifications/"):
			return ""
		case method == "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}`
		case method == "tools/list":
			result = `{"tools":[{"name":"quick","inputSchema":{"type":"object"}}]}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
	driveWith(t, 120, 36, func() (*session.Session, error) {
		return session.Open(session.Config{
			Target: client.Target{Argv: []string{"node", "server.js"}}, Record: "off", Lists: client.ListKinds,
			Client: client.Config{Name: "mcptea", Version: "test", Revision: revision.R20251125}, Dial: sessiontest.Dial(serve),
		})
	}, func(s *session.Session) Options {
		saved = make(chan watch.Burst)
		return Options{Reload: watch.New(s, watch.Config{
			Changes: saved, Generation: func(time.Duration) uint64 { return newest.Load() }, Watching: "src/", Notify: s.Store().Notify, Note: s.Store().Note,
		})}
	}, func(d *driver) {
		d.tool("quick")
		newest.Store(1)
		d.command("call.send")
		d.sees("not sent: waiting for the restart")
		saved <- watch.Burst{Generation: 1, Changes: []watch.Change{{Path: "/src/server.js", First: 1, Last: 1}}}
		d.settle()
		d.sees("connected restart 1", "from the server")
		d.lacks("before the restart")
	})
}
