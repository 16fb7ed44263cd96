package behavior_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"mcptea/client/profile"
	"mcptea/internal/test/recordingtest"
	"mcptea/record/behavior"
)

const hostConversation = `
> {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{"form":{},"url":{}},"roots":{}},"clientInfo":{"name":"my-host","title":"My Host","version":"1.2"}}}
< {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"srv","version":"3"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
< {"jsonrpc":"2.0","id":1,"result":{"tools":[],"nextCursor":"x","ttlMs":60000}}
> {"jsonrpc":"2.0","id":2,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[],"nextCursor":"x"}}
> {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"secret-tool","arguments":{"password":"hunter2hunter2"},"_meta":{"progressToken":4}}}
< {"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object"}}}
> {"jsonrpc":"2.0","id":"e","result":{"action":"decline"}}
< {"jsonrpc":"2.0","id":"r","method":"roots/list"}
> {"jsonrpc":"2.0","id":"r","error":{"code":-32601,"message":"no roots"}}
< {"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{}}
> {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"other"}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}
`

func readBehavior(t *testing.T, conversation string) *behavior.Client {
	t.Helper()
	c, err := behavior.Read(context.Background(), recordingtest.File(t, "stdio", conversation))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBehavior_TableSaysWhatEachClientDid(t *testing.T) {
	got := map[string]string{}
	for _, row := range behavior.Table([]*behavior.Client{readBehavior(t, hostConversation), readBehavior(t, `> {"jsonrpc":"2.0","method":"x"}`)}) {
		got[row.Label] = strings.Join(row.Cells, " | ")
	}
	for label, want := range map[string]string{
		"client":                 "My Host 1.2 | a client without a name",
		"server":                 "srv 3 | not seen",
		"requests version":       "2025-06-18 | not seen",
		"declares":               "elicitation.form, elicitation.url, roots | not seen",
		"tools/list":             "twice, first page only, once within ttlMs | not requested",
		"prompts/list":           "once, not declared by the server | not requested",
		"progress token":         "in 1 of 2 calls | no call seen",
		"cancels":                "1 request, after 1 ms | not seen",
		"elicitation/create":     "decline | not asked",
		"sampling/createMessage": "no answer | not asked",
		"roots/list":             "error | not asked",
	} {
		if got[label] != want {
			t.Errorf("%s: %s\nwant %s", label, got[label], want)
		}
	}
}

// The profile of a client has what it does by itself, and nothing of what it was used for.
func TestBehavior_ProfileOfARecording(t *testing.T) {
	p, left, err := readBehavior(t, hostConversation).Profile()
	if err != nil || left.Secret != 0 || len(left.Surprises) != 0 {
		t.Fatal(left, err)
	}
	if p.ID != "my-host" || p.Name != "My Host 1.2" || p.Pages != "first" || !p.Undeclared || p.Answers["elicitation"] != "decline" || p.Answers["roots"] != "error" || len(p.Begins()) != 2 {
		t.Errorf("%+v", p)
	}
	text, err := p.File()
	if err != nil {
		t.Fatal(err)
	}
	for _, private := range []string{"hunter2", "secret-tool", "no roots"} {
		if strings.Contains(string(text), private) {
			t.Errorf("the file has %q:\n%s", private, text)
		}
	}
}

// A frame that looks as if a secret is in it is left out, and that is counted.
func TestBehavior_ProfileWithoutSecrets(t *testing.T) {
	p, left, err := readBehavior(t, strings.Replace(hostConversation, `"id":1,"method":"tools/list"`, `"id":1,"method":"tools/list","params":{"_meta":{"api_key":"sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"}}`, 1)).Profile()
	if err != nil || left.Secret != 1 || len(p.Begins()) != 1 {
		t.Errorf("%+v left out, %v, %+v", left, err, p)
	}
}

// The file of a recording has the frames that only connect and list; the methods of others are named.
func TestBehavior_ProfileOnlyConnectsAndLists(t *testing.T) {
	const list = `"id":1,"method":"tools/list"`
	more := strings.Replace(hostConversation, list, list+`}
> {"jsonrpc":"2.0","id":91,"method":"resources/subscribe","params":{"uri":"file:///x"}}
> {"jsonrpc":"2.0","id":92,"method":"prompts/list","METHOD":"tools/call"}
> {"jsonrpc":"2.0","id":93,"method":"logging/setLevel","params":{"level":"debug"}`, 1)
	p, left, err := readBehavior(t, more).Profile()
	if err != nil || !slices.Equal(left.Surprises, []string{"resources/subscribe", "prompts/list"}) {
		t.Fatalf("%+v, %v", left, err)
	}
	text, err := p.File()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := profile.Parse(text, func(p *profile.Profile) error { return errors.New(p.Name + " asks") }); err != nil || !strings.Contains(string(text), "logging/setLevel") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestBehavior_ProfileNothingToImitate(t *testing.T) {
	for name, conversation := range map[string]string{
		"no initialize":   `> {"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		"unknown version": `> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2099-01-01","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`,
	} {
		if _, _, err := readBehavior(t, conversation).Profile(); err == nil {
			t.Errorf("%s: there is a profile", name)
		}
	}
}

func TestBehavior_AddOtherClient(t *testing.T) {
	c := readBehavior(t, hostConversation)
	if err := c.Add(readBehavior(t, strings.ReplaceAll(hostConversation, "my-host", "other"))); err == nil {
		t.Error("the recordings of two clients were taken for those of one")
	}
}
