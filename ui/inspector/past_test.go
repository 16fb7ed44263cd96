package inspector

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// faulty are the definitions of tools with mistakes: a schema that is not valid, no schema, and a name that
// two tools have.
const faulty = `{"tools":[{"name":"search","description":"Searches","inputSchema":{"type":"object","properties":{"q":{"type":"strnig"}}}},{"name":"bare","description":"Has no schema"},{"name":"echo","inputSchema":{"type":"object"}},{"name":"echo","inputSchema":{"type":"object"}},{"name":"sound","description":"Is as it should be","inputSchema":{"type":"object"}}]}`

// handshakeEra is a server that knows no server/discover.
func handshakeEra(tools string) sessiontest.Serve {
	return sessiontest.Scripted(func(method, id string) string {
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}}`,
			"tools/list": tools, "ping": `{}`,
		}[method]
		switch {
		case strings.HasPrefix(method, "notifications/"):
			return ""
		case result == "":
			return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32601,"message":"Method not found"}}`
		}
		return `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`
	})
}

// The error response to server/discover, with which a client detects a server of the handshake era, is
// expected: it is not an error of the session.
func TestTraffic_ExpectedRefusalIsGrey(t *testing.T) {
	cfg := servedConfig("", handshakeEra(`{"tools":[]}`))
	driveSession(t, 160, 45, cfg, func(d *driver) {
		d.press("9<home>")
		d.settle()
		d.sees("server/discover", "– handshake era: -32601 Method")
		if at := d.model.views.traffic.Selected(); at != 0 {
			t.Fatalf("row %d is selected", at)
		}
		d.press("<end>N")
		d.settle()
		d.sees("No more errors in this direction.")
		if errors := d.session.Store().Snapshot().Counts.Errors; errors != 0 {
			t.Errorf("%d errors are counted", errors)
		}
		// Another error response is one.
		d.session.Start("tools/call", []byte(`{"name":"none"}`))
		d.settle()
		d.press("<home>n")
		d.settle()
		d.lacks("No more errors")
		if errors := d.session.Store().Snapshot().Counts.Errors; errors != 1 {
			t.Errorf("%d errors are counted", errors)
		}
	})
}

// The expected error response is an error in no view of the traffic, in no count of it, and nothing of it is red.
func TestTraffic_ExpectedRefusalIsNoErrorInAnyView(t *testing.T) {
	red := func(d *driver) (cells string) {
		d.term.mu.Lock()
		defer d.term.mu.Unlock()
		for y := range d.term.emu.Height() {
			for x := range d.term.emu.Width() {
				if c := d.term.emu.CellAt(x, y); c != nil && c.Style.Fg != nil && strings.TrimSpace(c.Content) != "" && hexOf(c.Style.Fg) == d.model.Pal.Theme.Role("error").Color {
					cells += c.Content
				}
			}
		}
		return cells
	}
	for _, w := range []int{80, 120, 200} {
		driveSession(t, w, 45, servedConfig("", handshakeEra(`{"tools":[]}`)), func(d *driver) {
			d.press("9<home>")
			for _, view := range []string{"exchanges", "frames", "timeline", "sequence"} {
				d.settle()
				legend := ""
				if strings.Contains(d.term.screen(), "✗ failed") { // of the timeline
					legend = "✗"
				}
				if cells := red(d); cells != legend || strings.Count(d.term.screen(), "✗") != len([]rune(legend)) {
					t.Errorf("%s at %d: red is %q in\n%s", view, w, cells, d.term.screen())
				}
				d.press("t")
			}
			if n := d.session.Store().Snapshot().Errors; n != 0 {
				t.Errorf("%d errors are counted", n)
			}
		})
	}
}

// What was wrong in an attempt to connect that was mended is not so any more: its findings are in a
// folded group and not in the header, its rows are no errors.
func TestFindings_OfEarlierConnectionsAreFolded(t *testing.T) {
	var connections atomic.Int32
	good := handshakeEra(`{"tools":[]}`)
	serve := func(ctx context.Context, in io.Reader, out io.Writer) error {
		if connections.Add(1) == 1 {
			fmt.Fprintln(out, "listening on stdout")
			return nil
		}
		return good(ctx, in, out)
	}
	driveServer(t, 120, 36, serve, func(d *driver) {
		d.settle()
		errors, warnings := d.model.problems.Total()
		if errors+warnings == 0 {
			t.Fatalf("nothing is wrong with a server that ends:\n%s", d.term.screen())
		}
		d.press("8")
		d.lacks("of earlier connections")
		d.command("restart")
		d.sleep(5 * time.Second)
		d.sees("● connected")
		if errors, warnings := d.model.problems.Total(); errors+warnings != 0 {
			t.Errorf("%d errors and %d warnings after a connection that has succeeded:\n%s", errors, warnings, d.term.screen())
		}
		d.press("8")
		d.sees("of earlier connections")
		d.press("9<end>N")
		d.settle()
		d.sees("No more errors in this direction.")
	})
}

