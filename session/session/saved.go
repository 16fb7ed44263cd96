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

// Requests after a save: which server may answer them.
//
// The sources of a server have a generation, a number that each change raises; package watch counts it. A request
// has the generation of the sources at the moment of its call, and is decided by an outcome of that generation or a
// later one.

// Outcome is the newest outcome of a change of the sources: a server, a start that has failed, or a build that has
// failed. The zero value is that of sources without generations. It has no lock.
type Outcome struct {
	generation uint64
	broken     string
}

// Stands says that a server of a generation was started, or that its start has failed.
func (o *Outcome) Stands(generation uint64) {
	if generation >= o.generation {
		o.generation, o.broken = generation, ""
	}
}

// Breaks says that the build of a generation has failed, and why.
func (o *Outcome) Breaks(generation uint64, why string) {
	o.generation, o.broken = max(o.generation, generation), why
}

// Covers says that the outcome is that of a later generation, too: no source has changed since.
func (o *Outcome) Covers(generation uint64) { o.generation = max(o.generation, generation) }

// Decides reports whether the outcome is that of a request with a generation.
func (o *Outcome) Decides(generation uint64) bool { return generation <= o.generation }

// Broken is why the build has failed; empty if it has not.
func (o *Outcome) Broken() string { return o.broken }

const (
	// SaveWait is how long a request waits for the outcome of its generation: less than hosts wait for a response
	// (30 s and more), so that the host shows why.
	SaveWait = 25 * time.Second
	// Noticed is how long a change may take to be known: mostly at once, and long only where the processors
	// have other work.
	Noticed = time.Second
)

// NotReady says why a request is not sent that has waited for [SaveWait]. doing is what is done about the save, in a
// few words; empty if that is not known.
func NotReady(doing string) string {
	why := "a file was saved, and the server with it is not ready after " + phrase.Duration(SaveWait)
	if doing == "" {
		return why
	}
	return why + " (" + doing + ")"
}

// Sources are the files that a server is made of, as something follows their changes.
type Sources struct {
	// Generation returns the generation of the files as they are now, within limit.
	Generation func(limit time.Duration) uint64
	// Want says that a request waits for the outcome of a generation.
	Want func(generation uint64)
	// Doing is what is done about a save, in a few words; empty for nothing that is known.
	Doing func() string
}

// FollowSources has requests wait after a save, until the outcome of the save is known. It is called before the first
// connection, or before a further one.
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

// Covers says that the newest outcome is that of a later generation, too.
func (s *Session) Covers(generation uint64) {
	s.mu.Lock()
	s.outcome.Covers(generation)
	s.mu.Unlock()
	s.store.Notify()
}

// Broken says that the build of a generation has failed, and why. The server from before runs on.
func (s *Session) Broken(why string, generation uint64) {
	s.mu.Lock()
	s.outcome.Breaks(generation, why)
	s.mu.Unlock()
	s.store.Notify()
}

// BuildFailure is why the newest build has failed; empty if it has not.
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

// Waits reports whether the call waits for the server with a saved file: its request is not sent yet.
func (c *Call) Waits() bool { return c.waits.Load() }

// awaits reports whether a call waits after a save: what has no request is sent to the server that is there.
func (c *Call) awaits() bool {
	return c.IsRequest() || c.batch
}

// awaitServer returns the client that a call is sent with, once the outcome of the sources is known that it was made
// for. c is the client at the moment of the call; nil if there was none.
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
			s.goes(call)
		}
		return c != nil || err != nil
	})
	if waited != nil {
		return nil, waited
	}
	return c, err
}

// awaitOutcome waits until the outcome of the sources is known as they are now, and then until holds does, which is
// called under the lock. The error is that of the context, or says what is done about the save.
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

// AwaitSaved waits for the outcome of the newest save: a server that is connected, or an error that [State] has. The
// error is that of ctx, says that the build has failed, or what is done about the save. It returns at once where no
// files are followed.
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

// decided returns the client for requests whose outcome is known, or the error that they get; neither while the server
// is being started. early requests do not wait for the handshake. The caller holds the lock.
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

// goes says that a call does not wait any more. The caller holds the lock.
func (s *Session) goes(call *Call) {
	if call.waits.Swap(false) {
		s.waiting--
	}
}
