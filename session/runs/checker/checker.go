// Package checker runs the probes against the server of a running session, and keeps their outcomes and
// frames for display.
//
// It depends on sessions and probes. It must not depend on how outcomes are shown.
package checker

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"mcptea/check/probe"
	"mcptea/check/probe/probes"
	"mcptea/client"
	"mcptea/client/oauth"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/session"
)

// Checker runs the probes, one run at a time. Its methods may be called from any
// goroutine.
type Checker struct {
	session *session.Session

	running sync.WaitGroup
	mu      sync.Mutex
	state   State
	store   *store.Store // record, or nil before the first run
	allowed map[string]bool
	began   map[*probe.Entry]uint16 // number of the session's connection when each running probe began, for [State.Began]
	stop    context.CancelFunc      // ends the current run, or nil
	closed  bool
}

// A Selection selects the probes of a run.
type Selection struct {
	// Only are the ids of the probes to run; empty for all.
	Only []string
}

// A State is a snapshot of the results. The slices and their elements must not be changed.
type State struct {
	Running bool
	Started time.Time     // start of the newest run; zero before the first
	Took    time.Duration // duration of the newest finished run
	// Done is the number of ended probes of the run, and Total the number of all.
	Done, Total int
	Current     []*probe.Entry // probes that are running
	// Reports are the newest of each probe and protocol version, in the order of
	// the catalog.
	Reports []probe.Report
	// Began maps a probe to the connection of the session that was the newest one when the probe began its
	// newest run: the probe has judged the server of that connection.
	Began   map[*probe.Entry]uint16
	Servers []*probe.Server
	Client  string // client that mcptea impersonated in the newest run, see [probe.Summary]
	Seed    uint64
	Sent    int // frames, in the newest run that has ended
	// Err is the reason why the newest run could not connect; Stopped why it ended early.
	Err, Stopped error
	// Allowed are the tools that the user allows to be called, sorted.
	Allowed []string
	// Generation changes with the rest.
	Generation uint64
}

// New returns a checker of the server that a session is about.
func New(s *session.Session) *Checker {
	return &Checker{session: s, allowed: map[string]bool{}, began: map[*probe.Entry]uint16{}}
}

// State returns the current results.
func (c *Checker) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.state
	st.Current = slices.Clone(st.Current)
	return st
}

// Store returns the record with the frames of all runs, or nil before the first. The rows of [probe.Frame] are
// its rows.
func (c *Checker) Store() *store.Store {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.store
}

// Allow changes whether the next runs may call a tool that is not read-only.
func (c *Checker) Allow(tool string, on bool) {
	c.change(func(st *State) {
		if delete(c.allowed, tool); on {
			c.allowed[tool] = true
		}
		st.Allowed = slices.Sorted(maps.Keys(c.allowed))
	})
}

// Start begins a run. It reports false while one is running, and after Close. The
// outcome of probes that are not selected stays.
func (c *Checker) Start(sel Selection) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.state.Running {
		return false
	}
	if c.store == nil {
		t := c.session.Target()
		st, err := store.Create(store.Options{Secrets: t.Secrets()}, record.Header{Tool: "mcptea check", Transport: t.TransportName(), Target: t.String(), Insecure: t.IsInsecure()})
		if err != nil {
			c.state.Err = err
			c.state.Generation++
			return false
		}
		c.store = st
	}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	before := c.state
	c.state = State{
		Running: true, Started: time.Now(), Reports: before.Reports, Began: before.Began, Servers: before.Servers, Allowed: before.Allowed,
		Total: len(sel.Only), Generation: before.Generation + 1,
	}
	if len(sel.Only) == 0 {
		c.state.Total = len(probe.Catalogue())
		c.state.Reports, c.state.Began, c.state.Servers = nil, nil, nil
	}
	c.running.Go(func() { c.run(ctx, sel) })
	return true
}

// Stop ends the run and keeps its results. It does not wait.
func (c *Checker) Stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop != nil {
		c.stop()
	}
}

// Close ends the run, waits until its connections and processes have ended, and
// removes the frames.
func (c *Checker) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.Stop()
	c.running.Wait()
	if c.store != nil {
		_ = c.store.Close() // no file contains the record
	}
}

