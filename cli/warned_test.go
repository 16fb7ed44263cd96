package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/cli/app"
)

// answering is a server of 2025-11-25 with results by method. A notification gets the body of notified, or 202.
type answering struct {
	results  map[string]string
	notified string
	media    string // of results of tools/call; empty for JSON
	get      func(w http.ResponseWriter, r *http.Request)
}

func (a answering) start(t *testing.T) (url string) {
	t.Helper()
	server := httptest.NewServer(a.handler())
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return server.URL
}

func (a answering) handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &m)
		w.Header().Set("Content-Type", "application/json")
		result := a.results[m.Method]
		switch {
		case r.Method == http.MethodGet && a.get != nil:
			a.get(w, r)
		case r.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case m.ID == nil && a.notified != "":
			_, _ = io.WriteString(w, a.notified)
		case m.ID == nil:
			w.WriteHeader(http.StatusAccepted)
		case m.Method == "initialize":
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{}},"serverInfo":{"name":"s","version":"1"}}}`, m.ID)
		case result != "":
			if a.media != "" && m.Method == "tools/call" {
				w.Header().Set("Content-Type", a.media)
			}
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
		default:
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, m.ID)
		}
	})
}

const teaTools = `{"tools":[{"name":"brew","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"degrees":{"type":"integer"}},"required":["degrees"]}},{"name":"plain","inputSchema":{"type":"object"}},{"name":"pour","inputSchema":{"type":"object","properties":{"cup":{"type":"string"},"tea":{"type":"string"}},"required":["cup","tea"]}}]}`

// A result that clients refuse, or take for something else, is printed with a warning: the call succeeds.
func TestCall_WarnsOfTheResult(t *testing.T) {
	for name, c := range map[string]struct {
		tool, result string
		want         string // empty for no warning
	}{
		"no structuredContent":       {"brew", `{"content":[{"type":"text","text":"{\"degrees\":80}"}]}`, "the tool has an outputSchema, but the result has no structuredContent; many clients refuse"},
		"another structuredContent":  {"brew", `{"content":[],"structuredContent":{"degrees":"hot"}}`, "structuredContent does not follow the outputSchema"},
		"as declared":                {"brew", `{"content":[],"structuredContent":{"degrees":80}}`, ""},
		"a failure without isError":  {"plain", `{"content":[{"type":"text","text":"missing required parameter: leaf"}]}`, "reads like a failure, and the result has no isError"},
		"an exception as a success":  {"plain", `{"content":[{"type":"text","text":"ValueError: no leaf"}],"isError":false}`, "reads like a failure, and the result has no isError"},
		"a text about a failure":     {"plain", `{"content":[{"type":"text","text":"Nothing failed: the kettle is on"}]}`, ""},
		"a block of another type":    {"plain", `{"content":[{"type":"error","text":"Invalid number"}]}`, `Content block 1 has type "error"`},
		"a mark of a failure":        {"plain", `{"content":[{"type":"text","text":"❌ A2A Node Error: Unknown tool: tea. Is the node running?"}]}`, "reads like a failure, and the result has no isError"},
		"a mark and failed":          {"plain", `{"content":[{"type":"text","text":"❌ Brewing failed"}]}`, "reads like a failure, and the result has no isError"},
		"a list of checks":           {"plain", `{"content":[{"type":"text","text":"❌ lint: 1 error\n✅ build"}]}`, ""},
		"a mark of another thing":    {"plain", `{"content":[{"type":"text","text":"❌ no sugar"}]}`, ""},
		"a failure of several texts": {"plain", `{"content":[{"type":"text","text":"Error: a"},{"type":"text","text":"b"}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := answering{results: map[string]string{"tools/list": teaTools, "tools/call": c.result}}.start(t)
			_, stderr, code := called(t, "call", c.tool, "--protocol", "2025-11-25", "--url", url)
			if code != app.ExitOK {
				t.Errorf("exit code %d: %s", code, stderr)
			}
			if c.want == "" && strings.Contains(stderr, "warning:") || !strings.Contains(stderr, c.want) {
				t.Errorf("want %q, stderr is\n%s", c.want, stderr)
			}
		})
	}
}

// A call that lacks several arguments is refused with all their names.
func TestCall_SeveralMissingArguments(t *testing.T) {
	url := answering{results: map[string]string{"tools/list": teaTools, "tools/call": `{"content":[]}`}}.start(t)
	for argument, want := range map[string]string{"{}": "input schema of pour: cup, tea are missing", `{"cup":"a"}`: "input schema of pour: tea is missing", `{"cup":1}`: "tea is missing"} {
		_, stderr, code := called(t, "call", "pour", argument, "--protocol", "2025-11-25", "--url", url)
		if code != app.ExitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %q, stderr is\n%s", argument, code, want, stderr)
		}
	}
}

// A response of a media type that clients refuse is printed with a warning.
func TestCall_WarnsOfTheMediaType(t *testing.T) {
	for kind, want := range map[string]string{
		"text/plain; charset=utf-8": "The response has the type text/plain. (H012) Send Content-Type: application/json", "application/octet-stream": "The response has the type application/octet-stream. (H012)",
		"application/json": "", "application/json; charset=utf-8": "",
	} {
		url := answering{results: map[string]string{"tools/list": teaTools, "tools/call": `{"content":[]}`}, media: kind}.start(t)
		_, stderr, code := called(t, "call", "plain", "--protocol", "2025-11-25", "--url", url)
		if code != app.ExitOK || want == "" && strings.Contains(stderr, "warning:") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %q, stderr is\n%s", kind, code, want, stderr)
		}
	}
}

func TestRead_ResultWithoutContents(t *testing.T) {
	for name, c := range map[string]struct {
		result string
		code   int
	}{
		"no contents":    {`{"content":[{"type":"text","text":"tea"}]}`, app.ExitError},
		"an object":      {`{"contents":{"uri":"tea:1","text":"tea"}}`, app.ExitError},
		"an empty list":  {`{"contents":[]}`, app.ExitOK},
		"a list of text": {`{"contents":[{"uri":"tea:1","text":"tea"}]}`, app.ExitOK},
	} {
		t.Run(name, func(t *testing.T) {
			url := answering{results: map[string]string{"resources/read": c.result}}.start(t)
			_, stderr, code := called(t, "read", "tea:1", "--protocol", "2025-11-25", "--url", url)
			if code != c.code || (code == app.ExitError) != strings.Contains(stderr, `has no list "contents"`) {
				t.Errorf("exit code %d, stderr is\n%s", code, stderr)
			}
		})
	}
}

// A server that answers a notification with an error has not understood it. Strict clients end the connection then.
func TestInfo_NotificationAnsweredWithAnError(t *testing.T) {
	refused := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request type"}}`
	url := answering{results: map[string]string{"tools/list": `{"tools":[]}`, "resources/list": `{"resources":[]}`}, notified: refused}.start(t)
	_, stderr, code := called(t, "info", "--protocol", "2025-11-25", "--url", url)
	want := `the server answered the notification notifications/initialized with error -32600`
	if code != app.ExitOK || !strings.Contains(stderr, want) || !strings.Contains(stderr, `"Invalid request type"`) {
		t.Errorf("exit code %d, %q is missing:\n%s", code, want, stderr)
	}
}

// The stream of GET has no response, not even headers, until the first event: clients wait for it.
func TestListen_StreamWithoutHeaders(t *testing.T) {
	url := answering{results: map[string]string{"tools/list": `{"tools":[]}`}, get: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}.start(t)
	_, stderr, code := called(t, "listen", "tools", "--protocol", "2025-11-25", "--for", "300ms", "--url", url)
	if want := "GET, which opens the stream of notifications, has no response yet, not even headers"; code != app.ExitOK || strings.Count(stderr, want) != 1 {
		t.Errorf("exit code %d, want once %q:\n%s", code, want, stderr)
	}
}

// A GET that is answered like a message brings no notifications.
func TestListen_GetAnsweredWithAMessage(t *testing.T) {
	url := answering{results: map[string]string{"tools/list": `{"tools":[]}`}, get: func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`)
	}}.start(t)
	_, stderr, code := called(t, "listen", "--protocol", "2025-11-25", "--for", "2s", "--url", url)
	if want := "It must return an event stream, or 405 if it has none"; code != app.ExitError || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, want %q:\n%s", code, want, stderr)
	}
}

// An endpoint that redirects is named, although mcptea follows: many clients do not.
func TestInfo_WarnsOfARedirect(t *testing.T) {
	target := answering{results: map[string]string{"tools/list": `{"tools":[]}`, "resources/list": `{"resources":[]}`}}.handler()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			w.Header().Set("Location", "/mcp/")
			w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
		target.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	_, stderr, code := called(t, "info", "--protocol", "2025-11-25", "--url", server.URL+"/mcp")
	want := "redirects POST " + server.URL + "/mcp to " + server.URL + "/mcp/ (307)"
	if code != app.ExitOK || strings.Count(stderr, want) != 1 {
		t.Errorf("exit code %d, want once %q:\n%s", code, want, stderr)
	}
	if _, stderr, _ = called(t, "info", "--protocol", "2025-11-25", "--url", server.URL+"/mcp/"); strings.Contains(stderr, "redirects") {
		t.Errorf("a warning without a redirect:\n%s", stderr)
	}
}

// A call of a tool that a server with few tools does not have is answered with their names.
func TestCall_UnknownToolOfFew(t *testing.T) {
	url := answering{results: map[string]string{"tools/list": teaTools}}.start(t)
	_, stderr, code := called(t, "call", "kubernetes_list_pods", "--protocol", "2025-11-25", "--url", url)
	if want := "It has brew, plain, pour."; code != app.ExitUsage || !strings.Contains(stderr, want) {
		t.Errorf("exit code %d, want %q:\n%s", code, want, stderr)
	}
}

// A key that was given and refused is the reason: the page is not about OAuth.
func TestInfo_401WithOwnHeaders(t *testing.T) {
	for name, c := range map[string]struct {
		header, body string
		want, absent string
	}{
		"a refused key":    {"X-Api-Key: tea-key-1234567890", `{"message":"Invalid API key"}`, "Correct the value of X-Api-Key", "OAuth metadata"},
		"no key":           {"", `{"statusCode":401,"message":"Access denied due to missing subscription key."}`, "requires a key (subscription key)", "OAuth metadata"},
		"another header":   {"", `{"detail":[{"type":"missing","loc":["header","x-tenant-id"],"msg":"Field required"}]}`, `-H "x-tenant-id: VALUE"`, "OAuth metadata"},
		"a missing prefix": {"X-Key: abc-1234567890", `{"message":"Ensure key has ` + "`Bearer `" + ` prefix"}`, `must begin with "Bearer "`, "OAuth metadata"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.Contains(r.URL.Path, "well-known") {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, c.body)
			}))
			defer server.Close()
			args := []string{"info", "--no-experiments", "--url", server.URL}
			if c.header != "" {
				args = append(args, "-H", c.header)
			}
			stdout, stderr, code := called(t, args...)
			if text := stdout + stderr; code == app.ExitOK || !strings.Contains(text, c.want) || strings.Contains(text, c.absent) {
				t.Errorf("exit code %d, %q is missing, or %q is not:\n%s", code, c.want, c.absent, text)
			}
		})
	}
}

// list prints a warning if a list is legal but clients refuse it.
func TestList_WarnsOfWhatClientsRefuse(t *testing.T) {
	for name, c := range map[string]struct{ tools, want string }{
		"an empty list":          {`{"tools":[]}`, "declares tools, but its list of tools is empty: its settings enable none, it lists them only for requests with credentials, or it is a gateway"},
		"a schema of a string":   {`{"tools":[{"name":"brew","inputSchema":{"type":"string"}}]}`, `must have "type":"object" at its root`},
		"no inputSchema":         {`{"tools":[{"name":"brew"}]}`, "`inputSchema` of the tool \"brew\" is missing"},
		"a list without items":   {`{"tools":[{"name":"brew","inputSchema":{"type":"object","properties":{"cups":{"type":"array"}}}}]}`, `the API refuses the request otherwise: /properties/cups (`},
		"properties of a string": {`{"tools":[{"name":"brew","inputSchema":{"type":"object","properties":{"cups":{"type":"string","properties":{"a":{}}}}}}]}`, `otherwise: /properties/cups/properties (gemini)`},
		"what no property is":    {`{"tools":[{"name":"brew","inputSchema":{"type":"object","properties":{},"required":["leaf"]}}]}`, "required must name defined properties only"},
		"large definitions":      {`{"tools":[{"name":"brew","description":"` + strings.Repeat("tea ", 300_000) + `","inputSchema":{"type":"object","properties":{"cups":{"type":"array"}}}}]}`, ""},
		"a large list":           {`{"tools":[{"name":"brew","description":"` + strings.Repeat("tea ", 1_100_000) + `","inputSchema":{"type":"string"}}]}`, "note: not all messages of the server were linted: the session has more than 4.2 MB"},
		"a list without faults":  {`{"tools":[{"name":"brew","description":"Brews tea.","inputSchema":{"type":"object","properties":{"leaf":{"type":"string","description":"The leaf."}}}}]}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			url := answering{results: map[string]string{"tools/list": c.tools}}.start(t)
			_, stderr, code := called(t, "list", "tools", "--protocol", "2025-11-25", "--url", url)
			if code != app.ExitOK || c.want == "" && strings.Contains(stderr, "warning:") || !strings.Contains(stderr, c.want) {
				t.Errorf("exit code %d, want %q, stderr is\n%s", code, c.want, stderr)
			}
		})
	}
}

// Of an error result with a structuredContent that does not fit, clients hide the message.
func TestCall_WarnsOfTheStructureOfAnError(t *testing.T) {
	for result, want := range map[string]string{
		`{"isError":true,"content":[{"type":"text","text":"no leaf"}],"structuredContent":{"code":1}}`:     "structuredContent of this error does not follow the outputSchema: /degrees is missing",
		`{"isError":true,"content":[{"type":"text","text":"no leaf"}]}`:                                    "",
		`{"isError":true,"content":[{"type":"text","text":"no leaf"}],"structuredContent":{"degrees":80}}`: "",
	} {
		url := answering{results: map[string]string{"tools/list": teaTools, "tools/call": result}}.start(t)
		_, stderr, code := called(t, "call", "brew", "--protocol", "2025-11-25", "--url", url)
		if code != app.ExitError || want == "" && strings.Contains(stderr, "warning:") || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, want %q, stderr is\n%s", result, code, want, stderr)
		}
	}
}
