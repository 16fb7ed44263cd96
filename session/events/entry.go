package events

import (
	"time"

	"mcptea/client"
)

// A Kind is the type of an entry of a subscription.
type Kind uint8

// The kinds of entries.
const (
	// Opened is the start of delivery: the first notification of a stream, the first response to a poll,
	// or the result of events/subscribe.
	Opened Kind = iota
	// Occurred is an event.
	Occurred
	// Gap: events are missing. The server has set "truncated" and goes on with the events after them.
	Gap
	// Failed is an error that does not end the subscription.
	Failed
	// Closed: the server has closed a stream properly. The subscription may be opened again.
	Closed
	// Lost is that a stream has ended, or a poll has failed, without a word of the server: the connection
	// is lost, or it is silent for too long.
	Lost
	// Terminated is the end of the subscription by the server.
	Terminated
	// Stopped is the end of the subscription by the client.
	Stopped
	// Challenged is that the server has verified the callback of a webhook.
	Challenged
	// Trouble: requests to the callback of a webhook are wrong. Only the first of each kind is kept.
	Trouble
	// Refused is a delivery that was not accepted because the user has asked for it.
	Refused
)

var kinds = [...]string{"opened", "event", "gap", "error", "closed", "lost", "terminated", "stopped", "challenge", "trouble", "refused"}

// String returns the name of the kind in documents.
func (k Kind) String() string { return kinds[k] }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Entry is one thing that happened to a subscription.
type Entry struct {
	// Number counts the entries of the subscription, from 1.
	Number int
	Time   time.Time
	Kind   Kind
	// Row is the row of the frame of the entry, or -1 if it has none.
	Row int32
	// Event is set for Occurred.
	Event Occurrence
	// Repeated reports an event whose id an earlier one of the subscription has had.
	Repeated bool
	// Cursor is the position after the entry.
	Cursor Cursor
	// Err is the error of Failed and Terminated, and of Lost if there is one.
	Err *client.RPCError
	// Text adds words of mcptea, or is "" if the kind says everything.
	Text string
	// Delivery is set for deliveries of a webhook.
	Delivery *Delivery
}

// size returns the share of an entry in [maxEntryBytes].
func (e *Entry) size() int { return len(e.Event.Raw) + len(e.Text) + entryBytes }

// A Phase is the phase of a subscription.
type Phase uint8

// The phases.
const (
	// Opening is that a request was sent, and delivery has not begun.
	Opening Phase = iota
	// Live is that events are delivered.
	Live
	// Waiting is that the client opens it again later: see [State.Next].
	Waiting
	// Ended is that nothing more comes.
	Ended
)

var phases = [...]string{"opening", "live", "waiting", "ended"}

// String returns the name of the phase.
func (p Phase) String() string { return phases[p] }

// State is a snapshot of a subscription.
type State struct {
	// Number identifies the subscription in its session, from 1.
	Number    int
	Name      string // name of the event type
	Arguments []byte // raw
	Mode      string // see [revision.DeliveryPoll]
	Phase     Phase
	// Followed reports whether mcptea keeps the subscription running. Otherwise another client or single
	// requests do.
	Followed bool

	Began  time.Time // time of the first request
	Since  time.Time // start of delivery on the newest stream, or zero
	Row    int32     // row of the newest request
	Cursor Cursor    // newest cursor of the server
	// NoReplay reports whether the server has sent only null as a cursor.
	NoReplay bool
	// Heard is the arrival time of the newest message, and Heartbeat of the newest heartbeat, or zero.
	Heard, Heartbeat time.Time
	Heartbeats       int
	// Next is the time of the next poll or of reopening the stream, or zero if unknown.
	Next time.Time

	Events, Gaps, Failures, Repeated, Lost int
	// Entries is the number of the newest entry, and Dropped how many of the oldest are no longer kept.
	Entries, Dropped int
	// Err is the error that ended the subscription, or nil.
	Err *client.RPCError

	// The fields below are for webhooks.
	ID            string    // id of the subscription, assigned by the server
	URL           string    // URL of the callback
	RefreshBefore time.Time // zero if the server sent none
	Delivered     Deliveries
	// Status is the raw deliveryStatus of the newest refresh, or nil.
	Status []byte
}

// Silent returns how long a live stream has been silent, or 0 for other subscriptions.
func (s *State) Silent(now time.Time) time.Duration {
	if s.Phase != Live || s.Heard.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Heard))
}
