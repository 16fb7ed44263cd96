package browse

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/command"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
	start   = time.Date(2026, 1, 2, 10, 22, 0, 0, time.UTC)
)

// nobody stands for a session that nothing is asked of but its target.
type nobody struct{ target client.Target }

func (n nobody) Target() client.Target { return n.target }
func (nobody) Store() *store.Store     { return nil }

func item(kind, raw string) session.Item {
	i := session.Item{Kind: kind, Raw: []byte(raw)}
	i.Name, i.Title, i.Description = text(i.Raw, "name"), text(i.Raw, "title"), text(i.Raw, "description")
	i.URI, i.MIME = text(i.Raw, "uri"), text(i.Raw, "mimeType")
	if t := text(i.Raw, "uriTemplate"); t != "" {
		i.URI = t
	}
	return i
}

var offered = map[string][]session.Item{
	"tools": {
		item("tools", `{"name":"echo","description":"Says back what you said","inputSchema":{"type":"object","properties":{"message":{"type":"string","description":"What to say"}},"required":["message"]},"annotations":{"readOnlyHint":true}}`),
		item("tools", `{"name":"long-work","title":"Long work","description":"Works for a while and reports progress with a total; can be cancelled","inputSchema":{"type":"object","properties":{"duration":{"type":"number","description":"Seconds in all","default":10,"minimum":0,"maximum":3600},"steps":{"type":"integer","default":5,"minimum":1}}}}`),
		item("tools", `{"name":"search","title":"Search","description":"Searches","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"filter":{"type":"object","properties":{"author":{"type":"string"}}},"sort":{"enum":["new","old"]},"deep":{"type":"boolean"}},"required":["query"]},"outputSchema":{"type":"object","properties":{"hits":{"type":"array"}},"required":["hits"]}}`),
		item("tools", `{"name":"delete-everything","description":"Gone","inputSchema":{"type":"object","properties":{}},"annotations":{"destructiveHint":true,"openWorldHint":false}}`),
		item("tools", `{"name":"evil\u001b[2J\u202e","title":"\u001b]0;x\u0007","description":"a\u0007b"}`),
	},
	"resources": {
		item("resources", `{"uri":"demo://readme","name":"readme","title":"Read me","mimeType":"text/markdown","size":1820,"annotations":{"audience":["user"],"priority":1},"icons":[{}]}`),
		item("resources", `{"uri":"demo://counter","name":"counter","mimeType":"text/plain"}`),
	},
	"templates": {
		item("templates", `{"uriTemplate":"demo://numbers/{from}/{to}","name":"numbers","description":"Whole numbers"}`),
	},
	"prompts": {
		item("prompts", `{"name":"simple","description":"No arguments"}`),
		item("prompts", `{"name":"review","description":"Asks for a review","arguments":[{"name":"language","description":"Which one","required":true},{"name":"focus"}]}`),
	},
}

// table is a pane on a server that offers everything above.
type table struct {
	*testing.T
	*Pane
	state session.State
	now   time.Time
	next  int
	last  command.Start
	call  *session.Call
}

func open(t *testing.T, kind string) *table {
	tb := &table{T: t, now: start.Add(time.Minute), next: 8, Pane: New(nobody{client.Target{Argv: []string{"my server", "--x"}}}, kind)}
	tb.state = session.State{Phase: session.Ready, Attempt: 1, Lists: map[string]session.List{}}
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25", ServerCaps: []byte(`{"completions":{}}`), Result: []byte(`{"capabilities":{"completions":{}}}`)}
	for name, items := range offered {
		tb.state.Lists[name] = session.List{Items: items, Offered: true, Loaded: start}
	}
	tb.refresh()
	return tb
}

func (tb *table) refresh(flights ...store.Flight) { tb.Refresh(tb.state, flights, tb.now, 0) }

