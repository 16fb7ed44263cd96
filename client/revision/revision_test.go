package revision_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

func TestMethods_ByRevision(t *testing.T) {
	tests := []struct {
		method string
		has    []revision.Revision
	}{
		{"initialize", revision.WithHandshake()},
		{"tools/call", revision.All()},
		{"server/discover", []revision.Revision{revision.R20260728}},
		{"elicitation/create", []revision.Revision{revision.R20250618, revision.R20251125}},
		{"tasks/get", []revision.Revision{revision.R20251125, revision.R20260728}},
		{"tasks/result", []revision.Revision{revision.R20251125}},
	}
	for _, tt := range tests {
		m, ok := revision.Lookup(tt.method)
		if !ok {
			t.Fatalf("no %s", tt.method)
		}
		for _, r := range revision.All() {
			if m.In(r) != slices.Contains(tt.has, r) {
				t.Errorf("%s in %s: %v", tt.method, r, m.In(r))
			}
		}
		if !m.In("2099-01-01") {
			t.Errorf("%s is denied to an unknown revision", tt.method)
		}
	}
}

func TestSender_ByRevision(t *testing.T) {
	tests := []struct {
		method string
		r      revision.Revision
		want   revision.Sender
	}{
		{"notifications/progress", revision.R20251125, revision.Both},
		{"notifications/progress", revision.R20260728, revision.Server},
		{"tasks/cancel", revision.R20251125, revision.Both},
		{"tasks/cancel", revision.R20260728, revision.Client},
		{"roots/list", revision.R20260728, 0}, // embedded
		{"roots/list", "2099-01-01", revision.Server},
	}
	for _, tt := range tests {
		m, _ := revision.Lookup(tt.method)
		if got := m.Sender(tt.r); got != tt.want {
			t.Errorf("%s in %s is sent by %d, want %d", tt.method, tt.r, got, tt.want)
		}
	}
}

// declared reports whether a side can declare a capability in a revision.
func declared(r revision.Revision, s revision.Sender, path []string) bool {
	for _, c := range revision.Capabilities(s) {
		if c.Name != path[0] || !c.In(r) {
			continue
		}
		if len(path) == 1 || c.Open {
			return true
		}
		return slices.Contains(c.Flags(r), strings.Join(path[1:], "."))
	}
	return false
}

// What a method needs must be something that the side can declare: the
// receiver of a request, the sender of a notification.
func TestNeeds_DeclaredCapabilities(t *testing.T) {
	other := map[revision.Sender]revision.Sender{revision.Client: revision.Server, revision.Server: revision.Client}
	for _, r := range revision.All() {
		for sender, receiver := range other {
			for _, m := range revision.Methods(r, sender) {
				side := receiver
				if m.IsNotification() {
					side = sender
				}
				if needs := m.Needs(r, sender); len(needs) > 0 && !declared(r, side, needs) {
					t.Errorf("%s needs %v in %s, which neither side can declare", m.Name, needs, r)
				}
			}
		}
	}
}

func TestNeeds_UnknownRevision(t *testing.T) {
	m, _ := revision.Lookup("tools/call")
	if needs := m.Needs("", revision.Client); needs != nil {
		t.Errorf("needs %v", needs)
	}
	if needs := m.Needs(revision.R20250618, revision.Client); !slices.Equal(needs, []string{"tools"}) {
		t.Errorf("needs %v", needs)
	}
}

// The lists that the client fetches are those that have pages and a capability
// of the same name here.
func TestMethods_Paginated(t *testing.T) {
	for _, kind := range client.ListKinds {
		m, ok := revision.Lookup(kind.Method)
		if !ok || !m.Paged() {
			t.Errorf("%s: in the table %v, paged %v", kind.Method, ok, m.Paged())
		}
		for _, r := range revision.All() {
			if !m.In(r) {
				continue
			}
			if needs := m.Needs(r, revision.Client); !slices.Equal(needs, kind.Capability()) {
				t.Errorf("%s needs %v in %s, and %v for the client", kind.Method, needs, r, kind.Capability())
			}
			has := func(m revision.Member) bool { return m.Name == kind.Member && m.Required }
			if !slices.ContainsFunc(m.ResultMembers(r), has) {
				t.Errorf("the result of %s has no %s in %s", kind.Method, kind.Member, r)
			}
		}
	}
}

