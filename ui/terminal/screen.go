package terminal

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
)

// frameTime is the minimum time between two drawings. The first change after a pause is drawn immediately, and
// so are effects of a key, unless the last drawing was also one.
const frameTime = 8 * time.Millisecond

// A Screen draws the views of a Bubble Tea program on a terminal. It replaces Bubble Tea's
// renderer, which checks the clock while the program runs. With a Screen, nothing runs while
// nothing changes, a key does not wait for the clock, and unchanged rows cost only a comparison.
// ultraviolet determines which cells differ and how they are written.
// The methods are safe for concurrent use. None waits for the terminal, except those that restore
// it.
type Screen struct {
	out     io.Writer
	console uv.Console // nil if the terminal belongs to another process

	notifier func(notification) string

	changed chan struct{} // 1 slot
	pressed chan struct{} // 1 slot: the next view shows the effect of a key
	closed  chan struct{}
	closing sync.Once
	drawing sync.WaitGroup

	acted bool // the next view is the effect of a key; used only by the loop of the program

	mu   sync.Mutex
	want wanted

	terminal sync.Mutex // guards the rest, and is held during a write
	taken    bool
	drawn    wanted // state last sent to the terminal
	buf      bytes.Buffer
	renderer *uv.TerminalRenderer
	method   ansi.Method // method of measuring text
	cells    uv.ScreenBuffer
	rows     [][]byte // bytes of the rows of cells
	special  []bool   // rows that methods of measuring differ about
}

// wanted is the desired state of the screen.
type wanted struct {
	view     tea.View
	w, h     int
	resizes  int // number of resizes so far: a terminal may have lost cells even if it has the same size
	profile  colorprofile.Profile
	method   ansi.Method // method of measuring text
	together bool        // the terminal shows an update when it is complete (mode 2026)
	sequence []byte      // sequence to be written once
}

// NewScreen returns a screen that writes to out, for a terminal with these variables of the
// environment. Nothing is drawn before it has a size.
func NewScreen(out io.Writer, env []string) *Screen {
	s := &Screen{out: out, changed: make(chan struct{}, 1), pressed: make(chan struct{}, 1), closed: make(chan struct{}), taken: true}
	s.want.profile = colorprofile.Detect(out, env)
	s.notifier = notifierOf(env)
	s.renderer = uv.NewTerminalRenderer(&s.buf, env)
	s.renderer.SetFullscreen(true)
	s.cells = uv.NewScreenBuffer(0, 0)
	if asksForModes(env) {
		s.want.sequence = []byte(ansi.RequestModeSynchronizedOutput + ansi.RequestModeUnicodeCore)
	}
	s.drawing.Go(s.draw)
	return s
}

// asksForModes reports whether a terminal may be asked for its modes. Terminal of macOS prints the query. Over
// ssh, only TERM identifies the terminal.
func asksForModes(env []string) bool {
	vars := uv.Environ(env)
	for _, known := range []string{"ghostty", "wezterm", "alacritty", "kitty", "rio"} {
		if strings.Contains(vars.Getenv("TERM"), known) {
			return true
		}
	}
	return vars.Getenv("WT_SESSION") != "" || vars.Getenv("SSH_TTY") == "" && !strings.Contains(vars.Getenv("TERM_PROGRAM"), "Apple")
}

// Resize sets the size of the terminal in cells. Everything is drawn again.
func (s *Screen) Resize(w, h int) {
	s.change(func(want *wanted) {
		want.w, want.h = w, h
		want.resizes++
	})
}

// Show draws a view, unless a newer one replaces it first.
func (s *Screen) Show(v tea.View) { s.change(func(want *wanted) { want.view = v }) }

// answer is like Show, but for a view that the user is waiting for: it is drawn immediately.
func (s *Screen) answer(v tea.View) {
	select {
	case s.pressed <- struct{}{}:
	default:
	}
	s.Show(v)
}

// Write writes a sequence that draws nothing.
func (s *Screen) Write(sequence string) {
	s.change(func(want *wanted) { want.sequence = append(want.sequence, sequence...) })
}

func (s *Screen) change(do func(*wanted)) {
	s.mu.Lock()
	do(&s.want)
	s.mu.Unlock()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// reported records what the terminal reports about itself.
func (s *Screen) reported(msg tea.Msg) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.Resize(msg.Width, msg.Height)
	case tea.ColorProfileMsg:
		s.change(func(want *wanted) { want.profile = msg.Profile })
	case tea.ModeReportMsg:
		switch {
		case msg.Mode == ansi.ModeSynchronizedOutput && msg.Value == ansi.ModeReset:
			s.change(func(want *wanted) { want.together = true })
		case HasGraphemes(msg):
			s.change(func(want *wanted) { want.method = ansi.GraphemeWidth })
		}
	}
}

// HasGraphemes reports whether a terminal can measure text by whole graphemes (mode 2027).
func HasGraphemes(msg tea.ModeReportMsg) bool {
	return msg.Mode == ansi.ModeUnicodeCore && (msg.Value.IsSet() || msg.Value == ansi.ModeReset)
}

