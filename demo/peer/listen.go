package peer

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"mcptea/client/revision"

	"mcptea/client/jsonrpc"
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

func (f *filter) wantsURI(uri string) bool { return slices.Contains(f.URIs, uri) }

func (f *filter) wantsTask(id string) bool { return slices.Contains(f.Tasks, id) }

// listener is one subscriptions/listen request that is open.
type listener struct {
	session *Session
	reply   Reply
	id      jsonrpc.ID
	filter  filter
	ended   chan struct{} // closed when the server ends the subscription
	end     func()

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
	if params.Notifications == nil {
		return nil, invalidParams("notifications is missing")
	}
	if len(params.Notifications.Tasks) > 0 && !c.hasExtension(TasksExtension) {
		return nil, missingExtension(TasksExtension)
	}
	l := &listener{
		session: c.session, reply: c.reply, id: c.message.ID,
		filter: c.grant(*params.Notifications), ended: make(chan struct{}),
	}
	l.end = sync.OnceFunc(func() { close(l.ended) })
	c.server().open(l)
	defer c.server().close(l)
	ticking, stop := context.WithCancel(ctx)
	var ticks sync.WaitGroup
	for _, uri := range l.filter.URIs {
		ticks.Go(func() {
			c.server().tick(ticking, uri, func() { l.notify(methodUpdated, map[string]any{"uri": uri}) })
		})
	}
	defer ticks.Wait()
	defer stop()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-l.ended:
		return map[string]any{"_meta": map[string]any{
			revision.MetaSubscriptionID: json.RawMessage(l.id),
			revision.MetaServerInfo:     c.server().badge(),
		}}, nil
	}
}

// grant leaves of a wish what there is.
func (c *Call) grant(wish filter) filter {
	wish.URIs = slices.DeleteFunc(slices.Clone(wish.URIs), func(uri string) bool { return !c.holds(uri) })
	wish.Tasks = slices.DeleteFunc(slices.Clone(wish.Tasks), func(id string) bool { return c.server().tasks.find(id, nil) == nil })
	return wish
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
	for name, value := range params {
		all[name] = value
	}
	l.reply.Send(jsonrpc.AppendNotification(nil, method, encode(all)))
}

// publish sends a notification to all the streams that want it, and returns how
// many these are.
func (s *Server) publish(method string, params map[string]any, wants func(*filter) bool) int {
	told := s.listening(func(l *listener) bool { return wants(&l.filter) })
	for _, l := range told {
		l.notify(method, params)
	}
	return len(told)
}

func (s *Server) listening(which func(*listener) bool) []*listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*listener
	for l := range s.listeners {
		if which(l) {
			all = append(all, l)
		}
	}
	return all
}

// endListening ends subscriptions by answering them.
func (s *Server) endListening(which func(*listener) bool) int {
	all := s.listening(which)
	for _, l := range all {
		l.end()
	}
	return len(all)
}

// EndSubscriptions ends those of the session, as is polite before it closes.
func (s *Session) EndSubscriptions() {
	s.server.endListening(func(l *listener) bool { return l.session == s })
}
