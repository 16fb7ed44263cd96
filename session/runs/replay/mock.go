package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/rpcserver"
)

// MockOptions determine how a recording is served.
type MockOptions struct {
	// Speed is the speed of the server's messages: 1 with the recorded pauses, 2 twice as fast; 0 without
	// pauses.
	Speed float64
	// Stateless makes the mock respond to server/discover of a client of 2026-07-28 although the
	// recording has initialize. A client of both eras then uses 2026-07-28, and does not repeat the
	// recorded requests.
	Stateless bool
	// Report is called with a sentence about a request without a match or without a
	// recorded response; may be nil. It may be called from several goroutines.
	Report func(text string)
}

// Mock serves a recording. Its methods may be called from any goroutine.
type Mock struct {
	turns *Transcript
	MockOptions
	index index // index of the turns
	// initializes and discovers report whether initialize, server/discover has a result in
	// the recording.
	initializes, discovers bool
	recorded               recordedHandshake // handshake of the era of the recording
	// sessions reports whether the server used the header Mcp-Session-Id.
	sessions bool
}

// NewMock returns a server for a recording.
func NewMock(t *Transcript, o MockOptions) *Mock {
	s := &Mock{turns: t, index: newIndex(t.Turns), MockOptions: o, sessions: t.Store().Header().Transport != "http"}
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.Method == "initialize" && !s.sessions {
			s.sessions = s.hasSessionID(turn)
		}
		if turn.hasResponse() {
			row, _ := t.Store().Row(turn.Response)
			hasResult := row.Kind == jsonrpc.Response
			s.initializes = s.initializes || hasResult && turn.Method == "initialize"
			s.discovers = s.discovers || hasResult && turn.Method == "server/discover"
		}
	}
	s.recorded = s.handshakeOf()
	return s
}

// hasSessionID reports whether the response to initialize had a session id, or
// whether that is not in the recording.
func (s *Mock) hasSessionID(turn *Turn) bool {
	row, ok := s.turns.Store().Row(turn.Row)
	if !ok {
		return true
	}
	x, ok := s.turns.Store().ExchangeOf(row.Exchange)
	return !ok || x.ResponseHeader == nil || x.ResponseHeader.Get(rpcserver.SessionHeader) != ""
}

// maxDelay bounds a pause, for a speed of almost nothing.
const maxDelay = 365 * 24 * time.Hour

func (s *Mock) report(format string, args ...any) {
	if s.Report != nil {
		s.Report(fmt.Sprintf(format, args...))
	}
}

// conversation is the state of one client: the messages that were played, and the requests to the
// client.
type conversation struct {
	*Mock
	ctx  context.Context
	stop context.CancelFunc
	// unrelated sends a message that belongs to no request.
	unrelated func(frame []byte)

	mu       sync.Mutex
	played   *matching                     // turns whose messages have arrived
	gates    map[int]chan struct{}         // closed when the message of the turn has arrived
	calls    map[*pendingCall]bool         // the requests of the client
	requests map[jsonrpc.Key]chan struct{} // requests of the server whose response is awaited, by what is played
	after    int                           // turns whose rest is played; at most maxCalls
	ids      *ids                          // ids of the server's requests
	running  sync.WaitGroup
}

func (s *Mock) newConversation(ctx context.Context, unrelated func(frame []byte)) *conversation {
	c := &conversation{Mock: s, unrelated: unrelated, gates: map[int]chan struct{}{}, calls: map[*pendingCall]bool{}}
	c.ctx, c.stop = context.WithCancel(ctx)
	c.ids = newIDs(func(used int) jsonrpc.ID { return jsonrpc.StringID(fmt.Sprintf("mock-%d", used)) })
	c.restart()
	return c
}

// restart starts the recording from the beginning.
func (c *conversation) restart() {
	c.played, c.requests = newMatching(c.index), map[jsonrpc.Key]chan struct{}{}
	c.ids.forget()
}

// match returns the turn of a message of the client, and notes that it has come. Of
// the turns of the first level that has some, it is the first one that was not played
// yet, or the last one. ok is false if no turn matches.
func (c *conversation) match(method string, params []byte) (turn *Turn, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := keysOf(method, params)
	for level, key := range keys[:bySubject] {
		i, isPlayed, ok := c.played.find(level, key)
		if !ok {
			continue
		}
		if isPlayed && revision.IsHandshake(method) && c.turns.Turns[i].IsRequest { // a client connects again
			c.restart()
			i, _, _ = c.played.find(level, key)
		}
		c.come(i)
		return &c.turns.Turns[i], true
	}
	return nil, false
}

// come records that the message of a turn has arrived. The caller holds mu.
func (c *conversation) come(turn int) {
	c.played.used[turn] = true
	if gate := c.gates[turn]; gate != nil {
		close(gate)
		delete(c.gates, turn)
	}
}

// waitFor waits until the client has sent the messages that it sent before a row of the recording. It returns
// false if the conversation or the request ended.
func (c *conversation) waitFor(ctx context.Context, row int32) bool {
	after, _ := slices.BinarySearchFunc(c.turns.Turns, row, func(t Turn, row int32) int { return int(t.Row - row) })
	if after == 0 {
		return true
	}
	c.mu.Lock()
	if c.played.used[after-1] {
		c.mu.Unlock()
		return true
	}
	gate := c.gates[after-1]
	if gate == nil {
		gate = make(chan struct{})
		c.gates[after-1] = gate
	}
	c.mu.Unlock()
	select {
	case <-gate:
		return true
	case <-ctx.Done():
		return false
	}
}

// pause waits as long as the server did between two moments of the recording.
func (c *conversation) pause(ctx context.Context, from, to int64) bool {
	if delay := c.delay(from, to); delay > 0 {
		over, stop := context.WithTimeout(ctx, delay)
		defer stop()
		<-over.Done()
	}
	return ctx.Err() == nil
}

// delay returns how long the pause between two moments of the recording is.
func (s *Mock) delay(from, to int64) time.Duration {
	if s.Speed <= 0 || to <= from {
		return 0
	}
	return time.Duration(min(float64(to-from)/s.Speed, float64(maxDelay)))
}

// missing returns a message for a request without a recorded response.
func missing(turn *Turn) string {
	return fmt.Sprintf("%s, recorded as frame %d, has no response in the recording; the mock does not respond either", turn.Method, turn.Row+1)
}

// initializeResult returns the result of initialize for a recording of frames that were
// selected from a session: the version that the client offers, or the newest with a handshake if that is unknown or has
// none, and the capabilities that the recorded requests need.
func (s *Mock) initializeResult(params []byte) []byte {
	version := jsonrpc.Text(params, "protocolVersion")
	if r := revision.Revision(version); !r.Known() || r.IsStateless() {
		version = string(revision.NewestHandshake)
	}
	capabilities := map[string]struct{}{}
	for i := range s.turns.Turns {
		family, _, _ := strings.Cut(s.turns.Turns[i].Method, "/")
		if name := map[string]string{"tools": "tools", "resources": "resources", "prompts": "prompts", "logging": "logging", "completion": "completions"}[family]; name != "" {
			capabilities[name] = struct{}{}
		}
	}
	result, _ := json.Marshal(map[string]any{ // always marshals
		"protocolVersion": version, "capabilities": capabilities, "serverInfo": map[string]string{"name": "mcptea mock", "version": "1"},
	})
	return result
}
