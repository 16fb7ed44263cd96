package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	mcphttp "mcptea/client/transport/http"
	"mcptea/offer"
	"mcptea/offer/changes"
	"mcptea/offer/diff"
)

// A Cause is the reason why a connection replaces another one.
type Cause struct {
	// Text is the event, such as "main.go saved", or "" for the user's command.
	Text string
	// Built is the duration of the build, or 0 if nothing was built.
	Built time.Duration
	// Generation is the generation of the sources that the server is started from, at least. It is 0 if the
	// sources have no generation, or if they are the sources of the server before.
	Generation uint64
}

// Restarted is a connection that replaced an earlier one.
type Restarted struct {
	Number int    // 1-based
	Conn   uint16 // number of the connection in the record
	Cause  Cause
	At     time.Time
	Took   time.Duration // duration of connecting
	// Lists holds the differences between the fetched lists and the lists of the previous connection, by
	// name.
	Lists map[string]changes.Counts
}

// ReplacedBy returns the number of the restart that replaced a connection, or 0 if it is the newest one.
func (st *State) ReplacedBy(conn uint16) int {
	for i := range st.Restarts {
		if r := &st.Restarts[i]; r.Conn > conn {
			return r.Number
		}
	}
	return 0
}

// maxRestarts bounds the restarts that a state names.
const maxRestarts = 100

// Restart closes the connection, if there is one, and reconnects. The record
// continues.
func (s *Session) Restart(ctx context.Context) error { return s.RestartAfter(ctx, Cause{}) }

// RestartAfter is like [Session.Restart], but takes the cause.
func (s *Session) RestartAfter(ctx context.Context, cause Cause) error {
	if s.recorded != nil {
		return errRecording
	}
	s.mu.Lock()
	if s.stop != nil {
		s.stop() // cancel a running attempt
	}
	reason := "mcptea connected again"
	switch {
	case errors.Is(s.state.Err, mcphttp.ErrSessionExpired):
		reason = "to another request the server had returned 404, so it no longer knows the session"
	case cause.Text != "":
		reason += " (" + cause.Text + ")"
	}
	s.mu.Unlock()
	s.connecting <- struct{}{}
	defer func() { <-s.connecting }()
	s.disconnect(ctx, reason)
	return s.connect(ctx, cause)
}

// restarted notes that a connection is Ready, and compares the server's description of itself with the previous
// one.
func (s *Session) restarted(conn uint16, cause Cause) {
	s.mu.Lock()
	h := s.state.Handshake
	first := s.state.Attempt == 1
	s.state.Current = conn
	if !first {
		s.restartCount++
	}
	number := s.restartCount
	if number > 0 {
		r := Restarted{Number: number, Conn: conn, Cause: cause, At: s.state.Started, Took: s.state.Took}
		from := max(0, len(s.restarts)-maxRestarts+1)
		s.restarts = append(slices.Clone(s.restarts[from:]), r)
	}
	took := s.state.Took
	s.mu.Unlock()
	if !first {
		s.store.Inform(RestartNote(number, cause, took))
	}
	offered, _ := diff.Offer(h.Result)
	offered.Revision = string(h.Revision)
	s.changes.SetServer(offered, number)
}

// RestartNote describes in one line that a connection has replaced an earlier one.
func RestartNote(number int, cause Cause, took time.Duration) string {
	parts := []string{fmt.Sprintf("restart %d", number)}
	if cause.Text != "" {
		parts = append(parts, cause.Text)
	}
	if cause.Built > 0 {
		parts = append(parts, fmt.Sprintf("built in %s", cause.Built.Round(time.Millisecond)))
	}
	return strings.Join(append(parts, fmt.Sprintf("connected in %s", took.Round(time.Millisecond))), ", ")
}

// listFetched compares a list with its previous version.
func (s *Session) listFetched(name string, items []offer.Item) {
	entries := make([]changes.Entry, len(items))
	for i, it := range items {
		entries[i] = changes.Entry{Key: it.Key(), Raw: it.Raw}
	}
	number := s.restartOf(name)
	step := s.changes.SetList(name, entries, number)
	if number == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.restarts) - 1
	if n < 0 || s.restarts[n].Number != number {
		return // another restart has started
	}
	s.restarts = slices.Clone(s.restarts)
	lists := map[string]changes.Counts{name: step}
	maps.Copy(lists, s.restarts[n].Lists)
	s.restarts[n].Lists = lists
}

// restartOf returns the number of the restart that a list belongs to. It returns 0 if the list was fetched on
// this connection before, or on the first connection.
func (s *Session) restartOf(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.restarts) - 1
	if n < 0 {
		return 0
	}
	if _, known := s.restarts[n].Lists[name]; known {
		return 0
	}
	return s.restarts[n].Number
}
