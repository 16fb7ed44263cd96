package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Watching is what the server tells of unasked on the current connection, where
// that takes a subscription (2026-07-28, basic / patterns / subscriptions). It
// is a copy.
type Watching struct {
	Since   time.Time // zero while nothing is subscribed to
	Granted []byte    // raw: what the server agreed to tell
	Err     error     // why there is no subscription, or no longer
}

// watcher keeps one subscription open for everything that is wanted. It
// belongs to one connection.
type watcher struct {
	s      *Session
	c      *client.Client
	change chan struct{} // 1 slot: something else is wanted now

	// These are guarded by the session's lock.
	wanted  client.Watch
	waiting []*Call // who is to be told of the next outcome
}

// watchLists begins to listen for changes of the lists that were fetched, on a
// connection where that takes a subscription.
func (s *Session) watchLists(c *client.Client) {
	h := c.Handshake()
	if !h.Revision.IsModern() || !s.cfg.Subscribe {
		return
	}
	w := &watcher{s: s, c: c, change: make(chan struct{}, 1)}
	w.wanted = client.Watch{
		Tools:     h.HasCapability("tools", "listChanged") && s.wanted(client.Tools),
		Prompts:   h.HasCapability("prompts", "listChanged") && s.wanted(client.Prompts),
		Resources: h.HasCapability("resources", "listChanged") && s.wanted(client.Resources),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.client != c {
		return
	}
	s.watcher = w
	s.wg.Go(w.run)
	if !w.wanted.Empty() {
		w.change <- struct{}{}
	}
}

// How long the watcher rests before it subscribes again after a drop.
const (
	firstRest = 500 * time.Millisecond
	mostRest  = 30 * time.Second
)

// run keeps the subscription in step with what is wanted, until the connection
// ends.
func (w *watcher) run() {
	var open *client.Subscription
	rest := firstRest
	for {
		var dropped <-chan struct{}
		if open != nil {
			dropped = open.Done()
		}
		select {
		case <-w.change:
			open = w.replace(open)
			continue
		case <-w.c.Done():
			return
		case <-w.s.ending:
			return
		case <-dropped:
		}
		err := open.Err()
		open = nil
		w.report(Watching{Err: err})
		var rpc *client.RPCError
		if errors.As(err, &rpc) {
			continue // it was refused; the next wish tries again
		}
		if !w.pause(rest) {
			return
		}
		rest = min(2*rest, mostRest)
		if open = w.replace(nil); open != nil {
			w.refetch() // what changed meanwhile was told to nobody
		}
	}
}

// pause waits unless the connection or the session ends.
func (w *watcher) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.c.Done():
	case <-w.s.ending:
	}
	return false
}

// replace subscribes to what is wanted now and then ends what was there: in
// that order nothing is missed.
func (w *watcher) replace(old *client.Subscription) *client.Subscription {
	w.s.mu.Lock()
	wanted, waiting := w.wanted, w.waiting
	wanted.URIs, wanted.Tasks = slices.Clone(wanted.URIs), slices.Clone(wanted.Tasks)
	w.waiting = nil
	w.s.mu.Unlock()
	var next *client.Subscription
	var err error
	state := Watching{}
	if !wanted.Empty() {
		var granted []byte
		if next, granted, err = w.c.Subscribe(context.Background(), wanted); err == nil { // the client bounds it
			state = Watching{Since: time.Now(), Granted: granted}
		}
		state.Err = err
	}
	for _, call := range waiting {
		call.settle(client.Answer{}, err)
	}
	if err != nil && old != nil {
		w.s.store.Poke()
		return old // better than nothing
	}
	w.report(state)
	if old != nil {
		old.Close()
	}
	return next
}

func (w *watcher) report(now Watching) {
	w.s.mu.Lock()
	if w.s.watcher == w {
		w.s.state.Watching = now
		for _, t := range w.s.tasks {
			if t.minded {
				t.stir()
			}
		}
	}
	w.s.mu.Unlock()
	w.s.store.Poke()
}

