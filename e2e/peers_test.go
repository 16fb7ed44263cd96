//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client/transport"
)

// peer is the command line of a server in testdata/peers.
func peer(t *testing.T, script ...string) []string {
	t.Helper()
	others(t)
	const install = "install the servers with: npm ci --prefix testdata/peers --ignore-scripts"
	node, err := exec.LookPath("node")
	if err != nil {
		lacks(t, "there is no node; once there is, %s", install)
	}
	path := filepath.Join(root(t), "testdata", "peers", "node_modules", filepath.FromSlash(script[0]))
	if _, err := os.Stat(path); err != nil {
		lacks(t, "%s is not there; %s", script[0], install)
	}
	return append([]string{node, path}, script[1:]...)
}

func everything(t *testing.T) []string {
	return peer(t, "@modelcontextprotocol/server-everything/dist/index.js", "stdio")
}

// on puts the target behind the words of a command.
func on(target []string, args ...string) []string {
	return append(append(args, "--"), target...)
}

func TestCallOfAPeer(t *testing.T) {
	r := mcptea(t, on(everything(t), "call", "echo", "message=hi")...)
	r.exits(t, 0)
	if strings.TrimSpace(r.stdout) != "Echo: hi" {
		t.Errorf("printed %q\nstderr: %s", r.stdout, r.stderr)
	}
	r = mcptea(t, on(everything(t), "call", "get-sum", "a=2", "b=40")...)
	r.exits(t, 0)
	if !strings.Contains(r.stdout, "42") {
		t.Errorf("two numbers, typed by the schema, give %q\nstderr: %s", r.stdout, r.stderr)
	}
}

func TestCall_UnknownTool(t *testing.T) {
	r := mcptea(t, on(everything(t), "call", "nope", "--no-validate", "--json")...)
	r.exits(t, 1)
	// The newer SDKs answer with a result that says isError, the older ones
	// with an error. Either is printed as it came.
	var v map[string]any
	if err := json.Unmarshal([]byte(r.stdout), &v); err != nil || v["isError"] != true && v["error"] == nil {
		t.Errorf("printed %q, %v", r.stdout, err)
	}
}

func TestCommand_NotFound(t *testing.T) {
	r := mcptea(t, "call", "x", "--", "./does-not-exist")
	r.exits(t, 3)
	if r.stdout != "" || !strings.Contains(r.stderr, "./does-not-exist") {
		t.Errorf("stdout %q, stderr %q", r.stdout, r.stderr)
	}
}

// names are the names in one list of what list --json printed.
func (r run) names(t *testing.T, kind string) []string {
	t.Helper()
	var lists map[string][]struct{ Name string }
	if err := json.Unmarshal([]byte(r.stdout), &lists); err != nil {
		t.Fatalf("%v in %q\nstderr: %s", err, r.stdout, r.stderr)
	}
	var names []string
	for _, item := range lists[kind] {
		names = append(names, item.Name)
	}
	return names
}

func TestListOverHTTP(t *testing.T) {
	url := everythingOverHTTP(t, "streamableHttp", "/mcp")
	r := mcptea(t, "list", "tools", "--json", "--url", url)
	r.exits(t, 0)
	if names := r.names(t, "tools"); len(names) < 10 || !strings.Contains(strings.Join(names, " "), "echo") {
		t.Errorf("tools: %v", names)
	}
	r = mcptea(t, "call", "echo", "message=hi", "--url", url)
	r.exits(t, 0)
	if strings.TrimSpace(r.stdout) != "Echo: hi" {
		t.Errorf("printed %q\nstderr: %s", r.stdout, r.stderr)
	}
}

// The transport of 2024 is found without being named, and taken at once when it
// is.
func TestListOverSSE(t *testing.T) {
	url := everythingOverHTTP(t, "sse", "/sse")
	for _, how := range []string{"auto", "sse"} {
		file := filepath.Join(t.TempDir(), how+".jsonl")
		r := mcptea(t, "list", "tools", "--json", "--url", url, "--transport", how, "--record", file)
		r.exits(t, 0)
		if names := r.names(t, "tools"); len(names) < 10 || !strings.Contains(strings.Join(names, " "), "echo") {
			t.Errorf("%s: tools: %v", how, names)
		}
		recorded, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		refused := bytes.Contains(recorded, []byte("returned 404"))
		if !bytes.Contains(recorded, []byte("open event stream")) || refused != (how == "auto") {
			t.Errorf("%s: recorded\n%s", how, recorded)
		}
	}
	r := mcptea(t, "call", "echo", "message=hi", "--url", url)
	r.exits(t, 0)
	if strings.TrimSpace(r.stdout) != "Echo: hi" {
		t.Errorf("printed %q\nstderr: %s", r.stdout, r.stderr)
	}
	r = mcptea(t, "list", "tools", "--url", url, "--transport", "http")
	r.exits(t, 3)
	if !strings.Contains(r.stderr, "404") {
		t.Errorf("stderr: %s", r.stderr)
	}
}

// everythingOverHTTP starts the server on a free port, over one of its
// transports, and returns its URL.
func everythingOverHTTP(t *testing.T, over, path string) string {
	t.Helper()
	argv := everything(t)
	argv[len(argv)-1] = over
	return listening(t, path, "", argv...)
}

