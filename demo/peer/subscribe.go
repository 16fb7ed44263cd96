package peer

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// filter says which notifications a subscription gets.
type filter struct {
	Tools     bool     `json:"toolsListChanged,omitempty"`
	Prompts   bool     `json:"promptsListChanged,omitempty"`
	Resources bool     `json:"resourcesListChanged,omitempty"`
	URIs      []string `json:"resourceSubscriptions,omitempty"`
	Tasks     []string `json:"taskIds,omitempty"`
}

func (f *filter) wantsList(list string) bool {
	return map[string]bool{"tools": f.Tools, "prompts": f.Prompts, "resources": f.Resources}[list]
}

// listener is one subscriptions/listen request that is open.
type listener struct {
	reply  Reply
	id     jsonrpc.ID
	filter filter
	end    context.CancelFunc // ends the subscription by a response

	mu   sync.Mutex // held while something is sent, so that order stays
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
	case len(granted.Tasks) > 0 && !c.hasTasks():
		return nil, errNoTasks
	}
	s := c.server()
	granted.URIs = slices.DeleteFunc(granted.URIs, func(uri string) bool { return !c.holds(uri) })
	granted.Tasks = slices.DeleteFunc(granted.Tasks, func(id string) bool { return s.tasks.find(id, nil) == nil })
	l := &listener{reply: c.reply, id: c.message.ID, filter: *granted}
	ending, end := context.WithCancel(ctx)
	defer end()
	l.end = end
	s.open(l)
	defer s.close(l)
	var ticks sync.WaitGroup
	defer ticks.Wait()
	for _, uri := range granted.URIs {
		ticks.Go(func() { s.tick(ending, uri, func() { l.notify(methodUpdated, map[string]any{"uri": uri}) }) })
	}
	<-ending.Done()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return map[string]any{"_meta": map[string]any{
		revision.MetaSubscriptionID: json.RawMessage(l.id),
		revision.MetaServerInfo:     s.badge(),
	}}, nil
}

// open files a listener; what comes first is the acknowledgement.
func (s *Server) open(l *listener) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s.mu.Lock()
	if s.listeners == nil {
		s.listeners = map[*listener]bool{}
	}
	s.listeners[l] = true
	s.mu.Unlock()
	l.send("notifications/subscriptions/acknowledged", map[string]any{"notifications": l.filter})
}

func (s *Server) close(l *listener) {
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

// send sends a notification with the id of the subscription. params are not
// changed.
func (l *listener) send(method string, params map[string]any) {
	all := map[string]any{"_meta": map[string]any{revision.MetaSubscriptionID: json.RawMessage(l.id)}}
	maps.Copy(all, params)
	l.reply.Send(jsonrpc.AppendNotification(nil, method, Encode(all)))
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

// publish sends a notification to all the streams that want it, and returns how
// many these are.
func (s *Server) publish(method string, params map[string]any, wants func(*filter) bool) int {
	told := s.listening(wants)
	for _, l := range told {
		l.notify(method, params)
	}
	return len(told)
}

// EndSubscriptions ends all subscriptions/listen streams by answering them, as a server
// does that shuts down, and returns how many there were.
func (s *Server) EndSubscriptions() int {
	all := s.listening(func(*filter) bool { return true })
	for _, l := range all {
		l.end()
	}
	return len(all)
}

// EndSubscriptions is [Server.EndSubscriptions].
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
	if s.subscribes[uri] != nil {
		return struct{}{}, nil
	}
	ctx, stop := context.WithCancel(s.ctx)
	s.subscribes[uri] = stop
	s.work.Go(func() { s.server.tick(ctx, uri, func() { s.notifyUpdated(uri) }) })
	return struct{}{}, nil
}

func unsubscribe(_ context.Context, c *Call) (any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return nil, err
	}
	c.session.mu.Lock()
	defer c.session.mu.Unlock()
	if stop := c.session.subscribes[uri]; stop != nil {
		stop()
		delete(c.session.subscribes, uri)
	}
	return struct{}{}, nil
}

func (s *Session) notifyUpdated(uri string) {
	s.Notify(methodUpdated, Encode(map[string]string{"uri": uri}))
}

// TouchResource tells all subscribers of a resource that it changed, and
// returns how many these are. It reports false for an unknown uri.
func (c *Call) TouchResource(uri string) (int, bool) {
	if !c.holds(uri) {
		return 0, false
	}
	s := c.server()
	s.mu.Lock()
	var told []*Session
	for session := range s.sessions {
		if session.subscribed(uri) {
			told = append(told, session)
		}
	}
	s.mu.Unlock()
	for _, session := range told {
		session.notifyUpdated(uri)
	}
	return len(told) + s.publish(methodUpdated, map[string]any{"uri": uri},
		func(f *filter) bool { return slices.Contains(f.URIs, uri) }), true
}

// tick calls changed each time the resource changes by itself, until ctx ends.
func (s *Server) tick(ctx context.Context, uri string, changed func()) {
	resources := s.Lists[revision.Resources.Name]
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

// Ticks returns how often a resource has changed by itself.
func (c *Call) Ticks(uri string) int { return c.server().memory.add("ticks of "+uri, 0) }

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

// NotifyUnasked sends a notification that does not belong to this call. Where
// there are no sessions there is nowhere to send it.
func (c *Call) NotifyUnasked(method string, params any) {
	if !c.terms.modern {
		c.session.Notify(method, Encode(params))
	}
}
