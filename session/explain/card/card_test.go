package card_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/lint/rules"
	"mcptea/session/explain/card"
)

// find is the card of a word, which must have one of a kind.
func find(t *testing.T, kind card.Kind, word string, w card.Where) card.Card {
	t.Helper()
	c, ok := card.Find(word, w)
	if !ok || c.Kind != kind {
		t.Errorf("%q has no card of a %s: %+v", word, kind, c)
	}
	return c
}

func TestCard_EveryStatusInEveryRevision(t *testing.T) {
	for _, status := range []string{"200", "202", "400", "401", "403", "404", "405", "406", "409", "415", "429", "500", "502", "503", "301", "418", "599"} {
		for _, r := range revision.All() {
			m := find(t, card.Status, status, card.Where{Revision: r}).Likely()
			if m.Means == "" || m.Check == "" || m.Elsewhere {
				t.Errorf("%s in %s: %+v", status, r, m)
			}
		}
	}
	for name, c := range map[string]struct {
		status int
		where  card.Where
		want   string
	}{
		"expired":          {404, card.Where{Revision: r25c, Wire: true, Verb: "POST", Session: true}, "Session not found"},
		"wrong path":       {404, card.Where{Revision: r25c, Wire: true, Verb: "POST"}, "No MCP endpoint"},
		"no route for GET": {404, card.Where{Revision: r25c, Wire: true, Verb: "GET", Session: true, Message: "Cannot GET /mcp"}, "No route for this method"},
		"none for DELETE":  {404, card.Where{Revision: r25c, Wire: true, Verb: "DELETE", Session: true, Message: "404 page not found"}, "No route for this method"},
		"expired at GET":   {404, card.Where{Revision: r25c, Wire: true, Verb: "GET", Session: true, Message: `{"error":{"code":-32001,"message":"Session not found"}}`}, "Session not found"},
		"no registration":  {404, card.Where{Revision: r25c, Wire: true, Verb: "POST", URL: "http://127.0.0.1:3000/register", Login: true}, "No such endpoint"},
		"closed to all":    {401, card.Where{Revision: r25c, Wire: true, Verb: "POST", URL: "http://127.0.0.1:3000/register", Login: true}, "Client refused"},
		"no token":         {401, card.Where{Revision: r25c, Wire: true, Verb: "POST"}, "Unauthorized"},
		"metadata of it":   {404, card.Where{Revision: r25c, Wire: true, Verb: "GET", URL: "http://127.0.0.1:3000/.well-known/oauth-authorization-server", Login: true}, "No metadata"},
		"no metadata":      {404, card.Where{Revision: r25c, Wire: true, Verb: "GET", URL: "http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp"}, "No metadata"},
		"session of 404":   {404, card.Where{Revision: r25c, Wire: true, Verb: "GET", URL: "http://127.0.0.1:3000/.well-known/oauth-authorization-server", Session: true}, "No metadata"},
		"no such method":   {404, card.Where{Revision: r26, Wire: true, Verb: "POST", Code: -32601}, "Method not found"},
		"no stream":        {405, card.Where{Revision: r25c, Wire: true, Verb: "GET"}, "No server stream"},
		"sessions stay":    {405, card.Where{Revision: r25c, Wire: true, Verb: "DELETE"}, "Sessions are not ended by clients"},
		"older transport":  {405, card.Where{Revision: r25c, Wire: true, Verb: "POST"}, "Method not allowed"},
		"of 26":            {405, card.Where{Revision: r26, Wire: true, Verb: "GET"}, "Only POST is defined"},
		"something in 418": {418, card.Where{}, "Refused"},
	} {
		if got := card.OfStatus(c.status, c.where).Likely().Name; got != c.want {
			t.Errorf("%s: %d most likely means %q, want %q", name, c.status, got, c.want)
		}
	}
}

// The card of an exchange says nothing that the explanation of a failure with that status contradicts: what holds depends on
// where the response comes from.
func TestCard_StatusOfAProxy(t *testing.T) {
	for status, c := range map[int]struct{ says, not string }{
		421: {"let the proxy pass it on", "Use the host name"},
		404: {"a proxy in front changes it", "The path is wrong;"},
	} {
		m := card.OfStatus(status, card.Where{Revision: r25c, Wire: true, Verb: "POST", URL: "http://127.0.0.1:3000/mcp"}).Likely()
		if text := m.Means + " " + m.Cause + " " + m.Check; !strings.Contains(text, c.says) || strings.Contains(text, c.not) {
			t.Errorf("%d: %s", status, text)
		}
	}
}

