package inbox

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/inbox"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
	noon    = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.UTC)
)

// table is a pane over an inbox that is filled by hand.
type table struct {
	*testing.T
	*Pane
	asks    []inbox.Request
	pol     inbox.Policies
	flights []store.Flow
	clock   time.Time
}

func (tb *table) Requests() []inbox.Request { return tb.asks }
func (tb *table) Policies() inbox.Policies  { return tb.pol }

func open(t *testing.T) *table {
	ask := inbox.Policy{Mode: inbox.PolicyUser}
	tb := &table{T: t, clock: noon, pol: inbox.Policies{Sampling: ask, Elicitation: ask}}
	tb.Pane = New(tb)
	tb.flights = []store.Flow{{ID: "8", Dir: transport.Out, Method: "tools/call", Name: "ask-model"}}
	tb.refresh()
	return tb
}

func (tb *table) refresh() {
	tb.Refresh(session.State{Phase: session.Ready}, tb.flights, tb.clock, 0)
}

// arrive lets a request come in; the next one comes a second later.
func (tb *table) arrive(method, params string) {
	id := jsonrpc.StringID(fmt.Sprintf("s%d", len(tb.asks)))
	tb.asks = append(tb.asks, inbox.Request{
		ID: id, Method: method, Params: []byte(params), Row: int32(30 + len(tb.asks)),
		Arrived: tb.clock, Deadline: tb.clock.Add(5 * time.Minute),
	})
	tb.clock = tb.clock.Add(time.Second)
	tb.refresh()
}

func (tb *table) settle(i int, state inbox.State, by string) {
	tb.asks[i].State, tb.asks[i].By, tb.asks[i].Answered = state, by, tb.clock
	tb.refresh()
}

// keys presses keys the way the root hands them on and returns what the last
// one asked for.
func (tb *table) keys(names ...string) (last action.Action) {
	tb.Helper()
	for _, name := range names {
		last = nil
		if tb.Typing() {
			a, taken := tb.Type(press.Key(name))
			if taken || a != nil {
				last = a
				continue
			}
		}
		if cmd, ok := command.Lookup(tb.Context(), name); ok {
			last = tb.Do(cmd.ID)
		}
	}
	return last
}

func (tb *table) typed(text string) {
	for _, c := range text {
		name := string(c)
		if c == ' ' {
			name = "space"
		}
		tb.keys(name)
	}
}

// screen is the pane as somebody sees it. It also holds what is true of every
// painting.
func (tb *table) screen(w, h int) string {
	tb.Helper()
	rows := tb.Paint(palette, colours, w, h, true)
	if len(rows) != h {
		tb.Errorf("%dx%d: %d rows", w, h, len(rows))
	}
	for i, row := range rows {
		if ansi.StringWidth(row) != w {
			tb.Errorf("%dx%d: row %d has %d cells: %q", w, h, i, ansi.StringWidth(row), ansi.Strip(row))
		}
		rows[i] = ansi.Strip(row)
		if strings.ContainsAny(rows[i], "\x1b\r\x07\u202e\u200b") {
			tb.Errorf("row %d would be obeyed: %q", i, rows[i])
		}
	}
	if x, y, ok := tb.Cursor(); ok && (x < 0 || x >= w || y < 0 || y >= h) {
		tb.Errorf("%dx%d: cursor at %d,%d", w, h, x, y)
	}
	return strings.Join(rows, "\n") + "\n"
}

