package probe

import (
	"context"
	"maps"
	"slices"
	"sync"

	"mcptea/client"
)

// Shared returns the connection for well-formed frames.
func (r *Run) Shared() *Conn { return r.use(r.runner.shared) }

// Dirty returns the connection for malformed frames.
func (r *Run) Dirty() *Conn {
	if r.runner.dirty == nil {
		r.runner.dirty = &Conn{r: r.runner, linted: true}
	}
	return r.use(r.runner.dirty)
}

func (r *Run) use(c *Conn) *Conn {
	if why := r.runner.isLone(); why != nil && c != r.runner.shared && c.link() == nil && r.report.Entry.ID != ownsProcesses {
		r.unjudged(why)
	}
	if r.ended == "" {
		if err := c.connect(r.ctx); err != nil {
			r.lost(err)
		}
	}
	return c
}

// Fresh opens a new negotiated connection. The probe need not close it.
func (r *Run) Fresh(options ...func(*client.Config)) *Conn {
	return r.open(&Conn{r: r.runner, config: options})
}

// FreshEach returns a function that opens n connections one by one, like Fresh, and applies a
// change to each. If processes take long to start, the first call starts all of them.
func (r *Run) FreshEach(n int, change func(i int, cfg *client.Config)) (next func() *Conn) {
	var all []*Conn
	for i := range n {
		all = append(all, &Conn{r: r.runner, config: []func(*client.Config){func(cfg *client.Config) { change(i, cfg) }}})
	}
	ahead := false
	return func() *Conn {
		if !ahead && r.runner.starters.waits() && r.ended == "" && r.runner.isLone() == nil {
			var wg sync.WaitGroup
			for _, c := range all {
				wg.Go(func() { _ = c.connect(r.ctx) }) // if this fails, the connection is opened again when it is used
			}
			wg.Wait()
			r.fresh = append(r.fresh, all...)
		}
		ahead = true
		c := all[0]
		if all = all[1:]; slices.Contains(r.fresh, c) {
			return r.use(c)
		}
		return r.open(c)
	}
}

// Declaring opens a connection that declares sampling, elicitation and roots, and declines server requests.
// Only correct frames are sent on it, and it is linted like [Run.Shared].
func (r *Run) Declaring() *Conn {
	c := &Conn{r: r.runner, linted: true, correct: true}
	c.config = []func(*client.Config){func(cfg *client.Config) {
		cfg.Sampling, cfg.Elicitation, cfg.PassRoots = true, true, nil
		cfg.OnServerRequest = func(q client.ServerRequest) {
			l := c.link()
			if q.Method == client.MethodElicitation { // a full queue is recorded by the client
				_ = l.client.QueueResponse(q.ID, []byte(`{"action":"decline"}`))
				return
			}
			_ = l.client.QueueErrorResponse(q.ID, userRejected, ownRefusal+"a model")
		}
	}}
	return r.open(c)
}

// userRejected is the error code of the specification for a request that the user rejected.
const userRejected = -1

// Linted opens a connection for correct frames that is linted like [Run.Shared]. If negotiated is false, the
// probe does the handshake.
func (r *Run) Linted(negotiated bool) *Conn {
	return r.open(&Conn{r: r.runner, raw: !negotiated, linted: true, correct: true})
}

// Second opens a negotiated connection as the second principal; see [Tokens].
func (r *Run) Second() *Conn {
	c := &Conn{r: r.runner, linted: true, correct: true}
	c.config = []func(*client.Config){func(cfg *client.Config) { cfg.Authorization = nil }}
	c.target = []func(*client.Target){func(t *client.Target) {
		t.Header = maps.Clone(t.Header)
		t.Header.Set("Authorization", "Bearer "+r.runner.cfg.Tokens.Second)
	}}
	return r.open(c)
}

// Open opens a connection without negotiation. changes modify the target.
func (r *Run) Open(changes ...func(*client.Target)) *Conn {
	if len(r.ahead) > 0 && len(changes) == 0 {
		c := r.ahead[0]
		r.ahead = r.ahead[1:]
		if l := c.link(); l != nil {
			l.startedAhead()
		}
		return r.use(c)
	}
	return r.open(&Conn{r: r.runner, raw: true, target: changes})
}

func (r *Run) open(c *Conn) *Conn {
	r.fresh = append(r.fresh, c)
	return r.use(c)
}

// reopen opens a connection to replace one that ended, and reports whether it succeeded. The number of restarts
// per run is limited.
func (r *Run) reopen(c *Conn) bool {
	r.fresh = append(r.fresh, c)
	return r.runner.restarted() == nil && c.connect(r.ctx) == nil
}

// Close closes a connection opened by the probe and waits for its process to exit.
func (r *Run) Close(c *Conn) { c.close(r.ctx) }

// Release hands a connection over to later [Run.Ready] calls, or closes it in the background. The run waits for
// that at its end.
func (r *Run) Release(c *Conn) {
	r.fresh = slices.DeleteFunc(r.fresh, func(other *Conn) bool { return other == c })
	if r.runner.keeps(r.ctx, c.link()) {
		return
	}
	ctx := context.WithoutCancel(r.ctx)
	r.runner.closing.Go(func() { c.close(ctx) })
}
