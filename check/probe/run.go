package probe

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
)

// A Run is the run of one probe. It gives access to the server and its connections and collects findings. It
// must be used by one goroutine. The probe ends when it is skipped or cannot be judged, when the run is
// stopped, or when the server is gone. After that, nothing is sent or reported, and exchanges have the outcome
// Unsent.
type Run struct {
	Server   *Server
	ctx      context.Context
	runner   *Runner
	report   *Report
	name     string   // name of the newest case
	control  *Conn    // connection for plain forms; nil before the first
	unproven *Because // why the first dropped finding was dropped, or nil
	covered  []string // lint rules, see [Run.Covers]
	silent   []*late  // exchanges still without a response
	// serverErrors is the number of responses with an HTTP 5xx status.
	serverErrors int
	// reached reports whether the server has reacted to a frame of the probe.
	reached bool
	sent    bool // a frame was sent to the address at which the server was
	fresh   []*Conn
	ahead   []*Conn // connections of [Run.OpenAhead] that were not returned yet
	// own restricts linter findings to one connection. If nil, all connections count.
	own *Conn
	// reproduced reports whether a frame ended the server twice. Later ends are not reproduced.
	reproduced bool
	// sessions holds the headers of the sessions started by [Run.Session].
	sessions []http.Header
	closers  []func() // functions that release what the probe has opened
	ended    Verdict  // Skipped or Failure; "" while the probe runs
	why      string   // why it ended
	because  *Because // structured reason; may be nil
}

// Skip ends the probe because it does not apply.
func (r *Run) Skip(why string) { r.end(Skipped, why) }

// SkipIf skips the probe if the condition holds, and reports whether it does.
func (r *Run) SkipIf(holds bool, why string) bool {
	if holds {
		r.Skip(why)
	}
	return holds
}

// Unjudged ends the probe with the verdict Failure.
func (r *Run) Unjudged(format string, args ...any) { r.end(Failure, fmt.Sprintf(format, args...)) }

// unjudged is like Unjudged, with a cause that other probes may share.
func (r *Run) unjudged(why *Because) {
	if r.ended == "" {
		r.because = why
	}
	r.end(Failure, why.Why)
}

// end ends the probe, unless it has already ended.
func (r *Run) end(v Verdict, why string) {
	if r.ended == "" {
		r.ended, r.why = v, why
	}
}

// Context returns a context that is done when the run is stopped or the time of the probe is over.
func (r *Run) Context() context.Context { return r.ctx }

// Calling returns the connection for calling tools while other probes run. Over stdio, it is a separate
// connection, linted like [Run.Shared]. Over HTTP, or if the server cannot run twice, it is the shared
// connection, once no other probe uses it.
func (r *Run) Calling() *Conn {
	if r.runner.cfg.Target.URL != "" {
		return r.Shared()
	}
	own := r.runner.calling
	if own == nil {
		own = &Conn{r: r.runner, linted: true, correct: true}
		r.runner.calling = own
	}
	if r.ended == "" && own.connect(r.ctx) == nil {
		r.own = own
		if r.Server.Offers(client.Tools) {
			r.Walk(own, client.Tools) // the linter needs the list to compare results
		}
		return own
	}
	select {
	case <-r.runner.idle:
	case <-r.ctx.Done():
	}
	return r.Shared()
}

// Ask sends a well-formed request and waits for the response. It reports a missing response and the end of the
// server.
func (r *Run) Ask(c *Conn, name string, frame []byte) Outcome {
	return r.exchange(c, name, frame, expected, r.runner.requestTimeout())
}

// Provoke sends a malformed frame, or a frame that gets no response. It waits as long as a response
// can be expected, and reports the end of the server.
func (r *Run) Provoke(c *Conn, name string, frame []byte) Outcome {
	return r.exchange(c, name, frame, tolerated, r.runner.requestTimeout())
}

// begin prepares to send a frame. It reopens the connection, if there is one. It returns false if
// the probe has ended.
func (r *Run) begin(name string, frame []byte, c *Conn) bool {
	if c != nil {
		r.use(c)
	}
	if r.ended == "" && !r.runner.spend(len(frame)) {
		r.Skip("budget")
	}
	if r.ended != "" {
		return false
	}
	r.name = name
	r.report.Sent++
	return true
}

// isStopped ends the probe if the run was stopped or its time is over.
func (r *Run) isStopped() bool {
	if r.ctx.Err() != nil {
		r.Unjudged("%v", context.Cause(r.ctx))
	}
	return r.ctx.Err() != nil
}

func (r *Run) exchange(c *Conn, name string, frame []byte, m mode, timeout time.Duration) Outcome {
	if !r.begin(name, frame, c) {
		return Outcome{Kind: Unsent}
	}
	e := jsonrpc.Scan(frame)
	isCall := e.HasMethod(frame, "tools/call")
	if r.SkipIf(isCall && r.runner.calls.hang() >= maxHung, callsEnd) {
		return Outcome{Kind: Unsent}
	}
	if m == tolerated {
		c.odd.Store(true)
	}
	x := exchangeOn(c, name)
	if x.first {
		timeout = r.runner.firstTimeout(timeout)
	}
	l := c.link()
	unsent := c.raw && !l.alive()
	o := c.exchange(r.ctx, frame, m, timeout)
	if o.x, o.unsent = x, unsent; c.raw && !unsent {
		l.newest = name
	}
	if r.isStopped() {
		return Outcome{Kind: Unsent}
	}
	if o.late != nil {
		r.silent = append(r.silent, o.late)
	}
	if o.Kind <= Error && m == expected && !isPing(e, frame) {
		r.runner.note(&r.runner.paces, o.Took)
	}
	if m != tolerated && !isPing(e, frame) {
		r.notePremise(frame, o)
	}
	if _, task := jsonrpc.Member(frame, "params", "task"); o.Kind == Result && isCall && !task {
		r.runner.calls.returned(jsonrpc.Text(e.Params.Of(frame), "name"), max(o.Took-r.runner.latency(), 0))
	}
	r.Server.keep(e, frame, o)
	if isCall && m == tolerated && o.Kind == Dead && r.runner.calls.hang() > 0 {
		r.runner.calls.noteResponse(false) // correct calls have ended the server too
	}
	r.noteSent(o)
	if o.Kind <= Silent {
		r.reached = true
		r.runner.survived(l, contact{probe: r.report.Entry, name: name, sent: frame, mode: m, status: o.Status, evidence: o.evidence})
	}
	r.judge(c, o, m, timeout)
	return o
}

