// Package compare connects to the same server once under each revision, one after the other,
// and says which of them it speaks, why not the others, and what each step from one to the next
// changes in what the server offers. Each run is a session of its own, without a recording. The package draws nothing and
// sanitises nothing: what a server controls comes out as the server sent it.
package compare

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/session/explain/failure"
	"mcptea/session/offer"
	"mcptea/session/requests"
	"mcptea/session/session"
)

// Outcome is the result of a run.
type Outcome uint8

// The outcomes. Only a run that is Spoken can be compared.
const (
	Waiting Outcome = iota // not reached yet
	Running
	Spoken  // the server accepted the revision that was offered
	Instead // the server selected another one
	Refused // the server does not support it
	Failed  // connecting failed
	Skipped // it was not tried
)

var outcomes = [...]string{"waiting", "running", "spoken", "other", "refused", "failed", "skipped"}

// String returns the outcome as in JSON output.
func (o Outcome) String() string { return outcomes[o] }

// Run is one connection, or the reason why there was none.
type Run struct {
	Revision revision.Revision // offered to the server
	Outcome  Outcome
	Note     string // why it is not Spoken, in one sentence; texts of the server are quoted
	Took     time.Duration
	Server   []byte // serverInfo, raw
	client.Handshake
	Lists map[string]offer.List
	Err   error               // why connecting failed
	Why   failure.Explanation // of Err

	// Step is what a Running run waits for, Deadline when it times out.
	Step              string
	Started, Deadline time.Time
}

// Report is the state of a comparison. It is a copy.
type Report struct {
	Target    client.Target
	detection client.EraDetection // the era of the server, once it is detected
	Listed    []string            // supportedVersions of server/discover
	Runs      []Run               // one for each revision, oldest first
	Starts    int                 // number of connections
	Ended     bool
	Steps     []Step // of the runs so far
}

// Spoken are the runs that can be compared, oldest revision first.
func (r Report) Spoken() []Run {
	return slices.DeleteFunc(slices.Clone(r.Runs), func(run Run) bool { return run.Outcome != Spoken })
}

// most is the maximum number of connections of a comparison: one that detects the
// era, and one for each revision that has a handshake.
func most(t client.Target) int {
	if t.Transport == client.TransportSSE {
		return len(revision.WithHandshake())
	}
	return len(revision.WithHandshake()) + 1
}

// Warning describes in one sentence what a comparison does to the server.
func Warning(t client.Target) string {
	if t.IsStdio() {
		return fmt.Sprintf("The server is started up to %d more times, one after the other, once for each version of MCP.", most(t))
	}
	return fmt.Sprintf("The server is connected to up to %d more times, one after the other, once for each version of MCP.", most(t))
}

// Sentence is the progress of a comparison, or its result.
func (r Report) Sentence() string {
	verb := "connected to"
	if r.Target.IsStdio() {
		verb = "started"
	}
	times := fmt.Sprintf("%d times", r.Starts)
	if r.Starts == 1 {
		times = "once"
	}
	if !r.Ended {
		return fmt.Sprintf("The server was %s %s so far.", verb, times)
	}
	return fmt.Sprintf("The server supports %d of %d protocol versions. It was %s %s.", len(r.Spoken()), len(r.Runs), verb, times)
}

// Comparison runs a server under all its revisions.
type Comparison struct {
	cfg     session.Config
	changed func()

	mu     sync.Mutex
	report Report
	at     int              // the current run
	live   *session.Session // of that one; nil when its connection ends
	ending time.Time        // deadline of that
}

// New prepares a comparison. Revision, lists and recording of the configuration are
// ignored. changed may be nil; it is called after each change of the report, from
// any goroutine, and must not block.
func New(cfg session.Config, changed func()) *Comparison {
	if changed == nil {
		changed = func() {}
	}
	cfg.Record, cfg.Lists, cfg.Subscribe = "off", nil, false
	cfg.Client.Era, cfg.Client.Revision = revision.EraUnknown, ""
	cfg.Policies.Sampling = unattended(cfg.Policies.Sampling)
	cfg.Policies.Elicitation = unattended(cfg.Policies.Elicitation)
	if a := cfg.Authorization; a != nil && a.Store == nil {
		once := *a
		once.Store = &oauth.Memory{} // all runs share the tokens
		cfg.Authorization = &once
	}
	if cfg.Client.Timeout == 0 {
		cfg.Client.Timeout = time.Minute // the default of the client, for the deadlines in the report
	}
	c := &Comparison{cfg: cfg, changed: changed}
	c.report.Target = cfg.Target
	for _, r := range revision.All() {
		c.report.Runs = append(c.report.Runs, Run{Revision: r})
	}
	return c
}

