//go:build unix

package failure_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// callsOf is a server with one tool, whose calls get a response; ID in it is the id of the request.
func callsOf(tool, response string) func(*testing.T) client.Target {
	return serves(old(func(w http.ResponseWriter, r *http.Request) {
		switch method, id := asked(r); method {
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, id, tool)
		case "tools/call":
			_, _ = w.Write([]byte(strings.ReplaceAll(response, "ID", id)))
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
}

// toolError is a result with isError and a text.
func toolError(text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"result":{"isError":true,"content":[{"type":"text","text":%q}]}}`, text)
}

func TestOfReply_Arguments(t *testing.T) {
	const (
		search = `{"name":"go","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"search_type":{"type":"string"}},"required":["query"]}}`
		loose  = `{"name":"go","inputSchema":{"type":"object","properties":{"user":{}}}}`
	)
	pydantic := func(model, field, message string) string {
		return toolError("1 validation error for " + model + "\n" + field + "\n  " + message)
	}
	for _, tt := range []struct {
		name, tool, arguments, response string
		cause, absent                   string
	}{
		{
			"an argument of the schema is not expected", search, `{"query":"a","search_type":"b"}`,
			pydantic("call[go]", "search_type", "Unexpected keyword argument [type=unexpected_keyword_argument, input_value='b', input_type=str]"), "The inputSchema that the server lists has search_type, and the server does not accept it", "",
		},
		{
			"the same of TypeScript", search, `{"query":"a","search_type":"b"}`,
			`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Invalid arguments: Unrecognized key(s) in object: 'search_type'"}}`, "does not accept it", "",
		},
		{
			"an argument that the schema does not have", `{"name":"go","inputSchema":{"type":"object"}}`, `{"depth":1}`,
			pydantic("call[go]", "depth", "Unexpected keyword argument [type=unexpected_keyword_argument]"), "its own check of depth requires something else", "has depth",
		},
		{
			"an object in a string", loose, `{"user":"{\"name\":\"t\"}"}`,
			pydantic("call[go]", "user", "Input should be a valid dictionary or instance of User [type=model_type, input_type=str]"), "The argument user was sent as a string that contains JSON", "",
		},
		{
			"a string that is no JSON", loose, `{"user":"{name}"}`,
			pydantic("call[go]", "user", "Input should be a valid dictionary or instance of User [type=model_type, input_type=str]"), "its own check of user requires something else", "contains JSON",
		},
		{"a refused connection", search, `{"query":"a"}`, toolError("Error: connect ECONNREFUSED 127.0.0.1:5432"), "127.0.0.1:5432 refuses its connection: the host is up", "HTTPS_PROXY"},
		{"a refused connection of Go", search, `{"query":"a"}`, toolError("dial tcp [::1]:6379: connect: connection refused"), `"[::1]:6379" refuses its connection`, "PROXY"},
		{"a refused connection without an address", search, `{"query":"a"}`, toolError("httpx.ConnectError: [Errno 111] Connection refused"), "a service that it needs refuses its connection", "PROXY"},
		{"a host that does not respond", search, `{"query":"a"}`, toolError("connect ETIMEDOUT 10.0.0.9:443"), "cannot reach 10.0.0.9:443", "refuses"},
		{"a required argument is missing", search, `{}`, pydantic("call[go]", "query", "Field required [type=missing]"), "The arguments do not fit the inputSchema of the tool", ""},
		{"another value was checked", search, `{"query":"a"}`, pydantic("WeatherResponse", "forecast", "Field required [type=missing]"), "the message names none of them", "its own check of"},
		{"its own result", search, `{"query":"a"}`, pydantic("goOutput", "result", "Input should be a valid string [type=string_type]"), "The server has checked its own result", "inputSchema"},
		{"a result that is no result", search, `{"query":"a"}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"1 validation error for CallToolResult\ncontent.0\n  Input should be a valid dictionary or instance of TextContent"}}`, "checked its own result and refuses it", "outputSchema"},
		{"a member that the schema lacks", search, `{"query":"a"}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"failed to deserialize parameters: missing field ` + "`limit`" + `"}}`, "requires something that the schema does not name", ""},
		{"a function of the server", search, `{"query":"a"}`, toolError("Error executing tool go: go() missing 1 required positional argument: 'ctx'"), `calls its function "go" with other arguments`, "inputSchema; until"},
		{"a status of a service", search, `{"query":"a"}`, toolError("Request failed with status code 401"), "may have refused the credentials of the server (401)", ""},
		{"a limit of a service", search, `{"query":"a"}`, toolError("429 Client Error: Too Many Requests for url: https://a.test"), `The number of requests in a time is limited ("Too Many Requests")`, ""},
		{"a number that is no status", search, `{"query":"a"}`, toolError("found 401 teas, 429 of them green"), "", ""},
		{"a bot protection", search, `{"query":"a"}`, toolError("API error 403: error code: 1010"), "A bot protection, such as that of Cloudflare, has refused a request that the server sent", ""},
		{"words without a check", search, `{"query":"a"}`, toolError("no tea today"), "", ""},
		{"a host", search, `{"query":"a"}`, toolError("Error executing tool go: Cannot connect to host www.tea.test:443 ssl:default"), `cannot reach "www.tea.test"`, ""},
		{"a host in Python", search, `{"query":"a"}`, toolError("HTTPSConnectionPool(host='api.tea.test', port=443): Max retries exceeded with url: /v1"), `cannot reach "api.tea.test"`, ""},
		{"a browser that is not installed", search, `{"query":"a"}`, toolError("browserType.launch: Executable doesn't exist at /root/.cache/ms-playwright/chromium-1169/chrome\n║ npx playwright install ║"), "the browser that it starts is not installed", ""},
		{"an empty object that became a list", `{"name":"go","inputSchema":{"type":"object"}}`, `{}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Tool \"go\" has invalid input. Reason: input is not of type object."}}`, "the server has decoded it to an empty list", ""},
		{"the same as a tool error", `{"name":"go","inputSchema":{"type":"object"}}`, `{}`, toolError("Validation failed: arguments must be an object, array given"), "the server has decoded it to an empty list", ""},
		{"an object with members is no empty list", loose, `{"user":1}`, toolError("Invalid input: input is not of type object."), "", ""},
		{"a session", search, `{"query":"a"}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":0,"message":"method \"tools/call\" is invalid during session initialization"}}`, "initialize was answered on this connection", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := replyOf(t, callsOf(tt.tool, tt.response)(t), tt.arguments)
			if r.Cause == "" != (tt.cause == "") || !strings.Contains(r.Cause, tt.cause) || tt.absent != "" && strings.Contains(r.Cause+r.Remedy.Text, tt.absent) {
				t.Errorf("%q, want %q", r.Cause, tt.cause)
			}
		})
	}
}

func TestOfReply_HeaderThatWasSent(t *testing.T) {
	for header, want := range map[string]string{
		"Mcp-Name":             "The request had Mcp-Name, and the response says that it is missing",
		"mcp-protocol-version": "The request had Mcp-Protocol-Version, and the response says that it is missing",
		"X-Api-Key":            "", // was not sent
		"Content-Type":         "", // the message may be about a request of the server
	} {
		target := serves(func(w http.ResponseWriter, r *http.Request) {
			method, id := asked(r)
			w.Header().Set("Content-Type", "application/json")
			switch method {
			case "server/discover":
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"},"ttlMs":0,"cacheScope":"public"}}`, id)
			case "tools/list":
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"resultType":"complete","tools":[{"name":"go","inputSchema":{"type":"object"}}],"ttlMs":0,"cacheScope":"public"}}`, id)
			default:
				w.WriteHeader(http.StatusBadRequest)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32020,"message":"Header mismatch: required header %s is missing"}}`, id, header)
			}
		})(t)
		if r := replyOf(t, target, `{}`); !strings.Contains(r.Cause, want) || want == "" && strings.Contains(r.Cause, "The request had") {
			t.Errorf("%s: %q, want %q", header, r.Cause, want)
		}
	}
}