// keys presses keys the way the root does and gives the last action.
func (tb *table) keys(names ...string) (last command.Action) {
	tb.Helper()
	for _, name := range names {
		k := press.Key(name)
		last = nil
		if tb.Typing() {
			a, taken := tb.Type(k)
			if taken || a != nil || k.Text != "" && name != "space" {
				last = tb.act(a)
				continue
			}
		}
		if cmd, ok := command.Lookup(tb.Context(), k.String()); ok {
			last = tb.act(tb.Do(cmd.Name))
		}
	}
	return last
}

func (tb *table) act(a command.Action) command.Action {
	if s, ok := a.(command.Start); ok {
		tb.last = s
		tb.call = &session.Call{ID: jsonrpc.IntID(int64(tb.next)), Method: s.Method, Params: s.Params, Started: tb.now}
		tb.next++
		s.Then(tb.call)
	}
	return a
}

func (tb *table) typed(s string) {
	tb.Helper()
	for _, r := range s {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		tb.keys(name)
	}
}

func (tb *table) choose(name string) {
	tb.Helper()
	for i := range tb.rows {
		if tb.rows[i].Name == name && tb.list.Select(tb.rows[i].Key) {
			return
		}
	}
	tb.Fatalf("there is no %s", name)
}

// answer ends the newest call of the selected item.
func (tb *table) answer(result string, took time.Duration, err error) {
	_, e := tb.selected()
	c := e.calls[len(e.calls)-1]
	frame := []byte(`{"jsonrpc":"2.0","id":` + string(c.ID) + `,` + result + `}`)
	c.over, c.err, c.ended = true, err, took
	if err == nil {
		c.answer = client.Answer{Frame: frame, Envelope: jsonrpc.Scan(frame), Took: took}
	}
	c.show(e)
	tb.refresh()
}

