package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/test/press"
	"mcptea/session"
	"mcptea/session/requests"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colors  = paint.NewJSONStyles(palette.Theme)
	noon    = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.UTC)
)

// fixture is a pane over requests that a test makes.
type fixture struct {
	*testing.T
	*Pane
	reqs  []requests.Request
	pol   requests.Policies
	flows []store.Flow
	clock time.Time
}

func (fx *fixture) Requests() []requests.Request { return fx.reqs }
func (fx *fixture) Policies() requests.Policies  { return fx.pol }

func open(t *testing.T) *fixture {
	user := requests.Policy{Mode: requests.PolicyUser}
	fx := &fixture{T: t, clock: noon, pol: requests.Policies{Sampling: user, Elicitation: user}}
	fx.Pane = New(fx)
	fx.flows = []store.Flow{{ID: "8", Dir: transport.Out, Method: "tools/call", Name: "ask-model"}}
	fx.refresh()
	return fx
}

func (fx *fixture) refresh() {
	fx.Refresh(session.State{Phase: session.Ready}, fx.flows, fx.clock, 0)
}

// arrive adds a request; the next one is a second later.
func (fx *fixture) arrive(method, params string) {
	id := jsonrpc.StringID(fmt.Sprintf("s%d", len(fx.reqs)))
	fx.reqs = append(fx.reqs, requests.Request{
		ID: id, Method: method, Params: []byte(params), Row: int32(30 + len(fx.reqs)),
		Arrived: fx.clock, Deadline: fx.clock.Add(5 * time.Minute),
	})
	fx.clock = fx.clock.Add(time.Second)
	fx.refresh()
}

func (fx *fixture) settle(i int, state requests.State, by string) {
	fx.reqs[i].State, fx.reqs[i].By, fx.reqs[i].Answered = state, by, fx.clock
	fx.refresh()
}

// keys presses keys as the program does and returns the last action.
func (fx *fixture) keys(names ...string) (last action.Action) {
	fx.Helper()
	for _, name := range names {
		last = nil
		if fx.Typing() {
			a, taken := fx.Type(press.Key(name))
			if taken || a != nil {
				last = a
				continue
			}
		}
		if cmd, ok := command.Lookup(fx.Context(), name); ok {
			last = fx.Do(cmd.ID)
		}
	}
	return last
}

func (fx *fixture) typed(text string) {
	for _, c := range text {
		name := string(c)
		if c == ' ' {
			name = "space"
		}
		fx.keys(name)
	}
}

// screen is the painted pane as plain text. It checks what holds for every one.
func (fx *fixture) screen(w, h int) string {
	fx.Helper()
	rows := fx.Paint(palette, colors, w, h, true)
	if len(rows) != h {
		fx.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			fx.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, ansi.StringWidth(row), ansi.Strip(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e\u200b") {
			fx.Errorf("row %d has control characters: %q", i, rows[i])
		}
	}
	if x, y, ok := fx.Cursor(); ok && (x < 0 || x >= w || y < 0 || y >= h) {
		fx.Errorf("%dx%d: cursor at %d,%d", w, h, x, y)
	}
	return strings.Join(rows, "\n") + "\n"
}

