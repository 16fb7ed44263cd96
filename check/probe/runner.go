// Package probe checks the behavior of a server. It provides what probes are written with: the catalog of
// entries, connections that record and correlate frames, outcomes, and the run of a probe, which collects
// findings. A [Runner] runs the probes. Package probes contains their functions.
package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
)

// Limits of a run.
const (
	defaultTimeout = 10 * time.Second
	defaultMaxTime = 5 * time.Minute
	probeTimeout   = 90 * time.Second
	maxMessages    = 5000
	maxSent        = 64 << 20
	maxRestarts    = 100
)

// A Runner runs the probes against a server. It can be used once.
type Runner struct {
	cfg     Config
	do      func(r *Run, id string)
	journal *journal
	server  *Server
	shared  *Conn
	dirty   *Conn
	calling *Conn   // see [Run.Calling]; may be nil
	spares  []*link // reusable connections left by probes; see stage
	standby standby
	queues  *[queues]queue // queues of the current run; nil before it, guarded by mu
	calls   calls

	// idle is closed when the shared connection is free for the probes that measure calls.
	idle    chan struct{}
	closing sync.WaitGroup // connections being closed in the background

	ids   atomic.Int64 // ids of probe requests
	flaky atomic.Bool  // the same frame has led to different reactions

	limits    limits   // rate limits
	starters  starters // limits concurrent process starts
	exclusive bool     // see [Run.EndsOthers]; set before the first probe

	mu       sync.Mutex
	http     *http.Client // client for raw requests; nil before the first
	random   *rand.Rand
	pings    []time.Duration // newest last
	paces    []time.Duration // durations of responses to other correct requests, newest last
	canary   string          // marker in the environment of the processes
	restarts int
	// endsAfter is the number of plain requests that end a connection, or 0 if none is known.
	endsAfter atomic.Int32
	prepared  map[string][]Finding // findings made before the first probe, by the probe that reports them
	premises  premises
	lapsed    []string          // see [Run.Lapsed]
	seen      map[string]bool   // events reported once per run
	told      map[int]bool      // frames that findings of probes are about
	causes    map[string]string // probe that reports a cause, by key
	life      string            // method that the server answers; see [Run.chooseLife]
	lost      int               // number of probes that could not reach the server
	gone      *Because          // why the server can no longer be reached, or nil
	lone      *Because          // why no second process can be started, or nil
	previous  *Entry            // previous probe that sent something
	contact   *contact          // newest contact of the run, or nil before the first
	messages  int
	bytes     int
}

// ownsLists is the probe that reports failures to read the lists.
const ownsLists = "P-045"

// ownsCapabilities is the probe that reports declared but unknown methods. ownsProcesses is the probe about
// several processes.
const (
	ownsCapabilities = "P-010"
	ownsProcesses    = "P-189"
)

// errRestarts ends a probe because the server was restarted too often.
var errRestarts = errors.New("restart limit")

// NewRunner returns a Runner. do runs the probe with an id.
func NewRunner(do func(r *Run, id string), cfg Config) *Runner {
	cfg.Timeout = cmp.Or(cfg.Timeout, defaultTimeout)
	cfg.MaxTime = cmp.Or(cfg.MaxTime, defaultMaxTime)
	if cfg.Seed == 0 {
		cfg.Seed = rand.Uint64N(1<<31) + 1
	}
	r := &Runner{cfg: cfg, do: do, random: rand.New(rand.NewPCG(cfg.Seed, 0)), calls: newCalls(), idle: make(chan struct{}), seen: map[string]bool{}, causes: map[string]string{}}
	r.limits.every, r.limits.told = cfg.Pace, cfg.Paused
	r.canary = fmt.Sprintf("canary%016x", r.random.Uint64())
	name := "stdio" // including a transport in memory
	if cfg.Target.URL != "" {
		name = cfg.Target.TransportName()
	}
	r.journal = &journal{transport: name, secrets: cfg.Target.Secrets(), canary: r.canary, record: cfg.Record, target: cfg.Target.String()}
	for _, token := range []string{cfg.Tokens.Expired, cfg.Tokens.Foreign, cfg.Tokens.LowScope, cfg.Tokens.Second} {
		if token != "" {
			r.journal.secrets.AddHeader(http.Header{"Authorization": {"Bearer " + token}})
		}
	}
	r.server = &Server{Revision: cfg.Client.Revision, Transport: name, Lists: map[string]*List{}, Largest: map[string]int{}, Documents: map[string][]byte{}}
	return r
}

