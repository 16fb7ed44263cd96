package pipeline

import (
	"fmt"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint/baseline"
	"mcptea/record"
	"mcptea/record/store"
)

// Observer receives the events of one session after they were recorded, from one goroutine. It must
// not keep the event.
type Observer interface {
	Event(e *record.Event)
	Close() // the session has ended
}

// Observe returns the observer of a session that begins.
type Observe func(h record.Header) Observer

// Session returns the observer of a session, or nil.
func (o Observe) Session(transport, target string) Observer {
	if o == nil {
		return nil
	}
	return o(record.Header{Transport: transport, Target: target, Time: time.Now().UnixNano()})
}

// Recorder writes the events of one session. Its exported fields are set before the first event. Its
// methods are called by the goroutine of the queue, and by nothing else once that runs.
type Recorder struct {
	Writer    *store.Writer   // recording, or nil
	Observer  Observer        // observer, or nil
	Watch     *baseline.Watch // baseline watch, or nil
	Transport string
	Target    string
	Secrets   *secret.Values // secrets to redact in all events, or nil
	Reloads   bool           // the connection is replaced on command
	// Negotiated is called with the version and, if that has initialize, its result; nil
	// without.
	Negotiated func(version string, result []byte)
	Warn       func(text string)

	lines secret.Lines // redacts lines of stderr
	conn  uint16       // the number of the connection; 0 is the first one
	// restart describes the restart that led to the connection.
	restart record.Connection

	rows    int32 // frames that were compared
	opened  bool
	ready   bool
	initial jsonrpc.ID // id of the request whose response has the version, or the zero ID before
	version string     // version that a request names itself
	failed  bool       // Warn was called
}

// Event records an event other than a frame.
func (r *Recorder) Event(e record.Event) {
	e.Conn = r.number()
	if e.Kind != record.KindStderr { // lines of stderr are redacted already
		e.Redact(record.Known{Values: r.Secrets})
	}
	if r.Writer != nil {
		r.Writer.Event(&e)
	}
	if r.Observer != nil {
		r.Observer.Event(&e)
	}
	if r.Watch != nil && e.Kind != record.KindDrift {
		r.Watch.Event(&e, store.None)
	}
}

// Path returns the file of the recording, or empty.
func (r *Recorder) Path() string {
	if r.Writer == nil {
		return ""
	}
	return r.Writer.Path()
}

// Next records that a connection begins: the first connection, or a connection that replaces the previous
// one. restart is its number among the replacing connections, or 0. cause and built describe the restart.
func (r *Recorder) Next(at time.Time, restart int, cause string, built time.Duration) {
	r.conn++
	r.restart = record.Connection{Restart: restart, Cause: cause, Built: built}
	r.ready, r.initial, r.version = false, jsonrpc.ID{}, ""
	r.Open(at)
}

// Closed records that the connection has ended, and that a new connection may begin.
func (r *Recorder) Closed(at time.Time, reason string) {
	if r.opened {
		r.opened = false
		r.connection(at, record.Connection{What: record.ConnectionClosed, Number: r.number(), Reason: reason})
	}
}

// number returns the number of the connection.
func (r *Recorder) number() uint16 { return max(r.conn, 1) }

// Open records that the connection begins.
func (r *Recorder) Open(at time.Time) {
	r.opened = true
	r.connection(at, record.Connection{What: record.ConnectionOpened, Number: r.number(), Transport: r.Transport, Target: r.Target, Reloads: r.Reloads})
}

func (r *Recorder) connection(at time.Time, c record.Connection) {
	r.Event(record.Event{Kind: record.KindConnection, Time: at, Connection: &c})
}

// Close ends the recording.
func (r *Recorder) Close(at time.Time, reason string) error {
	r.Closed(at, reason)
	if r.Observer != nil {
		r.Observer.Close()
	}
	if r.Writer == nil {
		return nil
	}
	return r.Writer.Close()
}

// Frame records a frame and returns its row.
func (r *Recorder) Frame(f transport.Frame) int32 {
	row := store.None
	if r.Writer != nil {
		row = r.Writer.Frame(f)
		if err := r.Writer.Failure(); err != nil && !r.failed {
			r.failed = true
			r.Warn(fmt.Sprintf("cannot write the recording %s: %v; the session continues", r.Writer.Path(), err))
		}
	}
	if r.Observer != nil {
		r.observeFrame(f)
	}
	if r.Watch != nil {
		r.compare(f, row)
	}
	if !r.ready {
		r.negotiate(f)
	}
	return row
}

// observeFrame is separate from frame, so that frame allocates nothing.
func (r *Recorder) observeFrame(f transport.Frame) {
	r.Observer.Event(&record.Event{Kind: record.KindFrame, Time: f.Time, Conn: r.number(), Frame: f})
}

