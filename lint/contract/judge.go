package contract

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/lint"
	"mcptea/lint/baseline"
	"mcptea/record"
	"mcptea/record/flow"
)

const (
	// maxOpen bounds the pending calls that are followed.
	maxOpen = 50_000
	// maxPending bounds the pending requests that are reported individually.
	maxPending = 100
)

// Judge follows the events of one recording. It is not safe for concurrent use.
type Judge struct {
	terms   *Terms
	report  func(lint.Finding)
	matcher *flow.Matcher

	row       int32 // row of the next event that has one
	connected bool  // the connection of the session is open
	began     bool  // a connection existed
	gap       bool  // frames are missing in the middle
	timeless  bool  // the times of the events are meaningless

	calls     int
	callers   callers // callers of these calls
	expected  []int   // calls of each pattern
	forbidden int
	limits    []count
	open      map[flow.Ref]*call
	asking    map[flow.Ref]flow.Ref // requests of the server, mapped to the call that they are part of
	measured  int                   // calls with a result
	long      int                   // calls longer than [Terms.MaxDuration]
	longest   call
	pending   int
	lists     *baseline.Follower
}

// A count is the number of calls of the tools in a limit, and the first call that exceeds it.
type count struct {
	calls   int
	callers callers // callers of these calls
	line    int32
	at      time.Time
	caller  record.Caller
}

// call is a call of a tool.
type call struct {
	tool   string
	line   int32
	at     time.Time // sent
	caller record.Caller
	took   time.Duration
	paused time.Duration // time held by a breakpoint, or spent waiting for a user
	asking int           // pending requests of the server during the call
	since  time.Time     // arrival of the first one
}

// New returns a judge that calls report with each finding.
func New(terms *Terms, report func(lint.Finding)) *Judge {
	return &Judge{
		terms: terms, report: report, matcher: flow.NewMatcher(flow.Limits{}),
		expected: make([]int, len(terms.Expected)), limits: make([]count, len(terms.MaxCalls)),
		open: map[flow.Ref]*call{}, asking: map[flow.Ref]flow.Ref{}, lists: baseline.NewFollower(),
	}
}

// Event handles the next event of the recording, which is on the given line.
func (j *Judge) Event(e *record.Event, line int32) {
	row := flow.None
	if e.IsRow() {
		row = j.row
		j.row++
	}
	if e.Kind == record.KindConnection && !e.Beside {
		j.began = true
		j.connected = e.Connection.What != record.ConnectionClosed
		j.lists.Connection(e.Connection)
	}
	matches := j.matcher.Event(e, row)
	if e.Beside { // the event is from another client, such as mcptea check
		return
	}
	switch {
	case e.Kind == record.KindChange:
		j.held(e.Change)
		return
	case e.IsGap():
		j.gap = true
	}
	for i := range matches {
		j.match(&matches[i], &e.Frame, line)
	}
}

// Frame handles the next frame of a file without times.
func (j *Judge) Frame(f *transport.Frame, line int32) {
	j.timeless = true
	matches := j.matcher.Frame(0, f, j.row, 0)
	j.row++
	for i := range matches {
		j.match(&matches[i], f, line)
	}
}

// match handles a match of an event. f is its frame, or nil.
func (j *Judge) match(m *flow.Match, f *transport.Frame, line int32) {
	if j.terms.followsLists() {
		j.lists.Match(m, f.Side, line)
	}
	switch {
	case m.Message == nil || !m.IsMessage():
		j.ended(m)
	case m.Kind() == jsonrpc.Request:
		if m.Dir == transport.In {
			j.asks(m)
		} else if m.Method == "tools/call" {
			j.called(m, record.CallerOf(f), line)
		}
	case !m.Request.Present() || m.Kind() != jsonrpc.Response && m.Kind() != jsonrpc.ErrorResponse:
	case m.Dir == transport.Out:
		j.asked(m)
	default:
		j.responded(m)
	}
}

// called handles a request of the client to call a tool.
func (j *Judge) called(m *flow.Match, by record.Caller, line int32) {
	tool := jsonrpc.Text(m.Envelope.Params.Of(m.Bytes), "name")
	j.calls++
	j.callers[by]++
	for i, pattern := range j.terms.Expected {
		if fits(pattern, tool) {
			j.expected[i]++
		}
	}
	for _, pattern := range j.terms.Forbidden {
		if fits(pattern, tool) {
			j.forbidden++
			f := finding("contract-forbid", line, m.Time, "tool", lint.Quoted(tool), "by", behind(" by ", by), "pattern", lint.Escaped(pattern))
			f.Path, f.Times, f.By = "/params/name", j.forbidden, by
			j.report(f)
			break
		}
	}
	for i, limit := range j.terms.MaxCalls {
		if limit.Tool != "" && !fits(limit.Tool, tool) {
			continue
		}
		c := &j.limits[i]
		c.callers[by]++
		if c.calls++; c.calls == limit.Calls+1 {
			c.line, c.at, c.caller = line, m.Time, by
		}
	}
	if j.terms.MaxDuration > 0 && len(j.open) < maxOpen {
		j.open[m.Request] = &call{tool: lint.Quoted(tool), line: line, at: m.Time, caller: by}
	}
}

