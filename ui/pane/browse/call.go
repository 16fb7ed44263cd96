package browse

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/schema"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/failure"
	"mcptea/session/offer"
	"mcptea/session/offer/invoke"
	"mcptea/session/record/store"
	"mcptea/session/session"
	"mcptea/ui/app"

	"mcptea/ui/paint"
	"mcptea/ui/result"
)

const (
	keepCalls = 20               // of one item
	atOnce    = 256 << 10        // a larger answer is decoded in the background
	extension = 30 * time.Second // how much longer a request may take
)

// call is one request for an item, running or over.
type call struct {
	*session.Call
	sent    string     // the arguments, as much of them as can be shown
	flight  store.Flow // the last that was seen of it
	over    bool
	unsent  bool // it has failed before its request reached a server
	size    int  // of the response
	err     error
	ended   time.Duration // how long it took
	outcome outcome
	fresh   client.Freshness // of the response, once it is over
	sum     uint64           // of what it gave, without _meta; 0 without a response, and before it is known
	reload  bool             // it was sent because the resource had changed
	view    *result.View     // nil until it has ended

	edits     int            // [form.Form.Version] when it was sent
	compared  int            // the version that differs is about
	differs   bool           // the arguments in the form are not those that were sent
	problems  []string       // of the structured content, by the output schema of the tool
	row       int32          // of its response, or of its request without one; store.None until it has ended
	crash     *failure.Crash // nil unless the server ended during the call
	attempt   int            // to connect, whose connection it was sent on
	logs      int            // entries of the log that were read for the crash
	unmatched failure.Unmatched
	remedies  remedies      // once it has ended
	more      time.Duration // to wait than others, until the session knows the request
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

// AddCall takes a new call to the item and shows it.
func (e *Item) AddCall(c *session.Call) {
	sent := argumentsOf(c.Params)
	e.calls = append(e.calls, &call{Call: c, sent: strings.Clone(sent[:min(len(sent), maxSent)]), edits: e.Version(), row: store.None, attempt: e.p.tick.State.Attempt})
	if n := len(e.calls) - keepCalls; n > 0 {
		e.calls = slices.Delete(e.calls, 0, n)
	}
	e.at = len(e.calls) - 1
	if !e.repeat.Runs() {
		e.repeat.Repetition = nil // this one is newer
	}
	e.p.running[e.key] = e
}

// differs reports that the arguments in the form are not those of a call any more.
func (e *Item) differs(c *call) bool {
	now := e.Version()
	if now == c.edits {
		return false
	}
	if now != c.compared {
		args, _ := e.Values()
		params, err := e.shape.Params(e.item, args)
		c.compared, c.differs = now, err != nil || strings.TrimPrefix(argumentsOf(params), "{}") != strings.TrimPrefix(argumentsOf(c.Params), "{}")
	}
	return c.differs
}

// argumentsOf is what a request was sent with, to be shown.
func argumentsOf(params []byte) string {
	for _, name := range []string{"arguments", "uri"} {
		if v, ok := jsonrpc.Member(params, name); ok {
			return invoke.Plain(v)
		}
	}
	return ""
}

// shown is the call on show, nil when there was none.
func (e *Item) shown() *call {
	if e.at < 0 || e.at >= len(e.calls) {
		return nil
	}
	return e.calls[e.at]
}

// onShow is shown, nil without an entry.
func (e *Item) onShow() *call {
	if e == nil {
		return nil
	}
	return e.shown()
}

// newest is the newest call, nil without one.
func (e *Item) newest() *call {
	if e == nil || len(e.calls) == 0 {
		return nil
	}
	return e.calls[len(e.calls)-1]
}

// pending is the call on show while it runs, or the newest one that runs.
func (e *Item) pending() *call {
	if c := e.shown(); c != nil && !c.over {
		return c
	}
	for _, c := range slices.Backward(e.calls) {
		if !c.over {
			return c
		}
	}
	return nil
}

// result is what came of a call; nil before that.
func (c *call) result() *result.View {
	if c == nil {
		return nil
	}
	return c.view
}

// advance takes note of what became of a call, and reports whether it goes on.
func (c *call) advance(e *Item) (busy bool) {
	if c.over {
		return false
	}
	if s := e.p.s.Store(); s != nil {
		c.unmatched.Look(s, c.Started)
	}
	for i := range e.p.tick.Pending {
		if f := &e.p.tick.Pending[i]; f.ID.Same(c.Last()) && f.Dir == transport.Out && f.Method == c.Method {
			c.flight = *f
		}
	}
	if c.more > 0 && e.p.s.Extend(c.Last(), c.more) {
		c.more = 0
	}
	if c.Running() {
		return true
	}
	response, err := c.Outcome()
	c.end(e, response, err, c.ToolError())
	return false
}

// explained adds to an error of the connection what the session knows of its cause. proven says that the cause is
// one that waiting does not change.
func (e *Item) explained(err error) (proven bool, _ error) {
	var timeout *client.TimeoutError
	var status *transport.StatusError
	var refused *transport.AuthorizationError
	isTimeout := errors.As(err, &timeout)
	if !isTimeout && !errors.As(err, &status) && !errors.As(err, &refused) && !isInvalid(err) && !isLost(err) {
		return false, err
	}
	s, live := e.p.s.(*session.Session)
	if !live {
		return false, err
	}
	why := failure.Explain(err, failure.FactsOf(s))
	told := &result.Explained{Err: err, Sentence: why.Sentence, Cause: why.Cause(), Try: why.Try(), Call: why.CallText()}
	if isInvalid(err) && len(why.Evidence) > 0 {
		told.Near = string(why.Evidence[0].Kind) + ": " + why.Evidence[0].Text
	}
	if isTimeout { // the page says that the call was cancelled
		told.Call = ""
	}
	if len(why.Remedies()) > 0 && why.Remedies()[0].Action == failure.ActionAgain { // a key of the page does it
		told.Try = ""
	}
	if told.Cause == "" && told.Call == "" {
		return false, err
	}
	return len(why.Causes) > 0 && why.Causes[0].Strength == failure.Proves, told
}

// isLost reports the error of a request over HTTP whose response cannot arrive any more.
func isLost(err error) bool {
	var lost *mcphttp.LostError
	var closed *client.ClosedError
	var exit *stdio.ExitError
	return errors.As(err, &lost) || errors.As(err, &closed) && !errors.As(err, &exit)
}

// explainedReply returns what the session knows of the cause of a response that reports a failure, or nil.
func (e *Item) explainedReply(response client.Response) error {
	s, live := e.p.s.(*session.Session)
	if !live {
		return nil
	}
	known := failure.OfResponse(s, response)
	if known.Cause == "" {
		return nil
	}
	seen := ""
	if len(known.Evidence) > 0 {
		seen = string(known.Evidence[0].Kind) + ": " + known.Evidence[0].Text
	}
	return &result.Explained{Err: errors.New(known.Cause), Sentence: seen, Cause: known.Cause, Try: known.Remedy.Text}
}

// end takes the response, or the reason why no response came.
func (c *call) end(e *Item, response client.Response, err error, toolFailed bool) {
	c.over, c.size, c.err, c.ended = true, len(response.Frame), err, response.Took
	c.outcome = outcomeOf(response, err, toolFailed)
	if c.unsent = c.Unsent(e.p.s.Store()); c.unsent && c.outcome.level == failed {
		c.outcome.word = "not sent"
	}
	c.remedies = remediesOf(e, c)
	c.locate(e.p.s.Store())
	proven, why := e.explained(err)
	if proven {
		c.remedies.longer = 0
	}
	if err == nil && (toolFailed || response.Err() != nil) {
		why = e.explainedReply(response)
	}
	c.view = result.New(e.p.app, c.Method, response, why, func() int32 { return c.row })
	c.view.Filter(e.filter)
	c.view.Keep = func(filter string) { e.filter = filter }
	c.view.Command = func(filter string) { e.p.copyCommand(e, filter) }
	if len(response.Frame) <= atOnce {
		c.problems = outputProblems(e.output, response, err, toolFailed)
		c.fresh, c.sum = client.FreshnessOf(response.Result()), sumOf(response)
		return
	}
	e.p.app.Go(func(context.Context) func() {
		fresh, sum := client.FreshnessOf(response.Result()), sumOf(response)
		return func() { c.fresh, c.sum = fresh, sum }
	})
}

// sumOf is a hash of what a response gave: its result, or its error.
func sumOf(response client.Response) uint64 {
	given := response.Result()
	if response.Err() != nil {
		given = response.Envelope.Error.Of(response.Frame)
	}
	sum, _ := jsonrpc.Hash(given, "_meta")
	return sum
}

// locate notes the row of the response, or of the request without one, when the call has
// ended: later connections use the ids again.
func (c *call) locate(s *store.Store) {
	if s == nil {
		return
	}
	if t, ok := c.Task(); ok && t.ResponseRow >= 0 {
		c.row = t.ResponseRow
		return
	}
	sent := c.flight.Row()
	if sent == store.None { // it ended before it was seen pending
		sent = c.Ref().Row()
	}
	request, response := s.Related(sent)
	if c.row = response; response == store.None {
		c.row = request
		return
	}
	if c.ID.Same(c.Last()) { // one request: as long as Traffic says
		from, _ := s.Row(request)
		to, _ := s.Row(response)
		c.ended = time.Duration(to.Time - from.Time)
	}
}

// outputProblems checks what a tool gave against what it promised.
func outputProblems(output *schema.Form, answer client.Response, err error, toolFailed bool) []string {
	if output == nil || err != nil || toolFailed || answer.Err() != nil {
		return nil
	}
	return invoke.OutputProblems(*output, answer.Result())
}

// title names a call by its id: "call id 8".
func (c *call) title(verb string) string {
	if !c.ID.Present() {
		return verb
	}
	text := verb + " id " + c.ID.String()
	if last := c.Last(); !c.ID.Same(last) { // it was sent again with the responses that the server had asked for
		text += ", then " + last.String()
	}
	return text
}

// outcomeOf is the outcome of a call in words.
func outcomeOf(answer client.Response, err error, toolFailed bool) outcome {
	var timeout *client.TimeoutError
	switch {
	case errors.Is(err, session.ErrCancelled):
		return outcome{word: "cancelled", level: stopped}
	case errors.As(err, &timeout):
		return outcome{word: "timed out after " + phrase.Took(timeout.After), level: timedOut}
	case err != nil:
		return outcome{word: session.NoResponse(err), level: failed}
	case answer.Envelope.Kind == jsonrpc.ErrorResponse:
		return outcome{word: answer.Envelope.ErrorCode().Phrase(), level: failed}
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

// progress is how much of a running call is done, and how long it may take yet;
// left is negative when that cannot be told.
func (c *call) progress(now time.Time) (fraction float64, left time.Duration) {
	f := &c.flight
	if !f.HasTotal || f.Total <= 0 {
		return -1, -1
	}
	fraction = min(max(f.Progress/f.Total, 0), 1)
	took := f.LastReport.Sub(c.Started)
	if fraction <= 0.01 || fraction == 1 || took <= 0 {
		return fraction, -1
	}
	whole := time.Duration(float64(took) / fraction)
	return fraction, whole - now.Sub(c.Started)
}

// Beside is what the list says beside the name of an item: that it has changed, or how the newest
// call went. It is empty where there is nothing to say.
func (p *Panel) Beside(pal *paint.Palette, key string, it offer.Item) paint.Span {
	c := p.items[key].newest()
	switch {
	case it.Kind == "resources" && p.isNews(it, c):
		return paint.Span{Style: pal.Warn, Text: "changed"}
	case c != nil:
		return c.beside(pal, p.tick)
	}
	return paint.Span{}
}

// beside is how a call went.
func (c *call) beside(pal *paint.Palette, t app.Tick) paint.Span {
	switch {
	case !c.over:
		return paint.Span{Style: pal.Warn, Text: paint.Spinner(pal, t.Spin) + " " + phrase.Took(max(t.Now.Sub(c.Started), 0))}
	case c.outcome.level == stopped:
		return paint.Span{Style: pal.Warn, Text: c.outcome.word}
	case c.failed():
		return paint.Span{Style: pal.Error, Text: pal.FailMark + " " + phrase.Took(c.ended)}
	}
	return paint.Span{Style: pal.Muted, Text: phrase.Took(c.ended)}
}