func TestEveryMethodHasACard(t *testing.T) {
	if n := len(revision.Methods("", revision.Both)); n < 36 {
		t.Fatalf("the tables have %d methods", n)
	}
	for _, m := range revision.Methods("", revision.Both) {
		c := find(t, card.Method, m.Name, card.Where{})
		labels := []string{"sent by", "versions", "needs", "params"}
		if !m.IsNotification() {
			labels = append(labels, "result")
		}
		for _, label := range labels {
			if !slices.ContainsFunc(c.Facts, func(f card.Fact) bool { return f.Label == label }) {
				t.Errorf("%s does not tell %q", m.Name, label)
			}
		}
		if len(c.What) == 0 || c.What[0] == "" || c.Cause == "" || c.Check == "" {
			t.Errorf("%s is told by halves: %+v", m.Name, c)
		}
	}
	for _, text := range cardTable(t, "terms.jsonl") {
		if _, ok := revision.Lookup(text.Key); text.Kind == card.Method && !ok {
			t.Errorf("there are texts for %s, which no revision has", text.Key)
		}
	}
}

func TestCard_MethodsTellWhatBecameOfThem(t *testing.T) {
	for word, wants := range map[string][]string{
		"initialize":             {"until 2025-11-25; removed in 2026-07-28, replaced by server/discover"},
		"tools/call":             {"tools of the server", "name, arguments?", "task? (2025-11-25)", "not tool/call, tools/execute"},
		"tasks/get":              {"tasks of the receiver (2025-11-25)", "the extension io.modelcontextprotocol/tasks"},
		"sampling/createMessage": {"in a result", "deprecated since 2026-07-28", "sampling of the client"},
		"notifications/message":  {"logging of the server", "deprecated since 2026-07-28", "notifications/log"},
		"completion/complete":    {"no capability (2024-11-05)", "completions of the server (since 2025-03-26)"},
	} {
		text := lines(find(t, card.Method, word, card.Where{}))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s does not say %q:\n%s", word, want, text)
			}
		}
	}
	if text := lines(find(t, card.Method, "tools/call", card.Where{Revision: r24})); strings.Contains(text, "structuredContent") {
		t.Errorf("tools/call in 2024-11-05 has what came later:\n%s", text)
	}
}

// A name that stands for a revision in the catalogue tells a user nothing.
var (
	shortName = regexp.MustCompile(`\b(24|25a|25b|25c|26)\b`)
	date      = regexp.MustCompile(`\d{4}-\d{2}-\d{2}`)
)

func TestEveryRuleHasACard(t *testing.T) {
	for _, e := range rules.Catalogue() {
		for _, word := range []string{e.ID, strings.ToLower(e.ID), e.Slug} {
			c := find(t, card.Rule, word, card.Where{})
			text := lines(c)
			if c.Key != e.ID || c.Title != e.Slug || c.Check == "" || !strings.Contains(text, e.DefaultSeverity.String()) {
				t.Errorf("%s: %+v", word, c)
			}
			for _, label := range []string{"fires when ", "message ", "source ", "responsible ", "basis ", "versions "} {
				if !strings.Contains("\n"+text, "\n"+label) {
					t.Errorf("%s does not tell %q", word, label)
				}
			}
			if shortName.MatchString(date.ReplaceAllString(text, "")) || strings.Contains(text, "{side}") {
				t.Errorf("%s speaks in short names:\n%s", word, text)
			}
		}
	}
}

func TestCards_Complete(t *testing.T) {
	for _, side := range []revision.Sender{revision.Client, revision.Server} {
		for _, c := range revision.Capabilities(side) {
			find(t, card.Capability, c.Name, card.Where{})
		}
	}
	for _, level := range revision.Levels() {
		find(t, card.Level, level, card.Where{})
	}
	for _, r := range revision.All() {
		for _, verb := range []string{"POST", "GET", "DELETE"} {
			for _, name := range revision.Headers(r, verb, "tools/call") {
				find(t, card.Header, name, card.Where{})
			}
		}
	}
	for _, step := range []string{
		client.StepFind, client.StepStart, client.StepStream, client.StepInitialize, client.StepResponse,
		client.StepInitialized, client.StepDiscover, client.StepReady,
	} {
		if c := find(t, card.Step, step, card.Where{}); c.Cause == "" || c.Check == "" {
			t.Errorf("%s does not say what to do: %+v", step, c)
		}
	}
}

