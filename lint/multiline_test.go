package lint

import (
	"bytes"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// What is spread over very many lines costs no more than its bytes, and is
// forgotten when it is too long.
func TestMultiline_Bounded(t *testing.T) {
	var s multiline
	take := func(line string) Frame {
		f := Frame{Frame: transport.Frame{Bytes: []byte(line), Envelope: jsonrpc.Scan([]byte(line))}}
		s.addFrame(&f, Stdio)
		return f
	}
	take("[")
	for range 10_000 {
		take(`{"a":1},`)
	}
	if take(`{"a":1}`); s.lines == 0 {
		t.Error("a long array is not followed")
	}
	if f := take("]"); f.Lines != 10_003 {
		t.Errorf("it has %d lines", f.Lines)
	}
	take("[")
	big := `"` + string(bytes.Repeat([]byte("x"), maxMultiline/2)) + `",`
	take(big)
	take(big)
	if len(s.text) != 0 {
		t.Errorf("%d bytes are kept", len(s.text))
	}
}
