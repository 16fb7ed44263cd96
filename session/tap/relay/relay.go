package relay

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/session"
	"mcptea/session/tap/control"
	"mcptea/session/tap/pipeline"
)

// Relay is a tap between a host over stdio and a server that can be replaced. Its exported fields are
// set before [Relay.Run]; its methods may be called from any goroutine after that.
type Relay struct {
	Server client.Target
	// Secrets holds the values that are redacted in the recording; secrets of requests are added. It may be
	// nil.
	Secrets *secret.Values
	// Dial returns a connection to the server that is not open.
	Dial func(events Events) transport.Transport
	// Follow connects and reconnects, as the Loop of package watch does, until the context ends.
	Follow func(ctx context.Context)
	// OnDemand tries a server that has failed again with the next request.
	OnDemand bool
	// Until returns when the server is tried again, as the end of a sentence, or "".
	Until string
	// Building returns the command that must end before the first server can be started, or "". It may
	// be nil.
	Building func() string
	// Generation returns the generation of the current sources, at the latest after a limit. It is nil if no
	// files are followed. A request goes to a server of that generation, or has its failure; see wait.go.
	Generation func(limit time.Duration) uint64
	// Want requests that a server of a generation starts soon. It is set together with Generation.
	Want func(generation uint64)
	// Doing describes the preparation of the next server, such as "its build runs", or is nil.
	Doing func() string
	// Declares adds listChanged to the capabilities of the server, so that the host expects the
	// list_changed notifications of the relay.
	Declares bool
	// Again bounds the restarts in succession of a server that has ended by itself.
	Again int
	// Revision is the protocol version that initialize requests, or "" for the version of the host.
	Revision revision.Revision

	// Session is the label of the session if the tap has several, or "". Commands use its connection through a socket of
	// its own.
	Session string

	Stdin io.ReadCloser
	// Stdout and Stderr lead to the host. A Stdout that can be closed is closed at the end.
	Stdout, Stderr io.Writer
	Signals        <-chan os.Signal
	Record         func() (*store.Writer, error) // may be nil; its error does not end the session
	Observe        pipeline.Observe              // observer, or nil
	Baseline       string                        // file of the baseline, or ""
	Gate           *intercept.Gate               // gate, or nil
	Control        *control.Control              // socket that controls the Gate, or nil
	// Warn is called with a sentence for the user, from any goroutine.
	Warn func(text string)

	recorder *pipeline.Recorder
	queue    *store.Queue
	in, out  *pipeline.Direction
	spool    *spool
	outlet   *outlet
	ctx      context.Context // context of the whole relay

	restarting chan struct{} // contains an element while a server is being replaced
	// starts ends when no more servers may start, before the last one ends.
	starts    context.Context
	endStarts context.CancelFunc

	mu          sync.Mutex
	changed     chan struct{} // closed when phase or the host's pending requests change, or nil while there is no waiter
	phase       phase
	why         string          // why there is no server, in phase down
	outcome     session.Outcome // outcome of the newest generation of the sources; its build may have failed while a server of an earlier generation runs
	server      *server
	servers     int              // number of servers so far
	started     uint64           // the generation of the newest server
	restarts    int              // number of restarts so far
	answering   int              // number of errors of the relay that are being written
	exit        *stdio.ExitError // exit of the last server
	known       known
	ownRequests map[jsonrpc.Key]chan []byte // requests of the relay
	ownIDs      int64
	signing     bool                     // an authorization waits for the user
	consents    map[jsonrpc.Key]*consent // requests to the host; at most maxPending
	consent     string                   // page that the user must open, or "" if there is no page or it belongs to another process
	again       again
	refuses     bool  // the server denies sessions that it has just begun
	streamless  bool  // a stream of the server has not opened in time
	responded   bool  // a response of a server with a URL was forwarded
	failure     error // failure of the last request while responded is false, or nil

	waits waits

	commandsEnded atomic.Uint64 // requests of commands that the server had
}

// Events are the reports of a connection, besides its frames.
type Events struct {
	Lost    func(id jsonrpc.ID, err error) // called for a request that gets no response
	Expired func(err error)                // the session
}

