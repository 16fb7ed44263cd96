package parts_test

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	"mcptea/internal/test/panetest"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
	"mcptea/lint"
	"mcptea/record/store"
	"mcptea/session/session"
	"mcptea/themes"
	uidiff "mcptea/ui/diff"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

func diffOpen(t *testing.T, old, now string, change func(*uidiff.Subject)) *panetest.Program {
	t.Helper()
	p := panetest.New(t)
	s := uidiff.Subject{Frames: true, Sides: [2]uidiff.Side{{Frame: "#1", Name: "call \x1b[2J1"}, {Frame: "#2", Name: "call 2"}}}
	s.Compare = func(_ context.Context, o uidiff.Options) (uidiff.Result, error) {
		return uidiff.Values([2][]byte{[]byte(old), []byte(now)}, o)
	}
	if change != nil {
		change(&s)
	}
	uidiff.Open(p, uidiff.Comparing, func(context.Context) (uidiff.Subject, error) { return s, nil })
	return p
}

const (
	before = `{"id":1,"result":{"content":[{"text":"a b"},{"text":"x"}],"n":1}}`
	after  = `{"id":2,"result":{"content":[{"text":"a c"},{"text":"y"}],"n":3,"more":true}}`
)

// The letters of the sides do not look like an error and a success.
func TestDiff_LettersAreNotRedAndGreen(t *testing.T) {
	p := diffOpen(t, before, after, nil)
	pal := paint.NewPalette(themes.ForBackground(true), false)
	p.Screen.Pal = pal
	screen := strings.Join(p.Screen.Paint(p.Pane, 120, 30, true), "\n")
	for _, st := range []paint.Style{pal.ErrorBold, pal.OKBold, pal.Error, pal.OK} {
		for _, letter := range []string{"A", "B"} {
			styled, _, _ := strings.Cut(st.Render(letter), letter)
			if strings.Contains(screen, styled+letter+"  ") {
				t.Errorf("%s is painted as %q", letter, styled)
			}
		}
	}
	if styled, _, _ := strings.Cut(pal.AccentBold.Render("A"), "A"); !strings.Contains(screen, styled+"A  ") {
		t.Error("A is not on the screen")
	}
}

func TestDiff_Dialog_Items(t *testing.T) {
	p := diffOpen(t, before, after, nil)
	p.Sees("A  #1", "B  #2", "3 changed", "1 added", "1 ignored", "result.n", "+2", "result.more")
	if asked := p.Press("N"); asked != "say: There are no more differences in this direction." {
		t.Errorf("before the first difference: %q", asked)
	}
	if asked := p.Press("i"); asked != "say: Ignored: /result/content/*/text" {
		t.Errorf("asked %q", asked)
	}
	p.Sees("1 changed", "3 ignored", "ignored: /result/content/*")
	p.Run("diff.swap")
	p.Sees("A  #2", "1 removed", "-2")
	p.Run("diff.strict")
	p.Sees("2 changed")
	if asked := p.Press("y"); !strings.HasPrefix(asked, "copy differences: --- #2 call 2\n+++ #1 call ") || strings.Contains(asked, "\x1b") || !strings.Contains(asked, "-    \"more\": true\n") {
		t.Errorf("asked %q", asked)
	}
	for key, why := range map[string]string{
		"Y": "The session is not recorded, so no command", "X": "These are not two frames", "[": "These are not two frames", "P": "This call has no pin",
	} {
		if asked := p.Press(key); !strings.HasPrefix(asked, "off: "+why) {
			t.Errorf("%s asked %q", key, asked)
		}
	}
}

