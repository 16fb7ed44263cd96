package intercept

import (
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// DefaultLimit bounds the time for which a frame is held without a decision. Many hosts give up a request after
// a minute.
const DefaultLimit = time.Minute

// Breakpoint holds the frames that match a filter.
type Breakpoint struct {
	ID       int    `json:"id"` // from 1; 0 for a new one
	Filter   string `json:"filter"`
	Disabled bool   `json:"disabled,omitempty"`
	Hits     int    `json:"hits,omitempty"` // frames that were held
}

// Held is a frame that waits.
type Held struct {
	ID int64 `json:"id"` // from 1, unique in the gate
	// Row is the row of the frame in the record, [store.None] while it is not
	// recorded: a frame of the inspector's own connection is recorded when it is
	// sent.
	Row       int32               `json:"row"`
	Dir       transport.Direction `json:"dir"`
	Kind      jsonrpc.Kind        `json:"kind"`
	Method    string              `json:"method,omitempty"` // for a response, the method of its request, if it is known
	MessageID jsonrpc.ID          `json:"message,omitzero"`
	// Bytes is the frame as its sender has written it.
	Bytes []byte `json:"bytes"`
	// Session is the session of a tap with several, empty otherwise.
	Session string `json:"session,omitempty"`

	Since time.Time `json:"since"`
	// Until is when the frame is forwarded if there is no decision, or when its delay ends.
	Until time.Time `json:"until"`
	// Breakpoint is the ID of the breakpoint that holds the frame; 0 if it waits
	// only for the held frame Behind.
	Breakpoint int   `json:"breakpoint,omitempty"`
	Behind     int64 `json:"behind,omitempty"`
	// Stopped reports that its clock is stopped: it is held without a time limit while
	// its text is edited, and Until does not count.
	Stopped bool `json:"stopped,omitempty"`
	// Delayed reports that the decision was to delay it.
	Delayed bool `json:"delayed,omitempty"`
}

// State is a copy of the held frames and the rules of a gate. It belongs to the caller, except for the bytes of
// the frames.
type State struct {
	Breakpoints []Breakpoint `json:"breakpoints"`
	Faults      []Fault      `json:"faults"`
	Held        []Held       `json:"held"` // oldest first
	// Stalled is the number of senders that wait because there is no room for more frames behind the
	// held ones.
	Stalled int `json:"stalled,omitempty"`
}

// Waiting returns the number of frames that a breakpoint holds.
func (s State) Waiting() int {
	n := 0
	for _, h := range s.Held {
		if h.Breakpoint != 0 {
			n++
		}
	}
	return n
}

// An Action is the decision about a held frame.
type Action string

// The actions.
const (
	Forward   Action = "forward"   // forward it immediately, even before frames that were held earlier
	Drop      Action = "drop"      // do not forward it
	Duplicate Action = "duplicate" // forward it twice
	Delay     Action = "delay"     // forward it after Decision.Delay
	Respond   Action = "respond"   // do not forward it; its sender receives Decision.Bytes
)

// A Decision is the user's decision about a held frame.
type Decision struct {
	Action Action `json:"action"`
	// Bytes is forwarded instead of the received frame. If nil, the received frame is forwarded
	// unchanged. With Respond, Bytes is the response.
	Bytes []byte        `json:"bytes"`
	Delay time.Duration `json:"delay,omitempty"` // with Delay
}

// noRow is the row of a frame that is not recorded.
const noRow = store.None