// errStopped ends a run that the user has stopped.
var errStopped = errors.New("stopped")

func (c *Checker) run(ctx context.Context, sel Selection) {
	defer c.stop()
	summary := &probe.Summary{}
	cfg, err := c.config(sel)
	if err == nil {
		summary, err = probes.Run(ctx, cfg, func(e probe.Event) { c.event(e, len(sel.Only) > 0) })
	}
	c.change(func(st *State) {
		st.Running, st.Took, st.Current = false, time.Since(st.Started), nil
		st.Client, st.Seed, st.Sent, st.Stopped = summary.Client, summary.Seed, summary.Sent, summary.Stopped
		if st.Err = err; ctx.Err() != nil {
			st.Err, st.Stopped = nil, errStopped
		}
		c.stop = nil
	})
}

// config returns the configuration of the session, without questions to the user.
func (c *Checker) config(sel Selection) (probe.Config, error) {
	s := c.session.Config()
	cfg := probe.Config{Target: c.session.Target(), Client: s.Client, Only: sel.Only, Record: c.Store(), Allow: map[string]string{}}
	for _, tool := range c.State().Allowed {
		cfg.Allow[tool] = ""
	}
	if s.Dial != nil {
		cfg.Dial = func(_ client.Target, tap client.Tap, cfg client.Config) *client.Client { return s.Dial(tap, cfg) }
	}
	if a := s.Authorization; a != nil && !cfg.Target.IsStdio() && cfg.Target.Header.Get("Authorization") == "" {
		quiet := *a
		quiet.OpenBrowser, quiet.Server = nil, cfg.Target.URL
		var err error
		if cfg.Client.Authorization, err = oauth.New(quiet); err != nil {
			return cfg, err
		}
	}
	return cfg, nil
}

// event handles an event of a run.
func (c *Checker) event(e probe.Event, selected bool) {
	var conn uint16
	if e.Started != nil {
		conn = c.session.State().Current
	}
	c.change(func(st *State) {
		switch {
		case e.Server != nil:
			st.Servers = append(slices.DeleteFunc(slices.Clone(st.Servers), func(old *probe.Server) bool { return old.Revision == e.Server.Revision }), e.Server)
		case e.Started != nil:
			st.Current = append(slices.Clone(st.Current), e.Started)
			c.began[e.Started] = conn
		case e.Finished != nil:
			st.Current = slices.DeleteFunc(slices.Clone(st.Current), func(p *probe.Entry) bool { return p == e.Finished.Entry })
			if selected && e.Finished.Reason == probe.NotSelected {
				return
			}
			st.Began = maps.Clone(st.Began)
			if st.Began == nil {
				st.Began = map[*probe.Entry]uint16{}
			}
			st.Began[e.Finished.Entry] = c.began[e.Finished.Entry]
			st.Reports = merge(st.Reports, *e.Finished)
		}
		switch {
		case !selected:
			st.Done, st.Total = e.Done, max(e.Total, st.Total)
		case e.Finished != nil:
			st.Done = min(st.Done+1, st.Total)
		}
	})
}

// merge returns the reports with a new one, instead of an older one of the same probe.
func merge(reports []probe.Report, r probe.Report) []probe.Report {
	order := func(a, b probe.Report) int {
		return cmp.Or(cmp.Compare(slices.Index(probe.Catalogue(), a.Entry), slices.Index(probe.Catalogue(), b.Entry)), cmp.Compare(b.Revision, a.Revision))
	}
	at, found := slices.BinarySearchFunc(reports, r, order)
	if reports = slices.Clone(reports); found {
		reports[at] = r
		return reports
	}
	return slices.Insert(reports, at, r)
}

// change changes the state and wakes what shows it.
func (c *Checker) change(do func(*State)) {
	c.mu.Lock()
	do(&c.state)
	c.state.Generation++
	c.mu.Unlock()
	c.session.Store().Notify()
}

// Summary returns the data for reports in other formats.
func (s *State) Summary() *probe.Summary {
	return &probe.Summary{Servers: s.Servers, Client: s.Client, Seed: s.Seed, Reports: s.Reports, Sent: s.Sent, Took: s.Took, Stopped: s.Stopped}
}
