//go:build unix

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/lint/sdks"
)

// oneFault is a tool that is wrong, or odd, in one thing.
type oneFault struct {
	name string
	tool json.RawMessage
}

const rightTool = `{"name":"b","title":"T","description":"d",
	"inputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},
	"outputSchema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},
	"annotations":{"title":"t","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},
	"icons":[{"src":"https://x.example/y.png","mimeType":"image/png","sizes":["16x16"],"theme":"light"}],
	"execution":{"taskSupport":"optional"},"_meta":{"k":1}}`

// faultyTools are tools with each member missing and of each type of JSON, and with schemas in each of which one
// keyword has another value.
func faultyTools(t *testing.T) (all []oneFault) {
	t.Helper()
	add := func(name string, change func(tool map[string]any)) {
		var tool map[string]any
		if err := json.Unmarshal([]byte(rightTool), &tool); err != nil {
			t.Fatal(err)
		}
		change(tool)
		raw, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, oneFault{name, raw})
	}
	values := map[string]any{"null": nil, "boolean": true, "number": 5, "string": "x", "array": []any{}, "object": map[string]any{}}
	for _, path := range strings.Fields(`name title description inputSchema inputSchema/type inputSchema/properties inputSchema/properties/a
		inputSchema/required outputSchema outputSchema/type outputSchema/properties outputSchema/properties/a outputSchema/required
		annotations annotations/title annotations/readOnlyHint annotations/destructiveHint annotations/idempotentHint annotations/openWorldHint
		icons execution execution/taskSupport _meta`) {
		parts := strings.Split(path, "/")
		last := parts[len(parts)-1]
		within := func(tool map[string]any) map[string]any {
			for _, part := range parts[:len(parts)-1] {
				tool = tool[part].(map[string]any)
			}
			return tool
		}
		add(path+" missing", func(tool map[string]any) { delete(within(tool), last) })
		for kind, value := range values {
			add(path+" "+kind, func(tool map[string]any) { within(tool)[last] = value })
		}
	}
	for kind, value := range values {
		for _, schema := range []string{"inputSchema", "outputSchema"} {
			add(schema+"/required/0 "+kind, func(tool map[string]any) { tool[schema].(map[string]any)["required"] = []any{value} })
		}
		add("icons/0 "+kind, func(tool map[string]any) { tool["icons"] = []any{value} })
		for _, member := range []string{"src", "mimeType", "sizes", "theme"} {
			add("icons/0/"+member+" "+kind, func(tool map[string]any) { tool["icons"].([]any)[0].(map[string]any)[member] = value })
		}
		add("icons/0/sizes/0 "+kind, func(tool map[string]any) { tool["icons"].([]any)[0].(map[string]any)["sizes"] = []any{value} })
	}
	add("icons/0/src missing", func(tool map[string]any) { delete(tool["icons"].([]any)[0].(map[string]any), "src") })
	add("icons/0/theme sepia", func(tool map[string]any) { tool["icons"].([]any)[0].(map[string]any)["theme"] = "sepia" })
	add("execution/taskSupport maybe", func(tool map[string]any) { tool["execution"] = map[string]any{"taskSupport": "maybe"} })
	values["array of a string"], values["array of an object"], values["object of an object"] = []any{"x"}, []any{map[string]any{}}, map[string]any{"k": map[string]any{}}
	for _, keyword := range strings.Fields(`type title description default format pattern enum const properties patternProperties additionalProperties
		propertyNames required dependentRequired dependencies minProperties maxProperties items prefixItems additionalItems contains minItems maxItems
		uniqueItems minLength maxLength minimum maximum exclusiveMinimum multipleOf allOf anyOf oneOf not if then else $ref $anchor $comment $defs
		unevaluatedProperties readOnly examples nullable x-other`) {
		for kind, value := range values {
			add("outputSchema "+keyword+" "+kind, func(tool map[string]any) {
				tool["outputSchema"].(map[string]any)["properties"] = map[string]any{"p": map[string]any{keyword: value}}
			})
		}
	}
	for _, schema := range []string{
		`{"$ref":"#/nope"}`, `{"$ref":"#/$defs/none"}`, `{"$ref":"https://x.example/x.json"}`, `{"$ref":"#"}`, `{"$ref":"#/properties/p"}`, `{"type":["null","string"]}`,
		`{"type":["object","strnig"]}`, `{"type":"integer"}`, `{"type":"any"}`, `{"anyOf":[{"type":"strnig"}]}`, `{"properties":{"q":{"enum":[]}}}`, `{"nullable":true,"type":"string"}`,
		`{"pattern":"("}`, `{"pattern":"(?i)x"}`, `{"pattern":"^\\d{3}-[a-z\\-]+$"}`, `{"pattern":"\\-"}`, `{"pattern":"(?P<x>a)"}`, `{"pattern":"\\p{L}+"}`, `{"pattern":"[a"}`, `{"pattern":"\\Ax\\z"}`,
		`{"format":"nope"}`, `{"minLength":-1}`, `{"items":[{"type":"string"}]}`, `{"exclusiveMinimum":true,"minimum":1}`,
	} {
		add("outputSchema "+schema, func(tool map[string]any) {
			tool["outputSchema"].(map[string]any)["properties"] = map[string]any{"p": json.RawMessage(schema)}
		})
	}
	for _, definitions := range []string{"$defs", "definitions"} {
		for name, properties := range map[string]string{"used": `{"p":{"$ref":"#/` + definitions + `/d"}}`, "not used": `{"p":{"type":"string"}}`, "used by another": `{"p":{"$ref":"#/` + definitions + `/e"}}`, "that is right": `{"p":{"$ref":"#/` + definitions + `/f"}}`} {
			add("outputSchema "+definitions+" "+name, func(tool map[string]any) {
				schema := tool["outputSchema"].(map[string]any)
				schema[definitions] = json.RawMessage(`{"d":{"type":"strnig"},"e":{"items":{"$ref":"#/` + definitions + `/d"}},"f":{"type":"object","properties":{"next":{"$ref":"#/` + definitions + `/f"}}}}`)
				schema["properties"] = json.RawMessage(properties)
			})
		}
	}
	add("right", func(map[string]any) {})
	return all
}

