package problems

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
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

// fixture is a pane over findings that a test makes.
type fixture struct {
	*testing.T
	*Pane
	store *store.Store
	found session.Findings
	news  bool
}

func (fx *fixture) Store() *store.Store { return fx.store }

func (fx *fixture) UpdateFindings(f *session.Findings) bool {
	news := fx.news
	fx.news = false
	*f = fx.found
	return news
}

func open(t *testing.T) *fixture {
	s, err := store.Create(store.Options{}, record.Header{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	fx := &fixture{T: t, store: s}
	fx.Pane = New(fx)
	return fx
}

func (fx *fixture) frame(text string) int32 {
	raw := []byte(text)
	row, _ := fx.store.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: noon, Dir: transport.In, Ending: "\n"})
	return row
}

// find adds a finding of a rule, and shows it.
func (fx *fixture) find(rule, message string, row int32, at lint.Place) {
	entry, ok := lint.Lookup(rule)
	if !ok {
		fx.Fatal("no rule " + rule)
	}
	f := lint.Finding{Rule: entry, Severity: entry.Severity, Fault: lint.Server, Row: row, Time: noon, Message: message, Hint: entry.Fix, Times: 1}
	f.Path, f.Offset = at.Pointer()
	i := 0
	for i < len(fx.found.Groups) && fx.found.Groups[i].Rule != entry {
		i++
	}
	if i == len(fx.found.Groups) {
		fx.found.Groups = append(fx.found.Groups, session.Group{Rule: entry})
	}
	g := &fx.found.Groups[i]
	g.Count++
	f.Times = g.Count
	g.Newest = f
	g.Findings = append(g.Findings, f)
	fx.changed()
}

func (fx *fixture) group(rule string) *session.Group {
	for i := range fx.found.Groups {
		if g := &fx.found.Groups[i]; g.Rule.ID == rule {
			return g
		}
	}
	fx.Fatal("no findings of " + rule)
	return nil
}

func (fx *fixture) changed() {
	fx.news = true
	fx.Refresh(session.State{}, nil, noon, 0)
}

func (fx *fixture) screen(w, h int) string {
	fx.Helper()
	theme := themes.ForBackground(true)
	rows := fx.Paint(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), w, h, true)
	if len(rows) != h {
		fx.Errorf("%d rows, want %d", len(rows), h)
	}
	for i, row := range rows {
		if got := ansi.StringWidth(row); got != w {
			fx.Errorf("row %d is %d cells wide: %q", i, got, row)
		}
		rows[i] = strings.TrimRight(ansi.Strip(row), " ")
	}
	return strings.Join(rows, "\n") + "\n"
}

func (fx *fixture) sees(w, h int, texts ...string) {
	fx.Helper()
	screen := fx.screen(w, h)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			fx.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
}

func (fx *fixture) do(names ...command.ID) (last action.Action) {
	for _, n := range names {
		last = fx.Do(n)
	}
	return last
}

// several has an error, a warning with three findings, and an info.
func several(t *testing.T) *fixture {
	fx := open(t)
	response := fx.frame(`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"a b","inputSchema":{"type":"object"}},{"inputSchema":{"type":"object"}}]}}`)
	fx.find("L015", "The client offered 2025-11-25; the session runs on 2025-06-18.", response, lint.Whole)
	extra := fx.frame(`{"jsonrpc":"2.0","id":3,"stamp":7,"result":{}}`)
	for range 3 {
		fx.find("J017", `"stamp" is not part of a JSON-RPC envelope.`, extra, lint.At("stamp"))
	}
	fx.find("T011", "Tool number 1 has no name.", response, lint.At("result", "tools", 1, "name"))
	return fx
}

func TestScreens(t *testing.T) {
	for name, show := range map[string]func(*fixture){
		"several":  func(*fixture) {},
		"missing":  func(fx *fixture) { fx.do(command.Top) },
		"unfolded": func(fx *fixture) { fx.do(command.Down, command.Expand, command.Down, command.Down) },
		"muted": func(fx *fixture) {
			fx.do(command.Top)
			fx.found.Groups[2].Muted = true
			fx.changed()
		},
		"behind": func(fx *fixture) {
			fx.found.Behind = 12034
			fx.changed()
		},
	} {
		for _, size := range [][2]int{{80, 15}, {78, 24}, {120, 20}} {
			t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) {
				fx := several(t)
				show(fx)
				golden.RequireEqual(t, fx.screen(size[0], size[1]))
			})
		}
	}
}

