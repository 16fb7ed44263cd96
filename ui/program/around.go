package program

import (
	"time"

	"mcptea/ui/app"
	"mcptea/ui/keys"
	"mcptea/ui/paint"
)

// Route is a pane whose commands can be run from anywhere; Show gives it the focus.
type Route struct {
	app.Part
	Show func()
}

// Pace says when to look again at what is new, though nothing was reported.
type Pace struct {
	Behind bool          // at once: a search goes on
	Next   time.Duration // when a clock moves; 0 for never
	Rest   time.Duration // the shortest time until then; 0 is minRefresh
}

// Moves is the pace of a clock; slow is how long its steps are while nothing is busy, 0
// without one.
func Moves(busy bool, slow time.Duration) time.Duration {
	if busy {
		return ClockInterval
	}
	return slow
}

// Chip is what the first line says of a session while there are several.
type Chip struct {
	Name  string // untrusted, unless it is Given by the user
	Given bool
	State paint.Span   // a sign
	More  []paint.Span // each begins with a sign
	Asks  int          // what waits for the user there

	Target    func() string // the command or the URL of a live session; untrusted
	Recording string        // the file that is shown; empty for a live session
	Tap       bool          // it watches another client
}

// Chipped is a screen with a session.
type Chipped interface{ Chip() Chip }

// Session is a session of the terminal, with the name of its chip.
type Session struct {
	Screen
	Name string
}

// Tap is a tap of this machine that no session shows.
type Tap struct {
	Name string // looks like no session
	Show func() // opens it
}

// Around are the programs that share the terminal.
type Around interface {
	Commands() []keys.Command
	// Open opens the start screen at an entry, or says why not.
	Open(entry string)
	// Things are the sessions, for the list of commands.
	Things() []app.Things
	// PutChips writes the sessions into the first line, up to a column, and reports whether there
	// are some beside the one of the program.
	PutChips(p *Program, c *app.Canvas, r *paint.Row, end int) bool
	// Sessions are those of the terminal: at first the one with the keys, then the one beside it, then
	// the others, the one that was used last before.
	Sessions() []Session
	// Taps are those that no session shows.
	Taps() []Tap
	Focus(p *Program)
	// Wake has what is in sight look at what is new. It may be called from any goroutine but that
	// of Update.
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
