package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/app"
	"mcptea/ui/graphics"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

// newProgram returns a program that shows no screen yet. sections are the commands of all
// screens, of which the program itself knows one.
func newProgram(ctx context.Context, o *Options, sections func() ([]keys.Section, error)) *program {
	ctx, stop := context.WithCancel(ctx)
	p := &program{appearance: newAppearance(o.Colors), ctx: ctx, stop: stop, options: o, sections: sections, kick: make(chan struct{}, 1), dirty: true}
	p.tick.Now = time.Now()
	p.own, p.moving = p.ownCommands(), p.movingCommands()
	p.retheme()
	return p
}

// prepare loads what the options name. The error is about them.
func (p *program) prepare() error {
	if _, err := p.options.Themes.Load(p.options.Theme, true); err != nil {
		return err
	}
	if len(p.options.Keys) > 0 {
		all, err := p.sections()
		if err != nil {
			return err
		}
		m, err := keys.NewMap(p.options.Keys, all)
		if err != nil {
			return err
		}
		p.keys = *m
	}
	return nil
}

// run shows a screen until the program ends, with everything that it has started. The error
// is about the terminal.
func (p *program) run(s screen) error {
	p.screen = s
	defer p.stop()
	phrase.UseASCII(p.options.ASCII)
	display.UseGraphemes(false) // until the terminal says otherwise
	var out io.Writer = os.Stdout
	if p.pictures != nil {
		out = &graphics.Output{File: os.Stdout, Screen: p.pictures}
		defer func() { _, _ = os.Stdout.WriteString(p.pictures.Close()) }()
	}
	if p.record != nil {
		out = recorded{os.Stdout, out, p.record}
	}
	err := terminal.Run(p.ctx, p, out)
	p.stop()
	p.ending.Lock()
	p.ended = true
	p.ending.Unlock()
	p.work.Wait()
	if err == nil || errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil
	}
	return fmt.Errorf("the terminal: %w", err)
}

// recorded is the terminal of a session with a recording: what is on the screen is in the file,
// also when the process is killed.
type recorded struct {
	*os.File // which the terminal is
	to       io.Writer
	record   func() // hands over what was recorded so far
}

// Write writes a part of the screen, once what it shows was recorded.
func (r recorded) Write(b []byte) (int, error) {
	r.record()
	return r.to.Write(b)
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd {
	p.wake() // what was there before the screen is not reported as new
	return tea.Batch(p.wait(), terminal.Write(ansi.RequestBackgroundColor), p.screen.opened())
}

// Update implements tea.Model.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.dirty = true
	if terminal.IsAction(msg) {
		p.screen.acts()
	}
	switch msg := msg.(type) {
	case changeMsg:
		p.refresh(msg.now)
	case done:
		p.arrive(msg)
	case copiedMsg:
		p.say(msg.flash())
	case tea.KeyPressMsg:
		p.flash = flash{} // what it said was about the key before
		p.key(msg)
		p.acted()
	case tea.PasteMsg:
		p.paste(msg.Content)
		p.acted()
	case tea.MouseClickMsg:
		p.click(msg.Mouse())
		p.acted()
	case tea.MouseWheelMsg:
		if at := msg.Mouse(); !p.tooSmall() {
			p.painted.Wheel(at.X, at.Y, turned(at))
		}
	case tea.WindowSizeMsg:
		p.screen.receive(msg)
		p.w, p.h = msg.Width, msg.Height
	case tea.BackgroundColorMsg, tea.ColorProfileMsg, tea.ModeReportMsg:
		p.reported(msg, p.options)
		p.retheme()
	default:
		if p.pictures != nil && p.pictures.Take(msg) {
			p.retheme()
		}
		p.screen.receive(msg)
	}
	p.screen.settle()
	queue := p.queue
	p.queue = nil
	return p, tea.Batch(queue...)
}

// acted follows each action of the user: a clock may have started, or a filter changed.
func (p *program) acted() {
	p.runLate()
	p.wake()
}

// wait waits until something has happened, or a clock on the screen has to move. When
// nothing does, nothing runs.
func (p *program) wait() tea.Cmd {
	since, done, pc := p.tick.Now, p.ctx.Done(), p.pace
	changed, kick := p.screen.changed(), p.kick
	rest := max(pc.rest, minRefresh)
	return func() tea.Msg {
		var clock <-chan time.Time
		switch {
		case pc.behind && rest == minRefresh:
			changed, clock = nil, time.After(behindPause)
		case pc.behind:
			clock = time.After(minRefresh / 4)
		case pc.next > 0:
			clock = time.After(pc.next - time.Duration(time.Now().UnixNano())%pc.next) // all clocks move together
		}
		select {
		case <-changed:
		case <-kick:
		case <-clock:
			return changeMsg{time.Now()}
		case <-done:
			return nil
		}
		// The first news after a quiet time is shown at once.
		if left := rest - time.Since(since); left > 0 {
			select {
			case <-time.After(left):
			case <-done:
			}
		}
		return changeMsg{time.Now()}
	}
}

