package replay

import (
	"encoding/json"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/record/store"
)

// answers are the responses of the recorded client to requests of the server.
type answers struct {
	replay *Replay

	mu    sync.Mutex
	known *matching // matches of the requests in the transcript
}

func newAnswers(r *Replay) *answers {
	return &answers{replay: r, known: newMatching(newIndex(r.turns.Asked))}
}

// roots returns the roots of the recorded client.
func (a *answers) roots() (roots []client.Root) {
	for _, asked := range a.replay.turns.Asked {
		if asked.Method != "roots/list" || !asked.hasResponse() {
			continue
		}
		frame, err := a.replay.turns.Frame(asked.Response)
		var now []client.Root
		if err == nil && json.Unmarshal(jsonrpc.Get(frame, "result", "roots"), &now) == nil {
			roots = now
		}
	}
	return roots
}

// find returns the response to the recorded request that is most like one of the server:
// with the same params, else with the same method; one that was not used yet, if there is
// one. ok is false if no request is like it.
func (a *answers) find(method string, params []byte) (response int32, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for level, key := range keysOf(method, params) {
		if i, _, ok := a.known.find(level, key); ok {
			a.known.used[i] = true
			return a.replay.turns.Asked[i].Response, true
		}
	}
	return store.None, false
}

// maxUnexpected bounds the reported requests of the server that the recording does not
// have; each of more takes the place of the last one.
const maxUnexpected = 100

// requested responds to a request of the server. It is called on the goroutine of the
// transport.
func (a *answers) requested(q client.ServerRequest) {
	r := a.replay
	response, ok := a.find(q.Method, q.Params)
	if (!ok || response == store.None) && r.expectsNone(q) {
		return
	}
	if !ok {
		// The error response is queued; should that fail, the server is not reading.
		_ = r.client.QueueErrorResponse(q.ID, jsonrpc.CodeInternalError, "the recording has no response to this request")
		r.mu.Lock()
		r.unexpected = append(r.unexpected[:min(len(r.unexpected), maxUnexpected-1)], Result{
			Method: q.Method, State: Failed, Note: "the server sent this request, which the recording does not have",
		})
		r.mu.Unlock()
		return
	}
	if response == store.None {
		return // the recorded client did not respond either
	}
	frame, err := r.turns.Frame(response)
	if err != nil {
		_ = r.client.QueueErrorResponse(q.ID, jsonrpc.CodeInternalError, "the recording cannot be read")
		return
	}
	if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.ErrorResponse {
		wrong := jsonrpc.ParseError(frame, e)
		code, ok := wrong.Code.Number()
		if !ok {
			code = jsonrpc.CodeInternalError // the recorded error lacks a code
		}
		_ = r.client.QueueErrorResponse(q.ID, code, wrong.Message)
	} else {
		_ = r.client.QueueResponse(q.ID, e.Result.Of(frame))
	}
}
