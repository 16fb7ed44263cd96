package client

import (
	"fmt"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/paramheader"
	"mcptea/client/revision"
)

// InvalidToolError reports a tool that must not be called over HTTP, because its
// definition violates the rules for headers (2026-07-28, basic / transports,
// "Custom Headers from Tool Parameters").
type InvalidToolError struct {
	Tool string
	Err  error // a *paramheader.Fault
}

// Error names the tool and the fault.
func (e *InvalidToolError) Error() string {
	return fmt.Sprintf("the tool %q is invalid over HTTP: %v", e.Tool, e.Err)
}

// Unwrap returns the fault.
func (e *InvalidToolError) Unwrap() error { return e.Err }

// toolHeaders are the header annotations of the tools' schemas.
type toolHeaders struct {
	params map[string][]paramheader.Param
	faults map[string]error
}

// cacheToolHeaders reads the annotations of a complete list of tools. They apply
// to stateless requests over HTTP only.
func (c *Client) cacheToolHeaders(tools [][]byte) {
	if c.target.URL == "" || !c.isStateless() {
		return
	}
	known := toolHeaders{params: map[string][]paramheader.Param{}, faults: map[string]error{}}
	for _, tool := range tools {
		schema, _ := jsonrpc.Member(tool, "inputSchema")
		params, err := paramheader.Read(schema)
		name := jsonrpc.Text(tool, "name")
		switch {
		case err != nil:
			known.faults[name] = err
		case len(params) > 0:
			known.params[name] = params
		}
	}
	c.update(func(s *state) { s.tools = known })
}

// InvalidTool returns an *[InvalidToolError] for a tool of the newest list that
// must not be called over HTTP, nil for all others.
func (c *Client) InvalidTool(name string) error {
	if err := read(c, func(s *state) error { return s.tools.faults[name] }); err != nil {
		return &InvalidToolError{Tool: name, Err: err}
	}
	return nil
}

// ValidateCall returns an *[InvalidToolError] for a call that must not be sent,
// nil for all others.
func (c *Client) ValidateCall(method string, params []byte) error {
	if method != "tools/call" || c.cfg.Lenient {
		return nil
	}
	return c.InvalidTool(jsonrpc.Text(params, "name"))
}

// addParamHeaders mirrors arguments of a call in headers. Without the tool's schema
// it adds none.
func (c *Client) addParamHeaders(h http.Header, params []byte) {
	name := jsonrpc.Text(params, "name")
	mirrored := read(c, func(s *state) []paramheader.Param { return s.tools.params[name] })
	if len(mirrored) == 0 {
		return
	}
	arguments, _ := jsonrpc.Member(params, "arguments")
	for _, p := range mirrored {
		if value, ok := p.Value(arguments); ok {
			h.Set(paramheader.Prefix+p.Header, revision.HeaderValue(value))
		}
	}
}
