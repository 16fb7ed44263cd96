package declare_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/session/declare"
)

const tea = `
name: tea-shop
tools:
  - name: search
    description: Search the catalog
    inputSchema:
      type: object
      properties:
        query: {type: string}
        limit: {type: integer, default: 5}
        to: {type: object}
      required: [query]
    annotations: {readOnlyHint: true}
    responses:
      - when: {query: coffee}
        toolError: "there is no {{query}}"
      - when: {query: "<~^crash>"}
        errorResponse: {code: -32000, message: "the {{query}} is declared", data: {limit: "{{limit}}"}}
      - when: {query: twice}
        times: 1
        text: first
      - when: {query: twice}
        text: again
    text: 'found "{{query}}" for {{to.name}}'
    structuredContent: {query: "{{query}}", limit: "{{limit}}", note: "at most {{limit}}", big: 12345678901234567890}
  - name: plain
  - name: count
    structuredContent: {limit: "{{limit}}"}
  - name: shaped
    outputSchema: {type: object, properties: {n: {type: integer, minimum: 3}}, required: [n]}
resources:
  - uri: tea://list
    mimeType: text/markdown
    text: "# {{not an argument}} {{literal}}"
resourceTemplates:
  - uriTemplate: tea://{id}/leaf
    values: {id: [green, black]}
    text: "leaf of {{id}}"
prompts:
  - name: review
    arguments:
      - {name: topic, required: true, values: [tea, cups]}
    messages:
      - {role: user, text: "Review {{topic}}."}
      - {role: assistant, text: "Gladly."}
`

// asked serves a file and returns the response to a request, for a session of a version.
func asked(t *testing.T, text string, requests ...string) []string {
	t.Helper()
	f, err := declare.Parse("tea.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, declare.NewMock(t.Context(), f, declare.Options{}))
	var answers []string
	for _, r := range requests {
		method, params, _ := strings.Cut(r, " ")
		answers = append(answers, c.request(method, params))
	}
	c.close()
	return answers
}

// declareClient is a client of a mock over stdio.
type declareClient struct {
	t     *testing.T
	in    io.WriteCloser
	lines *bufio.Reader
	ended chan error
}

// connect initializes a session of a mock.
func connect(t *testing.T, mock *declare.Mock) *declareClient {
	t.Helper()
	in, client := io.Pipe()
	result, out := io.Pipe()
	c := &declareClient{t, client, bufio.NewReader(result), make(chan error, 1)}
	go func() { c.ended <- mock.ServeStdio(t.Context(), in, out) }()
	c.request("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	_, _ = io.WriteString(client, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	return c
}

func (c *declareClient) request(method, params string) string {
	c.t.Helper()
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+"}\n"); err != nil {
		c.t.Fatal(err)
	}
	return c.read()
}

func (c *declareClient) read() string {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func (c *declareClient) close() {
	c.t.Helper()
	_ = c.in.Close()
	if err := <-c.ended; err != nil {
		c.t.Error(err)
	}
}

func TestServer_Responses(t *testing.T) {
	for _, c := range []struct{ request, path, want string }{
		{`tools/call {"name":"search","arguments":{"query":"oolong \"x\"","to":{"name":"Ann"}}}`, "result", `{"content":[{"type":"text","text":"found \"oolong \"x\"\" for Ann"}],"structuredContent":{"query":"oolong \"x\"","limit":5,"note":"at most 5","big":12345678901234567890}}`},
		{`tools/call {"name":"search","arguments":{"query":"coffee"}}`, "result", `{"content":[{"type":"text","text":"there is no coffee"}],"isError":true}`},
		{`tools/call {"name":"search","arguments":{"query":"crash!","limit":7}}`, "error", `{"code":-32000,"message":"the crash! is declared","data":{"limit":7}}`},
		{`tools/call {"name":"search","arguments":{}}`, "error", `{"code":-32602,"message":"invalid arguments: query is missing"}`},
		{`tools/call {"name":"plain","arguments":{}}`, "result", `{"content":[{"type":"text","text":"plain"}]}`},
		{`tools/call {"name":"count","arguments":{"limit":3}}`, "result", `{"content":[{"type":"text","text":"{\"limit\":3}"}],"structuredContent":{"limit":3}}`},
		{`tools/call {"name":"shaped","arguments":{}}`, "result", `{"content":[{"type":"text","text":"{\"n\":3}"}],"structuredContent":{"n":3}}`},
		{`resources/read {"uri":"tea://list"}`, "result", `{"contents":[{"uri":"tea://list","mimeType":"text/markdown","text":"# {{not an argument}} {{literal}}"}]}`},
		{`resources/read {"uri":"tea://green/leaf"}`, "result", `{"contents":[{"uri":"tea://green/leaf","mimeType":"","text":"leaf of green"}]}`},
		{`prompts/get {"name":"review","arguments":{"topic":"tea"}}`, "result", `{"messages":[{"role":"user","content":{"type":"text","text":"Review tea."}},{"role":"assistant","content":{"type":"text","text":"Gladly."}}]}`},
		{`prompts/get {"name":"review"}`, "error", `{"code":-32602,"message":"argument topic is required"}`},
		{`completion/complete {"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"topic","value":"c"}}`, "result", `{"completion":{"hasMore":false,"total":1,"values":["cups"]}}`},
		{`completion/complete {"ref":{"type":"ref/resource","uri":"tea://{id}/leaf"},"argument":{"name":"id","value":""}}`, "result", `{"completion":{"hasMore":false,"total":2,"values":["green","black"]}}`},
		{`prompts/list {}`, "result", `{"prompts":[{"name":"review","arguments":[{"name":"topic","required":true}]}]}`},
	} {
		got := asked(t, tea, c.request)[0]
		if part := string(jsonrpc.Get([]byte(got), c.path)); part != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.request, got, c.want)
		}
	}
	twice := `tools/call {"name":"search","arguments":{"query":"twice"}}`
	for i, got := range asked(t, tea, twice, twice, twice) {
		if want := []string{"first", "again", "again"}[i]; !strings.Contains(got, want) {
			t.Errorf("the call %d has the response %s", i+1, got)
		}
	}
}

