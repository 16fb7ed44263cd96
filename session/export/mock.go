package export

import (
	"bytes"
	"errors"
	"iter"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/offer/diff"
	"mcptea/record"
	"mcptea/session/declare"
)

// writeMock writes a file for mcptea mock --declare: the newest lists of the server, and the
// responses to requests for their entries.
func (s *session) writeMock() error {
	o := declare.Offered{Lists: map[string][][]byte{}}
	for call, err := range s.calls() {
		if err != nil {
			return err
		}
		if call.Result != nil {
			takeOffer(&o, call)
		}
		if len(o.Calls) < maxCalls {
			o.Calls = append(o.Calls, call)
		}
	}
	if len(o.Lists)+len(o.Calls) == 0 {
		return errors.New("the recording has neither lists nor calls with a response")
	}
	text, left, err := declare.Make(o)
	if err != nil {
		return err
	}
	if left > 0 {
		s.report("%d responses were left out: the file has the first ones of each tool, prompt and resource", left)
	}
	_, err = s.out.Write(text)
	return err
}

// calls iterates over the requests of the client that have a response, in the order of the responses. The caller owns the
// bytes.
func (s *session) calls() iter.Seq2[declare.Call, error] {
	return func(yield func(declare.Call, error) bool) {
		pending := map[int32]declare.Call{} // calls by the row of the request
		for e, err := range s.matched() {
			if err != nil {
				yield(declare.Call{}, err)
				return
			}
			if e.Kind != record.KindFrame || e.Message == nil {
				continue
			}
			frame, envelope := bytes.Clone(e.Frame.Bytes), e.Frame.Envelope
			if e.Frame.Dir == transport.Out && envelope.Kind == jsonrpc.Request && len(pending) < maxCalls {
				pending[e.Number-1] = declare.Call{Method: envelope.MethodName(frame), Params: envelope.Params.Of(frame)}
			}
			call, ok := pending[e.Message.Request]
			if !ok || e.Frame.Dir != transport.In || !envelope.Kind.IsResponse() {
				continue
			}
			delete(pending, e.Message.Request)
			call.Result, call.Error = envelope.Result.Of(frame), envelope.Error.Of(frame)
			if !yield(call, nil) {
				return
			}
		}
	}
}

// takeOffer records the part of the server's offer in a result.
func takeOffer(o *declare.Offered, call declare.Call) {
	if call.Method == "initialize" || call.Method == "server/discover" {
		offer, _ := diff.Offer(call.Result)
		o.Info, o.Instructions = offer.Info, jsonrpc.Text(call.Result, "instructions")
		return
	}
	list, ok := revision.ListOf(call.Method)
	if !ok {
		return
	}
	entries := o.Lists[list.Name]
	if jsonrpc.Get(call.Params, "cursor") == nil {
		entries = nil // the first page starts a new list
	}
	for entry := range jsonrpc.Elements(jsonrpc.Get(call.Result, list.Member)) {
		entries = append(entries, entry)
	}
	o.Lists[list.Name] = entries
}
