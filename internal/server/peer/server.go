package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// Server describes what all sessions of a server offer. It must be complete before the first session starts,
// and is then read-only, except for [Server.Replace]. Its methods are safe for concurrent use.
type Server struct {
	Info         json.RawMessage // the serverInfo of the newest protocol version
	Capabilities json.RawMessage // capabilities of all protocol versions
	Instructions string
	// Pages maps methods to the number of entries in a page of their list; 0 for all.
	Pages map[string]int
	// Lists are the tools, resources, templates and prompts, by the names of the
	// lists in package revision.
	Lists map[string][]*Entry

	// Era selects the supported versions.
	Era Era
	// Pace is the real duration of a second of simulated work, or 0 for a second.
	Pace time.Duration
	// Log receives a line about each internal error. It may be nil.
	Log io.Writer
	// Bend changes how sessions behave, for servers that are wrong on purpose.
	Bend Bend
	// Events configures the delivery of events.
	Events Events

	memory memory // memory of stateless requests
	tasks  tasks
	states states
	events eventLog

	mu        sync.Mutex
	listeners map[*listener]bool
	sessions  map[*Session]bool
}

// Bend makes sessions misbehave. The zero value changes nothing.
type Bend struct {
	// Incoming sees each request and notification before it is served, and
	// reports whether it has dealt with it itself.
	Incoming func(*Session, Message) bool
	// Result changes the result of a method.
	Result func(method string, result []byte) []byte
	// Answer converts the response to a request into the frames to send. The last one is the response.
	Answer func(m Message, frame []byte) [][]byte
	// CursorLoop makes every page of a list point to one more.
	CursorLoop bool
	// Notify changes a notification of a stream of events, or leaves it out.
	Notify func(method string, params map[string]any) (string, map[string]any)
	// Silent makes streams of events have no heartbeat.
	Silent bool
	// LateAnswers makes a cancelled tool answer all the same.
	LateAnswers bool
}

// list returns a list, by its name.
func (s *Server) list(name string) []*Entry {
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == revision.Events.Name {
		return s.eventTypes(s.Lists[name])
	}
	return s.Lists[name]
}

// Replace replaces the lists while sessions run, and notifies clients of the changed lists.
func (s *Server) Replace(lists map[string][]*Entry) {
	s.mu.Lock()
	before := s.Lists
	s.Lists = lists
	var sessions []*Session
	for one := range s.sessions {
		sessions = append(sessions, one)
	}
	s.mu.Unlock()
	notified := map[string]bool{}
	for _, l := range revision.Lists {
		same := func(a, b *Entry) bool { return bytes.Equal(a.Wire, b.Wire) }
		if l.Changed == "" || notified[l.Changed] || slices.EqualFunc(before[l.Name], lists[l.Name], same) {
			continue
		}
		notified[l.Changed] = true
		s.publish(l.Changed, nil, func(f *filter) bool { return f.wantsList(strings.TrimSuffix(l.Filter(), "ListChanged")) })
		for _, one := range sessions {
			if one.Ready() {
				one.Notify(l.Changed, nil)
			}
		}
	}
}

func (s *Server) pace() time.Duration {
	if s.Pace <= 0 {
		return time.Second
	}
	return s.Pace
}

// memory holds the state that changes while a server runs: of a session, or of the server if there are no
// sessions. It is safe for concurrent use.
type memory struct {
	mu     sync.Mutex
	counts map[string]int // counts by entry or by the name of a tool's counter
}

// add adds to the count of a key, and returns the sum.
func (m *memory) add(key string, n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.counts == nil {
		m.counts = map[string]int{}
	}
	m.counts[key] += n
	return m.counts[key]
}

// count returns the sum under a key, or 0 if nothing was added.
func (m *memory) count(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counts[key]
}

// toggled reports whether a key was counted an odd number of times.
func (m *memory) toggled(key string) bool { return m.count(key)%2 == 1 }

// Error is a failure that crosses the wire as a JSON-RPC error. Any other error
// of a handler becomes -32603.
type Error struct {
	Code    int64  `json:"code"`
	Data    any    `json:"data,omitempty"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// errorOf returns the error that crosses the wire for err.
func errorOf(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	return e
}

// Frame returns the error as the response to a request.
func (e *Error) Frame(id jsonrpc.ID) []byte {
	return jsonrpc.EncodeError(id, e.Code, e.Message, encodeData(e.Data))
}

func invalidParams(format string, args ...any) *Error {
	return &Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

func invalidRequest(format string, args ...any) *Error {
	return &Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf(format, args...)}
}
