package export

import (
	"strings"
	"testing"

	"mcptea/internal/shell"
)

func TestScript(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.handshake()
	for _, line := range []string{
		`> {"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`< {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}],"nextCursor":"x"}}`,
		`> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x","_meta":{"progressToken":3}}}`,
		`< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"b"}]}}`,
		`> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"it's","arguments":{"a":"{{x}}","b":[1]},"_meta":{"progressToken":4}}}`,
		`< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":4,"progress":1}}`,
		`< {"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"message":"?"}}`,
		`> {"jsonrpc":"2.0","id":9,"result":{"action":"decline"}}`,
		`< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`,
		`< {"jsonrpc":"2.0","id":4,"result":{"content":[],"isError":true}}`,
		`< {"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`,
		`> {"jsonrpc":"2.0","id":5,"method":"prompts/get","params":{"name":"p","arguments":{}}}`,
		`< {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"no"}}`,
		`> {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"slow"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":6}}`,
		`> {"jsonrpc":"2.0","id":7,"method":"x/y","params":{"password":"correct horse battery"}}`,
		`< {"jsonrpc":"2.0","id":7,"result":{"token":"ghp_abcdefghijklmnop0123456789","n":1}}`,
		`> {"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":"a b"}}`,
		`> {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`,
	} {
		dir := out
		if line[0] == '<' {
			dir = in
		}
		r.frame(dir, line[2:])
	}
	var notes []string
	got := export(t, "script", r.source(t), Options{Redactor: NewRedactor(), Report: func(text string) { notes = append(notes, text) }})
	const want = `# Requests of a recording, with the results that they had: mcptea run FILE TARGET
# The target of the recording: -- node server.js
# Secrets are redacted: set the environment variable SECRET.
connect --protocol 2025-11-25

# tools/list (frame 4)
list tools
expect --exact {"tools":[{"name":"a"},{"name":"b"}]}

# tools/call it's (frame 8)
answer elicitation {"action":"decline"}
! call 'it''s' {"a":"{\u007bx}}","b":[1]}
expect --exact {"content":[],"isError":true}
receive notifications/tools/list_changed

# prompts/get p (frame 15)
! prompt p
expect --exact {"code":-32602,"message":"no"}

# tools/call slow (frame 17)
call slow &
cancel
! wait

# x/y (frame 19)
send x/y {"password":"{{env.SECRET}}"}
expect @x-y.json

# resources/read a b (frame 21)
read 'a b'

# notifications/roots/list_changed (frame 22)
notify notifications/roots/list_changed
-- x-y.json --
{
  "token": "<string>",
  "n": 1
}
`
	if got != want {
		t.Errorf("the script is\n%s\nwant\n%s", got, want)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "{{env.SECRET}}") {
		t.Errorf("the notes are %q", notes)
	}
}

// The rounds of one call are one command.
func TestScript_MultiRoundTrip(t *testing.T) {
	r := newRecording("stdio", "node server.js")
	r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"order","arguments":{"n":1}}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"s"}}`)
	r.frame(out, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"order","arguments":{"n":1},"inputResponses":{"k":{"action":"accept","content":{}}},"requestState":"s"}}`)
	r.frame(in, `{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[]}}`)
	got := export(t, "script", r.source(t), Options{})
	const want = `
# tools/call order (frame 1)
answer elicitation {"action":"accept","content":{}}
call order {"n":1}
expect --exact {"resultType":"complete","content":[]}
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("the script is\n%s\nwant\n%s", got, want)
	}
}

// A call whose arguments are not an object is written as the request that it was.
func TestScript_ArgumentsThatAreNoObject(t *testing.T) {
	for _, arguments := range []string{`["x"]`, `"x"`, `null`, `7`} {
		for _, method := range []string{"tools/call", "prompts/get"} {
			r := newRecording("stdio", "node server.js")
			params := `{"name":"t","arguments":` + arguments + `}`
			r.frame(out, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`)
			r.frame(in, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`)
			if got := export(t, "script", r.source(t), Options{}); !strings.Contains(got, "\n! send "+method+" "+params+"\n") {
				t.Errorf("%s %s: the script is\n%s", method, arguments, got)
			}
			if got := export(t, "command", r.source(t), Options{Shell: shell.Bash}); !strings.Contains(got, "mcptea send "+method+" '"+params+"'") {
				t.Errorf("%s %s: the commands are\n%s", method, arguments, got)
			}
		}
	}
}
