package store

import (
	"fmt"
	"math"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/flow"
)

// record writes an event to the journal and adds it to the index. It returns its row, or None. The caller holds
// the lock.
func (s *Store) record(e record.Event) int32 {
	s.passes(&e)
	at, size := s.lines.event(&e)
	return s.apply(&e, at, size)
}

// event records events, wakes the subscribers, and returns the row of the first event, or None.
func (s *Store) event(events ...record.Event) int32 {
	s.mu.Lock()
	row := s.record(events[0])
	for _, e := range events[1:] {
		s.record(e)
	}
	s.mu.Unlock()
	s.Notify()
	return row
}

// Line records a line on stderr.
func (s *Store) Line(l transport.Line) {
	s.event(record.Event{Kind: record.KindStderr, Time: l.Time, Text: l.Text})
}

// Delivery records a POST to the callback of a webhook.
func (s *Store) Delivery(at time.Time, d *record.Delivery, body []byte) {
	s.event(record.Event{Kind: record.KindDelivery, Time: at, Delivery: d, Text: string(body)})
}

// Exchange records a phase of an HTTP exchange. The end of an exchange with an authorization server is also a
// row, because no frames would show it.
func (s *Store) Exchange(x *transport.Exchange) {
	s.event(record.Event{Kind: record.KindHTTP, Time: time.Now(), Exchange: x})
}

// Step records a step of connecting.
func (s *Store) Step(st client.Step) {
	step := &record.Step{Name: st.Name, State: st.State.String(), Detail: st.Detail, Took: st.Took, Absent: st.Absent}
	s.event(record.Event{Kind: record.KindStep, Time: time.Now(), Step: step})
}

// Authorization records a step of getting a token.
func (s *Store) Authorization(st oauth.Step) {
	s.event(record.Event{Kind: record.KindAuthorization, Time: st.Start, Step: record.StepOf(st)})
}

// Note records a decision of mcptea and its reason. It also adds them to the log, as a warning.
func (s *Store) Note(text string) { s.say(text, "") }

// Inform is like [Store.Note], but records something that is not a problem.
func (s *Store) Inform(text string) { s.say(text, record.LevelInfo) }

func (s *Store) say(text, level string) {
	s.mu.Lock()
	delete(s.exits, s.matcher.Conn())
	s.record(record.Event{Kind: record.KindNote, Time: time.Now(), Text: text, Level: level})
	s.mu.Unlock()
	s.Notify()
}

// Process records a change in the life of the server's process. An exit is also a row, because it
// explains why no more frames arrive. sentence is the body of that row.
func (s *Store) Process(e transport.ProcessEvent, sentence string) {
	e = e.Masked(secret.Args)
	s.event(processEvents(&e, sentence)...)
}

// processEvents returns the events for a change in the life of a process: the change, and the
// sentence about an exit.
func processEvents(e *transport.ProcessEvent, sentence string) []record.Event {
	events := []record.Event{{Kind: record.KindProcess, Time: e.Time, Process: e}}
	if e.What == transport.ProcessExited {
		events = append(events, record.Event{Kind: record.KindNote, Time: e.Time, Text: sentence})
	}
	return events
}

// ExitSentence describes how a process has ended. started is when it was started. The sentence is
// the body of the row of the exit.
func ExitSentence(e transport.ProcessEvent, started time.Time) string {
	after := phrase.Duration(e.Time.Sub(started))
	how := fmt.Sprintf("code %d", e.ExitCode)
	if e.Signal != "" {
		how = e.Signal
	}
	if e.Expected {
		return fmt.Sprintf("process stopped by the client  %s after %s", how, after)
	}
	return fmt.Sprintf("process exited  %s after %s", how, after)
}

// Connection records a change of the connection's state, and sets its number. On a new connection,
// ids start again. Pending requests of the previous connection no longer get a response.
func (s *Store) Connection(c record.Connection) {
	s.mu.Lock()
	c.Number = s.matcher.Conn()
	if c.What == record.ConnectionOpened && (len(s.conns) > 0 || s.counts.Rows > 0) {
		c.Number = nextConn(max(c.Number, s.numbered))
	}
	s.change(c)
	s.mu.Unlock()
	s.Notify()
}

// nextConn returns the number of the connection after the given one. After the maximum, all
// connections have the same number, because 0 means the connection of the session.
func nextConn(number uint16) uint16 { return min(number, math.MaxUint16-1) + 1 }

func (s *Store) change(c record.Connection) {
	s.record(record.Event{Kind: record.KindConnection, Time: time.Now(), Connection: &c})
}

// Conn returns the number of the connection that is being recorded, from 1.
func (s *Store) Conn() uint16 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.matcher.Conn()
}

// Disconnected records the end of a connection. Its pending requests get no response. Disconnected
// does nothing if it is called again, or if the connection is not the current one.
func (s *Store) Disconnected(conn uint16, reason string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.conns); n == 0 || conn != s.matcher.Conn() || s.isClosed(conn) {
		return
	}
	s.change(record.Connection{What: record.ConnectionClosed, Number: conn, Reason: reason})
	defer s.Notify()
}

// isClosed reports whether a connection has ended. The caller holds the lock.
func (s *Store) isClosed(conn uint16) bool {
	i := slices.IndexFunc(s.conns, func(c Connection) bool { return c.Number == conn })
	return i < 0 || !s.conns[i].Closed.IsZero()
}

// Lost records that a request of the client gets no response although the connection remains open.
func (s *Store) Lost(id jsonrpc.ID) { s.end(record.Ended{ID: id}) }

// Cancelled records that a request of the client was cancelled without a message: by the end of its HTTP
// exchange, or by the server.
func (s *Store) Cancelled(id jsonrpc.ID) { s.end(record.Ended{ID: id, Cancelled: true}) }

// end records the end of the wait for a response, if the request is pending.
func (s *Store) end(e record.Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.matcher.Table().Find(transport.Out, e.ID.Token()); f == nil || f.State != flow.Pending {
		return
	}
	s.record(record.Event{Kind: record.KindEnded, Time: time.Now(), Ended: &e})
}
