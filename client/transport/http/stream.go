package http

import (
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/backoff"
	"mcptea/internal/words/phrase"
)

const (
	defaultRetry = time.Second
	// minRetry is the minimum for a server that sends retry: 0.
	minRetry = 50 * time.Millisecond
	maxRetry = 30 * time.Second
	// maxServerRetry bounds the retry field of a server. A longer one ends the stream.
	maxServerRetry = 5 * time.Minute
)

// A retryError reports that a server requests a longer pause than [maxServerRetry] before the next connection.
type retryError struct{ Retry time.Duration }

// Error names the pause and the maximum.
func (e *retryError) Error() string {
	return fmt.Sprintf("the retry field of the stream requests a pause of %s before the next connection, and mcptea waits for at most %s", longPause(e.Retry), phrase.Duration(maxServerRetry))
}

// longPause returns a pause, in years from one year.
func longPause(d time.Duration) string {
	const year = 365 * 24 * time.Hour
	if d >= year {
		return phrase.Count(int(d/year), "year")
	}
	return phrase.Duration(d)
}

// refusedRetry returns a [retryError], or nil if the stream may be opened again after its delay.
func (s *stream) refusedRetry() error {
	if s.hasRetry && s.retry > maxServerRetry {
		return &retryError{s.retry}
	}
	return nil
}

// stream is the state of an event stream across connections.
type stream struct {
	lastID     string
	retry      time.Duration
	hasRetry   bool // the server sent a retry field
	open       bool // the last connection was a stream
	progressed bool // the stream had a new event
}

func (s *stream) record(e Event) {
	if e.HasID {
		s.progressed = s.progressed || e.ID != s.lastID
		s.lastID = e.ID
	}
	if e.HasRetry {
		s.retry, s.hasRetry = e.Retry, true
	}
	s.progressed = s.progressed || e.Data != nil
}

// delay returns how long to wait before the next connection. It grows by half with
// each failure, up to maxRetry. The retry field of the server is the minimum
// (2025-11-25, transports, "Sending Messages").
func (s *stream) delay(failures int) time.Duration {
	least := defaultRetry
	if s.hasRetry {
		least = max(s.retry, minRetry)
	}
	return max(backoff.Backoff{First: least, Most: maxRetry, Factor: 1.5}.After(failures+1), least)
}

// onMessage is called with each complete message of a stream.
type onMessage func(frame []byte, e jsonrpc.Envelope)

// events delivers the events of the body until it ends; a clean end is not an error. An event
// without data is not a message.
func events(ex *Exchange, s *stream, hear onMessage) error {
	s.open = true
	return ex.events(func(e Event) error {
		s.record(e)
		if e.Data == nil {
			return nil
		}
		envelope := ex.deliver(e.Data, false, e.ID, e.Name)
		// Events of other types are not messages.
		if e.Name == "" || e.Name == "message" {
			hear(e.Data, envelope)
		}
		return nil
	})
}
