package client

import (
	"context"
	"fmt"
	"time"

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
	StepInitialize  = "send initialize"
	StepAnswer      = "answer"
	StepInitialized = "send initialized"
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

func (l *checklist) find(name string) *Step {
	for i := range l.steps {
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

// fail marks the step that is running and wraps the error.
func (l *checklist) fail(err error) error {
	for i := range l.steps {
		s := &l.steps[i]
		if s.State == StepRunning {
			s.State, s.Detail, s.Took = StepFailed, err.Error(), time.Since(s.Start)
			l.tap.Step(*s)
			return &ConnectError{Step: s.Name, Err: err}
		}
	}
	return &ConnectError{Err: err}
}

// Connect starts the transport and does the handshake. Each step is reported
// to the tap. The error is a *ConnectError; the client must be closed all the
// same.
func (c *Client) Connect(ctx context.Context) error {
	names := []string{StepInitialize, StepAnswer, StepInitialized}
	if c.target.IsStdio() {
		names = append([]string{StepFind, StepStart}, names...)
	}
	list := newChecklist(c.tap, names...)
	if err := c.open(ctx, list); err != nil {
		return list.fail(err)
	}
	c.wg.Go(c.answerAll)
	if err := c.shakeHands(ctx, list); err != nil {
		return list.fail(err)
	}
	c.t.Listen()
	return nil
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
	if err := c.t.Open(ctx, wire{c}); err != nil {
		return err
	}
	if c.target.IsStdio() {
		detail := "started"
		if p, ok := c.t.(*stdio.Transport); ok {
			detail = fmt.Sprintf("pid %d", p.PID())
		}
		if c.target.Dir != "" {
			detail += "   cwd " + c.target.Dir
		}
		list.finish(StepStart, detail)
	}
	return nil
}