func TestServer_Faults(t *testing.T) {
	text := "tools:\n  - name: a\n    fault: [string-id]\n  - name: b\n"
	got := asked(t, text, `tools/call {"name":"a"}`, `tools/call {"name":"b"}`)
	if !strings.Contains(got[0], `"id":"1"`) || !strings.Contains(got[1], `"id":1`) {
		t.Errorf("the responses are %q", got)
	}
}

func TestParse_Mistakes(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"", "f: the file is empty", "Begin with"},
		{"tools:\n  - name: a\n    inputShema: {}\n", `f:3:5: unknown key "inputShema" in tools/0`, "Did you mean inputSchema?"},
		{"tool: []\n", `f:1:1: unknown key "tool" in the file`, "Did you mean tools?"},
		{"tools:\n- nme: a\n", `f:2:3: unknown key "nme" in tools/0`, "Did you mean name?"},
		{"tools:\n- name: a\n  responses:\n  - wen: {}\n", `f:4:5: unknown key "wen" in tools/0/responses/0`, "Did you mean when?"},
		{"tools:\n  - description: a\n", "f:2:5: tools/0/name is missing", ""},
		{"tools:\n  - name: 7\n", "f:2:5: tools/0/name must be a string, found a number", ""},
		{"tools:\n  - name: a\n    delay: -5s\n", `f:3:5: "-5s" is not a delay`, "Write it as 200ms"},
		{"tools:\n  - name: a\n    delay: fast\n", `f:3:5: "fast" is not a delay`, "Write it as 200ms"},
		{"tools:\n  - name: a\n    text: x\n    toolError: y\n", "f:4:5: text and toolError exclude each other", "Omit one"},
		{"tools:\n  - name: a\n    text: 'x {{query}}'\n    inputSchema: {properties: {q: {}}}\n", `f:3:5: {{query}} is not an argument of the tool "a"`, "The arguments are q."},
		{"tools:\n  - name: a\n  - name: a\n", `f:3:5: there are two tools "a"`, "Give one"},
		{"tools:\n  - name: a\n    fault: [nonsense]\n", `f:3:5: unknown fault "nonsense"`, "mcptea help faults"},
		{"tools:\n  - name: a\n    fault: [reorder]\n", `f:3:5: fault reorder is for a connection`, ""},
		{"tools:\n  - name: a\n    inputSchema: {type: strng}\n", `f:3:19: inputSchema of the tool "a" is not a JSON Schema: `, ""},
		{"tools: [\n", "f:1: not valid YAML: did not find", ""},
		{"a: 1\na: 2\n", `f:2:1: the key "a" is already set in line 1`, ""},
		{"resources:\n  - uri: a:b\n    blob: '%'\n", "f:3:5: the blob is not Base64", ""},
		{"resourceTemplates:\n  - uriTemplate: 'a:{+b}'\n", "f:2:5: the template has more than simple variables", "Write it as"},
		{"name: x\n---\nname: y\n", "f:2:1: expected one YAML document", "Put it into a file of its own."},
		{"{\n\t\"tools\": [\n\t\t{\"name\": 1}\n\t]\n}", "f:3:4: tools/0/name must be a string", ""},
		{"a: &a [x]\nb: &b [*a, *a]\n? [x]\n: y", "f:", ""},
		{"- x\n", "f:1:1: the file must be an object, found an array", ""},
	} {
		_, err := declare.Parse("f", []byte(c.text))
		var mistake *declare.Error
		if !errors.As(err, &mistake) || !strings.HasPrefix(err.Error(), c.want) || !strings.HasPrefix(mistake.Hint, c.hint) {
			t.Errorf("%q: %v (%+v), want %s", c.text, err, mistake, c.want)
		}
	}
}

