package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
)

// everyCapability is what a client declares that can do everything.
const everyCapability = `{"roots":{},"sampling":{"tools":{}},"elicitation":{"form":{},"url":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`

// alone makes a request of 2026-07-28. more goes into _meta.
func alone(id, method, params, capabilities, more string) string {
	if params = strings.TrimSuffix(strings.TrimPrefix(params, "{"), "}"); params != "" {
		params += ","
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":%s%s}}}`,
		id, method, params, capabilities, more)
}

// aloneCall is a tool call of 2026-07-28.
func aloneCall(id, tool, arguments, capabilities string) string {
	if arguments == "" {
		arguments = "{}"
	}
	return alone(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments), capabilities, "")
}

// ask sends a request that stands alone and returns what comes up to the
// answer, all of it looked at.
func (c *client) ask(frame string) []string {
	c.t.Helper()
	e := scan(frame)
	requestConforms(c.t, frame)
	c.send(frame)
	for all := []string{}; ; {
		line := c.mustLine()
		conforms(c.t, e.MethodName([]byte(frame)), line)
		all = append(all, line)
		if scan(line).Kind.IsResponse() {
			return all
		}
	}
}

// requestConforms looks at what the tests themselves send.
func requestConforms(t *testing.T, frame string) {
	t.Helper()
	if d := definitions[scan(frame).MethodName([]byte(frame))]; d.request != "" {
		fits(t, "2026-07-28", d.request, []byte(frame))
	}
}

// routing are the headers that go with a request that stands alone.
func routing(frame string) []string {
	raw := []byte(frame)
	e := jsonrpc.Scan(raw)
	method, params := e.MethodName(raw), e.Params.Of(raw)
	headers := []string{rpcserver.VersionHeader, "2026-07-28", "Mcp-Method", method}
	for _, name := range []string{"name", "uri", "taskId"} {
		if token, ok := jsonrpc.Member(params, name); ok {
			value, _ := jsonrpc.Unquote(token)
			headers = append(headers, "Mcp-Name", value)
		}
	}
	return headers
}

// ask is [client.ask] over HTTP. It checks the status as well.
func (w *web) ask(frame string, headers ...string) []string {
	w.t.Helper()
	requestConforms(w.t, frame)
	r := w.do(http.MethodPost, frame, append(routing(frame), headers...)...)
	if r.Header.Get(rpcserver.SessionHeader) != "" {
		w.t.Error("a session came")
	}
	all := frames(w.t, r)
	for _, f := range all {
		conforms(w.t, scan(frame).MethodName([]byte(frame)), f)
	}
	want := map[string]int{
		"-32601": 404, "-32602": 400, "-32600": 400, "-32020": 400, "-32021": 400, "-32022": 400, "": 200,
	}
	code, _ := jsonrpc.Member([]byte(all[len(all)-1]), "error", "code")
	if status, ok := want[string(code)]; ok && len(all) == 1 && r.StatusCode != status {
		w.t.Errorf("%s for the code %s", r.Status, code)
	}
	return all
}

// at returns a client of another path of the same server.
func (w *web) at(path string) *web {
	other := *w
	other.url = w.url[:strings.LastIndexByte(w.url, '/')] + path
	return &other
}

