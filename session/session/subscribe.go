package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/backoff"
	"mcptea/internal/signal"
)

// Subscription is the state of the subscription of the current connection (2026-07-28,
// basic / patterns / subscriptions). It is a copy.
type Subscription struct {
	Since   time.Time // zero while there is no subscription
	granted []byte    // raw: the notifications that the server acknowledged
	Err     error     // why there is no subscription
	Retry   time.Time // time of the next attempt, or zero
}

// watcher keeps one subscription open whose filter it updates. It belongs to one
// connection.
type watcher struct {
	s      *Session
	c      *client.Client
	change chan struct{} // 1 slot: the filter has changed

	// The fields below are guarded by Session.mu.
	filter  client.SubscriptionFilter
	pending []*Call // calls that end with the next outcome
	ended   bool    // the watcher has ended: nothing settles pending
}

// watchLists starts the watcher for changes of the lists that are fetched, on a
// connection of the stateless era.
func (s *Session) watchLists(c *client.Client) {
	h := c.Handshake()
	if !h.Revision.IsStateless() || !s.cfg.Subscribe {
		return
	}
	w := &watcher{s: s, c: c, change: make(chan struct{}, 1)}
	w.filter = client.SubscriptionFilter{
		Tools:     h.AnnouncesChanges(client.Tools) && s.wanted(client.Tools),
		Prompts:   h.AnnouncesChanges(client.Prompts) && s.wanted(client.Prompts),
		Resources: h.AnnouncesChanges(client.Resources) && s.wanted(client.Resources),
		Events:    h.AnnouncesChanges(client.Events) && s.wanted(client.Events),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed() || s.client != c {
		return
	}
	w.filter.URIs = slices.Clone(s.followed)
	s.watcher = w
	s.wg.Go(w.run)
	if !w.filter.Empty() {
		w.change <- struct{}{}
	}
}

// betweenSubscriptions are the pauses before the watcher subscribes again after a failure.
var betweenSubscriptions = backoff.Backoff{First: 500 * time.Millisecond, Most: 30 * time.Second}

// run keeps the subscription in line with the filter until the connection ends.
func (w *watcher) run() {
	defer w.settleAll(errNotConnected)
	var open *client.Subscription
	var since time.Time // start of open
	pauses := backoff.Series{Backoff: betweenSubscriptions}
	retry := time.NewTimer(noRetry)
	defer retry.Stop()
	for {
		var dropped <-chan struct{}
		if open != nil {
			dropped = open.Done()
		}
		var err error
		before := open
		select {
		case <-w.change:
			if open, err = w.replace(open); open != nil {
				err = nil // after a failed change, the old one stays active
			}
		case <-retry.C:
			if open, err = w.replace(nil); open != nil {
				w.refetch() // changes in the meantime were not reported
			}
		case <-w.c.Done():
			return
		case <-w.s.life.Done():
			return
		case <-dropped:
			err, open = open.Err(), nil
			pauses.Lasted(time.Since(since))
		}
		switch {
		case open != nil && open == before:
		case open != nil:
			since = time.Now()
			retry.Reset(noRetry)
		case err == nil || isRefusal(err):
			w.report(Subscription{Err: err}) // retried at the next change of the filter
		default:
			pause := pauses.Next()
			w.report(Subscription{Err: err, Retry: time.Now().Add(pause)})
			retry.Reset(pause)
		}
	}
}

// settleAll ends the calls that wait for an outcome when the connection has ended. Later calls end immediately.
func (w *watcher) settleAll(reason error) {
	w.s.mu.Lock()
	waiting := w.pending
	w.pending, w.ended = nil, true
	w.s.mu.Unlock()
	for _, call := range waiting {
		call.settle(client.Response{}, reason)
	}
	w.s.store.Notify()
}

// noRetry is longer than any connection.
const noRetry = 100 * 365 * 24 * time.Hour

// isRefusal reports whether the server has refused a subscription, so that a retry
// would not help.
func isRefusal(err error) bool {
	var rpc *client.RPCError
	var status *transport.StatusError
	switch {
	case errors.As(err, &rpc):
		return true
	case !errors.As(err, &status):
		return false
	}
	switch status.Status {
	case http.StatusNotFound, http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return false // a server restarting behind a gateway returns this
	}
	return status.Status/100 == 4 || status.Status == http.StatusNotImplemented
}

// replace opens a subscription for the current filter and then closes the old one. In that order, no
// notification is missed. It returns the current subscription, or nil.
func (w *watcher) replace(old *client.Subscription) (*client.Subscription, error) {
	w.s.mu.Lock()
	wanted, waiting := w.filter, w.pending
	wanted.URIs, wanted.Tasks = slices.Clone(wanted.URIs), slices.Clone(wanted.Tasks)
	w.pending = nil
	w.s.mu.Unlock()
	var next *client.Subscription
	var err error
	state := Subscription{}
	if !wanted.Empty() {
		var granted []byte
		if next, granted, err = w.c.Subscribe(context.Background(), wanted); err == nil { // the client bounds it
			state = Subscription{Since: time.Now(), granted: granted}
		}
	}
	if isRefusal(err) {
		w.dropRefused(waiting)
	}
	for _, call := range waiting {
		call.settle(client.Response{}, err)
	}
	if err != nil {
		w.s.store.Notify()
		return old, err // keep the old one
	}
	w.report(state)
	if old != nil {
		old.Close()
	}
	return next, nil
}

// dropRefused removes the resources from the filter that the server refused.
func (w *watcher) dropRefused(refused []*Call) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	for _, call := range refused {
		w.filter.URIs = toggled(w.filter.URIs, call.Name, false)
		w.s.follow(call.Name, false)
	}
}