type phase uint8

const (
	starting phase = iota // frames of the host wait
	ready
	down // requests of the host are answered with an error
)

const (
	// startTimeout bounds the handshake of a new server.
	startTimeout = 30 * time.Second
	// handshakeWait bounds the wait of a host's first request for a server that has failed: hosts do
	// not connect again by themselves, and they read an era out of an error.
	handshakeWait = 10 * time.Second
	// buildWait bounds the wait of the first request for the first build. It is shorter than the
	// timeout of hosts for initialize (30 s and more), so that the host shows why.
	buildWait = 25 * time.Second
)

// Run returns when the host has closed stdin and the server has ended.
func (r *Relay) Run(ctx context.Context) *stdio.ExitError {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	recorded := r.prepareRun(ctx)
	defer r.endStarts()
	defer r.Control.End(r.Session)
	if r.Session != "" {
		defer r.recorder.ChangesOf(r.Session, r.Gate, r.queue)()
		shared, end := r.Control.Lend(r.Session, r.fromCommand)
		if r.in.Shared = shared; end != nil {
			defer end()
		}
	} else {
		r.in.Shared = r.Control.Share(r.fromCommand)
	}
	if r.in.Shared != nil {
		defer r.in.Shared.SettleAll(pipeline.ErrEnded)
		r.queue.Call(func() { r.recorder.Negotiated = r.in.Shared.Negotiated })
	}
	followed, stopFollowing := context.WithCancel(ctx)
	var work sync.WaitGroup
	work.Go(func() { r.Follow(followed) })
	passed := make(chan struct{})
	go r.passWaiting(ctx)
	go func() {
		defer close(passed)
		_ = r.out.Run(ctx, r.spool)
		r.awaitPassed(ctx)
	}()
	sig := r.await(passed)
	r.outlet.limit(graceOf(sig))
	stopFollowing()
	work.Wait()
	r.endStarts()
	r.restarting <- struct{}{} // a restart has ended, and no other one begins
	exit := r.end(sig)
	cancel()
	if c, ok := r.Stdout.(io.Closer); r.outlet.close() && ok {
		_ = c.Close() // the host need not wait for the recording
	}
	r.finish(recorded)
	return exit
}

// prepareRun makes the stages, and begins the recording, which is complete when the channel is closed.
func (r *Relay) prepareRun(ctx context.Context) (recorded <-chan struct{}) {
	r.ctx, r.restarting = ctx, make(chan struct{}, 1)
	r.starts, r.endStarts = context.WithCancel(ctx)
	r.ownRequests, r.consents = map[jsonrpc.Key]chan []byte{}, map[jsonrpc.Key]*consent{}
	r.known.init()
	r.waits.init()
	name := r.Server.TransportName()
	r.recorder = pipeline.Recording{Create: r.Record, Observe: r.Observe, Secrets: r.Secrets, Baseline: r.Baseline, Warn: r.Warn}.Begin(name, r.Server.String())
	r.recorder.Reloads = true
	r.queue = store.NewQueue()
	recorded = pipeline.Start(r.queue)
	r.Control.Begin(control.Session{ID: r.Session, Recording: r.recorder.Path(), Since: time.Now()})
	r.out, r.in = pipeline.NewDirection(transport.Out, r.recorder, r.queue, r.Gate), pipeline.NewDirection(transport.In, r.recorder, r.queue, r.Gate)
	if r.Session == "" {
		r.recorder.Changes(r.Gate, r.queue)
	} else {
		r.out.InSession(r.Session)
		r.in.InSession(r.Session)
	}
	r.out.Back, r.in.Back = r.in, r.out
	r.out.Note, r.in.Note = r.note, r.note
	r.out.First, r.out.Torn, r.out.Deliver, r.out.Late = r.fromHost, r.tornFromHost, r.toServer, !r.Server.IsStdio()
	r.outlet = newOutlet(r.Stdout)
	r.in.Dst = r.outlet
	r.spool = newSpool(r.Stdin)
	r.out.At = func() time.Time { return r.spool.at } // the goroutine that reads owns at
	return recorded
}

