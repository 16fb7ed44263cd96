package client

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// How long a server may take to answer the question what it is. Commands that
// fetch a package before they start it get more.
const (
	probePatience  = 5 * time.Second
	runnerPatience = 30 * time.Second
)

// probeID is one that no request of an ordinary connection has.
const probeID jsonrpc.ID = `"mcptea-probe-1"`

// runners are the commands that may download what they are to run.
var runners = []string{"npx", "npm", "pnpm", "yarn", "bunx", "bun", "deno", "uvx", "uv", "pipx", "docker", "podman", "nerdctl", "dnx", "go"}

func (c *Client) probePatience() time.Duration {
	patience := c.cfg.ConnectTimeout
	if c.probeWithin > 0 {
		return c.probeWithin
	}
	if c.target.URL != "" {
		return patience
	}
	if len(c.target.Argv) > 0 {
		name := strings.ToLower(filepath.Base(c.target.Argv[0]))
		name = strings.TrimSuffix(name, filepath.Ext(name))
		if slices.Contains(runners, name) {
			return min(patience, runnerPatience)
		}
	}
	return min(patience, probePatience)
}

// probed is the answer to the question what a server is, or why there is none.
type probed struct {
	answer Response
	status int // of HTTP; 0 over other transports
	err    error
}

// errEarly is a server that speaks before it is asked.
var errEarly = errors.New("the server spoke before it had answered")

// errModernAfterAll ends a handshake that turned out to be a mistake.
var errModernAfterAll = errors.New("server/discover was answered after all")

// probe asks the server what it is, and connects in the way of its answer.
func (c *Client) probe(ctx context.Context, list *checklist) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop() // a question that is still open ends with the connecting
	for attempt := 1; ; attempt++ {
		p, late := c.question(ctx, list)
		f := c.read(p)
		c.probeRefused = f.refused
		if attempt <= f.again {
			c.rule(f.era, EraProbed, "%s; asked again", f.because)
			pause := f.pause * time.Duration(attempt)
			list.pause(StepDiscover, f.because, pause)
			if err := c.sleep(ctx, pause); err != nil {
				return err
			}
			continue
		}
		switch {
		case f.restart:
			return c.restart(ctx, list, f)
		case f.tryList:
			return c.modernByList(ctx, list, f)
		case f.err != nil:
			if f.because != "" {
				c.rule(f.era, EraProbed, "%s", f.because)
			}
			return &DiscoverError{Err: f.err, Attempts: attempt}
		case f.era == revision.EraModern:
			c.rule(f.era, EraProbed, "%s", f.because)
			c.goModern()
			list.replan(StepReady)
			c.enter(list, f.handshake)
			return nil
		}
		c.rule(revision.EraLegacy, EraProbed, "%s", f.because)
		list.finish(StepDiscover, f.because)
		list.finish(StepResponse, f.because+": it has a handshake")
		list.replan(stepsOfHandshake...)
		c.forgetOddities()
		return c.legacyUnless(ctx, list, f.offer, late)
	}
}

// question sends the question and waits for the answer, as long as that tells
// something. Over stdio late gives an answer that comes after that.
func (c *Client) question(ctx context.Context, list *checklist) (p probed, late <-chan probed) {
	early := make(chan struct{}, 1)
	c.mu.Lock()
	c.status = transport.Exchange{}
	c.mu.Unlock()
	c.early.Store(&early)
	defer c.early.Store(nil)
	answers := make(chan probed, 1)
	patience := c.probePatience()
	open := patience
	if c.target.URL == "" {
		open += c.cfg.ConnectTimeout // a late answer still counts
	}
	step := &stepsOfQuestion{list: list}
	defer step.leave()
	if !c.start(func() {
		answer, err := c.askWhat(ctx, step, probeID, patience, open)
		c.mu.Lock()
		status := c.status.Status
		c.mu.Unlock()
		answers <- probed{answer, status, err}
	}) {
		return probed{err: ErrClosed}, nil
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case p = <-answers:
		return p, nil
	case <-early:
		return probed{err: errEarly}, answers
	case <-timer.C:
		if c.target.URL != "" {
			return <-answers, nil // which is about to come, with what became of the exchange
		}
		return probed{err: &TimeoutError{methodDiscover, patience}}, answers
	}
}

// stepsOfQuestion reports the steps of a question until nobody waits for its
// answer any more; the checklist is then about something else.
type stepsOfQuestion struct {
	mu   sync.Mutex
	list *checklist
}

func (s *stepsOfQuestion) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = nil
}

func (s *stepsOfQuestion) asking(detail string, within time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list != nil {
		s.list.begin(StepDiscover, detail, within)
	}
}

func (s *stepsOfQuestion) asked(detail string, within time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list != nil {
		s.list.finish(StepDiscover, detail)
		s.list.begin(StepResponse, "", within)
	}
}

