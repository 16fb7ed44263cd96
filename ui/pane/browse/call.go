package browse

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcptea/check/modelview"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	mcphttp "mcptea/client/transport/http"
	"mcptea/client/transport/stdio"
	"mcptea/internal/words/phrase"
	"mcptea/offer"
	"mcptea/offer/invoke"
	"mcptea/record/store"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
	"mcptea/ui/app"

	"mcptea/ui/paint"
	"mcptea/ui/result"
)

const (
	keepCalls = 20               // calls kept per item
	atOnce    = 256 << 10        // larger responses and definitions are decoded in the background
	extension = 30 * time.Second // extra time for a pending request
)

// A call is a request for an item, pending or finished.
type call struct {
	*session.Call
	sent    string     // arguments, at most maxSent bytes
	flight  store.Flow // newest state of the exchange
	over    bool
	unsent  bool // failed before the request reached a server
	size    int  // bytes of the response
	err     error
	ended   time.Duration // duration
	outcome outcome
	fresh   client.Freshness // freshness of the response; set when the call is over
	sum     uint64           // hash of the result or error without _meta; 0 if there is no result or it is not computed yet
	reload  bool             // sent automatically because the resource changed
	view    *result.View     // nil until the call is over

	edits     int            // [form.Form.Version] when the call was sent
	compared  int            // form version for which differs was computed
	differs   bool           // the form no longer holds the arguments that were sent
	problems  []string       // violations of the output schema
	cutters   string         // hosts that do not give the whole result to a model; see [modelview.Cutters]
	row       int32          // row of the response, or of the request if there is no response; store.None while pending
	crash     *failure.Crash // nil unless the server ended during the call
	attempt   int            // connection attempt that the call was sent on
	logs      int            // number of log entries when crash was read
	unmatched failure.Unmatched
	remedies  remedies      // set when the call is over
	more      time.Duration // extra timeout, until the session knows the request
}

// An outcome is the result of a call in a word, for painting.
type outcome struct {
	word  string
	level level
}

// A level classifies an outcome.
type level uint8

const (
	succeeded level = iota
	stopped         // cancelled by the user
	toolError
	failed
	timedOut // the word includes the duration
)

// style returns the style of an outcome word.
func (l level) style(pal *paint.Palette) paint.Style {
	switch l {
	case succeeded:
		return pal.OK
	case failed, timedOut:
		return pal.Error
	}
	return pal.Warn
}

// maxSent bounds the arguments kept for display, in bytes.
const maxSent = 1 << 10

// AddCall adds a call to the item and shows it.
func (e *Item) AddCall(c *session.Call) {
	sent := argumentsOf(c.Params)
	e.calls = append(e.calls, &call{Call: c, sent: strings.Clone(sent[:min(len(sent), maxSent)]), edits: e.Version(), row: store.None, attempt: e.p.tick.State.Attempt})
	if n := len(e.calls) - keepCalls; n > 0 {
		e.calls = slices.Delete(e.calls, 0, n)
	}
	e.at = len(e.calls) - 1
	if !e.repeat.Runs() {
		e.repeat.Repetition = nil // superseded by the new call
	}
	e.p.running[e.key] = e
}

// differs reports whether the form no longer holds the arguments of the call.
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

// argumentsOf returns the arguments of a request for display.
func argumentsOf(params []byte) string {
	for _, name := range []string{"arguments", "uri"} {
		if v, ok := jsonrpc.Member(params, name); ok {
			return invoke.Plain(v)
		}
	}
	return ""
}

// shown returns the selected call, or nil if there are no calls.
func (e *Item) shown() *call {
	if e.at < 0 || e.at >= len(e.calls) {
		return nil
	}
	return e.calls[e.at]
}

// onShow is like shown, but e may be nil.
func (e *Item) onShow() *call {
	if e == nil {
		return nil
	}
	return e.shown()
}

// newest returns the newest call, or nil.
func (e *Item) newest() *call {
	if e == nil || len(e.calls) == 0 {
		return nil
	}
	return e.calls[len(e.calls)-1]
}

// pending returns the selected call if it is pending, or else the newest pending call, or nil.
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

// result returns the view of the response, or nil while the call is pending. c may be nil.
func (c *call) result() *result.View {
	if c == nil {
		return nil
	}
	return c.view
}

// advance updates the call and reports whether it is still pending.
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

