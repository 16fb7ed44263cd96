package probe

import (
	"strings"

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
			r.NotComparable(kind)
			return nil
		}
	}
	return found
}

// NotComparable leaves out a finding about a list that differs from one reading to the
// next, although it is asked for in the same way.
func (r *Run) NotComparable(kind client.ListKind) {
	r.drop(&Because{Cause: "the lists differ from one reading to the next", Why: kind.Method + " differs from one reading to the next, although it is asked for in the same way"})
}

// UnknownList leaves out what would be said about a list whose method the server does not
// know: the probe of the capabilities has it.
func (r *Run) UnknownList(kind client.ListKind) {
	r.drop(r.runner.because(kind.Method, kind.Method+" is declared, and the server does not know it"))
}

// unknownList is the list of what a method is about, such as resources/list for
// resources/read, if it is declared and the server does not know it; nil else.
func (r *Run) unknownList(method string) *client.ListKind {
	for i, kind := range client.ListKinds {
		if list := r.Server.Lists[kind.Name]; list != nil && list.IsUnknown() && method != kind.Method && strings.HasPrefix(method, strings.TrimSuffix(kind.Method, "list")) {
			return &client.ListKinds[i]
		}
	}
	return nil
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
