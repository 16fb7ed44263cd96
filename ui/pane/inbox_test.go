package pane_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/record/store"
	"mcptea/session/requests"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/inbox"
)

var inboxNoon = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.UTC)

// inboxFixture is a pane over requests that a test makes.
type inboxFixture struct {
	*panetest.Program
	p     *inbox.Pane
	reqs  []requests.Request
	pol   requests.Policies
	flows []store.Flow
	clock time.Time
	// What was sent: the id and how, or the result.
	sent      []string
	err       error       // of sending
	onReply   func(i int) // what the session makes of a request that was responded to
	elsewhere bool        // the user does not look at the pane
}

func (fx *inboxFixture) Requests() []requests.Request { return fx.reqs }
func (fx *inboxFixture) Policies() requests.Policies  { return fx.pol }

func (fx *inboxFixture) reply(id jsonrpc.ID, what string) error {
	fx.sent = append(fx.sent, id.String()+" "+what)
	for i := range fx.reqs {
		if fx.onReply != nil && fx.reqs[i].ID.Same(id) {
			fx.onReply(i)
		}
	}
	return fx.err
}

func (fx *inboxFixture) Respond(id jsonrpc.ID, result []byte) error {
	return fx.reply(id, string(result))
}

func (fx *inboxFixture) Decline(id jsonrpc.ID) error { return fx.reply(id, "decline") }

func (fx *inboxFixture) Cancel(id jsonrpc.ID) error { return fx.reply(id, "cancel") }

func (fx *inboxFixture) Sample(id jsonrpc.ID, command string) error {
	return fx.reply(id, "sampler "+command)
}

func (fx *inboxFixture) Refuse(id jsonrpc.ID, code int64, message string) error {
	return fx.reply(id, fmt.Sprintf("error %d %s", code, message))
}

// policies are those of the fixture.
type policies struct{ *inboxFixture }

func (p policies) Choose()                          { p.Say("policies") }
func (p policies) Sampler(run func(command string)) { run("llm") }

func inboxOpen(t *testing.T) *inboxFixture {
	user := requests.Policy{Mode: requests.PolicyUser}
	fx := &inboxFixture{Program: panetest.New(t), clock: inboxNoon, pol: requests.Policies{Sampling: user, Elicitation: user}}
	fx.H = 20
	fx.p = inbox.New(fx.Program, fx)
	fx.p.Policies = policies{fx}
	fx.p.Calls = func() []store.Flow { return fx.flows }
	fx.p.Return = func(string) bool { return !fx.elsewhere }
	fx.elsewhere = true
	fx.Pane = fx.p
	fx.flows = []store.Flow{{ID: jsonrpc.IDOf("8"), Dir: transport.Out, Method: "tools/call", Name: "ask-model"}}
	fx.refresh()
	return fx
}

func (fx *inboxFixture) refresh() {
	fx.p.Refresh(app.Tick{State: session.State{Phase: session.Ready}, Now: fx.clock})
}

// arrive adds a request; the next one is a second later.
func (fx *inboxFixture) arrive(method, params string) {
	id := jsonrpc.StringID(fmt.Sprintf("s%d", len(fx.reqs)))
	fx.reqs = append(fx.reqs, requests.Request{
		ID: id, Method: method, Params: []byte(params), Row: int32(30 + len(fx.reqs)),
		Arrived: fx.clock, Deadline: fx.clock.Add(5 * time.Minute),
	})
	fx.clock = fx.clock.Add(time.Second)
	fx.refresh()
}

func (fx *inboxFixture) settle(i int, state requests.State, by string) {
	fx.reqs[i].State, fx.reqs[i].By, fx.reqs[i].Answered = state, by, fx.clock
	fx.refresh()
}

// sends presses keys, and returns what was sent at the last one; empty for nothing.
func (fx *inboxFixture) sends(names ...string) string {
	fx.T.Helper()
	fx.Press(names[:len(names)-1]...)
	before := len(fx.sent)
	fx.Press(names[len(names)-1])
	if len(fx.sent) == before {
		return ""
	}
	_, what, _ := strings.Cut(fx.sent[before], " ")
	return what
}

// typing reports whether keys are text, at the next painting.
func (fx *inboxFixture) typing() bool {
	fx.Paint(fx.W, fx.H, true)
	return fx.Screen.Field() != nil
}

