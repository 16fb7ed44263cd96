package replay

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/diff"
)

// Server returns the offer of the recording's server: the newest received version of each part. The error
// comes from reading a frame.
func (t *Transcript) Server() (diff.Server, error) {
	s := diff.Server{Lists: map[string][][]byte{}}
	for _, c := range t.store.Connections() {
		if c.Revision != "" {
			s.Revision = c.Revision
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		list, isList := revision.ListOf(turn.Method)
		if !turn.hasResponse() || !isOffer(turn.Method) {
			continue
		}
		result, err := t.result(turn.Response)
		if err != nil {
			return s, err
		}
		if result == nil {
			continue
		}
		if !isList {
			o, _ := diff.Offer(result)
			s.Info, s.Capabilities, s.Instructions = bytes.Clone(o.Info), bytes.Clone(o.Capabilities), bytes.Clone(o.Instructions)
			continue
		}
		params, err := t.params(turn.Row)
		if err != nil {
			return s, err
		}
		entries := s.Lists[list.Name]
		if _, next := jsonrpc.Member(params, "cursor"); !next {
			entries = [][]byte{} // start of the list
		}
		array, _ := jsonrpc.Member(result, list.Member)
		for e := range jsonrpc.Elements(array) {
			entries = append(entries, e)
		}
		s.Lists[list.Name] = entries
	}
	return s, nil
}

func (t *Transcript) result(row int32) ([]byte, error) {
	b, err := t.Frame(row)
	if err != nil {
		return nil, err
	}
	return jsonrpc.Scan(b).Result.Of(b), nil
}
