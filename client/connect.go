package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client/transport/httpsse"
	"mcptea/client/transport/stdio"
)

// Step is one line of the checklist that connecting goes through. It is
// reported each time its state changes; reports of one step share the Index.
type Step struct {
	Index  int
	Name   string
	Detail string // what came of it, or what it waits for
	State  StepState
	Start  time.Time
	Took   time.Duration // when it is done or has failed
	// Deadline is when a running step gives up.
	Deadline time.Time
}

// StepState says how far a step is.
type StepState uint8

// The states.
const (
	StepWaiting StepState = iota // not reached yet
	StepRunning
	StepDone
	StepFailed
)

var stepStates = [...]string{"waiting", "running", "done", "failed"}

// String names the state as recordings do.
func (s StepState) String() string {
	if int(s) < len(stepStates) {
		return stepStates[s]
	}
	return "unknown"
}

// The names of the steps, in their order.
const (
	StepFind        = "find command"
	StepStart       = "start process"
	StepStream      = "open event stream" // HTTP+SSE alone
	StepInitialize  = "send initialize"
	StepResponse    = "answer"
	StepInitialized = "send initialized"
)

// The names of the steps where there is no handshake, around StepResponse.
const (
	StepDiscover = "send server/discover"
	StepReady    = "ready"
)

var (
	stepsOfProbe     = []string{StepDiscover, StepResponse}
	stepsOfHandshake = []string{StepInitialize, StepResponse, StepInitialized}
	stepsOfDiscovery = []string{StepDiscover, StepResponse, StepReady}
)

// checklist reports the steps of one attempt to connect.
type checklist struct {
	tap   Tap
	steps []Step
}

func newChecklist(tap Tap, names ...string) *checklist {
	l := &checklist{tap: tap}
	for i, name := range names {
		l.steps = append(l.steps, Step{Index: i, Name: name})
		tap.Step(l.steps[i])
	}
	return l
}

// replan puts other steps in place of those that were not reached.
func (l *checklist) replan(names ...string) {
	l.steps = slices.DeleteFunc(l.steps, func(s Step) bool { return s.State == StepWaiting })
	for _, name := range names {
		s := Step{Index: len(l.steps), Name: name}
		l.steps = append(l.steps, s)
		l.tap.Step(s)
	}
}

// find returns the newest step of a name.
func (l *checklist) find(name string) *Step {
	for i := range slices.Backward(l.steps) {
		if l.steps[i].Name == name {
			return &l.steps[i]
		}
	}
	return &Step{Name: name} // a step that this transport does not have
}

func (l *checklist) begin(name, detail string, within time.Duration) {
	s := l.find(name)
	s.State, s.Start, s.Detail = StepRunning, time.Now(), detail
	if within > 0 {
		s.Deadline = s.Start.Add(within)
	}
	l.tap.Step(*s)
}

func (l *checklist) finish(name, detail string) {
	s := l.find(name)
	if s.State != StepRunning {
		return
	}
	s.State, s.Detail, s.Took = StepDone, detail, time.Since(s.Start)
	l.tap.Step(*s)
}

// reopen makes a step that is done the one that runs, from now on.
func (l *checklist) reopen(name string) {
	if s := l.find(name); s.State == StepDone {
		s.State, s.Start = StepRunning, time.Now()
	}
}

// running returns the step that is running, nil when none is.
func (l *checklist) running() *Step {
	for i := range l.steps {
		if l.steps[i].State == StepRunning {
			return &l.steps[i]
		}
	}
	return nil
}

// stop marks the step that is running as failed and returns its name.
func (l *checklist) stop(err error) string {
	s := l.running()
	if s == nil {
		return ""
	}
	s.State, s.Detail, s.Took = StepFailed, err.Error(), time.Since(s.Start)
	l.tap.Step(*s)
	return s.Name
}

// fail marks the step that is running and wraps the error.
func (l *checklist) fail(err error) error {
	var both *FallbackError
	if errors.As(err, &both) {
		return &ConnectError{Step: l.stop(both.SSE), Err: err} // the other one has its step already
	}
	return &ConnectError{Step: l.stop(err), Err: err}
}

// Connect starts the transport and finds out of which era the server is, by
// asking it or as [Config] says; then it does the handshake, if there is one.
// Each step is reported to the tap. The error is a *ConnectError; the client
// must be closed all the same.
func (c *Client) Connect(ctx context.Context) error {
	names := stepsOfHandshake
	switch {
	case c.speaksModern():
		names = stepsOfDiscovery
	case c.probes():
		names = stepsOfProbe
	}
	switch {
	case c.target.IsStdio():
		names = slices.Concat([]string{StepFind, StepStart}, names)
	case c.target.Transport == TransportSSE:
		names = slices.Concat([]string{StepStream}, names)
	}
	list := newChecklist(c.tap, names...)
	if err := c.open(ctx, list); err != nil {
		return list.fail(err)
	}
	c.start(c.sendReplies)
	err := c.agree(ctx, list)
	if e, ok := c.transport().(*autoTransport); ok && mayBeSSE(err, list) {
		err = c.fallBack(ctx, list, e, err)
	}
	if err != nil {
		return list.fail(err)
	}
	c.listen(ctx)
	c.mu.Lock()
	c.list = list
	c.mu.Unlock()
	return nil
}

// listenTimeout is how long the first request may be held back for the stream
// on which the server asks. Servers that have something to ask for it, and no
// stream yet, drop what they ask.
const listenTimeout = 200 * time.Millisecond

// listen opens the stream on which the server speaks unasked.
func (c *Client) listen(ctx context.Context) {
	settled := c.transport().Listen()
	if settled == nil {
		return
	}
	timer := time.NewTimer(listenTimeout)
	defer timer.Stop()
	select {
	case <-settled:
	case <-timer.C:
	case <-ctx.Done():
	case <-c.quit:
	}
}

func (c *Client) open(ctx context.Context, list *checklist) error {
	if c.target.IsStdio() {
		command := c.target.Argv[0]
		list.begin(StepFind, command, 0)
		path, err := stdio.Resolve(command, c.target.Env, c.target.Dir)
		if err != nil {
			return err
		}
		detail := path
		if path != command {
			detail = command + " → " + path
		}
		list.finish(StepFind, detail)
		list.begin(StepStart, c.target.String(), 0)
	}
	if t, ok := c.transport().(*httpsse.Transport); ok {
		return c.openStream(ctx, list, func(ctx context.Context) (string, error) {
			err := t.Open(ctx, wire{c})
			return t.Endpoint(), err
		})
	}
	if err := c.transport().Open(ctx, wire{c}); err != nil {
		return err
	}
	if c.target.IsStdio() {
		detail := "started"
		if p, ok := c.transport().(*stdio.Transport); ok {
			detail = fmt.Sprintf("pid %d", p.PID())
		}
		if c.target.Dir != "" {
			detail += "   cwd " + c.target.Dir
		}
		list.finish(StepStart, detail)
	}
	return nil
}
