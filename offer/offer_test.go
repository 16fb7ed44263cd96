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
