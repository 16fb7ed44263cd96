package oauthtest

import (
	"context"
	"encoding/json"
	"net/http"
)

type bodyKey struct{}

func withBody(ctx context.Context, body string) context.Context {
	return context.WithValue(ctx, bodyKey{}, body)
}

// bodyOf returns the JSON that came with a request.
func bodyOf(ctx context.Context) string {
	body, _ := ctx.Value(bodyKey{}).(string)
	return body
}

// answerMCP implements a very small MCP server with two tools.
func answerMCP(w http.ResponseWriter, r *http.Request) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Version string `json:"protocolVersion"`
		} `json:"params"`
	}
	switch {
	case r.Method != http.MethodPost:
		http.Error(w, "POST alone", http.StatusMethodNotAllowed)
		return
	case json.Unmarshal([]byte(bodyOf(r.Context())), &message) != nil:
		http.Error(w, "no JSON", http.StatusBadRequest)
		return
	case message.ID == nil:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": message.ID}
	switch message.Method {
	case "initialize":
		answer["result"] = map[string]any{
			"protocolVersion": message.Params.Version,
			"capabilities":    map[string]any{"tools": map[string]any{}},
			"serverInfo":      map[string]any{"name": "oauthtest", "version": "1"},
		}
	case "ping":
		answer["result"] = map[string]any{}
	case "tools/list":
		schema := map[string]any{"type": "object"}
		answer["result"] = map[string]any{"tools": []any{
			map[string]any{"name": "whoami", "description": "Says hello to who has a token", "inputSchema": schema},
			map[string]any{"name": "admin", "description": "Needs a scope of its own", "inputSchema": schema},
		}}
	case "tools/call":
		answer["result"] = map[string]any{"content": []any{map[string]any{"type": "text", "text": "hello"}}}
	default:
		answer["error"] = map[string]any{"code": -32601, "message": "Method not found"}
	}
	answerJSON(w, http.StatusOK, answer)
}