// watchTask asks to be told of a task, where that takes a subscription.
func (s *Session) watchTask(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.watcher; w != nil && w.c == s.client && !slices.Contains(w.wanted.Tasks, id) {
		w.wanted.Tasks = append(w.wanted.Tasks, id)
		w.stir()
	}
}

// unwatchTask leaves a task that is over out of the next subscription. The one
// there is stays: there is nothing more to tell on it.
func (s *Session) unwatchTask(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.watcher; w != nil {
		w.wanted.Tasks = slices.DeleteFunc(w.wanted.Tasks, func(other string) bool { return other == id })
	}
}

// tellsOfTask reports whether the server has agreed to tell of a task. The
// caller holds the lock.
func (s *Session) tellsOfTask(id string) bool {
	ids, ok := jsonrpc.Member(s.state.Watching.Granted, "taskIds")
	if !ok || s.state.Watching.Err != nil {
		return false
	}
	for e := range jsonrpc.Elements(ids) {
		if granted, _ := jsonrpc.Unquote(e); granted == id {
			return true
		}
	}
	return false
}

// refetch gets the lists whose changes may have been missed.
func (w *watcher) refetch() {
	w.s.mu.Lock()
	wanted := w.wanted
	w.s.mu.Unlock()
	for _, l := range []struct {
		on   bool
		kind client.ListKind
	}{{wanted.Tools, client.Tools}, {wanted.Resources, client.Resources}, {wanted.Prompts, client.Prompts}} {
		if l.on {
			w.s.changed(l.kind)
		}
	}
}

// Follow asks the server to tell when a resource changes, or no longer to tell.
// The outcome has no answer where that takes no request of its own.
func (s *Session) Follow(uri string, on bool) *Call {
	method := "resources/unsubscribe"
	if on {
		method = "resources/subscribe"
	}
	params := client.Params(map[string]string{"uri": uri})
	s.mu.Lock()
	w := s.watcher
	if w == nil || w.c != s.client || !w.c.Handshake().Revision.IsModern() {
		s.mu.Unlock()
		return s.Start(method, params)
	}
	defer s.mu.Unlock()
	call := &Call{Method: "subscriptions/listen", Name: uri, Params: params, Started: time.Now(), cancel: func(error) {}, done: make(chan struct{})}
	w.wanted.URIs = slices.DeleteFunc(w.wanted.URIs, func(u string) bool { return u == uri })
	if on {
		w.wanted.URIs = append(w.wanted.URIs, uri)
	}
	w.waiting = append(w.waiting, call)
	w.stir()
	return call
}

// stir lets the watcher look at what is wanted.
func (w *watcher) stir() {
	select {
	case w.change <- struct{}{}:
	default:
	}
}

// SetLevel asks for log messages from a level on. The outcome has no answer
// where that takes no request of its own.
func (s *Session) SetLevel(level string) *Call {
	c, err := s.current()
	if err != nil {
		return failed("logging/setLevel", nil, err)
	}
	if !c.Handshake().Revision.IsModern() {
		return s.Start("logging/setLevel", client.Params(map[string]string{"level": level}))
	}
	c.SetLogLevel(level)
	return failed("", nil, nil)
}

// String says in a few words what is granted.
func (w Watching) String() string {
	if w.Err != nil {
		return fmt.Sprintf("no subscription: %v", w.Err)
	}
	var said []string
	for name, value := range jsonrpc.Members(w.Granted) {
		if words, ok := granted[string(name)]; ok && string(value) != "false" && string(value) != "[]" {
			said = append(said, words)
		}
	}
	slices.Sort(said)
	if len(said) == 0 {
		return "nothing"
	}
	return strings.Join(said, ", ")
}

var granted = map[string]string{
	"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources",
	"resourceSubscriptions": "single resources", "taskIds": "tasks in progress",
}
