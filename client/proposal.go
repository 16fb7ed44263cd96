package client

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
)

// IsReadOnly reports whether a tool, as tools/list has it, is annotated as read-only and not
// as destructive.
func IsReadOnly(tool []byte) bool {
	return string(jsonrpc.Get(tool, "annotations", "readOnlyHint")) == "true" && string(jsonrpc.Get(tool, "annotations", "destructiveHint")) != "true"
}

// Proposal is a request of an app or a recording. The user must see it to agree to it. The texts
// are untrusted.
type Proposal struct {
	Calls string // the tool, or the method of another request
	Part  string // kind of Text: "arguments" or "params"
	Text  string // raw JSON, or empty
}

// Propose returns the parts of a request that the user must see. For a call these are the
// arguments, or all params if they contain members that the protocol does not define. The error
// says why the user cannot agree to the request: for example, servers read its params in different
// ways.
func Propose(method string, params []byte) (Proposal, error) {
	if method != "tools/call" {
		return Proposal{method, "params", string(params)}, nil
	}
	if name := jsonrpc.Twin(params, "name", "arguments"); name != "" {
		return Proposal{}, fmt.Errorf("the params have another member that servers may take for %q", name)
	}
	tool := jsonrpc.Text(params, "name")
	if tool == "" { // the name is missing, or is not a string
		return Proposal{method, "params", string(params)}, nil
	}
	p := Proposal{tool, "arguments", string(jsonrpc.Get(params, "arguments"))}
	for name, value := range jsonrpc.Members(params) {
		if key := string(name); key != "name" && key != "arguments" && !(key == "_meta" && isProtocol(value)) {
			p.Part, p.Text = "params", string(params)
		}
	}
	return p, nil
}

// isProtocol reports whether a _meta contains only members that the protocol defines.
func isProtocol(meta []byte) bool {
	for name := range jsonrpc.Members(meta) {
		if key := string(name); key != "progressToken" && !strings.HasPrefix(key, "io.modelcontextprotocol/") {
			return false
		}
	}
	return slices.Contains([]string{"object", "null"}, jsonrpc.TypeOf(meta))
}