// explained adds the cause to a connection error if the session knows it. proven reports whether the cause is
// certain, so that waiting longer does not help.
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
	explained := &result.Explained{Err: err, Sentence: why.Sentence, Cause: why.Cause(), Try: why.Try(), Call: why.CallText()}
	if isInvalid(err) && len(why.Evidence) > 0 {
		explained.Near = string(why.Evidence[0].Kind) + ": " + why.Evidence[0].Text
	}
	if isTimeout { // the page reports that the call was cancelled
		explained.Call = ""
	}
	if len(why.Remedies()) > 0 && why.Remedies()[0].Action == failure.ActionAgain { // a key of the page does it
		explained.Try = ""
	}
	if explained.Cause == "" && explained.Call == "" {
		return false, err
	}
	return len(why.Causes) > 0 && why.Causes[0].Strength == failure.Proves, explained
}

// isLost reports whether the error means that the response to an HTTP request can no longer arrive.
func isLost(err error) bool {
	var lost *mcphttp.LostError
	var closed *client.ClosedError
	var exit *stdio.ExitError
	return errors.As(err, &lost) || errors.As(err, &closed) && !errors.As(err, &exit)
}

// explainedReply returns the cause of a response that reports a failure, if the session knows it, or nil.
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

// end records the response, or the error if there is no response.
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
	results := e.results
	read := func() (done func()) {
		var problems []string
		if err == nil && response.Err() == nil {
			problems = results.Problems(response.Result(), toolFailed)
		}
		fresh, sum := client.FreshnessOf(response.Result()), sumOf(response)
		cutters := ""
		if c.Method == "tools/call" {
			cutters = modelview.Cutters(textOf(response.Result()))
		}
		return func() { c.problems, c.fresh, c.sum, c.cutters = problems, fresh, sum, cutters }
	}
	if len(response.Frame) <= atOnce {
		read()()
		return
	}
	e.p.app.Go(func(context.Context) func() { return read() })
}

// textOf returns the number of characters of the texts of a result.
func textOf(res []byte) (characters int) {
	list, _ := jsonrpc.Member(res, "content")
	for block := range jsonrpc.Elements(list) {
		text, _ := jsonrpc.Member(block, "text")
		characters += utf8.RuneCount(jsonrpc.TokenOf(text).Meaning())
	}
	return characters
}

// sumOf returns a hash of the result or error of a response, without _meta.
func sumOf(response client.Response) uint64 {
	given := response.Result()
	if response.Err() != nil {
		given = response.Envelope.Error.Of(response.Frame)
	}
	sum, _ := jsonrpc.Hash(given, "_meta")
	return sum
}

// locate records the row of the response, or of the request if there is no response. It must run when the call
// ends, because later connections reuse ids.
func (c *call) locate(s *store.Store) {
	if s == nil {
		return
	}
	if t, ok := c.Task(); ok && t.ResponseRow >= 0 {
		c.row = t.ResponseRow
		return
	}
	sent := c.flight.Row()
	if sent == store.None { // ended before it was seen pending
		sent = c.Ref().Row()
	}
	request, response := s.Related(sent)
	if c.row = response; response == store.None {
		c.row = request
		return
	}
	if c.ID.Same(c.Last()) { // a single request: use the duration that Traffic shows
		from, _ := s.Row(request)
		to, _ := s.Row(response)
		c.ended = time.Duration(to.Time - from.Time)
	}
}

// title names a call by its id, as in "call id 8".
func (c *call) title(verb string) string {
	if !c.ID.Present() {
		return verb
	}
	text := verb + " id " + c.ID.String()
	if last := c.Last(); !c.ID.Same(last) { // resent with the responses to input requests
		text += ", then " + last.String()
	}
	return text
}

// outcomeOf returns the outcome of a finished call.
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

// word returns the state of a call in a word.
func (c *call) word(pal *paint.Palette) paint.Span {
	if !c.over {
		return paint.Span{Style: pal.Warn, Text: "running"}
	}
	return paint.Span{Style: c.outcome.level.style(pal), Text: c.outcome.word}
}

// failed reports whether a finished call did not succeed.
func (c *call) failed() bool { return c.outcome.level != succeeded }

// progress returns the fraction of a pending call that is done and the estimated time left. Either is negative
// if unknown.
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

// Beside returns the text next to the name of an item: its change, or the outcome of the newest call. It is
// empty if there is nothing to report.
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

// beside returns the outcome of a call in a few cells.
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
