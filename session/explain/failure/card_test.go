package failure

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/explain/card"
)

func TestExplain_PrivateCodes(t *testing.T) {
	for name, c := range map[string]struct {
		err  client.RPCError
		want []string
	}{
		"private": {client.RPCError{Code: jsonrpc.CodeOf(-32001), Message: "Session not found"}, []string{"specific to the server; it may mean", "load balancer"}},
		"by MCP":  {client.RPCError{Code: jsonrpc.CodeOf(-32042), Message: "go there", Data: []byte(`{"elicitations":[]}`)}, []string{"open a page before", "data.elicitations"}},
		"unknown": {client.RPCError{Code: jsonrpc.CodeOf(-32017), Message: "x"}, []string{"no known meaning", "documentation"}},
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

// Each step at which connecting can fail has a card: the names are read from where they are declared.
func TestEachStepHasACard(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../client/steps.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	steps := 0
	for n := range ast.Preorder(file) {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			continue
		}
		text, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			continue
		}
		steps++
		name, err := strconv.Unquote(text.Value)
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := CardOf(&client.ConnectError{Step: name, Err: errors.New("no")}, ""); !ok || c.Kind != card.Step || c.Key != name {
			t.Errorf("the card of the step %q is %+v", name, c)
		}
	}
	if steps < 9 {
		t.Errorf("%d steps were found in client/steps.go", steps)
	}
}

func TestTheCardOfAFailure(t *testing.T) {
	status := &transport.StatusError{Method: "POST", Status: 502}
	for name, c := range map[string]struct {
		err  error
		want string
		kind card.Kind
	}{
		"code":   {&client.ConnectError{Step: client.StepResponse, Err: &client.RPCError{Code: jsonrpc.CodeOf(-32603)}}, "-32603", card.Code},
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
