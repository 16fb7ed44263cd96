package card_test

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"mcptea/client/revision"
	"mcptea/session/explain/card"
)

// means is one meaning of a code: its name, who gave it, and where it holds.
type means struct {
	name, by string
	from, to revision.Revision
}

const (
	r24, r25a = revision.R20241105, revision.R20250326
	r25c, r26 = revision.R20251125, revision.R20260728
)

// known are the codes that are seen, with all that each means and where.
var known = map[string][]means{
	"-32700": {{"Parse error", "JSON-RPC", r24, r26}},
	"-32600": {{"Invalid request", "JSON-RPC", r24, r26}, {"Session or headers rejected", "SDK", r25a, r25c}, {"Task required", "MCP", r25c, r25c}},
	"-32601": {
		{"Method not found", "JSON-RPC", r24, r26},
		{"Client feature not supported", "MCP", r24, r25c},
		{"Tool must, or must not, run as a task", "MCP", r25c, r25c},
	},
	"-32602": {
		{"Invalid params", "JSON-RPC", r24, r26},
		{"Unknown tool or prompt, cursor or log level", "MCP", r24, r26},
		{"Unknown task", "MCP", r25c, r26},
		{"Resource not found", "MCP", r26, r26},
		{"Unsupported protocol version", "MCP", r24, r25c},
		{"Required _meta is missing", "MCP", r26, r26},
		{"Request rejected by the client", "MCP", r25c, r25c},
	},
	"-32603": {{"Internal error", "JSON-RPC", r24, r26}},
	"-32000": {
		{"Request rejected", "TypeScript", r25a, r25c},
		{"Connection closed", "TypeScript and Python", r24, r26},
		{"Server overloaded", "Go SDK", r24, r26},
	},
	"-32001": {
		{"Session not found", "TypeScript and C#", r25a, r25c},
		{"Request timeout", "TypeScript", r24, r26},
		{"Header mismatch (code of a draft)", "drafts", r26, r26},
		{"Unknown error", "Language Server Protocol", r24, r26},
		{"Tool not found", "article", r24, r26},
	},
	"-32002": {
		{"Resource not found", "MCP", r24, r25c},
		{"Resource not found (code of older protocol versions)", "MCP", r26, r26},
		{"Tool execution failed", "article", r24, r26},
		{"Server not initialized", "Language Server Protocol", r24, r26},
	},
	"-32003": {
		{"Missing client capability (code of a draft)", "drafts", r26, r26},
		{"Client closing", "Go SDK", r24, r26},
		{"Resource not found", "article", r24, r26},
	},
	"-32004": {
		{"Unsupported protocol version (code of a draft)", "drafts", r26, r26},
		{"Server closing", "Go SDK", r24, r26},
		{"Resource unavailable", "article", r24, r26},
	},
	"-32005": {{"Rejected by the transport", "Go SDK", r24, r26}, {"Invalid resource URI", "article", r24, r26}},
	"-32006": {{"Prompt not found", "article", r24, r26}},
	"-32007": {{"Unauthorized", "article", r24, r26}},
	"-32008": {{"Rate limit exceeded", "article", r24, r26}},
	"-32020": {{"Header mismatch", "MCP", r26, r26}},
	"-32021": {{"Missing required client capability", "MCP", r26, r26}},
	"-32022": {{"Unsupported protocol version", "MCP", r26, r26}},
	"-32042": {{"URL elicitation required", "MCP", r25c, r25c}, {"URL elicitation required (code of 2025-11-25)", "MCP", r26, r26}},
	"-32800": {{"Request cancelled", "Language Server Protocol", r24, r26}, {"Request cancelled", "article", r24, r26}},
	"-32801": {{"Content modified", "Language Server Protocol", r24, r26}, {"Content too large", "article", r24, r26}},
	"-32802": {{"Server cancelled", "Language Server Protocol", r24, r26}},
	"-32803": {{"Request failed", "Language Server Protocol", r24, r26}},
	"-1":     {{"User rejected sampling", "MCP", r24, r25c}},
	"0":      {{"Uncaught exception", "Python", r24, r26}},
	"408":    {{"Request timeout", "Python", r24, r26}},
}