// setJSON has the text of the response, which is edited as JSON, be another one.
func (fx *inboxFixture) setJSON(text string) {
	fx.T.Helper()
	if !fx.typing() {
		fx.T.Fatal("the response is not edited")
	}
	fx.Screen.Field().(interface{ SetValue(string) }).SetValue(text)
}

func (fx *inboxFixture) screen(w, h int) string {
	fx.T.Helper()
	s := fx.Paint(w, h, true)
	if x, y, ok := fx.Screen.Cursor(); ok && (x < 0 || x >= w || y < 0 || y >= h) {
		fx.T.Errorf("%dx%d: cursor at %d,%d", w, h, x, y)
	}
	return s
}

func (fx *inboxFixture) sees(texts ...string) {
	fx.T.Helper()
	s := fx.screen(120, 20)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			fx.T.Errorf("%q is not there:\n%s", text, s)
		}
	}
}

const (
	rain = `{"messages":[{"role":"user","content":{"type":"text","text":"Which tea goes with a rainy afternoon?"}}],
"systemPrompt":"You are a tea master of few words.","maxTokens":100,"temperature":0.7,"stopSequences":["\n\n","END"],
"modelPreferences":{"hints":[{"name":"claude"},{"name":"small"}],"costPriority":0.2,"speedPriority":0.5,"intelligencePriority":0.8},
"includeContext":"thisServer","tools":[{"name":"boil","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}`
	talk = `{"maxTokens":5,"messages":[{"role":"user","content":[{"type":"text","text":"Look:\nhere"},{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"audio","mimeType":"audio/wav","data":"AAA="}]},
{"role":"assistant","content":{"type":"tool_use","id":"t1","name":"boil","input":{"water":1}}},
{"role":"user","content":{"type":"tool_result","toolUseId":"t1","content":[{"type":"text","text":"hot \u001b[2J\u202e"}]}}]}`
	order = `{"message":"What may I bring you?","requestedSchema":{"type":"object","properties":{
"tea":{"type":"string","oneOf":[{"const":"g","title":"Green tea"},{"const":"b","title":"Black tea"}],"default":"b"},
"extras":{"type":"array","items":{"anyOf":[{"const":"l","title":"Lemon"},{"const":"h","title":"Honey"}]},"default":["h"]},
"cups":{"type":"integer","minimum":1,"maximum":4,"default":2},
"name":{"type":"string","description":"As it shall stand on the cup","minLength":1},
"milk":{"type":"boolean"}},"required":["name"]}}`
	pageFine = `{"mode":"url","message":"Please open this page.","url":"https://example.com/tea?order=7","elicitationId":"page-1"}`
	pageOdd  = `{"mode":"url","message":"Sign in\u001b[2J","url":"http://bank.example@xn--bnk-5qa.example:8080/a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on/and/on/and/on/\u202eend","elicitationId":"p"}`
	sample   = "sampling/createMessage"
	elicit   = "elicitation/create"
)

