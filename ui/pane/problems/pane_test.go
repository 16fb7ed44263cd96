package problems

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/golden"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"
	"mcptea/ui/keys"
)

var noon = time.Date(2026, 8, 1, 10, 22, 1, 334e6, time.Local)

// fixture is a pane over findings that a test makes.
type fixture struct {
	*panetest.Program
	pane  *Pane
	store *store.Store
	found session.Findings
	news  bool
}

func (fx *fixture) Mute(rule string, on bool) {
	fx.Asked = append(fx.Asked, fmt.Sprintf("mute %s %v", rule, on))
}

func (fx *fixture) Store() *store.Store { return fx.store }

func (fx *fixture) Target() client.Target { return client.Target{URL: "http://127.0.0.1:3000/mcp"} }

func (fx *fixture) Redact(text string) string { return text }

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
	fx := &fixture{Program: panetest.New(t), store: s}
	fx.pane = New(fx, fx, nil)
	fx.Pane = fx.pane
	return fx
}

func (fx *fixture) frame(text string) int32 {
	raw := []byte(text)
	row := fx.store.Append(transport.Frame{Bytes: raw, Envelope: jsonrpc.Scan(raw), Time: noon, Dir: transport.In, Ending: "\n"})
	return row
}

// find adds a finding of a rule, and shows it.
func (fx *fixture) find(rule, message string, row int32, at lint.Place) {
	entry, ok := rules.Lookup(rule)
	if !ok {
		fx.T.Fatal("no rule " + rule)
	}
	fx.findAs(entry.DefaultSeverity, entry, message, row, at)
}

