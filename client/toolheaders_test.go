package client

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

func withTools(t *testing.T, cfg Config) *Client {
	t.Helper()
	c := New(Target{URL: "http://a.example/"}, &checks{}, cfg)
	c.update(func(s *state) { s.stateless = true })
	c.cacheToolHeaders([][]byte{
		[]byte(`{"name":"good","inputSchema":{"properties":{"where":{"type":"object","properties":{"zone":{"type":"string","x-mcp-header":"Zone"}}},"n":{"type":"integer","x-mcp-header":"N"},"e":{"type":"string","x-mcp-header":"E"}}}}`),
		[]byte(`{"name":"bad","inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`),
		[]byte(`{"name":"plain"}`),
	})
	return c
}

func TestRequestHeaders_Params(t *testing.T) {
	c := withTools(t, Config{})
	request := c.NewRequest(jsonrpc.IDOf(`1`), "tools/call", []byte(`{"name":"good","arguments":{"where":{"zone":"Grüße"},"n":42.0,"e":"","x":1}}`))
	h := c.requestHeaders(request.Frame, request.Envelope)
	for name, want := range map[string]string{
		"Mcp-Param-Zone": "=?base64?R3LDvMOfZQ==?=", "Mcp-Param-N": "42", "Mcp-Param-E": "", "Mcp-Name": "good",
	} {
		if got := h.Values(name); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	request = c.NewRequest(jsonrpc.IDOf(`2`), "tools/call", []byte(`{"name":"good","arguments":{"n":null}}`))
	for name := range c.requestHeaders(request.Frame, request.Envelope) {
		if strings.HasPrefix(name, "Mcp-Param-") {
			t.Errorf("%s is sent for an argument that is not there", name)
		}
	}
}

func TestCall_InvalidTool(t *testing.T) {
	c := withTools(t, Config{})
	var invalid *InvalidToolError
	if _, err := c.Call(t.Context(), "tools/call", []byte(`{"name":"bad"}`)); !errors.As(err, &invalid) || !strings.Contains(err.Error(), `of type "number"`) {
		t.Error(err)
	}
	if err := c.ValidateCall("tools/call", []byte(`{"name":"plain"}`)); err != nil {
		t.Error(err)
	}
	if err := withTools(t, Config{Lenient: true}).ValidateCall("tools/call", []byte(`{"name":"bad"}`)); err != nil {
		t.Error(err)
	}
}
