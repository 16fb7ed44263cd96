package replay

import (
	"context"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// isEarlierPoll reports a status request for a task that is still working, which is
// repeated later in the recording: how often a client polls depends on the time.
func (r *Replay) isEarlierPoll(at int) (bool, error) {
	turn := &r.turns.Turns[at]
	if turn.Method != "tasks/get" || !turn.hasResponse() {
		return false, nil
	}
	status, err := r.status(turn)
	if err != nil || status != string(client.TaskWorking) {
		return false, err
	}
	for i := at + 1; i < len(r.turns.Turns); i++ {
		if later := &r.turns.Turns[i]; later.Method == "tasks/get" && later.Keys[1] == turn.Keys[1] && later.hasResponse() {
			return true, nil
		}
	}
	return false, nil
}

// status returns the status of the task in a recorded response.
func (r *Replay) status(turn *Turn) (string, error) {
	frame, err := r.turns.Frame(turn.Response)
	return jsonrpc.Text(frame, "result", "status"), err
}

// pollInterval is the poll interval of tasks that set none.
const pollInterval = 500 * time.Millisecond

// maxPolling bounds the time in which a task reports no change. A task with a shorter ttl ends sooner.
const maxPolling = time.Minute

// poll repeats a status request until the task has the recorded status, or a final one. It returns the last response if
// the task does not change for [maxPolling] or its ttl.
func (r *Replay) poll(ctx context.Context, turn *Turn, request client.Request, response client.Response) (client.Response, error) {
	want, err := r.status(turn)
	if err != nil {
		return response, err
	}
	last, until := "", time.Time{}
	for {
		status := jsonrpc.Text(response.Frame, "result", "status")
		if status == want || status != string(client.TaskWorking) {
			return response, nil
		}
		if seen := string(response.Result()); last == "" || seen != last {
			last, until = seen, time.Now().Add(taskPatience(response.Frame))
		} else if time.Now().After(until) {
			return response, nil
		}
		interval := pollInterval
		if raw, ok := jsonrpc.Member(response.Frame, "result", "pollInterval"); ok {
			if ms, ok := jsonrpc.Integer(raw); ok && ms > 0 && ms < 60_000 {
				interval = time.Duration(ms) * time.Millisecond
			}
		}
		over, stop := context.WithTimeout(ctx, interval)
		<-over.Done()
		if stop(); ctx.Err() != nil {
			return response, context.Cause(ctx)
		}
		again := request.Envelope.ID.Replace(request.Frame, r.ids.another())
		if response, err = r.client.Do(ctx, client.ParseRequest(again)); err != nil {
			return response, err
		}
	}
}

// taskPatience returns the time in which a task has to change.
func taskPatience(frame []byte) time.Duration {
	if raw, ok := jsonrpc.Member(frame, "result", "ttl"); ok {
		if ms, ok := jsonrpc.Integer(raw); ok && ms >= 0 && ms < maxPolling.Milliseconds() {
			return time.Duration(ms) * time.Millisecond
		}
	}
	return maxPolling
}
