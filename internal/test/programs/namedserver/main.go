// Command namedserver is an MCP server whose tools, resources and prompts have the names in its arguments, which are Go
// strings without quotes. Each of them returns the params of the request, _meta aside.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"mcptea/client/jsonrpc"
)

func main() {
	tools, resources, prompts := []map[string]any{}, []map[string]any{}, []map[string]any{}
	known := map[string]bool{}
	for _, arg := range os.Args[1:] {
		name, err := strconv.Unquote(`"` + arg + `"`)
		if err != nil {
			fmt.Fprintf(os.Stderr, "%q: %v\n", arg, err)
			os.Exit(1)
		}
		known[name] = true
		tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
		resources = append(resources, map[string]any{"name": name, "uri": name})
		prompts = append(prompts, map[string]any{"name": name, "arguments": []any{map[string]any{"name": "a"}}})
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		e := jsonrpc.Scan(lines.Bytes())
		params := withoutMeta(e.Params.Of(lines.Bytes()))
		var result any
		switch e.MethodName(lines.Bytes()) {
		case "initialize":
			result = map[string]any{
				"protocolVersion": "2025-06-18", "serverInfo": map[string]string{"name": "named", "version": "1"},
				"capabilities": map[string]any{"tools": map[string]any{}, "resources": map[string]any{}, "prompts": map[string]any{}},
			}
		case "tools/list":
			result = map[string]any{"tools": tools}
		case "resources/list":
			result = map[string]any{"resources": resources}
		case "resources/templates/list":
			result = map[string]any{"resourceTemplates": []any{}}
		case "prompts/list":
			result = map[string]any{"prompts": prompts}
		case "tools/call":
			name, _ := jsonrpc.Member(params, "name")
			if s, _ := jsonrpc.Unquote(name); !known[s] {
				answerLine(e, lines.Bytes(), "error", map[string]any{"code": -32602, "message": "Unknown tool: " + s})
				continue
			}
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": string(params)}}}
		case "resources/read":
			result = map[string]any{"contents": []any{map[string]any{"uri": "x:", "text": string(params)}}}
		case "prompts/get":
			result = map[string]any{"messages": []any{map[string]any{"role": "user", "content": map[string]any{"type": "text", "text": string(params)}}}}
		default:
			answerLine(e, lines.Bytes(), "error", map[string]any{"code": -32601, "message": "Method not found"})
			continue
		}
		answerLine(e, lines.Bytes(), "result", result)
	}
}

// withoutMeta returns params without the progress token, which differs from call to call.
func withoutMeta(params []byte) json.RawMessage {
	var kept []byte
	for name, value := range jsonrpc.Members(params) {
		if string(name) != "_meta" {
			kept = append(append(append(append(kept, ','), jsonrpc.Quote(string(name))...), ':'), value...)
		}
	}
	return append(append([]byte("{"), bytes.TrimPrefix(kept, []byte(","))...), '}')
}

func answerLine(e jsonrpc.Envelope, request []byte, member string, value any) {
	if e.Kind != jsonrpc.Request {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("{\"jsonrpc\":\"2.0\",\"id\":%s,%q:%s}\n", e.ID.Of(request), member, raw)
}
