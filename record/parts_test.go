package record

import (
	"bytes"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// The parts of a large frame join to its line, each time they are had.
func TestFrameParts(t *testing.T) {
	for name, text := range map[string]string{
		"a message": `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 2*pieceSize) + `"}`,
		"no JSON":   strings.Repeat("x", 2*pieceSize+1),
		"empty":     "",
	} {
		f := &transport.Frame{Dir: transport.In, Bytes: []byte(text), Envelope: jsonrpc.Scan([]byte(text)), Ending: "\n"}
		want, at := AppendFrame(nil, 7, 2, f)
		parts, size, p := FrameParts(7, 2, f)
		for range 2 {
			var got []byte
			for part := range parts {
				got = append(got, part...)
			}
			if !bytes.Equal(got, want) || size != len(want) || p != at {
				t.Errorf("%s: %d bytes, said to be %d, want %d; %+v, want %+v", name, len(got), size, len(want), p, at)
			}
		}
	}
}
