package replay

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// Continuation is a replay of the first part of a recording. The user continues the session after
// it. Its requests have new ids, because the session may use the recorded ids at the same time.
type Continuation struct {
	// Until is the row of the first frame that is not sent; [store.None] for all frames.
	Until int32
	// Allow is called before a request is sent. It returns why that is not sent; an empty
	// text sends it. The error ends the replay.
	Allow func(ctx context.Context, turn *Turn, frame []byte) (why string, err error)
	// Unexpected is called with requests of the server that have no response in the recording.
	Unexpected func(client.ServerRequest)
}

// Continue makes the replay the first part of a session. It is called before [Replay.Run].
func (r *Replay) Continue(c Continuation) {
	if c.Until < 0 {
		c.Until = math.MaxInt32
	}
	r.continues, r.ids.fresh = &c, true
}

// NotSent is the beginning of [Result.Note] for a request that was not sent; the reason follows.
const NotSent = "not sent: "

// leftOut reports a turn that is not sent, and why.
func (r *Replay) leftOut(ctx context.Context, turn *Turn) (left bool, err error) {
	c := r.continues
	if c == nil {
		return false, nil
	}
	frame, err := r.turns.Frame(turn.Row)
	if err != nil {
		return false, err
	}
	frame, why := r.withCarried(frame), ""
	switch twin := jsonrpc.Twin(frame, "jsonrpc", "id", "method", "params"); {
	case twin != "":
		why = fmt.Sprintf("it has another member that servers may take for %q", twin)
	case !turn.IsRequest:
		if !strings.HasPrefix(turn.Method, "notifications/") {
			why = "it has no id, and its method is not a notification"
		}
	case !turn.hasResponse():
		why = whyUnanswered(turn.Flags)
	case turn.Response >= c.Until:
		why = "its response comes after the point at which the branch starts"
	default:
		why, err = c.Allow(ctx, turn, frame)
	}
	if why == "" || err != nil {
		return false, err
	}
	result := resultOf(turn, client.ParseRequest(frame).Params)
	result.State, result.Note = NotCompared, NotSent+why
	r.report(result)
	return true, nil
}

// expectsNone forwards a server request that has no response in the recording. It returns false if
// there is no [Continuation].
func (r *Replay) expectsNone(q client.ServerRequest) bool {
	if r.continues == nil {
		return false
	}
	r.continues.Unexpected(q)
	return true
}
