package probe

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/lint"
	"mcptea/lint/rules"
	"mcptea/record"
	"mcptea/record/store"
)

// A link is a physical connection. It is the tap of its client. It matches responses to requests by
// id, and keeps all other messages.
type link struct {
	number int
	client *client.Client
	j      *journal
	record *store.Beside // connection in the record, or nil if nothing is recorded

	mu    sync.Mutex
	stage stage
	// capabilities holds the declared client capabilities as JSON; see stageOpen.
	capabilities []byte
	feed         *lint.Engine   // linter, or nil after the end
	owner        *Conn          // connection that uses the link, or nil while the link is in the standby
	ahead        bool           // the process was started in advance
	early        []lint.Finding // findings made while no probe owned the connection; at most maxLinted
	waits        []*wait
	asked        map[jsonrpc.Key]bool          // ids of requests that a wait was started for; at most maxMessages
	extra        []Frame                       // messages that no wait accepted, newest last
	ignored      []Frame                       // events that clients ignore: of types other than message, or incomplete
	taken        int                           // prefix of extra already returned by [Conn.Take]
	headers      map[uint32]transport.Exchange // HTTP exchanges in progress
	carried      map[uint32]int                // number of the newest frame of each exchange
	endpoint     string                        // URL of the first HTTP message, or ""
	exited       *transport.ProcessEvent
	finished     bool          // the end is recorded
	damaged      int           // lines with an object that are not messages
	closing      bool          // mcptea closes the connection
	requests     atomic.Int32  // number of requests sent
	mute         atomic.Bool   // a ping got no response
	judged       atomic.Bool   // [Run.dead] has judged the end
	newest       string        // newest case on a connection without handshake
	contact      *contact      // newest contact of the link, or nil; guarded by the mutex of the runner
	held         chan struct{} // closed when reading resumes; nil while reading
	gone         chan struct{} // closed when the process has exited
	pid          int
	// signalled is the last signal that mcptea sent, or "".
	signalled string
	acts      []Act                  // acts of mcptea, newest last
	left      []transport.Descendant // descendants that outlived the process
	stderr    []string
	started   time.Time
	requested [][]byte    // first requests, at most maxSaid
	status    int         // HTTP status of the newest response to a POST; 0 before the first
	header    http.Header // headers of the same response
}

// maxSaid bounds the requests of a link that can be replayed. Probes that send in an odd way send at most two.
const maxSaid = 8

// refusal returns the HTTP status and headers in err, if any, otherwise those of the newest
// response to a POST.
func (l *link) refusal(err error) (int, http.Header) {
	if status, h := statusOfError(err); status != 0 {
		return status, h
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.status, l.header
}

// said returns the first requests that were sent on the link.
func (l *link) said() [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.requested)
}

var _ client.Tap = (*link)(nil)

func newLink(j *journal, c *Conn) *link {
	l := &link{
		j: j, number: j.connection(), headers: map[uint32]transport.Exchange{},
		carried: map[uint32]int{}, gone: make(chan struct{}), started: time.Now(), record: j.open(),
	}
	if !c.waits {
		l.owner = c
	}
	l.feed = rules.New(l.found, lint.Redact(j.redact), lint.Excerpts(j.redactFrame), lint.Asked(j.ask))
	l.event(record.Event{Kind: record.KindConnection, Connection: &record.Connection{What: record.ConnectionOpened, Transport: j.transport}}, 0)
	if c.linted {
		j.begin(l)
	}
	return l
}

// found passes a finding of the linter to the journal. If the link has no owner, it keeps the
// finding until there is one. The caller holds l.mu or has exclusive access.
func (l *link) found(f lint.Finding) {
	if l.owner == nil {
		if len(l.early) < maxLinted {
			l.early = append(l.early, f)
		}
		return
	}
	l.j.linted(l.owner, f)
}

// adopt makes a connection the owner of a link from the standby.
func (l *link) adopt(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owner, l.ahead = c, true
	for _, f := range l.early {
		l.j.linted(c, f)
	}
	l.early = nil
}

// event passes an event to the linter. The caller holds l.mu or has exclusive access.
func (l *link) event(e record.Event, seq int) {
	if l.feed == nil {
		return
	}
	e.Time = time.Now()
	l.feed.Event(&e, int32(seq))
}

