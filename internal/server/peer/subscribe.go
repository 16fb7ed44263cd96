package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// filter selects the notifications of a subscription.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	Events    bool     `json:"eventsListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
}

func (f *filter) wantsList(list string) bool {
	return map[string]bool{"tools": f.Tools, "prompts": f.Prompts, "resources": f.Resources, "events": f.Events}[list]
}

// listener is an open subscriptions/listen request, or a resource that a session has subscribed to.
type listener struct {
	filter filter
	send   func(method string, params map[string]any)
	end    context.CancelFunc // ends the request with a response; nil if there is no request

	mu   sync.Mutex // held while something is sent, so that the order is kept
	over bool
}

func listen(ctx context.Context, c *Call) (any, error) {
	var params struct {
		Notifications *filter `json:"notifications"`
	}
	if err := c.decodeParams(&params); err != nil {
		return nil, err
	}
	granted := params.Notifications
	switch {
	case granted == nil:
		return nil, invalidParams("notifications is missing")
	case len(granted.URIs) > maxSubscribed || len(granted.Tasks) > maxTasks:
		return nil, invalidParams("at most %d resources and %d tasks are possible", maxSubscribed, maxTasks)
	case len(granted.Tasks) > 0 && !c.hasTasks():
		return nil, errNoTasks
	}
	s := c.server()
	granted.Events = granted.Events && revision.Events.IsDeclared(s.Capabilities, "listChanged")
	granted.URIs = slices.DeleteFunc(granted.URIs, func(uri string) bool { return !c.holds(uri) })
	granted.Tasks = slices.DeleteFunc(granted.Tasks, func(id string) bool { return s.tasks.find(id, nil, c.principal) == nil })
	ending, end := context.WithCancel(ctx)
	defer end()
	subscription := map[string]any{revision.MetaSubscriptionID: json.RawMessage(c.message.ID.Bytes())}
	l := &listener{filter: *granted, end: end, send: func(method string, params map[string]any) {
		all := map[string]any{"_meta": subscription}
		maps.Copy(all, params)
		c.reply.Send(jsonrpc.EncodeNotification(method, Encode(all)))
	}}
	var ticks sync.WaitGroup
	s.listen(ending, &ticks, l)
	<-ending.Done()
	ticks.Wait()
	s.unlisten(l)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return map[string]any{"_meta": map[string]any{
		revision.MetaSubscriptionID: json.RawMessage(c.message.ID.Bytes()),
		revision.MetaServerInfo:     s.badge(),
	}}, nil
}

// listen registers a listener until [Server.unlisten]. If it belongs to a request, the acknowledgement is sent
// first.
func (s *Server) listen(ctx context.Context, ticks *sync.WaitGroup, l *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.mu.Lock()
	if s.listeners == nil {
		s.listeners = map[*listener]bool{}
	}
	s.listeners[l] = true
	s.mu.Unlock()
	if l.end != nil {
		l.send("notifications/subscriptions/acknowledged", map[string]any{"notifications": l.filter})
	}
	for _, uri := range l.filter.URIs {
		ticks.Go(func() { s.tick(ctx, uri, func() { l.notify(methodUpdated, map[string]any{"uri": uri}) }) })
	}
}

func (s *Server) unlisten(l *listener) {
	s.mu.Lock()
	delete(s.listeners, l)
	s.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

func (l *listener) notify(method string, params map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.send(method, params)
	}
}

// listening returns the open subscriptions whose filter a function selects.
func (s *Server) listening(wants func(*filter) bool) []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*listener
	for l := range s.listeners {
		if wants(&l.filter) {
			all = append(all, l)
		}
	}
	return all
}

// publish sends a notification to all the streams that want it, and returns the number of these streams.
func (s *Server) publish(method string, params map[string]any, wants func(*filter) bool) int {
	notified := s.listening(wants)
	for _, l := range notified {
		l.notify(method, params)
	}
	return len(notified)
}

// EndSubscriptions ends all subscriptions/listen streams by answering them, as a server
// does that shuts down, and returns how many there were.
func (s *Server) EndSubscriptions() (n int) {
	for _, l := range s.listening(func(*filter) bool { return true }) {
		if l.end != nil {
			l.end()
			n++
		}
	}
	s.events.endStreams()
	return n
}

// EndSubscriptions is like [Server.EndSubscriptions].
func (c *Call) EndSubscriptions() int { return c.server().EndSubscriptions() }

const methodUpdated = "notifications/resources/updated"

func subscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	if !c.holds(uri) {
		return nil, c.NotFound("resource not found")
	}
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.subscribed[uri] != nil:
		return struct{}{}, nil
	case len(s.subscribed) >= maxSubscribed:
		return nil, &Error{Code: jsonrpc.CodeInternalError, Message: fmt.Sprintf("at most %d subscriptions are possible", maxSubscribed)}
	}
	l := &listener{filter: filter{URIs: []string{uri}}, send: func(method string, params map[string]any) {
		s.Notify(method, Encode(params))
	}}
	ctx, stop := context.WithCancel(s.ctx)
	s.subscribed[uri] = stop
	s.server.listen(ctx, &s.work, l)
	context.AfterFunc(ctx, func() { s.server.unlisten(l) })
	return struct{}{}, nil
}

func unsubscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if stop := c.session.subscribed[uri]; stop != nil {
		stop()
		delete(c.session.subscribed, uri)
	}
	return struct{}{}, nil
}

// TouchResource notifies all subscribers of a resource that it has changed, and returns their number. It
// returns false for an unknown uri.
func (c *Call) TouchResource(uri string) (int, bool) {
	if !c.holds(uri) {
		return 0, false
	}
	return c.server().publish(methodUpdated, map[string]any{"uri": uri},
		func(f *filter) bool { return slices.Contains(f.URIs, uri) }), true
}

// tick calls changed each time the resource changes by itself, until ctx ends.
func (s *Server) tick(ctx context.Context, uri string, changed func()) {
	resources := s.list(revision.Resources.Name)
	i := slices.IndexFunc(resources, func(e *Entry) bool { return e.Key == uri })
	if i < 0 || resources[i].Every <= 0 {
		return
	}
	ticker := time.NewTicker(time.Duration(resources[i].Every * float64(s.pace())))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.memory.add("ticks of "+uri, 1)
			changed()
		case <-ctx.Done():
			return
		}
	}
}

// Ticks returns the number of times that a resource has changed by itself.
func (c *Call) Ticks(uri string) int { return c.server().memory.count("ticks of " + uri) }

// Toggle shows or hides an entry of a list ("tools", "prompts", "resources")
// that is hidden by default, tells the client that the list changed, and
// returns whether the entry is shown now.
func (c *Call) Toggle(list, name string) bool {
	shown := c.memory().add(list+"/"+name, 1)%2 == 1
	method := "notifications/" + list + "/list_changed"
	if c.terms.modern {
		c.server().publish(method, nil, func(f *filter) bool { return f.wantsList(list) })
	} else {
		c.session.Notify(method, nil)
	}
	return shown
}

// NotifyElicitationComplete notifies the client that the user has finished with the page of an elicitation. The
// notification does not belong to this call, so it cannot be sent without sessions.
func (c *Call) NotifyElicitationComplete(id string) {
	if !c.terms.modern {
		c.session.Notify("notifications/elicitation/complete", Encode(map[string]string{"elicitationId": id}))
	}
}
