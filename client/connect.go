package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"mcptea/client/negotiate"
	"mcptea/client/revision"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/words/phrase"
)

// Connect opens the transport, unless [Client.Open] has, and negotiates as package
// negotiate and [Config] say. Each step is reported to the tap. The error is a *[ConnectError]; the
// client must be closed all the same.
func (c *Client) Connect(ctx context.Context) error {
	list := newChecklist(c.tap, c.secrets)
	n := &negotiation{Client: c, list: list}
	c.update(func(s *state) { s.steps = list })
	var first negotiate.Action
	c.update(func(s *state) {
		s.machine = c.newMachine()
		first = s.machine.Start()
	})
	steps := n.stepsOf(first)
	opened := read(c, func(s *state) bool { return s.opened })
	switch {
	case opened:
	case c.target.IsStdio():
		steps = slices.Concat(stepsOfOpening, steps)
	case strings.HasPrefix(c.target.URL, "https:"):
		steps = slices.Concat([]string{StepTLS}, steps)
	}
	list.Plan(steps...)
	if !opened {
		if first.Kind != negotiate.OpenStream {
			if err := c.open(ctx, list); err != nil {
				return list.fail(err)
			}
		}
		c.start(c.sendReplies)
	}
	if err := n.run(ctx, first); err != nil {
		return list.fail(err)
	}
	c.listen(ctx)
	c.update(func(s *state) { s.list = list })
	return nil
}

// EraDetection is the era of a server and how it was detected.
type EraDetection = negotiate.Detection

// How an era was detected; see [EraDetection].
const (
	EraPinned     = negotiate.Pinned
	EraProbed     = negotiate.Probed
	EraRemembered = negotiate.Remembered
	EraCorrected  = negotiate.Corrected
)

// EraDetection returns the current knowledge of the server's era. The caller owns it.
func (c *Client) EraDetection() EraDetection {
	d := read(c, func(s *state) EraDetection { return s.machine.Detection() })
	for i := range d.Evidence { // the evidence repeats messages of the server
		d.Evidence[i] = c.secrets.Redact(d.Evidence[i])
	}
	return d
}

// newMachine returns the machine that negotiates for the client.
func (c *Client) newMachine() *negotiate.Machine {
	cfg := negotiate.Config{
		Pinned: c.cfg.Revision, Remembered: c.cfg.Era, Lenient: c.cfg.Lenient, Backoff: c.backoff,
		CanRestart: c.redial != nil && c.target.IsStdio(), Capabilities: c.statelessCapabilities(),
	}
	if pinned, offer := c.cfg.As.Negotiates(); cfg.Pinned == "" {
		cfg.Pinned, cfg.Offer = pinned, offer
	}
	switch {
	case c.target.URL == "":
	case c.target.Transport == TransportSSE:
		cfg.Transport = negotiate.SSE
	case c.target.Transport == TransportHTTP:
		cfg.Transport = negotiate.HTTP
	default:
		cfg.Transport = negotiate.AnyHTTP
	}
	return negotiate.New(cfg)
}

// next reports an event to the machine.
func (c *Client) next(e negotiate.Event) (a negotiate.Action) {
	c.update(func(s *state) { a = s.machine.Next(e) })
	return a
}

// negotiation executes the actions of the machine, one after the other.
type negotiation struct {
	*Client
	list   *checklist
	probes int // probes sent one after the other because an HTTP status called for another
}

// run executes actions until the client is connected or there is nothing more
// to try.
func (n *negotiation) run(ctx context.Context, a negotiate.Action) error {
	for {
		n.report(a)
		switch a.Kind {
		case negotiate.Fail:
			return a.Err
		case negotiate.Ready:
			return n.ready(a)
		}
		a = n.Client.next(n.execute(ctx, a))
	}
}

func (n *negotiation) execute(ctx context.Context, a negotiate.Action) negotiate.Event {
	if a.Restart {
		if err := n.restart(ctx); err != nil {
			return negotiate.Event{Kind: negotiate.Canceled, Err: err}
		}
	}
	if a.Wait > 0 {
		if err := n.sleep(ctx, a.Wait); err != nil {
			return negotiate.Event{Kind: negotiate.Canceled, Err: err}
		}
	}
	switch a.Kind {
	case negotiate.SendDiscover:
		if a.Probe {
			n.setEra(false)
			if !a.Retry {
				n.probes = 0
			}
			n.probes++
			return n.probe(ctx)
		}
		n.setEra(true)
		return n.discover(ctx, n.NextID(), n.cfg.ConnectTimeout)
	case negotiate.SendToolsList:
		return n.listTools(ctx)
	case negotiate.SendInitialize:
		n.setEra(false)
		return n.initialize(ctx, a.Offer)
	case negotiate.SendInitialized:
		return n.initialized(ctx, a.Outcome)
	case negotiate.OpenStream:
		return n.openStream(ctx)
	}
	return negotiate.Event{Kind: negotiate.Canceled, Err: fmt.Errorf("unknown action %s", a.Kind)}
}

