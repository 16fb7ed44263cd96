package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcptea/client/revision"
)

// exchanges are requests and what their answers hold, over any transport.
var exchanges = []struct {
	name   string
	method string
	params string
	want   []string
}{
	{"ping", "ping", ``, []string{`"result":{}`}},
	{"unknown method", "tools/execute", `{}`, []string{`"code":-32601`}},
	{"an extension that is not of the session", "tasks/update", `{}`, []string{`"code":-32601`}},
	{"positional params", "tools/list", `[1]`, []string{`"code":-32602`}},
	{"second handshake", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}}`, []string{`"code":-32600`}},

	{"tools", "tools/list", ``, []string{`"name":"echo"`, `"inputSchema":{"type":"object"`, `"outputSchema"`, `"nextCursor"`}},
	{"second page", "tools/list", `{"cursor":"dG9vbHMvbGlzdEAyMA"}`, []string{`"name":"touch-resource"`}},
	{"bad cursor", "tools/list", `{"cursor":"nonsense"}`, []string{`"code":-32602`}},
	{"cursor of another list", "resources/list", `{"cursor":"dG9vbHMvbGlzdEAyMA"}`, []string{`"code":-32602`}},
	{"unknown tool", "tools/call", `{"name":"nope"}`, []string{`"code":-32602`, `unknown tool: nope`}},
	{"no tool", "tools/call", `{}`, []string{`"code":-32602`}},
	{"arguments of the wrong type", "tools/call", `{"name":"echo","arguments":[1]}`, []string{`"code":-32602`}},

	{"resources", "resources/list", ``, []string{`"uri":"demo://readme"`, `"nextCursor"`, `"size"`}},
	{"templates", "resources/templates/list", ``, []string{`"uriTemplate":"demo://numbers/{from}/{to}"`}},
	{"text", "resources/read", `{"uri":"demo://menu"}`, []string{`"mimeType":"application/json"`, `Sencha`}},
	{"picture", "resources/read", `{"uri":"demo://picture"}`, []string{`"blob":"iVBORw0KGgo`}},
	{"empty text", "resources/read", `{"uri":"demo://empty"}`, []string{`"text":""`}},
	{"template", "resources/read", `{"uri":"demo://greeting/Ada%20L."}`, []string{`Hello, Ada L.`}},
	{"two variables", "resources/read", `{"uri":"demo://numbers/3/5"}`, []string{`"text":"3\n4\n5\n"`}},
	{"numbers too far apart", "resources/read", `{"uri":"demo://numbers/-9223372036854775808/9223372036854775807"}`, []string{`"code":-32002`}},
	{"missing", "resources/read", `{"uri":"demo://missing"}`, []string{`"code":-32002`, `"uri":"demo://missing"`}},
	{"no uri", "resources/read", `{}`, []string{`"code":-32602`}},
	{"subscribe", "resources/subscribe", `{"uri":"demo://counter"}`, []string{`"result":{}`}},
	{"unsubscribe", "resources/unsubscribe", `{"uri":"demo://counter"}`, []string{`"result":{}`}},
	{"subscribe to nothing", "resources/subscribe", `{"uri":"demo://missing"}`, []string{`"code":-32002`}},

	{"prompts", "prompts/list", ``, []string{`"name":"code-review"`, `"required":true`, `"nextCursor"`}},
	{"prompt", "prompts/get", `{"name":"simple"}`, []string{`"role":"user"`, `"type":"text"`}},
	{"prompt with arguments", "prompts/get", `{"name":"code-review","arguments":{"language":"go","framework":"chi"}}`, []string{`Review this go code, which is built on chi.`}},
	{"prompt with a resource", "prompts/get", `{"name":"with-resource"}`, []string{`"type":"resource"`, `"uri":"demo://go-code"`}},
	{"argument missing", "prompts/get", `{"name":"greeting"}`, []string{`"code":-32602`, `name is required`}},
	{"argument not a string", "prompts/get", `{"name":"greeting","arguments":{"name":1}}`, []string{`"code":-32602`}},
	{"unknown prompt", "prompts/get", `{"name":"nope"}`, []string{`"code":-32602`}},

	{"completion", "completion/complete", `{"ref":{"type":"ref/prompt","name":"greeting"},"argument":{"name":"name","value":"a"}}`, []string{`"values":["Ada","Alan"]`, `"hasMore":false`, `"total":2`}},
	{"completion by context", "completion/complete", `{"ref":{"type":"ref/prompt","name":"code-review"},"argument":{"name":"framework","value":""},"context":{"arguments":{"language":"rust"}}}`, []string{`"values":["axum","ratatui","tokio"]`}},
	{"completion of a template", "completion/complete", `{"ref":{"type":"ref/resource","uri":"demo://numbers/{from}/{to}"},"argument":{"name":"from","value":""}}`, []string{`"hasMore":true`, `"total":250`, `"100"]`}},
	{"completion of nothing", "completion/complete", `{"ref":{"type":"ref/prompt","name":"nope"},"argument":{"name":"x","value":""}}`, []string{`"code":-32602`}},
	{"completion of free text", "completion/complete", `{"ref":{"type":"ref/prompt","name":"code-review"},"argument":{"name":"focus","value":"x"}}`, []string{`"values":[]`}},
	{"bad ref", "completion/complete", `{"ref":{"type":"tool"},"argument":{"name":"x","value":""}}`, []string{`"code":-32602`}},

	{"level", "logging/setLevel", `{"level":"warning"}`, []string{`"result":{}`}},
	{"wrong level", "logging/setLevel", `{"level":"warn"}`, []string{`"code":-32602`}},
}

