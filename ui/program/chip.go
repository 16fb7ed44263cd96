package program

import (
	"mcptea/ui/paint"
)

// A Chip is the label of a session in the first line when there are several.
type Chip struct {
	Name  string // untrusted, unless it is Given by the user
	Given bool
	State paint.Span   // a sign
	More  []paint.Span // each starts with a sign
	Asks  int          // number of questions that wait for the user there

	Target    func() string // the command or the URL of a live session; untrusted
	Recording string        // the file that is shown; empty for a live session
	Tap       bool          // it is a tap of another client
}

// Chipped is a screen with a session.
type Chipped interface{ Chip() Chip }

// Tap is a tap of this machine that no session shows.
type Tap struct {
	Name string // it cannot look like the name of a session
	Show func() // opens it
}
