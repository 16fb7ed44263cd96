package pipeline

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

// A batch of the server goes to the host, except messages for a command.
func TestShared_SplitsBatches(t *testing.T) {
	const ours, theirs = `{"jsonrpc":"2.0","id":"own-1","result":{}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`
	for frame, want := range map[string]struct {
		taken bool
		rest  string
	}{
		ours:                              {true, ""},
		theirs:                            {false, ""},
		"[" + theirs + "," + theirs + "]": {false, ""},
		"[" + ours + "," + ours + "]":     {true, ""},
		"[" + theirs + "," + ours + "]":   {true, "[" + theirs + "]"},
		`{"jsonrpc":"2.0","id":"own-1","method":"ping"}`: {false, ""}, // a request of the server
		`not JSON "own-1"`: {false, ""},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"own-9","progress":1}}`: {true, ""},
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9,"progress":1}}`:       {false, ""},
	} {
		s := &Shared{prefix: "own-", pending: map[jsonrpc.Key]outcome{}}
		taken, rest := s.receive([]byte(frame), jsonrpc.Scan([]byte(frame)))
		if taken != want.taken || string(rest) != want.rest {
			t.Errorf("%s: taken %t, rest %s", frame, taken, rest)
		}
	}
}

// Commands that listen get the notifications of the server, except the progress of other commands. The
// host gets them too.
func TestShared_Notifications(t *testing.T) {
	s := &Shared{prefix: "own-", pending: map[jsonrpc.Key]outcome{}}
	var heard []string
	stop := s.Notifications(func(frame []byte) { heard = append(heard, string(frame)) })
	if !s.looks() {
		t.Error("the frames of the server are not looked at")
	}
	const changed, other = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`, `{"jsonrpc":"2.0","method":"x"}`
	receive := func(frame string) {
		if taken, rest := s.receive([]byte(frame), jsonrpc.Scan([]byte(frame))); taken || rest != nil {
			t.Errorf("%s does not reach the host: %t, %s", frame, taken, rest)
		}
	}
	receive(changed)
	receive("[" + other + "]")
	receive(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	receive(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	s.receive([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"own-1"}}`), jsonrpc.Scan([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"own-1"}}`)))
	stop()
	receive(changed)
	if got := strings.Join(heard, " "); got != changed+" "+other {
		t.Errorf("heard %s", got)
	}
	for range maxListens {
		if s.Notifications(func([]byte) {}) == nil {
			t.Fatal("refused")
		}
	}
	if s.Notifications(func([]byte) {}) != nil {
		t.Error("there is no bound")
	}
}
