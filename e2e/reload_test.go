//go:build unix

package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/record"
)

// goServer is a server in Go: %TOOLS% is a list of tools, %EXTRA% a statement.
const goServer = `package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(in.Bytes(), &m) != nil || m.ID == nil {
			continue
		}
		result := "{}"
		switch m.Method {
		case "initialize":
			result = ` + "`" + `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"edited","version":"1"}}` + "`" + `
		case "tools/list":
			result = ` + "`" + `{"tools":%TOOLS%}` + "`" + `
		}
		%EXTRA%
		fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", m.ID, result)
	}
}
`

const nodeServer = `%EXTRA%
require('readline').createInterface({ input: process.stdin }).on('line', line => {
  const m = JSON.parse(line);
  if (m.id === undefined) return;
  let result = {};
  if (m.method === 'initialize') result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'edited', version: '1' } };
  if (m.method === 'tools/list') result = { tools: %TOOLS% };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: m.id, result }) + '\n');
});
`

// The versions of the tools of a server, one edit after another.
const (
	toolsFirst    = `[{"name":"count","description":"Counts.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"to":{"type":"integer"}}}},{"name":"echo","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]`
	toolsRenamed  = `[{"name":"count","description":"Counts.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"to":{"type":"integer"}}}},{"name":"repeat","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]`
	toolsRequired = `[{"name":"count","description":"Counts.","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"to":{"type":"integer"},"step":{"type":"integer"}},"required":["step"]}},{"name":"repeat","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}]`
)

// edited is a server whose source the test edits while mcptea watches it.
type edited struct {
	t            *testing.T
	term         *terminal
	source, text string
	recording    string
}

// save writes the source as an editor does that replaces the file.
func (e *edited) save(tools, extra string) {
	e.t.Helper()
	text := strings.NewReplacer("%TOOLS%", tools, "%EXTRA%", extra).Replace(e.text)
	temporary := filepath.Join(filepath.Dir(e.source), ".new")
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		e.t.Fatal(err)
	}
	if err := os.Rename(temporary, e.source); err != nil {
		e.t.Fatal(err)
	}
}

// shows waits for texts on the screen, and logs how long after the first response of the
// newest process they were there.
func (e *edited) shows(what string, texts ...string) {
	e.t.Helper()
	for _, text := range texts {
		e.term.shows(text)
	}
	now := time.Now()
	e.t.Logf("%s: on the screen %s after the first response of the new process", what, now.Sub(firstResponse(e.t, e.recording)).Round(time.Millisecond))
}

// firstResponse is when the newest connection of a recording got its first frame.
func firstResponse(t *testing.T, file string) (first time.Time) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := record.NewLines(t.Context(), bytes.NewReader(text))
	defer lines.Close()
	header, err := lines.Next()
	if err != nil {
		t.Fatal(err)
	}
	r, err := record.NewReader(header, lines)
	if err != nil {
		t.Fatal(err)
	}
	conn := uint16(0)
	for event, err := range r.Events() {
		if err != nil {
			break // the last line may be incomplete
		}
		if event.Kind == record.KindFrame && event.Frame.Dir == transport.In && event.Conn != conn {
			conn, first = event.Conn, event.Time
		}
	}
	return first
}

// edit starts mcptea and edits the server: a tool is renamed, an argument becomes
// required, the source is broken, and repaired.
func (e *edited) edit(broken string, shownWhenBroken ...string) {
	e.term.shows("echo")
	e.save(toolsRenamed, "")
	e.shows("a renamed tool", "Rename this tool in your files, too?", "1 pinned call")
	asked := time.Now()
	eventually(e.t, "the file stays", func() bool {
		if !strings.Contains(e.term.text(), "Rename this tool") {
			return true
		}
		if time.Since(asked) > 2*time.Second { // keys that come at once are not for the question
			asked = time.Now()
			e.term.types("\x1b")
		}
		return false
	})
	e.shows("a renamed tool", "~1", "~ echo → repeat")
	e.shows("the pin of the renamed tool, and no other", "pins ✓ 1 ✗ 1")
	e.save(toolsRequired, "")
	e.shows("a required argument", "~2", "count  changed by restart 2", "breaking") // the row may have the sign of a finding by now
	e.save(toolsRequired, broken)
	for _, text := range shownWhenBroken {
		e.term.shows(text)
	}
	e.save(toolsFirst, "")
	e.term.shows("● connected")
	eventually(e.t, "no marks once everything is as it was", func() bool {
		s := e.term.text()
		return strings.Contains(s, "2 Tools 2 ") && strings.Contains(s, "● connected") && strings.Contains(s, " echo ") && // without a mark
			strings.Contains(s, "pins ✓ 2") // none is pending, which quitting would ask about
	})
	e.term.types("q")
	if code := e.term.ends(); code != 0 {
		e.t.Errorf("exit code %d", code)
	}
	e.term.leavesAsFound()
}

func TestWatch_GoServer(t *testing.T) {
	if !demanded() {
		t.Skip("builds a server five times; set MCPTEA_E2E=1")
	}
	dir := t.TempDir()
	e := &edited{t: t, source: filepath.Join(dir, "main.go"), text: goServer, recording: filepath.Join(t.TempDir(), "r.jsonl")}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module edited\n\ngo 1.26\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e.save(toolsFirst, "")
	e.term = onTerminal(t, "--record", e.recording, "--pins", pinnedCalls(t), "--watch="+dir, "--build", "cd '"+dir+"' && GOCACHE='"+goCache(t)+"' go build -o server .", "--", filepath.Join(dir, "server"))
	e.edit("undefinedFunction()", "Build failed", "undefined: undefinedFunction", "main.go:")
}

// pinnedCalls writes a file of pins of both tools.
func pinnedCalls(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "mcptea.txtar")
	text := "# count\ncall count {\"to\":3}\nexpect --exact {}\n\n# echo\ncall echo {\"text\":\"a\"}\nexpect --exact {}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// goCache is the build cache of the test: the program has a home directory of its own.
func goCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestWatch_NodeServer(t *testing.T) {
	others(t)
	node, err := exec.LookPath("node")
	if err != nil {
		lacks(t, "install Node: %v", err)
	}
	dir := t.TempDir()
	e := &edited{t: t, source: filepath.Join(dir, "server.js"), text: nodeServer, recording: filepath.Join(t.TempDir(), "r.jsonl")}
	e.save(toolsFirst, "")
	e.term = onTerminal(t, "--record", e.recording, "--pins", pinnedCalls(t), "--watch", "--", node, e.source)
	e.edit("const = 1;", "not connected", "SyntaxError")
}
