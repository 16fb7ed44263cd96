package probe

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"sync"
)

// lanes is how many probes with processes of their own run at once.
const lanes = 3

// runAll runs the probes and returns what happens, in order. The channel is closed
// when all have ended. Probes that start processes of their own run beside those
// that share a connection: most of their time is that of starting. Those that wait run
// beside all others; those that need to know how long calls take come after them.
func (r *Runner) runAll(ctx context.Context, entries []*Entry) <-chan Event {
	events := make(chan Event)
	var waiting, beside, after, shared []*Entry
	for _, e := range entries {
		switch isBeside := r.cfg.Target.URL == "" && (e.Alone || e.Phase == phaseUndone || e.Phase == phaseLifecycle); {
		case isBeside && e.Waits:
			waiting = append(waiting, e)
		case isBeside && e.Phase == phaseIsolation:
			after = append(after, e)
		case isBeside:
			beside = append(beside, e)
		default:
			shared = append(shared, e)
		}
	}
	// Those that start several processes one after the other come first: the end waits for
	// none. What they leave is soon taken by those that start none.
	slices.SortStableFunc(beside, func(a, b *Entry) int { return cmp.Or(cmp.Compare(b.Starts, a.Starts), cmp.Compare(b.Phase, a.Phase)) })
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
	idle := sync.OnceFunc(func() { close(r.idle) })
	var all, parallel, calls sync.WaitGroup
	for _, e := range waiting {
		if e.Phase == phaseRead {
			calls.Go(func() { run(e) })
			continue
		}
		parallel.Go(func() { run(e) })
	}
	for range lanes {
		parallel.Go(func() {
			for e := r.next(&beside); e != nil; e = r.next(&beside) {
				run(e)
			}
		})
	}
	for _, e := range after {
		parallel.Go(func() {
			calls.Wait()
			run(e)
		})
	}
	all.Go(func() {
		for _, e := range shared {
			if e.Phase >= phaseIsolation {
				idle()
				calls.Wait()
			}
			if e.Phase >= phaseLoad { // measures, and sums up
				parallel.Wait()
			}
			run(e)
		}
		idle()
		calls.Wait()
		parallel.Wait()
	})
	go func() {
		all.Wait()
		settling.Wait()
		close(events)
	}()
	return events
}

// next takes the next probe of a queue; nil at its end. Those that start nothing come first
// while connections wait for them.
func (r *Runner) next(queue *[]*Entry) (e *Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := 0
	if r.ready() > 1 {
		i = max(0, slices.IndexFunc(*queue, func(e *Entry) bool { return e.Starts == 0 }))
	}
	if len(*queue) > 0 {
		e = (*queue)[i]
		*queue = slices.Delete(*queue, i, i+1)
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
	case e.Class == classLoad && !r.cfg.Intrusive && !r.isLocal():
		return Skipped, &Because{reason: NotIntrusive}
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
