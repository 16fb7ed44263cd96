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
	"mcptea/offer/changes"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/events"
	"mcptea/session/intercept"
	"mcptea/session/requests"
)

// Session is a debugging session. See the package comment.
type Session struct {
	cfg     Config
	secrets *secret.Values // secrets of all links so far, and of the requests
	store   *store.Store
	inbox   *requests.Inbox
	tasks   *requests.Tracker
	events  *events.Tracker
	hidden  secret.Hidden
	gate    *intercept.Gate
	// changes compares the server's lists with the lists that the user has seen.
	changes changes.Tracker

	tap *tap // tap of the newest connection, or nil; guarded by mu
	// recorded is nil unless the session was opened from a recording.
	recorded *recorded

	mu        sync.Mutex
	client    *client.Client
	watcher   *watcher // nil in the handshake era: notifications need no subscription
	linter    *linter  // nil without Config.Lint; set only by Open
	state     State
	transport string             // transport of the newest connection
	stop      context.CancelFunc // ends the attempt to connect
	era       revision.Era       // era of the server, as found by the last connection
	calls     map[jsonrpc.Key]*Call
	ended     uint64        // number of calls that are over
	settled   signal.Signal // signaled with ended
	notes     []string
	verdicts  []string    // newest verdicts on files of skills
	halted    atomic.Bool // a note about bodies that are not kept was printed
	// lastExchange is the highest number of an HTTP exchange so far: each
	// connection counts from 1, the record continues.
	lastExchange uint32
	renewal      *renewal                 // newest renewal after a session expired, or nil
	answered     int                      // attempt to connect whose session has answered a call, or 0
	restarts     []Restarted              // replaced, not changed, since states share it
	restartCount int                      // connections that replaced an earlier one
	followed     []string                 // URIs of resources
	sources      *Sources                 // nil if no files are followed
	outcome      Outcome                  // outcome of the sources
	started      uint64                   // the generation of the newest server
	ids          *atomic.Int64            // newest id if files are followed, or nil
	waiting      int                      // calls that wait for the outcome of a save
	updates      updates                  // reported resources on this connection
	refetch      map[string]bool          // lists of the connection that will be fetched again
	pauses       map[string]time.Duration // pauses set before the connection exists
	auth         *oauth.Authorizer        // authorizer of the connection, or nil
	tokens       oauth.Memory             // tokens, if Config.Authorization keeps none
	life         context.Context          // ends when the session is closed
	end          context.CancelFunc
	wg           sync.WaitGroup

	// connecting holds an element while Connect, Restart or Close runs. They take seconds, and a mutex is only
	// for short sections.
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

// Store returns the record.
func (s *Session) Store() *store.Store { return s.store }

// Secrets returns the values that are redacted in everything shown, written and reported about the session
// except its frames: the secrets of all its targets, and of its HTTP requests.
func (s *Session) Secrets() *secret.Values { return s.secrets }

// Redact returns a text about the session, or of its server, with the secrets redacted.
func (s *Session) Redact(text string) string { return s.secrets.Redact(text) }

// Tasks returns the tracker of the server's tasks.
func (s *Session) Tasks() *requests.Tracker { return s.tasks }

// Changes returns the tracker of differences between the server's lists and what the user has seen.
func (s *Session) Changes() *changes.Tracker { return &s.changes }

// Transport returns the current transport: "stdio", "http" or "sse". The transport of a URL may turn out to be
// a different one than assumed.
func (s *Session) Transport() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.transport
}

// Config returns the configuration for more sessions with the same server. They share the tokens of this one.
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

// Close ends the connection like [Session.Disconnect], and then the record: bodies can no longer be read. The
// error is about the recording.
func (s *Session) Close(ctx context.Context) error {
	s.Disconnect(ctx)
	s.store.Flush()
	s.noteHalt()
	if s.cfg.Follow != nil {
		s.cfg.Follow(s)
	}
	return s.store.Close()
}

// errNotConnected is the error of calls while there is no connection.
var errNotConnected = fmt.Errorf("not connected")

// closed reports whether the session is being closed, or was.
func (s *Session) closed() bool { return s.life.Err() != nil }

// pause waits for d. It returns false if the session is closed first, or if ended, which may be nil, is closed.
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
	switch {
	case s.closed():
		return nil, errNotConnected
	case s.client == nil && s.state.Err != nil:
		return nil, fmt.Errorf("%w: %w", errNotConnected, s.state.Err)
	case s.client == nil:
		return nil, errNotConnected
	}
	return s.client, nil
}

// Hide masks a value in everything that is recorded and shown after the call, including frames. The
// mask has the length of the value and keeps its start up to an underscore.
func (s *Session) Hide(value string) {
	s.secrets.Add(value)
	s.hidden.Add(value)
}
