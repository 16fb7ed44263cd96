package replay

import (
	"bytes"
	"strings"

	"mcptea/client/jsonrpc"
)

// frame returns the frame of a turn with the ids and values of this connection.
func (r *Replay) frame(turn *Turn) ([]byte, error) {
	frame, err := r.turns.Frame(turn.Row)
	if err != nil {
		return nil, err
	}
	if turn.Method == methodCancelled {
		return r.ids.replaceCancelled(frame), nil
	}
	frame = r.withCarried(frame)
	if turn.IsRequest {
		frame, _ = r.ids.replace(frame)
	}
	return frame, nil
}

// carriedMembers are the members of requests whose values a server made up, with the
// members of results that they come from.
var carriedMembers = map[string]string{"cursor": "nextCursor", "taskId": "taskId", "requestState": "requestState", "elicitationId": "elicitationId"}

// carry notes the values that the new server made up in the place of those of the
// recording.
func (r *Replay) carry(recorded, now []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range carriedMembers {
		for _, path := range [][]string{{"result"}, {"result", "task"}} {
			old, ok := jsonrpc.Member(recorded, path[0], append(path[1:], name)...)
			if !ok || len(old) < 2 || old[0] != '"' {
				continue
			}
			if value, ok := jsonrpc.Member(now, path[0], append(path[1:], name)...); ok && !bytes.Equal(old, value) {
				r.carried[string(old)] = bytes.Clone(value)
			}
		}
	}
}

// maxCarriedDepth bounds how deep the members of params are looked at.
const maxCarriedDepth = 6

// withCarried replaces the values of the recorded server in the params of a frame by
// those of the new one.
func (r *Replay) withCarried(frame []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.carried) == 0 {
		return frame
	}
	for range 100 { // a replacement moves all that is behind it
		at, with := r.nextCarried(frame, jsonrpc.Scan(frame).Params.Of(frame), 0)
		if !at.Present() {
			return frame
		}
		frame = at.Replace(frame, with)
	}
	return frame
}

func (r *Replay) nextCarried(frame, object []byte, depth int) (at jsonrpc.Span, with []byte) {
	if len(object) == 0 || object[0] != '{' || depth > maxCarriedDepth {
		return at, nil
	}
	for name, value := range jsonrpc.Members(object) {
		if strings.HasPrefix(string(value), "{") {
			if at, with = r.nextCarried(frame, value, depth+1); at.Present() {
				return at, with
			}
			continue
		}
		if carriedMembers[string(name)] == "" {
			continue
		}
		if with, ok := r.carried[string(value)]; ok && !bytes.Equal(with, value) {
			return jsonrpc.SpanOf(frame, value), with
		}
	}
	return at, nil
}
