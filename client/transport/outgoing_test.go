package transport_test

import (
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// The envelope that came with a frame is used unchanged; a frame without an envelope is scanned.
func TestOutgoing_Envelope(t *testing.T) {
	frame := []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	scanned := jsonrpc.Scan(frame)
	other := jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","method":"x"}`))
	for _, row := range []struct {
		of   transport.Outgoing
		want jsonrpc.Kind
	}{
		{transport.Outgoing{Bytes: frame}, jsonrpc.Request},
		{transport.Outgoing{Bytes: frame, Scanned: &scanned}, jsonrpc.Request},
		{transport.Outgoing{Bytes: frame, Scanned: &other}, jsonrpc.Notification}, // not scanned again
	} {
		if got := row.of.Envelope().Kind; got != row.want {
			t.Errorf("the kind is %v, want %v", got, row.want)
		}
	}
}
