package requests

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// cancelTimeout is the timeout of tasks/cancel.
const cancelTimeout = 5 * time.Second

// newRequests returns the input requests of a status that earlier ones did not contain, or nil. If
// there are more than maxAnswered, it remembers only those of the status. The caller holds the
// lock.
func (t *entry) newRequests(now client.Task) []byte {
	requests, keys := now.Requests(t.answered)
	if keys != nil && len(t.answered)+len(keys) > maxAnswered {
		clear(t.answered)
		_, keys = now.Requests(nil)
	}
	for _, key := range keys {
		t.answered[key] = true
	}
	return requests
}

// requestInput passes on the input requests of the task that are new.
func (p *poller) requestInput(now client.Task, frame []byte) {
	p.k.mu.Lock()
	requests := p.t.newRequests(now)
	p.k.mu.Unlock()
	if requests == nil {
		return
	}
	if p.inputCtx == nil {
		p.inputCtx, p.cancelInputs = context.WithCancel(p.ctx)
	}
	open := p.inputCtx
	p.workers.Go(func() {
		responses, err := p.c.CollectTaskInput(open, now, client.Response{Frame: frame, Envelope: jsonrpc.Scan(frame)}, requests)
		if err == nil {
			err = p.c.UpdateTask(open, now.ID, responses)
		}
		p.hand(open, func() { p.inputSent(err) })
	})
}

// inputSent handles the outcome of an input request.
func (p *poller) inputSent(err error) {
	var rpc *client.RPCError
	switch {
	case errors.Is(err, context.Canceled):
		return // the outcome is no longer needed
	case errors.As(err, &rpc):
		p.noteText("tasks/update failed: " + err.Error())
	case err != nil:
		p.noteText("cannot answer this task's input request: " + err.Error())
		p.cancel(nil)
		p.finish(client.Response{}, err)
		return
	}
	p.refresh()
}

// fetchResult sends tasks/result, once.
func (p *poller) fetchResult() {
	if p.fetching {
		return
	}
	p.fetching = true
	p.workers.Go(func() {
		response, err := p.c.TaskResult(p.ctx, p.id)
		p.hand(p.ctx, func() { p.resultFetched(response, err) })
	})
}

// resultFetched makes the response to tasks/result the outcome. If the status is not final yet, it is
// fetched again. This also distinguishes an error of the tool from an error for an unknown task.
func (p *poller) resultFetched(result client.Response, failed error) {
	p.k.mu.Lock()
	known := p.t.Status.Final()
	p.k.mu.Unlock()
	if failed != nil || known {
		p.finish(result, failed)
		return
	}
	now, response, err := p.c.GetTask(context.Background(), p.id) // the client bounds it
	err = p.applyReply(now, response, err)
	switch {
	case err != nil && result.Err() != nil:
		p.finish(client.Response{}, err)
	case err == nil && now.Status == client.TaskCancelled:
		p.finish(client.Response{}, client.ErrTaskCancelled)
	case err == nil && now.ID != "" && !now.Status.Final():
		row := frameOf(result).Row
		p.k.mu.Lock()
		p.t.note(Event{At: time.Now(), Text: "the server responded to tasks/result before the task had ended", Fault: true, Row: row})
		p.k.mu.Unlock()
		p.finish(result, nil)
	default:
		p.finish(result, nil)
	}
}

// cancel sends tasks/cancel. If the task has ended by then, its outcome is fetched
// as usual; else the call ends here, and the task is polled while it runs.
func (p *poller) cancel(why error) {
	if !p.extension && !p.c.Handshake().HasCapability("tasks", "cancel") {
		p.noteText("the server does not support tasks/cancel")
		p.detached = true
		p.finish(client.Response{}, fmt.Errorf("%w: %w", why, ErrRunning))
		return
	}
	p.k.mu.Lock()
	p.t.Cancelling = true
	p.k.mu.Unlock()
	p.noteText("cancelling")
	ctx, stop := context.WithTimeout(context.Background(), cancelTimeout)
	defer stop()
	now, response, err := p.c.CancelTask(ctx, p.id)
	refused := err
	if err != nil {
		p.noteText("tasks/cancel failed: " + err.Error())
	}
	if err != nil || p.extension {
		// With the extension tasks/cancel is only advisory, and a task that has
		// ended cannot be cancelled.
		now, response, err = p.c.GetTask(ctx, p.id)
	}
	if err == nil {
		err = p.applyReply(now, response, nil)
	}
	switch {
	case why == nil:
	case err == nil && now.Status == client.TaskCancelled:
		p.finish(client.Response{}, fmt.Errorf("%w: %w", why, client.ErrTaskCancelled))
	case err == nil && now.Status.Final():
		p.noteText("the task ended before it could be cancelled")
	case refused != nil:
		p.detached = true
		p.finish(client.Response{}, fmt.Errorf("%w: %w", why, ErrRunning))
	default:
		p.detached = err == nil // otherwise there is nothing to poll
		p.finish(client.Response{}, fmt.Errorf("%w: mcptea asked the server to cancel its task", why))
	}
}

// finishTask stores the outcome in the task.
func (p *poller) finishTask() {
	response, err := p.end.response, p.end.err
	k, t := p.k, p.t
	f := Frame{Row: -1, Time: time.Now()}
	if response.Frame != nil && response.Envelope.ID.Present() {
		f = frameOf(response)
	}
	k.mu.Lock()
	if response.Frame != nil && !response.Ref.Present() { // the response is part of the newest status
		f.Row = t.statusRow
	}
	k.end(t, response, err, f)
	if err != nil && !errors.Is(err, client.ErrTaskCancelled) {
		t.note(Event{At: t.Ended, Text: err.Error(), Row: -1})
	}
	k.mu.Unlock()
	k.session.Subscribe(p.id, false)
	k.session.Changed()
	if next, _, ready := k.session.Connection(); ready && next != p.c {
		k.Resume(next) // the next connection was ready before this one ended
	}
}
