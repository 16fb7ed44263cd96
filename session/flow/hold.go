package flow

import (
	"slices"
	"time"
)

// add holds a new request.
func (t *Table) add(f *Flow) {
	if t.open >= maxPending {
		t.shed()
	}
	t.held[f.Dir][f.key] = f
	t.flows = append(t.flows, f)
	t.open++
	if f.IsSubscription() {
		t.subscriptions++
	} else {
		t.pending++
	}
	if f.hasToken {
		t.tokens[f.Dir][f.token] = f
	}
}

// shed turns the older half of the pending requests into rows.
func (t *Table) shed() {
	t.compact()
	half := len(t.flows) / 2
	for _, f := range t.flows[:half] {
		if f.IsSubscription() {
			t.subscriptions--
		}
		t.release(f)
	}
	t.flows = slices.Clone(t.flows[half:])
	t.open = len(t.flows)
}

// compact removes the gaps.
func (t *Table) compact() {
	t.flows = slices.DeleteFunc(t.flows, func(f *Flow) bool { return !f.Waits() })
}

// end gives a held request the state in which it is no longer pending. It is held
// for a while if the limits say so.
func (t *Table) end(f *Flow, state State, at time.Time) {
	waited := f.Waits()
	f.State = state
	if !waited {
		return
	}
	f.Ended = at
	t.params -= len(f.Params)
	t.open--
	if f.IsSubscription() {
		t.subscriptions--
	} else {
		t.pending--
	}
	if t.limits.Ended == 0 {
		t.release(f)
	} else {
		t.keep(f)
	}
	if t.open < len(t.flows)/2 {
		t.compact()
	}
}

// keep holds a request that ended, and releases the oldest of those.
func (t *Table) keep(f *Flow) {
	f.size = len(f.ID) + len(f.Name) + len(f.Token) + len(f.Message) + len(f.Params)
	t.ended, t.endedBytes = append(t.ended, f), t.endedBytes+f.size
	if len(t.ended) <= t.limits.Ended && t.endedBytes <= t.limits.EndedBytes {
		return
	}
	n := 0 // an eighth at a time, so that moving the rest is cheap
	for n < len(t.ended)-1 && (n < t.limits.Ended/8 || t.endedBytes > t.limits.EndedBytes) {
		t.release(t.ended[n])
		t.endedBytes -= t.ended[n].size
		n++
	}
	t.ended = slices.Delete(t.ended, 0, n)
}

// release keeps the row of a request only.
func (t *Table) release(f *Flow) {
	if f.released {
		return
	}
	f.released = true
	if f.Waits() {
		t.params -= len(f.Params)
	}
	f.Params = nil
	if t.held[f.Dir][f.key] == f {
		delete(t.held[f.Dir], f.key)
		t.rows[f.Dir].put(f.key, t.restOf(f))
	}
	if f.hasToken && t.tokens[f.Dir][f.token] == f {
		delete(t.tokens[f.Dir], f.token)
	}
	if f.hasToken && f.Task != "" {
		t.taskTokens[f.Dir].put(f.token, f.Row)
	}
	if t.limits.Released != nil {
		t.limits.Released(f)
	}
}
