package failure

import (
	"errors"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/explain/card"
)

func TestCodesThatAreNotEverybodysAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		err  client.RPCError
		want []string
	}{
		"private": {client.RPCError{Code: -32001, Message: "Session not found"}, []string{"specific to the server; it may mean", "load balancer"}},
		"by MCP":  {client.RPCError{Code: -32042, Message: "go there", Data: []byte(`{"elicitations":[]}`)}, []string{"open a page before", "data.elicitations"}},
		"unknown": {client.RPCError{Code: -32011, Message: "x"}, []string{"no known meaning", "documentation"}},
	} {
		e := Explain(&c.err, Facts{Connected: true})
		for _, want := range c.want {
			if !strings.Contains(e.Text(), want) {
				t.Errorf("%s: %q is missing in\n%s", name, want, e.Text())
			}
		}
	}
	e := Explain(&transport.StatusError{Method: "POST", URL: "http://h/mcp", Status: 413}, Facts{})
	if !strings.Contains(e.Text(), "larger than the server or a proxy accepts") {
		t.Errorf("413 is not explained:\n%s", e.Text())
	}
}

func TestTheCardOfAFailure(t *testing.T) {
	status := &transport.StatusError{Method: "POST", Status: 502}
	for name, c := range map[string]struct {
		err  error
		want string
		kind card.Kind
	}{
		"code":   {&client.ConnectError{Step: client.StepResponse, Err: &client.RPCError{Code: -32603}}, "-32603", card.Code},
		"status": {&client.ConnectError{Step: client.StepInitialize, Err: status}, "502", card.Status},
		"step":   {&client.ConnectError{Step: client.StepStart, Err: errors.New("no")}, "start process", card.Step},
	} {
		if got, ok := CardOf(c.err, revision.R20251125); !ok || got.Key != c.want || got.Kind != c.kind {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if c, ok := CardOf(errors.New("odd"), ""); ok {
		t.Errorf("an error that is about nothing has the card %+v", c)
	}
}
