package apps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// deliver sends the input and, once it is there, the result of the call to an app that is
// initialized, each once.
func (a *App) deliver() {
	a.mu.Lock()
	ready := a.state.Phase == Ready
	input := ready && !a.input
	a.input = a.input || input
	finish := ready && !a.finished && !a.state.Held && a.state.Outcome
	a.finished = a.finished || finish
	a.mu.Unlock()
	if input {
		a.notification(methodInput, a.arguments())
	}
	if finish {
		a.sendResult()
	}
}

const (
	methodInput     = "ui/notifications/tool-input"
	methodPartial   = "ui/notifications/tool-input-partial"
	methodResult    = "ui/notifications/tool-result"
	methodCancelled = "ui/notifications/tool-cancelled"
	methodTeardown  = "ui/resource-teardown"
)

func (a *App) arguments() any { return map[string]any{"arguments": raw(a.args)} }

// sendResult sends the result as the server has sent it, or why it is missing.
func (a *App) sendResult() {
	a.mu.Lock()
	result, failure := a.result, a.failure
	a.mu.Unlock()
	if result == nil {
		a.notification(methodCancelled, map[string]string{"reason": failure})
		return
	}
	a.send(jsonrpc.EncodeNotification(methodResult, result))
}

func (a *App) notification(method string, params any) {
	a.send(jsonrpc.EncodeNotification(method, client.Params(params)))
}

// A Kind is a message that the host can send on purpose, to test how an app reacts.
type Kind string

// The values of [Kind].
const (
	SendInput     Kind = "tool-input"         // repeats the arguments
	SendPartial   Kind = "tool-input-partial" // sends the first half of the arguments
	SendResult    Kind = "tool-result"        // repeats the result, or sends the result that was held back
	SendCancelled Kind = "tool-cancelled"
	SendTeardown  Kind = "teardown" // sends ui/resource-teardown, and closes the app
	SendPing      Kind = "ping"
	SendTools     Kind = "tools/list" // the tools that the app offers
)

// Kinds returns all kinds. The caller owns the slice.
func Kinds() []Kind {
	return []Kind{SendInput, SendPartial, SendResult, SendCancelled, SendTeardown, SendPing, SendTools}
}

var (
	errNotReady = errors.New("the app is not initialized")
	errNoResult = errors.New("the tool call has no result yet")
)

// Send sends something on purpose, whatever the app was sent before. It does not wait for a
// response.
func (a *App) Send(k Kind) error {
	a.mu.Lock()
	ready, outcome := a.state.Phase == Ready, a.state.Outcome
	a.mu.Unlock()
	switch {
	case !ready:
		return errNotReady
	case k == SendResult && !outcome:
		return errNoResult
	}
	switch k {
	case SendInput:
		a.notification(methodInput, a.arguments())
	case SendPartial:
		a.notification(methodPartial, map[string]any{"arguments": raw(firstHalf(a.args))})
	case SendResult:
		a.mu.Lock()
		a.state.Held, a.finished = false, true
		a.mu.Unlock()
		a.sendResult()
	case SendCancelled:
		a.mu.Lock()
		a.finished = true
		a.mu.Unlock()
		a.notification(methodCancelled, map[string]string{"reason": "cancelled by the user of mcptea"})
	case SendTeardown:
		go a.shut(closedHere, true)
	case SendPing, SendTools:
		a.request(string(k), nil)
	}
	a.notify()
	return nil
}

// firstHalf returns an object with the first half of the members.
func firstHalf(object []byte) []byte {
	half, n := []byte{'{'}, jsonrpc.Count(object)/2
	for name, value := range jsonrpc.Members(object) {
		if n--; n < 0 {
			break
		}
		half = jsonrpc.AppendMember(half, string(name), value)
	}
	return append(half, '}')
}

// SendFrame sends arbitrary bytes to an initialized app, as one message. Invalid JSON is recorded but does not
// reach the app.
func (a *App) SendFrame(frame []byte) error {
	if a.State().Phase != Ready {
		return errNotReady
	}
	a.sendAs(transport.Injected, slices.Clone(frame))
	a.notify()
	return nil
}

// request is a request of the host without a response yet.
type request struct {
	id      jsonrpc.ID
	outcome chan outcome // gets one, and has a slot for it
}

// An outcome is a response, or the reason why it is missing. The error may come from an error response.
type outcome struct {
	response client.Response
	err      error
}

// errForgotten is the error of a request to an app that responds to nothing.
var errForgotten = fmt.Errorf("the app has not responded to %d requests after this one either", maxPending)

// request sends a request to the app. Its outcome is set by the response, by the end of the app,
// or when the app has not responded to maxPending later ones either.
func (a *App) request(method string, params []byte) request {
	r := request{outcome: make(chan outcome, 1)}
	a.mu.Lock()
	if a.state.Phase == Closed {
		r.outcome <- outcome{err: errors.New("the app is closed: " + a.state.Why)}
		a.mu.Unlock()
		return r
	}
	a.lastID++
	r.id = jsonrpc.IntID(a.lastID)
	if len(a.asked) >= maxPending {
		a.asked[0].outcome <- outcome{err: errForgotten}
		a.asked = slices.Delete(a.asked, 0, 1)
	}
	a.asked = append(a.asked, r)
	a.mu.Unlock()
	a.send(jsonrpc.EncodeRequest(r.id, method, params))
	return r
}

// takeAsked returns the request of the host with an id, and forgets it: the caller sets its outcome.
func (a *App) takeAsked(id jsonrpc.ID) (r request, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.asked, func(r request) bool { return r.id.Same(id) })
	if i < 0 {
		return r, false
	}
	r = a.asked[i]
	a.asked = slices.Delete(a.asked, i, i+1)
	return r, true
}

// Ask sends a request to the app and waits for the response.
func (a *App) Ask(ctx context.Context, method string, params []byte) (client.Response, error) {
	r := a.request(method, params)
	select {
	case o := <-r.outcome:
		return o.response, o.err
	case <-ctx.Done():
		a.takeAsked(r.id)
		return client.Response{}, context.Cause(ctx)
	}
}

// errNoTeardown is the error if an app does not respond to ui/resource-teardown.
var errNoTeardown = errors.New("no response to ui/resource-teardown within " + teardownTimeout.String())

// Teardown sends ui/resource-teardown and waits up to a second for the response (MCP Apps 2026-01-26, cleanup).
// It does nothing if the app is not initialized, or has been torn down already.
func (a *App) Teardown(ctx context.Context) error {
	if st := a.State(); st.Phase != Ready || !st.TornDown.IsZero() {
		return st.TeardownError
	}
	ctx, stop := context.WithTimeoutCause(ctx, teardownTimeout, errNoTeardown)
	defer stop()
	_, err := a.Ask(ctx, methodTeardown, client.Params(map[string]string{"reason": "the host closes the app"}))
	a.mu.Lock()
	a.state.TornDown, a.state.TeardownError = time.Now(), err
	a.mu.Unlock()
	return err
}
