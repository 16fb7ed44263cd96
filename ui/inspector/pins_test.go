package inspector

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/raced"
	"mcptea/session/runs/pins"
)

var _ = raced.Also(TestResult_OfBeforeTheRestart)

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
		d.command("item.open")
		d.command("call.send")
		d.command("pin")
		d.command("back")
	}
}

// pinAndShow is pinAll with the pins open below the list of tools.
func pinAndShow(d *driver) {
	pinAll(d)
	d.press("V2")
}

// The palette and the notice say the same about when a pinned call runs by itself, and the restart
// does so.
func TestPins_SaysWhatDoesNotRunByItself(t *testing.T) {
	s := newTracker()
	driveServer(t, 300, 36, s.serve, func(d *driver) {
		for tool, want := range map[string]string{
			"labels":  "It runs again after each restart. V shows the pins.",
			"comment": "It is not declared read-only. V, then space: run it after each restart.",
		} {
			d.selectTool("<ctrl+u>" + tool)
			d.command("item.open")
			d.command("call.send")
			d.press("<ctrl+p>snapshot")
			d.sees("it runs again after restarts if it only reads or you allow it")
			d.press("<enter>")
			d.sees("Pinned as "+tool+" (", want)
			d.command("back")
		}
		s.called()
		d.command("restart")
		if calls := s.called(); calls != "labels" {
			t.Errorf("the restart called %q", calls)
		}
	})
}

func TestPins_RunAfterRestart(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAndShow(d)
		d.sees("pins ✓ 3", "✓ labels", "✓ issue", "✓ comment")
		s.set("labels", `{"content":[],"structuredContent":{"total":3,"labels":["bug","parser"],"updated_at":"2026-11-20T10:00:00Z"}}`)
		s.called()
		d.command("restart")
		d.sees("✗ labels", "✓ issue", "– comment", "not declared read-only")
		if calls := s.called(); strings.Contains(calls, "comment") || strings.Count(calls, " ") != 1 {
			t.Errorf("the restart called %q", calls)
		}
		d.command("pins")
		d.press("<up><up><up>")
		d.sees(`"total": 2`, `"total": 3`)
		d.lacks("2026-11-20T10:00:00Z\",\n+") // times do not count
		d.press("<ctrl+p>reject known<enter>")
		d.sees("rejected")
		d.press("P")
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

// The user can have the calls of any tool run after each restart. What a file of others has run by
// itself is asked about first.
func TestPins_RepeatedTool(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		d.command("pins")
		d.press("<down><down><down>")
		d.sees("comment")
		d.command("restart")
		d.sees("not declared read-only. enter runs it", "runs its calls after each restart") // it has no annotations
		d.command("pins")
		d.press(" ")
		d.sees("Calls of comment run after each restart")
		s.called()
		d.command("restart")
		d.sees("pins ✓ 3")
		if calls := s.called(); !strings.Contains(calls, "comment") {
			t.Errorf("the restart called %q", calls)
		}
		text, err := os.ReadFile(d.model.pins.Path())
		if err != nil || !strings.Contains(string(text), "# after each restart: comment\n") {
			t.Errorf("%v: the file is\n%s", err, text)
		}
		// The project changes what is sent.
		if err := os.WriteFile(d.model.pins.Path(), bytes.Replace(text, []byte("call comment"), []byte(`call comment {"text":"other"}#`), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		d.command("restart")
		d.sees("Run these calls after each restart?", "call comment")
		if calls := s.called(); strings.Contains(calls, "comment") {
			t.Errorf("before the user has agreed the restart called %q", calls)
		}
		d.press("<esc>")
		d.command("restart")
		d.lacks("Run these calls after each restart?")
		if calls := s.called(); strings.Contains(calls, "comment") {
			t.Errorf("although the user has declined the restart called %q", calls)
		}
	})
}

// The sentence about a pin names its keys also while a field elsewhere takes letters as text,
// and the header counts what was not run.
func TestPins_KeysWhileTyping(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		d.command("restart")
		d.sees("pins ✓ 2 – 1")
		d.command("pins")
		d.press("<down><down><down>")
		d.press("2/la")
		d.sees("/ la", "enter runs it. space", "runs its calls after each restart.")
	})
}