func TestCard_EveryCodeInEveryRevision(t *testing.T) {
	for code, all := range known {
		for _, r := range revision.All() {
			c, ok := card.Find("code "+code, card.Where{Revision: r})
			if !ok || c.Kind != card.Code {
				t.Errorf("%s has no card", code)
				continue
			}
			here := slices.ContainsFunc(all, func(m means) bool { return !r.Before(m.from) && !m.to.Before(r) })
			for _, m := range all {
				in := !r.Before(m.from) && !m.to.Before(r)
				at := slices.IndexFunc(c.Meanings, func(got card.Meaning) bool { return got.Name == m.name && strings.Contains(got.By, m.by) })
				switch {
				case in && (at < 0 || c.Meanings[at].Elsewhere):
					t.Errorf("%s in %s lacks %q by %s: %+v", code, r, m.name, m.by, c.Meanings)
				case !in && here && at >= 0:
					t.Errorf("%s in %s may mean %q, which that revision does not have", code, r, m.name)
				case !in && at >= 0 && !c.Meanings[at].Elsewhere:
					t.Errorf("%s in %s does not say that %q is of other revisions", code, r, m.name)
				}
			}
			for _, m := range c.Meanings {
				if m.Means == "" || m.Cause == "" || m.Check == "" || m.By == "" || m.Revisions == "" {
					t.Errorf("%s in %s is told by halves: %+v", code, r, m)
				}
			}
		}
	}
}

// What the specification defines comes first wherever it does, under its name.
func TestCard_OfCode_SpecificationFirst(t *testing.T) {
	for _, r := range revision.All() {
		for _, defined := range revision.Codes(r) {
			m := card.OfCode(int64(defined.Code), card.Where{Revision: r}).Likely()
			if m.Elsewhere || !strings.Contains(m.By, "MCP") {
				t.Errorf("%d in %s is said to be by %s", defined.Code, r, m.By)
			}
			if m.Name != defined.Name {
				t.Errorf("%d in %s is called %q, want %q", defined.Code, r, m.Name, defined.Name)
			}
		}
	}
}

// cardEntry is what the tables say of a code, or of a term.
type cardEntry struct {
	Kind    card.Kind `json:"kind"`
	Key     string    `json:"key"`
	Code    *int64    `json:"code"`
	Name    string    `json:"name"`
	Origin  string    `json:"origin"`
	Retired bool      `json:"retired"`
}

