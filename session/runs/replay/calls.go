package replay

import (
	"cmp"
	"errors"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/record/store"
)

// maxEarlier bounds the frames before a call that are searched for an earlier one.
const maxEarlier = 20_000

// Earlier returns the response to the previous call of the same tool, prompt or resource, relative to a
// response.
func Earlier(s *store.Store, response int32) (int32, error) {
	request, _ := s.Related(response)
	if r, ok := s.Row(request); ok {
		name := itemIn(s, request)
		for i := request - 1; i >= max(0, request-maxEarlier); i-- {
			before, _ := s.Row(i)
			if before.Kind == jsonrpc.Request && before.Dir == r.Dir && before.Method == r.Method && before.Pair != store.None && itemIn(s, i) == name {
				return before.Pair, nil
			}
		}
	}
	return store.None, errors.New("there is no earlier call to compare with")
}

// itemIn returns the tool, prompt or resource that a request is about.
func itemIn(s *store.Store, row int32) string {
	head, err := s.Head(row, 4<<10)
	if err != nil {
		return ""
	}
	params, _ := jsonrpc.Start(head, "params")
	for _, member := range []string{"name", "uri"} {
		if v, ok := jsonrpc.Start(params, member); ok {
			text, _ := jsonrpc.Unquote(v)
			return text
		}
	}
	return ""
}

// maxRequest bounds a request that is read for its subject, in bytes.
const maxRequest = 256 << 10

// About returns the common subject of two frames in a line: the call of a request or a response, or the method
// of a notification. If the second frame is a response, method and params belong to its request. All are
// empty if a request is not from the client, or too large to read.
func About(s *store.Store, rows [2]int32) (name, method string, params []byte) {
	var of [2][]byte
	var methods [2]string
	for i, row := range rows {
		frame, _ := s.Row(row)
		request := row
		if frame.Kind != jsonrpc.Notification { // a notification about a request is not about its arguments
			request, _ = s.Related(row)
		}
		r, ok := s.Row(request)
		if !ok || r.Dir != transport.Out && r.Kind != jsonrpc.Notification || r.Size > maxRequest {
			return "", "", nil
		}
		body, err := s.Body(request)
		if err != nil {
			return "", "", nil
		}
		methods[i], of[i] = s.Method(r.Method), jsonrpc.Scan(body).Params.Of(body)
	}
	name = cmp.Or(subjectOf(of[1]), methods[1])
	old, _ := jsonrpc.Member(of[0], "arguments")
	now, has := jsonrpc.Member(of[1], "arguments")
	switch {
	case methods[0] != methods[1]:
		name = methods[0] + " · " + methods[1]
	case subjectOf(of[0]) != subjectOf(of[1]):
		name = subjectOf(of[0]) + " · " + name
	case !has && old == nil:
	case jsonrpc.Equal(old, now):
		name += " " + string(now) + " · same arguments"
	default:
		name += " · other arguments"
	}
	if frame, _ := s.Row(rows[1]); !frame.Kind.IsResponse() {
		return name, "", nil
	}
	return name, methods[1], of[1]
}