func TestMethods(t *testing.T) {
	stdio := connect(t, Options{}, "2025-11-25", "{}")
	web := browse(t, Options{})
	web.shakeHands("2025-11-25", "{}")
	for i, tt := range exchanges {
		id := fmt.Sprint(i)
		frame := request(id, tt.method, tt.params)
		stdio.send(frame)
		check(t, "stdio: "+tt.name, stdio.answerTo(id), tt.want)
		response := web.do(http.MethodPost, frame)
		all := frames(t, response)
		check(t, "http: "+tt.name, all[len(all)-1], append(tt.want, `"id":`+id))
	}
}

func request(id, method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

func check(t *testing.T, name, got string, want []string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s: the answer lacks %s: %.400s", name, w, got)
		}
	}
}

func TestBadFramesGetErrors(t *testing.T) {
	c := start(t, Options{})
	tests := []struct{ frame, want string }{
		{`nonsense`, `{"jsonrpc":"2.0","error":{"code":-32700`},
		{`{"jsonrpc":"2.0","id":1}`, `"id":1,"error":{"code":-32600`},
		{`42`, `"code":-32600`},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `"id":1,"error":{"code":-32600`},
		{`{"id":2,"method":"ping"}`, `"id":2,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":3,"method":"ping","params":7}`, `"id":3,"error":{"code":-32602`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/list"}`, `"id":4,"error":{"code":-32602`}, // before the handshake
		{`{"jsonrpc":"2.0","id":5,"method":""}`, `"id":5,"error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}`, `"id":6,"error":{"code":-32602`},
		{`[]`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":"x","method":"ping"}`, `"id":"x","result":{}`},
	}
	for _, tt := range tests {
		c.send("", tt.frame) // a blank line is nothing
		if got := c.mustLine(); !strings.Contains(got, tt.want) {
			t.Errorf("%s\n got %s\nwant %s", tt.frame, got, tt.want)
		}
	}
}

func TestNegotiation(t *testing.T) {
	tests := []struct {
		asked, answered string
		has, lacks      []string
	}{
		{"2024-11-05", "2024-11-05", nil, []string{`"title"`, `completions`, `icons`}},
		{"2025-03-26", "2025-03-26", []string{`completions`}, []string{`"title"`}},
		{"2025-06-18", "2025-06-18", []string{`"title"`}, []string{`icons`}},
		{"2025-11-25", "2025-11-25", []string{`"title"`, `icons`, `websiteUrl`}, nil},
		{"2026-07-28", "2025-11-25", nil, nil},
		{"nonsense", "2025-11-25", nil, nil},
	}
	for _, tt := range tests {
		c := start(t, Options{})
		c.send(fmt.Sprintf(initializeFrame, tt.asked, "{}"))
		got := c.mustLine()
		check(t, tt.asked, got, append(tt.has, `"protocolVersion":"`+tt.answered+`"`, `"instructions"`))
		for _, w := range tt.lacks {
			if strings.Contains(got, w) {
				t.Errorf("%s: the answer should not have %s: %s", tt.asked, w, got)
			}
		}
	}
}

func TestRevisions_MembersByVersion(t *testing.T) {
	tests := []struct {
		revision string
		request  string
		has      []string
		lacks    []string
	}{
		{"2024-11-05", request("1", "tools/list", ""), nil, []string{`"annotations"`, `"outputSchema"`, `"title":"Echo"`}},
		{"2025-03-26", request("1", "tools/list", ""), []string{`"annotations"`}, []string{`"outputSchema"`, `"title":"Echo"`}},
		{"2025-06-18", request("1", "tools/list", ""), []string{`"outputSchema"`, `"title":"Echo"`}, []string{`"icons"`, `"execution"`}},
		{"2025-11-25", request("1", "tools/list", ""), []string{`"icons"`, `"execution":{"taskSupport":"forbidden"}`}, nil},
		{"2024-11-05", call("1", "content", ""), []string{`"type":"image"`}, []string{`"type":"audio"`, `resource_link"`, `lastModified`}},
		{"2025-03-26", call("1", "content", ""), []string{`"type":"audio"`}, []string{`"type":"resource_link"`}},
		{"2025-06-18", call("1", "content", ""), []string{`"type":"resource_link"`, `lastModified`}, nil},
		{"2025-03-26", call("1", "weather", `{"city":"Lisbon"}`), []string{`"text":`}, []string{`structuredContent`}},
		{"2025-06-18", call("1", "weather", `{"city":"Lisbon"}`), []string{`"structuredContent":{"city":"Lisbon"`}, nil},
		{"2025-06-18", call("1", "add", `{"a":"x"}`), []string{`"code":-32602`}, nil},
		{"2025-11-25", call("1", "add", `{"a":"x"}`), []string{`"isError":true`, `a must be a number, found a string`}, nil},
		{"2025-03-26", call("1", "ask-user", ""), []string{`"isError":true`, `2025-03-26`}, nil},
		{"2025-06-18", call("1", "ask-user", `{"form":"url"}`), []string{`"isError":true`, `2025-06-18`}, nil},
	}
	for _, tt := range tests {
		c := connect(t, Options{}, tt.revision, allCapabilities)
		c.send(tt.request)
		got := c.answerTo("1")
		check(t, tt.revision+" "+tt.request, got, tt.has)
		for _, w := range tt.lacks {
			if strings.Contains(got, w) {
				t.Errorf("%s %s: the answer should not have %s", tt.revision, tt.request, w)
			}
		}
	}
}

func TestBatches_20250326(t *testing.T) {
	batch := "[" + request("1", "ping", "") + "," + initializedFrame + "," + call("2", "slow-answer", `{"seconds":1}`) + `,7]`
	c := connect(t, Options{}, "2025-03-26", "{}")
	c.send(batch)
	got := c.mustLine()
	if !strings.HasPrefix(got, "[") || strings.Count(got, `"jsonrpc"`) != 3 {
		t.Errorf("a batch of two requests and one scalar got %s", got)
	}
	check(t, "batch", got, []string{`"id":1,"result":{}`, `that took 1 seconds`, `"code":-32600`})
	c.send("["+initializedFrame+"]", request("3", "ping", ""))
	if got := c.mustLine(); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":3`) {
		t.Errorf("a batch of notifications got %s", got)
	}
	c = connect(t, Options{}, string(revision.R20250618), "{}")
	c.send(batch)
	check(t, "later", c.mustLine(), []string{`"code":-32600`, `2025-03-26`})
}
