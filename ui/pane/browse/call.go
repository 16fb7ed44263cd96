package browse

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
	"mcptea/session/schema"
	"mcptea/session/store"
	"mcptea/ui/content"
	"mcptea/ui/paint"
)

const (
	keepCalls = 20        // of one item
	atOnce    = 256 << 10 // a larger answer is decoded in the background
)

// call is one request for an item, running or over.
type call struct {
	*session.Call
	sent    string     // the arguments, as much of them as can be shown
	flight  store.Flow // the last that was seen of it
	over    bool
	answer  client.Response
	err     error
	ended   time.Duration // how long it took
	outcome outcome
	fresh   client.Freshness // of the response, once it is over
	reload  bool             // it was sent because the resource had changed
	view    *content.View
	layers  content.Layers // what is shown over the result
	reading chan decoded   // of a large response, nil when it is decoded

	edits     int      // of the arguments, when it was sent
	problems  []string // of the structured content, by the output schema of the tool
	row       *int32   // of its response, or of its request without one; nil until it has ended
	crash     *crash   // nil unless the server ended during the call
	scanning  bool
	scanned   int32 // rows that were searched for an unmatched response
	unmatched int32 // the newest of them, or store.None
}

// outcome is what painting says of a response, beside its content.
type outcome struct {
	word  string
	level level
}

// level is how well a call went.
type level uint8

const (
	succeeded level = iota
	stopped         // by the user
	toolError
	failed
	timedOut // its word has the time
)

// style is that of the word for a level.
func (l level) style(pal *paint.Palette) paint.Style {
	switch l {
	case succeeded:
		return pal.OK
	case failed, timedOut:
		return pal.Error
	}
	return pal.Warn
}

// maxSent is how much of the arguments is kept to be shown.
const maxSent = 1 << 10

// addCall takes a new call to the item and shows it.
func (e *entry) addCall(c *session.Call) {
	sent := argumentsOf(c.Params)
	e.calls = append(e.calls, &call{Call: c, sent: strings.Clone(sent[:min(len(sent), maxSent)]), flight: store.Flow{Ref: store.NoRef}, edits: e.edits()})
	if n := len(e.calls) - keepCalls; n > 0 {
		e.calls = slices.Delete(e.calls, 0, n)
	}
	e.at = len(e.calls) - 1
}

// edits changes with the arguments that are being written.
func (e *entry) edits() int {
	if e.Form == nil {
		return 0
	}
	return e.Form.Version() + e.Editor.Buffer().Version()
}

// Adopt takes over a call that was sent elsewhere, when it is one of an item of
// the pane.
func (p *Pane) Adopt(c *session.Call) bool {
	for key, i := range p.places {
		it := p.items[i]
		if shapes[it.Kind].method != c.Method || it.Name != c.Name && it.URI != c.Name {
			continue
		}
		e := p.entries[key]
		if e == nil {
			e = newEntry(it)
			p.entries[key] = e
		}
		e.addCall(c)
		p.running[key], p.called[key] = e, e
		return true
	}
	return false
}

// ShowResult moves the focus from the arguments to the call on show.
func (p *Pane) ShowResult() {
	if _, e := p.selected(); e.onShow() != nil {
		p.part = inResult
	}
}

// shown is the call on show, nil when there was none.
func (e *entry) shown() *call {
	if e.at < 0 || e.at >= len(e.calls) {
		return nil
	}
	return e.calls[e.at]
}

// onShow is shown, nil without an entry.
func (e *entry) onShow() *call {
	if e == nil {
		return nil
	}
	return e.shown()
}

// refresh takes note of what became of a call. It reports whether something
// goes on still.
func (c *call) refresh(e *entry, flights []store.Flow) (busy bool) {
	if c.over {
		if c.reading != nil {
			select {
			case d := <-c.reading:
				c.show(d)
			default:
				return true
			}
		}
		busy = c.layers.Busy()
		return c.view.Busy() || busy
	}
	for i := range flights {
		if f := &flights[i]; f.ID == string(c.Last()) && f.Dir == 0 && f.Method == c.Method {
			c.flight = *f
		}
	}
	if c.Running() {
		return true
	}
	answer, err := c.Outcome()
	return c.end(e, answer, err, c.ToolError())
}