// legacyUnless does the handshake, unless the question is answered meanwhile by
// a server without one.
func (c *Client) legacyUnless(ctx context.Context, list *checklist, offer revision.Revision, late <-chan probed) error {
	if late == nil {
		return c.legacy(ctx, list, offer)
	}
	whole := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := make(chan finding, 1)
	c.start(func() {
		select {
		case p := <-late:
			if f := c.read(p); f.era == revision.EraModern {
				found <- f
				cancel(errModernAfterAll)
			}
		case <-ctx.Done():
		}
	})
	err := c.legacy(ctx, list, offer)
	if !errors.Is(err, errModernAfterAll) {
		return err
	}
	f := <-found
	c.rule(revision.EraModern, EraCorrected, "then %s", f.because)
	list.stop(err)
	if f.err != nil {
		list.replan(stepsOfDiscovery...)
		c.forgetOddities()
		return c.discoverAlone(whole, list, nil)
	}
	list.replan(StepResponse, StepReady)
	list.begin(StepResponse, "", 0)
	c.goModern()
	c.enter(list, f.handshake)
	return nil
}

// restart starts the command again, for a server that ends when the first thing
// it hears is not initialize.
func (c *Client) restart(ctx context.Context, list *checklist, f finding) error {
	c.rule(revision.EraUnknown, EraProbed, "%s", f.because)
	list.stop(f.err)
	if c.redial == nil || c.restarted {
		return f.err
	}
	c.restarted = true
	if err := c.startAnew(ctx, list, stepsOfHandshake); err != nil {
		return err
	}
	c.goLegacy()
	err := c.legacy(ctx, list, c.offer())
	if err == nil && !c.modern.Load() {
		c.rule(revision.EraLegacy, EraProbed, "started again, it answers initialize")
	}
	return err
}

// startAnew puts another process in place of one that has ended.
func (c *Client) startAnew(ctx context.Context, list *checklist, then []string) error {
	_ = c.transport().Close(ctx) // how it ended is reported through the tap
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return ErrClosed
	}
	c.t = c.redial()
	c.replies = replyQueue{} // the process that asked is gone
	clear(c.serverRequests)
	c.mu.Unlock()
	c.forgetOddities()
	list.replan(slices.Concat([]string{StepFind, StepStart}, then)...)
	if err := c.open(ctx, list); err != nil {
		return err
	}
	c.start(c.sendReplies)
	return nil
}

// modernByList asks for the tools of a server that knows the routing of the
// revision without handshake and not its first method.
func (c *Client) modernByList(ctx context.Context, list *checklist, f finding) error {
	c.rule(revision.EraUnknown, EraProbed, "%s", f.because)
	id := jsonrpc.ID(`"mcptea-probe-2"`)
	frame := jsonrpc.AppendRequest(nil, id, Tools.Method, withMeta(nil, c.clientMeta()))
	answer, err := c.do(ctx, call{id: id, method: Tools.Method, frame: frame, timeout: c.cfg.ConnectTimeout, silent: true})
	if err == nil {
		err = answer.Err()
	}
	switch {
	case err == nil && provesStateless(answer.Result()):
		c.rule(revision.EraModern, EraProbed, "but tools/list of %s was answered, so the server lacks a method that it must have", revision.NewestModern)
		info, _ := jsonrpc.Member(answer.Result(), "_meta", revision.MetaServerInfo)
		c.goModern()
		list.replan(StepReady)
		c.enter(list, Handshake{
			Revision: revision.NewestModern, Offered: revision.NewestModern, Server: implementation(info),
			ServerCaps: []byte(`{"tools":{}}`), ClientCaps: c.statelessCapabilities(),
		})
		return nil
	case err == nil:
		c.rule(revision.EraLegacy, EraProbed, `and the result of tools/list has no "resultType", "ttlMs" or "cacheScope", which every server of %s sends`, revision.NewestModern)
	case isRefusal(err):
		c.rule(revision.EraLegacy, EraProbed, "and so was tools/list of %s: %v", revision.NewestModern, err)
	default:
		return undecided(err)
	}
	list.finish(StepResponse, f.because+": it has a handshake")
	list.replan(stepsOfHandshake...)
	return c.legacy(ctx, list, c.offer())
}

// provesStateless reports whether the result of tools/list has a member that only
// 2026-07-28 defines. A gateway that passes everything on to an older server
// returns a result too, and it has none of them.
func provesStateless(result []byte) bool {
	for _, name := range []string{"resultType", "ttlMs", "cacheScope"} {
		if _, ok := jsonrpc.Member(result, name); ok {
			return true
		}
	}
	return false
}

// spokeEarly takes note of a message that came before any answer: servers
// without handshake never ask and say nothing unasked.
func (c *Client) spokeEarly(e jsonrpc.Envelope, frame []byte) {
	early := c.early.Load()
	if early == nil || e.Kind != jsonrpc.Request && !e.Calls(frame, "notifications/message") {
		return
	}
	select {
	case *early <- struct{}{}:
	default:
	}
}

// noteStatus remembers what HTTP said of a message while connecting.
func (c *Client) noteStatus(x transport.Exchange) {
	if x.Phase == transport.ExchangeSent || x.Method != http.MethodPost || x.Purpose != "message" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.connected {
		c.status = x
	}
}
