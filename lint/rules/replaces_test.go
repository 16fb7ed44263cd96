package rules

import (
	"fmt"
	"testing"
)

// A replaced finding is not reported beside the one that replaces it.
func TestReplaces_OneFindingForOneCause(t *testing.T) {
	found := play(t, trace{context: "25c", lines: []string{
		`S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"value":3}}`,
		`S> {"jsonrpc":"2.0","method":"progress","params":{"value":3}}`,
		`C> {"jsonrpc":"2.0","method":"notifications/message","params":{"message":3}}`,
	}})
	if got := fmt.Sprint(ids(found)); got != "[N001 N001 N024]" {
		t.Error(got)
	}
}
