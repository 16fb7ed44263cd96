package relay

import (
	"bytes"
	"fmt"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/oddframes"
)

// concerns reports what a relay has to look at: it is what mayConcern must not leave out.
func concerns(frame []byte) bool {
	e := jsonrpc.Scan(frame)
	switch {
	case e.Kind == jsonrpc.Batch:
		for element := range jsonrpc.Elements(frame) {
			if concerns(element) {
				return true
			}
		}
		return false
	case e.Kind == jsonrpc.Request, e.Kind.IsResponse() && e.ID.Present():
		return true
	}
	return e.HasMethod(frame, "notifications/cancelled") || e.HasMethod(frame, "notifications/subscriptions/acknowledged")
}

func TestMayConcern(t *testing.T) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`{"jsonrpc":"2.0","result":{},"id" : 1}`,
		`{"jsonrpc":"2.0","result":{},"\u0069d":1}`,
		`{"\u0069\u0064":"a","jsonrpc":"2.0","method":"ping"}`,
		`{"jsonrpc":"2.0","error":{"code":1,"message":""},"id":null}`,
		`{"method":"notifications/cancelled","jsonrpc":"2.0"}`,
		`{"method":"notifications\/cancelled","jsonrpc":"2.0"}`,
		`{"method":"notifications/c\u0061ncelled","jsonrpc":"2.0"}`,
		`{"method":"notifications/subscriptions/acknowledged","jsonrpc":"2.0"}`,
		`[{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		"\xef\xbb\xbf" + `{"jsonrpc":"2.0","id":1,"result":{}}`,
	} {
		if !concerns([]byte(frame)) {
			t.Errorf("the test is wrong: %s", frame)
		}
		for at := range 17 { // wherever it begins
			lines := fmt.Sprintf("%*s\n%s\n", at, "", frame)
			if !mayConcern([]byte(lines)) {
				t.Errorf("%q is left out at byte %d", frame, at)
			}
		}
	}
	for _, frame := range []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":{"uuid":"x","idd":1,"text":"an id"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2,"message":"ended"}}`,
		`text`, ``,
	} {
		if mayConcern([]byte(frame + "\n")) {
			t.Errorf("%s need not be looked at", frame)
		}
	}
	for _, line := range oddframes.Lines(3, 5000) {
		if frame := bytes.TrimRight(line, "\r\n"); concerns(frame) && !mayConcern(line) {
			t.Errorf("%q is left out", frame)
		}
	}
}

func FuzzMayConcern(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","\u0069d":1,"result":{}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`))
	f.Fuzz(func(t *testing.T, frame []byte) {
		if concerns(frame) && !mayConcern(append(frame, '\n')) {
			t.Errorf("%q is left out", frame)
		}
	})
}