func TestInbox_Screens(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for name, do := range map[string]func(fx *inboxFixture){
		"empty":    func(*inboxFixture) {},
		"sampling": func(fx *inboxFixture) { fx.arrive(sample, rain); fx.Press("enter"); fx.Type("Assam.") },
		"talk":     func(fx *inboxFixture) { fx.arrive(sample, talk) },
		"json":     func(fx *inboxFixture) { fx.arrive(sample, rain); fx.Press("v") },
		"form":     func(fx *inboxFixture) { fx.arrive(elicit, order); fx.Press("enter") },
		"wrong":    func(fx *inboxFixture) { fx.arrive(elicit, order); fx.Press("ctrl+s") },
		"page":     func(fx *inboxFixture) { fx.arrive(elicit, pageFine) },
		"odd":      func(fx *inboxFixture) { fx.arrive(elicit, pageOdd) },
		"unclear":  func(fx *inboxFixture) { fx.arrive(elicit, `{"mode":"dance","message":"\u001b[31m"}`) },
		"settled": func(fx *inboxFixture) {
			for range 6 {
				fx.arrive(elicit, order)
			}
			fx.arrive(sample, rain)
			fx.settle(0, requests.Answered, "you")
			fx.settle(1, requests.Declined, "policy")
			fx.settle(2, requests.Cancelled, "deadline")
			fx.settle(3, requests.Withdrawn, "server")
			fx.settle(4, requests.Refused, "you")
			fx.Press("j", "j", "j")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 19}, {120, 20}, {200, 24}, {50, 16}} {
				fx := inboxOpen(t)
				fx.W, fx.H = size[0], size[1]
				do(fx)
				all.WriteString(fx.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestInbox_SendResponse_Defaults(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{elicit, strings.Replace(order, `"required":["name"]`, `"required":[]`, 1), `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2}}`},
		{elicit, `{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`, `{"action":"accept","content":{}}`},
		{elicit, pageFine, `{"action":"accept"}`},
	} {
		fx := inboxOpen(t)
		fx.arrive(tt.method, tt.params)
		if fx.Press("ctrl+s"); !slices.Equal(fx.sent, []string{`"s0" ` + tt.want}) {
			t.Errorf("%s: %q", tt.method, fx.sent)
		}
		if got := fx.Press("ctrl+s"); len(fx.sent) > 1 || got != "off: The response is being sent." {
			t.Errorf("sent twice: %q %q", fx.sent, got)
		}
	}
}

func TestInbox_Decline(t *testing.T) {
	for _, tt := range []struct {
		method, params string
		keys           []string
		want           string
	}{
		{sample, rain, []string{"enter"}, "decline"},
		{sample, rain, []string{"down", "enter"}, "error -32603 The user responded with an error"},
		{elicit, order, []string{"enter"}, "decline"},
		{elicit, order, []string{"down", "enter"}, "cancel"},
		{elicit, order, []string{"down", "down", "enter"}, "error -32603 The user responded with an error"},
		{client.MethodRoots, `{}`, nil, "decline"},
	} {
		for _, first := range []string{"x", "alt+x"} { // from the list, and while writing
			fx := inboxOpen(t)
			fx.arrive(tt.method, tt.params)
			if first == "alt+x" {
				fx.Press("enter")
			}
			if got := fx.sends(append([]string{first}, tt.keys...)...); got != tt.want {
				t.Errorf("%s %s %v: %q", tt.method, first, tt.keys, got)
			}
		}
	}
}

// The responses to the input requests of one result are sent together: until the last one nothing is.
func TestInbox_Respond_KeptForTheOthers(t *testing.T) {
	fx := inboxOpen(t)
	for i := range 3 {
		fx.arrive(elicit, `{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`)
		fx.reqs[i].Of, fx.reqs[i].Round = jsonrpc.IDOf("8"), 4
	}
	fx.onReply = func(i int) {
		r := &fx.reqs[i]
		r.State, r.By, r.Answered, r.Result = requests.Answered, "you", fx.clock, []byte(`{"action":"accept"}`)
		for k := range fx.reqs {
			fx.reqs[k].Others = 2 - i
		}
	}
	for i, want := range []struct{ said, row string }{
		{"Responded: it waits for the other 2 responses.", "accepted by you, kept"},
		{"Responded: it waits for the other response.", "accepted by you, kept"},
		{"Responded: sent with the other 2 responses.", "accepted by you"},
	} {
		if got := fx.Press("ctrl+s"); got != "say: "+want.said {
			t.Errorf("response %d: %q", i+1, got)
		}
		fx.refresh()
		if screen := fx.Paint(fx.W, fx.H, true); !strings.Contains(screen, want.row) || i == 2 && strings.Contains(screen, "kept") {
			t.Errorf("response %d:\n%s", i+1, screen)
		}
	}
}

// What cannot be sent is not told as sent, nor offered.
func TestInbox_Decline_NothingIsSent(t *testing.T) {
	for _, tt := range []struct {
		method, params string
		keys           []string
		want, said     string
	}{
		{sample, rain, nil, "decline", "Declined: nothing is sent, the call ends."},
		{elicit, order, []string{"down", "down", "enter"}, "error -32603 The user responded with an error", "Declined: nothing is sent, the call ends."},
	} {
		fx := inboxOpen(t)
		fx.arrive(tt.method, tt.params)
		fx.reqs[0].Of, fx.reqs[0].Round = jsonrpc.IDOf("8"), 1
		fx.refresh()
		fx.onReply = func(i int) { fx.reqs[i].State = requests.Declined }
		fx.Press("x")
		if screen := fx.Paint(fx.W, fx.H, true); strings.Contains(screen, "instead of a result") {
			t.Errorf("%s offers an error response, which is not sent:\n%s", tt.method, screen)
		}
		if len(tt.keys) > 0 {
			fx.Press(tt.keys...)
		}
		if said := fx.Asked; !slices.Contains(said, "say: "+tt.said) || len(fx.sent) != 1 {
			t.Errorf("%s: %q, sent %q", tt.method, said, fx.sent)
		}
	}
}

func TestInbox_Send_Fails(t *testing.T) {
	for _, keys := range [][]string{{"ctrl+s"}, {"x", "enter"}, {"x", "down", "enter"}} {
		fx := inboxOpen(t)
		fx.err = errors.New("broken pipe")
		fx.arrive(elicit, pageFine)
		if got := fx.Press(keys...); got != "fail: The response was not sent: broken pipe" {
			t.Errorf("%v: %q", keys, got)
		}
	}
}

func TestInbox_Sampler(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	if got := fx.sends("|"); got != "sampler llm" {
		t.Errorf("sent %q", got)
	}
	fx.arrive(elicit, order)
	if got := fx.Press("j", "|"); got != "off: A sampler only responds to sampling." {
		t.Errorf("a form: %q", got)
	}
	fx.p.Policies = nil
	if got := fx.Press(","); got != "off: A recording has no policies: nothing is sent." {
		t.Errorf("a recording: %q", got)
	}
}

func TestInbox_Page_Warnings(t *testing.T) {
	for _, tt := range []struct{ url, host, warns string }{
		{"https://example.com/x", "example.com", ""},
		{"https://example.com", "example.com", ""},
		{"http://example.com/x", "example.com", "not https"},
		{"https://good.example@evil.example/x", "evil.example", "before the @"},
		{"https://xn--pple-43d.com/", "xn--pple-43d.com", "punycode"},
		{"https://www.xn--pple-43d.com:8443?a@b", "www.xn--pple-43d.com:8443", "punycode"},
		{"https://аpple.com/", "аpple.com", "outside ASCII"},
		{`https://good.example\@evil.example/`, "", "is unknown"},
		{"javascript:alert(1)", "", "is unknown"},
		{"", "", "is unknown"},
	} {
		fx := inboxOpen(t)
		fx.arrive(elicit, `{"mode":"url","message":"m","elicitationId":"1","url":`+strconv.Quote(tt.url)+`}`)
		shown := fx.Paint(200, 30, true)
		if tt.warns == "" && strings.Contains(shown, "⚠") || !strings.Contains(shown, tt.warns) || tt.host != "" && !strings.Contains(shown, "host       "+tt.host) {
			t.Errorf("%s:\n%s", tt.url, shown)
		}
	}
	fx := inboxOpen(t)
	fx.arrive(elicit, pageFine)
	if got := fx.Press("y"); got != "copy URL: https://example.com/tea?order=7" {
		t.Errorf("copied %s", got)
	}
}

func TestInbox_Refresh_SelectsPendingRequest(t *testing.T) {
	fx := inboxOpen(t)
	fx.arrive(sample, rain)
	if fx.refresh(); !slices.Equal(fx.Asked, []string{"news: The server asks you for a model's answer"}) {
		t.Errorf("news: %q", fx.Asked)
	}
	fx.arrive(elicit, order)
	fx.Press("x", "enter") // from the list
	fx.settle(0, requests.Declined, "you")
	fx.sees("1 pending", "What may I bring you?")
	if fx.typing() || fx.p.Badge() != "1" {
		t.Error("the next request is edited, or is not counted")
	}
}

func TestInbox_Request_Scrolls(t *testing.T) {
	fx := inboxOpen(t)
	text := strings.Repeat(`line\n`, 5000) + "end"
	fx.arrive(sample, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}]}`)
	fx.sees(fx.Screen.Pal.Down)
	for range 600 {
		fx.Press("pgdown")
	}
	fx.sees("cut off here; the frame has all of it")
	fx.Screen.Wheel(80, 3, -5000)
	fx.sees("user       line")
}

func TestInbox_Paint_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	for _, params := range []string{rain, talk, order, pageOdd, `{}`} {
		fx := inboxOpen(t)
		fx.arrive(sample, params)
		fx.arrive(elicit, params)
		for range 2 {
			for w := 3; w < 130; w += 7 {
				for h := 3; h < 30; h += 3 {
					fx.screen(w, h)
				}
			}
			fx.Press("enter")
		}
	}
}
