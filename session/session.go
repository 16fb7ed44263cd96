package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/record"
	"mcptea/session/store"
)

// Config says what to connect to and what to keep.
type Config struct {
	Target client.Target
	Client client.Config

	// Record is the file of the recording, "off" for none, empty for one of
	// its own under [StateDir].
	Record string
	// RecordLimit is after how many bytes a recording stops; 0 is no limit. It
	// also bounds what a session without a recording writes to temporary files.
	RecordLimit int64
	// Tool is the program and its version, for the recording's header.
	Tool string

	// Authorization configures how to obtain access tokens for a server over HTTP;
	// nil means no tokens. Each connection has its own authorizer; its steps are
	// in the state and in the record.
	Authorization *oauth.Config

	// Policies decide how server requests are answered. A kind without a policy is
	// not advertised to the server.
	Policies Policies

	// Lists says which lists to fetch once connected.
	Lists []client.ListKind
	// Lint runs the rules of package lint over everything that is recorded.
	Lint bool
	// Mute are the ids of rules whose findings do not count.
	Mute []string
	// NoHeuristics leaves out the rules that go by wording, timing or likeness.
	NoHeuristics bool
	// Reconnect starts a new connection when the server reports that the session
	// has expired.
	Reconnect bool
	// Subscribe opens a subscription for changes of the lists in the stateless era.
	Subscribe bool

	// Dial makes the client, for tests; nil means client.New.
	Dial func(client.Tap, client.Config) *client.Client
}

// Phase is the state of the connection.
type Phase uint8

// The phases.
const (
	Idle Phase = iota
	Connecting
	Ready
	Failed // connecting failed
	Ended  // the connection was Ready and has ended
)

var phaseNames = [...]string{"idle", "connecting", "ready", "not connected", "ended"}

// String is the word that the header shows.
func (p Phase) String() string { return phaseNames[p] }

// Process is what is known of a server's process.
type Process struct {
	PID      int
	Path     string
	Argv     []string // secrets masked
	Dir      string
	Started  time.Time
	Exited   time.Time // zero while it runs
	ExitCode int
	Signal   string
	Expected bool // mcptea had closed its stdin before
	Stopped  bool // a signal had stopped it (state T) when its stdin was closed
}

// State is a snapshot of the session.
type State struct {
	Phase   Phase
	Attempt int // from 1
	Started time.Time
	Took    time.Duration // to connect, once Ready or Failed
	Steps   []client.Step
	// Authorization are the steps of the newest authorization on this connection;
	// empty when none was needed.
	Authorization []oauth.Step
	Handshake     client.Handshake
	Verdict       client.EraDetection // of which era the server is, and why
	Watching      Watching
	Err           error // why it Failed or Ended
	Process       Process
	Lists         map[string]List // by the name of the kind
	Logs          int             // how many log entries there were
	Stderr        int             // how many of them were on stderr
	// SuspectToken says that a token kept from an earlier session was sent and that
	// nothing shows yet that the server accepts it.
	SuspectToken bool
	Transport    string // "stdio", "http" or "sse": the one in force
	Session      string // the Mcp-Session-Id, shortened; empty without
	// Renewed says why the connection in force replaced the one before it without
	// the user's doing; empty otherwise.
	Renewed string
	// Followed are the URIs of the resources whose changes the server was asked to
	// report, on this connection and on later ones.
	Followed []string
	// Updates are what notifications/resources/updated reported, by URI.
	Updates map[string]Update
}

// Session is a debugging session. See the package comment.
type Session struct {
	cfg   Config
	store *store.Store

	mu        sync.Mutex
	client    *client.Client
	watcher   *watcher // nil in the handshake era: notifications need no subscription
	linter    *linter  // nil without Config.Lint; set by Open only
	state     State
	transport string             // of the newest connection
	stop      context.CancelFunc // ends the attempt to connect
	era       revision.Era       // of the server, as the last connection has found it
	calls     map[jsonrpc.ID]*Call
	logs      ring
	notes     []string
	halted    atomic.Bool // it was noted that bodies are not kept
	asks      []Ask       // what the server asked, oldest first
	tasks     []*task
	// taskTokens finds a task that runs by the progress token of its call.
	taskTokens map[string]*task
	exchanges  map[uint32]transport.Exchange
	// lastExchange is the highest number of an HTTP exchange so far: each
	// connection counts from 1, the record goes on.
	lastExchange uint32
	renewal      *renewal                 // of the newest session that expired; nil when none has
	followed     []string                 // URIs of resources
	updates      updates                  // of resources, on this connection
	completed    completions              // of elicitations
	refetch      map[string]bool          // lists that will be fetched again
	pause        map[string]time.Duration // before that happens
	auth         *oauth.Authorizer        // of the connection; nil without
	tokens       oauth.Memory             // where Config.Authorization keeps none
	token        string                   // by SetToken
	closed       bool
	ending       chan struct{} // closed by Close
	wg           sync.WaitGroup

	connecting sync.Mutex // one of Connect, Restart, Close at a time
}

