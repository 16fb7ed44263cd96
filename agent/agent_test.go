package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/client"
	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// connectTo returns a client of the official SDK that is connected to an agent whose
// target is a server in memory.
func connectTo(t *testing.T, serve sessiontest.Serve) *mcp.ClientSession {
	t.Helper()
	user := requests.Policy{Mode: requests.PolicyUser}
	o := Options{
		Version: "1.2.3", Given: &client.Target{Argv: []string{"server"}},
		Open: func(target client.Target, _ string) (*session.Session, error) {
			return session.Open(session.Config{
				Target: target, Record: "off", Lint: true, Policies: requests.Policies{Sampling: user, Elicitation: user},
				Dial: sessiontest.Dial(serve),
			})
		},
	}
	return connectWith(t, o)
}

// connectWith is connectTo for an agent with options.
func connectWith(t *testing.T, o Options) *mcp.ClientSession {
	t.Helper()
	here, there := io.Pipe()
	back, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = Serve(ctx, here, out, o) // the client has closed the connection
	}()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.IOTransport{Reader: back, Writer: there}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_, _ = there.Close(), out.Close()
		cancel()
		<-ended
	})
	return c
}

// use calls a tool and decodes its output.
func use[Out any](t *testing.T, c *mcp.ClientSession, tool string, arguments map[string]any) (out Out, isError bool) {
	t.Helper()
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := result.Content[0].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &out); err != nil && !result.IsError {
		t.Fatalf("%s: %v in %s", tool, err, text)
	}
	return out, result.IsError
}

// Each tool says truthfully what it does, and describes what it takes and returns.
func TestTools_AreDescribed(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	readOnly := map[string]bool{}
	for _, tool := range list.Tools {
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil || tool.Annotations == nil || tool.Title == "" {
			t.Errorf("%s lacks a description, a schema or annotations", tool.Name)
			continue
		}
		readOnly[tool.Name] = tool.Annotations.ReadOnlyHint
	}
	for name, want := range map[string]bool{"status": true, "traffic": true, "list": true, "call": false, "send_frame": false, "connect": false, "check": false} {
		if got, ok := readOnly[name]; !ok || got != want {
			t.Errorf("readOnlyHint of %s is %t", name, got)
		}
	}
	// What a model pays for the tools, whether it uses them or not.
	raw, err := json.Marshal(list.Tools)
	if err != nil {
		t.Fatal(err)
	}
	if tokens := tokensOf(string(raw)); tokens > 7000 {
		t.Errorf("the list of tools takes about %d tokens", tokens)
	}
}

func TestConnect_FailureHasCauseAndRemedy(t *testing.T) {
	broken := func(context.Context, io.Reader, io.Writer) error { return errors.New("broken") }
	c := connectTo(t, broken)
	out, isError := use[statusOutput](t, c, "connect", nil)
	if !isError || len(out.Connections) != 1 || out.Connections[0].State != "failed" || out.Connections[0].Failure == "" {
		t.Errorf("isError %t, %+v", isError, out)
	}
	if _, isError = use[any](t, c, "connect", map[string]any{"command": []string{"rm", "-rf", "/"}}); !isError {
		t.Error("a command was started without --allow-commands")
	}
}

func TestConnect_FailureNamesTheEntry(t *testing.T) {
	entry := &client.Entry{Host: "Cursor", File: "/home/ann/.cursor/mcp.json", Line: 4, Pointer: "/mcpServers/notes"}
	c := connectWith(t, Options{
		Given: &client.Target{Argv: []string{"server"}, Entry: entry},
		Open: func(target client.Target, _ string) (*session.Session, error) {
			broken := func(context.Context, io.Reader, io.Writer) error { return errors.New("broken") }
			return session.Open(session.Config{Target: target, Record: "off", Dial: sessiontest.Dial(broken)})
		},
	})
	const place = "/home/ann/.cursor/mcp.json:4 (Cursor), /mcpServers/notes"
	if out, _ := use[statusOutput](t, c, "connect", nil); out.Connections[0].Entry != place {
		t.Errorf("configured in %q", out.Connections[0].Entry)
	}
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: map[string]any{"tool": "echo"}})
	if err != nil || !result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	if text := result.Content[0].(*mcp.TextContent).Text; !strings.HasSuffix(text, "The server is configured in "+place+".") {
		t.Errorf("%q", text)
	}
}

