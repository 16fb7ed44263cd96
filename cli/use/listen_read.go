package use

import (
	"slices"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/filter"
	"mcptea/record/store"
)

// read prints the events since the last call.
func (l *listener) read() error {
	for !l.complete() {
		r, ok := l.s.Store().Row(l.next)
		if !ok {
			break
		}
		l.next++
		if r.Dir != transport.In || r.Kind != jsonrpc.Notification && r.Kind != jsonrpc.Batch {
			continue
		}
		body, err := l.s.Store().Body(l.next - 1)
		if err != nil {
			return app.Failed("cannot read a frame of the session: %v", err)
		}
		var failed error
		eachMessage(body, func(message []byte) {
			if failed == nil && !l.complete() {
				failed = l.receive(&r, message)
			}
		})
		if failed != nil {
			return failed
		}
	}
	return l.settle()
}

// receive prints a notification, or keeps it until its list was fetched.
func (l *listener) receive(r *store.Row, message []byte) error {
	e := jsonrpc.Scan(message)
	if e.Kind != jsonrpc.Notification {
		return nil
	}
	n := &notification{at: time.Unix(0, r.Time), frame: message, method: string(e.MethodText(message)), params: e.Params.Of(message)}
	if !l.wanted.shows(n.method, n.params) {
		return nil
	}
	l.seen++
	l.matched = l.matched || l.until != nil && l.until.Match(l.frame(r, n))
	if older := l.pending[n.method]; older != nil {
		delete(l.pending, n.method) // the newer one has the change of both
		if err := l.print(*older, nil); err != nil {
			return err
		}
	}
	if len(l.fetched(n.method)) == 0 {
		return l.print(*n, nil)
	}
	l.pending[n.method] = n
	return nil
}

// frame returns a notification in the form that a filter examines.
func (l *listener) frame(r *store.Row, n *notification) *filter.Frame {
	fr := &filter.Frame{Row: r, Index: l.next - 1, Method: n.method}
	fr.OfRow(l.s.Store(), l.s.Store().NewScanner())
	return fr
}

// fetched returns the names of the lists that are fetched again after a notification.
func (l *listener) fetched(method string) (names []string) {
	lists := l.s.State().Lists
	for _, k := range listsChanged(method) {
		wanted := slices.ContainsFunc(l.s.Config().Lists, func(w client.ListKind) bool { return w.Name == k.Name })
		if wanted && lists[k.Name].Offered {
			names = append(names, k.Name)
		}
	}
	return names
}

// settle prints the notifications whose lists were fetched since.
func (l *listener) settle() error {
	if len(l.pending) == 0 {
		return nil
	}
	lists := l.s.State().Lists
	for method, n := range l.pending {
		names := l.fetched(method)
		if slices.ContainsFunc(names, func(name string) bool { return lists[name].Loading || lists[name].Began.Before(n.at) }) {
			continue
		}
		delete(l.pending, method)
		var change *ListChange
		failed := slices.IndexFunc(names, func(name string) bool { return lists[name].Err != nil })
		if failed >= 0 {
			l.say("cannot fetch " + names[failed] + " again: " + lists[names[failed]].Err.Error())
		} else {
			change = l.compare(names, lists)
		}
		if err := l.print(*n, change); err != nil {
			return err
		}
	}
	return nil
}

// flush prints what waits for its list.
func (l *listener) flush() error {
	for method, n := range l.pending {
		delete(l.pending, method)
		if err := l.print(*n, nil); err != nil {
			return err
		}
	}
	return nil
}