// Open starts the record of a session. Nothing is connected yet.
func Open(cfg Config) (*Session, error) {
	st, why, err := createStore(&cfg, record.Header{
		Tool: cfg.Tool, Transport: cfg.Target.TransportName(), Target: cfg.Target.String(),
	})
	if err != nil {
		return nil, err
	}
	s := &Session{
		cfg: cfg, store: st, transport: cfg.Target.TransportName(),
		calls:     make(map[jsonrpc.ID]*Call),
		exchanges: make(map[uint32]transport.Exchange),
		refetch:   make(map[string]bool),
		pause:     make(map[string]time.Duration),
		ending:    make(chan struct{}),
	}
	if why != nil {
		s.note(fmt.Sprintf("this session is not recorded: %v", why))
	}
	if cfg.Lint {
		s.startLinter()
	}
	return s, nil
}

// Store is the record.
func (s *Session) Store() *store.Store { return s.store }

// Transport names the transport in force: "stdio", "http" or "sse". A URL can
// turn out to have another one than it was taken to have.
func (s *Session) Transport() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transport
}

// Config returns the configuration, for further sessions with the same server:
// they share the tokens of this one.
func (s *Session) Config() Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	cfg := s.cfg
	cfg.Client.Roots = slices.Clone(cfg.Client.Roots)
	if a := cfg.Authorization; a != nil && a.Store == nil {
		shared := *a
		shared.Store = &s.tokens
		cfg.Authorization = &shared
	}
	return cfg
}

// State returns a copy of the state. Slices and maps in it are not changed
// later.
func (s *Session) State() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.state
	if s.client != nil && st.Phase == Ready {
		// The first requests can show another era than the one detected.
		st.Handshake, st.Verdict = s.client.Handshake(), s.client.EraDetection()
		if !st.Handshake.Revision.IsModern() {
			st.Watching = Watching{}
		}
	}
	st.Steps, st.Authorization = slices.Clone(st.Steps), slices.Clone(st.Authorization)
	st.Lists = make(map[string]List, len(s.state.Lists))
	for k, v := range s.state.Lists {
		st.Lists[k] = v
	}
	st.Transport = s.transport
	st.SuspectToken = s.auth != nil && s.auth.SuspectStored()
	st.Logs, st.Stderr = s.logs.total, s.logs.stderr
	st.Followed, st.Updates = slices.Clone(s.followed), s.updates.snapshot()
	return st
}

// Connect connects and, in the background, fetches the lists. It returns when
// the handshake is over; its error is in the state too. The context bounds the
// attempt.
func (s *Session) Connect(ctx context.Context) error {
	s.connecting.Lock()
	defer s.connecting.Unlock()
	return s.connect(ctx)
}

// Restart closes the connection, if there is one, and reconnects. The record
// continues.
func (s *Session) Restart(ctx context.Context) error {
	s.mu.Lock()
	if s.stop != nil {
		s.stop() // cancel a running attempt
	}
	s.mu.Unlock()
	s.connecting.Lock()
	defer s.connecting.Unlock()
	s.disconnect(ctx)
	return s.connect(ctx)
}

func (s *Session) connect(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	start := time.Now()
	s.store.Connection(record.Connection{What: record.ConnectionOpened, Transport: s.cfg.Target.TransportName(), Target: s.cfg.Target.String()})
	conn := s.store.Conn()
	c := s.dial()
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return client.ErrClosed
	}
	s.client, s.stop = c, stop
	s.state = State{Phase: Connecting, Attempt: s.state.Attempt + 1, Started: start, Lists: s.state.Lists, Renewed: s.renewedReasonFor()}
	s.updates.clear()
	s.mu.Unlock()
	s.store.Poke()
	err := c.Connect(ctx)
	s.mu.Lock()
	s.state.Took = time.Since(start)
	s.state.Phase, s.state.Handshake, s.state.Verdict = Ready, c.Handshake(), c.EraDetection()
	if c.Target().URL != "" {
		s.transport = c.Target().TransportName()
	}
	s.era = s.state.Verdict.Era
	if err != nil {
		s.state.Phase, s.state.Err = Failed, err
		s.era = revision.EraUnknown
	}
	ready := record.Connection{
		What: record.ConnectionReady, Transport: s.transport,
		Revision: string(s.state.Handshake.Revision), Server: s.state.Handshake.Server.String(),
	}
	s.mu.Unlock()
	s.store.Poke()
	if err != nil {
		s.disconnect(ctx)
		return err
	}
	s.store.Connection(ready)
	s.wg.Go(func() { s.watch(c, conn) })
	s.watchLists(c)
	s.resumeTasks(c)
	s.fetchLists(c, s.cfg.Lists...)
	s.resubscribeResources(c)
	return nil
}

