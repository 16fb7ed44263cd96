// Package program runs a [Screen]: it provides the event loop, the keys, the windows over the screen and the
// last row. It does not depend on any particular screen (the inspector, the start screen, the list of
// recordings). [mcptea/ui/sessions] owns the terminal, on which several programs may run.
//
// Panes are below ui/pane. They paint on a canvas, list their commands as values, and request from the program
// what only it can do ([mcptea/ui/app]). Frames never become Bubble Tea messages: the program wakes at most
// thirty times a second, and panes read snapshots of the store.
//
// Update does no I/O and reads no clock: slow work runs on goroutines, and messages carry the time.
//
// # When it paints
//
// View paints only after a change. Three things cause a refresh: the store wakes its subscribers, an action of
// the user wakes the program, and a clock ticks while something moves. Refresh of each pane then takes a
// snapshot, with a budget of a few milliseconds for searches, and reports whether a clock or a search is
// running. Otherwise nothing runs.
//
// # Where a key goes
//
// The first of these that uses it:
//
//  1. The text field that was painted last, except for ctrl+c and ctrl+p: keys that choose among its
//     candidates, keys that end a line, text and the chords that edit it. Text is never a command. A
//     digit that the field does not use leads to a tab.
//  2. The commands of the newest window or, if there is no window, of the pane with the focus.
//  3. The commands of the screen, if no window is open, then those of the program. A question of
//     consent ([app.Alone]) has neither.
//  4. The motions of the window or the pane. If a pane does not use back, next or previous, the screen
//     moves the focus.
//
// If two commands have the same key, the user's binding takes precedence, then one that works. If the only
// command with the key is off, the last row shows its reason.
package program

