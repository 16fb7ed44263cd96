package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/internal/words/phrase"
)

// This file decides which server answers a request after a save.
//
// The sources of a server have a generation, a number that each change raises; package watch counts it. A request
// has the generation of the sources at the moment of its call. An outcome of that generation, or of a later one,
// decides the request.

// An Outcome is the newest outcome of a change of the sources: a server, a failed start, or a failed build. Sources
// without generations use the zero value. An Outcome is not safe for concurrent use.
type Outcome struct {
	generation uint64
	broken     string
}

// Stands records that a server of a generation was started, or that its start failed.
func (o *Outcome) Stands(generation uint64) {
	if generation >= o.generation {
		o.generation, o.broken = generation, ""
	}
}

// Breaks records that the build of a generation failed, and why.
func (o *Outcome) Breaks(generation uint64, why string) {
	o.generation, o.broken = max(o.generation, generation), why
}

// Covers records that the outcome holds for a later generation: no source has changed since.
func (o *Outcome) Covers(generation uint64) { o.generation = max(o.generation, generation) }

// Decides reports whether the outcome decides a request with a generation.
func (o *Outcome) Decides(generation uint64) bool { return generation <= o.generation }

// Broken returns why the build failed, or "" if it did not.
func (o *Outcome) Broken() string { return o.broken }

const (
	// SaveWait bounds the wait of a request for the outcome of its generation. Hosts wait longer for a response (30 s
	// and more), so they show the reason.
	SaveWait = 25 * time.Second
	// Noticed bounds the wait for the report of a change. It arrives immediately unless the processors are busy.
	Noticed = time.Second
)

// NotReady returns why a request is not sent after [SaveWait]. doing is the current step after the save, in a few
// words, or "" if it is unknown.
func NotReady(doing string) string {
	why := "a file was saved, and the server with it is not ready after " + phrase.Duration(SaveWait)
	if doing == "" {
		return why
	}
	return why + " (" + doing + ")"
}

// Sources provides the watched source files of a server.
type Sources struct {
	// Generation returns the current generation of the files, within limit.
	Generation func(limit time.Duration) uint64
	// Want reports that a request waits for the outcome of a generation.
	Want func(generation uint64)
	// Doing returns the current step after a save, in a few words, or "" if it is unknown.
	Doing func() string
}

// FollowSources makes requests wait after a save until its outcome is known. It must be called before
// connecting, the first time or again.
func (s *Session) FollowSources(src Sources) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids == nil {
		s.ids = new(atomic.Int64)
		if first, ok := s.cfg.Client.As.FirstID(); ok {
			s.ids.Store(first - 1)
		}
		if s.client != nil {
			s.ids.Store(s.client.NewestID())
		}
	}
	s.sources = &src
}

// Covers records that the outcome of the newest build applies to a later generation, too.
func (s *Session) Covers(generation uint64) {
	s.mu.Lock()
	s.outcome.Covers(generation)
	s.mu.Unlock()
	s.store.Notify()
}

// Broken records that the build of a generation failed, and why. The current server continues to run.
func (s *Session) Broken(why string, generation uint64) {
	s.mu.Lock()
	s.outcome.Breaks(generation, why)
	s.mu.Unlock()
	s.store.Notify()
}

// BuildFailure returns why the newest build failed, or "" if it did not.
func (s *Session) BuildFailure() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outcome.Broken()
}

// follows reports whether requests wait after a save.
func (s *Session) follows() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sources != nil
}

// Waits reports whether the call waits for the outcome of a save: its request is not sent yet.
func (c *Call) Waits() bool { return c.waits.Load() }

// awaits reports whether a call waits after a save. A frame without a request is sent to the current server.
func (c *Call) awaits() bool {
	return c.IsRequest() || c.batch
}

// awaitServer waits for the outcome that decides a call, and returns the client that sends it. c is the client at the
// moment of the call, or nil if there was none.
func (s *Session) awaitServer(ctx context.Context, c *client.Client, call *Call) (*client.Client, error) {
	s.mu.Lock()
	src := s.sources
	s.mu.Unlock()
	if src == nil || !call.awaits() {
		return c, nil
	}
	var err error
	waited := s.awaitOutcome(ctx, src, func() bool {
		c, err = s.decided(call.exact && !call.forwarded)
		if c == nil && err == nil && s.state.Phase == Idle {
			err = errNotConnected
		}
		if c != nil {
			s.endWait(call)
		}
		return c != nil || err != nil
	})
	if waited != nil {
		return nil, waited
	}
	return c, err
}

// awaitOutcome waits for the outcome of the current generation, and then until holds returns true. It calls holds with
// s.mu held. The error is the error of the context, or names the current step after the save.
func (s *Session) awaitOutcome(ctx context.Context, src *Sources, holds func() bool) error {
	generation := src.Generation(Noticed)
	ctx, stop := context.WithTimeoutCause(ctx, SaveWait, errNotReady)
	defer stop()
	wanted := false
	err := s.Until(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.outcome.Decides(generation) {
			if !wanted {
				src.Want(generation)
				wanted = true
			}
			return false
		}
		return holds()
	})
	if errors.Is(err, errNotReady) {
		return fmt.Errorf("%s: the request did not reach a server; send it again", NotReady(cmp.Or(src.Doing(), "it starts")))
	}
	return err
}

// AwaitSaved waits for the outcome of the newest save: a connected server, or an error in [State]. It returns the error
// of ctx, of a failed build, or of a save without an outcome in time. If no files are followed, it returns immediately.
func (s *Session) AwaitSaved(ctx context.Context) (err error) {
	s.mu.Lock()
	src := s.sources
	s.mu.Unlock()
	if src == nil {
		return nil
	}
	waited := s.awaitOutcome(ctx, src, func() bool {
		var c *client.Client
		c, err = s.decided(false)
		return c != nil || err != nil
	})
	if errors.Is(err, errNotConnected) || errors.Is(err, client.ErrClosed) {
		err = nil
	}
	return cmp.Or(waited, err)
}

// errNotReady ends the wait of a request.
var errNotReady = errors.New("the server is not ready")

// decided returns the client for requests that the outcome decides, or their error. It returns neither while the server
// starts. An early request does not wait for the handshake. The caller holds s.mu.
func (s *Session) decided(early bool) (*client.Client, error) {
	switch why := s.outcome.Broken(); {
	case s.closed():
		return nil, client.ErrClosed
	case why != "":
		return nil, fmt.Errorf("the build has failed: %s. The request did not reach a server", why)
	case s.client != nil && (s.state.Phase != Connecting || early):
		return s.client, nil
	case s.state.Phase == Failed && !errors.Is(s.state.Err, context.Canceled):
		return nil, fmt.Errorf("%w: %w", errNotConnected, s.state.Err)
	}
	return nil, nil
}

// endWait records that a call no longer waits. The caller holds s.mu.
func (s *Session) endWait(call *Call) {
	if call.waits.Swap(false) {
		s.waiting--
	}
}
