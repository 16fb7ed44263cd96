package reduce

import (
	"fmt"
	"maps"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/jsontree"
	"mcptea/record/store"
	"mcptea/session/runs/provenance"
	"mcptea/session/runs/replay"
)

// Read returns the case of a recording: the requests up to the one in a row. notes are sentences
// about requests that are left out.
func Read(t *replay.Transcript, until int32) (c *Case, notes []string, err error) {
	c = &Case{Asked: map[string]bool{}}
	for _, connection := range t.Store().Connections() {
		if connection.Revision != "" {
			c.Protocol = connection.Revision
		}
	}
	for i := range t.Turns {
		turn := &t.Turns[i]
		if turn.Row > until {
			break
		}
		if revision.Lasts(turn.Method) {
			notes = append(notes, fmt.Sprintf("frame %d (%s) is left out: a script has no command for it", turn.Row+1, turn.Method))
			continue
		}
		s, ok, err := c.step(t, turn)
		if err != nil {
			return nil, notes, err
		}
		if ok && !c.isNextRound(&s) {
			c.Steps = append(c.Steps, s)
		}
	}
	c.link()
	return c, notes, nil
}

// step returns the step for a turn. ok is false if the turn is a part of another step, or if mcptea
// run sends it itself.
func (c *Case) step(t *replay.Transcript, turn *replay.Turn) (s Step, ok bool, err error) {
	if revision.IsHandshake(turn.Method) || revision.FollowsTask(turn.Method) || turn.Method == "notifications/cancelled" {
		return s, false, nil
	}
	frame, err := t.Frame(turn.Row)
	if err != nil {
		return s, false, err
	}
	s = Step{Row: turn.Row, Method: turn.Method, IsNotice: !turn.IsRequest}
	s.Params, _ = jsontree.Decode(jsonrpc.Scan(frame).Params.Of(frame))
	if params, isObject := s.Params.(map[string]any); isObject {
		delete(params, "_meta")
		_, isList := revision.ListOf(turn.Method)
		if _, isNext := params["cursor"]; isList && isNext && len(c.Steps) > 0 && c.Steps[len(c.Steps)-1].Method == turn.Method {
			return s, false, nil // a page of the list before it
		}
	}
	if turn.Response != store.None {
		if s.Response, err = t.Frame(turn.Response); err != nil {
			return s, false, err
		}
	}
	err = c.answers(t, turn, &s)
	return s, err == nil, err
}

// isNextRound reports whether a request answers the input requests of the previous result (2026-07-28), which
// mcptea run does by itself. Then the previous step gets the answers and the response.
func (c *Case) isNextRound(s *Step) bool {
	responses, ok := jsontree.Get(s.Params, "inputResponses")
	if !ok || len(c.Steps) == 0 {
		return false
	}
	before := &c.Steps[len(c.Steps)-1]
	result, _ := jsontree.Decode(jsonrpc.Scan(before.Response).Result.Of(before.Response))
	asked, ok := jsontree.Get(result, "inputRequests")
	if !ok || before.Method != s.Method {
		return false
	}
	requests, _ := asked.(map[string]any)
	answers, _ := responses.(map[string]any)
	for _, name := range jsontree.Names(requests) {
		method, _ := jsontree.Get(requests[name], "method")
		params, _ := jsontree.Get(requests[name], "params")
		if value, ok := answers[name]; ok {
			c.answer(before, method, params, value)
		}
	}
	before.Row, before.Response = s.Row, s.Response
	return true
}

// answer adds an answer of the client to a step.
func (c *Case) answer(s *Step, method, params, value any) {
	kind := map[any]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}[method]
	if kind == "" {
		return
	}
	if schema, ok := jsontree.Get(params, "requestedSchema"); ok {
		_, names := schemaOfTree(schema)
		maps.Copy(c.Asked, names)
	}
	s.Answers = append(s.Answers, Answer{kind, value})
}

// answers adds the client's responses to the server requests of a turn.
func (c *Case) answers(t *replay.Transcript, turn *replay.Turn, s *Step) error {
	for _, row := range turn.Before {
		r, _ := t.Store().Row(row)
		if r.Kind != jsonrpc.Request || r.Pair == store.None {
			continue
		}
		request, err := t.Frame(row)
		if err != nil {
			return err
		}
		response, err := t.Frame(r.Pair)
		if err != nil {
			return err
		}
		params, _ := jsontree.Decode(jsonrpc.Scan(request).Params.Of(request))
		if value, ok := jsontree.Decode(jsonrpc.Scan(response).Result.Of(response)); ok {
			c.answer(s, t.Store().Method(r.Method), params, value)
		}
	}
	return nil
}

// link makes values that a step takes from an earlier result variables.
func (c *Case) link() {
	var chain provenance.Chain
	for i := range c.Steps {
		s := &c.Steps[i]
		for _, use := range chain.Request(s.Method, s.Params) {
			provider := &c.Steps[use.Provider]
			if captured := (Capture{use.Name, use.Expr}); !slices.Contains(provider.Captures, captured) {
				provider.Captures = append(provider.Captures, captured)
			}
			s.Params = jsontree.Set(s.Params, use.At, variable{use.Name})
		}
		result, ok := jsontree.Decode(jsonrpc.Scan(s.Response).Result.Of(s.Response))
		if list, isList := revision.ListOf(s.Method); ok && isList { // the result has the form that the command list captures
			entries, _ := jsontree.Get(result, list.Member)
			result = map[string]any{list.Name: entries}
		}
		if ok {
			chain.Result(i, nil, result)
		}
	}
}
