package transcript

import (
	"bytes"

	"mcptea/client/jsonrpc"
	"mcptea/session/diff"
	"mcptea/session/store"
)

// Server returns what the server of the recording offered: of each part the newest
// that was received. The error is that of reading a frame.
func (t *Transcript) Server() (diff.Server, error) {
	s := diff.Server{Lists: map[string][][]byte{}}
	for _, c := range t.store.Connections() {
		if c.Revision != "" {
			s.Revision = c.Revision
		}
	}
	lists := map[string]struct{ name, member string }{
		"tools/list": {"tools", "tools"}, "resources/list": {"resources", "resources"},
		"resources/templates/list": {"templates", "resourceTemplates"}, "prompts/list": {"prompts", "prompts"},
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		list, isList := lists[turn.Method]
		if turn.Response == store.None || !isList && turn.Method != "initialize" && turn.Method != "server/discover" {
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
			offered(&s, result)
			continue
		}
		params, err := t.Params(turn.Row)
		if err != nil {
			return s, err
		}
		entries := s.Lists[list.name]
		if _, next := jsonrpc.Member(params, "cursor"); !next {
			entries = [][]byte{} // the first page
		}
		array, _ := jsonrpc.Member(result, list.member)
		for e := range jsonrpc.Elements(array) {
			entries = append(entries, e)
		}
		s.Lists[list.name] = entries
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

// offered takes over the members of an initialize or discover result.
func offered(s *diff.Server, result []byte) {
	take := func(to *[]byte, path ...string) {
		if v, ok := jsonrpc.Member(result, path[0], path[1:]...); ok {
			*to = bytes.Clone(v)
		}
	}
	take(&s.Info, "serverInfo")
	take(&s.Info, "_meta", "io.modelcontextprotocol/serverInfo")
	take(&s.Capabilities, "capabilities")
	take(&s.Instructions, "instructions")
}
