package program

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/test/press"
	"mcptea/ui/app"
	"mcptea/ui/dialog"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// plain is a screen with two panes.
type plain struct {
	panes    [2]*plainPane
	at       int
	pasted   string
	quitting []bool
	painted  int // so many times
}

// plainPane is a pane with a text in it.
type plainPane struct {
	app.Place
	ran []string
}

func newPlainPane(name string, own ...keys.Command) *plainPane {
	p := &plainPane{Place: app.Place{Name: name, Own: own}}
	for i := range p.Own {
		id := p.Own[i].ID
		p.Own[i].Run = func() { p.ran = append(p.ran, id) }
	}
	return p
}

func (p *plainPane) Motion(m keys.Motion) bool {
	p.ran = append(p.ran, "motion "+string(rune('0'+m)))
	return m < keys.Back
}
func (p *plainPane) Refresh(app.Tick) bool { return false }
func (p *plainPane) Paint(c *app.Canvas, _ bool) {
	c.Line(func(r *paint.Row) { r.Put(c.Pal.Text, "pane "+p.Name) })
	c.Click(0, 0, c.W, c.H, func(int, int) { p.ran = append(p.ran, "click") })
	c.Line(func(r *paint.Row) { r.Put(c.Pal.Text, p.Name+" copies by "+c.Names.Name("copy")) })
	c.Click(0, 1, c.W, 1, func(int, int) { c.Names.Run("copy") })
}

func (s *plain) Title() string            { return "plain" }
func (s *plain) Opened() tea.Cmd          { return nil }
func (s *plain) Commands() []keys.Command { return nil }
func (s *plain) Routes() []Route {
	var all []Route
	for i, p := range s.panes {
		all = append(all, Route{p, func() { s.at = i }})
	}
	return all
}
func (s *plain) Focused() app.Part   { return s.panes[s.at] }
func (s *plain) Quit(interrupt bool) { s.quitting = append(s.quitting, interrupt) }
func (s *plain) Leave(m keys.Motion) {
	if m == keys.Next {
		s.at = 1 - s.at
	}
}
func (s *plain) Press(_, y int)    { s.at = y / 10 }
func (s *plain) Paste(text string) { s.pasted = text }
func (s *plain) Paint(c *app.Canvas) []string {
	s.painted++
	rows := c.Show(s.panes[0], 0, 0, c.W, 10, s.at == 0)
	return append(rows, c.Show(s.panes[1], 0, 10, c.W, c.H-11, s.at == 1)...)
}
func (s *plain) Changed() <-chan struct{}      { return nil }
func (s *plain) Refresh(app.Tick) Pace         { return Pace{} }
func (s *plain) Waiting() (int, *keys.Command) { return 0, nil }
func (*plain) Acts()                           {}
func (s *plain) Settle()                       {}
func (s *plain) Receive(tea.Msg)               {}

// looped is the program on a plain screen, with a keyboard.
type looped struct {
	*testing.T
	*Program
	screen *plain
}

func newLooped(t *testing.T, w, h int) *looped {
	first := newPlainPane("first",
		keys.Command{ID: "copy", Verb: keys.Copy, Label: "copy", Help: "Copy it", Footer: 10},
		keys.Command{ID: "stop.it", Verb: keys.End, Label: "stop", Help: "Stop it", Footer: 11, Off: func() string { return "Nothing runs." }},
	)
	second := newPlainPane("second", keys.Command{ID: "copy", Keys: keys.On("f6"), Label: "copy", Help: "Copy the other one"}, keys.Command{ID: "rare", Label: "rare", Help: "Do what is rare", Words: "seldom"})
	l := &looped{t, New(t.Context(), &Options{}, func() ([]keys.Section, error) { return nil, nil }), &plain{panes: [2]*plainPane{first, second}}}
	l.Program.Screen = l.screen
	l.Update(tea.WindowSizeMsg{Width: w, Height: h})
	l.View()
	return l
}

func (l *looped) press(names ...string) {
	for _, name := range names {
		l.Update(press.Key(name))
		l.View()
	}
}

func (l *looped) sees(texts ...string) {
	l.Helper()
	for _, text := range texts {
		if got := ansi.Strip(l.View().Content); !strings.Contains(got, text) {
			l.Fatalf("the screen lacks %q:\n%s", text, got)
		}
	}
}

func (l *looped) ran(pane int, want string) {
	l.Helper()
	if got := strings.Join(l.screen.panes[pane].ran, ", "); got != want {
		l.Errorf("pane %d ran %q, want %q", pane, got, want)
	}
}

func TestProgram_KeysRunCommandsOrSayWhyNot(t *testing.T) {
	l := newLooped(t, 80, 24)
	l.press("y", "j")
	l.ran(0, "copy, motion 0")
	l.sees("y copy")
	l.press("x")
	l.sees("Nothing runs.")
	l.press("tab", "?")
	l.sees("those that matter")
	if l.screen.at != 1 {
		t.Error("tab left the focus where it was")
	}
}

func TestProgram_ListOfCommandsRunsThoseOfAnotherPane(t *testing.T) {
	l := newLooped(t, 100, 30)
	l.press("ctrl+p")
	l.sees("First", "Everywhere", "Copy it")
	l.press("s", "e", "l", "d", "enter")
	l.ran(1, "rare")
	if l.Window() != nil || l.screen.at != 1 {
		t.Error("the window is open, or the focus elsewhere")
	}
	l.press(":", "s", "t", "o", "p", "space", "i", "t")
	l.sees("Nothing runs.")
	l.press("esc")
	if l.Window() != nil {
		t.Error("esc does not close a list with words")
	}
	l.press(":", "?")
	if l.Window() != nil {
		t.Error("the key that opened the list does not close it")
	}
}