// replyOf calls the tool of a server and explains the response.
func replyOf(t *testing.T, target client.Target, arguments string) failure.Reply {
	t.Helper()
	return replyTo(t, target, fmt.Sprintf(`{"name":"go","arguments":%s}`, arguments))
}

// replyTo is the explanation of the response to a call with these params.
func replyTo(t *testing.T, target client.Target, params string) failure.Reply {
	t.Helper()
	s, err := session.Open(session.Config{Target: target, Record: "off", Lists: []client.ListKind{client.Tools}, Client: client.Config{Name: "test", Version: "0", ConnectTimeout: 20 * time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(context.WithoutCancel(t.Context())) }()
	if err := s.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(t.Context(), client.Tools); err != nil || list.Err != nil {
		t.Fatal(err, list.Err)
	}
	call := s.Start("tools/call", []byte(params))
	<-call.Done()
	response, err := call.Outcome()
	if err != nil {
		t.Fatal(err)
	}
	if target.IsStdio() { // stderr is another pipe than stdout
		changed, stop := s.Store().Subscribe()
		defer stop()
		for s.State().Stderr == 0 {
			<-changed
		}
	}
	return failure.OfResponse(s, response)
}

// A server over stdio that has lost a notification says so on stderr only.
func TestOfReply_StderrOfTheMoment(t *testing.T) {
	r := replyOf(t, self(t, "loses initialized"), `{}`)
	if !strings.Contains(r.Cause, "notifications/initialized was sent after that") || strings.Contains(r.Cause, "another instance") || len(r.Evidence) != 1 || !strings.Contains(r.Evidence[0].Text, "before initialization was complete") {
		t.Errorf("%q, %v", r.Cause, r.Evidence)
	}
}

func init() {
	children["loses initialized"] = answers(func(method, id string) string {
		switch method {
		case "initialize":
			return result(id, welcome) + "\n"
		case "tools/list":
			return result(id, `{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}`) + "\n"
		case "tools/call":
			fmt.Fprintln(os.Stderr, "WARNING:root:Failed to validate request: Received request before initialization was complete")
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`+"\n", id)
		}
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`+"\n", id)
	})
}

// What a gateway, a library or a service behind the server says in its own words.
func TestOfReply_BehindTheServer(t *testing.T) {
	const tool = `{"name":"go","inputSchema":{"type":"object","properties":{"query":{"type":"string"}}}}`
	for _, tt := range []struct{ response, cause, absent string }{
		{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32603,"message":"failed to send message to upstream 'tc': session not found: http request failed with code: 404 Not Found"}}`, "between the gateway that answers and the server behind it", "sticky"},
		{toolError("backend docs: session expired"), "between the gateway that answers and the server behind it", "sticky"},
		{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32000,"message":"session abc is unknown to the upstream server"}}`, "between the gateway that answers", "sticky"},
		{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Invalid request parameters","data":""}}`, "whose initialize it has not seen or not finished", "does not accept these parameters"},
		{toolError("svn: E215004: No more credentials or we tried too many times.\nAuthentication failed"), "is not signed in to a service that it uses", "MCPTEA_TOKEN"},
		{toolError("Bad credentials"), "is not signed in to a service that it uses", "MCPTEA_TOKEN"},
		{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":"Missing required argument: lang"}}`, `the server requires "lang" as well`, "another value"},
		{toolError("lang is required"), `the server requires "lang" as well`, "another value"},
		{`{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Tool execution is not enabled in read-only mode"}}`, "Something is turned off", "declares the capability"},
		{toolError("API error 403: missing required scope 'repo:read'"), "repo:read", "may have refused"},
		{toolError("Request failed with status code 401: token used before issued"), "clocks", "may have refused"},
	} {
		r := replyOf(t, callsOf(tool, tt.response)(t), `{"query":"a"}`)
		if !strings.Contains(r.Cause, tt.cause) || strings.Contains(r.Cause+r.Remedy.Text, tt.absent) {
			t.Errorf("%s: %q %q, want %q", tt.response, r.Cause, r.Remedy.Text, tt.cause)
		}
	}
}
