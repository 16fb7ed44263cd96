//go:build unix

package failure_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// What a failed call says is compared with the list, the session and the arguments; the words of runtimes and of
// services are told from those about the arguments.
func TestOfReply_Kinds(t *testing.T) {
	const (
		tool     = `{"name":"go","inputSchema":{"type":"object","properties":{"query":{"type":"string"}}}}`
		renamed  = "What answers the call is not what made the list"
		own      = "The message is that of an exception in the code of the server"
		hidden   = "reports that something failed, and not what"
		limited  = "limits the number of requests in a time"
		noText   = "The server reports an error without a reason"
		noJSON   = "answered with something other than JSON"
		program  = "starts the program"
		cloud    = "The credentials are for another service that the server uses"
		unsent   = "its result as JSON"
		gaveUp   = "ended its wait for something that it uses"
		noFile   = "cannot find"
		upstream = "a gateway may have answered"
	)
	rpc := func(code int, text string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"error":{"code":%d,"message":%q}}`, code, text)
	}
	for _, tt := range []struct{ text, cause, absent string }{
		{"Tool go not found", renamed, ""},
		{"Unknown tool: go", renamed, ""},
		{"no handler registered for 'go'", renamed, ""},
		{"Unknown tool: tea", "", ""}, // another one
		{"The tea that go makes is unknown", "", ""},
		{"Error executing tool go: ", noText, ""},
		{"Error:", noText, ""},
		{"", noText, ""},
		{"Error: done", "", ""},
		{"Internal error", hidden, ""},
		{"Internal error calling tool go", hidden, ""},
		{"An unexpected error occurred while executing tool 'go'", hidden, ""},
		{"Internal error: the pot is empty", "", ""},
		{"API error: 403 Forbidden\n{\"message\":\"User API Key Rate limit exceeded\"}", limited, "refused the credentials"},
		{"HTTP 401: too many requests, try again in 30 s", limited, "refused the credentials"},
		{"You have reached the API limit (status 403)", limited, "refused the credentials"},
		{"Cannot add property pot, object is not extensible", own, ""},
		{"Cannot assign to read only property 'pot' of object", own, ""},
		{"Cannot access 'pot' before initialization", own, ""},
		{"An error occurred invoking 'go': Cannot access a disposed object.\nObject name: 'IServiceProvider'.", "an object whose scope had ended", ""},
		{"System.ObjectDisposedException: Cannot access a disposed context instance.", "an object whose scope had ended", ""},
		{"Cannot construct instance of `io.modelcontextprotocol.spec.McpSchema$CallToolRequest` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('go')\n at [Source: UNKNOWN; byte offset: #UNKNOWN]", "fails to read the request as the protocol defines it", "list of the server"},
		{"Cannot read properties of undefined (reading 'map')", own, ""},
		{"'NoneType' object has no attribute 'text'", own, ""},
		{"Object reference not set to an instance of an object.", own, ""},
		{"Cannot invoke \"com.tea.Pot.boil()\" because \"pot\" is null", own, ""},
		{"runtime error: invalid memory address or nil pointer dereference", own, ""},
		{"called `Option::unwrap()` on a `None` value", own, ""},
		{"Call to a member function boil() on null", own, ""},
		{"the object of the tea is not defined by law", "", ""},
		{"Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON", noJSON, ""},
		{"JSONDecodeError: Expecting value: line 1 column 1 (char 0)", noJSON, ""},
		{"invalid character '<' looking for beginning of value", noJSON, ""},
		{"'<' is an invalid start of a value. Path: $ | LineNumber: 0", noJSON, ""},
		{"spawn git ENOENT", program, ""},
		{"[Errno 2] No such file or directory: 'ffmpeg'", program, ""},
		{`exec: "rg": executable file not found in $PATH`, program, ""},
		{"Your AWS session token has expired. Please refresh your credentials", cloud, ""},
		{"Unable to locate credentials", cloud, ""},
		{"DefaultAzureCredential failed to retrieve a token. Please run 'az login'", cloud, ""},
		{"error: You must be logged in: please run `gh auth login`", cloud, ""},
		{"Object of type datetime is not JSON serializable", unsent, ""},
		{"Converting circular structure to JSON", unsent, ""},
		{"Do not know how to serialize a BigInt", unsent, ""},
		{"Query timed out after 30000ms", gaveUp, ""},
		{"context deadline exceeded", gaveUp, ""},
		{"ENOENT: no such file or directory, open '/data/tea.txt'", noFile, ""},
		{"MCP error -32001: Request timed out", upstream, ""},
		{"Upstream server tea disconnected", upstream, ""},
		{"Access denied - path outside allowed directories: /etc not in /srv", "permits only some directories", ""},
		{"EROFS: read-only file system, open '/x'", "denies the operation to the user of the server", ""},
		{"Connection discovery failed. Is Thunderbird running with the MCP extension?", `to an application ("Thunderbird")`, ""},
		{"Could not connect to Figma plugin. Make sure the plugin is running", "is a bridge to an application", ""},
		{"No Unity instance is connected", "is a bridge to an application", ""},
		{"Is it raining?", "", ""},
		{"Missing required environment variable TEA_KEY", `reads the environment variable "TEA_KEY"`, ""},
	} {
		t.Run(tt.text, func(t *testing.T) {
			for _, response := range []string{toolError(tt.text), rpc(-32603, tt.text)} {
				r := replyOf(t, callsOf(tool, response)(t), `{"query":"a"}`)
				if r.Cause == "" != (tt.cause == "") || !strings.Contains(r.Cause, tt.cause) || tt.absent != "" && strings.Contains(r.Cause, tt.absent) {
					t.Errorf("%s: %q, want %q", response, r.Cause, tt.cause)
				}
				if r.Cause != "" && r.Remedy.Text == "" {
					t.Error("no advice")
				}
			}
		})
	}
}

// The name in the message may lack the prefix of a gateway.
func TestOfReply_NameWithPrefix(t *testing.T) {
	for message, told := range map[string]bool{
		"Tool new_page not found": true, "Unknown tool: tea__new_page": true, "Unknown tool page": false, "the page was not found": false, "new_page: no tea": false,
	} {
		target := callsOf(`{"name":"tea__new_page","inputSchema":{"type":"object"}},{"name":"go","inputSchema":{"type":"object"}}`, toolError(message))(t)
		r := replyTo(t, target, `{"name":"tea__new_page","arguments":{}}`)
		if got := strings.Contains(r.Cause, "is not what made the list"); got != told {
			t.Errorf("%s: %q", message, r.Cause)
		}
	}
}

// A tool may have sessions of its own.
func TestOfReply_SessionOfATool(t *testing.T) {
	if r := replyOf(t, callsOf(`{"name":"go","inputSchema":{"type":"object"}}`, toolError("Error: browser session not found"))(t), `{}`); r.Cause != "" {
		t.Error(r.Cause)
	}
}

// A session id that was sent and is refused with a status of success: the server does not know its own session.
func TestOfReply_SessionThatIsNotKnown(t *testing.T) {
	for _, message := range []string{`"code":-32600,"message":"missing or invalid Mcp-Session-Id"`, `"code":-32001,"message":"Session not found"`, `"message":"Unknown session"`, `"code":0,"message":"No valid session ID provided"`} {
		r := replyOf(t, callsOf(`{"name":"go","inputSchema":{"type":"object"}}`, `{"jsonrpc":"2.0","id":ID,"error":{`+message+`}}`)(t), `{}`)
		if !strings.Contains(r.Cause, "the server does not know it") || !strings.Contains(r.Remedy.Text, "return 404") || strings.Contains(r.Cause, "proxy") {
			t.Errorf("%s: %q", message, r.Cause)
		}
	}
}

// A capability that is declared, and refused by the code.
func TestOfReply_DeclaredAndRefused(t *testing.T) {
	for text, code := range map[string]int{"Tools not supported": -32601, "no": -32601, "Method not found": -32603, "Unhandled method tools/call": -32000} {
		r := replyOf(t, callsOf(`{"name":"go","inputSchema":{"type":"object"}}`, fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"error":{"code":%d,"message":%q}}`, code, text))(t), `{}`)
		if !strings.Contains(r.Cause, "The server declares the capability tools") || !strings.Contains(r.Remedy.Text, "or do not declare tools") {
			t.Errorf("%s: %q", text, r.Cause)
		}
	}
	r := replyOf(t, callsOf(`{"name":"go","inputSchema":{"type":"object"}}`, `{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"Tool go not found"}}`)(t), `{}`)
	if !strings.Contains(r.Cause, "is not what made the list") {
		t.Error(r.Cause)
	}
}

