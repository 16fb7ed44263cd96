package browse

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/press"
	"mcptea/session"
	sessioncontent "mcptea/session/content"
	"mcptea/session/lint"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/paint"
)

var (
	palette = paint.NewPalette(themes.ForBackground(true), false)
	colours = paint.NewJSONStyles(palette.Theme)
	start   = time.Date(2026, 1, 2, 10, 22, 0, 0, time.UTC)
)

// fakeSession is a session with a target and nothing else.
type fakeSession struct{ target client.Target }

func (n fakeSession) Target() client.Target { return n.target }
func (fakeSession) Store() *store.Store     { return nil }

func (fakeSession) FindingsAt(int32) []lint.Finding       { return nil }
func (fakeSession) IsHeld(jsonrpc.ID) bool                { return false }
func (fakeSession) Deadline(jsonrpc.ID) (time.Time, bool) { return time.Time{}, false }

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
	last  action.Start
	call  *session.Call
}

func open(t *testing.T, kind string) *table {
	tb := &table{T: t, now: start.Add(time.Minute), next: 8, Pane: New(fakeSession{client.Target{Argv: []string{"my server", "--x"}}}, kind)}
	tb.state = session.State{Phase: session.Ready, Attempt: 1, Lists: map[string]session.List{}}
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25", ServerCaps: []byte(`{"completions":{}}`), Result: []byte(`{"capabilities":{"completions":{}}}`)}
	for name, items := range offered {
		tb.state.Lists[name] = session.List{Items: items, Offered: true, Loaded: start}
	}
	tb.refresh()
	return tb
}

func (tb *table) refresh(flights ...store.Flow) { tb.Refresh(tb.state, flights, tb.now, 0) }

// keys presses keys the way the root does and gives the last action.
func (tb *table) keys(names ...string) (last action.Action) {
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
			last = tb.act(tb.Do(cmd.ID))
		}
	}
	return last
}

func (tb *table) act(a action.Action) action.Action {
	if s, ok := a.(action.Start); ok {
		tb.last = s
		tb.call = &session.Call{ID: jsonrpc.IntID(int64(tb.next)), Method: s.Method, Params: s.Params, Started: tb.now}
		tb.next++
		tb.Handle(action.Started{Ref: s.Ref, Call: tb.call})
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

// result ends the newest call of the selected item.
func (tb *table) answer(result string, took time.Duration, err error) {
	_, e := tb.selected()
	c := e.calls[len(e.calls)-1]
	answer := client.Response{Took: took}
	if err == nil {
		frame := []byte(`{"jsonrpc":"2.0","id":` + string(c.ID) + `,` + result + `}`)
		answer = client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame), Took: took}
	}
	c.end(e, answer, err, sessioncontent.ToolFailed(answer.Result()))
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
