package events

import (
	"bytes"
	"strconv"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/record"
)

// Delivery is a POST to the callback of a webhook.
type Delivery struct {
	// MessageID is webhook-id, and Subscription X-MCP-Subscription-Id.
	MessageID, Subscription string
	// Repeated reports a message whose id an earlier one has had.
	Repeated bool
	// Signed reports which secret of the subscription verifies the signature: the current one or the previous
	// one.
	Signed record.Signature
	// Disordered reports an event that is older than one that came before it.
	Disordered bool
	// Status is the HTTP status of the response, or 0 if there was none.
	Status int
	// Retry is the number of earlier attempts for the same message that were not accepted. After is the time
	// since the newest of them.
	Retry int
	After time.Duration
}

// Words describes the response to a delivery that was not accepted, and which retry of its message it is.
func (d *Delivery) Words() string {
	text := "no response"
	if d.Status != 0 {
		text = strconv.Itoa(d.Status)
	}
	if d.Retry > 0 {
		text += " to " + d.RetryWords()
	}
	return text
}

// RetryWords describes which retry of its message a delivery is, or returns "" for the first attempt.
func (d *Delivery) RetryWords() string {
	return (&record.Delivery{Retry: d.Retry, After: d.After}).RetryWords()
}

// Deliveries counts the accepted POSTs to a callback.
type Deliveries struct {
	Accepted int // number of accepted deliveries
	// ByEvent counts events whose webhook-id is their eventId. ByMessage counts those with a message id, as the
	// newest text of SEP-3415 requires.
	ByEvent, ByMessage int
	Disordered         int // see [Delivery.Disordered]
}

// MessageIDs describes what webhook-id has identified so far: drafts of SEP-3415 and its newest text differ. It
// returns "" before the first event.
func (d Deliveries) MessageIDs() string {
	switch {
	case d.ByEvent > 0 && d.ByMessage > 0:
		return "the eventId of " + phrase.Count(d.ByEvent, "event") + ", and an id of the message of " + phrase.Digits(d.ByMessage)
	case d.ByEvent > 0:
		return "the eventId"
	case d.ByMessage > 0:
		return "an id of the message"
	}
	return ""
}

// subscribed handles a response to events/subscribe, of the first request or a refresh.
func (s *subscription) subscribed(row int32, at time.Time, result []byte, failure *client.RPCError) {
	s.read = row
	if failure != nil {
		s.refused(row, at, failure)
		return
	}
	s.ID = jsonrpc.Text(result, "id")
	s.RefreshBefore = time.Time{}
	if until, err := time.Parse(time.RFC3339Nano, jsonrpc.Text(result, "refreshBefore")); err == nil {
		s.RefreshBefore = until
	}
	if status, ok := jsonrpc.Member(result, "deliveryStatus"); ok {
		s.Status = bytes.Clone(status)
	}
	c, _ := cursorOf(result)
	refreshed := s.opened
	s.moved(c)
	if s.opened, s.Phase = true, Live; s.Since.IsZero() {
		s.Since = at
	}
	if !refreshed {
		s.add(Entry{Time: at, Kind: Opened, Row: row})
	}
	if isTrue(result, "truncated") {
		s.Gaps++
		s.add(Entry{Time: at, Kind: Gap, Row: row})
	}
}

// unsubscribed handles a response to events/unsubscribe.
func (s *subscription) unsubscribed(row int32, at time.Time, failure *client.RPCError) {
	s.read = row
	text := ""
	if failure != nil {
		text = failure.Error()
	}
	s.stopped(row, at, text)
}
