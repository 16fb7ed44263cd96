package record

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// Change is what a breakpoint or a fault made of a frame. The frame of its row is one
// side of it, and Received or Sent is the other.
type Change struct {
	Row  int32 // from 0
	What Changed
	// Breakpoint is the number of the breakpoint that held the frame; 0 if none did.
	Breakpoint int
	// Faults are the names of the faults that were applied.
	Faults []string
	// Why says who has decided: empty for the user, else such as "time limit".
	Why string
	// Held is for how long the frame was held.
	Held time.Duration
	// Received is set if the row is what was sent on: the bytes that were received in
	// its place.
	Received []byte
	// Sent are the frames that went on in place of the row; nil if that went on as it
	// is, once, and empty if nothing did.
	Sent [][]byte
}

// Changed is what has become of a frame that a breakpoint or a fault stopped.
type Changed uint8

// The values. NotChanged is that of a frame that was not stopped.
const (
	NotChanged     Changed = iota
	Forwarded              // it went on as it was, later
	Edited                 // the user has changed its bytes
	Dropped                // nothing went on
	Duplicated             // it went on twice
	Delayed                // it went on as it was, after a delay that was chosen
	AnsweredByHand         // nothing went on; its sender received a response of the user
	ByFault                // a fault has changed it
	Added                  // it was not received: the user has written it
)

var changedNames = [...]string{"", "forwarded", "edited", "dropped", "duplicated", "delayed", "answered", "fault", "injected"}

// String names what has become of the frame, as in the file.
func (c Changed) String() string { return changedNames[c] }

// Mark says in a few words what has become of a frame, for a list.
func (c *Change) Mark() string {
	held := ""
	if c.Held > 0 {
		held = transport.FormatDuration(c.Held)
	}
	switch c.What {
	case Forwarded:
		return join("held", held+",", "forwarded")
	case Edited:
		return strings.TrimSuffix(join("edited,", held), ",")
	case Delayed:
		return join("delayed", held)
	case Duplicated:
		return "sent twice"
	case AnsweredByHand:
		return "answered by hand"
	case ByFault:
		return "fault " + strings.Join(c.Faults, ", ")
	}
	return c.What.String()
}

func join(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" || w == "," }), " ")
}

// Text is a sentence without its subject and without the bytes: "was held for 34.4 s by
// breakpoint 1, edited and sent on".
func (c *Change) Text() string {
	var b strings.Builder
	if c.Breakpoint != 0 {
		fmt.Fprintf(&b, "was held for %s by breakpoint %d, then ", transport.FormatDuration(c.Held), c.Breakpoint)
	} else if c.Held > 0 && c.What != Added {
		fmt.Fprintf(&b, "was held for %s, then ", transport.FormatDuration(c.Held))
	} else {
		b.WriteString("was ")
	}
	b.WriteString(map[Changed]string{
		Forwarded: "forwarded as received", Edited: "edited and sent on", Dropped: "dropped: nothing was sent on", Duplicated: "sent on twice",
		Delayed: "sent on after a delay", AnsweredByHand: "answered by hand: nothing was sent on", Added: "injected: no peer has written it",
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

// Both returns both sides of a frame, whose row has the bytes body: what was received, nil
// if no peer has written it, and what was sent on.
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

// appendChange appends what a breakpoint or a fault made of a frame.
func appendChange(dst []byte, seq int64, at time.Time, c *Change) []byte {
	dst = appendHead(dst, seq, at, nameChange)
	dst = appendInt(dst, "row", int64(c.Row)+1)
	dst = appendText(dst, "what", c.What.String())
	if c.Breakpoint != 0 {
		dst = appendInt(dst, "breakpoint", int64(c.Breakpoint))
	}
	if len(c.Faults) > 0 {
		dst = appendJSON(dst, "faults", c.Faults)
	}
	if c.Why != "" {
		dst = appendText(dst, "why", c.Why)
	}
	if c.Held > 0 {
		dst = appendInt(dst, "held", int64(c.Held))
	}
	if c.Received != nil {
		dst = appendSide(append(dst, `,"received":`...), c.Received)
	}
	if c.Sent != nil {
		dst = append(dst, `,"sent":[`...)
		for i, frame := range c.Sent {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSide(dst, frame)
		}
		dst = append(dst, ']')
	}
	return append(dst, "}\n"...)
}

// appendSide appends a frame as a string, or in Base64 in an array if it is not UTF-8.
func appendSide(dst, frame []byte) []byte {
	if utf8.Valid(frame) {
		return append(dst, jsonrpc.StringID(string(frame))...)
	}
	dst = append(dst, `["`...)
	dst = base64.StdEncoding.AppendEncode(dst, frame)
	return append(dst, `"]`...)
}

func decodeSide(value []byte) ([]byte, error) {
	if len(value) > 0 && value[0] == '[' {
		for element := range jsonrpc.Elements(value) {
			text, _ := jsonrpc.Unquote(element)
			return base64.StdEncoding.DecodeString(text)
		}
	}
	text, ok := jsonrpc.Unquote(value)
	if !ok {
		return nil, errors.New("it has no frame that can be read")
	}
	return []byte(text), nil
}

func decodeChange(line []byte) (*Change, error) {
	row := clamp(line, "row", 0, math.MaxInt64)
	if row < 1 || row > math.MaxInt32 {
		return nil, errors.New("it changes no row")
	}
	what := slices.Index(changedNames[:], text(line, "what"))
	if what < 1 {
		return nil, errors.New("it does not say what has become of the frame")
	}
	c := &Change{
		Row: int32(row) - 1, What: Changed(what), Breakpoint: int(clamp(line, "breakpoint", 0, math.MaxInt32)),
		Why: text(line, "why"), Held: took(line, "held"),
	}
	faults, _ := jsonrpc.Member(line, "faults")
	for element := range jsonrpc.Elements(faults) {
		name, _ := jsonrpc.Unquote(element)
		c.Faults = append(c.Faults, name)
	}
	var err error
	if received, ok := jsonrpc.Member(line, "received"); ok {
		if c.Received, err = decodeSide(received); err != nil {
			return nil, err
		}
	}
	if sent, ok := jsonrpc.Member(line, "sent"); ok {
		c.Sent = [][]byte{}
		for element := range jsonrpc.Elements(sent) {
			frame, err := decodeSide(element)
			if err != nil {
				return nil, err
			}
			c.Sent = append(c.Sent, frame)
		}
	}
	return c, nil
}
