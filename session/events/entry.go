package events

import (
	"time"

	"mcptea/client"
)

// Kind says what an entry of a subscription is.
type Kind uint8

// The kinds of entries.
const (
	// Opened is the start of delivery: the first notification of a stream, the first response to a poll,
	// or the result of events/subscribe.
	Opened Kind = iota
	// Occurred is an event.
	Occurred
	// Gap is that events are missing: the server says truncated, and goes on behind them.
	Gap
	// Failed is an error that does not end the subscription.
	Failed
	// Closed is that the server has closed a stream in good order; the subscription may be opened again.
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
	// Trouble is what is wrong with requests to the callback of a webhook: the first of each kind.
	Trouble
	// Refused is a delivery that was not accepted because the user has asked for it.
	Refused
)

var kinds = [...]string{"opened", "event", "gap", "error", "closed", "lost", "terminated", "stopped", "challenge", "trouble", "refused"}

// String is the word for the kind that documents use.
func (k Kind) String() string { return kinds[k] }

// MarshalText implements encoding.TextMarshaler.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Entry is one thing that happened to a subscription.
type Entry struct {
	// Number counts the entries of the subscription, from 1.
	Number int
	Time   time.Time
	Kind   Kind
	// Row is the frame that says so; -1 for what no frame says.
	Row int32
	// Event is set for Occurred.
	Event Occurrence
	// Repeated reports an event whose id an earlier one of the subscription has had.
	Repeated bool
	// Cursor is the position behind the entry.
	Cursor Cursor
	// Err is the error of Failed and Terminated, and of Lost if there is one.
	Err *client.RPCError
	// Text says more in words of mcptea; empty if the kind says all.
	Text string
	// Delivery is set for what a webhook has brought.
	Delivery *Delivery
}

// size is what an entry takes of [maxEntryBytes].
func (e *Entry) size() int { return len(e.Event.Raw) + len(e.Text) + entryBytes }

// Phase says what a subscription is at.
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

// String is the word for the phase.
func (p Phase) String() string { return phases[p] }

// State is what is known of a subscription. It is a copy.
type State struct {
	// Number identifies the subscription in its session, from 1.
	Number    int
	Name      string // of the event type
	Arguments []byte // raw
	Mode      string // see [revision.DeliveryPoll]
	Phase     Phase
	// Followed reports that mcptea keeps the subscription going; else it is that of another client, or
	// of single requests.
	Followed bool

	Began  time.Time // when it was first asked for
	Since  time.Time // when delivery began, on the newest stream; zero before
	Row    int32     // of the newest request
	Cursor Cursor    // the newest that the server has sent
	// NoReplay reports that the server has sent no cursor but null.
	NoReplay bool
	// Heard is when anything last came, and Heartbeat when a heartbeat did; zero before.
	Heard, Heartbeat time.Time
	Heartbeats       int
	// Next is when the client polls again, or opens the stream again; zero if it is not known.
	Next time.Time

	Events, Gaps, Failures, Repeated, Lost int
	// Entries is the number of the newest entry, and Dropped how many of the oldest are no longer kept.
	Entries, Dropped int
	// Err is the error of its end; nil without one.
	Err *client.RPCError

	// What follows is of webhooks.
	ID            string    // of the subscription, by the server
	URL           string    // of the callback
	RefreshBefore time.Time // zero without one
	Delivered     Deliveries
	// Status is deliveryStatus of the newest refresh, raw; nil without one.
	Status []byte
}

// Silent is for how long nothing has come of a stream that is live; 0 for others.
func (s *State) Silent(now time.Time) time.Duration {
	if s.Phase != Live || s.Heard.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.Heard))
}