// compareSDK compares what an SDK did with what the table says that it does: refuses returns that.
func compareSDK(t *testing.T, id string, faults []oneFault, results []string, refuses func(*sdks.SDK, []byte) []sdks.Fault) {
	t.Helper()
	if len(results) != len(faults) {
		t.Fatalf("there are %d results of %d tools; the last is %s", len(results), len(faults), results[max(0, len(results)-1)])
	}
	sdk, refused := sdks.Named(id), 0
	for i, f := range faults {
		found := refuses(sdk, f.tool)
		if strings.HasPrefix(results[i], "refused") {
			refused++
		}
		if strings.HasPrefix(results[i], "refused") != (len(found) > 0) {
			t.Errorf("%s: %s says %s; the table says %+v", f.name, sdk.Release(), results[i], found)
		}
	}
	if refused == 0 || refused == len(faults) {
		t.Errorf("%d of %d lists are refused", refused, len(faults))
	}
}

func TestClientSDKs_Go(t *testing.T) {
	faults := faultyTools(t)
	var results []string
	for _, f := range faults {
		results = append(results, listWithGoSDK(t, f.tool))
	}
	compareSDK(t, "go-sdk", faults, results, (*sdks.SDK).Refuses)
}

// cannedTransport answers initialize and tools/list.
type cannedTransport struct {
	initialize string // its result
	tool       json.RawMessage
	reply      chan jsonrpc.Message
	closed     chan struct{}
	once       sync.Once
}

func (c *cannedTransport) Connect(context.Context) (mcp.Connection, error) { return c, nil }
func (c *cannedTransport) SessionID() string                               { return "" }

func (c *cannedTransport) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *cannedTransport) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.reply:
		return m, nil
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *cannedTransport) Write(_ context.Context, m jsonrpc.Message) error {
	request, ok := m.(*jsonrpc.Request)
	if !ok || !request.ID.IsValid() {
		return nil
	}
	result := map[string]string{
		"initialize": c.initialize,
		"tools/list": fmt.Sprintf(`{"tools":[{"name":"good","inputSchema":{"type":"object"}},%s]}`, c.tool),
	}[request.Method]
	response := &jsonrpc.Response{ID: request.ID, Result: json.RawMessage(result)}
	if result == "" {
		response.Error = &jsonrpc.Error{Code: -32601, Message: "Method not found"}
	}
	c.reply <- response
	return nil
}

func listWithGoSDK(t *testing.T, tool json.RawMessage) string {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "list", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &cannedTransport{initialize: rightHandshake, tool: tool, reply: make(chan jsonrpc.Message, 8), closed: make(chan struct{})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		return "refused: " + err.Error()
	}
	return fmt.Sprint(len(list.Tools))
}

func TestClientSDKs_TypeScript(t *testing.T) {
	withTypeScriptSDKs(t, faultyTools(t), (*sdks.SDK).Refuses)
}

// withTypeScriptSDKs compares what the SDKs did with each of some faults; list.mjs takes more arguments.
func withTypeScriptSDKs(t *testing.T, faults []oneFault, refuses func(*sdks.SDK, []byte) []sdks.Fault, more ...string) {
	t.Helper()
	for id, version := range map[string]string{"typescript-sdk": "v1", "typescript-sdk-2": "v2"} {
		t.Run(id, func(t *testing.T) {
			node := peer(t, "@modelcontextprotocol/client/package.json")[0]
			var input bytes.Buffer
			for _, f := range faults {
				input.Write(append(f.tool, '\n'))
			}
			cmd := exec.CommandContext(t.Context(), node, append([]string{filepath.Join(root(t), "testdata", "peers", "list.mjs"), version}, more...)...)
			cmd.Stdin = &input
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			compareSDK(t, id, faults, strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), refuses)
		})
	}
}