// decoded is what is read from all of a response.
type decoded struct {
	view  *content.View
	fresh client.Freshness
}

// end takes the response, or the reason why no response came. A small response is
// decoded at once, a large one in the background; end reports whether that goes on.
func (c *call) end(e *entry, response client.Response, err error, toolFailed bool) (busy bool) {
	c.over, c.answer, c.err, c.ended = true, response, err, response.Took
	c.outcome = outcomeOf(response, err, toolFailed)
	method := c.Method
	decode := func() decoded {
		return decoded{content.New(method, response, err), client.FreshnessOf(response.Result())}
	}
	if len(response.Frame) <= atOnce {
		c.problems = outputProblems(e.output, response, err, toolFailed)
		c.show(decode())
		return c.view.Busy()
	}
	reading := make(chan decoded, 1)
	c.reading = reading
	go func() { reading <- decode() }()
	return true
}

// top is the view on show, nil while it is waited for.
func (c *call) top() *content.View { return c.layers.Top(c.view) }

func (c *call) show(d decoded) { c.view, c.fresh, c.reading = d.view, d.fresh, nil }

// outputProblems checks what a tool gave against what it promised.
func outputProblems(output *schema.Form, answer client.Response, err error, toolFailed bool) []string {
	if output == nil || err != nil || toolFailed || answer.Err() != nil {
		return nil
	}
	result := answer.Result()
	structured, ok := jsonrpc.Member(result, "structuredContent")
	if !ok {
		return []string{"the tool has an outputSchema, but the result has no structuredContent"}
	}
	var found []string
	for _, w := range output.Check(structured) {
		found = append(found, "structuredContent does not follow the outputSchema: "+w.Error())
	}
	return found
}

// title names a call: "call 8".
func (c *call) title(verb string) string {
	if c.ID == "" {
		return verb
	}
	return verb + " " + string(c.ID)
}

// outcomeOf is the outcome of a call in words.
func outcomeOf(answer client.Response, err error, toolFailed bool) outcome {
	var timeout *client.TimeoutError
	switch {
	case errors.Is(err, session.ErrCancelled):
		return outcome{word: "cancelled", level: stopped}
	case errors.As(err, &timeout):
		return outcome{word: "timed out after " + paint.HumanDuration(timeout.After), level: timedOut}
	case err != nil:
		return outcome{word: "no response", level: failed}
	case answer.Envelope.Kind == jsonrpc.ErrorResponse:
		return outcome{word: "error " + strconv.FormatInt(answer.Envelope.Code, 10), level: failed}
	case toolFailed:
		return outcome{word: "tool error", level: toolError}
	}
	return outcome{word: "ok"}
}

// word is the word for how a call stands.
func (c *call) word(pal *paint.Palette) paint.Span {
	if !c.over {
		return paint.Span{Style: pal.Warn, Text: "running"}
	}
	return paint.Span{Style: c.outcome.level.style(pal), Text: c.outcome.word}
}

// failed reports whether a call that is over did not go well.
func (c *call) failed() bool { return c.outcome.level != succeeded }

// done is how much of a running call is done, and how long it may take yet;
// left is negative when that cannot be told.
func (c *call) progress(now time.Time) (fraction float64, left time.Duration) {
	f := &c.flight
	if !f.HasTotal || f.Total <= 0 {
		return -1, -1
	}
	fraction = min(max(f.Progress/f.Total, 0), 1)
	took := f.LastReport.Sub(c.Started)
	if fraction == 0 || took <= 0 {
		return fraction, -1
	}
	whole := time.Duration(float64(took) / fraction)
	return fraction, whole - now.Sub(c.Started)
}
