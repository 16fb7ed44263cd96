package browse_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/panetest"
	"mcptea/lint"
	"mcptea/offer"
	"mcptea/offer/changes"
	sessioncontent "mcptea/offer/content"
	"mcptea/record/stderr"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/pane/browse"
)

var start = time.Date(2026, 1, 2, 10, 22, 0, 0, time.UTC)

// fakeSession is a session that writes down what is asked of it.
type fakeSession struct {
	tb       *table
	target   client.Target
	s        *session.Session // for its store; nil without one
	tracker  changes.Tracker
	findings []lint.Finding
	deadline time.Time
	about    map[string][]lint.Finding // by list and name, the gravest first
}

func (f *fakeSession) Target() client.Target                   { return f.target }
func (f *fakeSession) Origin() stderr.Origin                   { return stderr.Origin{} }
func (f *fakeSession) Redact(text string) string               { return f.target.Redact(text) }
func (f *fakeSession) Changes() *changes.Tracker               { return &f.tracker }
func (f *fakeSession) FindingsAt(int32) []lint.Finding         { return f.findings }
func (f *fakeSession) FindingsSince(_, _ int32) []lint.Finding { return f.findings }
func (f *fakeSession) FindingsAbout(list, name string) (worst lint.Finding, n int) {
	all := f.about[list+" "+name]
	if len(all) > 0 {
		worst = all[0]
	}
	return worst, len(all)
}
func (*fakeSession) ErrorRows() []int32                      { return nil }
func (*fakeSession) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }
func (*fakeSession) IsHeld(jsonrpc.ID) bool                  { return false }
func (*fakeSession) Recording() (session.Recording, bool)    { return session.Recording{}, false }
func (f *fakeSession) Fetch(k client.ListKind)               { f.tb.Say("fetch " + k.Name) }
func (f *fakeSession) As() (string, []string)                { return "", nil }
func (f *fakeSession) Cancel(id jsonrpc.ID) error            { f.tb.Say("cancel " + id.String()); return nil }

func (f *fakeSession) Deadline(jsonrpc.ID) (time.Time, bool) {
	return f.deadline, !f.deadline.IsZero()
}

func (f *fakeSession) Store() *store.Store {
	if f.s == nil {
		return nil
	}
	return f.s.Store()
}

func (f *fakeSession) Extend(id jsonrpc.ID, by time.Duration) bool {
	f.tb.Say("extend " + id.String() + " " + by.String())
	return true
}

func (f *fakeSession) SubscribeResource(uri string, on bool) *session.Call {
	f.tb.Say(fmt.Sprintf("subscribe %s %v", uri, on))
	return &session.Call{}
}

func (f *fakeSession) Start(method string, params []byte) *session.Call {
	f.tb.call = &session.Call{ID: jsonrpc.IntID(int64(f.tb.next)), Method: method, Params: params, Started: f.tb.now}
	f.tb.next++
	f.tb.Say("start " + method)
	return f.tb.call
}

func (f *fakeSession) RepeatRequest(n int, _ time.Duration, method string, params []byte, _ jsonrpc.ID) *session.Repetition {
	f.tb.Say(fmt.Sprintf("repeat %d %s %s", n, method, params))
	return nil
}

func item(kind, raw string) offer.Item {
	i := offer.Item{Kind: kind, Raw: []byte(raw)}
	i.Name, i.Title, i.Description = jsonrpc.Text(i.Raw, "name"), jsonrpc.Text(i.Raw, "title"), jsonrpc.Text(i.Raw, "description")
	i.URI, i.MIME = jsonrpc.Text(i.Raw, "uri"), jsonrpc.Text(i.Raw, "mimeType")
	if t := jsonrpc.Text(i.Raw, "uriTemplate"); t != "" {
		i.URI = t
	}
	return i
}

var offered = map[string][]offer.Item{
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
	*panetest.Program
	pane  *browse.Pane
	fake  *fakeSession
	state session.State
	now   time.Time
	next  int
	call  *session.Call // the newest
	busy  bool
}