func (w *watcher) report(now Subscription) {
	w.s.mu.Lock()
	current := w.s.watcher == w
	if current {
		w.s.state.Subscription = now
	}
	w.s.mu.Unlock()
	if current {
		w.s.tasks.Wake("")
	}
	w.s.store.Notify()
}

// watchTask adds a task to the filter of the subscription, or removes one that has ended
// from the next filter. The current subscription stays then: no notification about the
// task will arrive.
func (s *Session) watchTask(id string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.watcher
	switch {
	case w == nil:
	case !on:
		w.filter.Tasks = toggled(w.filter.Tasks, id, false)
	case w.c == s.client && !slices.Contains(w.filter.Tasks, id):
		w.filter.Tasks = toggled(w.filter.Tasks, id, true)
		signal.Wake(w.change)
	}
}

// taskSubscribed reports whether the server has acknowledged the subscription to a
// task.
func (s *Session) taskSubscribed(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, ok := jsonrpc.Member(s.state.Subscription.granted, "taskIds")
	if !ok || s.state.Subscription.Err != nil {
		return false
	}
	for e := range jsonrpc.Elements(ids) {
		if granted, _ := jsonrpc.Unquote(e); granted == id {
			return true
		}
	}
	return false
}

// Listen opens an additional subscription for the caller and returns what the server grants: see
// [client.Client.Subscribe]. The record contains the notifications. The caller must close it.
func (s *Session) Listen(ctx context.Context, w client.SubscriptionFilter) (*client.Subscription, []byte, error) {
	c, err := s.current()
	if err != nil {
		return nil, nil, err
	}
	return c.Subscribe(ctx, w)
}

// refetch fetches the lists whose changes may have been missed.
func (w *watcher) refetch() {
	w.s.mu.Lock()
	wanted := w.filter
	w.s.mu.Unlock()
	for _, l := range []struct {
		on   bool
		kind client.ListKind
	}{{wanted.Tools, client.Tools}, {wanted.Resources, client.Resources}, {wanted.Prompts, client.Prompts}, {wanted.Events, client.Events}} {
		if l.on {
			w.s.changed(l.kind)
		}
	}
}

// setResource adds a resource to the filter or removes it. The caller holds
// Session.mu.
func (w *watcher) setResource(uri string, on bool) *Call {
	params := client.Params(map[string]string{"uri": uri})
	call := &Call{Method: "subscriptions/listen", Name: uri, Params: params, Started: time.Now(), cancel: func(error) {}, done: make(chan struct{})}
	if w.ended {
		w.s.follow(uri, false)
		call.settle(client.Response{}, errNotConnected)
		return call
	}
	w.filter.URIs = toggled(w.filter.URIs, uri, on)
	w.pending = append(w.pending, call)
	signal.Wake(w.change)
	return call
}

// SetLevel sets the minimum level of log messages. In the stateless era that takes
// no request, and the outcome has no response.
func (s *Session) SetLevel(level string) *Call {
	c, err := s.current()
	if err != nil {
		return failed("logging/setLevel", nil, err)
	}
	if !c.Handshake().Revision.IsStateless() {
		return s.Start("logging/setLevel", client.Params(map[string]string{"level": level}))
	}
	c.SetLogLevel(level)
	return failed("", nil, nil)
}

// String lists what the server grants.
func (w Subscription) String() string {
	if w.Err != nil {
		return fmt.Sprintf("no subscription: %v", w.Err)
	}
	var lines []string
	for name, value := range jsonrpc.Members(w.granted) {
		if words, ok := granted[string(name)]; ok && string(value) != "false" && string(value) != "[]" {
			lines = append(lines, words)
		}
	}
	slices.Sort(lines)
	if len(lines) == 0 {
		return "nothing"
	}
	return strings.Join(lines, ", ")
}

var granted = map[string]string{
	"toolsListChanged": "tools", "promptsListChanged": "prompts", "resourcesListChanged": "resources", "eventsListChanged": "event types",
	"resourceSubscriptions": "single resources", "taskIds": "tasks in progress",
}
