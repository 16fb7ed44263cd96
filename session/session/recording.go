package session

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/internal/backoff"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/stderr"
	"mcptea/record/store"
)

// errRecording is the error of calls in a session that was opened from a recording.
var errRecording = errors.New("the session is a recording: no server is connected")

// A Recording describes the recording that a session was opened from. It is a copy.
type Recording struct {
	Path   string
	Made   time.Time // zero if the header is damaged
	Tool   string    // program and version that wrote it
	Target string    // target of the newest connection as a shell command line, redacted
	Branch string    // the recording that the session continues; see [record.Header]
	// Tap reports whether a tap made it, so that the client is another program.
	Tap bool
	// Growing reports that a process is writing it.
	Growing bool
	// Read of Size bytes are in the index.
	Read, Size int64
	// Newest is the time of the newest event.
	Newest time.Time
	// Skipped is a sentence about the unreadable parts, or "".
	Skipped string
}

// recorded is the state of a session that was opened from a recording. Its events update the session like
// events of a connection.
type recorded struct {
	s      *Session
	header record.Header

	now    Recording    // without the information of the store; guarded by Session.mu, as err is
	err    error        // error from reading
	newest atomic.Int64 // the time of the newest event, in Unix nanoseconds; 0 before the first

	handshaken time.Time // time of the handshake result; owned by the reading goroutine

	pages map[string]page // pages by list name; owned by the reading goroutine

	// The fields below are owned by the reading goroutine. compared holds the hashes of the lists compared
	// last, by name. ready is set once a connection was ready, and apart once there was a separate connection
	// that replaced no other; nothing is compared then.
	compared map[string]uint64
	ready    bool
	apart    bool

	loaded chan struct{} // closed when all was read that the file had: the linter waits for it
}

// OpenRecording opens a recording as a session without a connection. Its events are read in the background, and
// new ones as the recording grows, until [Session.Close]. The state, the lists, the inbox, the tasks and the
// findings follow from them. Calls fail with [errRecording]. Only Client, Lint, Mute, NoHeuristics and Lists of
// the configuration are used. The error is from [store.Open].
func OpenRecording(path string, cfg Config) (*Session, error) {
	st, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	h := st.Header()
	cfg.Target = recordedTarget(h.Transport, h.Target)
	s := newSession(cfg, st, cfg.Target.Secrets())
	r := &recorded{s: s, header: h, pages: map[string]page{}, compared: map[string]uint64{}, loaded: make(chan struct{})}
	r.now = Recording{Path: st.Path(), Tool: h.Tool, Target: h.Target, Branch: h.Branch, Tap: h.IsTap(), Growing: store.InUse(path)}
	if h.Time != 0 {
		r.now.Made = time.Unix(0, h.Time)
	}
	s.recorded = r
	if h.Transport != "" {
		s.transport = h.Transport
	}
	st.Observe(r.concerns, r.event)
	if cfg.Lint {
		s.startLinter()
	}
	s.wg.Go(r.follow)
	return s, nil
}

// Origin returns where the server of the newest connection ran, or runs.
func (s *Session) Origin() stderr.Origin {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := stderr.Origin{Dir: s.state.Process.Dir}
	if s.recorded != nil {
		from.Recording = s.store.Path()
	}
	return from
}

// Recording describes the recording. ok is false if the session was not opened from one.
func (s *Session) Recording() (rec Recording, ok bool) {
	r := s.recorded
	if r == nil {
		return Recording{}, false
	}
	s.mu.Lock()
	rec, err := r.now, r.err
	s.mu.Unlock()
	if at := r.newest.Load(); at != 0 {
		rec.Newest = time.Unix(0, at)
	}
	rec.Read, rec.Size = s.store.Loaded()
	rec.Skipped = skipped(s.store, rec.Growing, err)
	return rec, true
}

// skipped describes the parts of a recording that could not be read.
func skipped(st *store.Store, growing bool, err error) string {
	texts, n := st.Problems(growing)
	switch {
	case err != nil:
		return fmt.Sprintf("The rest of the recording cannot be read: %v.", err)
	case n == 0:
		return ""
	case n == 1:
		return phrase.Capital(texts[0]) + "."
	}
	return fmt.Sprintf("%s; %d problems in all.", phrase.Capital(texts[0]), n)
}

// recordedTarget returns the target named by a recording. Its words are for display, since secrets in them are
// redacted.
func recordedTarget(transportName, target string) client.Target {
	if transportName == "stdio" {
		return client.Target{Argv: strings.Fields(target)}
	}
	return client.Target{URL: target, Transport: map[string]string{client.TransportSSE: client.TransportSSE}[transportName]}
}

const (
	// followInterval is the interval between checks of a recording. They look for new events, and
	// for a process that is writing it.
	followInterval = 200 * time.Millisecond
	// maxFollowInterval is the same interval for a recording that no process writes and that does not grow. It
	// may grow again, if it is being copied or its file system has no locks.
	maxFollowInterval = 5 * time.Second
)

// follow reads the recording until the session is closed.
func (r *recorded) follow() {
	ctx := r.s.life
	pauses, size := backoff.Series{Backoff: backoff.Backoff{First: followInterval, Most: maxFollowInterval}}, int64(-1)
	for ok := true; ok; ok = r.s.pause(pauses.Next(), nil) {
		growing := store.InUse(r.s.store.Path())
		err := r.s.store.Load(ctx)
		if size < 0 {
			close(r.loaded)
		}
		if err != nil {
			if ctx.Err() == nil {
				r.s.mu.Lock()
				r.err = err
				r.s.mu.Unlock()
				r.wrote(false)
			}
			return
		}
		r.wrote(growing)
		before := size
		if _, size = r.s.store.Loaded(); growing || size != before {
			pauses.Reset()
		}
	}
}

// wrote updates whether a process is still writing. If a finished recording ends while connecting, the
// connection failed, unless the frames contain the result of the handshake: other programs may leave out
// mcptea's events.
func (r *recorded) wrote(growing bool) {
	s := r.s
	s.mu.Lock()
	changed := r.now.Growing != growing
	r.now.Growing = growing
	switch {
	case growing:
	case s.state.Phase <= Connecting && s.state.Handshake.Revision != "":
		s.state.Phase, changed = Ready, true
		if !s.state.Started.IsZero() {
			s.state.Took = r.handshaken.Sub(s.state.Started)
		}
	case s.state.Phase == Connecting:
		s.state.Phase, s.state.Err = Failed, errors.New("the recording ends before the connection was ready")
		changed = true
	}
	s.mu.Unlock()
	if changed {
		s.store.Notify()
	}
}
