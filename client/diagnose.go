package client

import (
	"bytes"
	"context"
	"errors"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
)

// framedStart begins a message in the framing of language servers.
const framedStart = "Content-Length: "

// framingGrace bounds the time in which a server must start and respond in the framing of language
// servers.
const framingGrace = 3 * time.Second

// framingProbe receives what a server sends in the framing of language servers.
type framingProbe struct{ came chan []byte }

func (p framingProbe) Frame(f transport.Frame) transport.Ref {
	if f.Dir == transport.In && bytes.HasPrefix(f.Bytes, []byte(framedStart)) {
		select {
		case p.came <- head(f.Bytes, frameHead):
		default:
		}
	}
	return transport.Ref{}
}

func (framingProbe) Stderr(transport.Line)          {}
func (framingProbe) Process(transport.ProcessEvent) {}
func (framingProbe) Exchange(transport.Exchange)    {}

// DiagnoseFraming restarts a silent stdio server, sends only initialize in the framing of language servers, and
// ends it. failed is the error of connecting to it. If the server responds in that framing, ok is true and the
// error is a *[NoResponseError] with its output; else the error is failed, and its [TimeoutError] notes the attempt. Nothing is reported to a tap, since this process is not part
// of the failed connection.
func DiagnoseFraming(ctx context.Context, target Target, cfg Config, failed error) (err error, ok bool) { //nolint:revive // the error is a result
	ctx, stop := context.WithTimeout(ctx, framingGrace)
	defer stop()
	t := stdio.New(stdio.Config{Argv: target.Argv, Env: target.Env, Dir: target.Dir, Grace: target.Grace, Idle: target.Idle, KillLeft: target.KillLeft, Mark: target.Mark})
	probe := framingProbe{make(chan []byte, 1)}
	if t.Open(ctx, probe) != nil {
		return failed, false
	}
	defer func() { _ = t.Close(context.WithoutCancel(ctx)) }()
	r := newRequest(jsonrpc.IntID(1), "initialize", Params(map[string]any{
		"protocolVersion": revision.NewestHandshake, "capabilities": map[string]any{}, "clientInfo": map[string]string{"name": cfg.Name, "version": cfg.Version},
	}))
	if t.SendFramed(ctx, transport.Outgoing{Bytes: r.Frame}) != nil {
		return failed, false
	}
	select {
	case line := <-probe.came:
		instead := &NoResponseError{Err: failed, Fault: jsonrpc.FaultNotJSON, Head: line, Framed: true}
		if step, ok := errors.AsType[*ConnectError](failed); ok {
			return &ConnectError{Step: step.Step, Err: instead}, true
		}
		return instead, true
	case <-t.Done(): // the server cannot read such a message either
	case <-ctx.Done():
	}
	return reframed(failed), false
}

// reframed returns a copy of a timeout that notes the second framing. It returns any other error unchanged.
func reframed(failed error) error {
	timeout, ok := errors.AsType[*TimeoutError](failed)
	if !ok {
		return failed
	}
	noted := *timeout
	noted.Reframed = true
	if step, ok := errors.AsType[*ConnectError](failed); ok {
		return &ConnectError{Step: step.Step, Err: &noted}
	}
	return &noted
}

// timedOut returns the error of a request that timed out, with the state of the server as the system reports it.
func (c *Client) timedOut(p *pending, after time.Duration) *TimeoutError {
	err := &TimeoutError{Method: p.method, After: after}
	if t, ok := c.transport().(*stdio.Transport); ok {
		if seen, ok := t.Stdin(); ok {
			err.Stdin = &seen
		}
	}
	return err
}

// NoteDescendants notes which processes a server on stdio has, so that a [TimeoutError] can name processes
// that were started later.
func (c *Client) NoteDescendants() {
	if t, ok := c.transport().(*stdio.Transport); ok {
		t.NoteDescendants()
	}
}
