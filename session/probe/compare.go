package probe

import (
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Differences are the keys of the entries that two readings of a list have differently,
// less what differs anyway: again reads the list once more in the way of the first, and is
// called only where there is a difference. Entries are compared by key and by value; their
// order is nothing.
func (r *Run) Differences(kind client.ListKind, first, second *List, again func() *List) []string {
	if first.Problem != "" || second.Problem != "" {
		return nil
	}
	found := differing(kind, first, second)
	for range 2 { // a difference by chance may be absent once
		if len(found) == 0 || r.ended != "" {
			return nil
		}
		noise := again()
		if noise.Problem != "" {
			return nil
		}
		if floor := differing(kind, first, noise); len(floor) > 0 {
			r.drop(kind.Method + " differs from one reading to the next, in the same way asked")
			return nil
		}
	}
	return found
}

// differing are the keys of the entries that only one of two lists has, or that have
// another value.
func differing(kind client.ListKind, a, b *List) (keys []string) {
	byKey := func(l *List) (all map[string][]byte) {
		all = map[string][]byte{}
		for _, item := range l.Items {
			all[jsonrpc.Text(item, kind.Key)] = item
		}
		return all
	}
	x, y := byKey(a), byKey(b)
	for _, item := range a.Items {
		key := jsonrpc.Text(item, kind.Key)
		if other, ok := y[key]; !ok || !jsonrpc.Equal(x[key], other) {
			keys = append(keys, key)
		}
	}
	for _, item := range b.Items {
		if key := jsonrpc.Text(item, kind.Key); x[key] == nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// AwaitStart waits until the process of a connection that nothing was sent on has had the
// time that the first one took to start, half as much more.
func (r *Run) AwaitStart(c *Conn) {
	if c.link == nil || !c.raw {
		return
	}
	r.Sleep(time.Until(c.link.started.Add(time.Duration(r.Server.Took) * 3 / 2 * time.Millisecond)))
}

// Slow reports a server whose start takes so long that a limit says nothing.
func (r *Run) Slow(limit time.Duration) bool {
	return time.Duration(r.Server.Took)*time.Millisecond > limit
}
