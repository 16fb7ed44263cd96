package terminal

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// A terminal that is asked nothing: what the emulator responds is not read here.
var environment = []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=Apple_Terminal"}

// output is what a terminal gets, and an emulator that draws it.
type output struct {
	mu  sync.Mutex
	raw bytes.Buffer
	emu *vt.Emulator
}

func newOutput(w, h int) *output { return &output{emu: vt.NewEmulator(w, h)} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.raw.Write(b)
	return o.emu.Write(b)
}

// taken is what came since the last call.
func (o *output) taken() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	defer o.raw.Reset()
	return o.raw.String()
}

// onScreen runs a script on a screen of a size, in fake time.
func onScreen(t *testing.T, w, h int, script func(o *output, s *Screen, show func(tea.View))) {
	synctest.Test(t, func(*testing.T) {
		o := newOutput(w, h)
		s := NewScreen(o, environment)
		defer s.Close()
		s.Resize(w, h)
		time.Sleep(2 * frameTime) // what follows is not drawn together with the size, nor a frame later
		script(o, s, func(v tea.View) {
			v.AltScreen = true
			s.Show(v)
			synctest.Wait()
		})
	})
}

// drawnAlone is the screen of an emulator to which a view is drawn in full.
func drawnAlone(t *testing.T, w, h int, content string) string {
	t.Helper()
	o := newOutput(w, h)
	s := NewScreen(o, environment)
	s.Resize(w, h)
	s.Show(tea.View{Content: content, AltScreen: true})
	s.terminal.Lock()
	s.update()
	s.terminal.Unlock()
	text := o.emu.Render()
	s.Close()
	return text
}

// Whatever was on the screen before, a view looks as if it were drawn on an empty one.
func TestScreen_ChangesAreAsDrawnInFull(t *testing.T) {
	const w, h = 30, 12
	words := []string{"plain", "\x1b[1mbold\x1b[m", "\x1b[48;2;40;40;90m back \x1b[m", "日本語", "é", "🙂", "   ", "│", "\x1b[4munder", ""}
	r := rand.New(rand.NewPCG(1, 2))
	row := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return ansi.Truncate(b.String(), w, "") + "\x1b[m"
	}
	onScreen(t, w, h, func(o *output, _ *Screen, show func(tea.View)) {
		rows := make([]string, h)
		for step := range 400 {
			switch r.IntN(4) {
			case 0: // scroll a part
				top := r.IntN(h - 2)
				rows = append(append(rows[:top:top], rows[top+1:]...), row())
			case 1:
				at := r.IntN(h - 1)
				rows = append(append(rows[:at:at], row()), rows[at:h-1]...)
			case 2:
				rows[r.IntN(h)] = row()
			default:
				for i := range rows {
					if r.IntN(3) == 0 {
						rows[i] = ""
					}
				}
			}
			content := strings.Join(rows, "\n")
			show(tea.View{Content: content})
			time.Sleep(2 * frameTime)
			synctest.Wait()
			if got, want := o.emu.Render(), drawnAlone(t, w, h, content); got != want {
				t.Fatalf("step %d: the screen is\n%q\nwant\n%q", step, got, want)
			}
		}
	})
}

// What a key has done does not wait until the frame of other news is over; the keys of a paste
// are drawn once a frame.
func TestScreen_KeysAreDrawnAtOnce(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, s *Screen, show func(tea.View)) {
		view := func(n int) tea.View { return tea.View{Content: fmt.Sprintf("view %d", n), AltScreen: true} }
		for n := 0; n < 9; n += 3 {
			show(view(n))
			o.taken()
			s.answer(view(n + 1))
			synctest.Wait()
			if got := o.taken(); !strings.Contains(got, fmt.Sprint(n+1)) {
				t.Errorf("what the key has done is not drawn: %q", got)
			}
			s.answer(view(n + 2))
			synctest.Wait()
			if got := o.taken(); got != "" {
				t.Errorf("%q is drawn before the frame of the first key is over", got)
			}
			time.Sleep(2 * frameTime)
			synctest.Wait()
			if got := o.taken(); !strings.Contains(got, fmt.Sprint(n+2)) {
				t.Errorf("after the frame: %q", got)
			}
		}
	})
}

