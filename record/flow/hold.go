package flow

import (
	"slices"
	"sort"
	"time"

	"mcptea/client/transport"
)

// add holds a new request.
func (t *Table) add(f *Flow) {
	if t.open >= maxPending {
		t.shed()
	}
	t.held[f.Dir][f.key] = f
	t.flows = append(t.flows, f)
	t.count(f, 1)
	if f.hasToken {
		t.tokens[f.Dir][f.token] = f
	}
}

// count adds n to the number of held requests. A subscription is not counted as pending.
func (t *Table) count(f *Flow, n int) {
	t.open += n
	if f.IsSubscription() {
		t.subscriptions += n
	} else {
		t.pending += n
	}
}

// maxSpare bounds the unused flows whose memory is kept for later requests.
const maxSpare = 1024

// shed releases the older half of the pending requests: only their rows stay.
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

// compact removes the gaps from flows.
func (t *Table) compact() {
	holdsEnded := t.limits.Ended > 0 || t.limits.Released != nil
	t.flows = slices.DeleteFunc(t.flows, func(f *Flow) bool {
		if f.released && !holdsEnded && len(t.unused)+len(t.spare) < maxSpare {
			t.unused = append(t.unused, f)
		}
		return !f.Waits()
	})
}

// end moves a held request to a state in which it is no longer pending. If the limits require it,
// the request stays held for a while.
func (t *Table) end(f *Flow, state State, at time.Time) {
	waited := f.Waits()
	f.State = state
	if !waited {
		return
	}
	f.Ended = at
	t.params -= f.counted
	f.counted = 0
	t.count(f, -1)
	if t.limits.Ended == 0 {
		t.release(f)
	} else {
		t.keep(f)
	}
	if t.open < len(t.flows)/2 {
		t.compact()
	}
}

// Reopen makes an abandoned request pending again, because its HTTP exchange is repeated. It does
// nothing if the request is not held, or has another state.
func (t *Table) Reopen(f *Flow) {
	if f.released || f.State != Abandoned {
		return
	}
	f.State, f.Ended = Pending, time.Time{}
	if i := slices.Index(t.ended, f); i >= 0 {
		t.ended, t.endedBytes = slices.Delete(t.ended, i, i+1), t.endedBytes-f.size
	}
	t.count(f, 1)
	if slices.Contains(t.flows, f) {
		return // compact has not removed its gap yet
	}
	i := sort.Search(len(t.flows), func(i int) bool { return t.flows[i].Row() > f.Row() })
	t.flows = slices.Insert(t.flows, i, f)
}

// keepParams keeps a copy of the params within the limits.
func (t *Table) keepParams(f *Flow, params []byte) {
	n := len(params)
	if t.limits.MaxParams == 0 || n == 0 {
		return
	}
	if f.Dir == transport.In {
		limit := t.limits.MaxParams
		if n <= t.limits.ShortParams {
			limit *= 2
		}
		if t.params+n > limit {
			return
		}
		f.counted = n
		t.params += n
	}
	f.Params = slices.Clone(params)
}

// trim drops the params of the request that ended last, if they are long.
func (t *Table) trim() {
	if t.long != nil && !t.long.Waits() {
		t.long.Params = nil
	}
	t.long = nil
}

// keep holds an ended request, and releases the oldest ended ones.
func (t *Table) keep(f *Flow) {
	f.size = len(f.ID.String()) + len(f.Name) + len(f.Token) + len(f.Message)
	if len(f.Params) > t.limits.ShortParams {
		t.long = f
	} else {
		f.size += len(f.Params)
	}
	t.ended, t.endedBytes = append(t.ended, f), t.endedBytes+f.size
	if len(t.ended) <= t.limits.Ended && t.endedBytes <= t.limits.EndedBytes {
		return
	}
	n := 0 // number of flows to remove: an eighth at a time, so that moving the others is cheap
	for n < len(t.ended)-1 && (n < t.limits.Ended/8 || t.endedBytes > t.limits.EndedBytes) {
		t.release(t.ended[n])
		t.endedBytes -= t.ended[n].size
		n++
	}
	t.ended = slices.Delete(t.ended, 0, n)
}

// release keeps only the row of a request.
func (t *Table) release(f *Flow) {
	if f.released {
		return
	}
	f.released = true
	t.params -= f.counted
	f.counted, f.Params = 0, nil
	if t.held[f.Dir][f.key] == f {
		delete(t.held[f.Dir], f.key)
		t.rows[f.Dir].put(f.key, t.restOf(f))
	}
	if f.hasToken && t.tokens[f.Dir][f.token] == f {
		delete(t.tokens[f.Dir], f.token)
	}
	if f.hasToken && f.task != "" {
		t.taskTokens[f.Dir].put(f.token, f.Ref)
	}
	if t.limits.Released != nil {
		t.limits.Released(f)
	}
}
