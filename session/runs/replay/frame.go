package replay

import (
	"bytes"

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
	if r.client.Target().IsStdio() {
		frame = jsonrpc.OneLine(frame) // a recording over HTTP may have line breaks between tokens
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

// carry records the values that the new server returned instead of the recorded values.
func (r *Replay) carry(recorded, now []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range carriedMembers {
		for _, path := range [][]string{{"result"}, {"result", "task"}} {
			old, ok := jsonrpc.Member(recorded, path[0], append(path[1:], name)...)
			if !ok || len(old) < 2 || old[0] != '"' {
				continue
			}
			if value, ok := jsonrpc.Member(now, path[0], append(path[1:], name)...); ok && !jsonrpc.TokenOf(old).Same(jsonrpc.TokenOf(value)) {
				r.carried[jsonrpc.TokenOf(old).Key()] = bytes.Clone(value)
			}
		}
	}
}

// withCarried replaces the values of the recorded server in the params of a frame with the values of the
// new server.
func (r *Replay) withCarried(frame []byte) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.carried) == 0 {
		return frame
	}
	var out []byte
	copied, name, isValue := 0, []byte(nil), false
	tokens := jsonrpc.NewTokens(jsonrpc.Scan(frame).Params.Of(frame))
	for token := tokens.Next(); token != nil; token = tokens.Next() {
		if with, ok := jsonrpc.Lookup(r.carried, jsonrpc.TokenOf(token)); ok && isValue && isCarried(name) {
			at := jsonrpc.SpanOf(frame, token)
			out = append(append(out, frame[copied:at.Start]...), with...)
			copied = at.End
		}
		if isValue = token[0] == ':'; !isValue {
			name = token
		}
	}
	return append(out, frame[copied:]...)
}

// isCarried reports the raw name of one of [carriedMembers].
func isCarried(name []byte) bool {
	text, _ := jsonrpc.Unquote(name)
	return carriedMembers[text] != ""
}