// Run connects, reads the lists and runs the probes phase by phase. It calls report, if not nil, for each step.
// It returns an error if connecting fails. If ctx is done early, the summary contains the findings so far.
func (r *Runner) Run(ctx context.Context, report func(Event)) (*Summary, error) {
	if report == nil {
		report = func(Event) {}
	}
	start := time.Now()
	ctx, stop := context.WithTimeoutCause(ctx, r.cfg.MaxTime, fmt.Errorf("the run took longer than %s", r.cfg.MaxTime))
	defer stop()
	r.limits.deadline, _ = ctx.Deadline()
	summary := &Summary{Seed: r.cfg.Seed, Client: r.cfg.Client.As.Words()}
	defer func() {
		r.closeAll(ctx)
		summary.Left = r.journal.stillRunning()
		summary.Waited, _ = r.limits.total()
		summary.Asked = r.journal.asked
		summary.Processes, summary.AtOnce = r.journal.processes.total()
		r.journal.release() // the summary keeps only its evidence
	}()
	if err := r.prepare(ctx); err != nil {
		return summary, err
	}
	summary.Servers = append(summary.Servers, r.server)
	report(Event{Server: r.server})
	entries := r.ordered()
	done := 0
	tell := func(e Event) {
		e.Done, e.Total = done, len(entries)
		if e.Finished != nil {
			done++
			e.Done = done
			summary.Reports = append(summary.Reports, *e.Finished)
		}
		report(e)
	}
	var last *Report // newest report of a probe that sends something; held back until it is known how the run ends
	for e := range r.runAll(ctx, entries) {
		if e.Finished != nil && e.Finished.Sent > 0 {
			last, e.Finished = e.Finished, last
		}
		if e.Started != nil || e.Finished != nil {
			tell(e)
		}
	}
	if last != nil {
		r.lookAtEnd(ctx, last)
		tell(Event{Finished: last})
	}
	if ctx.Err() != nil {
		summary.Stopped = context.Cause(ctx)
	}
	slices.SortStableFunc(summary.Reports, func(a, b Report) int { return strings.Compare(a.Entry.ID, b.Entry.ID) })
	summary.Sent, summary.Took = r.journal.sentFrames(), time.Since(start)
	return summary, nil
}

// maxAttempts bounds the runs of a rate-limited probe.
const maxAttempts = 3

// probe runs one probe. If settle is not nil, the caller must call it to complete the report. It waits for late
// responses and should not block other probes. A rate-limited probe runs again after the pause.
func (r *Runner) probe(ctx context.Context, e *Entry) (report *Report, settle func()) {
	for range maxAttempts {
		report, settle = r.attempt(ctx, e)
		if report.Because == nil || !strings.HasPrefix(report.Because.Cause, limitsRate) || r.limits.isOver() || ctx.Err() != nil {
			break
		}
		r.limits.pass(ctx)
	}
	return report, settle
}

func (r *Runner) attempt(ctx context.Context, e *Entry) (report *Report, settle func()) {
	report = &Report{Entry: e, Revision: string(r.server.Revision), Transport: r.server.Transport}
	if verdict, why := r.skips(e); why != nil {
		if report.Verdict, report.Reason, report.Skip = verdict, why.reason, why.Why; verdict == Failure {
			report.Because = why
		}
		return report, nil
	}
	start, limit := time.Now(), probeTimeout
	if e.Group == "fuzz" {
		limit = r.cfg.MaxTime
	}
	inTime, stop := r.limits.timeout(ctx, limit, fmt.Errorf("the probe took longer than %s", limit))
	run := &Run{Server: r.server, ctx: inTime, runner: r, report: report}
	r.mu.Lock()
	report.Findings = r.prepared[e.ID]
	delete(r.prepared, e.ID)
	r.mu.Unlock()
	r.do(run, e.ID)
	if run.ended == "" {
		run.addLint(e)
	}
	if run.ended == "" && r.cfg.Target.URL != "" && ctx.Err() == nil && e.Phase >= phaseMalformed {
		run.checkAlive(nil)
	}
	if run.forget(); report.Sent > 0 {
		r.mu.Lock()
		r.previous = e
		r.mu.Unlock()
	}
	report.Took = time.Since(start)
	finish := func() {
		run.settle(ctx)
		report.Findings = fold(report.Findings)
		run.close()
		stop()
		report.Verdict = run.verdict()
		if report.Skip = run.why; report.Verdict == Failure {
			report.Because = run.because
		}
	}
	if run.isUnsettled() {
		return report, finish
	}
	finish()
	return report, nil
}

// close ends everything that the probe has opened.
func (r *Run) close() {
	r.endSessions()
	for _, closer := range r.closers {
		closer()
	}
	for _, c := range slices.Clone(r.fresh) {
		r.Release(c)
	}
}