func TestList_ErrorsFirstAndSelectionStays(t *testing.T) {
	fx := several(t)
	if l, _ := fx.selected(); l.group.Rule.ID != "T011" {
		t.Errorf("%s is selected first", l.group.Rule.ID)
	}
	fx.do(command.Down) // J017
	fx.find("J004", `The member "jsonrpc" is missing.`, 0, lint.Whole)
	if l, _ := fx.selected(); l.group.Rule.ID != "J017" || fx.view.List.Index() != 2 {
		t.Errorf("then %s, line %d", l.group.Rule.ID, fx.view.List.Index())
	}
	fx.do(command.Expand, command.Down, command.Down, command.Collapse)
	if l, _ := fx.selected(); l.i >= 0 || l.group.Rule.ID != "J017" {
		t.Errorf("folded away, the cursor is at %s %d", l.group.Rule.ID, l.i)
	}
	fx.found.Groups[1].Muted = true // J017
	fx.changed()
	if l, _ := fx.selected(); l.group.Rule.ID != "J017" || fx.view.List.Index() != len(fx.lines)-1 {
		t.Errorf("muted, it is line %d of %d", fx.view.List.Index(), len(fx.lines))
	}
}

func TestDo_Actions(t *testing.T) {
	fx := several(t)
	want := action.SelectPlace{Row: 0, Path: "/result/tools/1/name", Offset: -1}
	if got := fx.do(command.ShowFindingFrame); got != want {
		t.Errorf("enter: %+v", got)
	}
	if got := fx.do(command.MuteRule); got != (action.Mute{Rule: "T011", On: true}) {
		t.Errorf("m: %+v", got)
	}
	text := fx.do(command.CopyFinding).(action.Copy).Text
	for _, part := range []string{"T011 tool-without-name (error, server): Tool number 1 has no name.\n", "Place: frame 1 /result/tools/1/name\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("y copies %q", text)
		}
	}
	line := fx.do(command.CopyFindingJSON).(action.Copy).Text
	var got struct {
		Rule, Path, Responsible string
		Frame                   int
	}
	if err := json.Unmarshal([]byte(line), &got); err != nil || got.Rule != "T011" || got.Frame != 1 || got.Responsible != "server" || strings.Contains(line, "\n") {
		t.Errorf("Y copies %s: %v", line, err)
	}
	fx.find("J001", "It is not JSON.", fx.frame(`{"a":}`), lint.Byte(5))
	fx.do(command.Top)
	if got := fx.do(command.ShowFindingFrame); got != (action.SelectPlace{Row: 2, Offset: 5}) {
		t.Errorf("enter at a byte: %+v", got)
	}
	fx.find("J002", "About no frame.", -1, lint.Whole)
	fx.do(command.Down)
	if _, ok := fx.do(command.ShowFindingFrame).(action.Flash); !ok {
		t.Error("enter without a frame shows no message")
	}
	fx.sees(120, 20, "not about one frame")
}

func TestFilter_WordsAndSeverity(t *testing.T) {
	fx := several(t)
	fx.do(command.FilterProblems)
	for _, r := range "stamp -error" {
		name := string(r)
		if r == ' ' {
			name = "space"
		}
		fx.Type(press.Key(name))
	}
	if len(fx.groups) != 1 || fx.groups[0].Rule.ID != "J017" {
		t.Errorf("%d rules pass", len(fx.groups))
	}
	fx.sees(120, 20, "/ stamp -error", "J017")
	fx.Type(press.Key("enter"))
	fx.do(command.Back)
	fx.do(command.CycleSeverity)
	fx.sees(120, 20, "errors, warnings", "J017")
	fx.do(command.CycleSeverity)
	if len(fx.groups) != 1 || fx.groups[0].Rule.ID != "T011" {
		t.Errorf("%d rules are errors", len(fx.groups))
	}
	if fx.do(command.Back) != nil || len(fx.groups) != 3 {
		t.Error("esc does not clear the filter")
	}
	if fx.do(command.Back) != (action.Leave{}) {
		t.Error("esc does not leave")
	}
}