func TestCard_WhatIsSeenAlsoCanBeAskedFor(t *testing.T) {
	for _, e := range card.Index() {
		c, ok := card.Find(e.Key, card.Where{})
		if e.Kind == card.Code {
			c, ok = card.Find("code "+e.Key, card.Where{})
		}
		if !ok || c.Key != e.Key {
			t.Errorf("%s is listed and cannot be asked for: %+v", e.Key, c)
		}
		for _, word := range c.See {
			if _, ok := card.Find(word, card.Where{}); !ok {
				t.Errorf("%s names %q, which has no card", e.Key, word)
			}
		}
		for _, l := range c.Lines() {
			if strings.Contains(strings.ToLower(l.Text+l.Label), "seed") {
				t.Errorf("%s says %q", e.Key, l.Text)
			}
		}
	}
}

func TestCard_WordsAreUnderstood(t *testing.T) {
	for word, want := range map[string]string{
		"32601": "-32601", "−32601": "-32601", "\"-32601\"": "-32601", "error -32601": "-32601", "Method not found": "-32601",
		"MethodNotFound": "-32601", "HeaderMismatch": "-32020", "404": "404", "HTTP 404": "404", "HTTP/1.1 404 Not Found": "404",
		"not found": "404", "http 404:": "404", "code 404": "404", "tools/execute": "tools/call", "TOOLS/CALL": "tools/call",
		"initialized": "notifications/initialized", "notifications/tools/listChanged": "notifications/tools/list_changed",
		"$/cancelRequest": "notifications/cancelled", "mcp/tools/list": "tools/list", "is_error": "isError", "iserror": "isError",
		"mcp-method": "Mcp-Method", "Mcp-Param-Region": "Mcp-Param-…", "x-mcp-header": "Mcp-Param-…", "sampling.tools": "sampling",
		"resources.subscribe": "resources", "warn": "warning", "j031": "J031", "rule J031": "J031", "Response-ID-Type-Changed": "J031",
		"find  command": "find command", "tool error": "isError", "-32602.5": "-32602.5", "99999999999999999999": "99999999999999999999",
	} {
		c, ok := card.Find(word, card.Where{})
		if !ok || c.Key != want {
			t.Errorf("%q gives %q, want %q", word, c.Key, want)
		}
	}
	if c := find(t, card.Code, "code 404", card.Where{}); !slices.Contains(c.See, "HTTP 404") {
		t.Errorf("the code 404 does not point to the status: %+v", c)
	}
	if text := lines(find(t, card.Code, "-32602.5", card.Where{})); !strings.Contains(text, "must be") && !strings.Contains(text, "is an integer") {
		t.Errorf("a fraction is taken for a code:\n%s", text)
	}
	if c := find(t, card.Method, "tools/execute", card.Where{}); !strings.Contains(c.What[0], "This is the card of tools/call") {
		t.Errorf("the wrong name goes unnoticed: %+v", c)
	}
	for _, word := range []string{"", " ", "blah", "J999", "HTTP 99", "HTTP 600", "tool/lst", "code", "code x", "Mcp-Param"} {
		if c, ok := card.Find(word, card.Where{}); ok && c.Kind != card.Topic && c.Kind != card.Header {
			t.Errorf("%q gives %+v", word, c)
		}
	}
}

func FuzzCard_Find(f *testing.F) {
	for _, word := range []string{"-32601", "HTTP 404", "tools/call", "J031", "mcp-param-x", "resources.x.y", "code ", "−1", "\xff", "1e5"} {
		f.Add(word, "2025-11-25", "message", true)
	}
	f.Fuzz(func(t *testing.T, word, r, message string, wire bool) {
		c, ok := card.Find(word, card.Where{Revision: revision.Revision(r), Message: message, Wire: wire})
		if !ok {
			return
		}
		if c.Key == "" || c.Title == "" || len(c.Lines()) == 0 {
			t.Errorf("%q gives an empty card: %+v", word, c)
		}
		if m := c.Likely(); m.Means == "" && c.Kind != card.Rule {
			t.Errorf("%q gives a card without a meaning: %+v", word, c)
		}
	})
}

// A rule with several fixes lists each, behind the usual one.
func TestCard_RuleWithSeveralFixes(t *testing.T) {
	c := find(t, card.Rule, "S001", card.Where{})
	var got []string
	for _, l := range c.Lines() {
		if l.Label == "what to do" || l.Label == "in other cases" {
			got = append(got, l.Label+": "+l.Text)
		}
	}
	want := []string{
		"what to do: Correct this part of the schema.",
		"in other cases: Correct the $ref, or define what it names, for example in $defs.",
		`in other cases: Write "required" as an array of names beside "properties", not inside a property.`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, e := range rules.Catalogue() {
		if shown, _ := card.Find(e.ID, card.Where{}); len(shown.Or) != len(e.OtherFixes()) || len(e.Fixes) > len(shown.Or) {
			t.Errorf("%s has %d fixes for parts, its card %q", e.ID, len(e.Fixes), shown.Or)
		}
	}
}
