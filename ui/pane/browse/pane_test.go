package browse_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/shell"
	"mcptea/internal/test/raced"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/invoke"
	"mcptea/record/store"
	"mcptea/session/session"
)

func TestScreens(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for name, tc := range map[string]struct {
		kind string
		do   func(tb *table)
	}{
		"tools":   {"tools", func(*table) {}},
		"form":    {"tools", func(tb *table) { tb.choose("search"); tb.Press("enter") }},
		"wrong":   {"tools", func(tb *table) { tb.choose("long-work"); tb.Press("enter", "end", "x", "enter") }},
		"json":    {"tools", func(tb *table) { tb.choose("long-work"); tb.Press("enter", "alt+v") }},
		"hostile": {"tools", func(tb *table) { tb.choose("evil\x1b[2J\u202e") }},
		"running": {"tools", func(tb *table) {
			tb.choose("long-work")
			tb.Press("enter", "enter")
			tb.now = tb.now.Add(6100 * time.Millisecond)
			tb.refresh(store.Flow{ID: jsonrpc.IDOf("8"), Method: "tools/call", Reports: 3, Progress: 3, Total: 5, HasTotal: true, Message: "step 3 of 5", LastReport: tb.now.Add(-100 * time.Millisecond)})
		}},
		"result": {"tools", func(tb *table) {
			tb.choose("search")
			tb.Press("enter")
			tb.Type("tea")
			tb.Press("enter")
			tb.answer(`"error":{"code":-32602,"message":"no such filter"}`, 3*time.Millisecond, nil)
			tb.Press("r")
			tb.answer(`"result":{"content":[{"type":"text","text":"found nothing"}]}`, 1900*time.Microsecond, nil)
		}},
		"resultLarge": {"tools", func(tb *table) {
			tb.Press("enter")
			tb.Type("hi")
			tb.Press("enter")
			tb.answer(`"result":{"content":[{"type":"text","text":"you said hi"}]}`, 1900*time.Microsecond, nil)
			tb.Press("r")
			tb.answer("", 2100*time.Millisecond, session.ErrCancelled)
			tb.Press("ctrl+o")
		}},
		"resources": {"resources", func(*table) {}},
		"template": {"resources", func(tb *table) {
			tb.choose("numbers")
			tb.Press("enter")
			tb.Type("3")
			tb.Press("tab")
			tb.Type("a b")
		}},
		"prompts": {"prompts", func(tb *table) { tb.choose("review") }},
		"filter":  {"tools", func(tb *table) { tb.Press("/"); tb.Type("lw") }},
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

func TestHistory(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(`"result":{"content":[{"type":"text","text":"first answer"}]}`, time.Millisecond, nil)
	tb.Press("e", "b", "enter")
	tb.answer(`"result":{"isError":true,"content":[{"type":"text","text":"second answer"}]}`, 2*time.Millisecond, nil)
	tb.sees(120, 20, "call id 9 tool error 2.0 ms", "second answer", "calls  1.0 ≠  2.0 ✗ ms   ≠ not this result", tb.Screen.Pal.FailMark+" 2.0 ms")
	tb.Press("ctrl+o")
	tb.Press("[")
	tb.sees(120, 20, "call id 8 ok 1.0 ms", "first answer", `sent {"message":"a"}`)
	tb.expect("copy result: first answer", "y")
	tb.Press("v")
	tb.sees(120, 20, "as sent", `"text": "first answer"`)
	tb.Press("]")
	tb.sees(120, 20, "second answer")
	tb.Press("esc", "esc")
	tb.choose("search")
	tb.choose("echo")
	tb.sees(120, 20, "second answer") // it is still there when one comes back
}

func TestHistory_KeepsVisibleCall(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "x")
	for i := range 22 { // the first two are not kept
		tb.Press("ctrl+s")
		tb.answer(`"result":{"isError":true,"content":[]}`, time.Duration(11+i)*time.Millisecond, nil)
	}
	tb.Press("ctrl+o")
	for i := 21; i >= 2; i-- {
		for _, w := range []int{50, 80, 100, 200} {
			rows := strings.Split(tb.screen(w, 20), "\n")
			for _, row := range rows {
				_, calls, ok := strings.Cut(row, "calls ")
				if durations, _, whole := strings.Cut(calls, " ms"); ok && (!whole || !strings.Contains(durations, fmt.Sprintf(" %d ✗", 11+i))) {
					t.Errorf("%d cells: call %d is not in %q", w, i, row)
				}
			}
		}
		tb.Press("[")
	}
}

func TestCancel(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("delete-everything")
	tb.Press("enter", "enter")
	if tb.refresh(); !tb.busy {
		t.Error("a call runs and nothing moves")
	}
	tb.expect("cancel 8", "alt+x")
	tb.answer("", time.Second, session.ErrCancelled)
	tb.expect("off: No call is pending.", "x")
	if tb.busy {
		t.Error("something moves after the end")
	}
}

func (tb *table) copied() string {
	tb.T.Helper()
	text, ok := strings.CutPrefix(tb.Press("y"), "copy command: ")
	if !ok {
		tb.T.Fatalf("nothing is copied: %q", text)
	}
	return text
}

func TestCopyCommand_Arguments(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	e := tb.item()
	for arguments, want := range map[string]string{
		`{"query":"it's","sort":"new","deep":false,"filter":{"author":"a b"},"more":"x"}`: `"$(printf -- 'query=it\047s')" sort=new deep=false 'filter:={"author":"a b"}' 'more:="x"'`,
		`{"query":"@file"}`:                 `'query:="@file"'`,
		`{"query":"a","query":"b"}`:         `'{"query":"a","query":"b"}'`,
		`{"a b":1}`:                         `'{"a b":1}'`,
		`{"query":"a\u001b[201~\rid"}`:      `"$(printf -- 'query=a\033[201~\015id')"`,
		`{"query":"line\nend\u2028\u202e"}`: `"$(printf -- 'query:="line\134nend\134u2028\134u202e"')"`,
	} {
		e.AsJSON = true
		e.Editor.SetValue(arguments)
		if got, want := tb.copied(), "mcptea call search "+want+" -- 'my server' --x"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	e.Editor.SetValue(`{"query":`)
	tb.expect("not a JSON object", "y")
}

func TestCopyCommand_Names(t *testing.T) {
	for name, want := range map[string]string{
		"plain": "plain", "two words": "'two words'", "--help": "--tool=--help", "-rf": "--tool=-rf", "http://h/mcp": "--tool=http://h/mcp", "": "--tool=",
		"a\x1b[201~\x03\rtouch pwned\r": `"$(printf -- 'a\033[201~\003\015touch pwned\015')"`,
	} {
		tb := open(t, "tools")
		it := offer.Item{Kind: "tools", Name: name, Raw: []byte(`{"inputSchema":{"type":"object"}}`)}
		tb.state.Lists["tools"] = offer.List{Items: []offer.Item{it}, Offered: true, Loaded: start.Add(time.Second)}
		tb.refresh()
		if got, want := tb.copied(), "mcptea call "+want+" -- 'my server' --x"; got != want {
			t.Errorf("%q: got  %s\nwant %s", name, got, want)
		}
	}
}

func TestCopyCommand_ResourcesAndPrompts(t *testing.T) {
	tb := open(t, "resources")
	if got, want := tb.copied(), "mcptea read demo://readme -- 'my server' --x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tb.choose("numbers")
	tb.Press("enter")
	tb.Type("1")
	tb.Press("tab")
	tb.Type("a b")
	tb.Press("esc")
	if got, want := tb.copied(), "mcptea read demo://numbers/1/a%20b -- 'my server' --x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	tb = open(t, "prompts")
	tb.choose("review")
	e := tb.item()
	e.SetJSON(`{"language":"go","focus":"--x"}`)
	if got, want := tb.copied(), "mcptea prompt review language=go focus=--x -- 'my server' --x"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestCopyCommand_Secrets(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("echo")
	tb.pane.Flags = []shell.Flag{{Name: "protocol", Value: "2025-06-18", Public: true}, {Name: "header", Value: "Authorization: Bearer secret-token-value"}}
	tb.fake.target = client.Target{URL: "https://u:hunter2@x/mcp?api_key=KEYKEYKEY", Header: map[string][]string{"Authorization": {"Bearer secret-token-value"}}}
	got := tb.copied()
	want := `mcptea call echo message= --protocol 2025-06-18 --header 'Authorization: Bearer '"$MCPTEA_TOKEN" --url https://u:"$PASSWORD"'@x/mcp?api_key='"$API_KEY"`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	tb.fake.target = client.Target{URL: "https://x/mcp", Header: map[string][]string{"Authorization": {"Bearer typed-later"}}}
	if got, want := tb.copied(), `mcptea call echo message= --protocol 2025-06-18 --token "$MCPTEA_TOKEN" --url https://x/mcp`; got != want {
		t.Errorf("with a token that was typed\ngot  %s\nwant %s", got, want)
	}
	e := tb.item()
	e.SetJSON(`{"password":"hunter2","message":"plain"}`)
	if got := tb.copied(); strings.Contains(got, "hunter2") || !strings.Contains(got, "message=plain") {
		t.Errorf("got %s", got)
	}
}

// The command offers what the inspector does where the server needs it: it would not have the
// tool otherwise.
func TestCopyCommand_OffersWhatTheInspectorOffers(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("echo")
	tb.pane.Used = func(method string) bool { return method == "elicitation/create" }
	if got, want := tb.copied(), "mcptea call echo message= --answer elicitation=decline -- 'my server' --x"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	tb.pane.Flags = []shell.Flag{{Name: "answer", Value: "elicitation=ask", Public: true}}
	if got, want := tb.copied(), "mcptea call echo message= --answer elicitation=decline -- 'my server' --x"; got != want {
		t.Errorf("with a flag for the inspector\ngot  %s\nwant %s", got, want)
	}
	tb.pane.Flags = []shell.Flag{{Name: "answer", Value: "elicitation=none", Public: true}}
	if got, want := tb.copied(), "mcptea call echo message= --answer elicitation=none -- 'my server' --x"; got != want {
		t.Errorf("with a choice of the user\ngot  %s\nwant %s", got, want)
	}
	tb.pane.Flags, tb.pane.Used = nil, nil
	*tb.item().Raw() = []byte(`{"name":"echo","description":"Triggers an elicitation."}`)
	if got := tb.copied(); !strings.Contains(got, " --answer elicitation=decline ") {
		t.Errorf("got %s", got)
	}
}

func TestSubscribing(t *testing.T) {
	tb := open(t, "resources")
	tb.expect("subscribe demo://readme true", "space")
	tb.pane.Follow("demo://readme")
	tb.sees(120, 17, "subscribed", " ●")
	if c := tb.pane.Subscribes(); c != "unsubscribe" {
		t.Errorf("the last row offers to %s", c)
	}
	tb.expect("subscribe demo://readme false", "space")
	tb.pane.Unasked()
	tb.state.Attempt++
	tb.refresh()
	if tb.pane.Subscribed("demo://readme") {
		t.Error("the subscription outlives a connection that does not have it")
	}
}

func TestEscGoesOneStepBack(t *testing.T) {
	tb := open(t, "tools")
	tb.Press("enter", "a", "enter")
	tb.answer(`"result":{}`, 1, nil)
	tb.Press("ctrl+o")
	if a := tb.Press("esc"); a != "" || tb.pane.Section() != "list" {
		t.Errorf("esc gives %q and leads to the %s", a, tb.pane.Section())
	}
	tb.expect("leave", "esc")
}

// Tab goes round in a form; where there is one field it says what leads out.
func TestTabGoesRound(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("long-work")
	tb.Press("enter", "tab", "tab", "tab", "tab")
	if tb.pane.Section() != "form" {
		t.Errorf("tab leads to the %s", tb.pane.Section())
	}
	tb.Press("esc")
	tb.choose("echo")
	tb.Press("enter")
	tb.expect("This is the only field", "tab")
	if tb.pane.Section() != "form" {
		t.Errorf("tab leads to the %s", tb.pane.Section())
	}
}

func TestEmptyLists_Hint(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*session.State)
		want   string
		asks   string
	}{
		"not offered":   {func(s *session.State) { s.Lists = nil }, "does not offer tools", "off: The server does not offer tools."},
		"none":          {func(s *session.State) { s.Lists["tools"] = offer.List{Offered: true, Loaded: start.Add(time.Second)} }, "has no tools", "fetch tools"},
		"not requested": {func(s *session.State) { s.Lists["tools"] = offer.List{Offered: true} }, "The server offers tools, but tools/list was not sent", "fetch tools"},
		"loading":       {func(s *session.State) { s.Lists["tools"] = offer.List{Offered: true, Loading: true} }, "fetching", "fetch tools"},
		"failed":        {func(s *session.State) { s.Lists["tools"] = offer.List{Offered: true, Err: errors.New("went wrong")} }, "went wrong", "fetch tools"},
		"not connected": {func(s *session.State) { s.Lists, s.Phase = nil, session.Failed }, "1 shows the cause", "off: Not connected: R restarts the server."},
	} {
		t.Run(name, func(t *testing.T) {
			tb := open(t, "tools")
			tc.change(&tb.state)
			tb.refresh()
			tb.sees(60, 10, tc.want)
			tb.expect(tc.asks, "ctrl+r")
		})
	}
}

func TestList_ChangesStayUntilSeen(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.Press("enter")
	tb.Type("tea")
	tb.Press("esc")
	search := item("tools", `{"name":"search","inputSchema":{"type":"object","properties":{"term":{"type":"string"},"brandnew":{"type":"integer"}},"required":["brandnew"]}}`)
	items := []offer.Item{item("tools", `{"name":"surprise"}`)}
	for _, it := range offered["tools"] {
		switch it.Name {
		case "search":
			it = search
		case "echo":
			continue
		}
		items = append(items, it)
	}
	tracker := &tb.fake.tracker
	set := func(items []offer.Item, restart int) {
		var entries []changes.Entry
		for _, it := range items {
			entries = append(entries, changes.Entry{Key: it.Name, Raw: it.Raw})
		}
		tracker.SetList("tools", entries, restart)
		tb.state.Lists["tools"] = offer.List{Items: items, Offered: true, Loaded: start.Add(time.Duration(restart+1) * time.Second)}
		tb.state.Changes = tracker.Snapshot()
		tb.refresh()
	}
	set(offered["tools"], 0)
	set(items, 1)
	tb.sees(120, 24, "+1 −1 ~1", "~ search", "breaking", "+ surprise", "added", "− echo", "removed",
		"changed by restart 1", "properties.brandnew", "required", "query moved to term")
	tb.expect("", "n")
	tb.sees(120, 24, "▌+ surprise", "The server lists this entry now.")
	tb.Press("enter")
	tb.state.Changes = tracker.Snapshot()
	tb.refresh()
	tb.sees(120, 24, " −1 ~1", "− echo")
	tb.Press("esc")
	tb.Press("i")
	tb.state.Changes = tracker.Snapshot()
	tb.refresh()
	if all := tb.screen(120, 24); strings.Contains(all, "breaking") || strings.Contains(all, "echo") {
		t.Errorf("what was seen is still marked:\n%s", all)
	}
	// What was typed is under the new name, and nothing that was not.
	tb.choose("search")
	tb.Press("enter")
	tb.sees(120, 24, "tea")
	tb.Press("tab", "7", "enter")
	if params := string(tb.call.Params); !strings.Contains(params, `"arguments":{"term":"tea","brandnew":7}`) {
		t.Errorf("the call is %s", params)
	}
}

// The arguments of a tool that has another name go with it.
func TestList_RenamedTool(t *testing.T) {
	tb := open(t, "tools")
	tb.choose("search")
	tb.Press("enter")
	tb.Type("tea")
	tb.Press("esc")
	tracker := &tb.fake.tracker
	set := func(restart int, items []offer.Item) {
		var entries []changes.Entry
		for _, it := range items {
			entries = append(entries, changes.Entry{Key: it.Name, Raw: it.Raw})
		}
		tracker.SetList("tools", entries, restart)
		tb.state.Lists["tools"] = offer.List{Items: items, Offered: true, Loaded: start.Add(time.Duration(restart+1) * time.Second)}
		tb.state.Changes = tracker.Snapshot()
		tb.refresh()
	}
	set(0, offered["tools"])
	items := slices.Clone(offered["tools"])
	for i, it := range items {
		if it.Name == "search" {
			items[i] = item("tools", strings.Replace(string(it.Raw), `"name":"search"`, `"name":"find"`, 1))
		}
	}
	tb.choose("search")
	set(1, items)
	tb.sees(120, 24, "~ search → find", "renamed by restart 1", "Clients that use its old name search fail.", "unchanged")
	tb.sees(80, 24, "~ search → find")
	tb.Press("enter", "enter")
	if params := string(tb.call.Params); !strings.Contains(params, `"name":"find","arguments":{"query":"tea"}`) {
		t.Errorf("the call is %s", params)
	}
}

func TestOutputIsCheckedAgainstItsSchema(t *testing.T) {
	output := invoke.OutputOf([]byte(`{"type":"object","properties":{"hits":{"type":"array"}},"required":["hits"]}`))
	for name, result := range map[string]string{
		"a missing member":    `{"content":[],"structuredContent":{"other":1}}`,
		"a wrong type":        `{"content":[],"structuredContent":{"hits":1}}`,
		"no structure":        `{"content":[]}`,
		"a structure in vain": `{"content":[],"isError":true,"structuredContent":{"code":1}}`,
		"a large result":      `{"content":[{"type":"text","text":"` + strings.Repeat("tea ", 80_000) + `"}],"structuredContent":{"hits":1}}`,
	} {
		tb := open(t, "tools")
		tb.choose("search")
		tb.Press("enter", "a", "enter")
		tb.answer(`"result":`+result, 1, nil)
		problems := output.Problems([]byte(result), strings.Contains(result, "isError")) // as mcptea call prints them
		if len(problems) != 1 {
			t.Fatalf("%s: %q", name, problems)
		}
		if screen := tb.Paint(400, 24, true); !strings.Contains(screen, problems[0]) {
			t.Errorf("%s: no %q in\n%s", name, problems[0], screen)
		}
	}
}

func TestCall_NotConnected(t *testing.T) {
	s, err := session.Open(session.Config{Record: "off", Target: client.Target{Argv: []string{"x"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close(t.Context()) }()
	tb := open(t, "tools")
	tb.Press("enter")
	tb.item().AddCall(s.Start("tools/call", []byte(`{"name":"echo"}`)))
	tb.refresh()
	tb.sees(120, 17, "call not sent", "not connected")
}

func TestMouse(t *testing.T) {
	tb := open(t, "tools")
	tb.screen(120, 17)
	tb.Screen.Click(5, 4) // each item has two rows
	if key := tb.pane.SelectedKey(); key != "long-work" || tb.pane.Section() != "list" {
		t.Fatalf("a click chose %s", key)
	}
	tb.screen(120, 17)
	tb.Screen.Click(5, 5)
	if tb.pane.Section() != "form" {
		t.Fatal("a second click does not open it")
	}
	rows := strings.Split(tb.screen(120, 17), "\n")
	for y, row := range rows {
		if strings.Contains(row, "│ steps") {
			tb.Screen.Click(100, y)
		}
	}
	if e := tb.item(); e.Node().ID != "steps" {
		t.Errorf("the click went to %s", e.Node().ID)
	}
	tb.screen(120, 17)
	if x, y, ok := tb.Screen.Cursor(); !ok || x < 31 || x > 118 || y < 1 || y > 15 {
		t.Errorf("the cursor is at %d,%d", x, y)
	}
}

func TestEverySizeFits(t *testing.T) {
	for _, kind := range []string{"tools", "resources", "prompts"} {
		tb := open(t, kind)
		for range offered[kind] {
			for _, h := range []int{1, 2, 3, 5, 8, 13, 30} {
				for _, w := range []int{4, 20, 69, 70, 90, 150} {
					tb.screen(w, h)
					tb.Press("enter")
					tb.screen(w, h)
					tb.Press("esc", "esc")
				}
			}
			tb.Press("down")
		}
	}
}
