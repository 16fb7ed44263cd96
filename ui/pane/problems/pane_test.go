package problems

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session"
	"mcptea/session/lint"
	"mcptea/session/record"
	"mcptea/session/store"
	"mcptea/themes"
	"mcptea/ui/action"
	"mcptea/ui/command"
	"mcptea/ui/internal/press"
	"mcptea/ui/paint"
)

var noon = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.Local)

// table is a pane over findings that are made by hand.
type table struct {
	*testing.T
	*Pane
	store *store.Store
	found session.Findings
	news  bool
}

func (tb *table) Store() *store.Store { return tb.store }

func (tb *table) UpdateFindings(f *session.Findings) bool {
	news := tb.news
	tb.news = false
	*f = tb.found
	return news
}

func open(t *testing.T) *table {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	tb := &table{T: t, store: s}
	tb.Pane = New(tb)
	return tb
}

func (tb *table) frame(text string) int32 {
	raw := []byte(text)
	return tb.store.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: noon, Dir: transport.In, Ending: "\n"})
}

// find adds a finding of a rule, and shows it.
func (tb *table) find(rule, message string, row int32, at lint.Place) {
	entry, ok := lint.Lookup(rule)
	if !ok {
		tb.Fatal("no rule " + rule)
	}
	f := lint.Finding{Rule: entry, Severity: entry.Severity, Fault: lint.Server, Row: row, Time: noon, Message: message, Hint: entry.Fix, Times: 1}
	f.Path, f.Offset = at.Pointer()
	i := 0
	for i < len(tb.found.Groups) && tb.found.Groups[i].Rule != entry {
		i++
	}
	if i == len(tb.found.Groups) {
		tb.found.Groups = append(tb.found.Groups, session.Group{Rule: entry})
	}
	g := &tb.found.Groups[i]
	g.Count++
	f.Times = g.Count
	g.Newest = f
	g.Findings = append(g.Findings, f)
	tb.changed()
}

func (tb *table) changed() {
	tb.news = true
	tb.Refresh(session.State{}, nil, noon, 0)
}

