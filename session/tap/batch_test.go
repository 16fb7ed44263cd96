package tap

import (
	"testing"

	"mcptea/client/jsonrpc"
)

// A batch of the server is for the host, but for what is for a command.
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
		s := &shared{prefix: "own-", pending: map[jsonrpc.Key]outcome{}}
		taken, rest := s.receive([]byte(frame), jsonrpc.Scan([]byte(frame)))
		if taken != want.taken || string(rest) != want.rest {
			t.Errorf("%s: taken %t, rest %s", frame, taken, rest)
		}
	}
}
