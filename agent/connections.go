package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// agent is the state shared by the tools.
type agent struct {
	options Options

	mu          sync.Mutex
	connections map[string]*connection
	newest      string

	opening chan struct{} // contains an element while the target of the command line is being connected
	opened  bool          // a connection was opened, or tried; guarded by opening
}

// connection is a session with its name.
type connection struct {
	name      string
	target    client.Target
	s         *session.Session
	recording string  // the file; empty for a server
	shared    *Shared // session of an inspector, or nil for the agent's own sessions
	unwatch   func()  // stops watching the files of the server; nil if they are not watched
}

const (
	// maxConnections bounds the concurrent servers.
	maxConnections = 8
	// closeTime bounds closing a connection.
	closeTime = 5 * time.Second
)

// Which names a connection.
type Which struct {
	Connection string `json:"connection,omitempty" jsonschema:"name of the connection; the newest one if empty"`
}

func (w Which) which() string { return w.Connection }

// find returns a connection by its name.
func (a *agent) find(name string) (*connection, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if name == "" {
		name = a.newest
	}
	if c := a.connections[name]; c != nil {
		return c, nil
	}
	if len(a.connections) == 0 {
		return nil, errors.New("there is no connection: use connect or open_recording first")
	}
	return nil, fmt.Errorf("there is no connection %q; there are %s", name, strings.Join(a.names(), ", "))
}

// use returns a connection by its name. The first call connects to the target of the
// command line, if there is one and no other connection was opened.
func (a *agent) use(ctx context.Context, name string) (*connection, error) {
	a.connectGiven(ctx, name)
	return a.find(name)
}

// ready is like use, for tools that need the server. The error explains why connecting failed.
func (a *agent) ready(ctx context.Context, name string) (*connection, error) {
	c, err := a.use(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := c.s.AwaitSaved(ctx); err != nil {
		return nil, err
	}
	if st := c.s.State(); st.Phase == session.Failed && c.recording == "" && c.shared == nil {
		e := failure.Explain(st.Err, failure.FactsOf(c.s))
		text := strings.TrimSpace(e.Sentence + " " + e.Cause() + " " + e.Try())
		if entry := c.s.Target().Entry; entry != nil {
			text += " The server is configured in " + failure.EntryText(*entry, "") + "."
		}
		return nil, errors.New(text)
	}
	return c, nil
}

// live is like ready, for tools that do not work on a recording.
func (a *agent) live(ctx context.Context, name string) (*connection, error) {
	c, err := a.ready(ctx, name)
	if err == nil && c.recording != "" {
		err = errors.New("a recording has no server: use connect")
	}
	return c, err
}

// connectGiven connects to the target of the command line, once, unless there is a
// connection already. The outcome is in the state of the connection. All calls share the
// connection: cancelling a call ends only the wait of that call. [agent.open] has the deadline, and closing the agent ends
// the connection.
func (a *agent) connectGiven(ctx context.Context, name string) {
	if a.options.Given == nil || a.options.Shared != nil || name != "" && name != defaultName {
		return
	}
	select {
	case a.opening <- struct{}{}:
	case <-ctx.Done():
		return
	}
	if a.opened {
		<-a.opening
		return
	}
	a.opened = true
	connected := make(chan struct{})
	go func() {
		defer close(connected)
		defer func() { <-a.opening }()
		_, _ = a.open(context.WithoutCancel(ctx), connectInput{}) // the caller looks for the connection
	}()
	select {
	case <-connected:
	case <-ctx.Done():
	}
}

// noteOpened keeps the target of the command line from being connected to by itself.
func (a *agent) noteOpened() {
	a.opening <- struct{}{}
	defer func() { <-a.opening }()
	a.opened = true
}

// defaultName is the connection to the target of the command line.
const defaultName = "default"

// names returns the names of the connections. The caller holds the lock.
func (a *agent) names() []string { return slices.Sorted(maps.Keys(a.connections)) }

// add stores a connection, instead of one with the same name.
func (a *agent) add(c *connection) error {
	a.mu.Lock()
	old := a.connections[c.name]
	if old != nil && old.shared != nil {
		a.mu.Unlock()
		return fmt.Errorf("the name %q belongs to the session of the inspector; use another one", c.name)
	}
	if old == nil && len(a.connections) >= maxConnections {
		a.mu.Unlock()
		return fmt.Errorf("there are %d connections already; use disconnect", maxConnections)
	}
	a.connections[c.name], a.newest = c, c.name
	a.mu.Unlock()
	if old != nil {
		old.close()
	}
	return nil
}

func (a *agent) remove(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.connections, name)
	if a.newest == name {
		a.newest = ""
		if names := a.names(); len(names) > 0 {
			a.newest = names[0]
		}
	}
}

func (c *connection) close() {
	if c.shared != nil {
		return
	}
	if c.unwatch != nil {
		c.unwatch()
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	c.s.Disconnect(ctx)
	_ = c.s.Close(ctx) // a recording that is incomplete is not a concern of the caller
}

func (a *agent) closeAll() {
	a.mu.Lock()
	all := a.connections
	a.connections = map[string]*connection{}
	a.mu.Unlock()
	var closing sync.WaitGroup
	for _, c := range all {
		closing.Go(c.close)
	}
	closing.Wait()
}

type disconnectOutput struct {
	Closed string `json:"closed"`
}

func (a *agent) disconnect(_ turn, in Which) (out disconnectOutput, err error) {
	c, err := a.find(in.Connection)
	if err != nil {
		return out, err
	}
	if c.shared != nil {
		return out, errShared
	}
	a.remove(c.name)
	c.close()
	return disconnectOutput{Closed: c.name}, nil
}