// A tool that is annotated as read-only and as destructive is not called unasked, and is seen
// to be both; the probes ask about it.
func TestPins_ReadOnlyAndDestructive(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAndShow(d)
		s.set("tools/list", strings.Replace(trackerTools, `"readOnlyHint":true`, `"readOnlyHint":true,"destructiveHint":true`, 1))
		s.called()
		d.command("restart")
		d.sees("– labels", "✓ issue", "not declared read-only")
		if calls := s.called(); calls != "issue" {
			t.Errorf("the restart called %q", calls)
		}
		d.selectTool("<ctrl+u>labels")
		d.press("i<up>")
		d.sees("read-only · destructive")
		d.press("8")
		d.command("setting")
		d.sees("Tools that the probes may call", "labels", "comment")
	})
}

func TestPins_RemovedToolAndErrors(t *testing.T) {
	s := newTracker()
	driveServer(t, 80, 24, s.serve, func(d *driver) {
		pinAll(d)
		s.set("tools/list", strings.Replace(trackerTools, `"name":"labels"`, `"name":"list_labels"`, 1))
		s.set("issue", `{"isError":true,"content":[{"type":"text","text":"database is gone"}]}`)
		d.command("restart")
		d.press("<esc>") // the file keeps the old name
		d.command("pins")
		d.press("<home>")
		d.sees("pins ✗ 2", `the server has no tool "labels": it was removed or renamed`)
		d.press("j")
		d.sees("tool error: database is gone", "9 Traffic")
		d.press("x")
		d.sees("Remove this pin?", "call issue", "mcptea.txtar", "y remove")
		d.press("<esc>")
		d.sees("✗ issue ")
		d.press("x")
		d.sees("Remove this pin?")
		d.press("y")
		d.lacks("✗ issue ")
	})
}

func TestPins_FileWithAMistake(t *testing.T) {
	driveServer(t, 120, 36, newTracker().serve, func(d *driver) {
		if err := os.WriteFile(d.model.pins.Path(), []byte("# x\ncal labels\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d.selectTool("labels")
		d.command("item.open")
		d.command("call.send")
		d.command("pin")
		d.sees(`unknown command "cal"`)
		if text, _ := os.ReadFile(d.model.pins.Path()); string(text) != "# x\ncal labels\n" {
			t.Errorf("the file was changed: %s", text)
		}
		d.command("pins")
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
		if value := result(e.MethodName(lines.Bytes()), tool); value != "" { // there is no response without a request
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", e.ID.Of(lines.Bytes()), value)
		}
	}
	return lines.Err()
}

func TestPins_ArgumentsNoLongerFit(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAndShow(d)
		s.set("tools/list", strings.Replace(trackerTools, `"inputSchema":{"type":"object"}}`, `"inputSchema":{"type":"object","properties":{"repo":{"type":"string"}},"required":["repo"]}}`, 1))
		d.command("restart")
		d.sees("arguments do not fit the schema", "pins ✓ 1 ⚠ 1 – 1", "⚠ labels", "✓ issue")
		d.lacks("✓ labels")
		d.command("pins")
		d.press("<up><up><up>")
		d.sees("⚠ as expected: exactly this result", "e edit the request")
	})
}

// A pin may expect that a request is refused: the expected error is not a warning.
func TestPins_OfARefusedRequest(t *testing.T) {
	s := newTracker()
	s.set("labels", `{"content":[{"type":"text","text":"repo is missing"}],"isError":true}`)
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAndShow(d)
		s.set("tools/list", strings.Replace(trackerTools, `"inputSchema":{"type":"object"}}`, `"inputSchema":{"type":"object","properties":{"repo":{"type":"string"}},"required":["repo"]}}`, 1))
		d.command("restart")
		d.sees("✓ labels", "arguments do not fit the schema")
		d.lacks("⚠ labels")
	})
}