// aloneExchanges are requests and what their answers hold, over any transport.
var aloneExchanges = []struct {
	name, method, params string
	want                 []string
}{
	{"discover", "server/discover", ``, []string{`"supportedVersions":["2026-07-28"`, `"io.modelcontextprotocol/tasks":{}`, `"com.example/tea":{`, `"listChanged":true`, `"cacheScope":"public"`, `"instructions"`}},
	{"tools", "tools/list", ``, []string{`"resultType":"complete"`, `"ttlMs":60000`, `"name":"echo"`, `"nextCursor"`}},
	{"second page", "tools/list", `{"cursor":"dG9vbHMvbGlzdEAyMA"}`, []string{`"name":"think-twice"`, `"x-mcp-header":"Region"`}},
	{"tool", "tools/call", `{"name":"add","arguments":{"a":2}}`, []string{`"resultType":"complete"`, `"structuredContent":{"sum":3}`}},
	{"wrong argument", "tools/call", `{"name":"add","arguments":{"a":"x"}}`, []string{`"isError":true`}},
	{"every content", "tools/call", `{"name":"content"}`, []string{`"type":"resource_link"`, `"type":"audio"`}},
	{"unknown tool", "tools/call", `{"name":"nope"}`, []string{`"code":-32602`}},
	{"a tool of sessions", "tools/call", `{"name":"ping-client"}`, []string{`"code":-32602`}},
	{"resources", "resources/list", ``, []string{`"uri":"demo://readme"`, `"ttlMs"`}},
	{"templates", "resources/templates/list", ``, []string{`"uriTemplate"`, `"ttlMs"`}},
	{"contents", "resources/read", `{"uri":"demo://menu"}`, []string{`"ttlMs":300000`, `"cacheScope":"public"`, `Sencha`}},
	{"contents that change", "resources/read", `{"uri":"demo://counter"}`, []string{`"ttlMs":0`, `"cacheScope":"private"`}},
	{"missing", "resources/read", `{"uri":"demo://missing"}`, []string{`"code":-32602`, `"uri":"demo://missing"`}},
	{"missing by template", "resources/read", `{"uri":"demo://numbers/3/1"}`, []string{`"code":-32602`}},
	{"prompts", "prompts/list", ``, []string{`"name":"simple"`, `"ttlMs"`}},
	{"prompt", "prompts/get", `{"name":"simple"}`, []string{`"role":"user"`}},
	{"unknown prompt", "prompts/get", `{"name":"nope"}`, []string{`"code":-32602`}},
	{"completion by context", "completion/complete", `{"ref":{"type":"ref/prompt","name":"code-review"},"argument":{"name":"framework","value":""},"context":{"arguments":{"language":"rust"}}}`, []string{`"values":["axum","ratatui","tokio"]`}},
	{"ping is gone", "ping", ``, []string{`"code":-32601`}},
	{"subscribe is gone", "resources/subscribe", `{"uri":"demo://counter"}`, []string{`"code":-32601`}},
	{"the level is gone", "logging/setLevel", `{"level":"info"}`, []string{`"code":-32601`}},
	{"tasks/list is gone", "tasks/list", ``, []string{`"code":-32601`}},
	{"unknown method", "tools/execute", ``, []string{`"code":-32601`}},
	{"form without capability", "tools/call", `{"name":"ask-user"}`, []string{`"code":-32021`, `"requiredCapabilities":{"elicitation":{"form":{}}}`}},
	{"page without capability", "tools/call", `{"name":"ask-user","arguments":{"form":"url"}}`, []string{`"code":-32021`, `{"elicitation":{"url":{}}}`}},
	{"model without capability", "tools/call", `{"name":"ask-model"}`, []string{`"code":-32021`, `{"sampling":{}}`}},
	{"roots without capability", "tools/call", `{"name":"list-roots"}`, []string{`"code":-32021`, `{"roots":{}}`}},
	{"prompt without capability", "prompts/get", `{"name":"ask-name"}`, []string{`"code":-32021`}},
	{"resource without capability", "resources/read", `{"uri":"demo://guest-book"}`, []string{`"code":-32021`}},
	{"task without capability", "tools/call", `{"name":"brew-task"}`, []string{`"code":-32021`, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`}},
	{"no task without capability", "tools/call", `{"name":"brew","arguments":{"seconds":0}}`, []string{`a pot of green tea`}},
	{"tasks/get without capability", "tasks/get", `{"taskId":"x"}`, []string{`"code":-32021`}},
}

func TestModernMethods(t *testing.T) {
	stdio := start(t, Options{})
	web := browse(t, Options{})
	for i, tt := range aloneExchanges {
		id := fmt.Sprint(i)
		frame := alone(id, tt.method, tt.params, "{}", "")
		want := append(tt.want, `"id":`+id)
		for name, answers := range map[string][]string{
			"stdio": stdio.ask(frame), "/mcp": web.ask(frame), "/modern": web.at("/modern").ask(frame),
		} {
			check(t, name+": "+tt.name, answers[len(answers)-1], want)
		}
	}
}

func TestBothErasOverOnePipe(t *testing.T) {
	c := connect(t, Options{}, "2025-06-18", "{}")
	check(t, "modern", c.ask(alone("1", "tools/list", "", "{}", ""))[0], []string{`"resultType":"complete"`})
	c.send(request("2", "tools/list", ""))
	if got := c.mustLine(); strings.Contains(got, "resultType") {
		t.Errorf("the session got %.200s", got)
	}
	check(t, "discover", c.ask(alone("3", "server/discover", "", "{}", ""))[0], []string{
		`["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"]`,
	})
}

func TestMetaIsChecked(t *testing.T) {
	const version = `"io.modelcontextprotocol/protocolVersion":`
	good := alone("1", "tools/list", "", "{}", "")
	tests := []struct {
		name, frame string
		want        []string
	}{
		{"no _meta", request("1", "server/discover", "{}"), []string{`"code":-32602`, `protocolVersion`}},
		{"no version", strings.Replace(good, version+`"2026-07-28",`, "", 1), []string{`"code":-32602`, `protocolVersion`}},
		{"a version that is no string", strings.Replace(good, version+`"2026-07-28"`, version+`7`, 1), []string{`"code":-32602`}},
		{"unknown version", strings.Replace(good, "2026-07-28", "2099-01-01", 1), []string{`"code":-32022`, `"supported":["2026-07-28"`, `"requested":"2099-01-01"`}},
		{"version of a session", strings.Replace(good, "2026-07-28", "2025-11-25", 1), []string{`"code":-32022`}},
		{"no capabilities", strings.Replace(good, `"io.modelcontextprotocol/clientCapabilities":{}`, `"x/y":1`, 1), []string{`"code":-32602`, `clientCapabilities`}},
		{"capabilities that are no object", strings.Replace(good, `Capabilities":{}`, `Capabilities":true`, 1), []string{`"code":-32602`}},
		{"no client", strings.Replace(good, `"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},`, "", 1), []string{`"resultType":"complete"`}},
		{"unknown level", alone("1", "tools/list", "", "{}", `"io.modelcontextprotocol/logLevel":"warn"`), []string{`"code":-32602`, `no such log level: warn`}},
	}
	c, w := start(t, Options{}), browse(t, Options{})
	for _, tt := range tests {
		c.send(tt.frame)
		check(t, tt.name, c.answerTo("1"), tt.want)
		token, _ := jsonrpc.Member([]byte(tt.frame), "params", "_meta", "io.modelcontextprotocol/protocolVersion")
		header, _ := jsonrpc.Unquote(token)
		if header == "" {
			header = "2026-07-28"
		}
		if tt.name == "a version that is no string" {
			continue // then the header is wrong, too
		}
		r := w.do(http.MethodPost, tt.frame, rpcserver.VersionHeader, header, "Mcp-Method", scan(tt.frame).MethodName([]byte(tt.frame)))
		body := drain(t, r)
		check(t, "http: "+tt.name, body, tt.want)
		if refused := strings.Contains(body, `"error"`); refused != (r.StatusCode == http.StatusBadRequest) {
			t.Errorf("%s: %s", tt.name, r.Status)
		}
	}
}

func TestLogsAndProgress_OnRequestOnly(t *testing.T) {
	c, w := start(t, Options{}), browse(t, Options{})
	log := func(id, level string) string {
		return alone(id, "tools/call", `{"name":"log","arguments":{"level":"warning"}}`, "{}", level)
	}
	work := alone("4", "tools/call", `{"name":"long-work","arguments":{"duration":1,"steps":2}}`, "{}", `"progressToken":"p"`)
	for _, ask := range []func(string) []string{c.ask, func(f string) []string { return w.ask(f) }} {
		if got := ask(log("1", "")); len(got) != 1 || !strings.Contains(got[0], "not sent") {
			t.Errorf("unrequested log message %q", got)
		}
		if got := ask(log("2", `"io.modelcontextprotocol/logLevel":"error"`)); len(got) != 1 {
			t.Errorf("the level is above, and %q came", got)
		}
		if got := ask(log("3", `"io.modelcontextprotocol/logLevel":"debug"`)); len(got) != 2 || !strings.Contains(got[0], `"level":"warning"`) {
			t.Errorf("got %q", got)
		}
		if got := ask(work); len(got) != 3 || !strings.Contains(got[1], `"progress":2`) {
			t.Errorf("got %q", got)
		}
	}
}

func TestCancel_Stateless(t *testing.T) {
	c := start(t, Options{})
	c.send(aloneCall("1", "never-answer", "", "{}"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if all := c.ask(alone("2", "tools/list", "", "{}", "")); len(all) != 1 {
		t.Errorf("got %q", all)
	}
	if all := c.rest(); len(all) != 0 {
		t.Errorf("after the cancellation came %q", all)
	}

	late := start(t, Options{Fault: "late-answer"})
	late.send(aloneCall("1", "never-answer", "", "{}"), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	answer := late.mustLine()
	conforms(t, "tools/call", answer)
	check(t, "the fault late-answer", answer, []string{`too late`})
}
