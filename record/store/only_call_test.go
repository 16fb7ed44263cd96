package store

import (
	"testing"

	"mcptea/client/transport"
)

func TestOnlyCall(t *testing.T) {
	call, other := Flow{Dir: transport.Out, Method: "tools/call", Name: "a"}, Flow{Dir: transport.Out, Method: "prompts/get"}
	list, asked := Flow{Dir: transport.Out, Method: "tools/list"}, Flow{Dir: transport.In, Method: "sampling/createMessage"}
	for _, c := range []struct {
		pending []Flow
		name    string
		ok      bool
	}{
		{nil, "", false},
		{[]Flow{list, asked}, "", false},
		{[]Flow{list, call, asked}, "a", true},
		{[]Flow{call, other}, "", false},
		{[]Flow{call, other, call}, "", false},
	} {
		if got, ok := OnlyCall(c.pending); got.Name != c.name || ok != c.ok {
			t.Errorf("%v: %q, %v", c.pending, got.Name, ok)
		}
	}
}