// The program ends while a pin has no response; the harness waits for the pins.
func TestPins_EndWhileOneRuns(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAndShow(d)
		s.set("labels", "")
		d.command("restart")
		if one, _, _ := d.model.pins.Named("labels"); one.State != pins.Running {
			t.Errorf("the pin is %v", one.State)
		}
		d.press("q")
		d.sees("Quit?", "1 request. ")
		d.press("<esc>")
		s.set("labels", trackerLabels)
		d.command("restart")
		d.sees("Restart?", "1 request. ")
		d.press("y") // ends the pending request; the pins run again
		d.sees("pins ✓ 2", "✓ labels")
		s.set("labels", "")
		d.command("restart")
	})
}

// The pins have the place of Traffic from V to esc, and the header has their state all the time.
func TestPins_OpenUntilEsc(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		pinAll(d)
		d.lacks("Pins  mcptea.txtar")
		d.sees("pins ✓ 3", "9 Traffic ─")
		d.command("pins")
		d.sees("Pins  mcptea.txtar")
		d.lacks("9 Traffic ─")
		d.press("2")
		d.sees("Pins  mcptea.txtar")
		d.press("V<esc>")
		d.lacks("Pins  mcptea.txtar")
		d.sees("9 Traffic ─")
		d.command("pins")
		d.sees("Pins  mcptea.txtar", "✓ labels")
		d.press("<esc>")
		s.set("labels", `{"content":[],"structuredContent":{"total":3}}`)
		d.command("restart")
		d.lacks("Pins  mcptea.txtar")
		d.sees("pins ✓ 1 ✗ 1") // in the header
	})
}

// A result of the connection before a restart says so.
func TestResult_OfBeforeTheRestart(t *testing.T) {
	s := newTracker()
	driveServer(t, 120, 36, s.serve, func(d *driver) {
		d.selectTool("<ctrl+u>issue")
		d.command("item.open")
		d.command("call.send")
		d.sees("call id 3 ok")
		d.lacks("before the restart")
		d.command("restart")
		d.sees("call id 3 ok", "before the restart")
		d.command("call.send")
		d.lacks("before the restart")
	})
}

// usePins has the inspector show the pins of a file.
func usePins(m *model, of *pins.Pins) {
	m.pins = of
	pane := m.newPins(m.of("pins"))
	for i := range m.others {
		if m.others[i].Section() == pane.Section() {
			m.others[i].Part = pane
		}
	}
}

// A pin is edited as the line that the file has. Where the tool calls a property by another name since a
// restart, the line has that name already; a line that is not a single request is refused, with the
// expected form.
func TestPins_AreEdited(t *testing.T) {
	results := []map[string]string{maps.Clone(edited[0]), maps.Clone(edited[1])}
	for _, r := range results {
		r["tools/call"] = `{"content":[{"type":"text","text":"found"}]}`
	}
	driveServer(t, 120, 36, servesNext(results...), func(d *driver) {
		d.tool("search_issues")
		d.press("golang/go<tab>panic")
		d.command("call.send")
		d.command("pin")
		d.command("restart")
		d.command("pins")
		d.sees("arguments do not fit the schema", "e edit the request", "expects exactly this result")
		d.press("e")
		d.sees("Edit a pin", "q is query now: the line has the new name.", `"query":"panic"`, `"repo":"golang/go"`)
		d.press("<enter>")
		d.sees("changed in", "runs it")
		d.lacks("arguments do not fit")
		text, err := os.ReadFile(d.model.pins.Path())
		if err != nil || !strings.Contains(string(text), `call search_issues {"repo":"golang/go","query":"panic"}`) {
			t.Errorf("%v: the file is\n%s", err, text)
		}
		d.press("e<ctrl+u>expect {}<enter>")
		d.sees("A pin is one request, such as: call search_issues")
		if now, _ := os.ReadFile(d.model.pins.Path()); string(now) != string(text) {
			t.Errorf("the file was changed:\n%s", now)
		}
	})
}