// asks handles a request of the server during a call. The time until its response does not count for the call.
func (j *Judge) asks(m *flow.Match) {
	if c := j.open[m.Parent]; c != nil && len(j.asking) < maxOpen {
		if c.asking++; c.asking == 1 {
			c.since = m.Time
		}
		j.asking[m.Request] = m.Parent
	}
}

func (j *Judge) asked(m *flow.Match) {
	c := j.open[j.asking[m.Request]]
	delete(j.asking, m.Request)
	if c == nil || c.asking == 0 {
		return
	}
	if c.asking--; c.asking == 0 {
		c.paused += m.Time.Sub(c.since)
	}
}

// held handles a call that a breakpoint has held.
func (j *Judge) held(c *record.Change) {
	if open := j.open[transport.RefTo(c.Row, 0)]; open != nil {
		open.paused += c.Held
	}
}

// responded handles a response of the server.
func (j *Judge) responded(m *flow.Match) {
	c := j.open[m.Request]
	if c == nil {
		return
	}
	delete(j.open, m.Request)
	c.took = m.Time.Sub(c.at) - c.paused
	j.measured++
	if c.took > j.terms.MaxDuration {
		if j.long++; c.took > j.longest.took {
			j.longest = *c
		}
	}
}

// ended handles the end of the wait for a response.
func (j *Judge) ended(m *flow.Match) {
	delete(j.open, m.Request)
	if m.Ended == flow.ByClose || m.Ended == flow.ByLoss {
		j.waits(m.Flow)
	}
}

// waits reports a request without a response.
func (j *Judge) waits(f *flow.Flow) {
	if !j.terms.NoPending || f == nil || f.IsSubscription() {
		return
	}
	if j.pending++; j.pending > maxPending {
		return
	}
	pending := finding("contract-pending", 0, f.Start, "method", lint.Escaped(f.Method), "id", lint.Escaped(f.ID.String()))
	if pending.Fault = lint.Server; f.Dir == transport.In { // the receiver of the request
		pending.Fault = lint.Client
	}
	j.report(pending)
}

// End ends the recording and returns what could not be judged. whole reports whether the recording is complete.
func (j *Judge) End(whole bool) (unjudged []Unjudged) {
	whole = whole && !j.gap && (j.timeless || j.began && !j.connected)
	cut := func(kind, subject, why string) {
		unjudged = append(unjudged, Unjudged{Kind: entry(kind), Subject: subject, Text: subject + " is not judged: " + why})
	}
	const short = "the recording is incomplete: missing frames may have been sent"
	for i, pattern := range j.terms.Expected {
		switch {
		case j.expected[i] > 0:
		case !whole:
			cut("contract-expect", "--expect-tool "+pattern, short)
		default:
			j.report(finding("contract-expect", 0, time.Time{}, "pattern", lint.Quoted(pattern), "count", phrase.Count(j.calls, "call"), "by", j.callers.text()))
		}
	}
	for i, limit := range j.terms.MaxCalls {
		if c := j.limits[i]; c.calls > limit.Calls {
			what := "Tools were"
			if limit.Tool != "" {
				what = lint.Quoted(limit.Tool) + " was"
			}
			f := finding("contract-calls", c.line, c.at, "what", what, "count", phrase.Count(c.calls, "time"), "by", c.callers.text(), "limit", strconv.Itoa(limit.Calls))
			f.By = c.caller
			j.report(f)
		}
	}
	if j.terms.MaxDuration > 0 {
		switch {
		case j.timeless && j.calls > 0:
			cut("contract-duration", "--max-duration", "the file has no times")
		case j.long > 0:
			f := finding("contract-duration", j.longest.line, j.longest.at, "took", phrase.Duration(j.longest.took), "tool", j.longest.tool,
				"by", behind(", called by ", j.longest.caller), "limit", phrase.Duration(j.terms.MaxDuration), "count", fmt.Sprintf("%d of %d calls took longer", j.long, j.measured))
			f.By = j.longest.caller
			j.report(f)
		}
	}
	if j.terms.NoPending {
		if !whole {
			cut("contract-pending", "--no-pending", short)
		} else {
			for _, f := range slices.Collect(j.matcher.Table().Pending()) {
				j.waits(f)
			}
		}
		if j.pending > maxPending {
			unjudged = append(unjudged, Unjudged{
				Kind: entry("contract-pending"), Subject: "--no-pending",
				Text: fmt.Sprintf("--no-pending: %d requests without a response are listed, and there are more", maxPending),
			})
		}
	}
	if j.terms.ComparesLists() {
		unjudged = append(unjudged, j.drift(whole)...)
	}
	return unjudged
}