func (tb *table) screen(w, h int) string {
	tb.Helper()
	theme := themes.ForBackground(true)
	rows := tb.Paint(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), w, h, true)
	if len(rows) != h {
		tb.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			tb.Errorf("row %d is %d cells wide: %q", i, got, row)
		}
		rows[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func (tb *table) sees(w, h int, texts ...string) {
	tb.Helper()
	screen := tb.screen(w, h)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			tb.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
}

func (tb *table) do(names ...command.ID) (last action.Action) {
	for _, n := range names {
		last = tb.Do(n)
	}
	return last
}

// several has an error, a warning and a remark, of which the warning has fired
// at three places.
func several(t *testing.T) *table {
	tb := open(t)
	answer := tb.frame(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a b","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}}]}}`)
	tb.find("L015", "The client offered 2025-11-25; the session runs on 2025-06-18.", answer, lint.Whole)
	extra := tb.frame(`{"jsonrpc":"2.0","id":3,"stamp":7,"result":{}}`)
	for range 3 {
		tb.find("J017", `"stamp" is not part of a JSON-RPC envelope.`, extra, lint.At("stamp"))
	}
	tb.find("T011", "Tool number 1 has no name.", answer, lint.At("result", "tools", 1, "name"))
	return tb
}

func TestScreens(t *testing.T) {
	for name, show := range map[string]func(*table){
		"several":  func(*table) {},
		"missing":  func(tb *table) { tb.do(command.Top) },
		"unfolded": func(tb *table) { tb.do(command.Down, command.Expand, command.Down, command.Down) },
		"muted": func(tb *table) {
			tb.do(command.Top)
			tb.found.Groups[2].Muted = true
			tb.changed()
		},
		"behind": func(tb *table) {
			tb.found.Behind = 12034
			tb.changed()
		},
	} {
		for _, size := range [][2]int{{78, 21}, {120, 20}} {
			t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) {
				tb := several(t)
				show(tb)
				golden.RequireEqual(t, tb.screen(size[0], size[1]))
			})
		}
	}
}

func TestTheWorstStandsFirstAndTheCursorStays(t *testing.T) {
	tb := several(t)
	if l, _ := tb.selected(); l.g.Rule.ID != "T011" {
		t.Errorf("at first %s is selected", l.g.Rule.ID)
	}
	tb.do(command.Down) // J017
	tb.find("J004", `The member "jsonrpc" is missing.`, 0, lint.Whole)
	if l, _ := tb.selected(); l.g.Rule.ID != "J017" || tb.cursor != 2 {
		t.Errorf("then %s, line %d", l.g.Rule.ID, tb.cursor)
	}
	tb.do(command.Expand, command.Down, command.Down, command.Collapse)
	if l, _ := tb.selected(); l.f >= 0 || l.g.Rule.ID != "J017" {
		t.Errorf("folded away, the cursor is at %s %d", l.g.Rule.ID, l.f)
	}
	tb.found.Groups[1].Muted = true // J017
	tb.changed()
	if l, _ := tb.selected(); l.g.Rule.ID != "J017" || tb.cursor != len(tb.lines)-1 {
		t.Errorf("muted, it is line %d of %d", tb.cursor, len(tb.lines))
	}
}

func TestWhatTheKeysAskFor(t *testing.T) {
	tb := several(t)
	want := action.SelectPlace{Row: 0, Path: "/result/tools/1/name", Offset: -1}
	if got := tb.do(command.ShowFindingFrame); got != want {
		t.Errorf("enter: %+v", got)
	}
	if got := tb.do(command.MuteRule); got != (action.Mute{Rule: "T011", On: true}) {
		t.Errorf("m: %+v", got)
	}
	text := tb.do(command.CopyFinding).(action.Copy).Text
	for _, part := range []string{"T011 tool-without-name (error, server): Tool number 1 has no name.\n", "Place: frame 1 /result/tools/1/name\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("y copies %q", text)
		}
	}
	line := tb.do(command.CopyFindingJSON).(action.Copy).Text
	var got struct {
		Rule, Path, Fault string
		Frame             int
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil || got.Rule != "T011" || got.Frame != 1 || got.Fault != "server" || strings.Contains(line, "\n") {
		t.Errorf("Y copies %s: %v", line, err)
	}
	tb.find("J001", "It is not JSON.", tb.frame(`{"a":}`), lint.Byte(5))
	tb.do(command.Top)
	if got := tb.do(command.ShowFindingFrame); got != (action.SelectPlace{Row: 2, Offset: 5}) {
		t.Errorf("enter at a byte: %+v", got)
	}
	tb.find("J002", "About no frame.", -1, lint.Whole)
	tb.do(command.Down)
	if _, ok := tb.do(command.ShowFindingFrame).(action.Flash); !ok {
		t.Error("enter without a frame says nothing")
	}
	tb.sees(120, 20, "about no frame of its own")
}

func TestFilter(t *testing.T) {
	tb := several(t)
	tb.do(command.FilterProblems)
	for _, r := range "stamp -error" {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		tb.Type(press.Key(name))
	}
	if len(tb.groups) != 1 || tb.groups[0].Rule.ID != "J017" {
		t.Errorf("%d rules pass", len(tb.groups))
	}
	tb.sees(120, 20, "/ stamp -error", "J017")
	tb.Type(press.Key("enter"))
	tb.do(command.Back)
	tb.do(command.CycleSeverity)
	tb.sees(120, 20, "warnings and worse", "J017")
	tb.do(command.CycleSeverity)
	if len(tb.groups) != 1 || tb.groups[0].Rule.ID != "T011" {
		t.Errorf("%d rules are errors", len(tb.groups))
	}
	if tb.do(command.Back) != nil || len(tb.groups) != 3 {
		t.Error("esc does not show all of them again")
	}
	if tb.do(command.Back) != (action.Leave{}) {
		t.Error("esc does not leave")
	}
}

func TestClicks(t *testing.T) {
	tb := several(t)
	tb.screen(120, 20)
	tb.Click(5, 3)
	if l, _ := tb.selected(); l.g.Rule.ID != "J017" {
		t.Errorf("a click selects %s", l.g.Rule.ID)
	}
	tb.Click(5, 4)
	tb.screen(120, 20)
	if len(tb.lines) != 6 {
		t.Errorf("a click on the selected rule leaves %d lines", len(tb.lines))
	}
	tb.Click(5, 6)
	if got := tb.Click(5, 6); got != (action.SelectPlace{Row: 1, Path: "/stamp", Offset: -1}) {
		t.Errorf("a click on the selected finding: %+v", got)
	}
}

func TestAListThatDoesNotFitScrolls(t *testing.T) {
	tb := several(t)
	for i := range 300 {
		tb.find("J017", fmt.Sprintf("number %d", i), 1, lint.At("stamp"))
	}
	tb.do(command.ExpandAll, command.Bottom)
	tb.sees(120, 20, "L015")
	tb.do(command.Up, command.Up)
	if l, _ := tb.selected(); l.f != 302 {
		t.Fatalf("finding %d", l.f)
	}
	tb.sees(120, 20, "number 299")
	tb.do(command.Top)
	tb.sees(78, 21, "T011", "tool-without-name")
}

func TestForeignTextIsNotObeyed(t *testing.T) {
	tb := open(t)
	row := tb.frame("{\"a\x1b[2J\":1,\"method\":\"\\u001b[31m\"}")
	tb.find("T011", "a tool \x1b[2J named \u202egnp.exe", row, lint.At("a\x1b[2J"))
	tb.find("J001", "not \x1b]0;x\x07 JSON", row, lint.Byte(3))
	tb.do(command.ExpandAll)
	for range 4 {
		tb.do(command.Down)
		theme := themes.ForBackground(true)
		for _, w := range []int{78, 120} {
			screen := strings.Join(tb.Paint(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), w, 21, true), "\n")
			for _, bad := range []string{"\x1b[2J", "\x1b]0", "\u202e"} {
				if strings.Contains(screen, bad) {
					t.Errorf("%q reaches the terminal", bad)
				}
			}
		}
	}
}

func TestALargeFrameIsNotReadWhileDrawing(t *testing.T) {
	tb := open(t)
	row := tb.frame(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", mostRead) + `"}}`)
	tb.find("T011", "Tool number 1 has no name.", row, lint.At("result"))
	tb.sees(120, 20, "It has 262 kB; enter opens it at the place")
}

func TestTinyScreens(t *testing.T) {
	tb := several(t)
	tb.do(command.ExpandAll)
	for w := 2; w < 130; w += 9 {
		for h := 2; h < 24; h += 3 {
			tb.screen(w, h)
		}
	}
}