// listening starts a server on a free port, which it is told by a flag, or by
// the variable PORT when there is no name for one, and returns the URL of a
// path.
func listening(t *testing.T, path, flag string, argv ...string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().(*net.TCPAddr)
	// The server requires a number. No other program is likely to take this one in
	// the moment between.
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if flag != "" {
		argv = append(argv, flag+"="+address.String())
	}
	var output bytes.Buffer
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", address.Port))
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may be gone already
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the server said: %s", output.Bytes())
		}
	})
	url := fmt.Sprintf("http://%s%s", address, path)
	eventually(t, "an answer at "+url, func() bool {
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.DefaultClient.Do(req)
		if err != nil {
			return false
		}
		_ = answer.Body.Close() // any answer will do
		return true
	})
	return url
}

func TestInterrupt_CancelsTheCall(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cancelled.jsonl")
	r := start(t, on(everything(t), "call", "trigger-long-running-operation", "duration=30", "steps=60", "--record", file)...)
	eventually(t, "progress in the recording", func() bool {
		b, err := os.ReadFile(file)
		return err == nil && bytes.Contains(b, []byte("notifications/progress"))
	})
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	r.wait(t).exits(t, 130)
	rec := readRecording(t, file)
	if !rec.has(transport.Out, `"method":"notifications/cancelled"`) {
		t.Errorf("the server was not told: %s", rec.bytesOf(transport.Out))
	}
}

func TestFilesystemPeer(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "order.txt"), []byte("one pot of Assam\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := peer(t, "@modelcontextprotocol/server-filesystem/dist/index.js", dir)
	r := mcptea(t, on(server, "list", "tools", "--json")...)
	r.exits(t, 0)
	if names := r.names(t, "tools"); len(names) != 14 {
		t.Errorf("tools: %v", names)
	}
	r = mcptea(t, on(server, "call", "read_text_file", "path="+filepath.Join(dir, "order.txt"))...)
	r.exits(t, 0)
	if !strings.Contains(r.stdout, "one pot of Assam") {
		t.Errorf("read %q\nstderr: %s", r.stdout, r.stderr)
	}
	// Out of bounds: the tool fails, which is not a failure of the program.
	mcptea(t, on(server, "call", "read_text_file", "path=/etc/hostname")...).exits(t, 1)
}

func TestMemoryPeer(t *testing.T) {
	server := peer(t, "@modelcontextprotocol/server-memory/dist/index.js")
	memory := "MEMORY_FILE_PATH=" + filepath.Join(t.TempDir(), "memory.jsonl")
	r := mcptea(t, on(server, "list", "tools", "--json", "-e", memory)...)
	r.exits(t, 0)
	if names := r.names(t, "tools"); len(names) != 9 {
		t.Errorf("tools: %v", names)
	}
	entity := `entities:=[{"name":"Assam","entityType":"tea","observations":["strong"]}]`
	mcptea(t, on(server, "call", "create_entities", entity, "-e", memory)...).exits(t, 0)
	r = mcptea(t, on(server, "call", "read_graph", "-e", memory)...)
	r.exits(t, 0)
	if !strings.Contains(r.stdout, "Assam") {
		t.Errorf("remembered %q\nstderr: %s", r.stdout, r.stderr)
	}
}

// A server from before 2025 knows one revision and answers with it, whatever
// it is offered.
func TestNegotiate_OldPeer(t *testing.T) {
	server := peer(t, "everything-2024/dist/index.js")
	file := filepath.Join(t.TempDir(), "old.jsonl")
	r := mcptea(t, on(server, "call", "echo", "message=hi", "--record", file)...)
	r.exits(t, 0)
	if strings.TrimSpace(r.stdout) != "Echo: hi" {
		t.Errorf("printed %q\nstderr: %s", r.stdout, r.stderr)
	}
	if rec := readRecording(t, file); !rec.has(transport.In, `"protocolVersion":"2024-11-05"`) {
		t.Errorf("the server said: %s", rec.bytesOf(transport.In))
	}
}

// Between the two stands tee, which has no opinion on what passes through it:
// what it wrote down is what crossed the wire.
func TestRecording_BytesOfTheWire(t *testing.T) {
	dir := t.TempDir()
	in, out, file := filepath.Join(dir, "in.log"), filepath.Join(dir, "out.log"), filepath.Join(dir, "session.jsonl")
	server := append([]string{"sh", "-c", `in=$1 out=$2; shift 2; tee "$in" | "$@" | tee "$out"`, "sh", in, out}, everything(t)...)
	r := mcptea(t, on(server, "call", "echo", `message=a “quote”, a \ and a 🫖`, "--record", file)...)
	r.exits(t, 0)
	rec := readRecording(t, file)
	if rec.header.Transport != "stdio" || !strings.Contains(rec.header.Target, "server-everything") {
		t.Errorf("header: %+v", rec.header)
	}
	sameBytes(t, "to the server", rec.bytesOf(transport.Out), in)
	sameBytes(t, "to the client", rec.bytesOf(transport.In), out)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read the recording: %v", info.Mode())
	}
}

func sameBytes(t *testing.T, what string, recorded []byte, log string) {
	t.Helper()
	wire, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	got, want := bytes.SplitAfter(recorded, []byte("\n")), bytes.SplitAfter(wire, []byte("\n"))
	if len(want) < 3 {
		t.Fatalf("only %d lines went %s", len(want)-1, what)
	}
	for i := range max(len(got), len(want)) {
		var g, w []byte
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if !bytes.Equal(g, w) {
			t.Errorf("line %d %s was\n%q and is recorded as\n%q", i+1, what, w, g)
		}
	}
}
