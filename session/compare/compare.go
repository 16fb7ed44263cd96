package compare

import (
	"context"
	"slices"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/oauth"
	"mcptea/client/revision"
	"mcptea/session"
	"mcptea/session/explain"
	"mcptea/session/inbox"
)

// Outcome says what came of a run.
type Outcome uint8

// The outcomes. All but Spoken say why there is nothing to compare.
const (
	Waiting Outcome = iota // not reached yet
	Running
	Spoken  // the revision that was offered is the one in force
	Instead // the server selected another one
	Refused // the server would not have it
	Failed  // connecting did not work
	Skipped // it was not tried
)

var outcomes = [...]string{"waiting", "running", "spoken", "other", "refused", "failed", "skipped"}

// String is the word that scripts see.
func (o Outcome) String() string { return outcomes[o] }

// Run is one connection, or why there was none.
type Run struct {
	Revision revision.Revision // what was offered
	Outcome  Outcome
	Note     string // why it is not Spoken, in one sentence; may repeat the server, quoted
	Took     time.Duration
	Server   []byte // the server's word on itself, raw
	client.Handshake
	Lists map[string]session.List
	Err   error               // why connecting failed
	Why   explain.Explanation // the same in words

	// Step is what a run does that is Running, Deadline when it gives that up.
	Step              string
	Started, Deadline time.Time
}

// Report is the state of a comparison. It is a copy.
type Report struct {
	Target    client.Target
	detection client.EraDetection // of which era the server is, once it was asked
	Listed    []string            // what server/discover lists
	Runs      []Run               // one for each revision, oldest first
	Starts    int                 // how often the server was connected to
	Ended     bool
	Table     Table // what differs among the runs so far
}

// Spoken are the runs that can be compared, oldest revision first.
func (r Report) Spoken() []Run {
	return slices.DeleteFunc(slices.Clone(r.Runs), func(run Run) bool { return run.Outcome != Spoken })
}

// Most is how often a comparison may connect to a server: it is asked what it
// is, and then offered each revision that has a handshake.
func Most(t client.Target) int {
	if t.Transport == client.TransportSSE {
		return len(revision.WithHandshake())
	}
	return len(revision.WithHandshake()) + 1
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

// New prepares a comparison. What the configuration says of revisions, lists
// and the recording does not count. changed, when set, is called whenever the
// report is another one, from any goroutine; it must not wait.
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
		once.Store = &oauth.Memory{} // a token that one run got is good for all
		cfg.Authorization = &once
	}
	if cfg.Client.Timeout == 0 {
		cfg.Client.Timeout = time.Minute // as the client takes it; the deadlines that are shown need it
	}
	c := &Comparison{cfg: cfg, changed: changed}
	c.report.Target = cfg.Target
	for _, r := range revision.All() {
		c.report.Runs = append(c.report.Runs, Run{Revision: r})
	}
	return c
}

// unattended responds in place of the user. What the server is offered stays the
// same, since some list other tools by that.
func unattended(p inbox.Policy) inbox.Policy {
	if p.Mode == inbox.PolicyUser {
		p.Mode = inbox.PolicyDecline
	}
	return p
}

// Report says how things stand.
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

// progress is what a session does, and when it gives that up.
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

// Run does all the runs, one after the other, and returns when the last
// connection has ended. The context ends it early.
func (c *Comparison) Run(ctx context.Context) Report {
	c.ask(ctx)
	for _, r := range slices.Backward(revision.WithHandshake()) {
		if note := c.needless(r); note != "" {
			c.put(Run{Revision: r, Outcome: Skipped, Note: note})
			continue
		}
		c.try(ctx, r)
	}
	c.mu.Lock()
	c.report.Ended = true
	c.mu.Unlock()
	c.changed()
	return c.Report()
}

// ask finds out whether the server does without a handshake. If it does, that
// is the run of that revision.
func (c *Comparison) ask(ctx context.Context) {
	const r = revision.NewestStateless
	if c.cfg.Target.Transport == client.TransportSSE {
		c.put(Run{Revision: r, Outcome: Skipped, Note: "not tried: no revision without handshake has HTTP+SSE"})
		return
	}
	run, detection := c.connect(ctx, r, "")
	c.mu.Lock()
	c.report.detection = detection
	versions, _ := jsonrpc.Member(run.Result, "supportedVersions")
	for v := range jsonrpc.Elements(versions) {
		if text, ok := jsonrpc.Unquote(v); ok {
			c.report.Listed = append(c.report.Listed, text)
		}
	}
	c.mu.Unlock()
	c.put(run)
}

// needless says why a revision need not be offered, empty when it must be.
func (c *Comparison) needless(r revision.Revision) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.runOf(revision.NewestStateless)
	if asked.Outcome == Failed && hopeless(asked.Err) {
		return "not tried: the first attempt shows that no other can work"
	}
	if c.report.detection.Era != revision.EraStateless || r == revision.NewestHandshake || slices.Contains(c.report.Listed, string(r)) {
		return ""
	}
	// A server that does without a handshake gets one try with one: not all
	// list what they speak.
	if newest := c.runOf(revision.NewestHandshake); newest.Outcome == Refused {
		return "not tried: the server does not list it, and refuses the handshake"
	}
	return ""
}

func (c *Comparison) try(ctx context.Context, r revision.Revision) {
	run, _ := c.connect(ctx, r, r)
	c.put(run)
}

// runOf is the run of a revision. The caller holds Session.mu.
func (c *Comparison) runOf(r revision.Revision) *Run {
	for i := range c.report.Runs {
		if c.report.Runs[i].Revision == r {
			return &c.report.Runs[i]
		}
	}
	return &Run{}
}

// put takes note of a run that is over.
func (c *Comparison) put(run Run) {
	c.mu.Lock()
	*c.runOf(run.Revision) = run
	c.live = nil
	runs := c.report.Spoken()
	c.mu.Unlock()
	table := tabulate(runs) // which takes a while when the lists are long
	c.mu.Lock()
	c.report.Table = table
	c.mu.Unlock()
	c.changed()
}