func (tb *table) sees(texts ...string) {
	tb.Helper()
	s := tb.screen(120, 20)
	for _, text := range texts {
		if !strings.Contains(s, text) {
			tb.Errorf("%q is not there:\n%s", text, s)
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
	for name, do := range map[string]func(tb *table){
		"empty":    func(*table) {},
		"sampling": func(tb *table) { tb.arrive(sample, rain); tb.keys("enter"); tb.typed("Assam.") },
		"talk":     func(tb *table) { tb.arrive(sample, talk) },
		"json":     func(tb *table) { tb.arrive(sample, rain); tb.keys("alt+j") },
		"form":     func(tb *table) { tb.arrive(elicit, order); tb.keys("enter") },
		"wrong":    func(tb *table) { tb.arrive(elicit, order); tb.keys("ctrl+s") },
		"page":     func(tb *table) { tb.arrive(elicit, pageFine) },
		"odd":      func(tb *table) { tb.arrive(elicit, pageOdd) },
		"unclear":  func(tb *table) { tb.arrive(elicit, `{"mode":"dance","message":"\u001b[31m"}`) },
		"settled": func(tb *table) {
			for range 6 {
				tb.arrive(elicit, order)
			}
			tb.arrive(sample, rain)
			tb.settle(0, inbox.Answered, "you")
			tb.settle(1, inbox.Declined, "policy")
			tb.settle(2, inbox.Cancelled, "deadline")
			tb.settle(3, inbox.Withdrawn, "server")
			tb.settle(4, inbox.Refused, "you")
			tb.keys("j", "j", "j")
		},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 19}, {120, 20}, {200, 24}, {50, 16}} {
				tb := open(t)
				do(tb)
				all.WriteString(tb.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestTheDefaultAnswerIsOneKey(t *testing.T) {
	for _, tt := range []struct{ method, params, want string }{
		{sample, rain, `{"role":"assistant","content":{"type":"text","text":""},"model":"mcptea/human","stopReason":"endTurn"}`},
		{elicit, strings.Replace(order, `"required":["name"]`, `"required":[]`, 1), `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2}}`},
		{elicit, `{"message":"Sure?","requestedSchema":{"type":"object","properties":{}}}`, `{"action":"accept","content":{}}`},
		{elicit, pageFine, `{"action":"accept"}`},
	} {
		tb := open(t)
		tb.arrive(tt.method, tt.params)
		r, ok := tb.keys("ctrl+s").(action.Reply)
		if !ok || r.How != action.RespondResult || string(r.Result) != tt.want || r.ID != `"s0"` {
			t.Errorf("%s: %+v %s", tt.method, r, r.Result)
		}
		if _, again := tb.keys("ctrl+s").(action.Reply); again {
			t.Error("answered twice")
		}
	}
}

func TestNoAndNothing(t *testing.T) {
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
			tb := open(t)
			tb.arrive(tt.method, tt.params)
			tb.keys(first)
			r, ok := tb.keys(tt.key).(action.Reply)
			if !ok || r.How != tt.how {
				t.Errorf("%s %s: %+v", tt.method, tt.key, r)
			}
			if r.How == action.RespondError && (r.Code == 0 || r.Text == "") {
				t.Errorf("an error without a code or words: %+v", r)
			}
		}
	}
}

func TestWhatIsTypedIsTheAnswer(t *testing.T) {
	tb := open(t)
	tb.arrive(sample, rain)
	tb.keys("enter")
	tb.typed(`As"sam 5`)
	tb.keys("enter")
	tb.Paste("second\nthird")
	want := `"text":"As\"sam 5\nsecond\nthird"`
	if r, _ := tb.keys("ctrl+s").(action.Reply); !strings.Contains(string(r.Result), want) {
		t.Errorf("answered %s", r.Result)
	}
}

func TestAFormWarnsOnceAndThenSends(t *testing.T) {
	tb := open(t)
	tb.arrive(elicit, order)
	if a := tb.keys("ctrl+s"); a != nil {
		t.Fatalf("sent %v", a)
	}
	tb.sees(palette.FailMark, "ctrl+s again sends it all the same")
	if r, _ := tb.keys("ctrl+s").(action.Reply); string(r.Result) != `{"action":"accept","content":{"tea":"b","extras":["h"],"cups":2,"name":""}}` {
		t.Errorf("sent %s", r.Result)
	}
	tb = open(t)
	tb.arrive(elicit, order)
	tb.keys("ctrl+s")
	tb.typed("Ann")
	if r, _ := tb.keys("enter").(action.Reply); !strings.Contains(string(r.Result), `"name":"Ann"`) {
		t.Errorf("sent %s", r.Result)
	}
}

func TestTheWholeResultAsJSON(t *testing.T) {
	tb := open(t)
	tb.arrive(sample, rain)
	tb.keys("alt+j")
	tb.sees(`"model": "mcptea/human"`)
	e := tb.selected()
	e.json.SetValue(`{"role":"assistant","content":{"type":"text","text":"Oolong"},"model":"m-1","stopReason":"maxTokens"}`)
	tb.keys("alt+j")
	tb.sees("Oolong", "stop reason maxTokens   model m-1")
	tb.keys("alt+j")
	e.json.SetValue(`{"content":{"type":"image"}}`)
	if f, ok := tb.keys("alt+j").(action.Flash); !ok || !f.Wrong {
		t.Error("an image went back into a text")
	}
	e.json.SetValue(`{"oops"`)
	if f, ok := tb.keys("ctrl+s").(action.Flash); !ok || !strings.Contains(f.Text, "line 1") {
		t.Errorf("what is no JSON: %+v", f)
	}
	e.json.SetValue("{\n  \"anything\": 1.0\n}")
	if r, _ := tb.keys("ctrl+s").(action.Reply); string(r.Result) != `{"anything":1.0}` {
		t.Errorf("answered %s", r.Result)
	}

	tb = open(t)
	tb.arrive(elicit, order)
	tb.keys("alt+j")
	tb.selected().json.SetValue(`{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}`)
	tb.keys("alt+j")
	tb.sees("Green tea", "Bo", `and {"more":[1]}`)
	if r, _ := tb.keys("ctrl+s").(action.Reply); string(r.Result) != `{"action":"accept","content":{"tea":"g","name":"Bo","more":[1]}}` {
		t.Errorf("answered %s", r.Result)
	}
}

func TestWhatIsNotAsItShouldBeIsAnsweredByJSON(t *testing.T) {
	for _, tt := range []struct{ method, params, why string }{
		{sample, `{"maxTokens":1}`, "it has no messages"},
		{sample, `{"messages":[{"role":"user"}]}`, "a message has no role or no content"},
		{sample, ``, "it has no messages"},
		{elicit, `[]`, "it has no message"},
		{elicit, `{"message":"x"}`, "its requestedSchema is no object"},
		{elicit, `{"message":"x","mode":"url"}`, "it has no url"},
		{elicit, `{"message":"x","mode":"dance"}`, `neither form nor url`},
	} {
		tb := open(t)
		tb.arrive(tt.method, tt.params)
		tb.sees(tt.why, "your answer, the whole result")
		if r, ok := tb.keys("enter", "ctrl+s").(action.Reply); !ok || !strings.HasPrefix(string(r.Result), "{") {
			t.Errorf("%s: %+v", tt.params, r)
		}
	}
}

func TestWarningsAboutAPage(t *testing.T) {
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
		for _, f := range pageFacts(tt.url) {
			if f.tone == doubtful {
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
	tb := open(t)
	tb.arrive(elicit, pageFine)
	if c, ok := tb.keys("y").(action.Copy); !ok || c.Text != "https://example.com/tea?order=7" {
		t.Errorf("copied %+v", c)
	}
}

func TestWhatWaitsComesUpButNotUnderTheHands(t *testing.T) {
	tb := open(t)
	tb.arrive(sample, rain)
	if got := tb.News(); got != sample || tb.News() != "" {
		t.Errorf("news: %q", got)
	}
	tb.arrive(elicit, order)
	tb.keys("enter")
	tb.typed("Assam")
	tb.keys("ctrl+s")
	tb.settle(0, inbox.Answered, "you")
	tb.sees("1 waits", "What may I bring you?")
	if tb.Typing() || tb.Badge() != "1" {
		t.Error("the next one has the focus, or is not counted")
	}
	tb.keys("enter")
	tb.typed("q")
	tb.settle(1, inbox.Withdrawn, "server")
	if !tb.Typing() {
		t.Error("keys would be commands in the middle of a word")
	}
	if f, ok := tb.keys("ctrl+s").(action.Flash); !ok || !f.Wrong {
		t.Error("what was taken back is answered")
	}
	tb.sees("taken back by the server")
	if a, ok := tb.keys("esc", "alt+o").(action.SelectFrame); !ok || a.Row != 31 {
		t.Errorf("frame: %+v", a)
	}
	if _, ok := tb.keys("esc").(action.Leave); !ok {
		t.Error("esc in the list does not leave")
	}
}

func TestALongRequestScrolls(t *testing.T) {
	tb := open(t)
	text := strings.Repeat(`line\n`, 2000) + "end"
	tb.arrive(sample, `{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"`+text+`"}}]}`)
	tb.sees(palette.Down)
	for range 100 {
		tb.keys("pgdown")
		tb.screen(120, 20)
	}
	tb.sees("and more; the frame shows all of it")
	tb.Scroll(80, 3, -1000)
	tb.sees("user       line")
}

func TestClicks(t *testing.T) {
	tb := open(t)
	tb.arrive(elicit, order)
	tb.arrive(sample, rain)
	for y, row := range strings.Split(tb.screen(120, 20), "\n") {
		if strings.Contains(row, sample) {
			tb.Click(5, y)
		}
	}
	tb.sees("Which tea")
	for y, row := range strings.Split(tb.screen(120, 20), "\n") {
		if strings.Contains(row, "your answer as the model") {
			tb.Click(60, y+2)
		}
	}
	if !tb.Typing() {
		t.Error("a click into the answer does not start to write")
	}
}

func TestEverySizeCanBePainted(t *testing.T) {
	for _, params := range []string{rain, talk, order, pageOdd, `{}`} {
		tb := open(t)
		tb.arrive(sample, params)
		tb.arrive(elicit, params)
		for range 2 {
			for w := 3; w < 130; w += 7 {
				for h := 3; h < 30; h += 3 {
					tb.screen(w, h)
				}
			}
			tb.keys("enter")
		}
	}
}
