//go:build unix

package stdio

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mcptea/client/transport"
)

// A frame with a line break is not written, and the server reads no message that begins after it. What
// the user, a probe or a host has written is sent exactly.
func TestSend_LineBreak(t *testing.T) {
	tr, r := run(t, "echo")
	const hidden = `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`
	for _, lineBreak := range []string{"\n", "\r", "\r\n"} {
		for at, frame := range []string{lineBreak + hidden, `{"x":` + lineBreak + hidden + `}`, hidden + lineBreak} {
			err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte(frame)})
			broken, ok := errors.AsType[*transport.BreakError](err)
			if want := []int{0, 5, len(hidden)}[at]; !ok || broken.At != want {
				t.Errorf("%q: %v, want a line break at byte %d", frame, err, want)
			}
		}
	}
	var want []string
	for _, reason := range []transport.Breaks{transport.Composed, transport.Edited, transport.Probed, transport.Relayed} {
		if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte("a\n\nb"), Note: transport.Note{Breaks: reason}}); err != nil {
			t.Fatal(err)
		}
		want = append(want, `a|"\n"`, `|"\n"`, `b|"\n"`)
	}
	if err := tr.Send(t.Context(), transport.Outgoing{Bytes: []byte("a\u2028b\\n\t")}); err != nil { // no line ends here
		t.Fatal(err)
	}
	want = append(want, "a\u2028b\\n\t"+`|"\n"`)
	r.await(t, "the echo", func() bool { return len(r.incoming()) == len(want) })
	if got := r.incoming(); !slices.Equal(got, want) {
		t.Errorf("the server has read %s", strings.Join(got, " "))
	}
}