// unattended declines in place of the user. The declared capabilities stay the same,
// because the tools of some servers depend on them.
func unattended(p requests.Policy) requests.Policy {
	if p.Mode == requests.PolicyUser {
		p.Mode = requests.PolicyDecline
	}
	return p
}

// Report returns the current state.
func (c *Comparison) Report() Report {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.report
	r.Runs = slices.Clone(r.Runs)
	switch run := &r.Runs[c.at]; {
	case c.live != nil:
		run.Step, run.Deadline = progress(c.live, c.cfg.Client.Timeout)
	case run.Outcome == Running:
		run.Step, run.Deadline = "end the connection", c.ending
	}
	return r
}

// progress returns what a session waits for, and until when.
func progress(s *session.Session, timeout time.Duration) (string, time.Time) {
	st := s.State()
	for _, step := range slices.Backward(st.Steps) {
		if step.State == client.StepRunning {
			return step.Name, step.Deadline
		}
	}
	for _, f := range s.Store().Pending(1) {
		return f.Method, f.Start.Add(timeout)
	}
	return "", time.Time{}
}

// Run does all runs, one after the other, and returns when the last connection is
// closed. The context ends it early.
func (c *Comparison) Run(ctx context.Context) Report {
	c.detect(ctx)
	for _, r := range slices.Backward(revision.WithHandshake()) {
		if note := c.needless(r); note != "" {
			c.put(Run{Revision: r, Outcome: Skipped, Note: note})
			continue
		}
		run, _ := c.connect(ctx, r, r)
		c.put(run)
	}
	c.mu.Lock()
	c.report.Ended = true
	c.mu.Unlock()
	c.changed()
	return c.Report()
}

// detect detects the era of the server. If it is stateless, this is the run of the
// newest stateless revision.
func (c *Comparison) detect(ctx context.Context) {
	const r = revision.NewestStateless
	if c.cfg.Target.Transport == client.TransportSSE {
		c.put(Run{Revision: r, Outcome: Skipped, Note: "not tried: no stateless revision has HTTP+SSE"})
		return
	}
	run, detection := c.connect(ctx, r, "")
	c.mu.Lock()
	c.report.detection = detection
	c.report.Listed = jsonrpc.Strings(jsonrpc.Get(run.Result, "supportedVersions"))
	c.mu.Unlock()
	c.put(run)
}

// needless returns why a revision need not be offered, empty if it must be.
func (c *Comparison) needless(r revision.Revision) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	first := c.runOf(revision.NewestStateless)
	if first.Outcome == Failed && hopeless(first.Err) {
		return "not tried: it would fail for the same reason as the first attempt"
	}
	if c.report.detection.Era != revision.EraStateless || r == revision.NewestHandshake || slices.Contains(c.report.Listed, string(r)) {
		return ""
	}
	// A stateless server gets one handshake: supportedVersions is not complete in
	// all of them.
	if newest := c.runOf(revision.NewestHandshake); newest.Outcome == Refused {
		return "not tried: the server does not list it and rejects the handshake"
	}
	return ""
}

// runOf is the run of a revision. The caller holds c.mu.
func (c *Comparison) runOf(r revision.Revision) *Run {
	for i := range c.report.Runs {
		if c.report.Runs[i].Revision == r {
			return &c.report.Runs[i]
		}
	}
	return &Run{}
}

// put stores a run that has ended.
func (c *Comparison) put(run Run) {
	c.mu.Lock()
	*c.runOf(run.Revision) = run
	c.live = nil
	runs := c.report.Spoken()
	c.mu.Unlock()
	steps := stepsOf(runs) // without the lock, since lists can be long
	c.mu.Lock()
	c.report.Steps = steps
	c.mu.Unlock()
	c.changed()
}
