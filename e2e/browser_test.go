//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// browser is a headless Chromium that is driven over pipes by the Chrome DevTools
// Protocol: messages are JSON, each with a NUL at its end.
type browser struct {
	t        *testing.T
	out      io.Writer
	messages chan browserMessage
	id       int
	session  string           // of the page
	events   []browserMessage // so far
}

type browserMessage struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// startBrowser starts Chromium with an empty page, and ends it with the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	others(t)
	path, err := exec.LookPath("chromium")
	if err != nil {
		if path, err = exec.LookPath("google-chrome"); err != nil {
			t.Skip("there is no Chromium; install it with: apt-get install chromium")
		}
	}
	in, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{in, out} // descriptors 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Close(), out.Close()
	b := &browser{t: t, out: toBrowser, messages: make(chan browserMessage, 1000)}
	go func() {
		defer close(b.messages)
		for r := bufio.NewReader(fromBrowser); ; {
			text, err := r.ReadBytes(0)
			if err != nil {
				return
			}
			var m browserMessage
			if json.Unmarshal(text[:len(text)-1], &m) == nil {
				b.messages <- m
			}
		}
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its children
		_ = cmd.Wait()
		for range b.messages { // the reading goroutine ends with the process
		}
		_, _ = toBrowser.Close(), fromBrowser.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", map[string]any{}, nil)
	}
	return b
}

// call sends a request and waits for its result.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	request := map[string]any{"id": b.id, "method": method, "params": params}
	if b.session != "" {
		request["sessionId"] = b.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	m := b.until(func(m browserMessage) bool { return m.ID == b.id })
	if m.Error != nil {
		b.t.Fatalf("%s: %s", method, m.Error)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			b.t.Fatal(err)
		}
	}
}

// until waits for a message, and keeps the events before it.
func (b *browser) until(isIt func(browserMessage) bool) browserMessage {
	b.t.Helper()
	late := time.After(deadline)
	for {
		select {
		case m, ok := <-b.messages:
			switch {
			case !ok:
				b.t.Fatal("the browser has ended")
			case isIt(m):
				return m
			}
			b.events = append(b.events, m)
		case <-late:
			b.t.Fatal("the browser does not respond")
		}
	}
}

// open shows a file.
func (b *browser) open(path string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	b.until(func(m browserMessage) bool { return m.Method == "Page.loadEventFired" })
}

// evaluate returns the value of an expression of JavaScript.
func (b *browser) evaluate(expression string) string {
	b.t.Helper()
	var v struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &v)
	if v.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, v.ExceptionDetails)
	}
	return string(v.Result.Value)
}

// exported makes a recording with text of a server that is markup, and exports it.
func exported(t *testing.T, format string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "session.mcptea.jsonl")
	message := `</script><img src="http://127.0.0.1:9/x.png" onerror="fetch('http://127.0.0.1:9/')"><script>location='http://127.0.0.1:9/'</script>;# end` + "\nand more"
	mcptea(t, "call", "echo", "message="+message, "--record", file, "--", program(t), "demo", "--serve").exits(t, 0)
	return exportedFrom(t, file, format)
}

// exportedFrom exports a recording, and returns the path of the new file.
func exportedFrom(t *testing.T, file, format string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "out")
	if format == "html" {
		path += ".html"
	}
	mcptea(t, "export", file, "--to", format, "--output", path).exits(t, 0)
	return path
}

// The page makes no request, runs nothing of a server, and its filter and its folding
// work.
func TestHTML_InBrowser(t *testing.T) {
	b := startBrowser(t)
	b.open(exported(t, "html"))
	const shown = `document.querySelectorAll("details.frame:not([hidden])").length`
	all := b.evaluate(shown)
	if all == "0" || b.evaluate(`document.getElementById("count").textContent`) != `"`+all+` frames"` {
		t.Fatalf("%s frames are shown", all)
	}
	for _, tc := range [][2]string{{"method:tools/call", "2"}, {"method:tools/call dir:in", "1"}, {"no-such-word", "0"}, {"-method:*", "0"}, {"", all}} {
		filter, want := tc[0], tc[1]
		got := b.evaluate(`(() => { const f = document.getElementById("filter"); f.value = ` + quoted(filter) + `; f.dispatchEvent(new Event("input")); return ` + shown + `; })()`)
		if got != want {
			t.Errorf("the filter %q shows %s frames, want %s", filter, got, want)
		}
	}
	b.evaluate(`document.getElementById("unfold").click()`)
	// The bodies are made in an event, after the frames were opened.
	eventually(t, "JSON that can be folded", func() bool { return b.evaluate(`document.querySelectorAll(".json details").length`) != "0" })
	eventually(t, "the markup of the server as text", func() bool {
		return b.evaluate(`[...document.querySelectorAll(".json")].some((body) => body.textContent.includes("onerror="))`) == "true"
	})
	if n := b.evaluate(`document.querySelectorAll("img, iframe, link").length`); n != "0" {
		t.Error("text of the server has become markup")
	}
	requests := 0
	for _, e := range b.events {
		switch e.Method {
		case "Network.requestWillBeSent":
			if requests++; requests > 1 || !strings.Contains(string(e.Params), `"url":"file://`) {
				t.Errorf("the page made a request: %s", e.Params)
			}
		case "Log.entryAdded", "Runtime.exceptionThrown":
			t.Errorf("the browser reports %s", e.Params)
		}
	}
	if requests != 1 {
		t.Errorf("%d requests were seen, of which one is for the page", requests)
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // always marshals
	return string(b)
}

// Mermaid itself parses the diagrams, whatever the labels contain.
func TestMermaid_ParsesInBrowser(t *testing.T) {
	library, err := os.ReadFile(filepath.Join(root(t), "testdata", "formats", "node_modules", "mermaid", "dist", "mermaid.min.js"))
	if err != nil {
		lacks(t, "there is no Mermaid; install it with: npm ci --prefix testdata/formats --ignore-scripts")
	}
	b := startBrowser(t)
	b.evaluate(string(library) + "; 0")
	parses := func(text string) string {
		return b.evaluate(`mermaid.parse(` + quoted(text) + `).then((d) => d.diagramType, (e) => "error: " + e.message)`)
	}
	if got := parses("sequenceDiagram\n  a->>"); !strings.HasPrefix(got, `"error: `) {
		t.Fatalf("Mermaid accepts an incomplete diagram: %s", got)
	}
	diagram, err := os.ReadFile(exported(t, "mermaid"))
	if err != nil {
		t.Fatal(err)
	}
	if got := parses(string(diagram)); got != `"sequence"` {
		t.Errorf("%s\n%s", got, diagram)
	}
	everything := exportedFrom(t, recordScript(t, demoScript, []string{program(t), "demo", "--serve"}), "mermaid")
	if diagram, err = os.ReadFile(everything); err != nil {
		t.Fatal(err)
	}
	if got := parses(string(diagram)); got != `"sequence"` {
		t.Errorf("%s\n%s", got, diagram)
	}
}
