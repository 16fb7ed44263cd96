package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/internal/phrase"
	"mcptea/session/record"
	"mcptea/session/shell"
	"mcptea/session/store"
)

// errRecording is what calls get in a session that was opened from a recording.
var errRecording = errors.New("the session is a recording: no server is connected")

// Recording is what is known of the recording that a session was opened from. It
// is a copy.
type Recording struct {
	Path   string
	Made   time.Time // zero if the header is damaged
	Tool   string    // program and version that wrote it
	Target string    // of the newest connection, as a shell reads it, redacted
	// Growing reports that a process is writing it.
	Growing bool
	// Read of Size bytes are in the index.
	Read, Size int64
	// Newest is the time of the newest event.
	Newest time.Time
	// Skipped is a sentence about what could not be read and where; empty when
	// everything could.
	Skipped string
}

// recorded is the state of a session that was opened from a recording. Its events
// update the state of the session as those of a connection do.
type recorded struct {
	s      *Session
	header record.Header

	// These are guarded by Session.mu.
	target  string
	growing bool
	newest  time.Time
	err     error // of reading

	// pages are the items of a list whose last page is missing; of the goroutine
	// that reads.
	pages map[string][]Item
}

// OpenRecording opens a recording as a session without a connection. Its events are
// read in the background, and further ones as the recording grows, until
// [Session.Close]; the state, the lists, the inbox, the tasks and the findings
// follow from them. Calls fail with [errRecording]. Of the configuration it uses
// Client, Lint, Mute, NoHeuristics and Lists. The error is that of [store.Open].
func OpenRecording(path string, cfg Config) (*Session, error) {
	st, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	h := st.Header()
	cfg.Target = recordedTarget(h.Transport, h.Target)
	s := newSession(cfg, st)
	r := &recorded{s: s, header: h, target: h.Target, growing: store.InUse(path), pages: map[string][]Item{}}
	s.recorded = r
	if h.Transport != "" {
		s.transport = h.Transport
	}
	st.Observe(r.event)
	if cfg.Lint {
		s.startLinter()
	}
	s.wg.Go(r.follow)
	return s, nil
}

// Recording returns what is known of the recording; ok is false for a session that
// was not opened from one.
func (s *Session) Recording() (rec Recording, ok bool) {
	r := s.recorded
	if r == nil {
		return Recording{}, false
	}
	rec = Recording{Path: s.store.Path(), Tool: r.header.Tool}
	if r.header.Time != 0 {
		rec.Made = time.Unix(0, r.header.Time)
	}
	rec.Read, rec.Size = s.store.Loaded()
	s.mu.Lock()
	rec.Target, rec.Growing, rec.Newest = r.target, r.growing, r.newest
	err := r.err
	s.mu.Unlock()
	rec.Skipped = skipped(s.store, rec.Growing, err)
	return rec, true
}

// skipped says what of a recording could not be read.
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

// recordedTarget is the target that a recording names: its words are for display,
// since secrets in them are redacted.
func recordedTarget(transportName, target string) client.Target {
	if transportName == "stdio" {
		return client.Target{Argv: strings.Fields(target)}
	}
	return client.Target{URL: target, Transport: map[string]string{client.TransportSSE: client.TransportSSE}[transportName]}
}

const (
	// followInterval is how often a recording is looked at for more events, and
	// whether a process is writing it.
	followInterval = 200 * time.Millisecond
	// maxFollowInterval is how often one is looked at that no process writes, and that
	// does not grow. It may do so again: it is copied, or on a file system without locks.
	maxFollowInterval = 5 * time.Second
)

