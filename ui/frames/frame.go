// Package frames has the operations on one recorded frame that every pane offers
// in the same way: copy it, send it again, edit it, cancel it, go to its pair,
// explain it.
//
// It reads frames from the store and returns actions. It must not know panes.
package frames

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// OtherOfPair is the frame that belongs with another: the request of an answer
// or of a notification, or the answer of a request.
func OtherOfPair(s *store.Store, row int32) action.Action {
	request, answer := s.Related(row)
	switch {
	case row == request && answer != store.None:
		return action.SelectFrame{Row: answer}
	case request != store.None && row != request:
		return action.SelectFrame{Row: request}
	}
	return action.Flash{Text: "this frame has no pair"}
}

// OnFrame is what a command on one frame comes to, wherever that is shown:
// copying, sending again, editing, cancelling.
func OnFrame(s *store.Store, i int32, name command.ID) action.Action {
	row, ok := s.Row(i)
	if !ok {
		return action.Flash{Text: "no frame is selected"}
	}
	if !row.IsFrame() && name != command.CopyFrame {
		return action.Flash{Text: "this is no frame of the protocol"}
	}
	if name == command.Resend || name == command.CancelRequest {
		if request, _ := s.Related(i); request != store.None {
			i = request // on an answer, its request is meant
			row, _ = s.Row(i)
		}
	}
	switch {
	case name == command.CancelRequest:
		return cancelRow(s, row)
	case name == command.Resend && row.Dir != transport.Out:
		return action.Flash{Text: "only what mcptea sent can be sent again; e puts it into the composer"}
	}
	// From here on the bytes are needed, all of them.
	body, err := s.Body(i)
	if err != nil {
		return action.Flash{Text: err.Error(), Wrong: true}
	}
	switch name {
	case command.CopyFrame:
		return action.Copy{Text: string(body), What: "frame"}
	case command.EditFrame:
		if row.Flags&store.OddEnding != 0 {
			body = append(body, '\r') // the line ended with \r\n; the transport adds \n
		}
		return action.ComposeFrame{Frame: body}
	}
	if e := jsonrpc.Scan(body); e.Kind == jsonrpc.Request {
		return action.Start{Method: e.MethodName(body), Params: withoutToken(e.Params.Of(body))}
	}
	return action.StartFrame{Frame: body}
}

// cancelRow cancels the request of a row. It reads no more of it than the id.
func cancelRow(s *store.Store, row store.Row) action.Action {
	switch {
	case row.Flags&store.Pending == 0:
		return action.Flash{Text: "this request is not in flight"}
	case row.Dir != transport.Out:
		return action.Flash{Text: "the server asked this; only it can take it back"}
	case row.Kind != jsonrpc.Request:
		return action.Flash{Text: "the requests of a batch are cancelled one by one, with notifications/cancelled"}
	}
	return action.Cancel{ID: jsonrpc.ID(s.NewScanner().ID(&row))}
}

// withoutToken takes off the progress token that was put in for the old id, so
// that the new request gets its own.
func withoutToken(params []byte) []byte {
	meta, ok := jsonrpc.Start(params, "_meta")
	if !ok {
		return params
	}
	members := 0
	for range jsonrpc.Members(meta) {
		members++
	}
	if token, ok := jsonrpc.Member(meta, "progressToken"); !ok || members != 1 || len(token) == 0 {
		return params
	}
	text := `"_meta":` + string(meta)
	for _, cut := range []string{text + ",", "," + text, text} {
		if before, after, found := bytes.Cut(params, []byte(cut)); found {
			return append(append([]byte{}, before...), after...)
		}
	}
	return params
}
