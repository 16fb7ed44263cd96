package harness

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
// that share a connection: most of their time is that of starting.
func (r *Runner) runAll(ctx context.Context, entries []*Entry) <-chan Event {
	events := make(chan Event)
	var beside, shared []*Entry
	for _, e := range entries {
		if r.cfg.Target.URL == "" && (e.Phase == phaseUndone || e.Phase == phaseLifecycle) {
			beside = append(beside, e)
			continue
		}
		shared = append(shared, e)
	}
	queue := make(chan *Entry, len(beside))
	for _, e := range beside {
		queue <- e
	}
	close(queue)
	run := func(e *Entry) {
		if ctx.Err() != nil {
			return
		}
		events <- Event{Started: e}
		report := r.probe(ctx, e)
		events <- Event{Finished: &report}
	}
	var all, parallel sync.WaitGroup
	for range lanes {
		parallel.Go(func() {
			for e := range queue {
				run(e)
			}
		})
	}
	all.Go(func() {
		for _, e := range shared {
			if e.Phase >= phaseLoad { // measures, and sums up
				parallel.Wait()
			}
			run(e)
		}
		parallel.Wait()
	})
	go func() {
		all.Wait()
		close(events)
	}()
	return events
}

// ordered are the entries in the order of the phases. Probes that consist of lint
// rules come last.
func (r *Runner) ordered() []*Entry {
	entries := slices.Clone(r.catalog.Entries)
	slices.SortStableFunc(entries, func(a, b *Entry) int {
		if c := cmp.Compare(a.Phase, b.Phase); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return entries
}

// NotSelected is why a probe is skipped that [Config] does not select.
const NotSelected = "not selected"

// skips returns why a probe does not run; empty if it does.
func (r *Runner) skips(e *Entry) string {
	switch {
	case len(r.cfg.Only) > 0 && !matches(e, r.cfg.Only), matches(e, r.cfg.Skip):
		return NotSelected
	}
	if why := e.appliesTo(r.server); why != "" {
		return why
	}
	if r.isGone() && e.Sends != "nothing" {
		return "server gone"
	}
	switch {
	case r.cfg.Passive && e.Sends != "nothing":
		return "passive"
	case e.Class == classLoad && !r.cfg.Intrusive && !r.isLocal():
		return "needs --intrusive"
	}
	return ""
}

// matches reports whether an entry has one of the names.
func matches(e *Entry, names []string) bool { return slices.ContainsFunc(names, e.Matches) }

// Matches reports whether a pattern selects the probe: its id, its name, its group,
// or group/name; * stands for any text.
func (e *Entry) Matches(pattern string) bool {
	for _, name := range []string{e.ID, e.Slug, e.Group, e.Group + "/" + e.Slug} {
		if ok, _ := path.Match(strings.ToLower(pattern), strings.ToLower(name)); ok {
			return true
		}
	}
	return false
}
