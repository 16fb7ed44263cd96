package question

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// A Sight records which rows of a text were visible: in a window, on the start screen, or on a terminal without
// windows. Only a Sight makes an [Agreement] to a text of others. The zero value has seen nothing. It is not
// safe for concurrent use.
type Sight struct {
	seen  []bool // seen rows
	left  int    // rows that were not visible
	laid  bool
	since time.Time // time at which the last row became visible
}

// Lay sets the number of rows of the text. None of them counts as visible yet.
func (s *Sight) Lay(rows int) { *s = Sight{seen: make([]bool, rows), left: rows, laid: true} }

// Again requires the user to read the text again: the rows that were visible no longer count.
func (s *Sight) Again() { s.Lay(len(s.seen)) }

// Show records that a row is visible to its last character.
func (s *Sight) Show(row int) {
	if s.seen[row] {
		return
	}
	s.seen[row] = true
	if s.left--; s.left == 0 {
		s.since = time.Now()
	}
}

// Left returns how many rows were not in sight yet.
func (s *Sight) Left() int { return s.left }

// First returns the first row that was not visible, or -1.
func (s *Sight) First() int {
	for i, seen := range s.seen {
		if !seen {
			return i
		}
	}
	return -1
}

// Whole reports whether all of the text was visible for some time: a key that was pressed before that was
// meant for something else.
func (s *Sight) Whole(grace time.Duration) bool {
	return s.laid && s.left == 0 && (len(s.seen) == 0 || time.Since(s.since) >= grace)
}

// Agree returns the agreement to a text if all its rows were visible for long enough. There is none for a
// text that is too large to be read.
func (s *Sight) Agree(t Text, grace time.Duration) (a Agreement, ok bool) {
	if t.IsLarge() || !s.Whole(grace) {
		return a, false
	}
	return Agreement{of: t.identity()}, true
}

// Agreement is that the user has agreed to a text. The zero value agrees to nothing.
type Agreement struct{ of string }

// To reports whether it is an agreement to the current text.
func (a Agreement) To(t Text) bool { return a.of != "" && a.of == t.identity() }

// Given reports whether it is an agreement to something.
func (a Agreement) Given() bool { return a.of != "" }

// Typed returns the agreement to the user's own input, which contains no text of others. A table lists
// each caller, with the reason.
func Typed() Agreement { return Agreement{of: typed} }

const typed = "typed"

// identity returns a value that is equal for texts with the same content to agree to.
func (t Text) identity() string {
	if t.Of != "" {
		return "of " + t.Of
	}
	text, _ := json.Marshal(t) // strings and booleans
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