// Two panes have a command of one id: what a pane names, and runs at a click, is its own. The
// list of commands has both.
func TestProgram_PanesNameTheirOwnCommands(t *testing.T) {
	l := newLooped(t, 100, 30)
	l.sees("first copies by y", "second copies by f6")
	l.Painted.Click(2, 11)
	l.ran(0, "")
	l.ran(1, "copy")
	l.press(":", "c", "o", "p", "y")
	l.sees("Copy it", "Copy the other one")
}

// q closes a window first, whichever it is.
func TestProgram_QuitKeyClosesAWindow(t *testing.T) {
	l := newLooped(t, 100, 30)
	for _, open := range []func(){
		func() { l.press("?") },
		func() {
			dialog.Choose{Title: "Which?", Len: func() int { return 1 }, Entry: func(int) dialog.Entry { return dialog.Entry{Key: "this", Name: "this"} }}.Open(l.Program)
		},
	} {
		open()
		l.press("q")
		if l.Window() != nil || len(l.screen.quitting) != 0 {
			t.Fatalf("the window is open, or q asked to quit: %v", l.screen.quitting)
		}
	}
	l.press("q")
	if len(l.screen.quitting) != 1 {
		t.Error("q does not quit")
	}
}

func TestProgram_HelpOverAWindow(t *testing.T) {
	l := newLooped(t, 100, 30)

	dialog.Choose{Title: "Which?", Len: func() int { return 1 }, Entry: func(int) dialog.Entry { return dialog.Entry{Key: "this", Name: "this"} }}.Open(l.Program)
	l.press("?")
	l.sees("This window")
	l.press("?")
	l.sees("Commands", "This window")
	l.press("esc")
	l.sees("Which?")
	l.press("ctrl+c")
	if l.Window() != nil || len(l.screen.quitting) != 0 {
		t.Error("ctrl+c did more than close the window")
	}
	l.press("ctrl+c", "q")
	if got := l.screen.quitting; len(got) != 2 || !got[0] || got[1] {
		t.Errorf("asked to quit: %v", got)
	}
}

func TestProgram_ClicksGoToWhatIsOnTop(t *testing.T) {
	l := newLooped(t, 80, 24)
	click := func(x, y int) {
		l.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
		l.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
		l.View()
	}
	click(3, 12)
	l.ran(1, "click")
	click(3, 2)
	click(2, 23) // "y copy"
	l.ran(0, "click, copy")
	l.press("ctrl+p")
	click(1, 2) // beside the window
	l.ran(0, "click, copy")
}

func TestProgram_LateResultsWaitForTheWindow(t *testing.T) {
	l := newLooped(t, 80, 24)
	l.press("ctrl+p")
	came := false
	l.Go(func(context.Context) func() { return func() { l.Turn(func() { came = true }) } })
	for _, cmd := range l.queue {
		l.Update(cmd())
	}
	if l.sees("A result is ready."); came {
		t.Error("it came in the window")
	}
	l.press("esc")
	if !came {
		t.Error("it did not come")
	}
}

// Bubble Tea drops the commands of the last messages: what was to begin then is not waited for.
func TestProgram_WorkThatWasDroppedIsNotWaitedFor(t *testing.T) {
	l := newLooped(t, 80, 24)
	l.Go(func(context.Context) func() { return nil })
	l.Work.Wait()
}

// A key is painted once, with what is new, and what it says goes after its time: nothing is painted in
// between.
func TestProgram_KeyIsPaintedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLooped(t, 80, 24)
		defer l.Stop()
		messages := make(chan tea.Msg)
		var run func(cmd tea.Cmd)
		run = func(cmd tea.Cmd) {
			if cmd == nil {
				return
			}
			go func() {
				msg := cmd()
				if batch, ok := msg.(tea.BatchMsg); ok {
					for _, each := range batch {
						run(each)
					}
					return
				}
				select {
				case messages <- msg:
				case <-l.Ctx.Done():
				}
			}()
		}
		deliver := func(msg tea.Msg) {
			_, cmd := l.Update(msg)
			run(cmd)
			l.View()
		}
		rests := func(d time.Duration) {
			for end := time.After(d); ; {
				select {
				case msg := <-messages:
					deliver(msg)
				case <-end:
					return
				}
			}
		}
		run(l.Init())
		rests(time.Second)
		for _, tc := range []struct {
			key, says  string
			most, then int // paintings at once, and until the message has gone
		}{{"j", "", 1, 1}, {"x", "Nothing runs.", 2, 3}} {
			l.screen.painted = 0
			deliver(press.Key(tc.key))
			rests(flashTime - time.Second)
			if l.sees(tc.says); l.screen.painted > tc.most {
				t.Errorf("%s was painted %d times", tc.key, l.screen.painted)
			}
			rests(2 * time.Second)
			if l.Flash.Text != "" || l.screen.painted > tc.then {
				t.Errorf("after %s the last row says %q, and was painted %d times", tc.key, l.Flash.Text, l.screen.painted)
			}
		}
	})
}

// The reason why a key did nothing disappears when the key works.
func TestProgram_ReasonGoesWithItsTruth(t *testing.T) {
	l := newLooped(t, 80, 24)
	why := "Not connected."
	l.carryOut(&keys.Command{Off: func() string { return why }})
	l.Look(time.Unix(1, 0))
	l.sees("Not connected.")
	why = ""
	l.Look(time.Unix(2, 0))
	if l.Flash.Text != "" {
		t.Errorf("the last row says %q", l.Flash.Text)
	}
}