func (fx *fixture) sees(texts ...string) {
	fx.Helper()
	s := fx.screen(120, 20)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			fx.Errorf("%q is not there:\n%s", text, s)
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

func TestScreens(t *testing.T) {
	for name, do := range map[string]func(fx *fixture){
		"empty":    func(*fixture) {},
		"sampling": func(fx *fixture) { fx.arrive(sample, rain); fx.keys("enter"); fx.typed("Assam.") },
		"talk":     func(fx *fixture) { fx.arrive(sample, talk) },
		"json":     func(fx *fixture) { fx.arrive(sample, rain); fx.keys("alt+j") },
		"form":     func(fx *fixture) { fx.arrive(elicit, order); fx.keys("enter") },
		"wrong":    func(fx *fixture) { fx.arrive(elicit, order); fx.keys("ctrl+s") },
		"page":     func(fx *fixture) { fx.arrive(elicit, pageFine) },
		"odd":      func(fx *fixture) { fx.arrive(elicit, pageOdd) },
		"unclear":  func(fx *fixture) { fx.arrive(elicit, `{"mode":"dance","message":"\u001b[31m"}`) },
		"settled": func(fx *fixture) {
			for range 6 {
				fx.arrive(elicit, order)
			}
			fx.arrive(sample, rain)
			fx.settle(0, requests.Answered, "you")
			fx.settle(1, requests.Declined, "policy")
			fx.settle(2, requests.Cancelled, "deadline")
			fx.settle(3, requests.Withdrawn, "server")
			fx.settle(4, requests.Refused, "you")
			fx.keys("j", "j", "j")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 19}, {120, 20}, {200, 24}, {50, 16}} {
				fx := open(t)
				do(fx)
				all.WriteString(fx.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestSendResponse_Defaults(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{elicit, strings.Replace(order, `"required":["name"]`, `"required":[]`, 1), `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2}}`},
		{elicit, `{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`, `{"action":"accept","content":{}}`},
		{elicit, pageFine, `{"action":"accept"}`},
	} {
		fx := open(t)
		fx.arrive(tt.method, tt.params)
		r, ok := fx.keys("ctrl+s").(action.Reply)
		if !ok || r.How != action.RespondResult || string(r.Result) != tt.want || r.ID != `"s0"` {
			t.Errorf("%s: %+v %s", tt.method, r, r.Result)
		}
		if _, again := fx.keys("ctrl+s").(action.Reply); again {
			t.Error("sent twice")
		}
	}
}

func TestDeclineAndDismiss(t *testing.T) {
	for _, tt := range []struct {
		method, params, key string
		how                 action.Response
	}{
		{sample, rain, "alt+n", action.RespondDecline},
		{sample, rain, "alt+x", action.RespondError},
		{elicit, order, "alt+n", action.RespondDecline},
		{elicit, order, "alt+x", action.RespondCancel},
	} {
		for _, first := range []string{"", "enter"} { // from the list, and while writing
			fx := open(t)
			fx.arrive(tt.method, tt.params)
			fx.keys(first)
			r, ok := fx.keys(tt.key).(action.Reply)
			if !ok || r.How != tt.how {
				t.Errorf("%s %s: %+v", tt.method, tt.key, r)
			}
			if r.How == action.RespondError && (r.Code == 0 || r.Text == "") {
				t.Errorf("an error without a code or a message: %+v", r)
			}
		}
	}
}

func TestSendResponse_TypedText(t *testing.T) {
	fx := open(t)
	fx.arrive(sample, rain)
	fx.keys("enter")
	fx.typed(`As"sam 5`)
	fx.keys("enter")
	fx.Paste("second\nthird")
	want := `"text":"As\"sam 5\nsecond\nthird"`
	if r, _ := fx.keys("ctrl+s").(action.Reply); !strings.Contains(string(r.Result), want) {
		t.Errorf("sent %s", r.Result)
	}
}

func TestSendResponse_InvalidFormTwice(t *testing.T) {
	fx := open(t)
	fx.arrive(elicit, order)
	if a := fx.keys("ctrl+s"); a != nil {
		t.Fatalf("sent %v", a)
	}
	fx.sees(palette.FailMark, "ctrl+s again sends it")
	if r, _ := fx.keys("ctrl+s").(action.Reply); string(r.Result) != `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2,"name":""}}` {
		t.Errorf("sent %s", r.Result)
	}
	fx = open(t)
	fx.arrive(elicit, order)
	fx.keys("ctrl+s")
	fx.typed("Ann")
	if r, _ := fx.keys("enter").(action.Reply); !strings.Contains(string(r.Result), `"name":"Ann"`) {
		t.Errorf("sent %s", r.Result)
	}
}

func TestToggleJSON_WholeResult(t *testing.T) {
	fx := open(t)
	fx.arrive(sample, rain)
	fx.keys("alt+j")
	fx.sees(`"model": "mcptea/human"`)
	e := fx.selected()
	e.json.SetValue(`{"role":"assistant","content":{"type":"text","text":"Oolong"},"model":"m-1","stopReason":"maxTokens"}`)
	fx.keys("alt+j")
	fx.sees("Oolong", "stop reason maxTokens   model m-1")
	fx.keys("alt+j")
	e.json.SetValue(`{"content":{"type":"image"}}`)
	if f, ok := fx.keys("alt+j").(action.Flash); !ok || !f.Wrong {
		t.Error("an image became a text")
	}
	e.json.SetValue(`{"oops"`)
	if f, ok := fx.keys("ctrl+s").(action.Flash); !ok || !strings.Contains(f.Text, "Line 1") {
		t.Errorf("invalid JSON: %+v", f)
	}
	e.json.SetValue("{\n  \"anything\": 1.0\n}")
	if r, _ := fx.keys("ctrl+s").(action.Reply); string(r.Result) != `{"anything":1.0}` {
		t.Errorf("sent %s", r.Result)
	}

	fx = open(t)
	fx.arrive(elicit, order)
	fx.keys("alt+j")
	fx.selected().json.SetValue(`{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}`)
	fx.keys("alt+j")
	fx.sees("Green tea", "Bo", "more*")
	if r, _ := fx.keys("ctrl+s").(action.Reply); string(r.Result) != `{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}` {
		t.Errorf("sent %s", r.Result)
	}
}

func TestInvalidRequest_ResponseAsJSON(t *testing.T) {
	for _, tt := range []struct{ method, params, why string }{
		{sample, `{"maxTokens":1}`, "it has no messages"},
		{sample, `{"messages":[{"role":"user"}]}`, "a message has no role or no content"},
		{sample, ``, "it has no messages"},
		{elicit, `[]`, "it has no message"},
		{elicit, `{"message":"x"}`, "its requestedSchema is not an object"},
		{elicit, `{"message":"x","mode":"url"}`, "it has no url"},
		{elicit, `{"message":"x","mode":"dance"}`, `neither form nor url`},
	} {
		fx := open(t)
		fx.arrive(tt.method, tt.params)
		fx.sees(tt.why, "response: the whole result as JSON")
		if r, ok := fx.keys("enter", "ctrl+s").(action.Reply); !ok || !strings.HasPrefix(string(r.Result), "{") {
			t.Errorf("%s: %+v", tt.params, r)
		}
	}
}

func TestPage_Warnings(t *testing.T) {
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
		var warned []string
		host := ""
		for _, f := range pageLines(tt.url) {
			if f.style == warning {
				warned = append(warned, f.text)
			}
			if f.to > f.from {
				host = f.text[f.from:f.to]
			}
		}
		all := strings.Join(warned, " ")
		if tt.warns == "" && all != "" || !strings.Contains(all, tt.warns) || tt.host != "" && host != tt.host {
			t.Errorf("%s: host %q, warned %q", tt.url, host, all)
		}
	}
	fx := open(t)
	fx.arrive(elicit, pageFine)
	if c, ok := fx.keys("y").(action.Copy); !ok || c.Text != "https://example.com/tea?order=7" {
		t.Errorf("copied %+v", c)
	}
}

func TestRefresh_SelectsPendingRequest(t *testing.T) {
	fx := open(t)
	fx.arrive(sample, rain)
	if got := fx.News(); got != sample || fx.News() != "" {
		t.Errorf("news: %q", got)
	}
	fx.arrive(elicit, order)
	fx.keys("alt+n") // from the list
	fx.settle(0, requests.Declined, "you")
	fx.sees("1 pending", "What may I bring you?")
	if fx.Typing() || fx.Badge() != "1" {
		t.Error("the next request is edited, or is not counted")
	}
}

func TestRefresh_WithdrawnWhileEditing(t *testing.T) {
	fx := open(t)
	fx.arrive(elicit, order)
	fx.keys("enter")
	fx.typed("q")
	fx.settle(0, requests.Withdrawn, "server")
	if !fx.Typing() {
		t.Error("keys would be commands in the middle of a word")
	}
	if f, ok := fx.keys("ctrl+s").(action.Flash); !ok || !f.Wrong {
		t.Error("a response to a withdrawn request is sent")
	}
	fx.sees("withdrawn by the server")
	if a, ok := fx.keys("esc", "alt+o").(action.SelectFrame); !ok || a.Row != 30 {
		t.Errorf("frame: %+v", a)
	}
	if _, ok := fx.keys("esc").(action.Leave); !ok {
		t.Error("esc in the list does not leave")
	}
}

func TestSendResponse_NextIsEdited(t *testing.T) {
	fx := open(t)
	fx.arrive(sample, rain)
	fx.arrive(sample, talk)
	fx.arrive(sample, rain)
	fx.keys("enter")
	fx.typed("one")
	for i, text := range []string{"one", "two", "three"} {
		r, ok := fx.keys("ctrl+s").(action.Reply)
		if !ok || r.ID != fx.reqs[i].ID || !strings.Contains(string(r.Result), `"text":"`+text+`"`) {
			t.Fatalf("response %d: %+v %s", i, r, r.Result)
		}
		if i == 2 {
			break
		}
		// What is typed before the response is sent belongs to the next request.
		next := []string{"two", "three"}[i]
		fx.typed(next[:1])
		fx.settle(i, requests.Answered, "you")
		fx.typed(next[1:])
	}
	fx.settle(2, requests.Answered, "you")
	if fx.Typing() {
		t.Error("a request with a response is edited")
	}
}

func TestSendResponse_EmptyTextTwice(t *testing.T) {
	fx := open(t)
	fx.arrive(sample, rain)
	for _, first := range []string{"", "x"} { // a changed text is checked again
		if first != "" {
			fx.keys(first, "backspace")
		}
		if f, ok := fx.keys("ctrl+s").(action.Flash); !ok || f.Text != "The response is empty. ctrl+s again sends it." || !fx.Typing() {
			t.Fatalf("the first time: %+v", f)
		}
	}
	want := `{"role":"assistant","content":{"type":"text","text":""},"model":"mcptea/human","stopReason":"endTurn"}`
	if r, _ := fx.keys("ctrl+s").(action.Reply); string(r.Result) != want {
		t.Errorf("sent %s", r.Result)
	}
}

func TestBack_ToTheCall(t *testing.T) {
	for _, tt := range []struct {
		method string
		tab    command.ID
	}{{"tools/call", command.TabTools}, {"resources/read", command.TabResources}, {"prompts/get", command.TabPrompts}} {
		fx := open(t)
		fx.flows[0].Method = tt.method
		fx.arrive(elicit, order)
		if _, ok := fx.keys("esc").(action.Leave); !ok {
			t.Error("esc before the response does not leave")
		}
		fx.keys("alt+n")
		fx.settle(0, requests.Declined, "you")
		fx.sees("declined by you after", "esc to call 8")
		if a := fx.keys("esc"); a != (action.ShowTab{Tab: tt.tab}) {
			t.Errorf("%s: esc after the response: %+v", tt.method, a)
		}
		if _, ok := fx.keys("esc").(action.Leave); !ok {
			t.Error("the second esc does not leave")
		}
	}
}

func TestRequest_Scrolls(t *testing.T) {
	fx := open(t)
	text := strings.Repeat(`line\n`, 2000) + "end"
	fx.arrive(sample, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}]}`)
	fx.sees(palette.Down)
	for range 100 {
		fx.keys("pgdown")
		fx.screen(120, 20)
	}
	fx.sees("cut off here; the frame has all of it")
	fx.Scroll(80, 3, -1000)
	fx.sees("user       line")
}

func TestClick_SelectsAndEdits(t *testing.T) {
	fx := open(t)
	fx.arrive(elicit, order)
	fx.arrive(sample, rain)
	for y, row := range strings.Split(fx.screen(120, 20), "\n") {
		if strings.Contains(row, sample) {
			fx.Click(5, y)
		}
	}
	fx.sees("Which tea")
	for y, row := range strings.Split(fx.screen(120, 20), "\n") {
		if strings.Contains(row, "response as the model") {
			fx.Click(60, y+2)
		}
	}
	if !fx.Typing() {
		t.Error("a click into the response does not edit it")
	}
}

func TestPaint_EverySize(t *testing.T) {
	for _, params := range []string{rain, talk, order, pageOdd, `{}`} {
		fx := open(t)
		fx.arrive(sample, params)
		fx.arrive(elicit, params)
		for range 2 {
			for w := 3; w < 130; w += 7 {
				for h := 3; h < 30; h += 3 {
					fx.screen(w, h)
				}
			}
			fx.keys("enter")
		}
	}
}

// A form of the server is checked by its schema as a whole before it is sent, as forms
// of tools are; the second time it is sent as it is.
func TestForm_ChecksAsTheLinterDoes(t *testing.T) {
	const contact = `{"message":"Who?","requestedSchema":{"type":"object","required":["name"],"properties":{` +
		`"name":{"type":"string"},"email":{"type":"string","format":"email"},"age":{"type":"integer","minimum":18}}}}`
	for _, c := range []struct {
		name        string
		keys        []string
		text, sees  string
		field, sent string
	}{
		{"untouched", nil, "", `name is empty. ctrl+s again sends ""`, "name", `{"name":""}`},
		{"not an email address", []string{"A", "tab"}, "not one", "✗ is not an email address", "email", `{"name":"A","email":"not one"}`},
		{"too young", []string{"A", "tab", "tab"}, "7", "✗ expected at least 18, found 7", "age", `{"name":"A","age":7}`},
	} {
		fx := open(t)
		fx.arrive(elicit, contact)
		if c.text != "" {
			fx.keys("enter")
			fx.keys(c.keys...)
			fx.typed(c.text)
			fx.keys("esc") // out of the response, so that the focus has to move
		}
		if a := fx.keys("ctrl+s"); a != nil {
			t.Errorf("%s: %+v instead of a question", c.name, a)
		}
		fx.sees(c.sees, "again sends")
		if e := fx.selected(); !fx.Typing() || e.draft.Form.Focused() != c.field {
			t.Errorf("%s: the focus is in %q", c.name, e.draft.Form.Focused())
		}
		if r, _ := fx.keys("ctrl+s").(action.Reply); string(r.Result) != `{"action":"accept","content":`+c.sent+`}` {
			t.Errorf("%s: sent %s", c.name, r.Result)
		}
	}
	fx := open(t)
	fx.arrive(elicit, contact)
	fx.keys("alt+j")
	fx.selected().json.SetValue(`{"action":"accept","content":{"name":"A","email":"x"}}`)
	if f, ok := fx.keys("ctrl+s").(action.Flash); !ok || f.Text != "content/email is not an email address. ctrl+s again sends it." {
		t.Errorf("the JSON: %+v", f)
	}
	if r, _ := fx.keys("ctrl+s").(action.Reply); !strings.Contains(string(r.Result), `"email":"x"`) {
		t.Errorf("the JSON: sent %s", r.Result)
	}
}

// What is pending may be from a moment before the request: its call is looked for again as
// soon as the request itself is pending there, and never later.
func TestCall_PendingFromBeforeTheRequest(t *testing.T) {
	fx := open(t)
	call := fx.flows
	fx.flows = nil
	fx.arrive(client.MethodElicitation, `{"message":"Which city?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}`)
	if s := fx.screen(120, 20); strings.Contains(s, "ask-model") {
		t.Errorf("it names a call that is not pending:\n%s", s)
	}
	fx.flows = append(call, store.Flow{ID: string(fx.reqs[0].ID), Dir: transport.In, Method: client.MethodElicitation})
	fx.refresh()
	fx.sees("for ask-model", "for call 8")
	fx.flows[0].ID, fx.flows[0].Name = "9", "another"
	fx.refresh()
	fx.sees("for ask-model", "for call 8")
}