func open(t *testing.T, kind string) *table {
	tb := &table{Program: panetest.New(t), now: start.Add(time.Minute), next: 8}
	tb.fake = &fakeSession{tb: tb, target: client.Target{Argv: []string{"my server", "--x"}}}
	tb.pane = browse.New(tb, tb.fake, kind, browse.Options{
		Arguments: tb,
		Pin:       func(c *session.Call) { tb.Say("pin " + c.ID.String()) },
		Compare:   func(method string, _ []byte) { tb.Say("compare " + method) },
		DiffRows:  func(old, now int32) { tb.Say(fmt.Sprintf("diff %d %d", old, now)) },
		Explain:   func(row int32) { tb.Say(fmt.Sprintf("explain %d", row)) },
		Sent:      func(*session.Call) {},
	})
	tb.pane.DiffValues = func(old, now string, _, _ []byte) { tb.Say("diff " + old + ", " + now) }
	tb.Pane = tb.pane
	tb.state = session.State{Phase: session.Ready, Attempt: 1, Lists: map[string]offer.List{}}
	tb.state.Handshake = client.Handshake{Revision: "2025-11-25", ServerCaps: []byte(`{"completions":{}}`), Result: []byte(`{"capabilities":{"completions":{}}}`)}
	for name, items := range offered {
		tb.state.Lists[name] = offer.List{Items: items, Offered: true, Loaded: start}
	}
	tb.refresh()
	return tb
}

func (tb *table) Choose(_, _ string, use func([]byte)) { use([]byte(`{"message":"saved"}`)) }
func (tb *table) Save(_, subject string, arguments []byte) {
	tb.Say("save " + subject + string(arguments))
}
func (tb *table) Keep(_, _ string, _ []byte) {}

func (tb *table) refresh(flights ...store.Flow) {
	tb.busy = tb.pane.Refresh(app.Tick{State: tb.state, Pending: flights, Now: tb.now})
}

// sent is the newest request.
func (tb *table) sent() string { return tb.call.Method + " " + string(tb.call.Params) }

// expect fails unless the keys have the pane ask for something.
func (tb *table) expect(want string, keys ...string) {
	tb.T.Helper()
	if got := tb.Press(keys...); !strings.Contains(got, want) {
		tb.T.Errorf("%v: %q, want %q", keys, got, want)
	}
}

func (tb *table) choose(name string) {
	tb.T.Helper()
	for kind, l := range tb.state.Lists {
		for _, it := range l.Items {
			key := it.Name
			if it.URI != "" {
				key = kind + " " + it.URI
			}
			if it.Label() == name && tb.pane.Select(key) {
				return
			}
		}
	}
	tb.T.Fatalf("there is no %s", name)
}

// answer ends the newest call of the selected item.
func (tb *table) answer(result string, took time.Duration, err error) {
	e := tb.item()
	calls, _ := e.Calls()
	answer := client.Response{Took: took}
	if err == nil {
		frame := []byte(`{"jsonrpc":"2.0","id":` + calls[len(calls)-1].ID.String() + `,` + result + `}`)
		answer = client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame), Took: took}
	}
	e.End(len(calls)-1, answer, err, sessioncontent.ToolFailed(answer.Result()))
	tb.refresh()
}

func (tb *table) screen(w, h int) string {
	tb.T.Helper()
	rows := strings.Split(tb.Paint(w, h, true), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.Join(rows, "\n")
}

func (tb *table) sees(w, h int, words ...string) {
	tb.T.Helper()
	got := tb.screen(w, h)
	for _, word := range words {
		if !strings.Contains(got, word) {
			tb.T.Errorf("%q is not on the screen:\n%s", word, got)
		}
	}
}

// item is the selected item; it has been looked at then.
func (tb *table) item() *browse.Item {
	if tb.pane.Current() == nil {
		tb.screen(120, 17)
	}
	return tb.pane.Current()
}
