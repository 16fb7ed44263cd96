package provenance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"mcptea/internal/jsontree"
	"mcptea/session/runs/provenance"
)

func tree(t *testing.T, text string) any {
	t.Helper()
	v, ok := jsontree.Decode([]byte(text))
	if !ok {
		t.Fatalf("no JSON: %s", text)
	}
	return v
}

// selects returns what an expression of jq selects in a JSON value.
func selects(t *testing.T, expr, text string) string {
	t.Helper()
	query, err := gojq.Parse(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	var input any
	if err := json.Unmarshal([]byte(text), &input); err != nil {
		t.Fatal(err)
	}
	value, _ := query.Run(input).Next()
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatalf("%s: %v", expr, value)
	}
	return string(out)
}

// Each row has dialogues of a request, its result, and a second request; which value of it comes from the result, and by
// which expression. The expression selects the value.
func TestChain_SourceOfAValue(t *testing.T) {
	for _, c := range []struct{ name, method, params, result, next, want string }{
		{"a member", "tools/call", `{"name":"open"}`, `{"structuredContent":{"session":"s1"}}`, `{"name":"query","arguments":{"session":"s1"}}`, `/arguments/session .structuredContent.session`},
		{"an odd name of a member", "tools/call", `{"name":"open"}`, `{"structuredContent":{"a b":[{"id":7}]}}`, `{"arguments":{"job_id":7}}`, `/arguments/job_id .structuredContent["a b"][0].id`},
		{"JSON in a text", "tools/call", `{}`, `{"content":[{"type":"text","text":"{\"job\":{\"id\":\"j-42\"}}"}]}`, `{"arguments":{"id":"j-42"}}`, `/arguments/id .content[0].text | fromjson | .job.id`},
		{"a sentence", "tools/call", `{}`, `{"content":[{"type":"text","text":"Created.\nJob id: 48213, queued"}]}`, `{"arguments":{"id":48213}}`, `/arguments/id .content[0].text | capture("id: (?<x>[^\\s,]+)").x | tonumber`},
		{"a URI of a list", "resources/list", ``, `{"resources":[{"uri":"note://x"}]}`, `{"uri":"note://x"}`, `/uri .resources[0].uri`},
		{"a long number", "tools/call", `{}`, `{"structuredContent":{"n":123456}}`, `{"arguments":{"limit":123456}}`, `/arguments/limit .structuredContent.n`},

		{"a value of the client", "tools/call", `{"arguments":{"id":"s1"}}`, `{"structuredContent":{"id":"s1"}}`, `{"arguments":{"id":"s1"}}`, ``},
		{"a common word", "tools/call", `{}`, `{"structuredContent":{"state":"open"}}`, `{"arguments":{"mode":"open"}}`, ``},
		{"a small number", "tools/call", `{}`, `{"structuredContent":{"n":3}}`, `{"arguments":{"limit":3}}`, ``},
		{"a choice of a schema", "tools/list", ``, `{"tools":[{"name":"a","inputSchema":{"properties":{"id":{"enum":["x-12345"]}}}}]}`, `{"arguments":{"id":"x-12345"}}`, ``},
		{"the name of a tool", "tools/call", `{}`, `{"structuredContent":{"name":"query-12"}}`, `{"name":"query-12"}`, ``},
		{"a part of a word", "tools/call", `{}`, `{"content":[{"type":"text","text":"id: abc123def"}]}`, `{"arguments":{"id":"abc123"}}`, ``},
		{"true", "tools/call", `{}`, `{"structuredContent":{"id":true}}`, `{"arguments":{"id":true}}`, ``},
	} {
		var chain provenance.Chain
		var params any
		if c.params != "" {
			params = tree(t, c.params)
		}
		chain.Request(c.method, params)
		chain.Result(0, nil, tree(t, c.result))
		var got []string
		for _, use := range chain.Request("tools/call", tree(t, c.next)) {
			got = append(got, use.At.Pointer()+" "+use.Expr)
			if selected := selects(t, use.Expr, c.result); selected != jsontree.Text(use.Value) {
				t.Errorf("%s: %s selects %s", c.name, use.Expr, selected)
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
