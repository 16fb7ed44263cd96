package peer_test

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
)

const orderSchema = `{"type":"object","properties":{` +
	`"region":{"type":"string","x-mcp-header":"Region"},` +
	`"cups":{"type":"integer","x-mcp-header":"Cups"},` +
	`"hot":{"type":"boolean","x-mcp-header":"Hot"},` +
	`"to":{"type":"object","properties":{"table":{"type":"string","x-mcp-header":"Table"}}}}}`

func TestServe_CompareHeaders(t *testing.T) {
	tests := []struct{ name, method, params, headers, want string }{
		{"all well", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, "MCP-Protocol-Version=2026-07-28,Mcp-Method=tools/list", ""},
		{"no version in the body", "tools/list", `{}`, "MCP-Protocol-Version=2026-07-28,Mcp-Method=tools/list", ""},
		{"no version", "tools/list", `{}`, "Mcp-Method=tools/list", "MCP-Protocol-Version is missing"},
		{"other version", "tools/list", `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`, "MCP-Protocol-Version=2025-11-25", "MCP-Protocol-Version is"},
		{"no method", "tools/list", `{}`, "MCP-Protocol-Version=x", "Mcp-Method is missing"},
		{"other method", "tools/list", `{}`, "MCP-Protocol-Version=x,Mcp-Method=Tools/list", "Mcp-Method is"},
		{"no name", "prompts/get", `{"name":"a"}`, "MCP-Protocol-Version=x,Mcp-Method=prompts/get", "Mcp-Name is missing"},
		{"other name", "prompts/get", `{"name":"a"}`, "MCP-Protocol-Version=x,Mcp-Method=prompts/get,Mcp-Name=b", "Mcp-Name is"},
		{"encoded name", "resources/read", `{"uri":"x:ü"}`, "MCP-Protocol-Version=x,Mcp-Method=resources/read,Mcp-Name==?base64?eDrDvA==?=", ""},
		{"task", "tasks/get", `{"taskId":"t"}`, "MCP-Protocol-Version=x,Mcp-Method=tasks/get,Mcp-Name=t", ""},
		{"half encoded", "prompts/get", `{"name":"a"}`, "MCP-Protocol-Version=x,Mcp-Method=prompts/get,Mcp-Name==?base64?YQ==", "Mcp-Name is"},
		{"badly encoded", "prompts/get", `{"name":"a"}`, "MCP-Protocol-Version=x,Mcp-Method=prompts/get,Mcp-Name==?base64?Y?=", "is not Base64"},
		{
			"params", "tools/call", `{"name":"o","arguments":{"region":" x ","cups":42.0,"hot":true,"to":{"table":"7"}}}`,
			"MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o,Mcp-Param-Region==?base64?IHgg?=,Mcp-Param-Cups=42,Mcp-Param-Hot=true,Mcp-Param-Table=7", "",
		},
		{"no params", "tools/call", `{"name":"o","arguments":{"region":null}}`, "MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o", ""},
		{"param missing", "tools/call", `{"name":"o","arguments":{"region":"x"}}`, "MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o", "Mcp-Param-Region is missing"},
		{"param too many", "tools/call", `{"name":"o"}`, "MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o,Mcp-Param-Region=x", "Mcp-Param-Region"},
		{"other number", "tools/call", `{"name":"o","arguments":{"cups":1}}`, "MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o,Mcp-Param-Cups=2", "Mcp-Param-Cups"},
		{"other truth", "tools/call", `{"name":"o","arguments":{"hot":true}}`, "MCP-Protocol-Version=x,Mcp-Method=tools/call,Mcp-Name=o,Mcp-Param-Hot=1", "Mcp-Param-Hot"},
	}
	endpoint := peer.Endpoint(t.Context(), &peer.Server{
		Era: peer.ModernOnly, Lists: map[string][]*peer.Entry{revision.Tools.Name: {{Key: "o", Wire: []byte(`{"name":"o","inputSchema":` + orderSchema + `}`), From: revision.R20260728}}},
	}, false)
	for _, tt := range tests {
		h := http.Header{}
		for pair := range strings.SplitSeq(tt.headers, ",") {
			name, value, _ := strings.Cut(pair, "=")
			h.Add(name, value)
		}
		frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + tt.method + `","params":` + tt.params + `}`)
		_, refusal := endpoint.Route(&http.Request{Method: http.MethodPost, Header: h}, frame, jsonrpc.Scan(frame))
		if (refusal == nil) != (tt.want == "") || refusal != nil && (!strings.Contains(refusal.Message, tt.want) || refusal.Code != revision.CodeHeaderMismatch) {
			t.Errorf("%s: %+v, want %q", tt.name, refusal, tt.want)
		}
	}
}