// findAs adds a finding with a severity.
func (fx *fixture) findAs(s lint.Severity, entry *lint.Entry, message string, row int32, at lint.Place) {
	f := lint.Finding{Rule: entry, Severity: s, Fault: lint.Server, Row: row, Time: noon, Message: message, Hint: entry.Fix, Times: 1}
	f.Path, f.Offset = at.Pointer()
	i := 0
	for i < len(fx.found.Groups) && (fx.found.Groups[i].Rule != entry || fx.found.Groups[i].Severity != s) {
		i++
	}
	if i == len(fx.found.Groups) {
		fx.found.Groups = append(fx.found.Groups, session.Group{Rule: entry, Severity: f.Severity})
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
	fx.T.Fatal("no findings of " + rule)
	return nil
}

func (fx *fixture) changed() {
	fx.news = true
	fx.pane.Refresh(app.Tick{Now: noon})
}

func (fx *fixture) screen(w, h int) string {
	fx.T.Helper()
	fx.pane.Refresh(fx.pane.tick)
	rows := strings.Split(fx.Paint(w, h, true), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

// id is the rule or probe of the selected line.
func (fx *fixture) id() string {
	if e := fx.selected().entry; e != nil {
		return e.id
	}
	return fx.selected().group.name
}

func (fx *fixture) selected() line {
	l, _ := fx.pane.Selected()
	return l
}

func (fx *fixture) sees(w, h int, texts ...string) {
	fx.T.Helper()
	screen := fx.screen(w, h)
	for _, text := range texts {
		if !strings.Contains(screen, text) {
			fx.T.Errorf("the screen lacks %q:\n%s", text, screen)
		}
	}
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

// Findings of one rule that say different things are not hidden behind the newest of them: a few have their lines,
// of more the line says that it is one of them.
func TestList_DifferentFindingsOfARule(t *testing.T) {
	fx := open(t)
	response := fx.frame(`{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`)
	fx.find("D002", "`inputSchema` of the tool \"a\" is missing.", response, lint.At("result", "tools"))
	fx.find("D002", "`content` of a tools/call result is missing.", response, lint.At("result"))
	fx.sees(120, 20, "newest of 2: `content` of", "#1 `inputSchema` of the tool \"a\" is missing.", "#1 `content` of")
	fx.Press("g", "j")
	if label := fx.pane.folding(); label != "fold" {
		t.Errorf("space is said to %s what is unfolded", label)
	}
	fx.Press("space")
	if screen := fx.screen(120, 20); strings.Contains(screen, "`inputSchema`") {
		t.Errorf("it is not folded:\n%s", screen)
	}
	if label := fx.pane.folding(); label != "unfold" {
		t.Errorf("space is said to %s what is folded", label)
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		fx.find("T016", fmt.Sprintf("Tool %q has no description.", name), response, lint.At("result", "tools"))
	}
	fx.sees(120, 20, `newest of 4: Tool "d" has no description.`)
	if screen := fx.screen(120, 20); strings.Contains(screen, `Tool "a"`) {
		t.Errorf("many are unfolded:\n%s", screen)
	}
}

// index is the place of the selected line.
func (fx *fixture) index() int {
	at := keyOf(fx.selected())
	return slices.IndexFunc(fx.pane.lines, func(l line) bool { return keyOf(l) == at })
}

func TestScreens(t *testing.T) {
	raced.Never(t, "draws screens, cell by cell, in one goroutine")
	for name, show := range map[string]func(*fixture){
		"several":  func(*fixture) {},
		"missing":  func(fx *fixture) { fx.Press("G") },
		"unfolded": func(fx *fixture) { fx.Press("j", "j", "l", "j", "j") },
		"severity": func(fx *fixture) { fx.Press("s") },
		"muted": func(fx *fixture) {
			fx.Press("g", "j")
			fx.found.Groups[2].Muted = true
			fx.changed()
		},
		"behind": func(fx *fixture) {
			fx.found.Behind = 12034
			fx.changed()
		},
	} {
		for _, size := range [][2]int{{80, 15}, {120, 20}} {
			t.Run(fmt.Sprintf("%s %d", name, size[0]), func(t *testing.T) {
				fx := several(t)
				fx.W, fx.H = size[0], size[1]
				show(fx)
				golden.RequireEqual(t, fx.screen(size[0], size[1]))
			})
		}
	}
}

func TestList_ErrorsFirstAndSelectionStays(t *testing.T) {
	fx := several(t)
	if fx.id() != "T011" {
		t.Errorf("%s is selected first", fx.id())
	}
	fx.Press("j", "j") // the topic, J017
	fx.find("J004", `The member "jsonrpc" is missing.`, 0, lint.Whole)
	if fx.id() != "J017" || fx.index() != 2 {
		t.Errorf("then %s, line %d", fx.id(), fx.index())
	}
	fx.Press("l", "j", "j", "h")
	if l := fx.selected(); l.i >= 0 || fx.id() != "J017" {
		t.Errorf("folded away, the cursor is at %s %d", fx.id(), l.i)
	}
	fx.Press("h")
	if fx.id() != "envelope" {
		t.Errorf("with the topic folded, the cursor is at %s", fx.id())
	}
	fx.Press("l", "j", "j", "s")
	fx.group("J017").Muted = true
	fx.changed()
	if fx.id() != "J017" || fx.index() != len(fx.pane.lines)-1 {
		t.Errorf("muted, %s is line %d of %d", fx.id(), fx.index(), len(fx.pane.lines))
	}
}

func TestCommands(t *testing.T) {
	fx := several(t)
	asks := func(want string, keys ...string) {
		t.Helper()
		if got := fx.Press(keys...); got != want {
			t.Errorf("%v: %q, want %q", keys, got, want)
		}
	}
	asks("show place 0 /result/tools/1/name -1", "enter")
	fx.Run("mute")
	if last := fx.Asked[len(fx.Asked)-1]; last != "say: T011 is muted in this session: ctrl+p mute unmutes it." {
		t.Error(last)
	}
	if !slices.Contains(fx.Asked, "mute T011 true") {
		t.Errorf("%q", fx.Asked)
	}
	text := fx.Press("y")
	for _, part := range []string{"copy finding: frame 1: T011 tool-without-name (error, server): Tool number 1 has no name.\nfix: Give each tool a unique name.\n", "place: /result/tools/1/name\n"} {
		if !strings.Contains(text, part) {
			t.Errorf("y copies %q", text)
		}
	}
	line, ok := strings.CutPrefix(fx.Press("Y"), "copy finding as JSON: ")
	var got struct {
		Rule, Path, Responsible string
		Frame                   int
	}
	if err := json.Unmarshal([]byte(line), &got); !ok || err != nil || got.Rule != "T011" || got.Frame != 1 || got.Responsible != "server" || strings.Contains(line, "\n") {
		t.Errorf("Y copies %s: %v", line, err)
	}
	fx.find("J001", "It is not JSON.", fx.frame(`{"a":}`), lint.Byte(5))
	fx.Press("g", "j")
	asks("show place 2  5", "enter")
	fx.find("J002", "About no frame.", -1, lint.Whole)
	asks("off: This finding is not about one frame.", "j", "enter")
	fx.sees(120, 20, "not about one frame")
}

func TestMuteAlways(t *testing.T) {
	fx := several(t)
	fx.pane.MuteAlways = func(string, bool) (string, error) { return "config.yaml", nil }
	fx.Run("mute.always")
	fx.pane.MuteAlways = func(string, bool) (string, error) { return "", errors.New("it is read-only") }
	fx.Run("mute.always")
	mine, err := keys.NewMap(map[string][]string{"mute": {"M"}}, []keys.Section{{Commands: fx.pane.Own}})
	if err != nil {
		t.Fatal(err)
	}
	fx.Map = *mine
	want := []string{
		"mute T011 true", "say: T011 is muted in every session (config.yaml): ctrl+p mute unmutes it.",
		"mute T011 true", "fail: Only in this session: it is read-only.",
		"mute T011 true", "say: T011 is muted in this session. M unmutes it.",
	}
	if fx.Press("M"); !slices.Equal(fx.Asked, want) {
		t.Errorf("%q", fx.Asked)
	}
}

func TestFilter_WordsAndSeverity(t *testing.T) {
	fx := several(t)
	rules := func(want ...string) {
		t.Helper()
		var got []string
		s := fx.screen(120, 20)
		for _, id := range []string{"T011", "J017", "L015"} {
			if strings.Contains(s, id+" ") {
				got = append(got, id)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v are listed, want %v:\n%s", got, want, s)
		}
	}
	fx.Press("/")
	fx.Type("stamp -error")
	rules("J017")
	fx.sees(120, 20, "/ stamp -error")
	fx.Press("enter", "esc", "/")
	fx.Type("severity:warning -rule:t*")
	rules("J017")
	fx.Press("ctrl+u")
	fx.Type("ru")
	fx.sees(120, 20, "rule:", "frames with this fi", "findings left")
	fx.Press("tab")
	fx.Type("L015 took:fast")
	fx.sees(120, 20, "^^^^", "took: takes a time such as >100ms")
	fx.Press("esc", "F")
	fx.sees(120, 20, "/ severity:warning", "J017")
	fx.Press("F")
	rules("T011")
	if got := fx.Press("esc"); got != "" {
		t.Error(got)
	}
	rules("T011", "J017", "L015")
	if got := fx.Press("esc"); got != "leave" {
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
	if errors, warnings := fx.pane.Total(); errors != 1 || warnings != 3 || fx.pane.Badge() != "4" {
		t.Errorf("%d errors and %d warnings, badge %q", errors, warnings, fx.pane.Badge())
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

// In what a tap has recorded the client is the host: what is wrong with it counts.
func TestNote_FindingsAboutTheHostCount(t *testing.T) {
	fx := several(t)
	var err error
	if fx.store, err = store.Create(store.Options{}, record.Header{Tool: "mcptea 1.0.0 tap cursor/tracker"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fx.store.Close() })
	fx.find("J017", `"extra" is not part of a JSON-RPC envelope.`, fx.frame(`{"jsonrpc":"2.0","id":9,"method":"tools/list","extra":1}`), lint.At("extra"))
	fx.group("J017").Findings[0].Fault = lint.Client
	fx.changed()
	fx.sees(120, 20, "host 1")
	if fx.pane.Badge() != "5" {
		t.Errorf("the badge is %q", fx.pane.Badge())
	}
}

func TestEmpty_NamesTheRevision(t *testing.T) {
	fx := open(t)
	fx.pane.Refresh(app.Tick{Now: noon, State: session.State{Handshake: client.Handshake{Revision: revision.R20251125}}})
	fx.sees(80, 15, "No problems found.", "Every frame is checked against MCP 2025-11-25.")
	fx.found.Behind = 1200
	fx.changed()
	fx.sees(80, 15, "No problems found yet. 1,200 frames not checked yet.")
}

// At 80x24 the pane has the body to itself, and the list the larger part of it.
func TestDetail_WholeInALowPane(t *testing.T) {
	fx := several(t)
	fx.sees(80, 21, "Tool number 1 has no name.", "Give each tool a unique name.", "fix in   server", "/result/tools/1/name", `"inputSchema"`)
}

func TestClick_SelectsAndOpens(t *testing.T) {
	fx := several(t)
	click := func(y int) {
		fx.screen(120, 20)
		fx.Screen.Click(5, y)
	}
	if click(4); fx.id() != "J017" {
		t.Errorf("a click selects %s", fx.id())
	}
	fx.Press("space")
	click(6)
	click(6)
	if got := fx.Asked[len(fx.Asked)-1]; got != "show place 1 /stamp -1" {
		t.Errorf("a click on the selected finding: %+v", got)
	}
	click(3)
	click(3)
	if fx.screen(120, 20); len(fx.pane.lines) != 5 {
		t.Errorf("a click on the selected topic leaves %d lines", len(fx.pane.lines))
	}
}

func TestList_Scrolls(t *testing.T) {
	fx := several(t)
	for i := range 300 {
		fx.find("J017", fmt.Sprintf("number %d", i), 1, lint.At("stamp"))
	}
	fx.Press("+", "G")
	fx.sees(120, 20, "L015")
	fx.Press("k", "k", "k")
	if l := fx.selected(); l.i != 302 {
		t.Fatalf("%s, finding %d", fx.id(), l.i)
	}
	fx.sees(120, 20, "number 299")
	fx.Press("g")
	fx.sees(78, 21, "tools", "tool-without-name")
}

func TestPaint_UntrustedTextIsSanitized(t *testing.T) {
	fx := open(t)
	row := fx.frame("{\"a\x1b[2J\":1,\"method\":\"\\u001b[31m\"}")
	fx.find("T011", "a tool \x1b[2J named \u202egnp.exe", row, lint.At("a\x1b[2J"))
	fx.find("J001", "not \x1b]0;x\x07 JSON", row, lint.Byte(3))
	fx.Press("+")
	for range 4 {
		fx.Press("j")
		for _, w := range []int{78, 120} {
			screen := strings.Join(fx.Screen.Paint(fx.pane, w, 21, true), "\n")
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
	raced.Never(t, "repeats one drawing over sizes")
	fx := several(t)
	fx.Press("+")
	for w := 2; w < 130; w += 9 {
		for h := 2; h < 24; h += 3 {
			fx.screen(w, h)
		}
	}
}

// A finding has one severity in the whole pane, whatever its rule usually has.
func TestSeverity_IsOfTheFinding(t *testing.T) {
	fx := open(t)
	entry, _ := rules.Lookup("U044")
	fx.findAs(lint.Info, entry, "An info, since libraries try it.", 1, lint.Whole)
	screen := fx.Program.Paint(120, 30, true)
	if strings.Contains(screen, fx.Screen.Pal.WarnMark) || !strings.Contains(screen, "i U044") {
		t.Errorf("the info is shown as a warning:\n%s", screen)
	}
	fx.findAs(lint.Warn, entry, "A warning of the same rule.", 2, lint.Whole)
	if screen = fx.Program.Paint(120, 30, true); !strings.Contains(screen, fx.Screen.Pal.WarnMark+" U044") || !strings.Contains(screen, "i U044") {
		t.Errorf("they are not two entries:\n%s", screen)
	}
}

// Each rule belongs to a topic of the list.
func TestTopics_AreThoseOfAllRules(t *testing.T) {
	for _, e := range rules.Catalogue() {
		if topic := topics[e.Family()]; topic != "schemas" && topicIndex(topic) < 0 {
			t.Errorf("%s has no topic", e.ID)
		}
	}
}
