package client

import (
	"errors"
	"slices"
	"sync"
	"time"
)

// Step is one line of the checklist of connecting. It is reported each time its
// state changes; reports of one step have the same Index.
type Step struct {
	Index  int
	Name   string
	Detail string // its result, or what it waits for
	State  StepState
	Start  time.Time
	Took   time.Duration // once it is done or has failed
	// Deadline is when a running step times out.
	Deadline time.Time
}

// StepState is the state of a step.
type StepState uint8

// The states.
const (
	StepWaiting StepState = iota // not begun
	StepRunning
	StepDone
	StepFailed
)

var stepStates = [...]string{"waiting", "running", "done", "failed"}

// String names the state, as in recordings.
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
	StepStream      = "open event stream" // HTTP+SSE only
	StepInitialize  = "send initialize"
	StepResponse    = "response"
	StepInitialized = "send initialized"
)

// The names of the steps without a handshake, around StepResponse.
const (
	StepDiscover = "send server/discover"
	StepReady    = "ready"
)

var (
	stepsOfOpening   = []string{StepFind, StepStart}
	stepsOfProbe     = []string{StepDiscover, StepResponse}
	stepsOfHandshake = []string{StepInitialize, StepResponse, StepInitialized}
	stepsOfDiscovery = []string{StepDiscover, StepResponse, StepReady}
)

// checklist reports the steps of connecting. It may be used from several
// goroutines: the response to the probe may still be waited for while another
// request is under way.
type checklist struct {
	tap Tap

	mu    sync.Mutex
	steps []Step
	epoch int // number of the action; reports of earlier ones are ignored
}

// plan replaces the steps that were not begun.
func (l *checklist) plan(names ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.steps = slices.DeleteFunc(l.steps, func(s Step) bool { return s.State == StepWaiting })
	for _, name := range names {
		s := Step{Index: len(l.steps), Name: name}
		l.steps = append(l.steps, s)
		l.tap.Step(s)
	}
}

// find returns the newest step of a name, nil if there is none. The caller holds
// the lock.
func (l *checklist) find(name string) *Step {
	for i := range slices.Backward(l.steps) {
		if l.steps[i].Name == name {
			return &l.steps[i]
		}
	}
	return nil
}

// running returns the step that is running, nil if there is none.
func (l *checklist) running() *Step {
	for i := range l.steps {
		if l.steps[i].State == StepRunning {
			return &l.steps[i]
		}
	}
	return nil
}

func (l *checklist) begin(name, detail string, timeout time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.set(name, detail, timeout)
}

// set begins a step. The caller holds the lock, as for find and running.
func (l *checklist) set(name, detail string, timeout time.Duration) {
	s := l.find(name)
	if s == nil {
		return // a step that this transport does not have
	}
	s.State, s.Start, s.Detail = StepRunning, time.Now(), detail
	if timeout > 0 {
		s.Deadline = s.Start.Add(timeout)
	}
	l.tap.Step(*s)
}

// extend moves the deadline of the running step.
func (l *checklist) extend(by time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.running(); s != nil && !s.Deadline.IsZero() {
		s.Deadline = s.Deadline.Add(by)
		l.tap.Step(*s)
	}
}

// end ends a step if it is running, and returns its name; an empty name stands
// for the step that is running.
func (l *checklist) end(name string, state StepState, detail string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.conclude(name, state, detail)
}

func (l *checklist) conclude(name string, state StepState, detail string) string {
	s := l.running()
	if name != "" {
		s = l.find(name)
	}
	if s == nil || s.State != StepRunning {
		return ""
	}
	s.State, s.Detail, s.Took = state, detail, time.Since(s.Start)
	l.tap.Step(*s)
	return s.Name
}

func (l *checklist) finish(name, detail string) { l.end(name, StepDone, detail) }

// stop marks the running step as failed and returns its name.
func (l *checklist) stop(err error) string { return l.end("", StepFailed, err.Error()) }

// reset makes the running steps waiting ones.
func (l *checklist) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for s := l.running(); s != nil; s = l.running() {
		s.State = StepWaiting
		l.tap.Step(*s)
	}
}

// reopen makes a finished step the running one, from now on.
func (l *checklist) reopen(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.find(name); s != nil && s.State == StepDone {
		s.State, s.Start = StepRunning, time.Now()
	}
}

// next begins another action. The callbacks that onSent returned before have no
// effect any more.
func (l *checklist) next() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.epoch++
}

// onSent returns what to call when the request of the current action is sent.
func (l *checklist) onSent(step, detail string, timeout time.Duration) func() {
	l.mu.Lock()
	epoch := l.epoch
	l.mu.Unlock()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.epoch == epoch {
			l.conclude(step, StepDone, detail)
			l.set(StepResponse, "", timeout)
		}
	}
}

// fail marks the running step and wraps the error.
func (l *checklist) fail(err error) error {
	var both *FallbackError
	if errors.As(err, &both) {
		return &ConnectError{Step: l.stop(both.SSE), Err: err} // the failure of Streamable HTTP has its own step
	}
	return &ConnectError{Step: l.stop(err), Err: err}
}
