package offer

import (
	"errors"
	"testing"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// A server with resources need not have templates; any other list that it declares it has to have.
func TestList_WithoutUnknown(t *testing.T) {
	unknown := &client.RPCError{Code: jsonrpc.CodeOf(jsonrpc.CodeMethodNotFound), Message: "Method not found"}
	for _, tt := range []struct {
		kind   client.ListKind
		err    error
		stands bool
	}{
		{client.Templates, unknown, false},
		{client.Templates, &client.RPCError{Code: jsonrpc.CodeOf(jsonrpc.CodeInternalError)}, true},
		{client.Templates, errors.New("timeout"), true},
		{client.Resources, unknown, true},
		{client.Tools, unknown, true},
	} {
		got := List{Offered: true, Err: tt.err}.WithoutUnknown(tt.kind.Name)
		if (got.Err != nil) != tt.stands || got.Offered != tt.stands {
			t.Errorf("%s with %v: %+v", tt.kind.Name, tt.err, got)
		}
	}
}

// A list has the entries of an earlier one until it is loaded again, also with equal entries.
func TestList_HasItemsOf(t *testing.T) {
	items := func() []Item {
		return []Item{NewItem("tools", []byte(`{"name":"a"}`)), NewItem("tools", []byte(`{"name":"b"}`))}
	}
	first := List{Items: items()}
	for name, c := range map[string]struct {
		now  List
		want bool
	}{
		"itself":        {List{Items: first.Items, Loading: true}, true},
		"loaded again":  {List{Items: items()}, false},
		"the next page": {List{Items: append(first.Items, first.Items[0])}, false},
		"empty":         {List{}, false},
	} {
		if got := c.now.HasItemsOf(first); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if !(List{}).HasItemsOf(List{}) {
		t.Error("two empty lists differ")
	}
}
