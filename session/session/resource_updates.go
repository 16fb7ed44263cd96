package session

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// SubscribeResource subscribes to changes of a resource, or unsubscribes. In the stateless era it changes the
// filter of the only subscription, and the outcome has no response.
func (s *Session) SubscribeResource(uri string, on bool) *Call {
	s.mu.Lock()
	s.follow(uri, on)
	if w := s.watcher; w != nil && w.c == s.client && w.c.Handshake().Revision.IsStateless() {
		defer s.mu.Unlock()
		return w.setResource(uri, on)
	}
	s.mu.Unlock()
	method := "resources/unsubscribe"
	if on {
		method = "resources/subscribe"
	}
	call := s.Start(method, client.Params(map[string]string{"uri": uri}))
	if on {
		s.goTracked(func() {
			<-call.Done()
			if _, err := call.Result(); err != nil {
				s.mu.Lock()
				s.follow(uri, false) // the server refused it
				s.mu.Unlock()
			}
		})
	}
	return call
}

// follow adds a resource to the followed ones, or removes it. The caller holds s.mu.
func (s *Session) follow(uri string, on bool) { s.followed = toggled(s.followed, uri, on) }

// maxToggled bounds the resources and the tasks that are followed. Each addition compares them all, and the
// filter of a subscription contains them all. The oldest is dropped first.
const maxToggled = 1000

// toggled returns a list with a text at its end, or without it. It has at most maxToggled texts.
func toggled(list []string, text string, on bool) []string {
	list = slices.DeleteFunc(list, func(other string) bool { return other == text })
	if on {
		list = append(list, text)
	}
	return slices.Delete(list, 0, max(0, len(list)-maxToggled))
}

// resubscribeResources repeats the resource subscriptions on a new connection. In
// the stateless era the watcher does that.
func (s *Session) resubscribeResources(c *client.Client) {
	if c.Handshake().Revision.IsStateless() {
		return
	}
	s.mu.Lock()
	uris := slices.Clone(s.followed)
	s.mu.Unlock()
	for _, uri := range uris {
		s.SubscribeResource(uri, true)
	}
}

// An Update summarizes the server's notifications about one resource.
type Update struct {
	At    time.Time // time of the newest notification
	Count int       // number of updates on this connection
}

// updates holds the resources that the server has reported as changed. The transport only notes that there are
// reports; they are counted when the state is read. The zero value is ready to use.
type updates struct {
	reported atomic.Int32 // 1 + the row of a report that may not be counted yet, or 0

	mu     sync.Mutex
	conn   uint16 // the number of the connection; 0 for the first
	rows   *store.Scanner
	next   int32 // first row that was not examined
	byURI  map[string]Update
	shared map[string]Update // the copy that was handed out; nil when it is old
}

const (
	// maxUpdates bounds the URIs whose updates are kept. Followed resources always count.
	maxUpdates = 1000
	// maxURI is the longest URI whose updates are kept.
	maxURI = 4 << 10
	// maxCounted bounds the rows of one look, which takes a millisecond.
	maxCounted = 8192

	methodUpdated = "notifications/resources/updated"
)

// report records that a row reports a change.
func (u *updates) report(row int32) {
	if u.reported.Load() == 0 {
		u.reported.CompareAndSwap(0, row+1)
	}
}

// connected begins a connection.
func (u *updates) connected(conn uint16) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.conn, u.byURI, u.shared = conn, nil, nil
}

// snapshot counts the reported findings, and returns a copy that does not change. One call may not
// count all of them. Then it wakes the subscribers of the store, which leads to the next call.
func (u *updates) snapshot(st *store.Store, followed []string) map[string]Update {
	u.mu.Lock()
	defer u.mu.Unlock()
	if first := u.reported.Swap(0); first != 0 {
		if u.rows == nil {
			u.rows = st.NewScanner()
		}
		from := max(u.next, first-1)
		u.next = u.rows.Rows(from, maxCounted, func(_ int32, r *store.Row) bool {
			if r.Dir == transport.In && r.Conn == max(u.conn, 1) {
				u.count(st, r, followed)
			}
			return true
		})
		if u.next-from == maxCounted {
			u.report(u.next)
			st.Notify()
		}
	}
	if u.shared == nil {
		u.shared = maps.Clone(u.byURI)
	}
	return u.shared
}

// count counts the reports of a row.
func (u *updates) count(st *store.Store, r *store.Row, followed []string) {
	switch {
	case r.Kind == jsonrpc.Notification && isUpdated(st.Method(r.Method)):
		uri, _ := jsonrpc.Start(u.rows.Body(r), "params", "uri")
		u.add(uri, time.Unix(0, r.Time), followed)
	case r.Kind == jsonrpc.Batch:
		for element := range jsonrpc.Elements(u.rows.Body(r)) {
			if e := jsonrpc.Scan(element); e.Kind == jsonrpc.Notification && e.HasMethod(element, methodUpdated) {
				uri, _ := jsonrpc.Member(e.Params.Of(element), "uri")
				u.add(uri, time.Unix(0, r.Time), followed)
			}
		}
	}
}

// isUpdated reports whether a method, as written in the frame, is [methodUpdated].
func isUpdated(method string) bool {
	if strings.Contains(method, `\`) {
		method, _ = jsonrpc.Unquote([]byte(`"` + method + `"`))
	}
	return method == methodUpdated
}

// add counts a report of a raw URI.
func (u *updates) add(raw []byte, at time.Time, followed []string) {
	uri, ok := jsonrpc.Unquote(raw)
	before, known := u.byURI[uri]
	switch {
	case !ok || len(uri) > maxURI, !known && len(u.byURI) >= maxUpdates && !slices.Contains(followed, uri):
		return
	case u.byURI == nil:
		u.byURI = map[string]Update{}
	}
	u.byURI[uri] = Update{At: at, Count: before.Count + 1}
	u.shared = nil
}
