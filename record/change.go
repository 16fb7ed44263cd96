package record

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/internal/words/phrase"
)

// A Change is the effect of a breakpoint or a fault on a frame. The row holds one version of the frame;
// Received or Sent holds the other.
type Change struct {
	Row  int32 // 0-based
	What Changed
	// Breakpoint is the number of the breakpoint that held the frame, or 0.
	Breakpoint int
	// Faults lists the names of the faults that were applied.
	Faults []string
	// Why names who decided: "" for the user, or a reason such as "time limit".
	Why string
	// Held is for how long the frame was held.
	Held time.Duration
	// Received holds the bytes as received, if the row holds what was forwarded.
	Received []byte
	// Sent holds the frames that were forwarded instead of the row. Nil: the row was forwarded
	// once, unchanged. Empty: nothing was forwarded.
	Sent [][]byte
}

// A Changed is the outcome for a frame that a breakpoint or a fault stopped.
type Changed uint8

// NotChanged is the value for frames that were not stopped.
const (
	NotChanged     Changed = iota
	Forwarded              // the frame was forwarded later, unchanged
	Edited                 // the user has changed its bytes
	Dropped                // the frame was not forwarded
	Duplicated             // the frame was forwarded twice
	Delayed                // forwarded unchanged, after a chosen delay
	AnsweredByHand         // not forwarded: the user responded to its sender
	ByFault                // a fault has changed it
	Added                  // written by the user, not received
)

var changedNames = [...]string{"", "forwarded", "edited", "dropped", "duplicated", "delayed", "answered", "fault", "injected"}

// String returns the name of the outcome in the file.
func (c Changed) String() string { return changedNames[c] }

// OnPurpose reports whether a breakpoint, a fault or the user has changed the frame. A tap also changes frames
// itself: for example, it refuses requests while there is no server, and records the reason.
func (c *Change) OnPurpose() bool {
	return c.Breakpoint != 0 || len(c.Faults) > 0 || c.What == AnsweredByHand || c.What == ByFault || c.Why == ""
}

// Mark describes the outcome in a few words, for a list.
func (c *Change) Mark() string {
	held := ""
	if c.Held > 0 {
		held = phrase.Duration(c.Held)
	}
	switch c.What {
	case Forwarded:
		return join("held", held+",", "forwarded")
	case Edited:
		if !c.OnPurpose() {
			return "changed by mcptea"
		}
		return strings.TrimSuffix(join("edited,", held), ",")
	case Delayed:
		return join("delayed", held)
	case Duplicated:
		return "sent twice"
	case AnsweredByHand:
		return "answered by hand"
	case Added:
		if c.Why != "" {
			return c.Why
		}
	case ByFault:
		return "fault " + strings.Join(c.Faults, ", ")
	}
	return c.What.String()
}

func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "," }), " ")
}

// Text returns a sentence without its subject and without the bytes: "was held for 34.4 s by
// breakpoint 1, then edited and forwarded".
func (c *Change) Text() string {
	var b strings.Builder
	if c.Breakpoint != 0 {
		fmt.Fprintf(&b, "was held for %s by breakpoint %d, then ", phrase.Duration(c.Held), c.Breakpoint)
	} else if c.Held > 0 && c.What != Added {
		fmt.Fprintf(&b, "was held for %s, then ", phrase.Duration(c.Held))
	} else {
		b.WriteString("was ")
	}
	b.WriteString(map[Changed]string{
		Forwarded: "forwarded unchanged", Edited: "edited and forwarded", Dropped: "dropped: nothing was forwarded", Duplicated: "forwarded twice",
		Delayed: "forwarded after a delay", AnsweredByHand: "answered by hand: nothing was forwarded", Added: "injected: no peer has written it",
		ByFault: "changed",
	}[c.What])
	if len(c.Faults) > 0 {
		b.WriteString(" by the fault " + strings.Join(c.Faults, ", "))
	}
	if c.Why != "" {
		b.WriteString(" (" + c.Why + ")")
	}
	return b.String()
}

// Both returns both versions of a frame; body is the version in the row. received is nil if no peer
// wrote the frame. sent are the forwarded frames.
func (c *Change) Both(body []byte) (received []byte, sent [][]byte) {
	sent = [][]byte{body}
	if c.Sent != nil || c.What == Dropped {
		sent = c.Sent
	}
	switch {
	case c.Received != nil:
		return c.Received, sent
	case c.What == Added:
		return nil, sent
	}
	return body, sent
}