func cardTable(t *testing.T, name string) (all []cardEntry) {
	t.Helper()
	table, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(table) {
		var e cardEntry
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// The table explains the codes of the specification and does not define others.
func TestCard_Codes_DefinedBySpecification(t *testing.T) {
	for _, e := range cardTable(t, "meanings.jsonl") {
		if e.Kind != card.Code || e.Origin != "mcp" && e.Origin != "jsonrpc" || e.Retired {
			continue
		}
		for _, r := range revision.All() {
			defined := slices.ContainsFunc(card.OfCode(*e.Code, card.Where{Revision: r}).Meanings, func(m card.Meaning) bool { return m.Name == e.Name && !m.Elsewhere })
			if defined && !slices.ContainsFunc(revision.Codes(r), func(c revision.Code) bool { return int64(c.Code) == *e.Code }) {
				t.Errorf("%d %q is said to be of %s, which does not define it", *e.Code, e.Name, r)
			}
		}
	}
}

func TestCard_PrivateCodesAreCalledPrivate(t *testing.T) {
	for code := int64(-32019); code <= -32000; code++ {
		for _, r := range append(revision.All(), "") {
			c := card.OfCode(code, card.Where{Revision: r})
			text := lines(c)
			private := strings.Index(text, "private to the implementation")
			if private < 0 {
				t.Errorf("%d in %s is not called private:\n%s", code, r, text)
			}
			if len(c.Meanings) > 0 && private > strings.Index(text, c.Meanings[0].Means) {
				t.Errorf("%d in %s: the guess comes first", code, r)
			}
			if m := c.Likely(); m.By != card.ByMCP && len(c.Meanings) > 0 && !strings.Contains(c.Brief()[0].Text, "private") {
				t.Errorf("%d in %s in short: %s", code, r, c.Brief()[0].Text)
			}
		}
	}
}

func TestCard_OfCode_UnknownCodeHasRange(t *testing.T) {
	for code, want := range map[string]string{
		"-32768": "reserved by JSON-RPC", "-32500": "reserved by JSON-RPC", "-32100": "reserved by JSON-RPC",
		"-32769": "free for applications", "-32850": "free for applications", "-31999": "free for applications",
		"-32010": "left to implementations", "-32050 in 2025-11-25": "left to implementations", "-32050 in 2026-07-28": "reserved by MCP",
		"-2": "free for applications", "12": "HTTP statuses", "700": "free for applications", "9223372036854775807": "free for applications",
		"-32150": "a widely copied article",
	} {
		word, r, _ := strings.Cut(code, " in ")
		c, ok := card.Find("code "+word, card.Where{Revision: revision.Revision(r)})
		if text := lines(c); !ok || !strings.Contains(text, want) || !strings.Contains(text, "No known implementation uses") {
			t.Errorf("%s does not say %q:\n%s", code, want, text)
		}
	}
}

func TestCard_TheCaseAtHandDecides(t *testing.T) {
	for name, c := range map[string]struct {
		code  int64
		where card.Where
		want  string
	}{
		"session lost":       {-32001, card.Where{Revision: r25c, Wire: true, HTTP: 404, Message: "Session not found"}, "Session not found"},
		"tool by an article": {-32001, card.Where{Revision: r25c, Wire: true, Method: "tools/call", Message: "Tool not found: x"}, "Tool not found"},
		"a draft":            {-32003, card.Where{Revision: r25c, Wire: true, Data: []string{"requiredCapabilities"}}, "Missing client capability (code of a draft)"},
		"article":            {-32003, card.Where{Revision: r25c, Wire: true, Method: "resources/read", Message: "Resource not found"}, "Resource not found"},
		"client has none":    {-32601, card.Where{Revision: r25c, Wire: true, Sender: revision.Client, Method: "roots/list"}, "Client feature not supported"},
		"server lacks it":    {-32601, card.Where{Revision: r25c, Wire: true, Sender: revision.Server, Method: "prompts/list"}, "Method not found"},
		"as a task":          {-32601, card.Where{Revision: r25c, Wire: true, Sender: revision.Server, Method: "tools/call", Message: "Tool requires task augmentation"}, "Tool must, or must not, run as a task"},
		"unknown tool":       {-32602, card.Where{Revision: r25c, Wire: true, Method: "tools/call", Message: "Unknown tool: x"}, "Unknown tool or prompt, cursor or log level"},
		"wrong argument":     {-32602, card.Where{Revision: r25c, Wire: true, Method: "tools/call", Message: "Invalid arguments: a must be a string"}, "Invalid params"},
		"resource of 26":     {-32602, card.Where{Revision: r26, Wire: true, Method: "resources/read", Data: []string{"uri"}}, "Resource not found"},
		"no _meta":           {-32602, card.Where{Revision: r26, Wire: true, HTTP: 400, Message: "missing _meta"}, "Required _meta is missing"},
		"no such revision":   {-32602, card.Where{Wire: true, Method: "initialize", Data: []string{"supported", "requested"}}, "Unsupported protocol version"},
		"unknown task":       {-32602, card.Where{Revision: r25c, Wire: true, Method: "tasks/get"}, "Unknown task"},
		"no handshake yet":   {-32002, card.Where{Revision: r25c, Wire: true, Method: "tools/list", Message: "Server not initialized"}, "Server not initialized"},
		"tool of an article": {-32002, card.Where{Revision: r25c, Wire: true, Method: "tools/call", Message: "Tool execution failed"}, "Tool execution failed"},
		"no local event":     {-32000, card.Where{Revision: r25c, Wire: true, Message: "boom"}, "Server error"},
		"closed at home":     {-32000, card.Where{Message: "Connection closed"}, "Connection closed"},
		"408 was sent":       {408, card.Where{Wire: true}, "free for applications"},
	} {
		if got := card.OfCode(c.code, c.where).Likely().Name; got != c.want {
			t.Errorf("%s: %d most likely means %q, want %q", name, c.code, got, c.want)
		}
	}
}

func TestCard_ErrorsTellTheirCode(t *testing.T) {
	for frame, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32003,"message":"m","data":{"requiredCapabilities":{}}}}`: "Missing client capability (code of a draft)",
		`{"error":{"code":-32602,"message":"Unknown tool: x"}}`:                                             "Unknown tool or prompt, cursor or log level",
		`{"error":{"code":-32603,"message":"cut`:                                                            "Internal error",
		`{"error":{"code":"-32602\u001b","message":"m"}}`:                                                   "not an error code",
		`{"error":{"code":-32602.5}}`:                                                                       "not an error code",
		`{"error":{}}`:                                                                                      "not an error code",
		`{"error":"it failed"}`:                                                                             "not an error code",
	} {
		if c, ok := card.OfError([]byte(frame), card.Where{Wire: true}); !ok || c.Likely().Name != want {
			t.Errorf("%s is explained as %q, want %q (%v)", frame, c.Likely().Name, want, ok)
		}
	}
	if c, ok := card.OfError([]byte(`{"result":{}}`), card.Where{}); ok {
		t.Errorf("a result has a code: %+v", c)
	}
}

// lines is a card as text.
func lines(c card.Card) string {
	var b strings.Builder
	for _, l := range c.Lines() {
		b.WriteString(l.Label + " " + l.Text + "\n")
	}
	return b.String()
}
