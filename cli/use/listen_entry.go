package use

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/lint/occurrence"
	"mcptea/session/events"
)

// ListenEntry is the output of mcptea listen event:NAME --json: an event, or a change of the subscription.
type ListenEntry struct {
	Time      time.Time       `json:"time"`                // time of arrival
	Kind      string          `json:"kind"`                // event, opened, gap, error, closed, lost, terminated, stopped, challenge, trouble or refused
	Mode      string          `json:"mode"`                // push, poll or webhook
	Name      string          `json:"name"`                // name of the event type
	EventID   string          `json:"eventId,omitempty"`   // as received
	Timestamp string          `json:"timestamp,omitempty"` // as received
	Data      json.RawMessage `json:"data,omitempty"`      // as received
	Cursor    *string         `json:"cursor"`              // newest position, or null without replay
	Repeated  bool            `json:"repeated,omitempty"`  // an event with this id came before
	// Checked reports that the data was compared with the payloadSchema of the type
	Checked bool         `json:"checked,omitempty"`
	Faults  []EventFault `json:"faults,omitempty"` // faults of the event
	Error   *EventError  `json:"error,omitempty"`  // error of the server
	Text    string       `json:"text,omitempty"`   // more about it, by mcptea
	Count   int          `json:"count,omitempty"`  // number of occurrences, for a trouble
	// MessageID is webhook-id of a delivery
	MessageID  string `json:"messageId,omitempty"`
	Signed     string `json:"signed,omitempty"`     // for a delivery: the secrets that verify its signature: current, previous or both
	Disordered bool   `json:"disordered,omitempty"` // an older event than one that came before
	Status     int    `json:"status,omitempty"`     // for a delivery that mcptea rejected on purpose: status of the response; absent if the sender did not wait
	Retry      int    `json:"retry,omitempty"`      // for a delivery: number of earlier attempts of its message that were not accepted
	// AfterMS is the time since the attempt before a retry
	AfterMS phrase.Millis `json:"after_ms,omitempty"`
}

// EventFault is a fault of an event.
type EventFault struct {
	Rule   string `json:"rule"`   // id of the rule, which mcptea explain describes
	Place  string `json:"place"`  // a JSON pointer into the event
	Reason string `json:"reason"` // the rest of a sentence that begins with the place
}

// EventError is an error of the server.
type EventError struct {
	Code    *int64          `json:"code,omitempty"` // error code in either numbering of the extension; absent if the error has no integer
	Name    string          `json:"name,omitempty"` // name of an error of the extension, such as NotFound
	Message string          `json:"message"`        // message of the server
	Data    json.RawMessage `json:"data,omitempty"` // as received
}

func documentOf(e *events.Entry, st *events.State, faults []occurrence.Fault, checked bool) ListenEntry {
	doc := ListenEntry{
		Time: e.Time.UTC(), Kind: e.Kind.String(), Mode: st.Mode, Name: st.Name, EventID: e.Event.ID, Timestamp: e.Event.Timestamp,
		Data: e.Event.Data, Repeated: e.Repeated, Checked: checked, Text: e.Text,
	}
	if e.Delivery != nil {
		doc.MessageID, doc.Disordered, doc.Signed = e.Delivery.MessageID, e.Delivery.Disordered, string(e.Delivery.Signed)
		doc.Retry, doc.AfterMS = e.Delivery.Retry, phrase.Millis(e.Delivery.After)
		if e.Kind == events.Refused {
			doc.Status = e.Delivery.Status
		}
	}
	if e.Cursor.Set {
		doc.Cursor = &e.Cursor.Text
	}
	for _, f := range faults {
		doc.Faults = append(doc.Faults, EventFault{f.Rule, f.Place, f.Reason})
	}
	if e.Err != nil {
		doc.Error = &EventError{Message: e.Err.Message, Data: e.Err.Data}
		if code, ok := e.Err.Code.Number(); ok {
			of, _, _ := revision.EventErrorOf(code)
			doc.Error.Code, doc.Error.Name = &code, of.Name
		}
	}
	return doc
}

// wordsOf returns an entry in a line, from the server.
func wordsOf(e *events.Entry, faults []occurrence.Fault, checked bool) string {
	switch e.Kind {
	case events.Occurred:
		text := display.Sanitize(e.Event.ID) + "  " + display.Sanitize(phrase.Clip(string(e.Event.Data), maxLogged))
		if e.Repeated {
			text += "  (again)"
		}
		if e.Delivery != nil && e.Delivery.Disordered {
			text += "  (older than one before)"
		}
		if e.Delivery != nil && e.Delivery.Retry > 0 {
			text += "  (" + e.Delivery.RetryWords() + ")"
		}
		if e.Delivery != nil && e.Delivery.Signed.IsRotation() {
			text += "  (" + e.Delivery.Signed.Words() + ")"
		}
		switch {
		case len(faults) > 0:
			text += "  ✗ " + display.Sanitize(faults[0].String())
			if more := len(faults) - 1; more > 0 {
				text += fmt.Sprintf(" (and %d more)", more)
			}
		case checked:
			text += "  ✓"
		}
		return text
	case events.Gap:
		return "gap: events are missing; the server continues " + behind(e.Cursor)
	case events.Opened:
		return strings.TrimSpace("opened " + behind(e.Cursor) + " " + e.Text)
	case events.Challenged:
		return "the server verified the callback"
	case events.Refused:
		return strings.TrimSpace(display.Sanitize(display.Cut(e.Event.ID, maxShownID)) + "  " + e.Delivery.Words() + ": " + e.Text)
	case events.Closed:
		return "the server closed the stream"
	case events.Lost:
		return "lost: " + display.Sanitize(e.Text)
	case events.Failed:
		return "error: " + display.Sanitize(errorWords(e.Err))
	case events.Terminated:
		return "the server ended the subscription: " + display.Sanitize(errorWords(e.Err))
	}
	return e.Kind.String()
}

// maxShownID bounds the printed part of an event's id, in cells, if its data is not printed.
const maxShownID = 60

func errorWords(err *client.RPCError) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	code, _ := err.Code.Number()
	if of, _, known := revision.EventErrorOf(code); known {
		text = of.Name + ": " + text
	}
	return text
}

func behind(c events.Cursor) string {
	if !c.Set {
		return "without a cursor"
	}
	return "at cursor " + display.Sanitize(display.Cut(c.Text, 60))
}
