package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
	"mcptea/session/session"
)

// start starts a server and repeats to it what the host has sent to the previous one. The caller
// has the right to restart. replaces reports whether there was a previous server. cause is the
// reason for its replacement.
func (r *Relay) start(ctx context.Context, cause session.Cause, replaces bool) (s *server, err error) {
	for range maxRenewals { // a session may expire in the handshake
		if s, err = r.startOnce(ctx, cause, replaces); !errors.Is(err, mcphttp.ErrSessionExpired) {
			return s, err
		}
	}
	why := r.redact(err.Error())
	r.stopped(ctx, s, why)
	return nil, errors.New(why)
}

// startOnce is start, but a session that has expired in the handshake is not the end: it is returned with
// the error.
func (r *Relay) startOnce(ctx context.Context, cause session.Cause, replaces bool) (*server, error) {
	s := r.begin(cause, replaces)
	if err := s.t.Open(ctx, s); err != nil {
		why := r.redact(err.Error())
		r.closed(s, why)
		r.stopped(ctx, s, why)
		return nil, err
	}
	err := r.prepare(ctx, s)
	if err == nil {
		r.mu.Lock()
		if r.server == s && !s.cut {
			if replaces {
				r.restarts++
			}
			s.since = time.Now()
			r.outcome.Stands(s.generation)
			r.setPhase(ready, "")
		}
		r.mu.Unlock()
		go r.follow(s)
		go r.compare(s)
		return s, nil
	}
	r.mu.Lock()
	s.leave(r)
	r.mu.Unlock()
	at, stop := context.WithCancel(context.Background())
	stop() // a server that was never ready is given no time
	_ = s.t.Close(at)
	if errors.Is(err, mcphttp.ErrSessionExpired) {
		r.closed(s, "the session has expired")
		return s, err
	}
	if ended := s.t.Err(); ended != nil {
		err = ended
	}
	why := s.why(err) // the last lines of stderr have now been read
	r.closed(s, why)
	r.stopped(ctx, s, why)
	return nil, errors.New(why)
}

// stopped reports that a server did not start, unless another change has ended the attempt: then another
// attempt begins.
func (r *Relay) stopped(ctx context.Context, s *server, why string) {
	if ctx.Err() != nil {
		r.mu.Lock()
		s.leave(r)
		r.mu.Unlock()
		return
	}
	r.fail(s, why)
}

// begin makes the next server, and records that its connection begins.
func (r *Relay) begin(cause session.Cause, replaces bool) *server {
	r.mu.Lock()
	r.servers++
	r.started = max(r.started, cause.Generation)
	s := &server{r: r, number: r.servers, generation: r.started, gone: make(chan struct{}), statuses: map[uint32]int{}}
	if replaces {
		s.restart = r.restarts + 1
	}
	r.mu.Unlock()
	at := time.Now()
	r.queue.Call(func() { r.recorder.Next(at, s.restart, cause.Text, cause.Built) })
	s.t = r.Dial(Events{
		Lost:    r.lost,
		Expired: func(error) { go r.renew(s) },
	})
	r.mu.Lock()
	r.server = s
	r.mu.Unlock()
	return s
}

// prepare repeats to a new server what the host has sent to earlier ones.
func (r *Relay) prepare(ctx context.Context, s *server) error {
	ctx, stop := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("it has not responded to initialize within %s", phrase.Duration(startTimeout)))
	defer stop()
	r.mu.Lock()
	k := &r.known
	initialize, initialized, declared := k.initialize, k.initialized, k.result
	level, subscriptions := k.level, slices.Collect(maps.Values(k.subscriptions))
	var carried [][]byte
	for _, c := range k.calls.inOrder() {
		if c.isCarried() {
			carried = append(carried, c.frame)
			c.server = s.number
		}
	}
	r.mu.Unlock()
	if initialize != nil {
		response, err := s.initialize(ctx, initialize)
		if err != nil {
			return err
		}
		e := jsonrpc.Scan(response)
		result := e.Result.Of(response)
		r.mu.Lock()
		k.result = bytes.Clone(result)
		r.mu.Unlock()
		r.compareOffer(declared, result)
		s.t.Negotiated(jsonrpc.Text(result, "protocolVersion"))
		if initialized != nil {
			if err := s.sendOwn(ctx, initialized); err != nil {
				return err
			}
			s.listen(ctx, newStreamTimeout)
		}
	}
	for _, frame := range carried {
		if err := s.repeatCarried(ctx, frame); err != nil {
			return err
		}
	}
	if level != nil {
		subscriptions = append(subscriptions, level)
	}
	for _, frame := range subscriptions {
		go r.repeat(s, frame)
	}
	return nil
}

// repeatCarried sends a request of the host, with its own id, to another server.
func (s *server) repeatCarried(ctx context.Context, frame []byte) error {
	if s.r.Server.IsStdio() {
		return s.sendOwn(ctx, frame)
	}
	e := jsonrpc.Scan(frame)
	reported := make(chan struct{})
	report := sync.OnceFunc(func() { close(reported) })
	go func() {
		defer report()
		s.exchanged(s.carried(frame, transport.Own, report), &e)
	}()
	<-reported
	return nil
}

// repeat repeats a request of the host that the server keeps something of.
func (r *Relay) repeat(s *server, frame []byte) {
	ctx, stop := context.WithTimeout(r.ctx, startTimeout)
	defer stop()
	if _, err := s.request(ctx, frame); err != nil && !errors.Is(err, errReplaced) && r.ctx.Err() == nil {
		e := jsonrpc.Scan(frame)
		r.tell(fmt.Sprintf("the new server does not accept %s of the host again: %v", e.MethodName(frame), err))
	}
}

// compareOffer reports members of the initialize result that differ between the old and the new server. The host
// does not receive the new result.
func (r *Relay) compareOffer(declared, now []byte) {
	var other []string
	for _, member := range []string{"protocolVersion", "capabilities", "serverInfo", "instructions"} {
		if a, b := jsonrpc.Get(declared, member), jsonrpc.Get(now, member); (len(a) > 0 || len(b) > 0) && !jsonrpc.Equal(a, b) {
			other = append(other, member)
		}
	}
	if len(other) > 0 {
		r.tell("the server changed " + strings.Join(other, ", ") + ", which the host does not notice until it connects again")
	}
}