func TestScreen_DrawsAtOnceAndThenAtMostOnceAFrame(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, _ *Screen, show func(tea.View)) {
		view := func(n int) tea.View { return tea.View{Content: fmt.Sprintf("view %d", n)} }
		show(view(1))
		if got := o.taken(); !strings.Contains(got, "view 1") {
			t.Errorf("the first view is not drawn: %q", got)
		}
		for n := 2; n < 5; n++ {
			show(view(n))
		}
		if got := o.taken(); got != "" {
			t.Errorf("%q is drawn before the frame is over", got)
		}
		time.Sleep(2 * frameTime)
		synctest.Wait()
		if got := o.taken(); !strings.Contains(got, "4") || strings.Contains(got, "3") {
			t.Errorf("after the frame: %q", got)
		}
		time.Sleep(time.Second)
		show(view(5))
		if got := o.taken(); !strings.Contains(got, "5") {
			t.Errorf("after a pause: %q", got)
		}
		time.Sleep(time.Second)
		show(view(5))
		if got := o.taken(); got != "" {
			t.Errorf("the same view writes %q", got)
		}
	})
}

// A window that shrinks and grows again within a frame has lost cells, though its size is the
// one that was drawn for.
func TestScreen_ResizedBackWithinAFrame(t *testing.T) {
	const w, h = 40, 6
	content := strings.Repeat(strings.Repeat("abcdefgh", w/8)+"\n", h-1)
	onScreen(t, w, h, func(o *output, s *Screen, show func(tea.View)) {
		show(tea.View{Content: content})
		want := o.emu.Render()
		o.emu.Resize(w/2, h/2)
		s.Resize(w/2, h/2)
		o.emu.Resize(w, h)
		s.Resize(w, h)
		time.Sleep(2 * frameTime)
		synctest.Wait()
		if got := o.emu.Render(); got != want {
			t.Errorf("the screen is\n%q\nwant\n%q", got, want)
		}
	})
}

// A part that is scrolled while the window grows sets the margins of the smaller one again; the
// drawing of the larger one does not scroll within them.
func TestScreen_GrowsWhileItScrolls(t *testing.T) {
	const w, low, high = 20, 12, 18
	rows := func(from, n int) string {
		var b strings.Builder
		for y := range n - 1 {
			fmt.Fprintf(&b, "row %d\n", from+y)
		}
		return b.String() + "last row"
	}
	onScreen(t, w, low, func(o *output, s *Screen, show func(tea.View)) {
		show(tea.View{Content: rows(0, low)})
		o.emu.Resize(w, high)
		time.Sleep(2 * frameTime)
		o.taken()
		show(tea.View{Content: rows(4, low)})
		if got := o.taken(); !strings.Contains(got, ";12r") {
			t.Fatalf("nothing is scrolled: %q", got)
		}
		s.Resize(w, high)
		time.Sleep(2 * frameTime)
		show(tea.View{Content: rows(10, high)})
		time.Sleep(2 * frameTime)
		synctest.Wait()
		if got, want := o.emu.String(), rows(10, high); got != want {
			t.Errorf("the screen is\n%s\nwant\n%s", got, want)
		}
	})
}

// Nothing runs while nothing changes: in fake time a day goes by in no steps.
func TestScreen_NothingRunsWhileNothingChanges(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, _ *Screen, show func(tea.View)) {
		show(tea.View{Content: "still"})
		time.Sleep(2 * frameTime)
		o.taken()
		time.Sleep(24 * time.Hour)
		if got := o.taken(); got != "" {
			t.Errorf("%q", got)
		}
	})
}

// A title has no byte that ends it on a terminal of 8 bits: what a server calls itself stays a title.
func TestScreen_TitleHasNoTerminator(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, _ *Screen, show func(tea.View)) {
		show(tea.View{Content: "a", WindowTitle: "mcptea x ✗9 ● 世 ☜ forged"})
		written := o.taken()
		_, title, _ := strings.Cut(written, "\x1b]2;")
		if title, _, _ = strings.Cut(title, "\a"); title != "mcptea x ?9 ● 世 ? forged" || strings.ContainsRune(o.emu.String(), 'f') {
			t.Errorf("the title is %q, the screen\n%s", title, o.emu.String())
		}
	})
}