func (tb *table) screen(w, h int) string {
	tb.Helper()
	rows := tb.Paint(palette, colours, w, h, true)
	if len(rows) != h {
		tb.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, r := range rows {
		if ansi.StringWidth(r) != w {
			tb.Errorf("row %d of %d×%d is %d cells: %q", i, w, h, ansi.StringWidth(r), ansi.Strip(r))
		}
		rows[i] = strings.TrimRight(ansi.Strip(r), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func (tb *table) sees(w, h int, words ...string) {
	tb.Helper()
	got := tb.screen(w, h)
	for _, word := range words {
		if !strings.Contains(got, word) {
			tb.Errorf("%q is not on the screen:\n%s", word, got)
		}
	}
}

func TestScreens(t *testing.T) {
	for name, tc := range map[string]struct {
		kind string
		do   func(tb *table)
	}{
		"tools":   {"tools", func(*table) {}},
		"form":    {"tools", func(tb *table) { tb.choose("search"); tb.keys("enter") }},
		"wrong":   {"tools", func(tb *table) { tb.choose("long-work"); tb.keys("enter", "x", "enter") }},
		"json":    {"tools", func(tb *table) { tb.choose("long-work"); tb.keys("enter", "ctrl+t") }},
		"hostile": {"tools", func(tb *table) { tb.choose("evil\x1b[2J\u202e") }},
		"running": {"tools", func(tb *table) {
			tb.choose("long-work")
			tb.keys("enter", "enter")
			tb.now = tb.now.Add(6100 * time.Millisecond)
			tb.refresh(store.Flight{ID: "8", Method: "tools/call", Reports: 3, Progress: 3, Total: 5, HasTotal: true, Message: "step 3 of 5", LastReport: tb.now.Add(-100 * time.Millisecond)})
		}},
		"result": {"tools", func(tb *table) {
			tb.choose("search")
			tb.keys("enter")
			tb.typed("tea")
			tb.keys("enter")
			tb.answer(`"error":{"code":-32602,"message":"no such filter"}`, 3*time.Millisecond, nil)
			tb.keys("enter")
			tb.answer(`"result":{"content":[{"type":"text","text":"found nothing"}]}`, 1900*time.Microsecond, nil)
		}},
		"resultLarge": {"tools", func(tb *table) {
			tb.keys("enter")
			tb.typed("hi")
			tb.keys("enter")
			tb.answer(`"result":{"content":[{"type":"text","text":"you said hi"}]}`, 1900*time.Microsecond, nil)
			tb.keys("enter")
			tb.answer("", 2100*time.Millisecond, session.ErrCancelled)
			tb.keys("ctrl+o")
		}},
		"resources": {"resources", func(tb *table) {}},
		"template": {"resources", func(tb *table) {
			tb.choose("numbers")
			tb.keys("enter")
			tb.typed("3")
			tb.keys("tab")
			tb.typed("a b")
		}},
		"prompts": {"prompts", func(tb *table) { tb.choose("review") }},
		"filter":  {"tools", func(tb *table) { tb.keys("/"); tb.typed("lw") }},
	} {
		t.Run(name, func(t *testing.T) {
			var all strings.Builder
			for _, size := range [][2]int{{80, 20}, {120, 17}, {200, 24}, {50, 16}} {
				tb := open(t, tc.kind)
				tc.do(tb)
				all.WriteString(tb.screen(size[0], size[1]))
			}
			golden.RequireEqual(t, all.String())
		})
	}
}

func TestACallIsSentAsItWasFilledIn(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter")
	tb.typed(`say "hi" q?1`)
	tb.keys("enter")
	if got, want := string(tb.last.Params), `{"name":"echo","arguments":{"message":"say \"hi\" q?1"}}`; tb.last.Method != "tools/call" || got != want {
		t.Errorf("sent %s %s, want %s", tb.last.Method, got, want)
	}
	tb.choose("long-work")
	tb.keys("esc", "enter", "enter")
	if got, want := string(tb.last.Params), `{"name":"long-work","arguments":{"duration":10,"steps":5}}`; got != want {
		t.Errorf("the defaults are sent as %s, want %s", got, want)
	}
}

func TestWhatIsWrongIsSentTheSecondTime(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("long-work")
	if a := tb.keys("enter", "x", "enter"); a != nil {
		t.Fatalf("sent at once: %+v", a)
	}
	tb.sees(120, 17, "expected a number", "enter again sends it")
	if _, ok := tb.keys("enter").(command.Start); !ok {
		t.Fatal("the second time is not sent")
	}
	if got, want := string(tb.last.Params), `{"name":"long-work","arguments":{"steps":5,"duration":"10x"}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	// Another change is looked at anew.
	if a := tb.keys("y", "enter"); a != nil {
		t.Errorf("sent at once: %+v", a)
	}
}

func TestFormAndJSONKeepTheValues(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter")
	tb.typed("tea")
	tb.keys("ctrl+t")
	_, e := tb.selected()
	if got := e.editor.Value(); !strings.Contains(got, `"query": "tea"`) {
		t.Fatalf("the JSON is %q", got)
	}
	e.editor.SetValue(`{"query":"milk","sort":"old","deep":true,"extra":[1]}`)
	tb.keys("ctrl+t")
	tb.sees(120, 17, "milk", "old", "true", `and {"extra":[1]}`)
	tb.keys("enter")
	if got, want := string(tb.last.Params), `{"name":"search","arguments":{"query":"milk","sort":"old","deep":true,"extra":[1]}}`; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	tb.keys("ctrl+t")
	e.editor.SetValue(`{"query":`)
	if f, ok := tb.keys("ctrl+t").(command.Flash); !ok || !e.asJSON {
		t.Errorf("half a JSON text became a form: %+v", f)
	}
	if f, ok := tb.keys("ctrl+s").(command.Flash); !ok || !f.Wrong {
		t.Error("half a JSON text was sent")
	}
	e.editor.SetValue(`{"query":"x","sort":"sideways"}`)
	if _, ok := tb.keys("ctrl+t").(command.Flash); !ok || !e.asJSON {
		t.Error("a value that is not offered got lost in the form")
	}
}

func TestJSONOnSeveralLinesIsSentOnOne(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter", "x", "tab", "{", "enter", "}", "ctrl+s")
	if got, want := string(tb.last.Params), `{"name":"search","arguments":{"query":"x","filter":{}}}`; got != want {
		t.Errorf("sent %q, want %q", got, want)
	}
}

func TestEditor(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter")
	edit, ok := tb.keys("ctrl+e").(command.Edit)
	if !ok || edit.Suffix != ".json" || !json.Valid([]byte(edit.Text)) {
		t.Fatalf("got %+v", edit)
	}
	edit.Then("{\"message\": \"from elsewhere\"}\n")
	tb.sees(120, 17, "from elsewhere")
	if _, e := tb.selected(); e.asJSON {
		t.Error("the form is gone")
	}
}

func TestResourcesAreReadAtOnce(t *testing.T) {
	tb := open(t, "resources")
	tb.keys("enter")
	if got := string(tb.last.Params); tb.last.Method != "resources/read" || got != `{"uri":"demo://readme"}` {
		t.Errorf("sent %s %s", tb.last.Method, got)
	}
	tb.choose("numbers")
	tb.keys("esc", "enter", "3", "tab")
	tb.typed("ä 1")
	tb.keys("enter")
	if got := string(tb.last.Params); got != `{"uri":"demo://numbers/3/%C3%A4%201"}` {
		t.Errorf("the template is read as %s", got)
	}
}

func TestPromptsTakeStrings(t *testing.T) {
	tb := open(t, "prompts")
	tb.keys("enter", "enter")
	if got := string(tb.last.Params); got != `{"name":"simple"}` {
		t.Errorf("without arguments: %s", got)
	}
	tb.choose("review")
	tb.keys("esc", "enter", "5", "enter")
	if got := string(tb.last.Params); got != `{"name":"review","arguments":{"language":"5"}}` {
		t.Errorf("with one: %s", got)
	}
}

func TestCompletionIsAskedForAndTaken(t *testing.T) {
	tb := open(t, "prompts")
	tb.choose("review")
	tb.keys("enter", "ctrl+space")
	want := `{"argument":{"name":"language","value":""},"ref":{"name":"review","type":"ref/prompt"}}`
	if got := string(tb.last.Params); tb.last.Method != "completion/complete" || got != want {
		t.Fatalf("asked %s %s, want %s", tb.last.Method, got, want)
	}
	tb.sees(120, 17, "asking the server")
	tb.typed("r") // nothing waits for the answer
	_, e := tb.selected()
	e.values.values, e.values.asked = []string{"ruby", "rust"}, nil
	tb.sees(120, 17, "ruby", "rust", "2  enter takes")
	tb.keys("down", "enter")
	if got := e.form.Values()["language"]; got != "rust" || e.values != nil {
		t.Errorf("took %q", got)
	}
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25"}
	tb.refresh()
	if _, ok := tb.keys("ctrl+space").(command.Flash); !ok {
		t.Error("asked a server that does not offer it")
	}
}

func TestHistory(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter", "a", "enter")
	tb.answer(`"result":{"content":[{"type":"text","text":"first answer"}]}`, time.Millisecond, nil)
	tb.keys("b", "enter")
	tb.answer(`"result":{"isError":true,"content":[{"type":"text","text":"second answer"}]}`, 2*time.Millisecond, nil)
	tb.sees(120, 20, "call 9 tool error 2.0 ms", "second answer", "8 ok 1.0 ms", palette.FailMark+" 2.0 ms")
	tb.keys("ctrl+o")
	tb.Do(EarlierCall)
	tb.sees(120, 20, "call 8 ok 1.0 ms", "first answer", `sent {"message":"a"}`)
	if c, ok := tb.keys("y").(command.Copy); !ok || c.Text != "first answer" {
		t.Errorf("copied %+v", c)
	}
	tb.keys("v")
	tb.sees(120, 20, "as sent", `"text": "first answer"`)
	tb.Do(LaterCall)
	tb.sees(120, 20, "second answer")
	tb.keys("esc", "esc")
	tb.choose("search")
	tb.choose("echo")
	tb.sees(120, 20, "second answer") // it is still there when one comes back
}

func TestCancel(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("delete-everything")
	tb.keys("enter", "enter")
	if !tb.Busy() {
		t.Error("a call runs and nothing moves")
	}
	if c, ok := tb.keys("ctrl+x").(command.Cancel); !ok || c.ID != "8" {
		t.Errorf("got %+v", c)
	}
	tb.answer("", time.Second, session.ErrCancelled)
	if _, ok := tb.keys("ctrl+x").(command.Flash); !ok || tb.Busy() {
		t.Error("a call that is over can be cancelled")
	}
}

func TestTheCommandLine(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	_, e := tb.selected()
	e.setJSON(`{"query":"it's","sort":"new","deep":false,"filter":{"author":"a b"},"more":"x"}`)
	got := tb.keys("y").(command.Copy).Text
	want := `mcptea call search 'query=it'\''s' 'filter:={"author":"a b"}' sort=new deep=false 'more:="x"' -- 'my server' --x`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	e.setJSON(`{"query":"@file"}`)
	if got := tb.keys("y").(command.Copy).Text; !strings.Contains(got, `'query:="@file"'`) {
		t.Errorf("a text that starts with @: %s", got)
	}
	r := open(t, "resources")
	r.session = nobody{client.Target{URL: "http://x/mcp", Header: map[string][]string{"Authorization": {"Bearer secret-token-value"}}}}
	got = r.keys("y").(command.Copy).Text
	if !strings.HasPrefix(got, "mcptea read demo://readme --url http://x/mcp -H ") || strings.Contains(got, "secret-token") {
		t.Errorf("got %s", got)
	}
}

func TestSubscribing(t *testing.T) {
	tb := open(t, "resources")
	tb.keys("s")
	if tb.last.Method != "resources/subscribe" || string(tb.last.Params) != `{"uri":"demo://readme"}` {
		t.Fatalf("sent %s %s", tb.last.Method, tb.last.Params)
	}
	tb.pending = nil
	tb.subscribed["demo://readme"] = subscription{on: true}
	tb.sees(120, 17, "subscribed", "s unsubscribe")
	tb.keys("s")
	if tb.last.Method != "resources/unsubscribe" {
		t.Errorf("sent %s", tb.last.Method)
	}
	tb.state.Attempt++
	tb.refresh()
	if tb.subscribed["demo://readme"].on {
		t.Error("a new connection knows of the subscription")
	}
}

func TestEscGoesOneStepBack(t *testing.T) {
	tb := open(t, "tools")
	tb.keys("enter", "a", "enter")
	tb.answer(`"result":{}`, 1, nil)
	tb.keys("ctrl+o")
	for _, want := range []command.Context{command.Form, command.Browse} {
		if a := tb.keys("esc"); a != nil || tb.Context() != want {
			t.Errorf("esc gives %v and leads to %s, want %s", a, tb.Context(), want)
		}
	}
	if a, ok := tb.keys("esc").(command.Leave); !ok || a.Forward {
		t.Errorf("esc in the list: %v", a)
	}
	tb.choose("long-work")
	tb.keys("enter")
	if a, ok := tb.keys("tab", "tab").(command.Leave); !ok || !a.Forward {
		t.Errorf("tab at the last field: %v", a)
	}
}

func TestEmptyListsSayWhatToDo(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*session.State)
		want   string
	}{
		"not offered":   {func(s *session.State) { s.Lists = nil }, "does not offer tools"},
		"none":          {func(s *session.State) { s.Lists["tools"] = session.List{Offered: true} }, "has no tools"},
		"loading":       {func(s *session.State) { s.Lists["tools"] = session.List{Offered: true, Loading: true} }, "fetching"},
		"failed":        {func(s *session.State) { s.Lists["tools"] = session.List{Offered: true, Err: errors.New("went wrong")} }, "went wrong"},
		"not connected": {func(s *session.State) { s.Lists, s.Phase = nil, session.Failed }, "1 shows why"},
	} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, "tools")
			tc.change(&tb.state)
			tb.refresh()
			tb.sees(60, 10, tc.want)
			if f, ok := tb.keys("enter").(command.Fetch); !ok || f.Kind != "tools" {
				t.Errorf("enter gives %+v", f)
			}
		})
	}
}