// compare records the differences of the frame from the baseline.
func (r *Recorder) compare(f transport.Frame, row int32) {
	drift := r.Watch.Event(&record.Event{Kind: record.KindFrame, Time: f.Time, Conn: r.number(), Frame: f}, r.rows)
	r.rows++
	if drift != "" && row != store.None {
		r.Event(record.Event{Kind: record.KindDrift, Time: f.Time, Text: drift, Drift: &record.Drift{Row: row}})
	}
}

// Note records a sentence.
func (r *Recorder) Note(at time.Time, text string) {
	r.Event(record.Event{Kind: record.KindNote, Time: at, Text: text})
}

// Change records the changes of a frame by a breakpoint or a fault.
func (r *Recorder) Change(at time.Time, c *record.Change) {
	e := record.Event{Kind: record.KindChange, Time: at, Conn: r.number(), Change: c}
	if c.Row != store.None {
		r.Event(e)
	} else if r.Observer != nil {
		r.Observer.Event(&e) // the recording does not contain the frame
	}
}

// Exchange records the phase that an HTTP exchange has reached.
func (r *Recorder) Exchange(at time.Time, x transport.Exchange) {
	r.Event(record.Event{Kind: record.KindHTTP, Time: at, Exchange: &x})
}

// Stderr records a line of stderr.
func (r *Recorder) Stderr(l transport.Line) {
	r.Event(record.Event{Kind: record.KindStderr, Time: l.Time, Text: r.lines.Redact(r.Secrets, l.Text)})
}

// Process records a change of the server's process. An exit is followed by a sentence about
// it.
func (r *Recorder) Process(e transport.ProcessEvent, started time.Time) {
	e = e.Masked(secret.Args)
	r.Event(record.Event{Kind: record.KindProcess, Time: e.Time, Process: &e})
	if e.What == transport.ProcessExited {
		r.Note(e.Time, store.ExitSentence(e, started))
	}
	if e.What == transport.ProcessLeft {
		r.Note(e.Time, transport.Running(e.Left))
	}
}

// negotiate looks for the protocol version: in the response to initialize, or, in
// stateless revisions, in the _meta of a request that has a response.
func (r *Recorder) negotiate(f transport.Frame) {
	e := &f.Envelope
	switch {
	case f.Dir == transport.Out && e.Kind == jsonrpc.Request:
		if e.HasMethod(f.Bytes, "initialize") {
			r.initial, r.version = e.ID.Of(f.Bytes).ID(), ""
		} else if v := jsonrpc.Text(e.Params.Of(f.Bytes), "_meta", revision.MetaProtocolVersion); v != "" && !r.initial.Present() {
			r.initial, r.version = e.ID.Of(f.Bytes).ID(), v
		}
	case f.Dir == transport.In && e.Kind.IsResponse() && r.initial.Present() && e.ID.Of(f.Bytes).Is(r.initial):
		r.initial = jsonrpc.ID{}
		if e.Kind != jsonrpc.Response {
			return // refused: another request follows
		}
		result := e.Result.Of(f.Bytes)
		version, path, initialized := r.version, []string{"_meta", revision.MetaServerInfo}, []byte(nil)
		if version == "" {
			version, path, initialized = jsonrpc.Text(result, "protocolVersion"), []string{"serverInfo"}, result
		}
		if version == "" {
			return
		}
		r.ready = true
		if r.Negotiated != nil {
			r.Negotiated(version, initialized)
		}
		info, _ := jsonrpc.Member(result, path[0], path[1:]...)
		name := jsonrpc.Text(info, "name")
		if v := jsonrpc.Text(info, "version"); name != "" && v != "" {
			name += " " + v
		}
		const maxName = 200
		r.connection(f.Time, record.Connection{
			What: record.ConnectionReady, Number: r.number(), Transport: r.Transport,
			Revision: version[:min(len(version), maxName)], Server: name[:min(len(name), maxName)],
			Restart: r.restart.Restart, Cause: r.restart.Cause, Built: r.restart.Built,
		})
	}
}

// stuckAfter bounds the time for which the recorder may make no progress at the end.
const stuckAfter = 10 * time.Second

// Await waits until the content of a closed queue is recorded, or until nothing has happened for a while.
func Await(q *store.Queue, recorded <-chan struct{}, warn func(string)) {
	for passed := q.Passed(); ; {
		select {
		case <-recorded:
			return
		case <-time.After(stuckAfter):
			if now := q.Passed(); now != passed {
				passed = now
				continue
			}
			warn(fmt.Sprintf("the recording is incomplete: it could not be written for %s", phrase.Duration(stuckAfter)))
			return
		}
	}
}