func (s *Session) dial() *client.Client {
	tap := s.Tap()
	if s.cfg.Dial != nil {
		return s.cfg.Dial(tap, s.clientConfig())
	}
	return client.New(s.Target(), tap, s.clientConfig())
}

// clientConfig returns the client's configuration with the session's callbacks
// and the capabilities that the policies allow.
func (s *Session) clientConfig() client.Config {
	s.mu.Lock()
	cfg := s.cfg.Client
	s.mu.Unlock()
	cfg.OnServerRequest, cfg.OnInputDropped, cfg.Note, cfg.Tasks, cfg.SessionExpired = s.serverRequest, s.abandoned, s.note, true, s.expired
	s.mu.Lock()
	cfg.Era = s.era
	s.mu.Unlock()
	cfg.Sampling = s.cfg.Policies.Sampling.Mode != PolicyNone
	cfg.Elicitation = s.cfg.Policies.Elicitation.Mode != PolicyNone
	if a := s.newAuthorizer(); a != nil {
		cfg.Authorization = a
	}
	return cfg
}

// watch records the end of a connection that was Ready.
func (s *Session) watch(c *client.Client, conn uint16) {
	<-c.Done()
	s.store.Disconnected(conn, reasonOf(c.Err()))
	s.mu.Lock()
	mine := s.client == c
	if mine && s.state.Phase == Ready {
		s.state.Phase, s.state.Err = Ended, c.Err()
	}
	s.mu.Unlock()
	if mine {
		s.withdrawAll()
		s.endUnpolledTasks()
	}
	s.store.Poke()
}

// reasonOf is why a connection ended; empty if the client has ended it.
func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// disconnect closes the current client.
func (s *Session) disconnect(ctx context.Context) {
	s.mu.Lock()
	c := s.client
	s.client, s.watcher = nil, nil
	if c != nil && s.era != revision.EraUnknown {
		s.era = c.EraDetection().Era
	}
	for name, l := range s.state.Lists {
		if l.Loading {
			l.Loading = false // a fetch on the closed connection is discarded
			s.putList(name, l)
		}
	}
	s.mu.Unlock()
	if c != nil {
		// How the server ended is reported through the tap.
		_ = c.Close(context.WithoutCancel(ctx))
	}
	s.withdrawAll()
	s.endUnpolledTasks()
	s.store.Disconnected(s.store.Conn(), "")
}

// Close ends the connection as [Session.Disconnect] does, and then the record:
// bodies cannot be read any more. The error is about the recording.
func (s *Session) Close(ctx context.Context) error {
	s.Disconnect(ctx)
	s.store.Flush()
	s.noteHalt()
	return s.store.Close()
}

// Disconnect ends the connection for good and waits for everything that the
// session has started. What the server sent last is then in the record. The
// context bounds the graceful shutdown of the server.
func (s *Session) Disconnect(ctx context.Context) {
	s.mu.Lock()
	if !s.closed {
		close(s.ending)
	}
	s.closed = true
	if s.stop != nil {
		s.stop()
	}
	s.mu.Unlock()
	s.connecting.Lock()
	s.mu.Lock()
	c := s.client
	s.mu.Unlock()
	if c != nil {
		_ = c.Close(ctx) // reported through the tap
		s.store.Disconnected(s.store.Conn(), reasonOf(c.Err()))
	}
	s.connecting.Unlock() // a waiting Restart fails because closed is set
	s.linter.finish()
	s.wg.Wait()
}

// errNotConnected is what calls get while there is no connection.
var errNotConnected = fmt.Errorf("not connected")

func (s *Session) current() (*client.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.closed {
		return nil, errNotConnected
	}
	return s.client, nil
}
