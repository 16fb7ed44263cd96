package export

import (
	"strings"
	"testing"
)

// Values that a later request takes from an earlier result are captured, and are not expected: the script runs with
// another server, or with the same one again.
func TestScript_CapturesWhatTheServerMadeUp(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	for _, line := range []string{
		`> {"jsonrpc":"2.0","id":2,"method":"resources/list"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"note://81f3","name":"n"}]}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note://81f3"}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"contents":[{"uri":"note://81f3","text":"x"}]}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"open","arguments":{"database":"main"}}}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"{\"session\":\"s-91\"}"}],"structuredContent":{"session":"s-91","ok":true}}}`,
		`> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"query","arguments":{"sql":"select 1","session":"s-91","again":["s-91"]}}}`,
		`< {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"s-91 has 4 rows"}]}}`,
		`> {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"close","arguments":{"session":"s-91"}}}`,
		`< {"jsonrpc":"2.0","id":7,"result":{"content":[]}}`,
		`> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"echo","arguments":{"session":"s-91","text":"{{v1}}"}}}`,
		`< {"jsonrpc":"2.0","id":6,"result":{"content":[]}}`,
	} {
		dir := out
		if line[0] == '<' {
			dir = in
		}
		r.frame(dir, line[2:])
	}
	got := export(t, "script", r.source(t), Options{})
	_, got, _ = strings.Cut(got, "\n\n")
	const want = `# resources/list (frame 4)
list resources
expect --exact --ignore /resources/0/uri {"resources":[{"uri":"note://81f3","name":"n"}]}
capture v1 '.resources[0].uri'

# resources/read note://81f3 (frame 6)
read '{{v1}}'
expect --exact --ignore /contents/0/uri {"contents":[{"uri":"note://81f3","text":"x"}]}

# tools/call open (frame 8)
call open {"database":"main"}
expect --exact --ignore /content/0/text --ignore /structuredContent/session @tools-call-open.json
capture v2 .structuredContent.session

# tools/call query (frame 10)
call query {"sql":"select 1","session":{{v2}},"again":[{{v2}}]}
expect --exact --ignore /content/0/text {"content":[{"type":"text","text":"s-91 has 4 rows"}]}

# tools/call close (frame 12)
call close {"session":{{v2}}}
expect --exact {"content":[]}

# tools/call echo (frame 14)
call echo {"session":"s-91","text":"{\u007bv1}}"}
expect --exact {"content":[]}
-- tools-call-open.json --
{
  "content": [
    {
      "type": "text",
      "text": "{\"session\":\"s-91\"}"
    }
  ],
  "structuredContent": {
    "session": "s-91",
    "ok": true
  }
}
`
	if got != want {
		t.Errorf("the script is\n%s\nwant\n%s", got, want)
	}
}
