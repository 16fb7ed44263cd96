package reduce

import (
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/jsontree"
	"mcptea/session/record/store"
	"mcptea/session/runs/provenance"
	"mcptea/session/runs/replay"
)

// Read returns the case of a recording, with the requests up to the one of a row. notes are sentences about what is left
// out.
func Read(t *replay.Transcript, until int32) (c *Case, notes []string, err error) {
	c = &Case{}
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
		if ok {
			c.Steps = append(c.Steps, s)
		}
	}
	c.link()
	return c, notes, nil
}

// step returns the step of a turn; ok is false for what is a part of another step, or sent by mcptea run itself.
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
	s.Answers, err = answersOf(t, turn)
	return s, err == nil, err
}

// answersOf returns what the client answered to requests of the server that belong to a turn.
func answersOf(t *replay.Transcript, turn *replay.Turn) (answers []Answer, err error) {
	for _, row := range turn.Before {
		r, _ := t.Store().Row(row)
		kind := map[string]string{"elicitation/create": "elicitation", "sampling/createMessage": "sampling"}[t.Store().Method(r.Method)]
		if kind == "" || r.Pair == store.None {
			continue
		}
		response, err := t.Frame(r.Pair)
		if err != nil {
			return nil, err
		}
		if value, ok := jsontree.Decode(jsonrpc.Scan(response).Result.Of(response)); ok {
			answers = append(answers, Answer{kind, value})
		}
	}
	return answers, nil
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
		if list, isList := revision.ListOf(s.Method); ok && isList { // as the command of a list has it
			entries, _ := jsontree.Get(result, list.Member)
			result = map[string]any{list.Name: entries}
		}
		if ok {
			chain.Result(i, result)
		}
	}
}
