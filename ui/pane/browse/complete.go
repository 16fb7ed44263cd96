package browse

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/schema"
	"mcptea/internal/schema/variables"
	"mcptea/offer/invoke"
	"mcptea/session/session"
)

// candidates holds the suggested values for an argument. The user can keep typing while they are requested.
type candidates struct {
	node   *schema.Node
	asked  *session.Call // nil if no request is pending
	values []string
	more   bool
	at     int  // selected index, or -1
	listed bool // the values come from the form, not from the server
	wrong  string
}

// selected returns the index of the candidate that enter accepts, or -1 if none is selected. c may be nil.
func (c *candidates) selected() int {
	if c == nil || c.node == nil {
		return -1
	}
	return min(c.at, len(c.fits(c.node.Text))-1)
}

// nothingToOffer returns why there are no candidates, or "".
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

// completes reports whether the server completes arguments: it declares the capability, or it speaks
// 2024-11-05, which had none.
func completes(h client.Handshake) bool {
	return h.HasCapability("completions") || h.Revision == "2024-11-05"
}

// suggest shows candidates for the focused field: its options or earlier texts if there are any, or else
// suggestions of the server. at is the selected index, or -1.
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

// complete requests values for the focused argument. The previous values stay visible until the response
// arrives.
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
	// context.arguments was added in 2025-06-18.
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

// refresh handles the response, if any. It reports whether the request is still pending.
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

// accept fills in candidate i.
func (e *Item) accept(i int) {
	c := e.values
	text := c.fits(c.node.Text)[i]
	if !c.listed {
		text = variables.Literal(text) // text from the server is literal
	}
	e.Set(c.node, text)
	e.values = nil
}

// choose handles a key that moves in the candidates, accepts one, or closes them.
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

// completes returns the index of the candidate that tab completes the typed text to, or -1. It is 0 if the
// first candidate extends the text.
func (c *candidates) completes() int {
	typed, values := c.node.Text, c.fits(c.node.Text)
	if typed == "" || len(values) == 0 || len(values[0]) <= len(typed) || !strings.EqualFold(values[0][:len(typed)], typed) || slices.Contains(values, typed) {
		return -1
	}
	return 0
}

// fits returns the candidates to show. While a request is pending, these are the ones that contain the typed
// text.
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
