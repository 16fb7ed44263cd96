package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/client/secret"
	"mcptea/internal/signal"
	"mcptea/session/events"
	"mcptea/session/intercept"
	"mcptea/session/offer/changes"
	"mcptea/session/record"
	"mcptea/session/record/store"
	"mcptea/session/requests"
)

// Session is a debugging session. See the package comment.
type Session struct {
	cfg     Config
	secrets *secret.Values // of all links so far, and of the requests
	store   *store.Store
	inbox   *requests.Inbox
	tasks   *requests.Tracker
	events  *events.Tracker
	hidden  secret.Hidden
	gate    *intercept.Gate
	// changes compares what the server offers with what the user has seen of it.
	changes changes.Tracker

	tap *tap // of the newest connection, nil before one; guarded by mu
	// recorded is nil unless the session was opened from a recording.
	recorded *recorded

	mu        sync.Mutex
	client    *client.Client
	watcher   *watcher // nil in the handshake era: notifications need no subscription
	linter    *linter  // nil without Config.Lint; set by Open only
	state     State
	transport string             // of the newest connection
	stop      context.CancelFunc // ends the attempt to connect
	era       revision.Era       // of the server, as the last connection has found it
	calls     map[jsonrpc.Key]*Call
	ended     uint64        // number of calls that are over
	settled   signal.Signal // of ended
	notes     []string
	verdicts  []string    // on files of skills, that were noted last
	halted    atomic.Bool // it was noted that bodies are not kept
	// lastExchange is the highest number of an HTTP exchange so far: each
	// connection counts from 1, the record continues.
	lastExchange uint32
	renewal      *renewal                 // of the newest session that expired; nil when none has
	restarts     []Restarted              // replaced, not changed, since states share it
	restartCount int                      // connections that replaced an earlier one
	followed     []string                 // URIs of resources
	sources      *Sources                 // nil if no files are followed
	outcome      Outcome                  // of the sources
	started      uint64                   // the generation of the newest server
	ids          *atomic.Int64            // the newest id, where files are followed; else nil
	waiting      int                      // calls that wait for the outcome of a save
	updates      updates                  // of resources, on this connection
	refetch      map[string]bool          // lists of the connection that will be fetched again
	pauses       map[string]time.Duration // before that happens
	auth         *oauth.Authorizer        // of the connection; nil without
	tokens       oauth.Memory             // where Config.Authorization keeps none
	life         context.Context          // ends when the session is closed
	end          context.CancelFunc
	wg           sync.WaitGroup

	// connecting has an element while one of Connect, Restart, Close runs, which takes seconds: a
	// mutex is for what ends at once.
	connecting chan struct{}
}

// Open starts the record of a session. Nothing is connected yet.
func Open(cfg Config) (*Session, error) {
	secrets := new(secret.Values)
	addSecrets(secrets, Link{cfg.Target, cfg.Client, cfg.Authorization})
	st, why, err := createStore(&cfg, secrets, record.Header{
		Tool: cfg.Tool, Transport: cfg.Target.TransportName(), Target: cfg.Target.String(), Branch: cfg.Branch, Insecure: cfg.Target.IsInsecure(), As: cfg.Client.As.Words(),
	})
	if err != nil {
		return nil, err
	}
	s := newSession(cfg, st, secrets)
	if err := s.newGate(); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	if why != nil {
		s.note(fmt.Sprintf("this session is not recorded: %v", why))
	}
	if cfg.Lint {
		s.startLinter()
	}
	if cfg.Follow != nil {
		changed, stop := st.Subscribe()
		s.wg.Go(func() {
			defer stop()
			for !s.closed() {
				select {
				case <-changed:
					cfg.Follow(s)
				case <-s.life.Done():
				}
			}
		})
	}
	return s, nil
}

func newSession(cfg Config, st *store.Store, secrets *secret.Values) *Session {
	s := &Session{
		connecting: make(chan struct{}, 1),
		cfg:        cfg, store: st, secrets: secrets, transport: cfg.Target.TransportName(),
		calls:   make(map[jsonrpc.Key]*Call),
		refetch: make(map[string]bool),
		pauses:  make(map[string]time.Duration),
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.events = events.New(eventHost{s})
	s.inbox, s.tasks = requests.New(host{s}, cfg.Policies, cfg.Client.Timeout)
	return s
}

// Store is the record.
func (s *Session) Store() *store.Store { return s.store }

// Secrets are the values that are redacted in all that is shown, written and reported of the session
// but for its frames: those of each target that it has had, and of the requests over HTTP.
func (s *Session) Secrets() *secret.Values { return s.secrets }

// Redact returns a text about the session, or of its server, with the secrets redacted.
func (s *Session) Redact(text string) string { return s.secrets.Redact(text) }

// Tasks are the tasks of the server.
func (s *Session) Tasks() *requests.Tracker { return s.tasks }

// Changes is how what the server offers differs from what the user has seen of it.
func (s *Session) Changes() *changes.Tracker { return &s.changes }

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

// Close ends the connection as [Session.Disconnect] does, and then the record:
// bodies cannot be read any more. The error is about the recording.
func (s *Session) Close(ctx context.Context) error {
	s.Disconnect(ctx)
	s.store.Flush()
	s.noteHalt()
	if s.cfg.Follow != nil {
		s.cfg.Follow(s)
	}
	return s.store.Close()
}

// errNotConnected is what calls get while there is no connection.
var errNotConnected = fmt.Errorf("not connected")

// closed reports whether the session is being closed, or was.
func (s *Session) closed() bool { return s.life.Err() != nil }

// pause waits for a time; false if the session is closed first, or what it is for has ended, which may be nil.
func (s *Session) pause(d time.Duration, ended <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ended:
		return false
	case <-s.life.Done():
		return false
	}
}

func (s *Session) current() (*client.Client, error) {
	if s.recorded != nil {
		return nil, errRecording
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.closed() {
		return nil, errNotConnected
	}
	return s.client, nil
}

// Hide has a value masked in all that is recorded and shown of the session from now on, frames included.
// The mask is as long as the value, and begins as it does up to an underscore.
func (s *Session) Hide(value string) {
	s.secrets.Add(value)
	s.hidden.Add(value)
}
