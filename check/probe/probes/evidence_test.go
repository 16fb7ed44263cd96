package probes_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcptea/check/probe"
	"mcptea/check/report"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// What a finding shows of a long list begins at its place, which is told; secrets before it and in it
// stay hidden.
func TestProbe_EvidenceBeginsAtPlace(t *testing.T) {
	tool := func(name, more string) string {
		return fmt.Sprintf(`{"name":%q,"description":"Adds two numbers.","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}%s}`, name, more)
	}
	var tools []string
	for i := range 200 {
		tools = append(tools, tool(fmt.Sprintf("tool%d", i), ""))
	}
	tools[150] = tool("broken", `,"title":{"password":"hunter2-hunter2"}`)
	s := httpServer{revision: revision.R20251125, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		return strings.Contains(body, `"tools/list"`) && result(w, body, `{"tools":[`+strings.Join(tools, ",")+`]}`)
	}}
	const place = "/result/tools/150/title"
	found := false
	for _, r := range s.run(t, "P-033").Reports {
		for i := range r.Findings {
			f := &r.Findings[i]
			if len(f.Frames) == 0 || f.Frames[0].Place != place {
				continue
			}
			found = true
			shown := string(f.Frames[0].Bytes)
			if !strings.HasPrefix(shown, `"title":{"password":"`) || strings.Contains(shown, "hunter2") || len(shown) > lint.MaxExcerpt {
				t.Errorf("%s shows %d bytes: %s", f.Message, len(shown), shown)
			}
			told := ""
			for _, fact := range report.Facts(&r, f) {
				if text := fact.Excerpt(100); fact.Label == "received" && (!strings.HasPrefix(text, `…"title":{`) || !strings.HasSuffix(text, "…")) {
					t.Errorf("the fact is %q", text)
				} else if fact.Label == "place" {
					told = text
				}
			}
			if told != place {
				t.Errorf("the place is %q", told)
			}
		}
	}
	if !found {
		t.Error("no finding about " + place)
	}
}

// What a probe says of an element shows that element, also of a response that is longer than what is kept of a
// frame.
func TestProbe_EvidenceOfElement(t *testing.T) {
	const filler = `{"role":"user","content":{"type":"text","text":"Tell me about tea, and about water."}},`
	s := httpServer{revision: revision.R20251125, fault: func(w http.ResponseWriter, _ *http.Request, body string) bool {
		return jsonrpc.Text([]byte(body), "method") == "prompts/get" && result(w, body, `{"messages":[`+strings.Repeat(filler, 100)+`{"role":"system","content":{"type":"text","text":"x"}}]}`)
	}}
	var of *probe.Finding
	for _, r := range s.run(t, "P-076", "P-033").Reports {
		for i := range r.Findings {
			if strings.Contains(r.Findings[i].Message, `"system"`) {
				of = &r.Findings[i]
			}
		}
	}
	if of == nil {
		t.Fatal("no finding")
	}
	if last := of.Frames[len(of.Frames)-1]; last.Place != "/result/messages/100/role" || !strings.HasPrefix(string(last.Bytes), `"role":"system"`) {
		t.Errorf("the evidence is %s: %s", last.Place, last.Bytes)
	}
}