// Aliases that double are bounded.
func TestParse_Bounds(t *testing.T) {
	text, before := "k0: &k0 [x, x]\n", "k0"
	for i := range 40 {
		key := fmt.Sprintf("k%d", i+1)
		text += fmt.Sprintf("%s: &%s [*%s, *%s]\n", key, key, before, before)
		before = key
	}
	if _, err := declare.Parse("f", []byte(text)); err == nil || !strings.Contains(err.Error(), "expand to too much") {
		t.Error(err)
	}
	if _, err := declare.Parse("f", bytes.Repeat([]byte("#"), 1<<20+1)); err == nil {
		t.Error("a file of any size is read")
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(tea))
	f.Add([]byte(`{"tools":[{"name":"a","text":"{{x}}"}]}`))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, err := declare.Parse("f", text)
		if err != nil {
			var mistake *declare.Error
			if !errors.As(err, &mistake) {
				t.Fatalf("%v is no mistake of the file", err)
			}
			return
		}
		for _, list := range asked(t, string(text), "tools/list {}", "prompts/list {}", "resources/list {}", "resources/templates/list {}") {
			if !json.Valid([]byte(list)) {
				t.Error(list)
			}
		}
	})
}

// What an editor shows of the schema is what the page has.
func TestSchema_KeysAreOnThePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "mock.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	ofMCP := []string{"name", "title", "description", "inputSchema", "outputSchema", "annotations", "icons", "execution", "_meta", "uri", "uriTemplate", "mimeType", "size", "arguments"}
	own := map[string]bool{} // the keys of an entry that are not part of it in the lists of MCP
	for _, entry := range []string{"tool", "toolResponse", "resource", "template", "prompt"} {
		for m := range jsonrpc.Members(jsonrpc.Get(text, "$defs", entry, "properties")) {
			if m := string(m); !slices.Contains(ofMCP, m) {
				own[m] = true
			}
		}
	}
	if len(own) < 15 {
		t.Errorf("the schema has the keys %v", own)
	}
	for key := range own {
		if !bytes.Contains(page, []byte("`"+key+"`")) && !bytes.Contains(page, []byte("`"+key+":")) {
			t.Errorf("docs/mock.md lacks the key %s", key)
		}
	}
}

func TestReplace_TellsClients(t *testing.T) {
	file := func(text string) *declare.File {
		f, err := declare.Parse("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	mock := declare.NewMock(t.Context(), file("tools:\n  - name: a\nprompts:\n  - name: p\n"), declare.Options{Changes: true})
	c := connect(t, mock)
	mock.Replace(file("tools:\n  - name: b\nprompts:\n  - name: p\n"))
	if got := c.read(); !strings.Contains(got, "notifications/tools/list_changed") {
		t.Errorf("the client is told %s", got)
	}
	if got := c.request("ping", "{}"); !strings.Contains(got, `"result"`) {
		t.Errorf("the client is also told %s", got)
	}
	c.close()
}

// TestFill_OnePass has arguments that look like placeholders: they are inserted as they are.
func TestFill_OnePass(t *testing.T) {
	for _, tt := range []struct{ text, args, want string }{
		{`{"x":"{{a}}"}`, `{"a":"{{b}}","b":"OTHER"}`, `{"x":"{{b}}"}`},
		{`{"x":"{{a}}"}`, `{"a":"\\{{b}}","b":"OTHER"}`, `{"x":"\\{{b}}"}`},
		{`{"x":"is {{a}}"}`, `{"a":"{{b}}","b":"OTHER"}`, `{"x":"is {{b}}"}`},
		{`{"x":"{{a}}"}`, `{"a":{"c":"{{b}}"},"b":"OTHER"}`, `{"x":{"c":"{{b}}"}}`},
		{`{"{{a}}":"{{b}}"}`, `{"a":"{{b}}","b":2}`, `{"{{b}}":2}`},
		{`{"{{a}}": 1}`, `{}`, `{"":1}`},
		{`{"x":"\\{{a}}","y":"{{c}}"}`, `{"a":1}`, `{"x":"{{a}}","y":null}`},
	} {
		file := `{"tools":[{"name":"a","structuredContent":` + tt.text + `}]}`
		got := asked(t, file, `tools/call {"name":"a","arguments":`+tt.args+`}`)[0]
		if got := string(jsonrpc.Get([]byte(got), "result", "structuredContent")); got != tt.want {
			t.Errorf("%s with %s: %s, want %s", tt.text, tt.args, got, tt.want)
		}
	}
}