// Unconnected returns the failure of the last request, or nil if there is none or the server has responded to a
// request. It is for servers with a URL.
func (r *Relay) Unconnected() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failure
}

// InitializeResult returns the result of initialize as the host has received it from the newest server, or nil before it.
func (r *Relay) InitializeResult() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return bytes.Clone(r.known.declared)
}

// Note adds a sentence to the recording. It is called between the first frame of the host and the end of Run.
func (r *Relay) Note(text string) { r.note(text) }

// note adds a sentence to the recording.
func (r *Relay) note(text string) {
	now := time.Now()
	r.queue.Call(func() { r.recorder.Note(now, text) })
}

// tell prints a message on stderr and records it.
func (r *Relay) tell(text string) {
	r.note(text)
	r.Warn(text)
}

// closed records the end of a connection.
func (r *Relay) closed(s *server, reason string) {
	s.closed.Do(func() {
		now := time.Now()
		r.queue.Call(func() { r.recorder.Closed(now, reason) })
	})
}

// setPhase sets the phase. The caller holds the lock.
func (r *Relay) setPhase(p phase, why string) {
	r.phase, r.why = p, why
	status := ""
	if p == down {
		status = "the server does not run: " + why
	}
	r.Control.Status(status, r.restarts)
	r.wake()
}

// answers records that errors are being written until the returned function is called; the end of the tap waits
// for it. The caller holds the lock.
func (r *Relay) answers() (done func()) {
	r.answering++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.answering--
		r.wake()
	}
}

// wake wakes the goroutines that wait for a change of state. The caller holds the lock.
func (r *Relay) wake() {
	if r.changed != nil {
		close(r.changed)
		r.changed = nil
	}
}

// awaited returns a channel that is closed when the state changes. The caller holds the lock.
func (r *Relay) awaited() <-chan struct{} {
	if r.changed == nil {
		r.changed = make(chan struct{})
	}
	return r.changed
}

// Target implements the Session of package watch.
func (r *Relay) Target() client.Target { return r.Server }

// Connect implements the Session of package watch.
func (r *Relay) Connect(ctx context.Context) error { return r.RestartAfter(ctx, session.Cause{}) }

// Running implements the Session of package watch: the requests at the server that the host and commands wait
// for.
func (r *Relay) Running() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known.calls.running() + r.in.Shared.Running()
}

// Calls implements the Session of package watch: the requests that the server may work on.
func (r *Relay) Calls() (running int, ended uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == ready {
		running = r.known.calls.running() + r.in.Shared.Running()
	}
	return running, r.known.calls.ended + r.commandsEnded.Load()
}

// FollowSources makes requests wait after a save, until the outcome of the save is known. It is called before Run.
func (r *Relay) FollowSources(src session.Sources) {
	r.Generation, r.Want, r.Doing = src.Generation, src.Want, src.Doing
}

// Settled implements the Session of package watch.
func (r *Relay) Settled() (<-chan struct{}, func()) { return r.known.calls.settled.Subscribe() }

// Broken reports that nothing can be started for a generation, because the build has failed. The old server
// finishes its requests.
func (r *Relay) Broken(why string, generation uint64) {
	why = "the build has failed: " + why
	r.mu.Lock()
	if r.server == nil {
		r.outcome.Breaks(generation, why)
		r.failLocked(nil, why)
		return
	}
	r.outcome.Breaks(generation, why)
	r.wake()
	r.mu.Unlock()
	r.tell(why + "; the previous server finishes what it has begun, and requests get this error")
}

// Covers records that the newest outcome holds for a later generation.
func (r *Relay) Covers(generation uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcome.Covers(generation)
	r.wake()
}

// Waits reports that a restart waits for the requests of the host, until a time.
func (r *Relay) Waits(n int, until time.Time) {
	r.tell(fmt.Sprintf("the restart waits for %s of the host, for at most %s", phrase.Count(n, "request"), phrase.Duration(time.Until(until).Round(time.Second))))
}
