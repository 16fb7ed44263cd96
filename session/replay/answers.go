package replay

import (
	"encoding/json"
	"sync"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
	"mcptea/session/transcript"
)

// answers are the responses of the recorded client to requests of the server.
type answers struct {
	replay *Replay
	roots  []client.Root

	mu   sync.Mutex
	list []*answer // in the order of the requests
}

// answer is a request of the recorded server.
type answer struct {
	row      int32
	response int32 // row; [store.None] without one
	method   string
	keys     [transcript.Levels]uint64
	used     bool
}

// read collects the requests of the server.
func (a *answers) read() error {
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
		a.list = append(a.list, &answer{row: i, response: row.Pair, method: method, keys: transcript.KeysOf(method, e.Params.Of(frame))})
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

// find returns the recorded request that is most like one of the server: with the same
// params, else with the same method; one that was not used yet, if there is one.
func (a *answers) find(method string, params []byte) *answer {
	keys := transcript.KeysOf(method, params)
	a.mu.Lock()
	defer a.mu.Unlock()
	for level := range transcript.Levels + 1 {
		var last *answer
		for _, one := range a.list {
			if one.method != method || level < transcript.Levels && one.keys[level] != keys[level] {
				continue
			}
			if last = one; !one.used {
				break
			}
		}
		if last != nil {
			last.used = true
			return last
		}
	}
	return nil
}

// maxUnexpected bounds the reported requests of the server that the recording does not
// have; each of more takes the place of the last one.
const maxUnexpected = 100

// requested responds to a request of the server. It is called on the goroutine of the
// transport.
func (a *answers) requested(q client.ServerRequest) {
	r := a.replay
	one := a.find(q.Method, q.Params)
	if one == nil {
		// The error response is queued; should that fail, the server is not reading.
		_ = r.client.QueueErrorResponse(q.ID, jsonrpc.CodeInternalError, "the recording has no response to this request")
		r.mu.Lock()
		r.unexpected = append(r.unexpected[:min(len(r.unexpected), maxUnexpected-1)], Result{
			Turn: &transcript.Turn{Method: q.Method, Row: store.None, Response: store.None}, State: Failed,
			Note: "the server sent this request, which the recording does not have",
		})
		r.mu.Unlock()
		return
	}
	if one.response == store.None {
		return // the recorded client did not respond either
	}
	frame, err := r.turns.Frame(one.response)
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
