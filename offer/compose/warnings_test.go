package compose_test

import (
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/offer/compose"
)

func firstWarning(handshake client.Handshake, method, params string) string {
	if found := compose.Warnings(method, compose.Params{Text: params, Whole: true}, handshake); len(found) > 0 {
		return found[0]
	}
	return ""
}

func TestCompose_Warnings(t *testing.T) {
	handshake := func(r revision.Revision, server, ours string) client.Handshake {
		return client.Handshake{Revision: r, ServerCaps: []byte(server), ClientCaps: []byte(ours)}
	}
	newest := handshake(revision.R20251125, `{"tools":{},"completions":{}}`, `{"roots":{}}`)
	stateless := handshake(revision.R20260728, `{"tools":{}}`, `{}`)
	tests := []struct {
		handshake      client.Handshake
		method, params string
		want           string // empty for none
	}{
		{newest, "tools/call", `{"name":"echo"}`, ""},
		{newest, "tools/call", ``, "tools/call requires name in its params"},
		{newest, "tools/call", `{"arguments":{}}`, "tools/call requires name in its params"},
		{newest, "tools/call", `{"name":"","arguments":{}}`, "name is empty"},
		{newest, "tools/call", `["echo"]`, "params must be an object in MCP"},
		{newest, "completion/complete", `{}`, "completion/complete requires ref, argument in its params"},
		{newest, "initialize", `{"clientInfo":{}}`, "initialize requires protocolVersion, capabilities in its params"},
		{newest, "ping", ``, ""},
		{newest, "tools/list", ``, ""},

		{newest, "logging/message", `{"level":"info"}`, "MCP has no method logging/message. Did you mean notifications/message?"},
		{newest, "tools/execute", ``, "MCP has no method tools/execute. Did you mean tools/call?"},
		{newest, "jira_search", `{}`, "MCP has no method jira_search"},
		{newest, "server/discover", `{}`, "Protocol version 2025-11-25 has no method server/discover"},
		{newest, "sampling/createMessage", `{"messages":[],"maxTokens":1}`, "sampling/createMessage is sent by servers only"},
		{stateless, "roots/list", ``, "In protocol version 2026-07-28, roots/list is an input request: it is part of a result"},
		{stateless, "tools/list", `{}`, "tools/list requires _meta in its params"},

		{newest, "resources/read", `{"uri":"file:///a"}`, "The server did not declare resources"},
		{newest, "tasks/list", ``, "The server did not declare tasks.list"},
		{newest, "notifications/roots/list_changed", ``, "mcptea did not declare roots.listChanged"},
		{handshake(revision.R20241105, `{}`, `{}`), "completion/complete", `{"ref":{},"argument":{}}`, ""},

		// Without a connection only what holds in every revision is checked.
		{client.Handshake{}, "resources/read", `{"uri":"file:///a"}`, ""},
		{client.Handshake{}, "server/discover", `{"_meta":{}}`, ""},
		{client.Handshake{}, "resources/read", `{}`, "resources/read requires uri in its params"},
	}
	for _, tt := range tests {
		got := firstWarning(tt.handshake, tt.method, tt.params)
		if got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.method, tt.params, got, tt.want)
		}
	}
}
