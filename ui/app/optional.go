package app

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"mcptea/session/explain/card"
	"mcptea/ui/keys"
)

// The optional interfaces of panes, dialogs and fields. The program checks for them with type assertions. A
// type that embeds another one has its methods too.

// Neighbored is a pane with something visible next to its focus. The neighbor's commands apply to keys that
// have no meaning at the focus.
type Neighbored interface{ Neighbor() []keys.Command }

// Pointed is a pane that reports its selection.
type Pointed interface{ Subject() Subject }

// Bordered is a pane that may have a border between its parts.
type Bordered interface {
	// MoveBorder moves the border by cells to the right, or down. 0 resets it. It returns false if there is no
	// border.
	MoveBorder(n int) bool
}

// Listed is a tab with a list: its number leads there.
type Listed interface {
	Leave()
	Inside() bool // the focus is not in the list
}

// Greeted is a tab that chooses the place of the focus when the user goes to it.
type Greeted interface{ Greet() }

// Badged is a tab with a text next to its name, such as the number of items.
type Badged interface{ Badge() string }

// Emptied is a tab that may have nothing in it: it is dimmed then, and left out of a narrow row.
type Emptied interface{ Empty() bool }

// Absent is a tab that is shown only while Present returns true. Its key always works.
type Absent interface{ Present() bool }

// Aged is a tab that shows ages: it is painted again every second while Aging returns true.
type Aged interface{ Aging() bool }

// Alone is a dialog that turns off all commands of the program. Stray is called for a key without a
// meaning in the dialog. That key, and the next one, may be part of a text.
type Alone interface {
	Dialog
	Stray()
}

// Reached is a dialog that is notified when it receives the keys from another session: a key pressed at that
// moment was meant for something else.
type Reached interface{ Reached(now time.Time) }

// Notified is a program that tells a user who is looking elsewhere how long work has ended.
type Notified interface {
	Ended(what, how string, took time.Duration)
}

// Closer is a dialog whose work ends when it is closed.
type Closer interface{ Close() }

// Closed is a dialog with its own label for the key that closes it, instead of "close".
type Closed interface{ Closes() string }

// Lasting is a window that stays open below the windows that its commands open.
type Lasting interface{ Lasts() }

// WindowWidth returns the width of a dialog that wants w cells. It returns the whole screen width if fewer than
// three columns would remain visible on each side, because they would look like part of the dialog. A dialog
// that measures its text in [Dialog.Size] measures it in this width.
func WindowWidth(w, screen int) int {
	const leastBeside = 3
	if screen-w < 2*leastBeside {
		return screen
	}
	return w
}

// Placed is a dialog that is at a row of the screen, and not in the middle.
type Placed interface{ Top() int }

// Line is a field of one line, which the keys that accept and that dismiss end.
type Line interface {
	Field
	End(keep bool)
}

// Selecting is a field whose whole text may be selected: typing replaces it, and a move keeps it.
type Selecting interface{ Selected() bool }

// Completer is a field with candidates. Some keys choose among them. The field receives these keys
// before they end the typing.
type Completer interface {
	Choose(k tea.KeyPressMsg) (taken bool)
}

// Helped is a field that explains what can be typed.
type Helped interface{ Help() card.Card }

// Finder is a pane, or a screen, with things that the list of commands finds by their names.
type Finder interface{ Things() []Things }

// Scrolled is a list that counts the items above and below the visible ones.
type Scrolled interface{ Hidden() (above, below int) }