func TestAListThatChanges(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter")
	tb.typed("tea")
	items := append([]session.Item{item("tools", `{"name":"surprise"}`)}, offered["tools"]...)
	items[3] = item("tools", `{"name":"search","inputSchema":{"type":"object","properties":{"query":{"type":"string"},"brandnew":{"type":"string"}}}}`)
	tb.state.Lists["tools"] = session.List{Items: items, Offered: true, Loaded: start.Add(time.Second), Changes: 1}
	tb.refresh()
	tb.sees(120, 17, "surprise", "changed 6", "tea", "brandnew")
	if tb.keys("esc", "down"); strings.Contains(tb.screen(120, 17), "changed") {
		t.Error("the mark stays")
	}
}

func TestOutputIsCheckedAgainstItsSchema(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.keys("enter", "a", "enter")
	tb.answer(`"result":{"content":[],"structuredContent":{"other":1}}`, 1, nil)
	tb.sees(140, 24, "does not follow the outputSchema: hits: required")
}

func TestACallWithoutAConnection(t *testing.T) {
	s, err := session.Open(session.Config{Record: "off", Target: client.Target{Argv: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	tb := open(t, "tools")
	_, _ = tb.selected()
	tb.keys("enter")
	tb.typed("a")
	a, _ := tb.Do(command.FormSend).(command.Start)
	a.Then(s.Start(a.Method, a.Params))
	tb.refresh()
	tb.sees(120, 17, "call no answer", "not connected")
}

func TestMouse(t *testing.T) {
	tb := open(t, "tools")
	tb.screen(120, 17)
	tb.Click(5, 3)
	if row, _ := tb.list.Selected(); row.Name != "long-work" || tb.Context() != command.Browse {
		t.Fatalf("a click chose %s", row.Name)
	}
	tb.Click(5, 3)
	if tb.Context() != command.Form {
		t.Fatal("a second click does not open it")
	}
	rows := strings.Split(tb.screen(120, 17), "\n")
	for y, row := range rows {
		if strings.Contains(row, "│ steps") {
			tb.Click(60, y)
		}
	}
	if _, e := tb.selected(); e.form.Focused() != "steps" {
		t.Errorf("the click went to %s", e.form.Focused())
	}
	tb.screen(120, 17)
	if x, y, ok := tb.Cursor(); !ok || x < 31 || x > 118 || y < 1 || y > 15 {
		t.Errorf("the cursor is at %d,%d", x, y)
	}
}

func TestEverySizeFits(t *testing.T) {
	for _, kind := range []string{"tools", "resources", "prompts"} {
		tb := open(t, kind)
		for range tb.items {
			for _, h := range []int{1, 2, 3, 5, 8, 13, 30} {
				for _, w := range []int{4, 20, 69, 70, 90, 150} {
					tb.screen(w, h)
					tb.keys("enter")
					tb.screen(w, h)
					tb.keys("esc", "esc")
				}
			}
			tb.keys("down")
		}
	}
}

func manyTools(n int) session.List {
	l := session.List{Offered: true, Loaded: start}
	for i := range n {
		l.Items = append(l.Items, item("tools", fmt.Sprintf(`{"name":"tool-%05d","inputSchema":{"type":"object"}}`, i)))
	}
	return l
}

func BenchmarkPaintManyTools(b *testing.B) {
	p := New(nobody{}, "tools")
	st := session.State{Phase: session.Ready, Lists: map[string]session.List{"tools": manyTools(10_000)}}
	p.Refresh(st, nil, start, 0)
	b.ReportAllocs()
	for b.Loop() {
		p.Do(command.Down)
		p.Refresh(st, nil, start, 0)
		p.Paint(palette, colours, 120, 17, true)
	}
}