// isPing reports whether the request costs the server nothing.
func isPing(e jsonrpc.Envelope, frame []byte) bool {
	return e.HasMethod(frame, "ping") || e.HasMethod(frame, "server/discover")
}

// judge reports mistakes that any outcome can have.
func (r *Run) judge(c *Conn, o Outcome, m mode, timeout time.Duration) {
	switch {
	case o.Kind == Dead:
		r.dead(c, o, m)
	case o.Kind == Mute:
		r.muted(o, m)
	case o.absence.isKnown() && (o.Kind == Hang || o.Kind == Silent && m == patient):
		r.answeredOtherwise(o)
	case o.Kind == Hang:
		if o.EndsEmpty() {
			r.ofAny(o).Error("The HTTP response to %s ends without a message.", r.name)
			return
		}
		r.ofAny(o).Advise("Return a response to each request: its result, or an error, which is -32601 for a method that the server does not have.").Error("There is no response to %s within %s.", r.name, phrase.Duration(timeout))
	case o.Kind == Network:
		r.Unjudged("cannot send %s: %s", r.name, r.runner.journal.redact(o.Err.Error()))
	case o.Status == http.StatusTooManyRequests:
		r.limited()
	case o.Status >= 500 && o.Status != 501:
		r.serverError(o, m)
	}
}

// limited ends the probe because of a rate limit that pauses did not resolve.
func (r *Run) limited() { r.unjudged(r.runner.limits.because()) }

// Measure records a number in the report.
func (r *Run) Measure(name string, value float64) {
	if r.ended != "" {
		return
	}
	if r.report.Measure == nil {
		r.report.Measure = map[string]float64{}
	}
	r.report.Measure[name] = value
}

// AwaitStreams waits long enough for the linter to report open event streams of the shared connection, if there
// are any.
func (r *Run) AwaitStreams() {
	if l := r.runner.shared.link(); l != nil && l.hasOpenStream() {
		r.Sleep(openStreamWait)
	}
}

// openStreamWait is slightly more than the time limit of lint rule H036.
const openStreamWait = 3200 * time.Millisecond

// Sleep waits for d, or until the probe is stopped.
func (r *Run) Sleep(d time.Duration) {
	if r.ended != "" {
		return
	}
	if !sleep(r.ctx, d) {
		r.isStopped()
	}
}

// IsHTTP reports whether the server uses Streamable HTTP.
func (r *Run) IsHTTP() bool { return r.Server.Transport == client.TransportHTTP }

// IsStateless reports whether the revision has no handshake.
func (r *Run) IsStateless() bool { return r.Server.Revision.IsStateless() }

// Since reports whether the revision is v or newer.
func (r *Run) Since(v revision.Revision) bool { return !r.Server.Revision.Before(v) }

// Random returns a text that cannot be guessed: hexadecimal digits from the seeded source.
func (r *Run) Random() string {
	r.runner.mu.Lock()
	defer r.runner.mu.Unlock()
	return strconv.FormatUint(r.runner.random.Uint64(), 16)
}

// JSON returns a text as a JSON string.
func JSON(text string) string { return jsonrpc.Quote(text) }

// short returns the beginning of a text on one line.
func short(text string) string { return phrase.Clip(phrase.OneLine(text), 120) }

// sentence turns an error into a sentence.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	return phrase.Capital(strings.TrimSuffix(text, ".")) + "."
}

// Target returns the server as the user named it.
func (r *Run) Target() client.Target { return r.runner.cfg.Target }

// Authorized reports whether requests carry credentials.
func (r *Run) Authorized() bool {
	if r.runner.cfg.Target.Header.Get("Authorization") != "" {
		return true
	}
	u, err := url.Parse(r.runner.cfg.Target.URL)
	if a := r.runner.cfg.Client.Authorization; a != nil && err == nil {
		h := http.Header{}
		a.Authorize(http.MethodPost, u, h)
		return h.Get("Authorization") != ""
	}
	return false
}

// Tokens returns the configured tokens.
func (r *Run) Tokens() Tokens { return r.runner.cfg.Tokens }

// Limit returns a threshold by name.
func (r *Run) Limit(name string) float64 {
	if v, ok := r.runner.cfg.Limits[name]; ok {
		return v
	}
	return Limits[name]
}

// CanaryFrames returns the server frames so far that contain the canary of the environment.
func (r *Run) CanaryFrames() []Frame {
	j := r.runner.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.leaks)
}

// Rand returns the seeded source of random values.
func (r *Run) Rand() *rand.Rand { return r.runner.random }

// Fuzzing reports whether the user requested fuzzing; see [Run.Fuzzes].
func (r *Run) Fuzzing() bool { return len(r.runner.cfg.Fuzz) > 0 }

// Fuzzes reports whether a tool is fuzzed.
func (r *Run) Fuzzes(tool string) bool {
	return slices.Contains(r.runner.cfg.Fuzz, tool) || slices.Contains(r.runner.cfg.Fuzz, AllTools)
}
