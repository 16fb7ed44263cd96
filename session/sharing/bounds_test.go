package sharing

import (
	"fmt"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

func TestSent_Bound(t *testing.T) {
	st, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	s := New(st)
	for i := range 10_001 {
		s.Sent(jsonrpc.IDOf(fmt.Sprint(i)))
		if n := len(s.sent); n != min(i+1, 10_000) {
			t.Fatalf("after %d requests %d are remembered", i+1, n)
		}
	}
}
