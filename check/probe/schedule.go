package probe

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"

	"mcptea/client"
)

// A queue is a set of probes that runs after other queues have ended.
type queue struct {
	probes []*Entry
	lanes  int   // concurrent probes; 0 for all
	starts bool  // the probes start processes, so [starters] limits the lanes
	after  []int // indexes of the queues to wait for
}

// The queues of a run. Probes that start their own processes run in parallel with those on the shared
// connection, because starting takes most of their time. Probes that mostly wait run in parallel with all
// others. Probes that need to know how long calls take run after those.
const (
	queueShared   = iota // probes on the shared connection, which is idle afterwards
	queueCalls           // probes that wait for calls
	queueWaiting         // probes that wait for something else
	queueBeside          // probes that start processes
	queueIsolated        // probes that start processes and affect others
	queueSeveral         // several connections
	queueLast            // measurements and summaries
	queues
)

// plan distributes the probes, which are sorted by phase, over the queues.
func (r *Runner) plan(entries []*Entry) *[queues]queue {
	plan := &[queues]queue{
		queueShared:   {lanes: 1},
		queueBeside:   {lanes: lanesMost, starts: true},
		queueIsolated: {after: []int{queueCalls}},
		queueSeveral:  {lanes: 1, after: []int{queueShared, queueCalls}},
		queueLast:     {lanes: 1, after: []int{queueSeveral, queueWaiting, queueBeside, queueIsolated}},
	}
	for _, e := range entries {
		i := queueOf(e, r.cfg.Target.URL == "")
		if i == queueLast && e.ID == ownsProcesses && r.starters.alone > 0 {
			i = queueBeside // this probe starts processes one by one, which would delay the end of the run
		}
		s := &plan[i]
		s.probes = append(s.probes, e)
	}
	// Probes that start several processes in sequence come first, so that the run does not end with one of
	// them. Probes that start none soon take over the connections that they leave.
	slices.SortStableFunc(plan[queueBeside].probes, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.Starts, a.Starts), cmp.Compare(b.Phase, a.Phase))
	})
	if r.starters.alone > 0 { // sort by turn
		slices.SortStableFunc(plan[queueBeside].probes, func(a, b *Entry) int { return cmp.Compare(r.turn(a), r.turn(b)) })
	}
	return plan
}

// turn orders the probes that start processes if a start takes long.
func (r *Runner) turn(e *Entry) int {
	switch {
	case e.ID == ownsProcesses:
		return 0
	case e.Starts == 1 && e.Phase == phaseLifecycle: // needed early, to measure whether starts wait
		return 1
	}
	return 2
}

// queueOf returns the queue of a probe. isProcess reports whether the server is a command.
func queueOf(e *Entry, isProcess bool) int {
	switch isBeside := isProcess && (e.Alone || e.Phase == phaseUndone || e.Phase == phaseLifecycle); {
	case isBeside && e.Waits && e.Phase == phaseRead:
		return queueCalls
	case isBeside && e.Waits:
		return queueWaiting
	case isBeside && e.Phase == phaseIsolation:
		return queueIsolated
	case isBeside:
		return queueBeside
	case e.Phase >= phaseLoad:
		return queueLast
	case e.Phase >= phaseIsolation:
		return queueSeveral
	}
	return queueShared
}

// runAll runs the probes and returns their events in order. The channel is closed after the last one.
func (r *Runner) runAll(ctx context.Context, entries []*Entry) <-chan Event {
	events := make(chan Event)
	var settling sync.WaitGroup
	run := func(e *Entry) {
		if ctx.Err() != nil {
			return
		}
		events <- Event{Started: e}
		report, settle := r.probe(ctx, e)
		if settle == nil {
			events <- Event{Finished: report}
			return
		}
		settling.Go(func() {
			settle()
			events <- Event{Finished: report}
		})
	}
	plan := r.plan(entries)
	r.mu.Lock()
	r.queues = plan
	r.mu.Unlock()
	r.standby.ctx = ctx
	r.stock()
	var ended [queues]chan struct{}
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	for i := range plan {
		go func() {
			for _, other := range plan[i].after {
				<-ended[other]
			}
			r.runQueue(ctx, &plan[i], run)
			if close(ended[i]); i == queueShared {
				close(r.idle)
			}
			r.stock()
		}()
	}
	go func() {
		for i := range ended {
			<-ended[i]
		}
		settling.Wait()
		close(events)
	}()
	return events
}

// runQueue runs the probes of a queue and waits for them.
func (r *Runner) runQueue(ctx context.Context, s *queue, run func(*Entry)) {
	var all sync.WaitGroup
	for range cmp.Or(s.lanes, len(s.probes)) {
		all.Go(func() {
			for {
				if s.starts {
					r.starters.enter(ctx)
				}
				e := r.next(s)
				if e != nil {
					run(e)
				}
				if s.starts {
					r.starters.leave()
				}
				if e == nil {
					return
				}
			}
		})
	}
	all.Wait()
}

// next removes and returns the next probe of a queue, or nil. With several lanes, probes that start no process
// come first while connections are waiting for them.
func (r *Runner) next(s *queue) (e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := 0
	if s.lanes > 1 && r.ready() > 1 {
		i = max(0, slices.IndexFunc(s.probes, func(e *Entry) bool { return e.Starts == 0 }))
	}
	if len(s.probes) > 0 {
		e = s.probes[i]
		s.probes = slices.Delete(s.probes, i, i+1)
	}
	return e
}

// ordered returns all entries in running order.
func (r *Runner) ordered() []*Entry {
	entries := slices.Clone(Catalogue())
	slices.SortStableFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), lateFirst(a, b), strings.Compare(a.ID, b.ID))
	})
	return entries
}

// lateFirst orders probes of a phase: those with late responses first, because the run must wait for these
// anyway.
func lateFirst(a, b *Entry) int {
	switch {
	case a.Late == b.Late:
		return 0
	case a.Late:
		return -1
	}
	return 1
}

// skips returns the verdict and the reason if a probe does not run. why is nil if it runs.
func (r *Runner) skips(e *Entry) (v Verdict, why *Because) {
	switch {
	case len(r.cfg.Only) > 0 && !selects(e, r.cfg.Only), selects(e, r.cfg.Skip):
		return Skipped, &Because{reason: NotSelected}
	}
	if why := e.appliesTo(r.server); why != nil {
		return Skipped, why
	}
	if gone := r.isGone(); gone != nil && e.Sends != "nothing" {
		return Failure, gone
	}
	switch {
	case r.cfg.Passive && e.Sends != "nothing":
		return Skipped, &Because{reason: NotPassive}
	case e.Group == "load" && e.Class == classLoad && r.limits.isLimited():
		return Skipped, &Because{Why: "load, and the rate of requests is limited"}
	case e.Class == classLoad && !r.cfg.Intrusive && !r.isLocal():
		return Skipped, &Because{reason: NotIntrusive}
	case e.Group == "events" && e.Class == classUndone && !r.cfg.Events && r.server.Offers(client.Events):
		return Skipped, &Because{reason: NotEvents}
	}
	return "", nil
}

// selects reports whether one of the patterns selects the entry.
func selects(e *Entry, names []string) bool { return slices.ContainsFunc(names, e.Matches) }

// Matches reports whether a pattern selects the probe by id, slug, group, or group/slug. "passive" selects
// probes that send nothing. * matches any text.
func (e *Entry) Matches(pattern string) bool {
	names := []string{e.ID, e.Slug, e.Group, e.Group + "/" + e.Slug}
	if e.Sends == "nothing" {
		names = append(names, "passive")
	}
	for _, name := range names {
		if ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}
