package lint

import (
	"fmt"
	"strings"
	"testing"
)

// What the rules about offers and notifications say, and where, beyond what
// their traces show. A line is the rule, the place and the sentence.
func TestSentencesAboutOffers(t *testing.T) {
	tests := []struct {
		context, lines string
		rule           string
		want           []string
	}{
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"resources/subscribe"}`, "R001",
			[]string{`/params/uri "resources/subscribe" needs params.uri.`},
		},
		{
			"25c", `S> {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"https://me:pw@host/a b"}}`, "R002",
			[]string{`/params/uri "https://me:****@host/a b" is not an absolute URI.`},
		},
		{
			"25c", `S> {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"https://host/?token=abcdef"}}`, "R009",
			[]string{`/params/uri The client has not subscribed to "https://host/?token=****".`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","arguments":{}}}
S> {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"resource","resource":{"uri":"a.txt","text":""}},{"type":"resource_link","uri":"/b","name":"b"}]}}`, "R002",
			[]string{`/result/content/0/resource/uri "a.txt" is not an absolute URI.`, `/result/content/1/uri "/b" is not an absolute URI.`},
		},
		{"25c", `C> {"jsonrpc":"2.0","id":1,"method":"resources/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"resources":[{},7,{"uri":"a:b"}]}}`, "R003", // three are enough
			[]string{`/result/resources/0/uri The text "uri" of resources[0] is missing.`, `/result/resources/0/name The text "name" of resources[0] is missing.`, `/result/resources/1/uri The text "uri" of resources[1] is missing.`}},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"resourceTemplates":[{"uriTemplate":"a:{id}/{user-id}","name":"n"},{"uriTemplate":"a: b","name":"n"}]}}`, "R008",
			[]string{
				`/result/resourceTemplates/0/uriTemplate The template "a:{id}/{user-id}" cannot be parsed: unacceptable variable name.`,
				`/result/resourceTemplates/1/uriTemplate The template "a: b" cannot be parsed: a character that must be written as %XX.`,
			},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"resources/unsubscribe","params":{"uri":"a:b"}}
C> {"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}
S> {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}
T+ 6s
S> {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:b"}}`, "R009",
			[]string{`/params/uri The client has not subscribed to "a:b".`},
		},
		{
			"26", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","inputResponses":{"r":{"roots":[{"name":"x"}]}},"_meta":"@meta"}}`, "R012",
			[]string{`/params/inputResponses/r/roots/0/uri Roots must be file:// URIs, found none.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"p"}}
S> {"jsonrpc":"2.0","id":1,"result":{"messages":[7,{"content":[]},{"role":"user"}]}}`, "P004",
			[]string{
				`/result/messages/0 Message 0: it is a number, not an object.`, `/result/messages/1/role Message 1: it has no text "role".`,
				`/result/messages/1/content Message 1: content is an array, not one block.`,
			},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"prompts/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"prompts":[{"name":"p","arguments":[{"name":"a","required":"yes"}]}]}}`, "P001",
			[]string{`/result/prompts/0/arguments/0/required The boolean "required" of prompts[0].arguments[0] is missing or wrong.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","name":"p"}}}`, "P010",
			[]string{`/params/ref/uri completion/complete: ref.uri is missing.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":3}}}
S> {"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["a",{}]}}}`, "P011",
			[]string{`/result/completion/values/1 The completion result has an object in completion.values.`},
		},
		{
			"25c", `S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","value":3}}`, "N001",
			[]string{`/params/value "value" is not MCP. Progress is notifications/progress with progressToken and progress.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":5}}}
S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"5","progress":1}}
S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`, "N003",
			[]string{
				`/params/progressToken No running request has the progress token "5". The request has 5: keep the JSON type.`,
				`/params/progressToken No running request has the progress token 1. It is the id of a request whose token is 5.`,
			},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":5}}}
C> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
T+ 31s
S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":5,"progress":1}}`, "N003",
			[]string{`/params/progressToken No running request has the progress token 5.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","task":{},"_meta":{"progressToken":"t"}}}
S> {"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"k","status":"working"}}}
S> {"jsonrpc":"2.0","method":"notifications/tasks/status","params":{"taskId":"k","status":"completed"}}
S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`, "N005",
			[]string{`/params/progressToken The request was already answered, but progress still arrives.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","_meta":{"progressToken":1.5}}}
C> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"w","_meta":{"progressToken":null}}}`, "N008",
			[]string{`/params/_meta/progressToken The progress token is a number with a fraction.`, `/params/_meta/progressToken The progress token is null.`},
		},
		{
			"26", `C> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":"@meta"}}
S> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`, "N011",
			[]string{`/params/requestId The request used id 1, the cancellation says "1". It will not be found.`},
		},
		{
			"26", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"@/protocolVersion":"2026-07-28","@/clientCapabilities":{},"@/logLevel":"INFO"}}}`, "N022",
			[]string{`/params/_meta/io.modelcontextprotocol~1logLevel "INFO" is not a level. You probably mean "info".`},
		},
		{
			"26", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","_meta":{"@/protocolVersion":"2026-07-28","@/clientCapabilities":{},"@/logLevel":"warning"}}}
S> {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
S> {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[]}}
S> {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"x"}}`, "N027",
			[]string{` No running request asked for log messages.`, ` No running request asked for log messages.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}],"nextCursor":"a"}}
C> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"a"}}
S> {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"b"}}
C> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"b"}}
S> {"jsonrpc":"2.0","id":3,"result":{"tools":[],"nextCursor":"a"}}`, "N032",
			[]string{`/result/nextCursor The listing runs in circles: the cursor "a" came before.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}
C> {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"cursor":"x"}}
S> {"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a"}]}}`, "N034",
			[]string{`/result/tools The server accepted (or misreported) an unknown cursor.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"w","meta":{"progressToken":1}}}
S> {"jsonrpc":"2.0","id":1,"result":{"_meta":[],"content":[{"type":"text","text":"x","_meta":null}]}}`, "M007",
			[]string{`/params/meta _meta is called "meta".`, `/result/_meta _meta is an array.`, `/result/content/0/_meta _meta is null.`},
		},
		{
			"25c", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list"}
S> {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","_meta":{"_fastmcp":{}}}]}}`, "M005",
			[]string{`/result/tools/0/_meta/_fastmcp "_fastmcp" is not a valid key: the name begins and ends with a letter or digit.`},
		},
		{
			"26", `C> {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}`, "M001",
			[]string{`/params/_meta/io.modelcontextprotocol~1protocolVersion The request lacks io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities in params._meta. In 2026-07-28 every request carries it.`},
		},
	}
	for _, tt := range tests {
		var got []string
		for _, f := range play(t, trace{rule: tt.rule, context: tt.context, lines: strings.Split(tt.lines, "\n")}) {
			if f.Rule.ID == tt.rule {
				got = append(got, f.Path+" "+f.Message)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s\n%s\n got %q\nwant %q", tt.rule, tt.lines, got, tt.want)
		}
	}
}

// Where one cause would give two findings, the better one speaks alone.
func TestOneFindingAboutNotifications(t *testing.T) {
	found := play(t, trace{context: "25c", lines: []string{
		`S> {"jsonrpc":"2.0","method":"notifications/progress","params":{"value":3}}`,
		`S> {"jsonrpc":"2.0","method":"progress","params":{"value":3}}`,
		`C> {"jsonrpc":"2.0","method":"notifications/message","params":{"message":3}}`,
	}})
	if got := fmt.Sprint(ids(found)); got != "[N001 N001 N024]" {
		t.Error(got)
	}
}
