package replay

import (
	"encoding/json"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/diff"
	"mcptea/session/store"
)

// answers are the responses of the recorded client to requests of the server.
type answers struct {
	replay *Replay
	roots  []client.Root

	mu    sync.Mutex
	rows  []int32 // of the responses, in the order of the requests; [store.None] without one
	known *matching
}

// read collects the requests of the server.
func (a *answers) read() error {
	a.known = newMatching(index{})
	s := a.replay.turns.Store()
	scanner := s.NewScanner()
	var rows []int32
	scanner.Rows(0, s.Snapshot().Rows, func(i int32, row *store.Row) bool {
		if row.IsFrame() && row.Dir == transport.In && row.Kind == jsonrpc.Request && !row.IsEvent() {
			rows = append(rows, i)
		}
		return true
	})
	for _, i := range rows {
		row, _ := s.Row(i)
		frame, err := a.replay.turns.Frame(i)
		if err != nil {
			return err
		}
		e := jsonrpc.Scan(frame)
		method := e.MethodName(frame)
		if method == "roots/list" && row.Pair != store.None {
			a.readRoots(row.Pair)
		}
		for level, key := range answerKeys(method, e.Params.Of(frame)) {
			a.known.add(len(a.rows), level, key)
		}
		a.rows = append(a.rows, row.Pair)
	}
	return nil
}

// readRoots takes over the roots of the recorded client.
func (a *answers) readRoots(response int32) {
	frame, err := a.replay.turns.Frame(response)
	if err != nil {
		return
	}
	var roots []client.Root
	list, _ := jsonrpc.Member(frame, "result", "roots")
	if json.Unmarshal(list, &roots) == nil {
		a.roots = roots
	}
}

// find returns the response to the recorded request that is most like one of the server:
// with the same params, else with the same method; one that was not used yet, if there is
// one. ok is false if no request is like it.
func (a *answers) find(method string, params []byte) (response int32, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for level, key := range answerKeys(method, params) {
		if i, _, ok := a.known.find(level, key); ok {
			a.known.used[i] = true
			return a.rows[i], true
		}
	}
	return store.None, false
}

// answerKeys are [keysOf], and that of the method alone.
func answerKeys(method string, params []byte) []uint64 {
	keys := keysOf(method, params)
	byMethod, _ := diff.Hash([]byte(jsonrpc.StringID(method)))
	return append(keys[:], byMethod)
}

// maxUnexpected bounds the reported requests of the server that the recording does not
// have; each of more takes the place of the last one.
const maxUnexpected = 100

// requested responds to a request of the server. It is called on the goroutine of the
// transport.
func (a *answers) requested(q client.ServerRequest) {
	r := a.replay
	response, ok := a.find(q.Method, q.Params)
	if !ok {
		// The error response is queued; should that fail, the server is not reading.
		_ = r.client.QueueErrorResponse(q.ID, jsonrpc.CodeInternalError, "the recording has no response to this request")
		r.mu.Lock()
		r.unexpected = append(r.unexpected[:min(len(r.unexpected), maxUnexpected-1)], Result{
			Turn: &Turn{Method: q.Method, Row: store.None, Response: store.None}, State: Failed,
			Comparison: Comparison{Note: "the server sent this request, which the recording does not have"},
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
		_ = r.client.QueueErrorResponse(q.ID, wrong.Code, wrong.Message)
	} else {
		_ = r.client.QueueResponse(q.ID, e.Result.Of(frame))
	}
}
