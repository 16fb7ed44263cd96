package tap

import (
	"bytes"
	"fmt"
	"sync/atomic"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/session/checks/baseline"
	"mcptea/session/record"
	"mcptea/session/record/store"
)

// Observer receives the events of one session after they were recorded, from one
// goroutine. It keeps nothing of an event.
type Observer interface {
	Event(e *record.Event)
	Close() // the session has ended
}

// Observe returns the observer of a session that begins.
type Observe func(h record.Header) Observer

// session returns the observer of a session; nil without one.
func (o Observe) session(transport, target string) Observer {
	if o == nil {
		return nil
	}
	return o(record.Header{Transport: transport, Target: target, Time: time.Now().UnixNano()})
}

// recorder writes the events of one session. Its methods are called by the goroutine of
// the queue, and by nothing else once that runs.
type recorder struct {
	writer    *store.Writer   // nil when nothing is recorded
	observer  Observer        // nil without
	watch     *baseline.Watch // nil without
	transport string
	target    string
	secrets   *secret.Values // that are redacted in all events; nil are none
	lines     secret.Lines   // of stderr

	rows    int32 // frames that were compared
	opened  bool
	ready   bool
	initial jsonrpc.ID // of the request whose response has the version; empty before
	version string     // of a request that names it itself
	// negotiated is called with the version and, if that has initialize, its result; nil
	// without.
	negotiated func(version string, result []byte)
	warn       func(text string)
	failed     bool // warn was called
}

// event records an event other than a frame.
func (r *recorder) event(e record.Event) {
	e.Conn = 1
	if e.Kind != record.KindStderr { // whose lines are redacted already
		e.Redact(record.Known{Values: r.secrets})
	}
	if r.writer != nil {
		r.writer.Event(&e)
	}
	if r.observer != nil {
		r.observer.Event(&e)
	}
	if r.watch != nil && e.Kind != record.KindDrift {
		r.watch.Event(&e, store.None)
	}
}

// path is the file of the recording, empty without one.
func (r *recorder) path() string {
	if r.writer == nil {
		return ""
	}
	return r.writer.Path()
}

// open records that the connection begins.
func (r *recorder) open(at time.Time) {
	r.opened = true
	r.connection(at, record.Connection{What: record.ConnectionOpened, Number: 1, Transport: r.transport, Target: r.target})
}

func (r *recorder) connection(at time.Time, c record.Connection) {
	r.event(record.Event{Kind: record.KindConnection, Time: at, Connection: &c})
}

// close ends the recording.
func (r *recorder) close(at time.Time, reason string) error {
	if r.opened {
		r.connection(at, record.Connection{What: record.ConnectionClosed, Number: 1, Reason: reason})
	}
	if r.observer != nil {
		r.observer.Close()
	}
	if r.writer == nil {
		return nil
	}
	return r.writer.Close()
}

// frame records a frame and returns its row.
func (r *recorder) frame(f transport.Frame) int32 {
	row := store.None
	if r.writer != nil {
		row = r.writer.Frame(f)
		if err := r.writer.Failure(); err != nil && !r.failed {
			r.failed = true
			r.warn(fmt.Sprintf("cannot write the recording %s: %v; the session continues", r.writer.Path(), err))
		}
	}
	if r.observer != nil {
		r.observeFrame(f)
	}
	if r.watch != nil {
		r.compare(f, row)
	}
	if !r.ready {
		r.negotiate(f)
	}
	return row
}

// observeFrame is apart from frame, which has nothing on the heap.
func (r *recorder) observeFrame(f transport.Frame) {
	r.observer.Event(&record.Event{Kind: record.KindFrame, Time: f.Time, Conn: 1, Frame: f})
}

// compare records what the frame shows to differ from the baseline.
func (r *recorder) compare(f transport.Frame, row int32) {
	drift := r.watch.Event(&record.Event{Kind: record.KindFrame, Time: f.Time, Conn: 1, Frame: f}, r.rows)
	r.rows++
	if drift != "" && row != store.None {
		r.event(record.Event{Kind: record.KindDrift, Time: f.Time, Text: drift, Drift: &record.Drift{Row: row}})
	}
}

func (r *recorder) note(at time.Time, text string) {
	r.event(record.Event{Kind: record.KindNote, Time: at, Text: text})
}

