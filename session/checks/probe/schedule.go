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

// queue is probes that run when those of other queues have ended.
type queue struct {
	probes []*Entry
	lanes  int   // how many run at once, each followed by the next one; 0 for all
	starts bool  // they start processes: [starters] says how many of the lanes run
	after  []int // the indexes of the other queues
}

// The queues of a run. Probes that start processes of their own run beside those that share a
// connection: most of their time is that of starting. Those that wait run beside all others, and
// those that need to know how long calls take come after them.
const (
	queueShared   = iota // on the shared connection, which is idle afterwards
	queueCalls           // they wait, for calls
	queueWaiting         // they wait otherwise
	queueBeside          // they start processes
	queueIsolated        // they start processes that affect others
	queueSeveral         // several connections
	queueLast            // measures, and what sums up
	queues
)

// plan is the queues of the probes, which are in the order of their phases.
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
			i = queueBeside // its processes start one after the other: the run would wait for them
		}
		s := &plan[i]
		s.probes = append(s.probes, e)
	}
	// Those that start several processes one after the other come first: the end waits for
	// none. What they leave is soon taken by those that start none.
	slices.SortStableFunc(plan[queueBeside].probes, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.Starts, a.Starts), cmp.Compare(b.Phase, a.Phase))
	})
	if r.starters.alone > 0 { // those that start one after the other first, and two that show whether starts wait
		slices.SortStableFunc(plan[queueBeside].probes, func(a, b *Entry) int { return cmp.Compare(r.turn(a), r.turn(b)) })
	}
	return plan
}

// turn is when a probe comes among those that start processes, where a start takes long.
func (r *Runner) turn(e *Entry) int {
	switch {
	case e.ID == ownsProcesses:
		return 0
	case e.Starts == 1 && e.Phase == phaseLifecycle: // each begins with one that it waits for
		return 1
	}
	return 2
}

// queueOf is the queue of a probe of a server that is a process, or is not.
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

// runAll runs the probes and returns what happens, in order. The channel is closed
// when all have ended.
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

// next takes the next probe of a queue; nil at its end. With several lanes, those that start
// nothing come first while connections wait for them.
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

// ordered are the entries in the order of the phases.
func (r *Runner) ordered() []*Entry {
	entries := slices.Clone(Catalogue())
	slices.SortStableFunc(entries, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), lateFirst(a, b), strings.Compare(a.ID, b.ID))
	})
	return entries
}

// lateFirst compares two probes of a phase. The wait for a late response begins with the request,
// and the run does not end before it.
func lateFirst(a, b *Entry) int {
	switch {
	case a.Late == b.Late:
		return 0
	case a.Late:
		return -1
	}
	return 1
}

// skips returns why a probe does not run, and its verdict; why is nil if it runs.
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

// selects reports whether an entry has one of the names.
func selects(e *Entry, names []string) bool { return slices.ContainsFunc(names, e.Matches) }

// Matches reports whether a pattern selects the probe: its id, its name, its group,
// group/name, or passive if it sends nothing; * stands for any text.
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