// draw draws changes until the screen is closed.
func (s *Screen) draw() {
	pause := time.NewTimer(0)
	defer pause.Stop()
	answers := false // whether the next drawing shows the effect of a key
	for {
		select {
		case <-s.changed:
		case <-s.closed:
			return
		}
		select {
		case <-s.pressed:
			answers = true
		default:
		}
		s.terminal.Lock()
		s.update()
		s.terminal.Unlock()
		pressed := s.pressed
		if answers {
			pressed, answers = nil, false // keys that follow each other quickly are drawn together
		}
		pause.Reset(frameTime)
		select {
		case <-pause.C:
		case <-pressed:
			answers = true
		case <-s.closed:
			return
		}
	}
}

// update writes the difference between the desired and the drawn state. The caller holds s.terminal.
func (s *Screen) update() {
	if !s.taken {
		return
	}
	s.mu.Lock()
	want := s.want
	s.want.sequence = nil
	s.mu.Unlock()
	s.buf.Write(want.sequence)
	if want.w > 0 && want.h > 0 && want.view.AltScreen { // otherwise nothing was shown yet
		s.paint(&want)
		want.sequence = nil
		s.drawn = want
	}
	s.flush()
}

func (s *Screen) flush() {
	if s.buf.Len() > 0 {
		_, _ = s.out.Write(s.buf.Bytes()) // if the terminal is gone, reading the keys ends
		s.buf.Reset()
	}
}

// paint appends the sequences that turn the drawn screen into the desired one.
func (s *Screen) paint(want *wanted) {
	was, v := &s.drawn, &want.view
	start := s.buf.Len()
	if want.together {
		s.buf.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if was.view.Cursor != nil {
		s.buf.WriteString(ansi.HideCursor) // otherwise it would be visible where the update writes
	}
	begun := s.buf.Len()
	s.setModes(v)
	if want.profile != was.profile || want.method != was.method || want.resizes != was.resizes {
		s.renderer.SetColorProfile(want.profile)
		s.setMethod(want.method)
		s.resize(want.w, want.h)
	}
	s.setRows(v.Content)
	s.renderer.Render(s.cells.RenderBuffer)
	if v.Cursor != nil {
		s.renderer.MoveTo(v.Cursor.X, v.Cursor.Y)
	}
	_ = s.renderer.Flush() // into buf, which takes everything
	if s.buf.Len() == begun && (was.view.Cursor != nil) == (v.Cursor != nil) {
		s.buf.Truncate(start) // nothing differs
		return
	}
	if v.Cursor != nil {
		s.buf.WriteString(ansi.ShowCursor)
	}
	if want.together {
		s.buf.WriteString(ansi.ResetModeSynchronizedOutput)
	}
}

func (s *Screen) setMethod(m ansi.Method) {
	if m == ansi.GraphemeWidth && s.method != m {
		s.buf.WriteString(ansi.SetModeUnicodeCore)
	}
	s.method = m
}

// resize makes everything be drawn again. Output from before the change may have set scroll margins for the old
// size, and rows below them would not be written.
func (s *Screen) resize(w, h int) {
	s.buf.WriteString(resetMargins)
	s.cells.Resize(w, h)
	s.cells.Clear()
	s.cells.Touched = nil
	s.renderer.Resize(w, h)
	s.renderer.Erase()
	s.rows, s.special = make([][]byte, h), make([]bool, h)
}

// resetMargins lets the whole window scroll (DECSTBM without parameters).
const resetMargins = "\x1b[r"

// scrolled is the minimum number of changed rows when a part of the screen is scrolled.
const scrolled = 4

// setRows writes the changed rows into the cells. If there are many, the renderer compares all: it may find
// that a part can be scrolled, with the rows after it. Plain text is measured as graphemes, which needs no
// table of all characters.
func (s *Screen) setRows(content string) {
	changed, special := 0, slices.Contains(s.special, true)
	for y := range s.rows {
		var row string
		row, content, _ = strings.Cut(content, "\n")
		if string(s.rows[y]) == row {
			continue
		}
		changed++
		s.rows[y] = append(s.rows[y][:0], row...)
		s.special[y] = !display.Plain(row)
		s.cells.Method = s.methodOf(s.special[y])
		uv.NewStyledString(row).Draw(s.cells, uv.Rect(0, y, s.cells.Width(), 1))
		s.cells.TouchLine(0, y-1, s.cells.Width()) // it is erased with the blank rows at the end
	}
	scrolls := changed >= scrolled && runtime.GOOS != "windows" // microsoft/terminal#19016
	s.renderer.SetScrollOptim(scrolls)
	if scrolls {
		for y := range s.rows {
			s.cells.TouchLine(0, y, s.cells.Width())
		}
	}
	s.renderer.SetWidthMethod(s.methodOf(special || slices.Contains(s.special, true)))
}

func (s *Screen) methodOf(special bool) ansi.Method {
	if special {
		return s.method
	}
	return ansi.GraphemeWidth
}