// A template is what the newest revision that has the method wants, but for
// what every request carries there.
func TestMethods_ParamsTemplate(t *testing.T) {
	for _, m := range revision.Methods("", revision.Client) {
		var newest revision.Revision
		for _, r := range revision.All() {
			if m.Sender(r)&revision.Client != 0 {
				newest = r
			}
		}
		var template map[string]any
		if m.Params != "" {
			if err := json.Unmarshal([]byte(m.Params), &template); err != nil {
				t.Errorf("%s: %v", m.Name, err)
			}
		}
		for _, p := range m.ParamMembers(newest) {
			if _, ok := template[p.Name]; p.Required && !ok && p.Name != "_meta" {
				t.Errorf("the template of %s has no %s", m.Name, p.Name)
			}
			delete(template, p.Name)
		}
		for name := range template {
			t.Errorf("the template of %s has %s, which it does not know", m.Name, name)
		}
	}
}

// An unknown revision requires only what all revisions require.
func TestMembers_UnknownRevision(t *testing.T) {
	m, _ := revision.Lookup("tools/call")
	var required, optional []string
	for _, p := range m.ParamMembers("2099-01-01") {
		if p.Required {
			required = append(required, p.Name)
		} else {
			optional = append(optional, p.Name)
		}
	}
	slices.Sort(optional)
	if !slices.Equal(required, []string{"name"}) || !slices.Equal(optional, []string{"_meta", "arguments", "inputResponses", "requestState", "task"}) {
		t.Errorf("required %v, optional %v", required, optional)
	}
}

func TestSuggest(t *testing.T) {
	tests := map[string]string{
		"initialized":                     "notifications/initialized",
		"progress":                        "notifications/progress",
		"cancelled":                       "notifications/cancelled",
		"logging/message":                 "notifications/message",
		"notifications/log":               "notifications/message",
		"log":                             "notifications/message",
		"tools/execute":                   "tools/call",
		"tool/call":                       "tools/call",
		"resources/get":                   "resources/read",
		"prompts/read":                    "prompts/get",
		"notifications/tools/listChanged": "notifications/tools/list_changed",
		"roots/listChanged":               "notifications/roots/list_changed",
		"$/progress":                      "notifications/progress",
		"$/cancelRequest":                 "notifications/cancelled",
		"mcp/tools/list":                  "tools/list",
		"mcp/initialized":                 "notifications/initialized",
		"Tools/Call":                      "tools/call",
		"logging/setlevel":                "logging/setLevel",

		// Methods, and names that may mean anything.
		"tools/call":   "",
		"exit":         "",
		"shutdown":     "",
		"rpc.discover": "",
		"jira_search":  "",
		"mcp/":         "",
		"":             "",
	}
	for name, want := range tests {
		if got, ok := revision.Suggest(name); got != want || ok != (want != "") {
			t.Errorf("%q means %q, %v", name, got, ok)
		}
		if want != "" {
			if _, ok := revision.Lookup(want); !ok {
				t.Errorf("%s is no method itself", want)
			}
		}
	}
}

// Cancelling these requests violates the specification.
func TestCancellable(t *testing.T) {
	for _, name := range []string{"initialize", "ping", "tasks/cancel", "notifications/initialized"} {
		if m, _ := revision.Lookup(name); m.Cancellable() {
			t.Errorf("%s can be cancelled", name)
		}
	}
	if m, _ := revision.Lookup("tools/call"); !m.Cancellable() {
		t.Error("tools/call cannot be cancelled")
	}
}

func TestCodes_JSONRPC(t *testing.T) {
	own := []int{
		jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest, jsonrpc.CodeMethodNotFound,
		jsonrpc.CodeInvalidParams, jsonrpc.CodeInternalError,
	}
	for _, r := range revision.All() {
		for _, code := range own {
			if !slices.ContainsFunc(revision.Codes(r), func(c revision.Code) bool { return c.Code == code && c.Name != "" }) {
				t.Errorf("%s has no %d", r, code)
			}
		}
	}
}

func TestNegotiate_NewestCommon(t *testing.T) {
	if r, ok := revision.NewestCommonHandshake([]string{"2024-11-05", "2025-06-18", "2026-07-28"}); !ok || r != revision.R20250618 {
		t.Errorf("got %q %v", r, ok)
	}
	if r, ok := revision.NewestCommonHandshake([]string{"2026-07-28", "latest"}); ok {
		t.Errorf("got %q", r)
	}
}

func TestBefore(t *testing.T) {
	if !revision.R20241105.Before(revision.R20260728) || revision.R20251125.Before(revision.R20251125) || revision.Revision("1999-01-01").Before(revision.R20260728) {
		t.Error("the order of the revisions is wrong")
	}
}
