package agent

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/session/session"
)

type connectInput struct {
	Server    string   `json:"server,omitempty" jsonschema:"name of a configured server, or default for the server of the command line"`
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

// listsTimeout bounds the time in which connect loads the lists. If a server needs longer, it is
// connected without them.
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

// target returns the server that a caller has named, and a name for the connection.
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
