package export

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"mcptea/client/jsonrpc"
)

// The programs, which make the selected calls with the official SDKs.
var (
	//go:embed snippet/go.tmpl
	goProgram string
	//go:embed snippet/python.tmpl
	pythonProgram string
	//go:embed snippet/typescript.tmpl
	typescriptProgram string
)

// snippet is the data of a program.
type snippet struct {
	Endpoint endpoint
	Argv     []string // quoted as literals
	URL      string   // a literal
	// Secret says that a literal has a redacted secret in it.
	Secret bool
	Bearer bool // an access token is sent
	Calls  []snippetCall
}

// snippetCall is one call.
type snippetCall struct {
	Number int32
	Method string // of the protocol
	Title  string // for a comment
	Func   string // of the SDK
	Type   string // of the params in Go
	Params string // a literal with JSON, "{}" without params
	Name   string // a literal: of the tool or prompt, or the URI
	Args   string // a literal with the JSON of the arguments
}

func (s *session) writeGo() error {
	return s.writeProgram(goProgram, strconv.Quote, goFuncs)
}

func (s *session) writePython() error {
	return s.writeProgram(pythonProgram, jsonText, pythonFuncs)
}

func (s *session) writeTypeScript() error {
	return s.writeProgram(typescriptProgram, jsonText, typescriptFuncs)
}

// The functions of the SDKs for the methods of the protocol.
var (
	goFuncs = map[string]string{
		"tools/call": "CallTool", "tools/list": "ListTools", "resources/read": "ReadResource", "resources/list": "ListResources",
		"resources/templates/list": "ListResourceTemplates", "prompts/get": "GetPrompt", "prompts/list": "ListPrompts", "completion/complete": "Complete",
	}
	pythonFuncs = map[string]string{
		"tools/call": "call_tool", "tools/list": "list_tools", "resources/read": "read_resource", "resources/list": "list_resources",
		"resources/templates/list": "list_resource_templates", "prompts/get": "get_prompt", "prompts/list": "list_prompts", "ping": "send_ping",
	}
	typescriptFuncs = map[string]string{
		"tools/call": "callTool", "tools/list": "listTools", "resources/read": "readResource", "resources/list": "listResources",
		"resources/templates/list": "listResourceTemplates", "prompts/get": "getPrompt", "prompts/list": "listPrompts",
		"completion/complete": "complete", "ping": "ping",
	}
)

// maxCalls bounds the calls of a program.
const maxCalls = 1000

func (s *session) writeProgram(text string, quote func(string) string, funcs map[string]string) error {
	var data snippet
	for r, err := range s.requests() {
		if err != nil {
			return err
		}
		if isLifecycle(r.Method) || strings.HasPrefix(r.Method, "notifications/") {
			continue
		}
		f, ok := funcs[r.Method]
		if !ok {
			s.report("%s was left out: the snippet has no function for it", r.Method)
			continue
		}
		if len(data.Calls) == maxCalls {
			s.report("the program has the first %d calls; select fewer frames with --filter or --frames", maxCalls)
			break
		}
		data.Endpoint = r.Endpoint
		data.Calls = append(data.Calls, callOf(&r, f, quote))
	}
	if len(data.Calls) == 0 {
		return errNoRequests
	}
	for _, arg := range data.Endpoint.Argv {
		data.Argv = append(data.Argv, quote(arg))
		data.Secret = data.Secret || isRedacted(arg)
	}
	if data.Endpoint.Transport == "stdio" && len(data.Argv) == 0 {
		return fmt.Errorf("the recording does not name the command of the server")
	}
	data.URL = quote(data.Endpoint.URL)
	data.Secret = data.Secret || isRedacted(data.Endpoint.URL)
	data.Bearer = strings.HasPrefix(data.Endpoint.Header["Authorization"], "Bearer ")
	t, err := template.New("").Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(s.out, data)
}

func callOf(r *request, f string, quote func(string) string) snippetCall {
	params := withoutMeta(r.Params)
	if len(params) == 0 {
		params = []byte("{}")
	}
	name := jsonrpc.Text(params, "name")
	if name == "" {
		name = jsonrpc.Text(params, "uri")
	}
	args, ok := jsonrpc.Member(params, "arguments")
	if !ok {
		args = []byte("{}")
	}
	return snippetCall{
		Number: r.Number, Method: r.Method, Title: oneLine(strings.TrimSpace(r.Method + " " + name)), Func: f, Type: f + "Params",
		Params: quote(string(params)), Name: quote(name), Args: quote(string(args)),
	}
}
