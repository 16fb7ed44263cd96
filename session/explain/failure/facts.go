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
	"mcptea/session/explain/facts"
	"mcptea/session/record"
	"mcptea/session/record/store"
	"mcptea/session/session"
)

// Facts is what is known about a session around a failure. Secrets in target
// are redacted before they are shown.
type Facts struct {
	target    client.Target
	secrets   *secret.Values // of the session; nil for those of the target
	Connected bool           // the handshake had been done
	Steps     []client.Step
	detection client.EraDetection // of which era the server is taken for, and why
	// authorization are the steps of the newest way to a token.
	authorization []oauth.Step
	suspectToken  bool              // a token of an earlier session was sent, and may be the reason
	Process       session.Process   // the zero value over HTTP
	pinned        revision.Revision // that the user has given; empty for any
	negotiated    revision.Revision // in force; empty before
	supported     []string          // versions in the result of server/discover
	sessionID     string            // that the server has created
	capabilities  []byte            // of the server, as received
	lenient       bool              // the client continues past violations
	isRecorded    bool              // the session was opened from a recording
	stopped       bool              // a signal has stopped the process, see [stdio.IsStopped]
	stderr        []string          // the last lines
	stderrAt      []time.Time       // when they came; as long as stderr, or empty
	Stray         []string          // what came on stdout and is no message, oldest first
	wire          wire              // what was sent and received
	late          string            // the head of a late response
	pending       bool              // a request was pending when the connection ended
	idle          time.Duration     // from the last response to the end of the process; 0 without one
	sent          time.Duration     // from the newest frame that came after it, and is no part of connecting; 0 without one
	environ       []string          // of mcptea itself; the zero value when that does not matter
	nodeCA        bool              // NODE_EXTRA_CA_CERTS is set

	// Of the error that is explained; see [Facts.about].
	err    error
	sse    error      // of HTTP+SSE, where both transports failed
	method string     // of the request that it is about, if it is one of connecting
	id     jsonrpc.ID // of the request that it is about
	// exchange is the one that failed, and no other; the zero value over stdio, and when it
	// cannot be told.
	exchange  transport.Exchange
	unmatched []string        // raw ids of unmatched responses since then, each once
	mixed     []string        // raw ids of responses since then that also have a method, each once
	changed   []record.Change // what faults and breakpoints made of frames since then, oldest first
	since     time.Time       // when the request that failed was sent, on a connection; zero if that is not known
	spoken    bool            // the server has spoken HTTP in this attempt, and with success
	request   facts.Request   // that was answered with a failure; see [OfReply]
	requestAt func(transport.Ref) facts.Request
}

// known are the secrets that are redacted.
func (f Facts) known() *secret.Values {
	if f.secrets != nil {
		return f.secrets
	}
	return f.target.Secrets()
}

func (f Facts) redact(text string) string { return f.known().Redact(text) }

// words are the lines in which a server may have written what is wrong with it.
func (f Facts) words() []string { return slices.Concat(f.Stray, f.stderr) }

const (
	stderrLines   = 200 // collected, to look for a reason in them
	strayLines    = 100
	stderrShown   = 8
	strayShown    = 5
	logReach      = 400    // how many log entries back these lines are looked for
	responseReach = 100    // how many rows back an unmatched response is
	pendingReach  = 10_000 // how many rows back a request without a response is
	textHead      = 200
	messageHead   = 480 // of a message that is the reason of a failure
)

// FactsOf collects the facts of a session: those of its current
// attempt to connect, since what an earlier server did explains nothing.
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
	// Of a command that was started twice, the second process counts.
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
		case err != nil: // what cannot be read is not quoted
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

// supportedVersions are those of the result of server/discover; nil for another result.
func supportedVersions(result []byte) (versions []string) {
	list, _ := jsonrpc.Member(result, "supportedVersions")
	for element := range jsonrpc.Elements(list) {
		if v, ok := jsonrpc.Unquote(element); ok {
			versions = append(versions, v)
		}
	}
	return versions
}

// TargetFacts are the facts of a request that has failed on a connection without a session; nil secrets
// are those of the target.
func TargetFacts(t client.Target, secrets *secret.Values) Facts {
	return Facts{target: t, secrets: secrets}
}

// AfterClose adds what came after mcptea had closed stdin of the server, to facts of before. The
// connection must have been closed.
func (f Facts) AfterClose(s *session.Session, closed time.Time) Facts {
	if f.target.IsStdio() {
		f.late = late(s.Store(), closed)
	}
	return f
}

// stderrSince are the lines on stderr since a time.
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

// newest iterates over the rows of the current connection, the newest first, at most so
// many rows back.
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

// lookForPending finds out whether the client waited for a response when the
// connection ended, how long ago the last response had come, and how long ago a frame was sent after that, of
// which the server may have ended. A subscription waits for none.
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

// late finds the first response after a moment.
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