func TestNote_FindingsOfTheUserAreCountedApart(t *testing.T) {
	fx := several(t)
	sent := fx.frame(`{"jsonrpc":"2.0","id":9,"method":"tools/list","extra":1}`)
	for range 5 {
		fx.find("J017", `"extra" is not part of a JSON-RPC envelope.`, sent, lint.At("extra"))
	}
	g := fx.group("J017")
	for i := 3; i < len(g.Findings); i++ {
		g.Findings[i].Fault = lint.Client
	}
	fx.changed()
	fx.sees(120, 20, "✗ 1  ⚠ 3  i 1  yours 5")
	if n, worst := fx.Total(); n != 4 || worst != lint.Error || fx.Badge() != "4" {
		t.Errorf("total %d %v, badge %q", n, worst, fx.Badge())
	}
	g.Count += 100 // those are not kept
	fx.changed()
	fx.sees(120, 20, "yours 5+")
	g.Muted = true
	fx.changed()
	if s := fx.screen(120, 20); strings.Contains(s, "yours") {
		t.Errorf("muted findings are counted:\n%s", s)
	}
}

func TestEmpty_NamesTheRevision(t *testing.T) {
	fx := open(t)
	fx.Refresh(session.State{Handshake: client.Handshake{Revision: revision.R20251125}}, nil, noon, 0)
	fx.sees(80, 15, "No problems found.", "Every frame is checked against MCP 2025-11-25.")
	fx.found.Behind = 1200
	fx.changed()
	fx.sees(80, 15, "No problems found yet. 1,200 frames not checked yet.")
}

// At 80x24 the pane has 15 rows, the rest is the traffic.
func TestDetail_WholeInALowPane(t *testing.T) {
	fx := several(t)
	fx.sees(80, 15, "Tool number 1 has no name.", "Give each tool a unique name.", "fix in   server", "/result/tools/1/name", `"inputSchema"`)
}

func TestClick_SelectsAndOpens(t *testing.T) {
	fx := several(t)
	fx.screen(120, 20)
	fx.Click(5, 3)
	if l, _ := fx.selected(); l.group.Rule.ID != "J017" {
		t.Errorf("a click selects %s", l.group.Rule.ID)
	}
	fx.Click(5, 4)
	fx.screen(120, 20)
	if len(fx.lines) != 6 {
		t.Errorf("a click on the selected rule leaves %d lines", len(fx.lines))
	}
	fx.Click(5, 6)
	if got := fx.Click(5, 6); got != (action.SelectPlace{Row: 1, Path: "/stamp", Offset: -1}) {
		t.Errorf("a click on the selected finding: %+v", got)
	}
}

func TestList_Scrolls(t *testing.T) {
	fx := several(t)
	for i := range 300 {
		fx.find("J017", fmt.Sprintf("number %d", i), 1, lint.At("stamp"))
	}
	fx.do(command.ExpandAll, command.Bottom)
	fx.sees(120, 20, "L015")
	fx.do(command.Up, command.Up)
	if l, _ := fx.selected(); l.i != 302 {
		t.Fatalf("finding %d", l.i)
	}
	fx.sees(120, 20, "number 299")
	fx.do(command.Top)
	fx.sees(78, 21, "T011", "tool-without-name")
}

func TestPaint_UntrustedTextIsSanitized(t *testing.T) {
	fx := open(t)
	row := fx.frame("{\"a\x1b[2J\":1,\"method\":\"\\u001b[31m\"}")
	fx.find("T011", "a tool \x1b[2J named \u202egnp.exe", row, lint.At("a\x1b[2J"))
	fx.find("J001", "not \x1b]0;x\x07 JSON", row, lint.Byte(3))
	fx.do(command.ExpandAll)
	for range 4 {
		fx.do(command.Down)
		theme := themes.ForBackground(true)
		for _, w := range []int{78, 120} {
			screen := strings.Join(fx.Paint(paint.NewPalette(theme, false), paint.NewJSONStyles(theme), w, 21, true), "\n")
			for _, bad := range []string{"\x1b[2J", "\x1b]0", "\u202e"} {
				if strings.Contains(screen, bad) {
					t.Errorf("%q reaches the terminal", bad)
				}
			}
		}
	}
}

func TestExcerpt_LargeFrameIsNotRead(t *testing.T) {
	fx := open(t)
	row := fx.frame(`{"jsonrpc":"2.0","id":1,"result":{"text":"` + strings.Repeat("x", maxExcerpt) + `"}}`)
	fx.find("T011", "Tool number 1 has no name.", row, lint.At("result"))
	fx.sees(120, 20, "262 kB; enter shows the frame at the place")
}

func TestPaint_EverySize(t *testing.T) {
	fx := several(t)
	fx.do(command.ExpandAll)
	for w := 2; w < 130; w += 9 {
		for h := 2; h < 24; h += 3 {
			fx.screen(w, h)
		}
	}
}