// Frame implements [client.Tap].
func (l *link) Frame(f transport.Frame) transport.Ref {
	if f.Dir == transport.In {
		l.awaitReading()
	}
	row := store.None
	if l.record != nil {
		masked := f
		masked.Bytes = l.j.hidden.Mask(f.Bytes)
		row = l.record.Append(masked)
	}
	kept := l.j.add(l.number, f, row)
	l.mu.Lock()
	defer l.mu.Unlock()
	if f.Exchange != 0 {
		l.carried[f.Exchange] = kept.Seq
	}
	l.event(record.Event{Kind: record.KindFrame, Frame: f, Seq: int64(kept.Seq)}, kept.Seq)
	if f.Dir == transport.Out {
		if f.Envelope.Kind == jsonrpc.Request {
			l.requests.Add(1)
			if len(l.requested) < maxSaid && len(f.Bytes) <= maxEvidence {
				l.requested = append(l.requested, bytes.Clone(f.Bytes))
			}
		}
		if what := l.actOfFrame(f); what != "" {
			l.act(what)
		}
		l.noteSent(kept, f)
	} else if !f.NonMessageEvent() && (!f.Truncated || f.Exchange == 0) { // the client reads the same frames
		l.receive(kept, f)
	} else if len(l.ignored) < maxExtra {
		kept.Bytes = f.Kept()
		l.ignored = append(l.ignored, kept)
	}
	return transport.RefTo(row, 0)
}

// receive passes the messages of a frame to the waits for them.
func (l *link) receive(kept Frame, f transport.Frame) {
	frame := f.Kept()
	if f.Envelope.Flaws&jsonrpc.FlawBOM != 0 { // rule K004 reports the byte order mark
		frame = bytes.TrimPrefix(frame, []byte("\ufeff"))
		f.Envelope = jsonrpc.Scan(frame)
	}
	if f.Envelope.Kind != jsonrpc.Batch {
		l.received(kept, frame, f.Envelope, f.Exchange)
		return
	}
	for element := range jsonrpc.Elements(frame) {
		l.received(kept, element, jsonrpc.Scan(element), f.Exchange)
	}
}

// noteSent records the HTTP exchange of a frame that has a wait.
func (l *link) noteSent(kept Frame, f transport.Frame) {
	w, ok := f.Sender.(*wait)
	if !ok {
		return
	}
	if w.note(kept); !w.matched {
		w.exchange, w.matched = f.Exchange, true
	}
}

// received passes a message to the wait for it. Requests of the server match no wait.
// The matches of package flow are not enough. Package flow does not treat odd forms as requests,
// such as a request without a method or with another "jsonrpc", so it finds no request for their
// responses. A probe must also see a response with an id of another type. In the record, that is an
// unknown id.
func (l *link) received(kept Frame, frame []byte, e jsonrpc.Envelope, exchange uint32) {
	// A damaged response may still have its id. Other text is not a response.
	if e.Kind == jsonrpc.Invalid && bytes.ContainsRune(frame, '{') {
		l.damaged++
	}
	isResponse := e.Kind.IsResponse()
	damaged := e.Kind == jsonrpc.Invalid && e.ID.Present() && !e.Method.Present()
	id := e.ID.Of(frame)
	key := id.Key()
	exact := l.asked[key] // a request has had the id, even if it already has a response
	byID := func(w *wait) bool {
		return (isResponse || damaged) && slices.ContainsFunc(w.ids, func(own jsonrpc.Key) bool { return own == key || !exact && own.Like(key) })
	}
	without := func(w *wait) bool { // no matching id, but sent where a response was expected
		return isResponse && (exchange != 0 && w.exchange == exchange || w.anyNull && (!id.Present() || id.Type() == jsonrpc.IDNull))
	}
	for _, belongs := range []func(*wait) bool{byID, without} {
		for _, w := range slices.Backward(l.waits) { // an older frame without a response may have the same id
			if belongs(w) {
				if w.take(frame, byID(w)) {
					w.note(kept)
				}
				return
			}
		}
	}
	kept.Bytes = frame
	if len(l.extra) >= maxExtra {
		old := min(l.taken, maxExtra/2)
		l.extra, l.taken = l.extra[old:], l.taken-old
	}
	if len(l.extra) < maxUntaken {
		l.extra = append(l.extra, kept)
	}
}

const (
	// maxExtra bounds the messages of a connection that no wait took, except those that [Conn.Take] has not returned yet: the
	// oldest are dropped first.
	maxExtra = 2000
	// maxUntaken bounds the messages that [Conn.Take] has not returned yet. Later ones are dropped.
	maxUntaken = 20_000
)

// maxLines bounds the stderr lines kept per connection.
const maxLines = 200

