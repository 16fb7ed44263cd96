//go:build unix

package e2e

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client/transport"
	"mcptea/record"
)

// sentByClient are the frames of the client in recordings, without ids and progress tokens, up to the first
// call: what a client sends by itself.
func sentByClient(t *testing.T, paths ...string) (frames []string) {
	t.Helper()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		var d record.Decoder
		for line := range strings.Lines(string(text)) {
			e, err := d.Decode([]byte(line))
			if err != nil || e.Kind != record.KindFrame || e.Frame.Dir != transport.Out {
				continue
			}
			frame := string(e.Frame.Bytes)
			if strings.Contains(frame, `"tools/call"`) {
				return frames
			}
			frames = append(frames, idsAndTokens.ReplaceAllString(frame, `$1 $2`))
		}
	}
	return frames
}

var idsAndTokens = regexp.MustCompile(`("id":|"progressToken":)( ?)("[^"]*"|[0-9]+)`)

// A tap records another client, and mcptea acts as that client: it sends the same server the same frames,
// byte for byte except for ids.
func sameAsClient(t *testing.T, recordings []string, server ...string) {
	t.Helper()
	file, again := filepath.Join(t.TempDir(), "it.host.json"), filepath.Join(t.TempDir(), "again.jsonl")
	r := mcptea(t, append(append([]string{"open"}, recordings...), "--save-client", file)...)
	r.exits(t, 0)
	mcptea(t, on(server, "info", "--as-client", file, "--record", again)...).exits(t, 0)
	want, got := sentByClient(t, recordings...), sentByClient(t, again)
	if len(want) < 3 {
		t.Fatalf("the client has sent only %q", want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("mcptea has sent\n%s\n\nand the client\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// hosted is the command line of a tap of the demo server, and its recording.
func hosted(t *testing.T) (server, tap []string, recording string) {
	t.Helper()
	server = []string{program(t), "demo", "--serve"}
	recording = filepath.Join(t.TempDir(), "host.jsonl")
	return server, append([]string{program(t), "tap", "--record", recording, "--"}, server...), recording
}

func TestAsClient_TypeScriptSDKs(t *testing.T) {
	node := everything(t)[0]
	peer(t, "@modelcontextprotocol/client/package.json")
	for _, sdk := range []string{"v1", "v2"} {
		t.Run(sdk, func(t *testing.T) {
			server, tap, recording := hosted(t)
			hostOutput(t, append([]string{node, filepath.Join(root(t), "testdata", "peers", "client.mjs"), sdk}, tap...)...)
			all, err := filepath.Glob(strings.TrimSuffix(recording, ".jsonl") + "*.jsonl")
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) }) // a further process has -2
			sameAsClient(t, all, server...)
		})
	}
}

func TestAsClient_GoSDK(t *testing.T) {
	server, tap, recording := hosted(t)
	client := mcp.NewClient(&mcp.Implementation{Name: "go-host", Version: "2.1"}, &mcp.ClientOptions{})
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: exec.Command(tap[0], tap[1:]...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListPrompts(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	sameAsClient(t, []string{recording}, server...)
}

// A client that writes frames as no SDK does: with spaces, with its members in another order, with texts as ids.
func TestAsClient_Raw(t *testing.T) {
	server, tap, recording := hosted(t)
	cmd := exec.Command(tap[0], tap[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	responses := json.NewDecoder(out)
	for _, frame := range []string{
		`{"id": "a-1", "jsonrpc": "2.0", "method": "initialize", "params": {"clientInfo": {"name": "Raw Host", "version": "0.3"}, "protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}}}`,
		`{"method": "notifications/initialized", "jsonrpc": "2.0", "params": {}}`,
		`{"id": "a-2", "jsonrpc": "2.0", "method": "logging/setLevel", "params": {"level": "debug"}}`,
		`{"id": "a-3", "jsonrpc": "2.0", "method": "prompts/list"}`,
		`{"id": "a-4", "jsonrpc": "2.0", "method": "tools/list", "params": {}}`,
	} {
		if _, err := io.WriteString(in, frame+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(frame, `"id"`) {
			continue
		}
		var response map[string]any
		if err := responses.Decode(&response); err != nil {
			t.Fatal(err)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	sameAsClient(t, []string{recording}, server...)
}