func TestScreen_CursorAndModes(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, s *Screen, show func(tea.View)) {
		at := tea.NewCursor(3, 2)
		show(tea.View{Content: "a", WindowTitle: "mcptea", MouseMode: tea.MouseModeCellMotion, Cursor: at})
		first := o.taken()
		for _, want := range []string{"\x1b[?1049h", "\x1b[?2004h", "\x1b[?1002h", "\x1b[?1006h", "\x1b]2;mcptea\a", "\x1b[?25h"} {
			if !strings.Contains(first, want) {
				t.Errorf("%q lacks %q", first, want)
			}
		}
		if p := o.emu.CursorPosition(); p.X != 3 || p.Y != 2 {
			t.Errorf("the cursor is at %v", p)
		}
		time.Sleep(2 * frameTime)
		show(tea.View{Content: "a", WindowTitle: "mcptea"})
		if got := o.taken(); got != "\x1b[?1002l\x1b[?1006l"+"\x1b[?25l" && got != "\x1b[?25l\x1b[?1002l\x1b[?1006l" {
			t.Errorf("without a cursor and mouse: %q", got)
		}
		s.reported(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
		time.Sleep(2 * frameTime)
		show(tea.View{Content: "b", WindowTitle: "mcptea", ProgressBar: tea.NewProgressBar(tea.ProgressBarDefault, 40)})
		if got := o.taken(); !strings.HasPrefix(got, "\x1b[?2026h") || !strings.HasSuffix(got, "\x1b[?2026l") || !strings.Contains(got, "\x1b]9;4;1;40") {
			t.Errorf("in one update: %q", got)
		}
		s.Close()
		last := o.taken()
		for _, want := range []string{"\x1b[?1049l", "\x1b[?2004l", "\x1b]2;\a", "\x1b[?25h", "\x1b]9;4;0"} {
			if !strings.Contains(last, want) {
				t.Errorf("at the end %q lacks %q", last, want)
			}
		}
		show(tea.View{Content: "c"})
		if got := o.taken(); got != "" {
			t.Errorf("after the end: %q", got)
		}
	})
}

// A program has the terminal alone while it runs; then everything is drawn again.
func TestScreen_Lend(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, s *Screen, show func(tea.View)) {
		show(tea.View{Content: "before"})
		o.taken()
		b := &borrowed{Cmd: exec.Command("does-not-exist-anywhere"), screen: s}
		s.release()
		show(tea.View{Content: "meanwhile"})
		time.Sleep(time.Second)
		if got := o.taken(); !strings.HasSuffix(got, "\x1b[?1049l\x1b[?25h") || strings.Contains(got, "meanwhile") {
			t.Errorf("while another program has the terminal: %q", got)
		}
		s.takeOver()
		synctest.Wait()
		if got := o.taken(); !strings.Contains(got, "\x1b[?1049h") || !strings.Contains(got, "meanwhile") {
			t.Errorf("after it: %q", got)
		}
		if err := b.Run(); !errors.Is(err, exec.ErrNotFound) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if got := o.taken(); strings.Count(got, "meanwhile") != 1 {
			t.Errorf("after one that cannot start: %q", got)
		}
	})
}

// A panic is printed on the terminal unchanged.
func TestScreen_PanicGivesTheTerminalBack(t *testing.T) {
	onScreen(t, 20, 4, func(o *output, s *Screen, show func(tea.View)) {
		show(tea.View{Content: "text"})
		func() {
			defer func() { _ = recover() }()
			msg := s.guarded(tea.Batch(func() tea.Msg { panic("boom") }, func() tea.Msg { return nil }))()
			msg.(tea.BatchMsg)[0]()
		}()
		if got := o.taken(); !strings.HasSuffix(got, "\x1b[?1049l\x1b[?25h") {
			t.Errorf("%q", got)
		}
	})
}

func TestScreen_AsksOnlyTerminalsThatUnderstand(t *testing.T) {
	for env, want := range map[string]bool{
		"TERM=xterm-256color": true, "TERM_PROGRAM=Apple_Terminal": false, "TERM_PROGRAM=vscode": true,
		"SSH_TTY=/dev/pts/1": false, "SSH_TTY=/dev/pts/1 TERM=xterm-kitty": true, "SSH_TTY=x WT_SESSION=1": true,
	} {
		if got := asksForModes(strings.Fields(env)); got != want {
			t.Errorf("%s: %v", env, got)
		}
	}
}
