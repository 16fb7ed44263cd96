package client

import (
	"errors"
	"time"

	"mcptea/client/secret"
	"mcptea/client/step"
	mcphttp "mcptea/client/transport/http"
)

// Step is one line of the checklist of connecting.
type Step = step.Step

// StepState is the state of a step.
type StepState = step.State

// The states of a step.
const (
	StepWaiting = step.Waiting
	StepRunning = step.Running
	StepDone    = step.Done
	StepFailed  = step.Failed
)

// The names of the steps, in order.
const (
	StepFind        = "find command"
	StepStart       = "start process"
	StepTLS         = "TLS handshake"     // https only
	StepStream      = "open event stream" // HTTP+SSE only
	StepInitialize  = "send initialize"
	StepResponse    = "response"
	StepInitialized = "send initialized"
)

// The names of the steps without a handshake. StepResponse is between them.
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

// checklist is the list of the steps of connecting.
type checklist struct {
	*step.List
	secrets *secret.Values
}

func newChecklist(tap Tap, secrets *secret.Values) *checklist {
	return &checklist{step.NewList(0, func(s Step) {
		tap.Step(s.Redacted(secrets))
	}), secrets}
}

// onSent returns the function to call when the request of a step is sent. waits is the detail of
// the next step, the wait for the response.
func (l *checklist) onSent(name, detail, waits string, timeout time.Duration) func() {
	return func() {
		l.End(name, StepDone, detail)
		l.Begin(StepResponse, waits, timeout)
	}
}

// stop marks the running step as failed and returns its name.
func (l *checklist) stop(err error) string { return l.End("", StepFailed, err.Error()) }

// fail marks the running step and wraps the error. A request whose connection failed in the TLS
// handshake was not sent.
func (l *checklist) fail(err error) error {
	if f, ok := mcphttp.TLSFailureOf(err); ok && f.During {
		took := time.Duration(0)
		if f.TLS != nil {
			took = f.TLS.Took
		}
		if l.Past(StepTLS, StepFailed, err.Error(), took) {
			return &ConnectError{Step: StepTLS, Err: l.secrets.Error(err)}
		}
	}
	var both *FallbackError
	if errors.As(err, &both) {
		return &ConnectError{Step: l.stop(both.SSE), Err: l.secrets.Error(err)} // the failure of Streamable HTTP has its own step
	}
	return &ConnectError{Step: l.stop(err), Err: l.secrets.Error(err)}
}
