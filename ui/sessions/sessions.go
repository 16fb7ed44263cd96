// Package sessions owns the terminal. Several programs may share it: sessions, and screens above them. One
// session has the keys, and may have another session next to it. The others are hidden but keep running.
//
// [Host.Show] shows a program and returns when it ends. It may be called from any goroutine: the command line
// that opened a session waits there and then closes the session. A message belongs to the program whose command
// returned it. Keys, the mouse and pasted text go to the program with the keys, and reports of the terminal to
// all. Programs without the keys refresh at most four times a second.
//
// Tests: ui/inspector/sessions_test.go
package sessions

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"mcptea/internal/words/phrase"
	"mcptea/ui/paint"
	"mcptea/ui/program"
	"mcptea/ui/terminal"
)

// maxSessions is the maximum number of open sessions. Each has a process, a recording, and a chip in the first
// line.
const maxSessions = 8

// besideWidth is the width of the terminal from which two sessions may be side by side.
const besideWidth = 170

// A Host shows programs until they end. The zero Host shows none. Methods for Update belong to its goroutine;
// those whose comments say so may be called from any.
type Host struct {
	// Taking prepares the terminal for the first program. The returned function undoes that after the last one.
	// Taking may be nil.
	Taking func() (giving func())

	mu      sync.Mutex
	run     *run // nil while nothing is shown
	threads int  // goroutines started by Go
	idle    sync.Cond

	first    *program.Program   // contains what all programs on a terminal share
	programs []*program.Program // programs in the order of their chips
	order    []*program.Program // programs by when they last had the keys, oldest first
	pair     [2]*program.Program
	w, h     int
	chips    []chip
	taps     []Tap  // running taps
	closed   []chip // chips of the taps that no session shows
	held     held
	view     tea.View
	recorded atomic.Pointer[[]*program.Program] // visible programs
}

// maxHeld is the number of keys held for a screen that is about to open. maxWait bounds the wait; a longer one
// is visible to the user.
const (
	maxHeld = 256
	maxWait = time.Second
)

// held holds keys pressed after one that opens a screen: they are for that screen.
type held struct {
	until time.Time // zero while no screen is about to open
	keys  []tea.Msg
}

// opens is a screen that something else takes the place of when it ends.
type opens interface{ Opens() bool }

// await holds keys back until the next program is there.
func (h *Host) await() { h.held = held{until: time.Now().Add(maxWait)} }

// holds reports whether a message must wait. Messages that have waited too long are dropped.
func (h *Host) holds(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
	default:
		return false
	}
	if h.held.until.IsZero() || time.Now().After(h.held.until) || len(h.held.keys) == maxHeld {
		h.held = held{}
		return false
	}
	h.held.keys = append(h.held.keys, msg)
	return true
}

// release passes the held keys to the program in front.
func (h *Host) release() tea.Cmd {
	var cmds []tea.Cmd
	keys := h.held.keys
	h.held = held{}
	for _, msg := range keys {
		h.View() // painting determines which field has the focus
		cmds = append(cmds, h.pass(h.front(), msg))
	}
	return tea.Batch(cmds...)
}

// Init implements tea.Model.
func (h *Host) Init() tea.Cmd { return addressed(h.front(), h.front().Init()) }

// Update implements tea.Model: it passes each message to its program.
func (h *Host) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case joined:
		h.join(msg.Program)
		cmd = tea.Batch(addressed(msg.Program, msg.Init()), h.arrange(), h.release())
	case deferredCall:
		if msg.instead {
			h.held = held{}
		}
		if p := h.front(); p != nil {
			cmd = h.pass(p, program.Done(func() { msg.do(p) }))
		}
	case program.Owned:
		cmd = h.owned(msg)
	case tea.WindowSizeMsg:
		h.w, h.h = msg.Width, msg.Height
		cmd = h.arrange()
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg, tea.FocusMsg, tea.BlurMsg, uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		cmd = h.pass(h.first, msg)
		h.repaint()
	case tea.MouseMsg:
		cmd = h.mouse(msg)
	default:
		if p := h.front(); p != nil && !h.holds(msg) {
			cmd = h.pass(p, msg)
		}
	}
	return h, tea.Batch(cmd, h.refreshChips())
}

// owned passes a message to its program. When a program quits, the previous one takes its place.
func (h *Host) owned(msg program.Owned) tea.Cmd {
	switch _, quits := msg.Msg.(tea.QuitMsg); {
	case !slices.Contains(h.programs, msg.To): // the program has ended
		return nil
	case !quits:
		return h.pass(msg.To, msg.Msg)
	}
	return h.leave(msg.To)
}

// pass passes a message to a program.
func (h *Host) pass(p *program.Program, msg tea.Msg) tea.Cmd {
	_, cmd := p.Update(msg)
	return addressed(p, cmd)
}

// addressed returns a command whose message is passed to its program, including the commands of a batch.
func addressed(p *program.Program, cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := cmd()
		switch all := msg.(type) {
		case nil, program.Owned:
		case tea.BatchMsg:
			for i := range all {
				all[i] = addressed(p, all[i])
			}
		default:
			if !terminal.IsOrder(msg) {
				return program.Owned{To: p, Msg: msg}
			}
		}
		return msg
	}
}

// join shows a program before the others.
func (h *Host) join(p *program.Program) {
	p.Join(around{h}, h.first)
	if h.first == nil {
		h.first = p
	}
	at := len(h.programs)
	if i := slices.Index(h.programs, h.front()); i >= 0 {
		at = i + 1
	}
	h.programs = slices.Insert(h.programs, at, p)
	if was := h.front(); was != nil && was.Flash.Text == opening { // which it has
		was.Flash = program.Flash{}
	}
	h.order = append(h.order, p)
}