// change records what a breakpoint or a fault made of a frame.
func (r *recorder) change(at time.Time, c *record.Change) {
	e := record.Event{Kind: record.KindChange, Time: at, Conn: 1, Change: c}
	if c.Row != store.None {
		r.event(e)
	} else if r.observer != nil {
		r.observer.Event(&e) // the recording has no frame of it
	}
}

// exchange records the phase that an HTTP exchange has reached.
func (r *recorder) exchange(at time.Time, x transport.Exchange) {
	r.event(record.Event{Kind: record.KindHTTP, Time: at, Exchange: &x})
}

func (r *recorder) stderr(l transport.Line) {
	r.event(record.Event{Kind: record.KindStderr, Time: l.Time, Text: r.lines.Redact(r.secrets, l.Text)})
}

// process records a change of the server's process. An exit is followed by a sentence about
// it.
func (r *recorder) process(e transport.ProcessEvent, started time.Time) {
	e = e.Masked(secret.Args)
	r.event(record.Event{Kind: record.KindProcess, Time: e.Time, Process: &e})
	if e.What == transport.ProcessExited {
		r.note(e.Time, store.ExitSentence(e, started))
	}
	if e.What == transport.ProcessLeft {
		r.note(e.Time, transport.Running(e.Left))
	}
}

// negotiate looks for the protocol version: in the response to initialize, or, in
// stateless revisions, in the _meta of a request that has a response.
func (r *recorder) negotiate(f transport.Frame) {
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
		if r.negotiated != nil {
			r.negotiated(version, initialized)
		}
		info, _ := jsonrpc.Member(result, path[0], path[1:]...)
		name := jsonrpc.Text(info, "name")
		if v := jsonrpc.Text(info, "version"); name != "" && v != "" {
			name += " " + v
		}
		const maxName = 200
		r.connection(f.Time, record.Connection{
			What: record.ConnectionReady, Number: 1, Transport: r.transport,
			Revision: version[:min(len(version), maxName)], Server: name[:min(len(name), maxName)],
		})
	}
}

const (
	// maxFrame is the size from which on a line is recorded in pieces.
	maxFrame = 64 << 20
	// maxStderr is that of a line on stderr.
	maxStderr = 64 << 10
)

// lines cuts a stream into lines. It is a [store.Sink].
type lines struct {
	side transport.Side // of the lines that end now
	max  int
	part []byte // the beginning of a line
	take func(at time.Time, text []byte, ending string, truncated bool)
}

// Write takes the next bytes of the stream.
func (l *lines) Write(at time.Time, b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		line := b[:i]
		b = b[i+1:]
		if len(l.part) > 0 {
			l.part = append(l.part, line...)
			line = l.part
		}
		ending := "\n"
		if n := len(line); n > 0 && line[n-1] == '\r' {
			line, ending = line[:n-1], "\r\n"
		}
		l.take(at, line, ending, false)
		l.part = l.part[:0]
	}
	l.part = append(l.part, b...)
	for len(l.part) >= l.max {
		l.take(at, l.part[:l.max], "", true)
		l.part = append(l.part[:0], l.part[l.max:]...)
	}
	if len(l.part) == 0 && cap(l.part) > 4<<20 {
		l.part = nil
	}
}

// end takes the last line, which has no line ending.
func (l *lines) end() {
	if len(l.part) > 0 {
		l.take(time.Now(), l.part, "", true)
		l.part = nil
	}
}

// frames returns the lines of a direction as frames for a recorder, and where the row
// of the newest one is kept.
func (r *recorder) frames(dir transport.Direction) (sink *lines, row *atomic.Int32) {
	row = new(atomic.Int32)
	sink = &lines{max: maxFrame}
	sink.take = func(at time.Time, text []byte, ending string, truncated bool) {
		row.Store(r.frame(transport.Frame{
			Bytes: text, Envelope: jsonrpc.Scan(text), Time: at, Dir: dir, Ending: ending, Truncated: truncated, Note: transport.Note{Side: sink.side},
		}))
	}
	return sink, row
}

// stuckAfter is how long the recorder may make no progress at the end.
const stuckAfter = 10 * time.Second

// awaitRecorder waits until what is in a closed queue is recorded, or until nothing has
// happened for a while.
func awaitRecorder(q *store.Queue, recorded <-chan struct{}, warn func(string)) {
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

// gapText is the note in a recording whose queue had no room.
func gapText(err error) string {
	return fmt.Sprintf(record.NotComplete+", its temporary storage was full: %v; what follows is not in it", err)
}
