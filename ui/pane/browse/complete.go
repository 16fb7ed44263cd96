package browse

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/variables"
	"mcptea/ui/action"
	"mcptea/ui/command"
)

// candidates are values that the server offers for one argument. Typing goes
// on while they are awaited.
type candidates struct {
	field  string
	asked  *session.Call // nil once answered
	values []string
	more   bool
	at     int  // -1 while none is selected
	listed bool // the values are those of the form, not of the server
	wrong  string
}

// offer fills in the shape of an empty field, or asks the server for values.
func (p *Pane) offer(key string, e *entry) action.Action {
	if !e.AsJSON && e.FillExample() {
		e.Edited(true)
		return nil
	}
	if e.Suggestions() != nil && e.shape.ref == nil {
		return p.suggest(key, e, 0)
	}
	e.completingFrom = 0
	return p.complete(key, e)
}

// complete asks for the values of the argument with the focus.
func (p *Pane) complete(key string, e *entry) action.Action {
	if e.shape.ref == nil || e.AsJSON || e.Form.Len() == 0 {
		return action.Flash{Text: "There is nothing to suggest: the server completes the arguments of prompts and templates only, and no value was sent from this field yet."}
	}
	if !completes(p.state.Handshake) {
		return action.Flash{Text: "the server does not offer completions"}
	}
	field := e.Form.Focused()
	values := e.Form.Values()
	others := make(map[string]string)
	for name, v := range values {
		if name != field && v != "" {
			others[name] = variables.PlainText(v)
		}
	}
	params := map[string]any{
		"ref":      e.shape.ref(e.item),
		"argument": map[string]string{"name": field, "value": variables.PlainText(values[field])},
	}
	// The other arguments may be told since 2025-06-18.
	if r := p.state.Handshake.Revision; len(others) > 0 && r != "2024-11-05" && r != "2025-03-26" {
		params["context"] = map[string]any{"arguments": others}
	}
	e.completing = field
	return action.Start{Ref: p.ref(refComplete, key), Method: "completion/complete", Params: client.Params(params), Automatic: true}
}

// completionStarted keeps the earlier values of the field on show until the
// response comes.
func (e *entry) completionStarted(c *session.Call) {
	was := e.values
	e.values = &candidates{field: e.completing, asked: c, at: e.completingFrom}
	if was != nil && was.field == e.completing {
		e.values.values, e.values.more, e.values.at = was.values, was.more, was.at
	}
}

// refresh takes the answer; it reports whether it is still awaited.
func (c *candidates) refresh() (busy bool) {
	if c.asked == nil {
		return false
	}
	if c.asked.Running() {
		return true
	}
	answer, err := c.asked.Outcome()
	c.asked = nil
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		c.values, c.wrong = nil, err.Error()
		return false
	}
	list, _ := jsonrpc.Member(answer.Result(), "completion", "values")
	c.values, c.at, c.wrong = nil, min(c.at, 0), ""
	for raw := range jsonrpc.Elements(list) {
		c.values = append(c.values, loose(raw))
	}
	more, _ := jsonrpc.Member(answer.Result(), "completion", "hasMore")
	c.more = string(more) == "true"
	return false
}

// choose takes a key while candidates are shown.
func (p *Pane) choose(key string, e *entry, k tea.KeyPressMsg) (action.Action, bool) {
	c := e.values
	if c.field != e.Form.Focused() {
		e.values = nil
		return nil, false
	}
	values := c.fits(e.Form.Values()[c.field])
	n := len(values)
	cmd, ok := command.Lookup(command.Suggestions, k.String())
	if !ok || cmd.Context != command.Suggestions {
		cmd.ID = ""
	}
	if c.at < 0 && n == 0 && cmd.ID != "" {
		return nil, false // nothing is shown
	}
	switch cmd.ID {
	case command.Dismiss:
		e.values = nil
		return nil, true
	case command.Down:
		c.at = min(c.at+1, max(n-1, 0))
		return nil, true
	case command.Up:
		c.at = max(c.at-1, 0)
		return nil, true
	case command.Accept, command.InsertSuggestion:
		if n > 0 && c.at >= 0 {
			text := values[min(c.at, n-1)]
			if !c.listed {
				text = variables.Literal(text) // of the server
			}
			e.Set(c.field, text)
			e.Edited(true)
			e.values = nil
			return nil, true
		}
		e.values = nil
		return nil, false
	}
	before := e.Form.Version()
	if !e.Key(k) {
		return nil, false
	}
	if e.Form.Version() == before || c.asked != nil {
		return nil, true
	}
	e.Edited(true)
	return p.suggest(key, e, c.at), true
}

// suggest shows what could be filled in, after a change of the field with the focus: its
// options or the texts that were sent before, else what the server suggests. at is the
// entry that is selected, -1 for none.
func (p *Pane) suggest(key string, e *entry, at int) action.Action {
	if list := e.Suggestions(); len(list) > 0 && e.shape.ref == nil {
		e.values = &candidates{field: e.Form.Focused(), values: list, at: min(at, len(list)-1), listed: true}
		return nil
	}
	e.values = nil
	if e.shape.ref != nil && completes(p.state.Handshake) {
		e.completingFrom = at
		return p.complete(key, e)
	}
	return nil
}

// fits gives the candidates that hold what is typed, while the server has not
// answered for it yet.
func (c *candidates) fits(typed string) []string {
	if c.asked == nil || typed == "" {
		return c.values
	}
	var out []string
	for _, v := range c.values {
		if strings.Contains(strings.ToLower(v), strings.ToLower(typed)) {
			out = append(out, v)
		}
	}
	return out
}