import (
	"context"
	"slices"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// ChangeMsg reports that there is new data, with the current time.
type ChangeMsg struct{ Now time.Time }

// The minimum time between two reads of the store, and the interval of a running clock.
const (
	minRefresh = 33 * time.Millisecond
	// BusyRefresh is the same while more frames arrive than can be read: if FloodThreshold or more are new
	// between two reads.
	BusyRefresh = 60 * time.Millisecond
	// behindPause leaves time for keys while a filter works and no flood arrives.
	behindPause = time.Millisecond
	// FloodThreshold is the number of new frames between two refreshes that counts as a flood.
	FloodThreshold = 500
	// HiddenRefresh is the minimum time between two refreshes of a program that is not visible.
	HiddenRefresh = 250 * time.Millisecond
)

// The smallest terminal in which the program has room.
const (
	MinWidth  = 40 // columns
	MinHeight = 10 // rows
)

// flashTime is the time for which a message remains in the last row.
const flashTime = 4 * time.Second

// Screen is the content of the program: the inspector, the start screen or the list of recordings. It belongs
// to the goroutine of Update.
type Screen interface {
	Title() string // title of the terminal window
	// Opened returns the command to run when the screen is opened.
	Opened() tea.Cmd
	// Commands returns the program's commands on this screen, except those that move.
	Commands() []keys.Command
	// Routes returns the panes with all their commands, for the palette.
	Routes() []Route
	Focused() app.Part // the pane that has the keys without a window
	Quit(interrupt bool)
	// Leave does a motion that the pane with the focus did not take.
	Leave(m keys.Motion)
	// Press moves the focus to the thing at a cell, before the click reaches it.
	Press(x, y int)
	// Paste handles a text that no field accepts.
	Paste(text string)
	// Paint paints the screen without its last row.
	Paint(c *app.Canvas) []string
	// Waiting returns the number of requests that have been pending for a while, and the command that cancels
	// the newest. The command is nil if its key does something else.
	Waiting() (n int, cancel *keys.Command)
	// Changed has a value when there is new data to read.
	Changed() <-chan struct{}
	// Refresh reads new data, and returns when to do so again.
	Refresh(t app.Tick) Pace
	// Acts is called before each action of the user.
	Acts()
	// Settle is called after each message; Receive is called with a message that the program does not know.
	Settle()
	Receive(msg tea.Msg)
}

// A Destination is a place that words typed in the palette can lead to, such as a frame.
type Destination struct {
	Kind, Text string
	Show       func()
	Last       bool // shown if no entry has all words, below entries with some of them
}

// goer is a screen that can lead to places from words in the list of commands.
type goer interface {
	Destinations(text string) []Destination
}

// progressing is a screen that shows a progress in the window of the terminal.
type progressing interface {
	TerminalProgress() *tea.ProgressBar // or nil
}

// reporting is a screen that reports its activity, for a terminal that shows it next to its window.
type reporting interface {
	ProgramStatus() *tea.ProgramStatus // or nil
}

// Route is a pane whose commands can be run from anywhere; Show gives it the focus.
type Route struct {
	app.Part
	Show func()
}

// Session is a session of the terminal, with the name of its chip.
type Session struct {
	Screen
	Name  string
	Place int // index among the sessions in the order in which they were opened
}

// Around is the set of programs that share the terminal.
type Around interface {
	Commands() []keys.Command
	// Open opens the start screen at an entry, or shows why it cannot.
	Open(entry string)
	// Things returns the sessions, for the palette.
	Things() []app.Things
	// PutChips writes the sessions into the first line, up to a column, and reports whether there are
	// sessions besides the program's own.
	PutChips(p *Program, c *app.Canvas, r *paint.Row, end int) bool
	// Sessions returns the sessions on the terminal: first the session with the keys, then the session
	// next to it, then the others, most recently used first.
	Sessions() []Session
	// Taps returns the taps that no session shows.
	Taps() []Tap
	Focus(p *Program)
	// Wake refreshes what is visible. It may be called from any goroutine except the goroutine of Update.
	Wake()
}

// alone is a program without others.
type alone struct{}

func (alone) Commands() []keys.Command                             { return nil }
func (alone) Things() []app.Things                                 { return nil }
func (alone) PutChips(*Program, *app.Canvas, *paint.Row, int) bool { return false }
func (alone) Sessions() []Session                                  { return nil }
func (alone) Taps() []Tap                                          { return nil }
func (alone) Focus(*Program)                                       {}
func (alone) Wake()                                                {}
func (alone) Open(string)                                          {}

// Sight describes how much of a program is visible on the terminal.
type Sight uint8

// Beside is visible next to a program that has the keys.
const (
	Whole Sight = iota
	Beside
	Hidden
)

// Program is a screen with all that is around it: the loop, the keys, the windows over it, and
// the last row.
type Program struct {
	*appearance
	Ctx      context.Context // ends with the program
	Parent   context.Context // ends with the terminal
	Around   Around
	Sight    Sight
	Stop     func() // ends Ctx
	options  *Options
	Keys     keys.Map
	Own      []keys.Command // commands on every screen, even under a window
	others   []keys.Command // commands of the other sessions
	moving   []keys.Command
	sections func() ([]keys.Section, error) // the commands of all screens
	// elsewhere holds these commands, once a command of another screen was named.
	elsewhere []keys.Section
	Screen    Screen // current screen; set before the first message
	Record    func() // called before each write to the terminal; see recorded. May be nil

	W, H    int          // size of the terminal in cells; 0 until known
	Painted app.Screen   // newest painted screen
	windows []app.Dialog // the newest one receives the keys
	used    []string     // recently used entries of the palette, by their keys
	late    []late       // messages that wait until the user has finished, oldest first
	// arriving collects the delayed effects of the result being applied. It is nil if there is no such result,
	// and once it has changed the screen.
	arriving *late

	Flash      Flash // message in the last row; its text is "" if there is no message
	acting     bool  // the user has just acted, so messages are about that
	flashShown time.Time
	flashLeft  time.Duration  // time until the message disappears; 0 if it stays
	Typing     bool           // the last key was text
	drag       func(x, y int) // follows the mouse while its button is held, or nil
	typedAt    time.Time      // time of the last key that went to a text or followed one without a pause

	Tick  app.Tick
	Pace  Pace
	kick  chan struct{}  // triggers a refresh
	paced chan struct{}  // the pace has changed
	queue []tea.Cmd      // commands to return when Update ends
	Work  sync.WaitGroup // work that Go has started

	ending sync.Mutex
	ended  bool // no more work starts

	selection selection // text selected with the mouse

	dirty   bool
	painted []string
	shown   []string // the painted rows with the selection
	view    string
	cursor  *tea.Cursor
}

// Flash is a message in the last row.
type Flash struct {
	Text  string
	Wrong bool
	Stay  bool // it remains until the next key
	// File is the absolute path of a file of the user that the text names with its line, or "".
	File string
	Line int

	question app.Dialog    // question that the message is about, or nil
	whyNot   func() string // reason of an unavailable command that the message repeats, or nil
}

// flashes reports whether the last row shows a message. While a question is open, only messages about its keys
// are shown, because others may name keys that do not work there. The rest are shown after it is closed.
func (p *Program) flashes() bool {
	asks, _ := p.Window().(app.Alone)
	return p.Flash.Text != "" && (asks == nil || p.Flash.question == asks)
}

// Background runs work on a goroutine that ends with the program.
func (p *Program) Background(work func(ctx context.Context)) (stop func()) {
	ctx, stop := context.WithCancel(p.Ctx)
	p.Work.Go(func() {
		defer stop()
		work(ctx)
		p.Wake()
	})
	return stop
}

// Retheme loads the theme.
func (p *Program) Retheme() {
	p.load(p.options)
	p.Painted.Pal, p.Painted.JS, p.Painted.Names = p.Pal, p.js, p
	p.dirty = true
}

// Done applies the result of finished work.
type Done func()

// Owned is a message for one of several programs.
type Owned struct {
	To  *Program
	Msg tea.Msg
}

// Draw encodes a picture on another goroutine. Another program may be on the terminal by then.
func (p *Program) Draw(work func()) {
	p.drawing.Go(func() {
		work()
		p.Around.Wake()
	})
}

// Opener returns a function that opens the start screen next to the session, or nil.
func (p *Program) Opener() func(entry string) { return p.options.Another }

// Reach notifies the program that it has received the keys from another program.
func (p *Program) Reach() {
	for _, d := range p.windows {
		if r, ok := d.(app.Reached); ok {
			r.Reached(time.Now())
		}
	}
}

// HasKeys reports whether the keys go to the program.
func (p *Program) HasKeys() bool { return p.Sight != Beside }

// Do runs a command when Update ends.
func (p *Program) Do(cmd tea.Cmd) { p.queue = append(p.queue, cmd) }

// Queued returns what [Program.Do] was given since the last call.
func (p *Program) Queued() tea.Cmd {
	queue := p.queue
	p.queue = nil
	return tea.Batch(queue...)
}

// Wake makes the program refresh.
func (p *Program) Wake() {
	select {
	case p.kick <- struct{}{}:
	default:
	}
}

// tooSmall reports whether the terminal has too little room. Then nothing visible can receive a key, a click or
// a text.
func (p *Program) tooSmall() bool {
	return p.W > 0 && (p.W < MinWidth || p.H < MinHeight)
}

// Announce shows a message in the last line. Its time starts at the next refresh.
func (p *Program) Announce(f Flash) {
	if p.acting {
		f.question = p.Window()
	}
	p.Flash, p.flashShown = f, time.Time{}
	p.Wake()
}

// Say implements [app.Program].
func (p *Program) Say(text string) { p.Announce(Flash{Text: text}) }

// Fail implements [app.Program].
func (p *Program) Fail(text string) { p.Announce(Flash{Text: text, Wrong: true}) }

// Window returns the window that has the keys, or nil.
func (p *Program) Window() app.Dialog {
	if n := len(p.windows); n > 0 {
		return p.windows[n-1]
	}
	return nil
}

// Open implements [app.Program].
func (p *Program) Open(d app.Dialog) {
	p.Turn(func() {
		for len(p.windows) > 0 {
			if _, lasts := p.Window().(app.Lasting); lasts {
				break
			}
			p.Close(p.Window())
		}
		p.over(d)
	})
}

// over opens a window over the open ones.
func (p *Program) over(d app.Dialog) {
	p.windows = append(p.windows, d)
	p.Wake()
}

// Close implements [app.Program].
func (p *Program) Close(d app.Dialog) bool {
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

// late holds the effects on the screen of a result of work outside of Update.
type late []func()

// Turn opens a window or leads to another pane. All code that does so must use it. Actions of the user run
// immediately; effects of late results wait while the user types or has a window open.
func (p *Program) Turn(run func()) {
	if l := p.arriving; l != nil && (len(*l) > 0 || p.Window() != nil || p.Typing) {
		*l = append(*l, run)
		return
	}
	p.arriving = nil // later functions belong to it
	run()
}

// Late returns the number of results that wait until the user has finished.
func (p *Program) Late() int { return len(p.late) }

// News implements [app.Program].
func (p *Program) News(text string) { p.Say(text) }
