package agent

import (
	"cmp"
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
// connection already. The outcome is in the state of the connection.
func (a *agent) connectGiven(ctx context.Context, name string) {
	if a.options.Given == nil || a.options.Shared != nil || name != "" && name != defaultName {
		return
	}
	a.opening <- struct{}{}
	defer func() { <-a.opening }()
	if !a.opened {
		a.opened = true
		_, _ = a.open(ctx, connectInput{}) // the caller looks for the connection
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

type connectInput struct {
	Server    string   `json:"server,omitempty" jsonschema:"name of a configured server, or default for the one of the command line"`
	URL       string   `json:"url,omitempty" jsonschema:"URL of a server over HTTP"`
	Command   []string `json:"command,omitempty" jsonschema:"command that starts a server over stdio, with its arguments"`
	Cwd       string   `json:"cwd,omitempty" jsonschema:"working directory of the command"`
	Env       []string `json:"env,omitempty" jsonschema:"variables of the command, NAME=VALUE"`
	Protocol  string   `json:"protocol,omitempty" jsonschema:"protocol version such as 2025-11-25; negotiated if empty"`
	Name      string   `json:"name,omitempty" jsonschema:"name of the connection; a connection of this name is replaced"`
	TimeoutMS int      `json:"timeout_ms,omitempty" jsonschema:"maximum time to connect, 30000 if 0"`
}

func (a *agent) connect(t turn, in connectInput) (statusOutput, error) {
	if a.options.Shared == nil {
		a.noteOpened()
		return a.open(t, in)
	}
	if in.Server != "" || in.URL != "" || len(in.Command) > 0 {
		return statusOutput{}, errShared
	}
	c, err := a.find(sharedName)
	if err != nil {
		return statusOutput{}, err
	}
	return statusOf(c), nil
}

// open opens a connection and connects it.
func (a *agent) open(ctx context.Context, in connectInput) (out statusOutput, err error) {
	target, name, err := a.target(in)
	if err != nil {
		return out, err
	}
	s, err := a.options.Open(target, in.Protocol)
	if err != nil {
		return out, err
	}
	c := &connection{name: cmp.Or(in.Name, name), target: target, s: s}
	connect := func(ctx context.Context) { _ = s.Connect(ctx) } // the status contains a failure, with its cause and what to try
	if a.options.Watch != nil && name == defaultName {
		if connect, err = a.watch(c); err != nil {
			c.close()
			return out, err
		}
	}
	if err := a.add(c); err != nil {
		c.close()
		return out, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait(in.TimeoutMS, 30*time.Second))
	defer cancel()
	if connect(ctx); s.State().Phase != session.Ready {
		_ = s.AwaitSaved(ctx) // the status has the outcome
	}
	if s.State().Phase == session.Ready {
		c.loadLists(ctx)
	}
	if out = statusOf(c); s.State().Phase == session.Failed {
		return out, errFailed
	}
	return out, nil
}

// listsTimeout bounds the time in which connect loads the lists. A server that needs longer is connected all the same.
const listsTimeout = 3 * time.Second

// loadLists loads the lists that the server offers, so that results can be checked by their schemas. The status has the
// number of entries of each.
func (c *connection) loadLists(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listsTimeout)
	defer cancel()
	for _, kind := range client.ListKinds {
		_, _ = c.list(ctx, kind) // a list that fails has its error in the tool list
	}
}

// watch restarts the server of a connection after each save of its files. connect starts that, and returns after the
// first attempt to connect.
func (a *agent) watch(c *connection) (connect func(context.Context), err error) {
	run, stop, err := a.options.Watch(c.s)
	if err != nil {
		return nil, err
	}
	following, end := context.WithCancel(context.Background())
	connected := make(chan struct{})
	var loop sync.WaitGroup
	c.unwatch = func() {
		end()
		loop.Wait()
		stop()
	}
	return func(ctx context.Context) {
		loop.Go(func() { run(following, func() { close(connected) }) })
		select {
		case <-connected:
		case <-ctx.Done():
		}
	}, nil
}

// target returns what a caller has named, and a name for the connection.
func (a *agent) target(in connectInput) (t client.Target, name string, err error) {
	given := 0
	for _, set := range []bool{in.Server != "", in.URL != "", len(in.Command) > 0} {
		if set {
			given++
		}
	}
	switch {
	case given > 1:
		return t, "", errors.New("server, url and command exclude each other")
	case (given == 0 || in.Server == defaultName) && a.options.Given != nil:
		return *a.options.Given, defaultName, nil
	case given == 0:
		return t, "", errors.New("name a server, a url or a command; mcptea mcp was started without a target")
	case in.Server != "":
		t, err = a.options.Resolve(in.Server)
		return t, in.Server, err
	case in.URL != "":
		t = client.Target{URL: in.URL}
	case !a.options.AllowCommands:
		return t, "", errors.New("commands may not be started: start mcptea mcp with --allow-commands, or with the command as its target")
	default:
		t = client.Target{Argv: in.Command, Dir: in.Cwd, Env: in.Env}
	}
	t, err = a.options.Complete(t)
	return t, "server", err
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

type statusOutput struct {
	Connections []connectionStatus `json:"connections"`
}

// connectionStatus is the state of a connection. Members that begin with server_ hold
// text of the server.
type connectionStatus struct {
	Name      string   `json:"name"`
	State     string   `json:"state" jsonschema:"connecting, ready, failed, ended or recording"`
	Target    string   `json:"target"`
	Entry     string   `json:"configured_in,omitempty"`
	Transport string   `json:"transport,omitempty"`
	Revision  string   `json:"protocol_version,omitempty"`
	Server    string   `json:"server_name,omitempty"`
	Offers    []string `json:"server_capabilities,omitempty"`
	TookMS    int64    `json:"took_ms,omitempty"`

	Failure  string   `json:"failure,omitempty" jsonschema:"why it does not connect"`
	Recorded string   `json:"server_failure,omitempty" jsonschema:"the same, as a recording has it"`
	Cause    string   `json:"cause,omitempty"`
	Strength string   `json:"cause_strength,omitempty" jsonschema:"how the cause is known: proves, reports or hints"`
	Try      string   `json:"try,omitempty"`
	Evidence []string `json:"server_evidence,omitempty"`
	Process  string   `json:"process,omitempty"`
	Stderr   []string `json:"server_stderr,omitempty" jsonschema:"the last lines"`

	Frames   int    `json:"frames"`
	Errors   int    `json:"errors"`
	Findings string `json:"findings,omitempty" jsonschema:"number by severity; the tool findings has them"`
	Pending  int    `json:"pending" jsonschema:"requests without a response"`
	Waiting  int    `json:"waiting" jsonschema:"requests of the server that wait for the tool answer"`
}

func statusOf(all ...*connection) statusOutput {
	out := statusOutput{Connections: []connectionStatus{}}
	for _, c := range all {
		out.Connections = append(out.Connections, c.status())
	}
	return out
}

func (a *agent) status(t turn, in Which) (statusOutput, error) {
	a.connectGiven(t, in.Connection)
	if in.Connection != "" {
		c, err := a.find(in.Connection)
		if err != nil {
			return statusOutput{}, err
		}
		return statusOf(c), nil
	}
	a.mu.Lock()
	var all []*connection
	for _, name := range a.names() {
		all = append(all, a.connections[name])
	}
	a.mu.Unlock()
	return statusOf(all...), nil
}

// stderrLines bounds the lines of stderr in a status; it has the last ones.
const stderrLines = 10

func (c *connection) status() connectionStatus {
	st := c.s.State()
	counts := c.s.Store().Snapshot()
	out := connectionStatus{
		Name: c.name, State: cmp.Or(phases[st.Phase], "connecting"), Target: c.target.String(), Transport: st.Transport,
		Revision: string(st.Handshake.Revision), Server: clip(st.Handshake.Server.String(), 200), TookMS: st.Took.Milliseconds(),
		Frames: counts.Frames(), Errors: counts.Errors, Pending: counts.Pending, Findings: c.severities(),
	}
	if c.recording != "" {
		out.Target, out.State = c.recording, "recording"
	}
	if e := c.s.Target().Entry; e != nil {
		out.Entry = clip(failure.EntryText(*e, ""), 400)
	}
	for _, kind := range client.ListKinds {
		if l := st.Lists[kind.Name]; l.Offered {
			text := kind.Name
			if !l.Loaded.IsZero() {
				text = fmt.Sprintf("%d %s", len(l.Items), kind.Name)
			}
			out.Offers = append(out.Offers, text)
		}
	}
	for _, n := range c.s.Inbox().Waiting() {
		out.Waiting += n
	}
	out.Waiting = max(out.Waiting, len(c.waiting()))
	if p := st.Process; p.PID != 0 {
		out.Process = fmt.Sprintf("pid %d, running", p.PID)
		if !p.Exited.IsZero() {
			out.Process = fmt.Sprintf("exited with code %d", p.ExitCode)
			switch {
			case p.Signal != "" && c.recording != "":
				out.Process = "ended by a signal" // a process name from a recording is not used
			case p.Signal != "":
				out.Process = "ended by " + p.Signal
			}
		}
	}
	if why := c.s.BuildFailure(); why != "" {
		out.Failure = clip("the build has failed: "+why, 400)
	} else if st.Err != nil && (st.Phase == session.Failed || st.Phase == session.Ended) {
		e := failure.Explain(st.Err, failure.FactsOf(c.s))
		out.Failure, out.Cause, out.Strength, out.Try = e.Sentence, e.Cause(), e.Strength(), e.Try()
		if c.recording != "" {
			out.Failure, out.Recorded = "", clip(e.Sentence, 400)
		}
		for _, l := range e.Evidence {
			out.Evidence = append(out.Evidence, clip(string(l.Kind)+": "+l.Text, 400))
		}
	}
	out.Stderr = c.stderr(stderrLines)
	return out
}

// phases are the states of a connection to a server; others are connecting.
var phases = map[session.Phase]string{session.Ready: "ready", session.Failed: "failed", session.Ended: "ended"}
