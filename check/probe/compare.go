package probe

import (
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Differences returns the keys of the entries that differ between two readings of a list. The order
// does not count. It calls again to repeat the first reading, and ignores differences that also
// occur between the equal readings.
func (r *Run) Differences(kind client.ListKind, first, second *List, again func() *List) []string {
	if first.Problem != "" || second.Problem != "" {
		return nil
	}
	found := differing(kind, first, second)
	for range 2 { // a random difference may be absent in one reading
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

// NotComparable drops a finding about a list that changes between identical requests.
func (r *Run) NotComparable(kind client.ListKind) {
	r.drop(&Because{Cause: "the lists differ from one reading to the next", Why: kind.Method + " differs from one reading to the next, although it is requested in the same way"})
}

// UnknownList drops a finding about a list whose method the server does not know. The capabilities probe
// reports it.
func (r *Run) UnknownList(kind client.ListKind) {
	r.drop(r.runner.because(kind.Method, kind.Method+" is declared, but the server does not know it"))
}

// unknownList returns the list that the method depends on, such as resources/list for resources/read, if the
// server declares that list but does not know its method. Otherwise it returns nil.
func (r *Run) unknownList(method string) *client.ListKind {
	for i, kind := range client.ListKinds {
		if list := r.Server.Lists[kind.Name]; list != nil && list.IsUnknown() && method != kind.Method && strings.HasPrefix(method, strings.TrimSuffix(kind.Method, "list")) {
			return &client.ListKinds[i]
		}
	}
	return nil
}

// differing returns the keys of the entries that only one of the lists contains, or that differ.
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
