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
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
)

// changeMsg says that there is news, and what time it is.
type changeMsg struct{ now time.Time }

// The shortest time between two looks at the store, and how often a running
// clock moves.
const (
	minRefresh = 33 * time.Millisecond
	// busyRefresh is that while more frames arrive than can be read: from
	// floodThreshold new frames between two looks on.
	busyRefresh = 60 * time.Millisecond
	// behindPause leaves time for keys while a filter works and no flood arrives.
	behindPause    = time.Millisecond
	floodThreshold = 500
	clockInterval  = 100 * time.Millisecond
)

// flashTime is how long a message stays in the last row.
const flashTime = 4 * time.Second

// screen is what the program shows: the inspector, the start screen or the list of
// recordings. It belongs to the goroutine of Update.
type screen interface {
	title() string // of the window of the terminal
	// opened is what begins with the screen.
	opened() tea.Cmd
	// commands are those of the program on this screen; what moves is not among them.
	commands() []keys.Command
	// places are the panes with all their commands, for the list of commands.
	routes() []route
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
	// waiting is how many requests are pending for a while, and the command that cancels the
	// newest one; nil where its key does something else.
	waiting() (n int, cancel *keys.Command)
	// changed has a value when there is something new to look at.
	changed() <-chan struct{}
	refresh(t app.Tick) pace
	// acts comes before each action of the user.
	acts()
	// settle follows each message; receive takes one that the program does not know.
	settle()
	receive(msg tea.Msg)
}

// route is a pane whose commands can be run from anywhere; show gives it the focus.
type route struct {
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
	ctx      context.Context // ends with the program
	stop     func()
	options  *Options
	keys     keys.Map
	own      []keys.Command // on every screen
	moving   []keys.Command
	sections func() ([]keys.Section, error) // the commands of all screens
	// elsewhere are these, once a command of another screen was named.
	elsewhere []keys.Section
	screen    screen
	record    func() // comes before each write to the terminal; see recorded. nil without one

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

// done is what comes of work that has ended.
type done func()

// do has a command carried out when Update ends.
func (p *program) do(cmd tea.Cmd) { p.queue = append(p.queue, cmd) }

// wake has the program look at what is new.
func (p *program) wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// tooSmall reports that the terminal has no room: nothing is in sight that could take a
// key, a click or a text.
func (p *program) tooSmall() bool { return p.w > 0 && (p.w < minWidth || p.h < minHeight) }

// say shows a message in the last line; the next look at what is new starts its clock.
func (p *program) say(f flash) {
	p.flash, p.flashShown = f, time.Time{}
	p.wake()
}

// Say implements [app.Program].
func (p *program) Say(text string) { p.say(flash{text: text}) }

// Fail implements [app.Program].
func (p *program) Fail(text string) { p.say(flash{text: text, wrong: true}) }

// window is the window that has the keys; nil without one.
func (p *program) window() app.Dialog {
	if n := len(p.windows); n > 0 {
		return p.windows[n-1]
	}
	return nil
}

// Open implements [app.Program].
func (p *program) Open(d app.Dialog) {
	p.turn(func() {
		for len(p.windows) > 0 {
			p.Close(p.window())
		}
		p.over(d)
	})
}

// over opens a window over those that are open.
func (p *program) over(d app.Dialog) {
	p.windows = append(p.windows, d)
	p.wake()
}

// Close implements [app.Program].
func (p *program) Close(d app.Dialog) bool {
	i := slices.Index(p.windows, d)
	if i < 0 {
		return false
	}
	p.windows = slices.Delete(p.windows, i, i+1)
	if c, ok := d.(app.Closer); ok {
		c.Close()
	}
	return true
}

// late is what a result of work outside of Update changes on the screen.
type late []func()

// turn opens a window, or leads to another pane. All that does either goes through it: at
// once for the user, but what comes late waits while the user types or has a window open.
func (p *program) turn(run func()) {
	if l := p.arriving; l != nil && (len(*l) > 0 || p.window() != nil || p.typing) {
		*l = append(*l, run)
		return
	}
	p.arriving = nil // what follows belongs to it
	run()
}

// News implements [app.Program].
func (p *program) News(text string) { p.Say(text) }