// opening is shown when something has ended and another program is about to replace it.
const opening = "Opening."

// leave removes a program.
func (h *Host) leave(p *program.Program) tea.Cmd {
	h.mu.Lock()
	left := h.run.programs[p]
	delete(h.run.programs, p)
	last := len(h.run.programs) == 0
	h.mu.Unlock()
	if last { // Show of this program waits for the terminal
		return tea.Quit
	}
	rest := h.left(p)
	is := func(other *program.Program) bool { return other == p }
	h.programs, h.order = slices.DeleteFunc(h.programs, is), slices.DeleteFunc(h.order, is)
	if slices.Contains(h.pair[:], p) {
		h.pair = [2]*program.Program{}
	}
	close(left)
	if s, ok := p.Screen.(opens); ok && s.Opens() {
		h.await()
	}
	if next := h.front(); next != nil {
		next.Reach()
		switch {
		case !h.held.until.IsZero():
			next.Say(opening)
		case rest != "":
			next.Say(rest)
		}
	}
	return h.arrange()
}

// left describes that a session was closed and how many remain, or returns "" if none remains or p is not a
// session.
func (h *Host) left(p *program.Program) string {
	if n := len(h.chips) - 1; n > 0 && slices.ContainsFunc(h.chips, func(c chip) bool { return c.of == p }) {
		return "The session is closed. " + phrase.Count(n, "session") + paint.If(n == 1, " is left.", " are left.")
	}
	return ""
}

// front returns the program with the keys, or nil.
func (h *Host) front() *program.Program {
	if n := len(h.order); n > 0 {
		return h.order[n-1]
	}
	return nil
}

// focus moves the focus to another program.
func (h *Host) focus(p *program.Program) tea.Cmd {
	i := slices.Index(h.order, p)
	if i < 0 || p == h.front() {
		return nil
	}
	if at := slices.Index(h.pair[:], h.front()); at >= 0 && !slices.Contains(h.pair[:], p) {
		h.pair[at] = p
	}
	h.order = append(slices.Delete(h.order, i, i+1), p)
	p.Reach()
	return h.arrange()
}

// beside reports whether two programs are visible.
func (h *Host) beside() bool {
	return h.w >= besideWidth && h.pair[0] != nil && slices.Contains(h.pair[:], h.front())
}

// arrange sets the positions of the visible programs.
func (h *Host) arrange() tea.Cmd {
	var cmds []tea.Cmd
	seen := make([]*program.Program, 0, 2)
	for _, p := range h.programs {
		was, w := p.Sight, h.w
		switch {
		case h.beside() && slices.Contains(h.pair[:], p):
			if w = (h.w - 1) / 2; p == h.pair[1] {
				w = h.w - 1 - w
			}
			p.Sight = program.Whole
			if p != h.front() {
				p.Sight = program.Beside
			}
		case p == h.front():
			p.Sight = program.Whole
		default:
			p.Sight = program.Hidden
		}
		if p.Sight != program.Hidden {
			seen = append(seen, p)
		}
		p.Repaint()
		if h.w > 0 && (p.W != w || p.H != h.h) {
			cmds = append(cmds, h.pass(p, tea.WindowSizeMsg{Width: w, Height: h.h}))
		}
		if was == program.Hidden && p.Sight != program.Hidden {
			p.Look(time.Now())
			p.Wake() // clocks continue
		}
	}
	h.recorded.Store(&seen)
	return tea.Batch(cmds...)
}

// repaint causes everything visible to be painted again.
func (h *Host) repaint() {
	for _, p := range h.programs {
		p.Repaint()
	}
}

// mouse passes a mouse message to the program under the mouse, which receives the keys by a click.
func (h *Host) mouse(msg tea.MouseMsg) tea.Cmd {
	p, at := h.front(), msg.Mouse()
	if p == nil {
		return nil
	}
	var cmd tea.Cmd
	if h.beside() {
		left := h.pair[0].W
		under := h.pair[0]
		if at.X > left {
			under = h.pair[1]
		}
		switch msg.(type) {
		case tea.MouseClickMsg:
			cmd = h.focus(under)
			p = under
		case tea.MouseWheelMsg:
			p = under
		}
		if p == h.pair[1] {
			at.X -= left + 1
		}
	}
	switch msg.(type) {
	case tea.MouseClickMsg:
		msg = tea.MouseClickMsg(at)
	case tea.MouseReleaseMsg:
		msg = tea.MouseReleaseMsg(at)
	case tea.MouseWheelMsg:
		msg = tea.MouseWheelMsg(at)
	case tea.MouseMotionMsg:
		msg = tea.MouseMotionMsg(at)
	}
	return tea.Batch(cmd, h.pass(p, msg))
}

// View implements tea.Model.
func (h *Host) View() tea.View {
	p := h.front()
	switch {
	case p == nil: // the next one is on its way
	case !h.beside():
		h.view = p.View()
	default:
		h.view = h.both(p)
	}
	if p != nil {
		h.view.ProgramStatus = h.status(p)
	}
	return h.view
}

// both returns the view of two programs side by side. One of them has the focus.
func (h *Host) both(p *program.Program) tea.View {
	left, leftCursor, _ := h.pair[0].Rows()
	right, cursor, _ := h.pair[1].Rows()
	rows := make([]string, len(left))
	for y := range rows {
		rows[y] = left[y] + " " + right[y]
	}
	if cursor != nil {
		moved := *cursor
		moved.X += h.pair[0].W + 1
		cursor = &moved
	}
	if p == h.pair[0] {
		cursor = leftCursor
	}
	return p.Shown(p.Place(rows), cursor)
}