// refresh looks at what is new, and waits for more.
func (p *program) refresh(now time.Time) {
	p.tick.Now = now
	p.tick.Spin = int(now.UnixMilli() / clockInterval.Milliseconds())
	p.pace = p.screen.refresh(p.tick)
	for _, d := range p.windows {
		p.pace.next = moves(d.Refresh(p.tick), p.pace.next)
	}
	if p.flash.text != "" && !p.flash.stay {
		p.pace.next = clockInterval
		if p.flashShown.IsZero() {
			p.flashShown = now
		} else if now.Sub(p.flashShown) > flashTime {
			p.flash = flash{}
		}
	}
	p.do(p.wait())
	p.drawn()
}

// drawn writes the pictures on the screen to the terminal.
func (p *program) drawn() {
	if p.pictures == nil || !p.pictures.Waiting() {
		return
	}
	sequence, changed := p.pictures.Pending()
	if changed {
		p.retheme() // they are painted again
	}
	if sequence != "" {
		p.do(terminal.Write(sequence))
	}
}

// View implements tea.Model. It returns the remembered screen unless something has
// changed: Bubble Tea asks after every message.
func (p *program) View() tea.View {
	if p.dirty || p.view == "" {
		rows := p.rows()
		if p.pictures != nil {
			p.pictures.Place(rows)
			if p.pictures.Waiting() {
				p.wake()
			}
		}
		p.view = strings.Join(p.pal.Under(rows), "\n")
		p.dirty = false
	}
	v := tea.NewView(p.view)
	v.AltScreen, v.WindowTitle, v.Cursor = true, p.screen.title(), p.cursor
	if s, ok := p.screen.(interface{ terminalProgress() *tea.ProgressBar }); ok {
		v.ProgressBar = s.terminalProgress()
	}
	if !p.options.NoMouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// rows paints the screen, the windows over it, and the last row.
func (p *program) rows() []string {
	p.cursor = nil
	switch {
	case p.w == 0 || p.h == 0:
		return []string{""}
	case p.tooSmall():
		return tooSmall(p.w, p.h, p.Name("interrupt"))
	}
	c := p.painted.Begin(p.w, p.h)
	rows := p.screen.paint(c)
	for len(rows) < p.h-1 {
		rows = append(rows, paint.Pad("", p.w))
	}
	rows, whole := rows[:p.h-1], false
	for _, d := range p.windows {
		p.painted.Cover()
		w, h := d.Size(&p.painted, p.w, p.h)
		w, h = min(w, p.w), min(h, p.h)
		x, y := (p.w-w)/2, max(1, (p.h-h)/3)
		if at, ok := d.(app.Placed); ok {
			y = at.Top()
		}
		if whole = y+h == p.h; whole { // it has a last row of its own
			rows = append(rows, paint.Pad("", p.w))
		}
		rows = paint.Overlay(rows, c.Show(d, x, y, w, h, true), x, y)
	}
	if x, y, ok := p.painted.Cursor(); ok && x >= 0 {
		p.cursor = tea.NewCursor(x, y)
	}
	if whole {
		return rows
	}
	return append(rows, p.lastRow(c))
}

// tooSmall is the screen where there is no room.
func tooSmall(w, h int, quit string) []string {
	text := fmt.Sprintf("This window is too small: mcptea needs %d columns and %d rows. %s quits.", minWidth, minHeight, quit)
	rows := slices.Concat(display.Wrap(text, max(1, w)), make([]string, h))[:h]
	for i := range rows {
		rows[i] = paint.Pad(rows[i], w)
	}
	return rows
}

// maxLate is how many late results wait; the oldest is dropped for another one.
const maxLate = 8

// arrive calls what work outside of Update has returned.
func (p *program) arrive(result func()) {
	if result == nil {
		return
	}
	var l late
	p.arriving = &l
	result()
	p.arriving = nil
	if len(l) > 0 {
		p.late = append(p.late, l)
		p.late = slices.Delete(p.late, 0, max(0, len(p.late)-maxLate))
		p.say(flash{text: "A result is ready. It is shown when you have finished here.", stay: true})
	}
}

// runLate shows the oldest result that waits, if the user has finished.
func (p *program) runLate() {
	if len(p.late) == 0 || p.window() != nil || p.typing {
		return
	}
	l := p.late[0]
	p.late = slices.Delete(p.late, 0, 1)
	for _, run := range l {
		run()
	}
}