// A change of what a server offers has its values beside what it means, the number as it was sent.
func TestDiff_Dialog_ValuesOfWhatBreaks(t *testing.T) {
	tool := func(limit, kind string) string {
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{"text":{"type":"string"` + limit + `},"n":{"type":"` + kind + `"}}}}]}`
	}
	p := diffOpen(t, tool("", "string"), tool(`,"maxLength":1234567`, "integer"), func(s *uidiff.Subject) { s.Frames = false })
	for _, w := range []int{120, 200} {
		p.W, p.H = w, 30
		screen := p.Paint(w, 30, true)
		for _, want := range []string{`~ tools t /inputSchema/properties/n/type +"string" +"integer" +breaking `, `\+ tools t /inputSchema/properties/text/maxLength +1234567 +breaking `} {
			if !regexp.MustCompile(want).MatchString(screen) {
				t.Errorf("%d columns: no row %s:\n%s", w, want, screen)
			}
		}
	}
	// Without room for all, the lines have the values, and the row below the list has all that the selected change means.
	p.Press("j")
	for _, h := range []int{21, 30} {
		screen := p.Paint(80, h, true)
		for _, want := range []string{`− +"type": "string"`, `\+ +"type": "integer"`, `breaking +the type was string and is i`, `│ the type was string and is integer +│`} {
			if !regexp.MustCompile(want).MatchString(screen) {
				t.Errorf("80x%d: no row %s:\n%s", h, want, screen)
			}
		}
	}
	diffOpen(t, `{"n":1}`, `{"n":1234568}`, nil).Sees("+1234567")
}

func TestDiff_Dialog_Callbacks(t *testing.T) {
	done := ""
	p := diffOpen(t, before, after, func(s *uidiff.Subject) {
		s.Accept, s.Export = func() { done += "accept " }, func() { done += "export " }
		s.Ignored = func(path string) { done += path + " " }
		s.Command = func(bool, []string, bool) string { return "mcptea diff" }
		s.Earlier = func(context.Context) (uidiff.Subject, error) {
			return uidiff.Subject{}, errors.New("there is no earlier call")
		}
	})
	p.Press("i", "X")
	if asked := p.Press("["); asked != "say: There is no earlier call." {
		t.Errorf("asked %q", asked)
	}
	if asked := p.Press("Y"); asked != "copy command: mcptea diff" {
		t.Errorf("asked %q", asked)
	}
	p.Run("diff.swap")
	if asked := p.Press("P"); !strings.HasPrefix(asked, "off: ") {
		t.Error("what was A is accepted in the pin")
	}
	p.Run("diff.swap")
	p.Press("P")
	if done != "/result/content/*/text export accept " {
		t.Errorf("done %q", done)
	}
}

// For two equal values, a sentence says so and names them, instead of two empty panes; space shows them.
// Sides that are called alike are told apart by where they are.
func TestDiff_Dialog_Equal(t *testing.T) {
	p := diffOpen(t, `{"a":1}`, `{"a":1}`, func(s *uidiff.Subject) {
		s.About = "add"
		for i, where := range []string{"this session", "other session"} {
			s.Sides[i] = uidiff.Side{Frame: "#31", Name: "call id 14", Time: "10:00:00", Where: where}
		}
	})
	p.Sees("The two are equal: #31 call id 14  this session and #31 call id 14  other session, add.", "space show the lines")
	p.Press("space")
	p.Sees("A  #31 call id 14  this session", "B  #31 call id 14  other session", `"a": 1`)
}

func TestDiff_Dialog_Errors(t *testing.T) {
	p := diffOpen(t, "{'a':1}\nsame\xff", "{'a':2}\nsame\xff", nil)
	p.Sees("A and B are both not valid JSON, compared as text", "{'a':1}", "{'a':2}", `same\\xff`, "1 changed", "1 equal")
	diffOpen(t, "{", "{}", nil).Sees("A is not valid JSON, compared as text")
	diffOpen(t, "{}", "{", nil).Sees("B is not valid JSON, compared as text")
	diffOpen(t, "{", "", nil).Sees("A and B are both not valid JSON, compared as text")
	uidiff.Open(p, "Connecting.", func(context.Context) (uidiff.Subject, error) {
		return uidiff.Subject{}, errors.New("the server is not connected")
	})
	p.Sees("The server is not connected.")
	for _, key := range []string{"n", "i", "y", "v", "space"} {
		p.Press(key)
	}
}

func TestDiff_Dialog_EverySize(t *testing.T) {
	raced.Never(t, "repeats one drawing over sizes")
	p := diffOpen(t, before, after, nil)
	for w := 4; w < 200; w += 13 {
		for h := 3; h < 50; h += 5 {
			p.Paint(w, h, true)
			p.Pane.Motion(keys.Down)
		}
	}
}

// storeAlone is a session of which only the frames are known.
type storeAlone struct{ s *store.Store }

func (a storeAlone) Store() *store.Store                   { return a.s }
func (storeAlone) FindingsAt(int32) []lint.Finding         { return nil }
func (storeAlone) ErrorRows() []int32                      { return nil }
func (storeAlone) WorstIn(_, _ int32) (*lint.Finding, int) { return nil, 0 }

// State has a connection that was never ready between the first one and a restart.
func (storeAlone) State() session.State {
	return session.State{Restarts: []session.Restarted{{Number: 1, Conn: 3}}}
}

// The name of a notification is whole in the head of a comparison: its method says what it is.
func TestDiff_FrameName(t *testing.T) {
	s, err := store.Open(recordingtest.File(t, "stdio", `
> {"jsonrpc":"2.0","id":1,"method":"ping"}
< {"jsonrpc":"2.0","id":1,"result":{}}
> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
< {"jsonrpc":"2.0","method":"progress"}
`))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for row, want := range []string{"request ping", "response of call id 1", "notifications/cancelled", "notification progress"} {
		if got := uidiff.SideOf(storeAlone{s}, int32(row)).Name; got != want || len(got) > 24 {
			t.Errorf("#%d is %q, want %q in 24 cells", row+1, got, want)
		}
	}
}
