package replay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
)

// whyUnanswered returns the reason why the recording has no response to a request with some flags.
func whyUnanswered(flags store.Flags) string {
	const no = "the recording has no response: "
	switch {
	case flags&store.TimedOut != 0:
		return no + "it timed out"
	case flags&store.Cancelled != 0:
		return no + "it was cancelled"
	case flags&store.Abandoned != 0:
		return no + "the connection ended"
	}
	return no + "it ends before"
}

// isAwaited reports whether the replay waits for the response to a request without one in the recording. The response
// to a cancelled request may never arrive.
func (t *Turn) isAwaited() bool {
	return t.IsRequest && !t.hasResponse() && !t.lasts() && t.Flags&store.Cancelled == 0
}

// settleTimeout bounds the wait for responses that the recording does not have.
const settleTimeout = 10 * time.Second

// settle waits for the outcomes of the requests without a response in the recording.
func (r *Replay) settle(ctx context.Context) {
	r.mu.Lock()
	var waits []<-chan struct{}
	for i, done := range r.done {
		if r.turns.Turns[i].isAwaited() {
			waits = append(waits, done)
		}
	}
	r.mu.Unlock()
	late := time.NewTimer(settleTimeout)
	defer late.Stop()
	for _, done := range waits {
		select {
		case <-done:
		case <-late.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// unanswered sets the outcome of a request that cannot be compared, for a reason: the server ended the connection, or
// what it does now is reported in [Result.Now].
func (result *Result) unanswered(why string, response client.Response, err error) {
	if ended, ok := errors.AsType[*client.ClosedError](err); ok {
		result.State, result.Note = Failed, fmt.Sprintf("%v; %s", ended.Err, why)
		return
	}
	result.State, result.Note = NotCompared, why
	switch {
	case errors.Is(err, context.Canceled):
		result.Now = "no response"
	case err != nil:
		result.Now = err.Error()
	default:
		result.Now = outcomeOf(response)
	}
}

// outcomeOf returns the kind of a response in words, with the code and message of an error response.
func outcomeOf(response client.Response) string {
	if err := response.Err(); err != nil {
		return phrase.Clip(err.Error(), maxArguments)
	}
	if failed, _ := jsonrpc.Member(response.Result(), "isError"); string(failed) == "true" {
		return "tool error"
	}
	return "result"
}