// follow reads the recording until the session is closed.
func (r *recorded) follow() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() {
		select {
		case <-r.s.ending:
			stop()
		case <-ctx.Done():
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	interval, size := followInterval, int64(-1)
	for {
		growing := store.InUse(r.s.store.Path())
		if err := r.s.store.Load(ctx); err != nil {
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
			interval = followInterval
		} else {
			interval = min(2*interval, maxFollowInterval)
		}
		timer.Reset(interval)
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
	}
}

// wrote takes note of whether a process is still writing. A recording that ends
// while connecting has not ended well.
func (r *recorded) wrote(growing bool) {
	s := r.s
	s.mu.Lock()
	changed := r.growing != growing
	r.growing = growing
	if !growing && s.state.Phase == Connecting {
		s.state.Phase, s.state.Err = Failed, errors.New("the recording ends before the connection was ready")
		changed = true
	}
	s.mu.Unlock()
	if changed {
		s.store.Notify()
	}
}

// event updates the session for an event. It is called on the goroutine that reads.
func (r *recorded) event(e *record.Event, _ int32, _ store.Row, matches []store.Match) {
	s := r.s
	s.mu.Lock()
	r.newest = e.Time
	s.mu.Unlock()
	if e.Beside {
		return // the state is that of the connection of the session
	}
	switch e.Kind {
	case record.KindFrame:
		if e.Frame.NonMessageEvent() {
			return
		}
		for i := range matches {
			if m := &matches[i]; m.IsMessage() {
				r.message(&message{m})
			}
		}
	case record.KindConnection:
		r.connection(e.Connection, e.Time)
	case record.KindProcess:
		s.process(e.Process)
		if e.Process.Argv != nil {
			line, err := shell.Bash.Join(shell.Literals(e.Process.Argv...))
			s.mu.Lock()
			s.cfg.Target.Argv = e.Process.Argv
			if err == nil {
				r.target = line
			}
			s.mu.Unlock()
		}
	case record.KindHTTP:
		if id := e.Exchange.ResponseHeader.Get("Mcp-Session-Id"); id != "" {
			s.mu.Lock()
			s.state.Session = id
			s.mu.Unlock()
		}
	case record.KindStep, record.KindAuthorization:
		r.step(e)
	case record.KindNote:
		s.note(e.Text)
	}
}

// connection updates the state for a change in the life of the connection.
func (r *recorded) connection(c *record.Connection, at time.Time) {
	s := r.s
	s.mu.Lock()
	switch c.What {
	case record.ConnectionOpened:
		s.state = State{Phase: Connecting, Attempt: int(c.Number), Started: at, Lists: s.state.Lists}
		s.updates.clear()
		if c.Target != "" {
			r.target, s.cfg.Target = c.Target, recordedTarget(c.Transport, c.Target)
		}
		s.transport = c.Transport
		clear(r.pages)
	case record.ConnectionReady:
		s.state.Phase, s.state.Took = Ready, at.Sub(s.state.Started)
		s.transport = c.Transport
	case record.ConnectionClosed:
		r.closed(c, at)
	}
	s.mu.Unlock()
	if c.What != record.ConnectionReady {
		s.inbox.WithdrawAll(at)
		s.tasks.Disconnected(at)
	}
}

// closed ends the connection in the state. One that the user ended stays what it
// was. The caller holds Session.mu.
func (r *recorded) closed(c *record.Connection, at time.Time) {
	st := &r.s.state
	reason := c.Reason
	switch {
	case st.Phase == Connecting:
		st.Phase, st.Took = Failed, at.Sub(st.Started)
		failed := client.Step{Detail: reason}
		for _, step := range st.Steps {
			if step.State == client.StepFailed {
				failed = step
			}
		}
		if failed.Detail == "" {
			failed.Detail = "the connection was closed before it was ready"
		}
		st.Err = &client.ConnectError{Step: failed.Name, Err: errors.New(failed.Detail)}
	case reason != "":
		st.Phase, st.Err = Ended, errors.New(reason)
	}
}

// maxSteps bounds the steps of one connection, those of authorization included.
const maxSteps = 200

// step adds a step of connecting or of authorization, which has ended.
func (r *recorded) step(e *record.Event) {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	list := &s.state.Steps
	if e.Kind == record.KindAuthorization {
		list = &s.state.Authorization
	}
	if len(*list) >= maxSteps {
		return
	}
	st := client.Step{
		Index: len(*list), Name: e.Step.Name, Detail: e.Step.Detail, State: client.StepDone,
		Start: e.Time.Add(-e.Step.Took), Took: e.Step.Took, URL: e.Step.URL,
	}
	if e.Step.State == client.StepFailed.String() {
		st.State = client.StepFailed
	}
	*list = append(*list, st)
}
