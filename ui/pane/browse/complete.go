package browse

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/variables"
	"mcptea/session/offer/invoke"
	"mcptea/session/session"
)

// candidates are values that the server offers for one argument. Typing goes
// on while they are awaited.
type candidates struct {
	node   *schema.Node
	asked  *session.Call // nil once answered
	values []string
	more   bool
	at     int  // -1 while none is selected
	listed bool // the values are those of the form, not of the server
	wrong  string
}

// selected is the candidate that enter fills in; -1 while none is, and enter does what it does without them.
func (c *candidates) selected() int {
	if c == nil || c.node == nil {
		return -1
	}
	return min(c.at, len(c.fits(c.node.Text))-1)
}

// nothingToOffer is why there is nothing to choose from.
func (e *Item) nothingToOffer() string {
	switch {
	case e.AsJSON || e.Form.Len() == 0:
		return "There is no field to complete."
	case e.Suggestions() != nil && e.shape.Ref == nil:
		return ""
	case e.shape.Ref == nil:
		return "Nothing to suggest: servers complete prompts and templates only, and nothing was sent from this field yet."
	case !completes(e.p.tick.State.Handshake):
		return "The server does not offer completions."
	}
	return ""
}

// completes reports whether it makes sense to ask a server for values: it says so, or it
// speaks the revision that had no capability for it.
func completes(h client.Handshake) bool {
	return h.HasCapability("completions") || h.Revision == "2024-11-05"
}

// suggest shows what could be filled in: the options of the field with the focus or the
// texts that were sent before, else what the server suggests. at is the entry that is
// selected, -1 for none.
func (e *Item) suggest(at int) {
	if list := e.Suggestions(); len(list) > 0 && e.shape.Ref == nil {
		e.values = &candidates{node: e.Node(), values: list, at: min(at, len(list)-1), listed: true}
		return
	}
	if e.shape.Ref != nil && completes(e.p.tick.State.Handshake) {
		e.complete(at)
		return
	}
	e.values = nil
}

// complete asks for the values of the argument with the focus. The earlier ones stay on
// show until the response comes.
func (e *Item) complete(at int) {
	node, p := e.Node(), e.p
	argument, others := map[string]string{}, map[string]string{}
	for _, n := range e.Tree.Members() {
		if text := variables.PlainText(n.Text); n == node {
			argument = map[string]string{"name": n.Name, "value": text}
		} else if text != "" {
			others[n.Name] = text
		}
	}
	params := map[string]any{"ref": e.shape.Ref(e.item), "argument": argument}
	// The other arguments may be told since 2025-06-18.
	if r := p.tick.State.Handshake.Revision; len(others) > 0 && r != "2024-11-05" && r != "2025-03-26" {
		params["context"] = map[string]any{"arguments": others}
	}
	p.app.Online("", func() {
		was := e.values
		e.values = &candidates{node: node, asked: p.s.Start("completion/complete", client.Params(params)), at: at}
		if was != nil && was.node == node {
			e.values.values, e.values.more, e.values.at = was.values, was.more, was.at
		}
		p.running[e.key] = e
	})
}

// refresh takes the answer; it reports whether it is still awaited.
func (c *candidates) refresh() (busy bool) {
	if c == nil || c.asked == nil {
		return false
	}
	if c.asked.Running() {
		return true
	}
	result, err := c.asked.Result()
	c.asked = nil
	if err != nil {
		c.values, c.wrong = nil, err.Error()
		return false
	}
	c.values, c.at, c.wrong = nil, min(c.at, 0), ""
	for raw := range jsonrpc.Elements(jsonrpc.Get(result, "completion", "values")) {
		c.values = append(c.values, invoke.Plain(raw))
	}
	c.more = string(jsonrpc.Get(result, "completion", "hasMore")) == "true"
	return false
}

// accept fills in a candidate.
func (e *Item) accept(i int) {
	c := e.values
	text := c.fits(c.node.Text)[i]
	if !c.listed {
		text = variables.Literal(text) // of the server
	}
	e.Set(c.node, text)
	e.values = nil
}

// choose takes a key that moves in the candidates, or ends them.
func (e *Item) choose(k tea.KeyPressMsg) (taken bool) {
	c := e.values
	if c.node != e.Node() {
		e.values = nil
		return false
	}
	n := len(c.fits(c.node.Text))
	if c.at < 0 && n == 0 { // nothing is shown
		return false
	}
	switch k.Key().Code {
	case tea.KeyEscape:
		e.values = nil
	case tea.KeyDown:
		c.at = min(c.at+1, max(n-1, 0))
	case tea.KeyUp:
		c.at = max(c.at-1, 0)
	case tea.KeyEnter, tea.KeyTab:
		at := c.selected()
		if at < 0 && k.Key().Code == tea.KeyTab {
			at = c.completes()
		}
		if at < 0 {
			e.values = nil
			return false
		}
		e.accept(at)
	default:
		return false
	}
	return true
}

// completes is the candidate that the tab key makes of what is typed: the first one, where it begins so and goes
// on; -1 for none.
func (c *candidates) completes() int {
	typed, values := c.node.Text, c.fits(c.node.Text)
	if typed == "" || len(values) == 0 || len(values[0]) <= len(typed) || !strings.EqualFold(values[0][:len(typed)], typed) || slices.Contains(values, typed) {
		return -1
	}
	return 0
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
