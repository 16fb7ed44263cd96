package serve

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session/session"
)

// common returns the process in a field of the gateway, and begins one if it has ended. The caller holds the lock.
func (g *Gateway) common(p **process, label string) *process {
	if *p == nil || (*p).isClosing() {
		*p = g.begin(label, true)
	}
	return *p
}

// begin begins a process. The caller holds the lock.
func (g *Gateway) begin(label string, common bool) *process {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	p := &process{
		gateway: g, label: label, common: common, relay: g.NewRelay(label), in: in, began: make(chan struct{}),
		calls: map[jsonrpc.Key]*call{}, tokens: map[jsonrpc.Key]*call{}, asked: map[jsonrpc.Key]question{},
	}
	r := p.relay
	r.Session, r.Stdin, r.Stdout, r.OnDemand, r.Follow = label, stdin, stdout, true, p.follow
	if g.sources != nil {
		r.FollowSources(*g.sources)
	}
	g.processes[p] = false
	g.running.Go(func() {
		_ = r.Run(context.WithoutCancel(g.Context)) // the calls have its reason
		_ = stdout.Close()
		p.close() // a host can no longer send
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.processes, p)
		_, ended := r.Calls()
		g.ended += ended
	})
	g.running.Go(func() { p.read(out) })
	return p
}

// follow starts the server of a process, and then waits for the end of the process. The relay calls it when it can be
// restarted.
func (p *process) follow(ctx context.Context) {
	g := p.gateway
	calls, stop := p.relay.Settled()
	defer stop()
	select {
	case <-g.ready:
	case <-ctx.Done():
		close(p.began)
		return
	}
	g.mu.Lock()
	g.processes[p] = true
	generation, broken := g.generation, g.broken
	g.mu.Unlock()
	if broken != "" {
		p.relay.Broken(broken, generation)
	} else {
		_ = p.relay.RestartAfter(ctx, session.Cause{Generation: generation}) // the relay answers with the error
	}
	close(p.began)
	for {
		select {
		case <-calls:
			g.settled.Notify()
		case <-ctx.Done():
			return
		}
	}
}

// close closes stdin of the server, which ends it.
func (p *process) close() {
	p.mu.Lock()
	p.closing = true
	p.mu.Unlock()
	_ = p.in.Close()
}

func (p *process) isClosing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closing
}

// endWhenIdle ends a process that no conversation joins for a time.
func (p *process) endWhenIdle(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.idle != nil {
		p.idle.Stop()
	}
	p.idle = time.AfterFunc(d, func() {
		p.gateway.mu.Lock() // the lock that open holds while a conversation joins
		defer p.gateway.mu.Unlock()
		p.mu.Lock()
		isIdle := p.idle != nil && len(p.members) == 0
		p.closing = p.closing || isIdle
		p.mu.Unlock()
		if isIdle {
			_ = p.in.Close()
		}
	})
}

// End ends all processes. [Gateway.Wait] waits for them.
func (g *Gateway) End() {
	g.mu.Lock()
	g.hasEnded = true
	all := slices.Collect(maps.Keys(g.processes))
	g.mu.Unlock()
	for _, p := range all {
		p.close()
	}
}

// Wait waits until all processes have ended.
func (g *Gateway) Wait() { g.running.Wait() }

// all returns the processes that can be restarted.
func (g *Gateway) all() (list []*process) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for p, canRestart := range g.processes {
		if canRestart {
			list = append(list, p)
		}
	}
	return list
}

// needsHandshake records that a server refuses server/discover, and ends the process that has found it out.
func (g *Gateway) needsHandshake(p *process) {
	g.mu.Lock()
	g.handshakes = true
	g.mu.Unlock()
	p.close()
}

// isSilent records that a server has not responded to server/discover. It may have been starting.
func (g *Gateway) isSilent(p *process) {
	g.mu.Lock()
	g.silences++
	isOften := g.silences >= maxSilences
	g.mu.Unlock()
	if isOften {
		g.needsHandshake(p)
	}
}

// setReady lets processes start: there is nothing to build, or the first build has ended.
func (g *Gateway) setReady() { g.readyOnce.Do(func() { close(g.ready) }) }

// The methods below implement the Session and the Follower of package watch for all processes together.

// Target returns the command.
func (g *Gateway) Target() client.Target { return g.Server }

// Connect lets processes start, which they do when a host connects.
func (g *Gateway) Connect(context.Context) error {
	g.setReady()
	return nil
}

// RestartAfter replaces the servers of all processes.
func (g *Gateway) RestartAfter(ctx context.Context, cause session.Cause) error {
	g.setReady()
	g.mu.Lock()
	g.generation, g.broken, g.silences, g.handshakes = max(g.generation, cause.Generation), "", 0, false
	g.mu.Unlock()
	list := g.all()
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() { errs[i] = p.restart(ctx, cause) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// restart replaces the server of a process after the first attempt to start one.
func (p *process) restart(ctx context.Context, cause session.Cause) error {
	select {
	case <-p.began:
	case <-ctx.Done():
		return ctx.Err()
	}
	return p.relay.RestartAfter(ctx, cause)
}

// Running returns the number of calls that a restart waits for.
func (g *Gateway) Running() (n int) {
	for _, p := range g.all() {
		n += p.relay.Running()
	}
	return n
}

// Calls returns how many calls are in progress, and how many have ended.
func (g *Gateway) Calls() (running int, ended uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	ended = g.ended
	for p, canRestart := range g.processes {
		if !canRestart {
			continue
		}
		r, e := p.relay.Calls()
		running, ended = running+r, ended+e
	}
	return running, ended
}

// Settled returns a channel that has an element after calls have ended, and a function that ends the subscription.
func (g *Gateway) Settled() (<-chan struct{}, func()) { return g.settled.Subscribe() }

// FollowSources makes requests wait after a save. It is called before [Gateway.Handler].
func (g *Gateway) FollowSources(src session.Sources) { g.sources = &src }

// Covers records that the newest outcome holds for a later generation.
func (g *Gateway) Covers(generation uint64) {
	g.mu.Lock()
	g.generation = max(g.generation, generation)
	g.mu.Unlock()
	for _, p := range g.all() {
		p.relay.Covers(generation)
	}
}

// Broken records that the build of a generation failed, and why.
func (g *Gateway) Broken(why string, generation uint64) {
	g.mu.Lock()
	g.broken, g.generation = why, max(g.generation, generation)
	g.mu.Unlock()
	g.setReady()
	for _, p := range g.all() {
		p.relay.Broken(why, generation)
	}
}

// Waits records that a restart waits for calls of the hosts, until a time.
func (g *Gateway) Waits(n int, until time.Time) {
	for _, p := range g.all() {
		p.relay.Waits(n, until)
	}
}