func TestCall_NamesItsFrames(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	if out, isError := use[statusOutput](t, c, "connect", nil); isError || out.Connections[0].State != "ready" {
		t.Fatalf("%+v", out)
	}
	called, _ := use[responseOutput](t, c, "call", map[string]any{"tool": "echo", "arguments": map[string]any{"message": "hi there"}})
	if called.Outcome != "result" || called.Text != "hi there" || called.Request == 0 || called.Response == 0 {
		t.Fatalf("%+v", called)
	}
	f, _ := use[oneFrameOutput](t, c, "frame", map[string]any{"number": called.Request})
	if !strings.Contains(f.Bytes, `"message":"hi there"`) || f.Pair != called.Response {
		t.Errorf("%+v", f)
	}
	lines, _ := use[trafficOutput](t, c, "traffic", map[string]any{"filter": "method:tools/call", "limit": 1})
	if lines.Total != 2 || len(lines.Frames) != 1 || !lines.More {
		t.Errorf("%+v", lines)
	}
	read, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "mcptea://default/traffic"})
	if err != nil || !strings.Contains(read.Contents[0].Text, "tools/call request") {
		t.Errorf("%+v, %v", read, err)
	}
}

// A result that is too long is cut, and the frame is read in parts.
func TestCall_LongResultIsCut(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	use[statusOutput](t, c, "connect", nil)
	message := strings.Repeat("long ", 5000)
	called, _ := use[responseOutput](t, c, "call", map[string]any{"tool": "echo", "arguments": map[string]any{"message": message}, "max_chars": 100})
	if !called.Cut || len(called.Text) > 110 || called.Tokens < 6000 {
		t.Fatalf("cut %t, %d bytes, %d tokens", called.Cut, len(called.Text), called.Tokens)
	}
	var all strings.Builder
	for offset := 0; ; {
		f, _ := use[oneFrameOutput](t, c, "frame", map[string]any{"number": called.Response, "offset": offset, "max_chars": 9000})
		all.WriteString(f.Bytes)
		if offset = f.Next; offset == 0 {
			break
		}
	}
	if !strings.Contains(all.String(), message) {
		t.Errorf("the frame has %d bytes, without the message", all.Len())
	}
}

// Lines that are no messages get an error response, and the next message passes.
func TestServe_InvalidLines(t *testing.T) {
	for line, want := range map[string]string{
		`{`:                                     `-32700`,
		"\xff":                                  `-32700`,
		`42`:                                    `-32600`,
		`[]`:                                    `-32600`,
		"\ufeff[1]":                             `-32600`,
		`{"jsonrpc":"1.0","id":1,"method":"a"}`: `-32600`,
		`{"id":1,"method":"a"}`:                 `-32600`,
		`{"jsonrpc":"2.0","id":true,"method":"a"}`:         `-32600`,
		`{"jsonrpc":"2.0","id":1}`:                         `-32600`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`: `-32601`,
	} {
		var out strings.Builder
		in := io.NopCloser(strings.NewReader(line + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}` + "\n"))
		if err := Serve(t.Context(), in, &out, Options{}); err != nil {
			t.Errorf("%s: %v", line, err)
		}
		responses := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(responses) != 2 || !strings.Contains(responses[0], want) || responses[1] != `{"jsonrpc":"2.0","id":2,"result":{}}` {
			t.Errorf("%.100s: responses %q", line, responses)
		}
	}
}

var update = flag.Bool("update", false, "write schemas.json")

// The schemas of the tools are those of their types.
func TestTools_SchemasAreCurrent(t *testing.T) {
	all := map[string]map[string]*jsonschema.Schema{}
	for _, f := range (&agent{}).functions() {
		all[f.name] = map[string]*jsonschema.Schema{}
		for key, of := range map[string]reflect.Type{"input": f.in, "output": f.out} {
			schema, err := jsonschema.ForType(of, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[object](): {Type: "object", AdditionalProperties: &jsonschema.Schema{}}}})
			if err != nil {
				t.Fatal(err)
			}
			all[f.name][key] = schema
		}
	}
	want, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile("schemas.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("schemas.json")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("schemas.json is not current: go test ./agent -run Schemas -update (%v)", err)
	}
}

// The arguments of a call are sent as they were written: numbers, order and members that occur twice.
func TestCall_ArgumentsAsWritten(t *testing.T) {
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	use[statusOutput](t, c, "connect", nil)
	const arguments = `{"message":"x","id":9007199254740993,"f":1.0,"big":12345678901234567890123,"huge":1e400,"a":1,"a":2}`
	result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: json.RawMessage(`{"tool":"echo","arguments":` + arguments + `}`)})
	if err != nil {
		t.Fatal(err)
	}
	var called responseOutput
	if err := json.Unmarshal([]byte(result.Content[0].(*mcp.TextContent).Text), &called); err != nil {
		t.Fatal(err)
	}
	f, _ := use[oneFrameOutput](t, c, "frame", map[string]any{"number": called.Request})
	if !strings.Contains(f.Bytes, `"arguments":`+arguments) {
		t.Errorf("the server received %s", f.Bytes)
	}
	result, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "call", Arguments: json.RawMessage(`{"tool":"echo","arguments":[1]}`)})
	if err == nil && !result.IsError {
		t.Errorf("an array as arguments: %+v", result)
	}
}
