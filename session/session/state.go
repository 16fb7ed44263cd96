package session

import (
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/client/transport"
	"mcptea/offer"
	"mcptea/offer/changes"
)

// Phase is the state of the connection.
type Phase uint8

// The values of [Phase].
const (
	Idle Phase = iota
	Connecting
	Ready
	Failed // connecting failed
	Ended  // the connection was Ready and has ended
)

var phaseNames = [...]string{"idle", "connecting", "ready", "not connected", "ended"}

// String returns the word shown in the header.
func (p Phase) String() string { return phaseNames[p] }

// A Process describes a server's process.
type Process struct {
	PID      int
	Path     string
	Dir      string
	Started  time.Time
	Exited   time.Time // zero while it is running
	ExitCode int
	Signal   string
	Expected bool // mcptea had closed its stdin before
	Stopped  bool // a signal had stopped it (state T) when its stdin was closed
	// Left lists processes that survived the termination of a server's process group in this session, newest
	// first, at most 20.
	Left []transport.Descendant
}

// maxLeft bounds [Process.Left].
const maxLeft = 20

// State is a snapshot of the session.
type State struct {
	Phase   Phase
	Attempt int // 1-based
	Started time.Time
	Took    time.Duration // duration of connecting, once Ready or Failed
	Steps   []client.Step
	// Authorization lists the steps of the newest authorization on this connection, or the requests to an
	// authority that was recorded. It is empty if none was needed.
	Authorization []oauth.Step
	Handshake     client.Handshake
	Detection     client.EraDetection // detected era of the server, and why
	Subscription  Subscription
	Err           error // error that Failed or Ended the connection
	Reconnects    bool  // Failed or Ended: a new connection follows without the user's doing
	Process       Process
	Lists         map[string]offer.List // lists by the name of the kind
	// Begins reports that what the client sends after connecting, which Client.As is, is not all sent.
	Begins bool
	Logs   int // number of log entries
	Stderr int // number of log entries on stderr
	// SuspectToken reports whether a token from an earlier session was sent and nothing shows yet that the
	// server accepts it.
	SuspectToken bool
	Transport    string // current transport: "stdio", "http" or "sse"
	Session      string // Mcp-Session-Id, shortened, or ""
	// TLS describes the newest TLS handshake with the server, or is nil.
	TLS *transport.TLS
	// Renewed is the reason why the current connection replaced the previous one without an action of the user,
	// or "".
	Renewed string
	// Changes describes the differences between the server's lists and what the user has seen.
	Changes *changes.Snapshot
	// Restarts lists the connections that replaced an earlier one, oldest first; at most the newest hundred.
	Restarts []Restarted
	// Current is the newest connection that has become ready: it has replaced all before it. It is 0 before
	// the first one, and where several are side by side.
	Current uint16
	// Failures lists the connections of failed attempts to connect, oldest first; at most the newest hundred.
	Failures []uint16
	// Reloads reports whether the recording is from a tap that restarts its server on command.
	Reloads bool
	// Followed lists the URIs of the resources that the session subscribes to, on this connection and on later
	// ones.
	Followed []string
	// Updates holds the resources reported with notifications/resources/updated, by URI.
	Updates map[string]Update
}

// IsMended reports an attempt to connect that has failed before one that has not.
func (st *State) IsMended(conn uint16) bool {
	return st.IsPast(conn) && slices.Contains(st.Failures, conn)
}

// maxFailures bounds [State.Failures].
const maxFailures = 100

// failed notes an attempt to connect that has failed.
func (st *State) failed(conn uint16) {
	list := append(slices.Clone(st.Failures), conn)
	st.Failures = list[max(0, len(list)-maxFailures):]
}

// IsAuthority reports whether the session is the recording of an authorization server, which has no connection.
func (st *State) IsAuthority() bool {
	return st.Phase == Idle && st.Attempt == 0 && len(st.Authorization) > 0
}

// IsPast reports whether another connection has replaced this one: a failed attempt, or a run of the server
// before a restart. Mistakes in its frames may be fixed by now.
func (st *State) IsPast(conn uint16) bool { return conn < st.Current }

// SessionWords returns the Mcp-Session-Id, or why the connection has none.
func (st *State) SessionWords() string {
	switch {
	case st.Handshake.Revision.IsStateless() && st.Transport != "stdio":
		return "none: this protocol version has no sessions"
	case st.Session != "":
		return st.Session
	case st.Transport == "stdio":
		return "none: stdio"
	case st.Transport == client.TransportSSE:
		return "the event stream: HTTP+SSE has no Mcp-Session-Id"
	}
	return "none: the server sent no Mcp-Session-Id"
}

// starting reports whether the first connection is not there yet, and has not failed.
func (s *Session) starting() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Phase <= Connecting
}

// State returns a copy of the state. Slices and maps in it are not changed
// later.
func (s *Session) State() State {
	s.mu.Lock()
	followed := slices.Clone(s.followed)
	s.mu.Unlock()
	updates := s.updates.snapshot(s.store, followed) // outside of the lock, because it may read the recording
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state
	if s.client != nil && st.Phase == Ready {
		// The first requests can show another era than the one detected.
		st.Handshake, st.Detection = s.client.Handshake(), s.client.EraDetection()
		if !st.Handshake.Revision.IsStateless() {
			st.Subscription = Subscription{}
		}
	}
	st.Steps, st.Authorization = slices.Clone(st.Steps), slices.Clone(st.Authorization)
	st.Handshake = st.Handshake.Redacted(s.Redact)
	st.Transport = s.transport
	st.Restarts, st.Changes = s.restarts, s.changes.Snapshot()
	st.SuspectToken = s.auth != nil && s.auth.StoredTokenUnconfirmed()
	st.Logs, st.Stderr = s.store.Logs()
	st.Followed, st.Updates = followed, updates
	return st
}
