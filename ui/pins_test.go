package ui

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/session/pins"
	"mcptea/ui/command"
)

// tracker is a server whose responses change while it is stopped.
type tracker struct {
	mu      sync.Mutex
	results map[string]string
	calls   []string // of tools, in their order
}

func newTracker() *tracker {
	return &tracker{results: map[string]string{
		"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"tracker","version":"0.9.2"}}`,
		"ping":       `{}`,
		"tools/list": trackerTools,
		"labels":     trackerLabels,
		"issue":      `{"content":[{"type":"text","text":"open"}]}`,
		"comment":    `{"content":[{"type":"text","text":"done"}]}`,
	}}
}

// screenTracker is that of the pictures.
var screenTracker = newTracker()

const trackerLabels = `{"content":[],"structuredContent":{"total":2,"labels":[{"name":"bug","color":"d73a4a"},{"name":"parser","color":"0075ca"}],"updated_at":"2026-11-19T16:02:11Z"}}`

const trackerTools = `{"tools":[{"name":"labels","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},` +
	`{"name":"issue","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},{"name":"comment","inputSchema":{"type":"object"}}]}`

func (s *tracker) set(name, result string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results[name] = result
}

func (s *tracker) called() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	calls := strings.Join(s.calls, " ")
	s.calls = nil
	return calls
}

func (s *tracker) serve(_ context.Context, in io.Reader, out io.Writer) error {
	s.mu.Lock()
	results := maps.Clone(s.results)
	s.mu.Unlock()
	return scriptedBy(in, out, func(method, name string) string {
		if method != "tools/call" {
			return results[method]
		}
		s.mu.Lock()
		s.calls = append(s.calls, name)
		s.mu.Unlock()
		return results[name]
	})
}

// pinAll calls the tools and pins the calls.
func pinAll(d *driver) {
	for _, tool := range []string{"labels", "issue", "comment"} {
		d.selectTool("<ctrl+u>" + tool)
		d.command(command.OpenItem)
		d.command(command.SendCall)
		d.command(command.PinCall)
		d.command(command.Back)
	}
}

func TestPins_RunAfterRestart(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		d.sees("pins ✓ 3", "✓ labels", "✓ issue", "✓ comment")
		s.set("labels", `{"content":[],"structuredContent":{"total":3,"labels":["bug","parser"],"updated_at":"2026-11-20T10:00:00Z"}}`)
		s.called()
		d.command(command.Restart)
		d.sees("✗ labels", "✓ issue", "– comment", "not read-only: enter runs it")
		d.sees("pins  2 calls in parallel: ✗ labels  ✓ issue") // one row of Traffic
		if calls := s.called(); strings.Contains(calls, "comment") || strings.Count(calls, " ") != 1 {
			t.Errorf("the restart called %q", calls)
		}
		d.command(command.ShowPins)
		d.press("<up><up><up>")
		d.sees(`"total": 2`, `"total": 3`)
		d.lacks("2026-11-20T10:00:00Z\",\n+") // times do not count
		d.press("x")
		d.sees("rejected")
		d.press("a")
		d.sees("✓ labels")
		text, err := os.ReadFile(d.model.pins.Path())
		if err != nil || !strings.Contains(string(text), `"total": 3`) {
			t.Errorf("%v: the file is\n%s", err, text)
		}
		d.press("<down><down><enter>")
		d.sees("✓ comment", "pins ✓ 3")
		if calls := s.called(); calls != "comment" {
			t.Errorf("enter called %q", calls)
		}
	})
}

func TestPins_RemovedToolAndErrors(t *testing.T) {
	s := newTracker()
	driveServer(t, 80, 24, s.serve, func(d *driver) {
		pinAll(d)
		s.set("tools/list", strings.Replace(trackerTools, `"name":"labels"`, `"name":"list_labels"`, 1))
		s.set("issue", `{"isError":true,"content":[{"type":"text","text":"database is gone"}]}`)
		d.command(command.Restart)
		d.command(command.ShowPins)
		d.press("<home>")
		d.sees("pins ✗ 2", `the server has no tool "labels": it was removed or renamed`)
		d.press("j")
		d.sees("tool error: database is gone", "9 Traffic")
		d.press("D")
		d.lacks("✗ issue     issue")
	})
}

func TestPins_FileWithAMistake(t *testing.T) {
	driveServer(t, 120, 36, newTracker().serve, func(d *driver) {
		if err := os.WriteFile(d.model.pins.Path(), []byte("# x\ncal labels\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.selectTool("labels")
		d.command(command.OpenItem)
		d.command(command.SendCall)
		d.command(command.PinCall)
		d.sees(`unknown command "cal"`)
		if text, _ := os.ReadFile(d.model.pins.Path()); string(text) != "# x\ncal labels\n" {
			t.Errorf("the file was changed: %s", text)
		}
		d.command(command.ShowPins)
		d.sees(`mcptea.txtar:2`)
	})
}

// scriptedBy responds to requests with the results that a function returns for a method
// and the tool of a call.
func scriptedBy(in io.Reader, out io.Writer, result func(method, tool string) string) error {
	out = slowed{out}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		e := jsonrpc.Scan(lines.Bytes())
		if e.Kind != jsonrpc.Request {
			continue
		}
		tool := jsonrpc.Text(e.Params.Of(lines.Bytes()), "name")
		if value := result(e.MethodName(lines.Bytes()), tool); value != "" { // without one there is no response
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", e.ID.Of(lines.Bytes()), value)
		}
	}
	return lines.Err()
}

func TestPins_ArgumentsNoLongerFit(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		s.set("tools/list", strings.Replace(trackerTools, `"inputSchema":{"type":"object"}}`, `"inputSchema":{"type":"object","properties":{"repo":{"type":"string"}},"required":["repo"]}}`, 1))
		d.command(command.Restart)
		d.sees("arguments do not fit the schema")
	})
}

// The program ends while a pin has no response; the harness waits for the pins.
func TestPins_EndWhileOneRuns(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		s.set("labels", "")
		d.command(command.Restart)
		if one, _, _ := d.model.pins.Named("labels"); one.State != pins.Running {
			t.Errorf("the pin is %v", one.State)
		}
		d.press("q")
		d.sees("Quit?", "1 request is pending.")
		d.press("<esc>")
		s.set("labels", trackerLabels)
		d.command(command.Restart) // ends the pending request; the pins run once more
		d.sees("pins ✓ 2", "✓ labels")
		s.set("labels", "")
		d.command(command.Restart)
	})
}