// report ends the step before an action and plans the steps that follow.
func (n *negotiation) report(a negotiate.Action) {
	steps := n.stepsOf(a)
	switch {
	case a.Retry:
		n.list.Reset()
		detail := a.Reason + "; retrying"
		if a.Wait > 0 {
			detail += " in " + phrase.Duration(a.Wait)
		}
		n.list.Begin(steps[0], detail, a.Wait)
	case a.Cause != nil:
		n.list.stop(a.Cause)
		if a.Restart {
			steps = slices.Concat(stepsOfOpening, steps)
		}
		n.list.Plan(steps...)
	case a.Reason != "" && a.Kind != negotiate.SendToolsList:
		n.list.EndAbsent(a.Reason)
		n.list.Plan(steps...)
	}
}

// stepsOf returns the steps of an action and of the actions that are expected to follow.
func (n *negotiation) stepsOf(a negotiate.Action) []string {
	switch {
	case a.Kind == negotiate.SendDiscover && a.Probe:
		return stepsOfProbe
	case a.Kind == negotiate.SendDiscover:
		return stepsOfDiscovery
	case a.Kind == negotiate.OpenStream && n.cfg.Revision.IsStateless():
		return slices.Concat([]string{StepStream}, stepsOfDiscovery)
	case a.Kind == negotiate.OpenStream:
		return slices.Concat([]string{StepStream}, stepsOfHandshake)
	case a.Kind == negotiate.SendInitialize:
		return stepsOfHandshake
	}
	return nil
}

// setEra sets the era of all later requests and headers. It forgets the frames that arrived instead of an
// earlier response.
func (n *negotiation) setEra(stateless bool) {
	version := ""
	if stateless {
		version = string(revision.NewestStateless)
	}
	n.update(func(s *state) { s.stateless, s.unexpected, s.garbled = stateless, nil, false })
	n.transport().Negotiated(version)
}

// ready applies the outcome of a negotiation.
func (n *negotiation) ready(a negotiate.Action) error {
	switch {
	case a.Outcome.Resumed:
		n.setEra(true)
		n.update(func(s *state) { s.connected = true })
		return a.Cause
	case !a.Outcome.Revision.IsStateless():
		n.list.End(StepInitialized, StepDone, "ready")
		return nil
	}
	h := n.handshakeOf(a.Outcome)
	n.setEra(true)
	n.list.End(StepResponse, StepDone, fmt.Sprintf("%s, protocol version %s", h.Server, h.Revision))
	n.update(func(s *state) { s.handshake, s.connected = h, true })
	n.list.Plan(StepReady)
	n.list.Begin(StepReady, "", 0)
	n.list.End(StepReady, StepDone, "no handshake: each request stands alone")
	return nil
}

// event describes the outcome of a request while connecting.
func (c *Client) event(r Response, err error, accepted bool) negotiate.Event {
	status := read(c, func(s *state) transport.Exchange { return s.status })
	e := negotiate.Event{Frame: r.Frame, Envelope: r.Envelope, Status: status.Status, Accepted: accepted, Err: c.withUnexpected(err)}
	var refused *transport.StatusError
	var timeout *TimeoutError
	var closed *ClosedError
	var invalid *InvalidResponseError
	var instead *NoResponseError
	if status.Status != 0 && status.Status != http.StatusOK {
		e.HTTP = &transport.StatusError{
			Method: status.Method, URL: status.URL, Status: status.Status, Header: status.ResponseHeader, Body: head(r.Frame, 4<<10),
		}
		e.RetryAfter = retryAfter(status.ResponseHeader)
	}
	switch {
	case err == nil:
		e.Kind = negotiate.Response
	case errors.Is(err, ErrClosed), errors.Is(err, context.Canceled):
		e.Kind = negotiate.Canceled
	case errors.As(err, &refused):
		e.Kind, e.RetryAfter = negotiate.HTTPError, retryAfter(refused.Header)
	case errors.As(err, &timeout):
		e.Kind, e.After = negotiate.Timeout, timeout.After
		if errors.As(e.Err, &instead) && instead.WrongID.Present() {
			e.Reason = fmt.Sprintf("a response with id %s came", instead.WrongID)
		}
	case errors.As(err, &closed):
		e.Kind, e.Reason = negotiate.Exited, closed.Err.Error()
	case errors.As(err, &invalid):
		e.Kind, e.Reason = negotiate.InvalidResponse, invalid.Fault.String()
	case errors.As(e.Err, &instead) && instead.Refuses():
		e.Kind, e.Reason = negotiate.Refused, instead.Refusal.Code.Phrase()+" with id null"
	default:
		e.Kind = negotiate.NetworkError
		if _, ofTLS := mcphttp.TLSFailureOf(err); ofTLS {
			e.Kind = negotiate.TLSError
		}
	}
	return e
}

// retryAfter returns the value of Retry-After, or 0.
func retryAfter(h http.Header) time.Duration {
	pause, _ := mcphttp.RetryAfter(h, time.Now())
	return pause
}

// noteStatus remembers the HTTP status of a message while connecting.
func (c *Client) noteStatus(x transport.Exchange) {
	if x.Phase == transport.ExchangeSent || x.Method != http.MethodPost || x.Purpose != transport.PurposeMessage {
		return
	}
	c.update(func(s *state) {
		if !s.connected {
			s.status = x
		}
	})
}

// sleep waits, unless the context or the connection ends first.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-c.quit:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