// verdict returns the verdict for the findings and the way the probe ended.
func (r *Run) verdict() Verdict {
	v := VerdictOf(r.report.Findings)
	if r.unproven != nil && r.ended == "" && v == Pass {
		r.why, r.because = r.unproven.Why, r.unproven
		return Failure
	}
	if r.ended == Skipped && len(r.report.Findings) == 0 || r.ended == Failure && v != Fail {
		return r.ended
	}
	return v
}

// isLocal reports whether the server is a command or runs on this machine.
func (r *Runner) isLocal() bool {
	if r.cfg.Target.URL == "" {
		return true
	}
	u, err := url.Parse(r.cfg.Target.URL)
	return err == nil && mcphttp.IsLoopback(u.Hostname())
}

// isStream reports whether all messages of the transport share a stream.
func (r *Runner) isStream() bool { return r.server.Transport != client.TransportHTTP }

// canaryName is an environment variable of the server that must not appear in any output.
const canaryName = "MCPTEA_CANARY"

// environment returns the environment of a server process, including the canary.
func (r *Runner) environment(t client.Target) []string {
	if !t.IsStdio() {
		return t.Env
	}
	return append(slices.Clone(t.Env), canaryName+"="+r.canary)
}

// clientConfig returns the configuration of a negotiated connection.
func (r *Runner) clientConfig() client.Config {
	cfg := r.cfg.Client
	cfg.Timeout, cfg.Era = r.cfg.Timeout, r.server.Era
	return cfg
}

func (r *Runner) dial(target client.Target, tap client.Tap, cfg client.Config) *client.Client {
	if r.cfg.Dial != nil {
		return r.cfg.Dial(target, tap, cfg)
	}
	return client.New(target, tap, cfg)
}

// restarted counts a connection that replaces one that the server ended. It returns an error if there are too
// many.
func (r *Runner) restarted() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	most := maxRestarts
	if len(r.cfg.Fuzz) > 0 {
		most *= 10 // minimizing a crash takes more restarts
	}
	if r.restarts++; r.restarts > most {
		return errRestarts
	}
	return nil
}

// spend deducts a message from the budget and reports whether it fits.
func (r *Runner) spend(size int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages++
	r.bytes += size
	return r.messages <= maxMessages && r.bytes <= maxSent
}

// prepare connects, reads the lists and chooses the tools to call.
func (r *Runner) prepare(ctx context.Context) error {
	r.shared = &Conn{r: r, linted: true, correct: true}
	start := time.Now()
	if err := r.shared.connect(ctx); err != nil {
		return err
	}
	c := r.shared.link().client
	r.server.Took = time.Since(start).Milliseconds()
	if took := r.start(); took >= slowStarts && r.cfg.Target.URL == "" {
		r.starters.alone = took
	}
	r.server.Handshake = c.Handshake()
	r.server.Revision = cmp.Or(c.Revision(), revision.NewestHandshake)
	r.server.Era = c.EraDetection().Era
	if t := c.Target(); t.URL != "" {
		r.server.Transport = t.TransportName()
		r.cfg.Target.Transport = t.TransportName()
		r.journal.transport = t.TransportName()
	}
	run := &Run{Server: r.server, ctx: ctx, runner: r, report: &Report{Entry: &Entry{}}}
	run.chooseLife(ctx)
	for _, kind := range client.ListKinds {
		if r.server.Offers(kind) && run.ended == "" {
			list := run.Walk(r.shared, kind)
			if list.Problem != "" && !list.tooLarge && run.ended == "" && r.shared.connect(ctx) == nil {
				if again := run.Walk(r.shared, kind); again.Problem == "" {
					list = again
					r.flaky.Store(true)
				}
			}
			r.server.Lists[kind.Name] = list
		}
	}
	r.prepared = map[string][]Finding{ownsLists: run.report.Findings}
	r.server.Pace = r.pace()
	r.server.OtherEra = r.otherEra(ctx)
	r.server.Tools = ToolsOf(r.server.Items(client.Tools))
	r.calls.callable = r.chooseTools()
	if r.startsProcesses() && r.startSecond(ctx) {
		r.prepareStandby()
	}
	if run.ended == Failure {
		return errors.New(run.why)
	}
	return nil
}

// closeAll closes the connections.
func (r *Runner) closeAll(ctx context.Context) {
	r.spares = append(r.spares, r.standby.end()...)
	defer r.closing.Wait() // each close has a timeout
	if r.http != nil {
		r.http.CloseIdleConnections()
	}
	if raw := r.journal.raw; raw != nil {
		raw.Close("")
	}
	open := []*Conn{r.shared, r.dirty, r.calling}
	for _, l := range r.spares {
		open = append(open, (&Conn{r: r}).over(l))
	}
	for _, c := range open {
		if c != nil {
			r.closing.Go(func() { c.close(ctx) })
		}
	}
}
