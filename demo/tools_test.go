package demo

import (
	"net/http"
	"strings"
	"testing"

	"mcptea/demo/primitives"
)

// calls are tool calls that a client without capabilities can make, and what
// the answers hold.
var calls = []struct {
	tool, arguments string
	want            []string
}{
	{"echo", `{"message":"a <b> & \"c\""}`, []string{`a <b> & \"c\"`}},
	{"echo", `{}`, []string{`"isError":true`, `message is missing`}},
	{"add", `{"a":2}`, []string{`"text":"{\"sum\":3}"`, `"structuredContent":{"sum":3}`}},
	{"add", `{"a":1.5,"b":-0.25}`, []string{`{\"sum\":1.25}`}},
	{"add", `{"a":1e9}`, []string{`"isError":true`, `at most`}},
	{"greet", `{"name":"Ada","language":"de","style":"warm","shout":true}`, []string{`WIE SCHÖN, DICH ZU SEHEN, ADA!`}},
	{"greet", `{"name":"Ada","style":"rude"}`, []string{`style fits none of the 3 alternatives`}},
	{"weather", `{"city":"Lisbon"}`, []string{`"structuredContent":{"city":"Lisbon"`, `"unit":"celsius"`}},
	{"search", `{"query":"tea","filter":{"years":{"from":1940,"to":1950}},"tags":["essay"]}`, []string{`"text":"A Nice Cup of Tea, George Orwell (1946)"`}},
	{"search", `{"query":"tea","limit":0}`, []string{`limit must be at least 1`}},
	{"search", `{"query":"tea","filter":{"years":{"from":"x"}}}`, []string{`filter/years/from must be an integer, found a string`}},
	{"make-report", `{"title":"Bill","rows":[{"item":"tea","count":2,"price":1.5}]}`, []string{`| tea | 2 | 1.50 |`, `**3.00**`}},
	{"make-report", `{"title":"Bill","rows":[{"item":"tea"}]}`, []string{`rows/0/count is missing`}},
	{"no-arguments", ``, []string{`nothing in`}},
	{"no-arguments", `{"a":1}`, []string{`a is not in the schema, which allows no other members`}},
	{"any-json", `{"a":[1,{"b":null}]}`, []string{`1 members`}},
	{"dates", `{"day":"2026-02-28","moment":"2026-02-28T12:00:00Z","email":"a@b.example","page":"https://a.example","code":"AB-1234"}`, []string{`all well formed`}},
	{"dates", `{"day":"2026-02-30"}`, []string{`"isError":true`, `day`}},
	{"dates", `{"day":"2026-02-28","code":"x"}`, []string{`does not match`}},
	{"long-work", `{"duration":1,"steps":3}`, []string{`done: 3 steps`}},
	{"count-up", `{"to":3,"interval":0.1}`, []string{`counted up to 3`}},
	{"flood", `{"count":10}`, []string{`sent 10 notifications`}},
	{"flood", `{"count":10,"kind":"progress"}`, []string{`sent 10 notifications`}},
	{"slow-answer", `{"seconds":1}`, []string{`that took 1 seconds`}},
	{"fail", `{"message":"no milk"}`, []string{`"isError":true`, `no milk`}},
	{"fail-protocol", `{"code":-32042,"message":"oh","data":{"a":1}}`, []string{`"error":{"code":-32042,"message":"oh","data":{"a":1}}`}},
	{"big-answer", `{"kilobytes":2}`, []string{`The quick brown fox`}},
	{"big-answer", `{"Kilobytes":-1000000000}`, []string{`The quick brown fox`}}, // another name, so the default
	{"content", ``, []string{`"type":"text"`, `"data":"iVBORw0KGgo`, `"data":"UklGR`, `"blob":`, `"type":"resource_link"`, `"priority":0.8`}},
	{"escape-art", ``, []string{`\u001b[31m`, "\u202e", "\u200b"}},
	{"ask-user", ``, []string{`"isError":true`, `\"elicitation\"`}},
	{"ask-user", `{"form":"url"}`, []string{`"isError":true`, `\"elicitation.url\"`}},
	{"ask-model", ``, []string{`"isError":true`, `\"sampling\"`}},
	{"list-roots", ``, []string{`"isError":true`, `\"roots\"`}},
	{"log", ``, []string{`sent at level info`}},
	{"log", `{"level":"debug"}`, []string{`not sent`}},
	{"change-tools", ``, []string{`surprise is there now`}},
	{"surprise", ``, []string{`boo`}},
	{"change-tools", ``, []string{`surprise is gone`}},
	{"surprise", ``, []string{`unknown tool`}},
	{"touch-resource", ``, []string{`told 0 subscribers`}},
	{"touch-resource", `{"uri":"demo://missing"}`, []string{`"isError":true`}},
	{"change-list", ``, []string{`surprise is there now, in prompts`}},
	{"change-list", `{"list":"resources"}`, []string{`demo://surprise is there now, in resources`}},
	{"change-list", `{"list":"resources"}`, []string{`demo://surprise is gone from resources`}},
	{"ask-twice", ``, []string{`"isError":true`, `\"elicitation\"`}},
	{"ask-all", ``, []string{`"isError":true`, `\"elicitation.form\"`}},
	{"brew", `{"seconds":1}`, []string{`a pot of green tea, as always`}},
	{"brew", `{"seconds":0,"outcome":"fail"}`, []string{`"isError":true`, `the pot broke`}},
	{"brew-task", ``, []string{`"code":-32601`}},
	{"ask-model", `{"tools":true}`, []string{`"isError":true`, `\"sampling\"`}},
	{"think-twice", ``, []string{`unknown tool`}}, // since 2026-07-28
	{"delete-everything", ``, []string{`nothing was deleted`}},
}

