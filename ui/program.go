// Package ui is the interactive face: one Bubble Tea program, which shows one screen at a
// time (the inspector, the start screen, the list of recordings) and windows over it.
//
// Panes are below ui/pane. They paint on a canvas, list their commands as values, and ask
// the program for what only it can do ([mcptea/ui/app]). Frames never become Bubble Tea
// messages: the program is woken at most thirty times a second, and panes read snapshots of
// the store.
//
// Update does no I/O and reads no clock: what takes time runs on goroutines, and messages
// bring the time.
package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"mcptea/ui/app"
	"mcptea/ui/graphics"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
	"mcptea/ui/terminal"
)

// screen is what the program shows: the inspector, the start screen or the list of
// recordings. It belongs to the goroutine of Update.
type screen interface {
	title() string // of the window of the terminal
	// opened is what begins with the screen.
	opened() tea.Cmd
	// commands are those of the program on this screen; what moves is not among them.
	commands() []keys.Command
	// places are the panes with all their commands, for the list of commands.
	places() []place
	focused() app.Part
	quit(interrupt bool)
	// leave does a motion that the pane with the focus did not take.
	leave(m keys.Motion)
	// press gives the focus to what is at a cell, before the click on it.
	press(x, y int)
	// paste takes a text that no field takes.
	paste(text string)
	// paint paints the screen without its last row.
	paint(c *app.Canvas) []string
	// changed has a value when there is something new to look at.
	changed() <-chan struct{}
	refresh(t app.Tick) pace
	// settle follows each message; receive takes one that the program does not know.
	settle()
	receive(msg tea.Msg)
}

// place is a pane whose commands can be run from anywhere; show gives it the focus.
type place struct {
	app.Part
	show func()
}

// pace says when to look again at what is new, though nothing was reported.
type pace struct {
	behind bool          // at once: a search goes on
	next   time.Duration // when a clock moves; 0 for never
	rest   time.Duration // the shortest time until then; 0 is minRefresh
}

// moves is the pace of a clock; slow is how long its steps are while nothing is busy, 0
// without one.
func moves(busy bool, slow time.Duration) time.Duration {
	if busy {
		return clockInterval
	}
	return slow
}

// program is the one program on the terminal: the loop, the keys, the windows over the
// screen, and the last row.
type program struct {
	appearance
	ctx     context.Context // ends with the program
	stop    func()
	options *Options
	keys    keys.Map
	own     []keys.Command // on every screen
	moving  []keys.Command
	// elsewhere are the commands of all screens, once one of another screen was named.
	elsewhere []keys.Section
	screen    screen

	w, h    int
	painted app.Screen
	windows []app.Dialog // the newest has the keys
	late    []late       // what waits until the user has finished, oldest first
	// arriving is what waits of the result that is called now; nil without one, and once it
	// has changed the screen.
	arriving *late

	flash      flash
	flashShown time.Time
	typing     bool // the last key was text

	tick  app.Tick
	pace  pace
	kick  chan struct{}  // what is new is looked at
	queue []tea.Cmd      // until Update ends
	work  sync.WaitGroup // what Go has started

	ending sync.Mutex
	ended  bool // no more work begins

	dirty  bool
	view   string
	cursor *tea.Cursor
}

// flash is a message in the last row.
type flash struct {
	text  string
	wrong bool
	stay  bool // until the next key
}

func newProgram(ctx context.Context, o *Options) *program {
	ctx, stop := context.WithCancel(ctx)
	p := &program{appearance: newAppearance(o.Colors), ctx: ctx, stop: stop, options: o, kick: make(chan struct{}, 1), dirty: true}
	p.tick.Now = time.Now()
	p.retheme()
	return p
}

// prepare loads what the options name. The error is about them.
func (p *program) prepare() error {
	if _, err := p.options.Themes.Load(p.options.Theme, true); err != nil {
		return err
	}
	if len(p.options.Keys) > 0 {
		all, err := sections()
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
	paint.UseASCII(p.options.ASCII)
	paint.UseGraphemes(false) // until the terminal says otherwise
	var out io.Writer = os.Stdout
	if p.pictures != nil {
		out = &graphics.Output{File: os.Stdout, Screen: p.pictures}
		defer func() { _, _ = os.Stdout.WriteString(p.pictures.Close()) }()
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

// background runs work on a goroutine that ends with the program.
func (p *program) background(work func(ctx context.Context)) (stop func()) {
	ctx, stop := context.WithCancel(p.ctx)
	p.work.Go(func() {
		defer stop()
		work(ctx)
		p.wake()
	})
	return stop
}

// retheme loads the theme.
func (p *program) retheme() {
	p.load(p.options)
	p.painted.Pal, p.painted.JS, p.painted.Names = p.pal, p.js, p
	p.dirty = true
}

// Init implements tea.Model.
func (p *program) Init() tea.Cmd {
	p.wake() // what was there before the screen is not reported as new
	return tea.Batch(p.wait(), terminal.Write(ansi.RequestBackgroundColor), p.screen.opened())
}

// done is what comes of work that has ended.
type done func()

// Update implements tea.Model.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	p.dirty = true
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

// do has a command carried out when Update ends.
func (p *program) do(cmd tea.Cmd) { p.queue = append(p.queue, cmd) }

// wake has the program look at what is new.
func (p *program) wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
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
		if at, ok := d.(interface{ Top() int }); ok {
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

// tooSmall reports that the terminal has no room: nothing is in sight that could take a
// key, a click or a text.
func (p *program) tooSmall() bool { return p.w > 0 && (p.w < minWidth || p.h < minHeight) }
