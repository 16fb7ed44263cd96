package composer

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/themes"
	"mcptea/ui/paint"
)

var noon = time.Date(2026, 8, 1, 10, 31, 7, 0, time.UTC)

// foot paints the composer with a draft in it and returns its last line.
func foot(agreed client.Handshake, method, params string) string {
	p := New(nil)
	p.Refresh(session.State{Handshake: agreed}, noon, 0)
	p.Compose(method, params)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	rows := p.Paint(pal, paint.JSONStyles{}, 140, 8, true)
	return strings.Trim(ansi.Strip(rows[len(rows)-2]), "│ ")
}

func TestWhatSpeaksAgainstADraft(t *testing.T) {
	agreed := func(r revision.Revision, server, ours string) client.Handshake {
		return client.Handshake{Revision: r, ServerCaps: []byte(server), ClientCaps: []byte(ours)}
	}
	newest := agreed(revision.R20251125, `{"tools":{},"completions":{}}`, `{"roots":{}}`)
	modern := agreed(revision.R20260728, `{"tools":{}}`, `{}`)
	tests := []struct {
		agreed         client.Handshake
		method, params string
		want           string // of the last line; empty for none
	}{
		{newest, "tools/call", `{"name":"echo"}`, ""},
		{newest, "tools/call", ``, "tools/call needs name in its params"},
		{newest, "tools/call", `{"arguments":{}}`, "tools/call needs name in its params"},
		{newest, "tools/call", `{"name":"","arguments":{}}`, "name is empty"},
		{newest, "tools/call", `["echo"]`, "params of MCP are objects"},
		{newest, "completion/complete", `{}`, "completion/complete needs ref, argument in its params"},
		{newest, "initialize", `{"clientInfo":{}}`, "initialize needs protocolVersion, capabilities in its params"},
		{newest, "ping", ``, ""},
		{newest, "tools/list", ``, ""},

		{newest, "logging/message", `{"level":"info"}`, "logging/message is no method of MCP; notifications/message is"},
		{newest, "tools/execute", ``, "tools/execute is no method of MCP; tools/call is"},
		{newest, "jira_search", `{}`, "jira_search is no method of MCP"},
		{newest, "server/discover", `{}`, "server/discover is not in revision 2025-11-25"},
		{newest, "sampling/createMessage", `{"messages":[],"maxTokens":1}`, "sampling/createMessage is sent by servers"},
		{modern, "roots/list", ``, "roots/list stands in the inputRequests of a result in revision 2026-07-28"},
		{modern, "tools/list", `{}`, "tools/list needs _meta in its params"},

		{newest, "resources/read", `{"uri":"file:///a"}`, "the server did not declare resources"},
		{newest, "tasks/list", ``, "the server did not declare tasks.list"},
		{newest, "notifications/roots/list_changed", ``, "mcptea did not declare roots.listChanged"},
		{agreed(revision.R20241105, `{}`, `{}`), "completion/complete", `{"ref":{},"argument":{}}`, ""},

		// Nothing is connected: only what holds in every revision is said.
		{client.Handshake{}, "resources/read", `{"uri":"file:///a"}`, ""},
		{client.Handshake{}, "server/discover", `{"_meta":{}}`, ""},
		{client.Handshake{}, "resources/read", `{}`, "resources/read needs uri in its params"},
	}
	for _, tt := range tests {
		got := foot(tt.agreed, tt.method, tt.params)
		got = strings.TrimSpace(strings.TrimPrefix(got, "⚠"))
		if got != tt.want {
			t.Errorf("%s %s: the composer says %q, want %q", tt.method, tt.params, got, tt.want)
		}
	}
}