// elsewhere are the tools that tests of their own call.
const elsewhere = "emit-event never-answer ping-client price-order end-subscriptions"

func TestTools(t *testing.T) {
	stdio := connect(t, Options{}, "2025-11-25", "{}")
	web := browse(t, Options{})
	web.shakeHands("2025-11-25", "{}")
	called := elsewhere
	for _, tt := range calls {
		called += " " + tt.tool
		frame := call("1", tt.tool, tt.arguments)
		stdio.send(frame)
		check(t, "stdio: "+tt.tool, stdio.answerTo("1"), tt.want)
		all := frames(t, web.do(http.MethodPost, frame))
		check(t, "http: "+tt.tool, all[len(all)-1], tt.want)
	}
	for _, tool := range primitives.New(0).Lists["tools"] {
		if !strings.Contains(called, tool.Key) {
			t.Errorf("no test calls %s", tool.Key)
		}
	}
}

func TestProgressOverStdio(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", "{}")
	c.send(call("1", "long-work", `{"duration":1,"steps":2}`))
	want := []string{
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t1","progress":1,"total":2,"message":"step 1 of 2"}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t1","progress":2,"total":2,"message":"step 2 of 2"}}`,
	}
	for _, w := range want {
		if got := c.mustLine(); got != w {
			t.Errorf("got %s\nwant %s", got, w)
		}
	}
	c.answerTo("1")
	c.send(call("2", "count-up", `{"to":1,"interval":0}`))
	check(t, "count-up", c.mustLine(), []string{`"progress":1}`})
	old := connect(t, Options{}, "2024-11-05", "{}")
	old.send(call("1", "long-work", `{"duration":1,"steps":1}`))
	if got := old.mustLine(); strings.Contains(got, "message\":") {
		t.Errorf("2024-11-05 has no message in %s", got)
	}
}

func TestCancel_NoResponse(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", "{}")
	c.send(
		call("1", "never-answer", ""),
		call(`"1"`, "long-work", `{"duration":3600}`),
		call("1", "echo", `{"message":"x"}`)) // the id is in use
	check(t, "id in use", c.mustLine(), []string{`"id":1,"error":{"code":-32600`})
	c.send(
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"test"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		request("2", "ping", ""))
	if all := c.rest(); len(all) != 1 || !strings.Contains(all[0], `"id":2`) {
		t.Errorf("after the cancellations came %q", all)
	}
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestEndOfInput_EndsEverything(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(call("1", "never-answer", ""), call("2", "ask-user", ""), call("3", "echo", `{"message":"still answered"}`))
	all := strings.Join(c.rest(), "\n")
	if !strings.Contains(all, "still answered") || strings.Contains(all, `"id":1,"result"`) {
		t.Errorf("got %s", all)
	}
	if err := c.end(); err != nil {
		t.Error(err)
	}
}

func TestLevels(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", "{}")
	c.send(request("1", "logging/setLevel", `{"level":"error"}`), call("2", "log", `{"level":"warning"}`), call("3", "log", `{"level":"critical","data":{"a":1}}`))
	c.answerTo("1")
	check(t, "below the level", c.mustLine(), []string{`"id":2`, `not sent`})
	if got, want := c.mustLine(), `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"critical","logger":"demo","data":{"a":1}}}`; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestChanges(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", "{}")
	c.send(call("1", "change-tools", ""))
	check(t, "list_changed", c.mustLine(), []string{`"method":"notifications/tools/list_changed"`})
	c.answerTo("1")
	c.send(request("2", "resources/subscribe", `{"uri":"demo://counter"}`), call("3", "touch-resource", ""))
	c.answerTo("2")
	check(t, "updated", c.mustLine(), []string{`"method":"notifications/resources/updated","params":{"uri":"demo://counter"}`})
	check(t, "subscribers", c.answerTo("3"), []string{`told 1 subscribers`})
	c.send(request("4", "resources/read", `{"uri":"demo://counter"}`), request("5", "resources/read", `{"uri":"demo://counter"}`))
	check(t, "first read", c.answerTo("4"), []string{`read 1 times`})
	check(t, "second read", c.answerTo("5"), []string{`read 2 times`})
}

func TestAskingTheClient(t *testing.T) {
	tests := []struct{ tool, arguments, method, answer, want string }{
		{"ask-user", ``, `"method":"elicitation/create","params":{"message":"What may I bring you?","requestedSchema":{"type":"object"`, `"result":{"action":"accept","content":{"tea":"green","cups":2}}`, `you filled in: {"tea":"green","cups":2}`},
		{"ask-user", `{"form":"everything"}`, `"enumNames"`, `"result":{"action":"decline"}`, `you said: decline`},
		{"ask-user", `{"form":"url"}`, `"mode":"url"`, `"result":{"action":"cancel"}`, `you said: cancel`},
		{"ask-user", ``, `elicitation/create`, `"error":{"code":-1,"message":"no time"}`, `the client refused elicitation/create: no time (-1)`},
		{"ask-twice", ``, `What may I bring you`, `"result":{"action":"decline"}`, `you said: decline`},
		{"ask-model", ``, `"method":"sampling/createMessage"`, `"result":{"role":"assistant","model":"m-1","content":{"type":"text","text":"Assam"}}`, `m-1 says: Assam`},
		{"list-roots", ``, `"method":"roots/list"`, `"result":{"roots":[{"uri":"file:///tmp","name":"tmp"}]}`, "1 roots\nfile:///tmp tmp"},
		{"ping-client", ``, `"method":"ping"`, `"result":{}`, `pong`},
	}
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	for i, tt := range tests {
		c.send(call("1", tt.tool, tt.arguments))
		asked := c.mustLine()
		check(t, tt.tool, asked, []string{tt.method})
		c.send(`{"jsonrpc":"2.0","id":` + string(rune('1'+i)) + `,` + tt.answer + `}`)
		if got := toolText(t, c.answerTo("1")); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.tool, got, tt.want)
		}
	}
}

func TestCancel_CallAndItsRequests(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(call("1", "ask-user", ""))
	c.mustLine()
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	check(t, "cancelled", c.mustLine(), []string{`"method":"notifications/cancelled"`, `"requestId":1`})
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept"}}`, request("2", "ping", ""))
	check(t, "a late answer is dropped", c.mustLine(), []string{`"id":2,"result":{}`})
}