// A restart of the server: the header counts what is now. Errors of the traffic before stay what they are.
func TestFindings_OfTheRunBeforeARestart(t *testing.T) {
	var connections atomic.Int32
	serve := func(ctx context.Context, in io.Reader, out io.Writer) error {
		if connections.Add(1) == 1 {
			return handshakeEra(faulty)(ctx, in, out)
		}
		return handshakeEra(`{"tools":[]}`)(ctx, in, out)
	}
	driveServer(t, 120, 36, serve, func(d *driver) {
		d.settle()
		if errors, _ := d.model.problems.Total(); errors != 3 {
			t.Fatalf("%d errors:\n%s", errors, d.term.screen())
		}
		d.session.Start("tools/call", []byte(`{"name":"none"}`))
		d.settle()
		d.command("restart")
		d.sleep(5 * time.Second)
		if errors, _ := d.model.problems.Total(); errors != 0 {
			t.Errorf("%d errors after the restart:\n%s", errors, d.term.screen())
		}
		d.press("9<end>N")
		d.settle()
		d.sees("-32601")
		d.lacks("No more errors")
	})
}

// What the rules have found about a tool is where its row and its page are, with the key that leads to
// it; a row of the traffic counts the findings of its exchange.
func TestFindings_AreWhereTheToolIs(t *testing.T) {
	for _, size := range screenSizes {
		driveServer(t, size[0], size[1], handshakeEra(faulty), func(d *driver) {
			d.settle()
			d.press("2<home>")
			d.settle()
			d.sees("✗ search", "✗ bare", "✗ echo", "S001", "f8 problems")
			d.lacks("✗ sound")
			d.sees("✗ S001 +4") // of the traffic
			d.press("jjjj")
			d.lacks("f8 problems")
			d.press("<f8>")
			d.sees("No rule has found anything about it.")
			d.press("<home>j<f8>")
			d.settle()
			d.sees("▌  ✗ D002", "`inputSchema` of the tool")
		})
	}
}

// A second response is a finding of the call, although the first response is sound.
func TestResult_SaysWhatCameBehindIt(t *testing.T) {
	drive(t, 120, 36, demo.Options{Fault: "duplicate-answer"}, func(d *driver) {
		d.tool("echo")
		d.press("hi")
		d.command("call.send")
		d.settle()
		d.sees("ok   ✗ 1 finding", "✗ J032")
	})
}

// The word of a filter is visible in the rows that it finds.
func TestTraffic_TheWordOfTheFilterIsInSight(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.call("echo", `{"message":"a long message before the word that is looked for, which is needle"}`)
		d.press("9/needle<enter>")
		d.settle()
		for _, line := range strings.Split(d.term.screen(), "\n") {
			if strings.Contains(line, "→ echo ") {
				if before, outcome, _ := strings.Cut(line, "✓"); !strings.Contains(before, "needle") || !strings.Contains(outcome, "needle") {
					t.Errorf("the word is cut: %s", line)
				}
				return
			}
		}
		t.Errorf("the call is not found:\n%s", d.term.screen())
	})
}

// A list says in its lower border how many items are below, and a click there turns a page.
func TestList_SaysWhatIsBelow(t *testing.T) {
	drive(t, 120, 36, demo.Options{}, func(d *driver) {
		d.press("2<home>")
		d.settle()
		for y, line := range strings.Split(d.term.screen(), "\n") {
			if x := strings.Index(line, "↓"); x > 0 && strings.Contains(line, "more ─┴") {
				at := tea.Mouse{X: len([]rune(line[:x])), Y: y, Button: tea.MouseLeft}
				d.program.Send(tea.MouseClickMsg(at))
				d.program.Send(tea.MouseReleaseMsg(at))
			}
		}
		d.settle()
		d.lacks("▌  echo ")
		if key := d.model.list().SelectedKey(); key == "echo" {
			t.Errorf("%s is selected", key)
		}
	})
}