// A request of the server that mcptea refused is why the call failed.
func TestOfReply_RefusedRequest(t *testing.T) {
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "tea/pour"} {
		target := self(t, "asks "+strings.ReplaceAll(method, "/", " "))
		r := replyTo(t, target, `{"name":"go","arguments":{}}`)
		if !strings.Contains(r.Cause, "The server sent "+method+" during the call, and mcptea") || r.Remedy.Text == "" {
			t.Errorf("%s: %q", method, r.Cause)
		}
	}
}

func init() {
	for _, method := range []string{"sampling/createMessage", "elicitation/create", "tea/pour"} {
		children["asks "+strings.ReplaceAll(method, "/", " ")] = func() {
			fmt.Fprintln(os.Stderr, "ready")
			call := ""
			in := bufio.NewScanner(os.Stdin)
			for in.Scan() {
				e := jsonrpc.Scan(in.Bytes())
				id := e.ID.Of(in.Bytes()).String()
				switch name := e.MethodName(in.Bytes()); {
				case name == "initialize":
					fmt.Println(result(id, welcome))
				case name == "tools/list":
					fmt.Println(result(id, `{"tools":[{"name":"go","inputSchema":{"type":"object"}}]}`))
				case name == "tools/call":
					call = id
					fmt.Printf(`{"jsonrpc":"2.0","id":"s","method":%q,"params":{"messages":[],"maxTokens":1,"message":"m","requestedSchema":{"type":"object","properties":{}}}}`+"\n", method)
				case e.Kind == jsonrpc.ErrorResponse:
					fmt.Println(strings.ReplaceAll(toolError("MCP error -32601: Method not found"), "ID", call))
				case e.Kind == jsonrpc.Request:
					fmt.Println(rpcError(-32601, "Method not found", id))
				}
			}
		}
	}
}

// The member arguments is optional, and a server may require it.
func TestOfReply_WithoutArguments(t *testing.T) {
	for text, told := range map[string]bool{
		"Invalid arguments for prompt help: [{\"message\": \"Invalid input: expected object, received undefined\"}]": true,
		"Expected object, received null": true, "arguments is required": true, "no tea": false,
	} {
		for params, absent := range map[string]bool{`{"name":"go"}`: true, `{"name":"go","arguments":{}}`: false} {
			r := replyTo(t, callsOf(`{"name":"go","inputSchema":{"type":"object"}}`, fmt.Sprintf(`{"jsonrpc":"2.0","id":ID,"error":{"code":-32602,"message":%q}}`, text))(t), params)
			if got := strings.Contains(r.Cause, `no member "arguments", which is optional`); got != (told && absent) {
				t.Errorf("%s, %s: %q", text, params, r.Cause)
			}
		}
	}
}
