package failure

import (
	"iter"
	"os"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/explain/facts"
	"mcptea/session/session"
)

// Facts are the facts about a session at the time of a failure. Secrets in target are redacted before they are
// shown.
type Facts struct {
	target    client.Target
	secrets   *secret.Values // secrets of the session, or nil for the secrets of the target
	Connected bool           // the handshake was completed
	Steps     []client.Step
	detection client.EraDetection // detected era of the server, and why
	// authorization holds the steps of the newest authorization.
	authorization []oauth.Step
	suspectToken  bool              // a token of an earlier session was sent, and may be the cause
	Process       session.Process   // the zero value over HTTP
	pinned        revision.Revision // protocol version that the user has set, or ""
	negotiated    revision.Revision // negotiated protocol version, or "" before
	supported     []string          // versions in the result of server/discover
	sessionID     string            // session id of the server
	capabilities  []byte            // capabilities of the server, as received
	lenient       bool              // the client continues past violations
	isRecorded    bool              // the session was opened from a recording
	stopped       bool              // a signal has stopped the process, see [stdio.IsStopped]
	stderr        []string          // last lines of stderr
	stderrAt      []time.Time       // arrival times of the lines of stderr, or nil
	Stray         []string          // text on stdout that is not a message, oldest first
	wire          wire              // frames and exchanges
	late          string            // start of a late response
	pending       bool              // a request was pending when the connection ended
	idle          time.Duration     // time from the last response to the end of the process, or 0
	sent          time.Duration     // time from the newest frame after that response to the end of the process, or 0; frames of connecting do not count
	environ       []string          // environment of mcptea, or nil if it does not matter
	nodeCA        bool              // NODE_EXTRA_CA_CERTS is set

	// The fields below are about the error that is explained; see [Facts.about].
	err    error
	sse    error      // error of HTTP+SSE, if both transports failed
	method string     // method of the failed request, if it is a request of connecting
	id     jsonrpc.ID // id of the failed request
	// exchange is the exchange that failed, or the zero value over stdio and if it is not known.
	exchange  transport.Exchange
	unmatched []string        // distinct raw ids of unmatched responses since then
	mixed     []string        // distinct raw ids since then of responses that also have a method
	changed   []record.Change // changes of frames by faults and breakpoints since then, oldest first
	since     time.Time       // when the failed request was sent, or the zero time if that is not known
	spoken    bool            // the server has responded successfully over HTTP in this attempt
	request   facts.Request   // request that was answered with a failure; see [OfReply]
	requestAt func(transport.Ref) facts.Request
}

// known returns the secrets to redact.
func (f Facts) known() *secret.Values {
	if f.secrets != nil {
		return f.secrets
	}
	return f.target.Secrets()
}

func (f Facts) redact(text string) string { return f.known().Redact(text) }

// words returns the lines in which a server may have written the reason.
func (f Facts) words() []string { return slices.Concat(f.Stray, f.stderr) }

const (
	stderrLines   = 200 // maximum number of lines of stderr that are searched for a reason
	strayLines    = 100
	stderrShown   = 8
	strayShown    = 5
	logReach      = 400    // maximum number of log entries that are searched for these lines
	responseReach = 100    // maximum number of rows that are searched for an unmatched response
	pendingReach  = 10_000 // maximum number of rows that are searched for a request without a response
	textHead      = 200
	messageHead   = 480 // of a message that is the reason of a failure
)

