package traffic

import (
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/session/store"
	"mcptea/ui/command"
)

func (p *Pane) toPair() command.Action {
	request, answer := p.store.Related(p.Selected())
	at := p.Selected()
	switch {
	case at == request && answer != store.None:
		return command.SelectFrame{Row: answer}
	case request != store.None && at != request:
		return command.SelectFrame{Row: request}
	}
	return command.Flash{Text: "this frame has no pair"}
}

// onFrame does what needs the bytes of the selected frame.
func (p *Pane) onFrame(name command.Name) command.Action {
	row, ok := p.store.Row(p.Selected())
	if !ok {
		return command.Flash{Text: "no frame is selected"}
	}
	return FrameAction(p.store, p.Selected(), &row, name)
}

// FrameAction is what a command on one frame comes to: copying, sending again,
// editing, cancelling.
func FrameAction(s *store.Store, i int32, row *store.Row, name command.Name) command.Action {
	if name == command.TrafficResend || name == command.TrafficCancel {
		if request, _ := s.Related(i); request != store.None {
			i = request // on an answer, its request is meant
			*row, _ = s.Row(i)
		}
	}
	body, err := s.Body(i)
	if err != nil {
		return command.Flash{Text: err.Error(), Wrong: true}
	}
	e := jsonrpc.Scan(body)
	switch name {
	case command.TrafficCopy:
		return command.Copy{Text: string(body), What: "frame"}
	case command.TrafficEdit:
		return command.ComposeFrame{Frame: body}
	case command.TrafficCancel:
		switch {
		case row.Flags&store.Pending == 0:
			return command.Flash{Text: "this request is not in flight"}
		case row.Dir != transport.Out:
			return command.Flash{Text: "the server asked this; only it can take it back"}
		case e.Kind != jsonrpc.Request:
			return command.Flash{Text: "the requests of a batch are cancelled one by one, with notifications/cancelled"}
		}
		return command.Cancel{ID: jsonrpc.ID(e.ID.Of(body))}
	}
	switch {
	case row.Dir != transport.Out:
		return command.Flash{Text: "only what mcptea sent can be sent again; e puts it into the composer"}
	case e.Kind == jsonrpc.Request:
		return command.Start{Method: e.MethodName(body), Params: withoutToken(e.Params.Of(body))}
	}
	return command.StartFrame{Frame: body}
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
		if before, after, found := cutOnce(params, cut); found {
			return append(append([]byte{}, before...), after...)
		}
	}
	return params
}