// Stderr implements [client.Tap].
func (l *link) Stderr(line transport.Line) {
	if l.record != nil {
		l.record.Line(line)
	}
	text := l.j.redact(line.Text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.event(record.Event{Kind: record.KindStderr, Text: text}, 0)
	l.stderr = append(l.stderr, text)
	if len(l.stderr) > maxLines {
		l.stderr = l.stderr[maxLines/2:]
	}
}

// Process implements [client.Tap].
func (l *link) Process(e transport.ProcessEvent) {
	if l.record != nil {
		l.record.Process(e.Masked(secret.Args))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.event(record.Event{Kind: record.KindProcess, Process: &e}, l.j.last())
	if what := actOfProcess(e); what != "" {
		l.act(what)
	}
	switch e.What {
	case transport.ProcessStarted:
		l.pid = e.PID
		l.j.processes.begin()
	case transport.ProcessSignalled:
		l.signalled = e.Signal
	case transport.ProcessLeft:
		if e.After == transport.LeftAfterKill {
			l.stay(e.Left)
			break
		}
		l.left = e.Left
	case transport.ProcessExited:
		if l.exited == nil {
			l.exited = &e
			l.j.processes.end()
			close(l.gone)
		}
	}
}

// Exchange implements [client.Tap].
func (l *link) Exchange(x transport.Exchange) {
	row := store.None
	if l.record != nil {
		row = l.record.Exchange(x)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.Phase == transport.ExchangeDone && x.Failed {
		l.noteFailed(x, row)
	}
	l.event(record.Event{Kind: record.KindHTTP, Exchange: &x}, l.carried[x.ID])
	if l.headers[x.ID] = x; x.Phase == transport.ExchangeDone {
		delete(l.headers, x.ID)
		delete(l.carried, x.ID)
	}
	if x.Status != 0 && x.Method == http.MethodPost {
		l.status, l.header = x.Status, x.ResponseHeader
	}
	if l.endpoint == "" && x.Method == http.MethodPost && x.Purpose == transport.PurposeMessage {
		l.endpoint = x.URL
	}
	for _, w := range l.waits {
		if x.Repeats != 0 && w.exchange == x.Repeats {
			w.exchange = x.ID
		}
		if !w.matched || w.exchange != x.ID || x.Phase == transport.ExchangeSent {
			continue
		}
		if x.Status != 0 {
			w.status, w.header = x.Status, x.ResponseHeader
		}
		if x.Phase == transport.ExchangeDone && w.endsWithExchange {
			w.end()
		}
	}
}

// noteFailed keeps an HTTP error without a frame as evidence. The caller holds l.mu.
func (l *link) noteFailed(x transport.Exchange, row int32) {
	text := responseText(Outcome{Status: x.Status, Header: x.ResponseHeader, Body: x.ResponseBody})
	kept := l.j.add(l.number, transport.Frame{Dir: transport.In, Time: time.Now(), Bytes: text}, row)
	l.carried[x.ID] = kept.Seq
	for _, w := range l.waits {
		if w.matched && w.exchange == x.ID {
			w.note(kept)
		}
	}
}

// Lost implements [client.Tap]. The link has its own timeouts.
func (l *link) Lost(jsonrpc.ID, error) {}

// Step implements [client.Tap].
func (l *link) Step(client.Step) {}

// countDamaged returns the number of lines that contain an object and are not messages, such as an
// incomplete response. Lines of a log do not count.
func (l *link) countDamaged() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.damaged
}

// finish ends the connection for the linter and the record.
func (l *link) finish() {
	l.j.end(l)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed != nil {
		l.feed.Tick(time.Now())
		l.feed.Last()
		l.feed = nil
	}
	if l.record != nil && !l.finished {
		l.record.Close("")
	}
	l.finished = true
}

// hasOpenStream reports whether the event stream of a request is still open.
func (l *link) hasOpenStream() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range l.headers {
		if x.Method == http.MethodPost && x.Phase == transport.ExchangeHeaders && strings.HasPrefix(x.ResponseHeader.Get("Content-Type"), "text/event-stream") {
			return true
		}
	}
	return false
}

// tick passes the current time to the linter.
func (l *link) tick() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.feed != nil {
		l.feed.Tick(time.Now())
	}
}

// alive reports whether the connection is open.
func (l *link) alive() bool {
	if l == nil {
		return false
	}
	select {
	case <-l.client.Done():
		return false
	case <-l.gone:
		return false
	default:
		return true
	}
}

// answers reports whether the connection is open and no ping has gone unanswered.
func (l *link) answers() bool { return l.alive() && !l.mute.Load() }