// FactsOf collects the facts of the current attempt of a session to connect. An earlier server explains
// nothing.
func FactsOf(s *session.Session) Facts {
	st := s.State()
	f := Facts{
		target: s.Target(), secrets: s.Secrets(), Connected: st.Phase == session.Ready || st.Phase == session.Ended,
		Steps: st.Steps, detection: st.Detection, authorization: st.Authorization, suspectToken: st.SuspectToken, Process: st.Process,
	}
	_, f.isRecorded = s.Recording()
	f.requestAt = func(at transport.Ref) facts.Request { return requestAt(s, at) }
	link := s.Link()
	f.pinned, f.lenient, f.negotiated = link.Client.Revision, link.Client.Lenient, st.Handshake.Revision
	f.supported, f.sessionID, f.capabilities = supportedVersions(st.Handshake.Result), st.Session, st.Handshake.ServerCaps
	f.nodeCA = os.Getenv("NODE_EXTRA_CA_CERTS") != ""
	f.stopped = f.Process.Stopped || f.Process.PID != 0 && f.Process.Exited.IsZero() && stdio.IsStopped(f.Process.PID)
	// If a command was started twice, the second process counts.
	begin := st.Started
	if st.Process.Started.After(begin) {
		begin = st.Process.Started
	}
	for n := st.Logs - 1; n >= max(0, st.Logs-logReach); n-- {
		l, ok := s.Store().LogAt(n)
		if !ok || l.Time.Before(begin) {
			break
		}
		_, text, err := s.Store().LogText(l)
		switch {
		case err != nil: // an unreadable frame is not quoted
		case l.Source == store.LogStray && len(f.Stray) < strayLines:
			f.Stray, f.wire.strayAt = append(f.Stray, f.redact(text)), append(f.wire.strayAt, l.Time)
		case l.Source == store.LogStderr && len(f.stderr) < stderrLines:
			f.stderr, f.stderrAt = append(f.stderr, text), append(f.stderrAt, l.Time)
		}
	}
	slices.Reverse(f.Stray)
	slices.Reverse(f.wire.strayAt)
	slices.Reverse(f.stderr)
	slices.Reverse(f.stderrAt)
	f.wire.read(s.Store(), st.Started)
	if st.Phase == session.Ended {
		f.lookForPending(s.Store())
	}
	if st.Phase == session.Failed && f.target.IsStdio() {
		f.late = late(s.Store(), st.Started.Add(st.Took))
		f.environ = os.Environ()
	}
	return f
}

// supportedVersions returns the protocol versions in the result of server/discover, or nil for another result.
func supportedVersions(result []byte) (versions []string) {
	list, _ := jsonrpc.Member(result, "supportedVersions")
	for element := range jsonrpc.Elements(list) {
		if v, ok := jsonrpc.Unquote(element); ok {
			versions = append(versions, v)
		}
	}
	return versions
}

// TargetFacts returns the facts of a request that failed on a connection without a session. If secrets is nil,
// the secrets of the target are redacted.
func TargetFacts(t client.Target, secrets *secret.Values) Facts {
	return Facts{target: t, secrets: secrets}
}

// AfterClose adds to earlier facts the output after mcptea had closed stdin of the server. The connection must
// be closed.
func (f Facts) AfterClose(s *session.Session, closed time.Time) Facts {
	if f.target.IsStdio() {
		f.late = late(s.Store(), closed)
	}
	return f
}

// stderrSince returns the lines on stderr since a time.
func (f Facts) stderrSince(at time.Time) []string {
	if len(f.stderrAt) != len(f.stderr) {
		return nil
	}
	n := 0
	for n < len(f.stderrAt) && f.stderrAt[n].Before(at) {
		n++
	}
	return f.stderr[n:]
}

// newest iterates over the rows of the current connection, newest first, and stops after so many rows.
func newest(st *store.Store, reach int) iter.Seq2[int32, store.Row] {
	return func(yield func(int32, store.Row) bool) {
		rows := st.Snapshot().Rows
		for i := rows - 1; i >= max(0, rows-reach); i-- {
			if r, ok := st.Row(int32(i)); ok && r.Conn == st.Conn() && !yield(int32(i), r) {
				return
			}
		}
	}
}

// lookForPending sets pending if the client waited for a response when the connection ended. It also sets the
// times since the last response, and since the last frame after it, which may have ended the server. A
// subscription waits for no response.
func (f *Facts) lookForPending(st *store.Store) {
	answered := false
	for _, r := range newest(st, pendingReach) {
		switch {
		case r.Dir == transport.Out && r.IsFrame() && !answered && f.sent == 0 && st.Method(r.Method) != "notifications/initialized":
			f.sent = max(1, f.Process.Exited.Sub(time.Unix(0, r.Time)))
		case r.Dir == transport.In && r.Kind.IsResponse() && !answered:
			f.idle, answered = max(0, f.Process.Exited.Sub(time.Unix(0, r.Time))), true
		}
		if r.Dir == transport.Out && r.Kind == jsonrpc.Request && !revision.Lasts(st.Method(r.Method)) {
			ended := r.Flags&(store.Pending|store.Abandoned) != 0 && r.Flags&(store.TimedOut|store.Cancelled) == 0
			f.pending = f.pending || ended
		}
	}
}

// late returns the start of the first response after a time.
func late(st *store.Store, after time.Time) string {
	found := ""
	for i, r := range newest(st, responseReach) {
		if r.Time < after.UnixNano() {
			break
		}
		if r.Dir == transport.In && r.Kind.IsResponse() {
			if frame, err := st.Head(i, textHead); err == nil {
				found = string(frame)
			}
		}
	}
	return found
}