func TestAModelUsesATool(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(call("1", "ask-model", `{"tools":true}`))
	asked := c.mustLine()
	check(t, "asked", asked, []string{`sampling/createMessage`, `"tools":[{`, `"toolChoice":{"mode":"auto"}`})
	fits(t, "2025-11-25", "CreateMessageRequest", []byte(asked))
	c.send(`{"jsonrpc":"2.0","id":1,"result":` + modelUse + `}`)
	asked = c.mustLine()
	check(t, "told", asked, []string{`"toolUseId":"u1"`, `"type":"tool_result"`, `"type":"tool_use"`})
	fits(t, "2025-11-25", "CreateMessageRequest", []byte(asked))
	c.send(`{"jsonrpc":"2.0","id":2,"result":` + modelText + `}`)
	check(t, "said", c.answerTo("1"), []string{`m-1 says after 2 turns: Assam`})

	old := connect(t, Options{}, "2025-06-18", allCapabilities)
	old.send(call("1", "ask-model", `{"tools":true}`))
	check(t, "before 2025-11-25", old.answerTo("1"), []string{`"isError":true`, `2025-06-18`})
}

func TestElicitation_PageFirst(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(call("1", "ask-user", `{"form":"url-first"}`))
	refused := c.mustLine()
	check(t, "refused", refused, []string{`"code":-32042`, `"elicitations":[{`, `"elicitationId":"first-1"`, `"mode":"url"`})
	fits(t, "2025-11-25", "URLElicitationRequiredError", []byte(refused))
	check(t, "opened", c.mustLine(), []string{`notifications/elicitation/complete`, `"elicitationId":"first-1"`})
	c.send(call("2", "ask-user", `{"form":"url-first"}`))
	check(t, "again", c.answerTo("2"), []string{`thank you`})
}

func TestRoots_RequestedAgain(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	check(t, "asked", c.mustLine(), []string{`"id":1,"method":"roots/list"`})
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}`)
	check(t, "told", c.mustLine(), []string{`notifications/message`, `there are 2 now`})

	without := connect(t, Options{}, "2025-11-25", "{}")
	without.send(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`, request("1", "ping", ""))
	check(t, "a client without roots", without.mustLine(), []string{`"id":1,"result"`})
}

func TestAskingTools_WithoutElicitation(t *testing.T) {
	c := connect(t, Options{}, "2025-11-25", "{}")
	c.send(request("1", "prompts/get", `{"name":"ask-name"}`))
	check(t, "prompt", c.answerTo("1"), []string{`for stranger`})
	c.send(request("2", "resources/read", `{"uri":"demo://guest-book"}`))
	check(t, "resource", c.answerTo("2"), []string{`Last guest: stranger`})

	c = connect(t, Options{}, "2025-11-25", allCapabilities)
	c.send(request("1", "prompts/get", `{"name":"ask-name"}`))
	check(t, "asked", c.mustLine(), []string{`elicitation/create`, `What is your name`})
	c.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}`)
	check(t, "prompt", c.answerTo("1"), []string{`for Ada`})
}
