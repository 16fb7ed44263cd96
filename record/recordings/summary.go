package recordings

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// A Summary contains the data of a recording that a list shows. Its names come from the peers.
type Summary struct {
	Server    string    `json:"server,omitempty"`           // name and version
	Target    string    `json:"target,omitempty"`           // command line or URL, redacted
	Transport string    `json:"transport,omitempty"`        // "stdio" or "http"
	Revision  string    `json:"protocol_version,omitempty"` // protocol version
	Tool      string    `json:"tool,omitempty"`             // program that wrote the recording
	Branch    string    `json:"branch,omitempty"`           // recording that the session continues, as FILE#NUMBER with the first frame that was not sent again
	Started   time.Time `json:"started"`                    // time of the first event
	Ended     time.Time `json:"ended"`                      // time of the newest event

	Out             int `json:"out"`              // frames of the client
	In              int `json:"in"`               // frames of the server
	Errors          int `json:"errors"`           // error responses, tool errors, invalid frames
	FindingErrors   int `json:"finding_errors"`   // findings of lint about the server that are errors
	FindingWarnings int `json:"finding_warnings"` // findings that are warnings
	// Failure is why the newest connection was never ready, or "".
	Failure string `json:"failure,omitempty"`
	Drift   string `json:"drift,omitempty"`  // differences between the server's offer and the baseline of a tap, in words
	Damage  string `json:"damage,omitempty"` // unreadable parts of the file, in words
	// Partial reports whether only the first part was read. The counts are for that part.
	Partial  bool      `json:"partial,omitempty"`
	Requests []Request `json:"requests,omitempty"` // requests by method and name, most frequent first
	// Activity is the number of frames in equal parts of the time from Started to
	// Ended.
	Activity []int `json:"activity,omitempty"`
}

// Frames returns the number of frames in both directions.
func (s *Summary) Frames() int { return (&record.FrameCount{Out: s.Out, In: s.In}).Frames() }

// Duration returns the time from the first to the newest event.
func (s *Summary) Duration() time.Duration { return max(0, s.Ended.Sub(s.Started)) }

// Request counts the requests of one method, or of one tool or prompt.
type Request struct {
	Method     string        `json:"method"`                // method of the requests
	Name       string        `json:"name,omitempty"`        // name of the tool or prompt
	FromServer bool          `json:"from_server,omitempty"` // the server has sent them
	Count      int           `json:"count"`                 // number of requests
	Errors     int           `json:"errors"`                // number of error responses and tool errors
	Median     time.Duration `json:"median_ns"`             // median of the time until the response, or 0
	Percentile time.Duration `json:"p95_ns"`                // the 95th percentile
}

const (
	// maxRead is the number of bytes of a recording read for its summary.
	maxRead = 32 << 20
	// maxRequests is the number of kinds of requests that a summary distinguishes.
	maxRequests = 100
	// maxName bounds the names in a summary, in bytes.
	maxName = 200
	// parts is the number of parts of Activity.
	parts = 48
)

// A reader summarizes a recording, and continues while it grows. It is not safe for concurrent use.
type reader struct {
	store *store.Store
	sum   Summary
	feed  Linter // linter, or nil without [Options.Lint]
	ready bool   // the newest connection is ready
	apps  record.Apps
	stop  context.CancelFunc

	outcomes *flow.Outcomes
	requests map[requestKey]*samples
	activity histogram
}

type requestKey struct {
	method, name string
	dir          transport.Direction
}

type samples struct {
	Request
	took record.Samples[time.Duration]
}

// newReader opens a recording. The error is from [store.Open].
func newReader(path string, lint func(report func(record.Severity)) Linter) (*reader, error) {
	st, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	h := st.Header()
	r := &reader{store: st, outcomes: flow.NewOutcomes(), requests: map[requestKey]*samples{}}
	r.sum = Summary{Target: h.Target, Transport: h.Transport, Tool: h.Tool, Branch: h.Branch}
	if h.Time != 0 {
		r.sum.Started = time.Unix(0, h.Time)
		r.sum.Ended = r.sum.Started
	}
	if lint != nil {
		r.feed = lint(r.finding)
		r.feed.Open(h)
	}
	st.Observe(nil, r.event)
	return r, nil
}

func (r *reader) close() { _ = r.store.Close() }

// read reads the unread part of the recording, up to maxRead, and returns the summary.
func (r *reader) read(ctx context.Context, live bool) (*Summary, error) {
	limited, stop := context.WithCancel(ctx)
	defer stop()
	r.stop = stop
	if !r.sum.Partial {
		if err := r.store.Load(limited); err != nil && (!r.sum.Partial || ctx.Err() != nil) {
			return nil, err
		}
	}
	s := r.sum
	counts := r.store.Snapshot()
	s.Out, s.In, s.Errors = counts.Out, counts.In, counts.Errors
	texts, n := r.store.Problems(live || s.Partial)
	if n > 0 {
		s.Damage = texts[0]
	}
	for _, q := range r.requests {
		s.Requests = append(s.Requests, q.request())
	}
	slices.SortStableFunc(s.Requests, func(a, b Request) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Method, b.Method), strings.Compare(a.Name, b.Name))
	})
	s.Activity = r.activity.parts()
	return &s, nil
}

func (r *reader) finding(s record.Severity) {
	switch s {
	case record.SeverityError:
		r.sum.FindingErrors++
	case record.SeverityWarning:
		r.sum.FindingWarnings++
	}
}

// event handles an event of the recording.
func (r *reader) event(e *record.Event, row int32, _ store.Row, matches []store.Match) {
	if read, _ := r.store.Loaded(); read > maxRead && !r.sum.Partial {
		r.sum.Partial = true
		r.stop()
	}
	if r.sum.Started.IsZero() {
		r.sum.Started = e.Time
	}
	if e.Time.After(r.sum.Ended) {
		r.sum.Ended = e.Time
	}
	if r.feed != nil {
		r.feed.Event(e, row)
	}
	if r.apps.Of(e) {
		return // messages between apps and host are not from the server
	}
	for i := range matches {
		r.outcomes.Match(e, &matches[i], r.changed)
	}
	switch e.Kind {
	case record.KindConnection:
		r.connection(e.Connection)
	case record.KindProcess:
		if e.Process.Argv != nil && r.sum.Target == "" {
			r.sum.Target = cut(strings.Join(e.Process.Argv, " "))
		}
	case record.KindStep:
		if !r.ready && e.Step.State == client.StepFailed.String() {
			r.sum.Failure = cut(e.Step.Detail)
		}
	case record.KindDrift:
		r.sum.Drift = cut(e.Text)
	case record.KindFrame:
		r.activity.add(e.Time)
	}
}

func (r *reader) connection(c *record.Connection) {
	switch c.What {
	case record.ConnectionOpened:
		r.ready = false
		if c.Target != "" {
			r.sum.Target = c.Target
		}
	case record.ConnectionReady:
		r.ready, r.sum.Failure = true, ""
		r.sum.Server, r.sum.Revision = cut(c.Server), cut(c.Revision)
	case record.ConnectionClosed:
		if !r.ready && r.sum.Failure == "" {
			r.sum.Failure = cut(c.Reason)
		}
		return
	}
	if c.Transport != "" {
		r.sum.Transport = c.Transport
	}
}

// changed counts the requests and their responses.
func (r *reader) changed(before flow.State, o *flow.Outcome) {
	k := requestKey{method: o.Method, dir: o.Dir}
	if flow.IsNamed(k.method) {
		k.name = cut(o.Name)
	}
	q := r.counted(k)
	if before == flow.Unknown {
		q.Count++
	}
	if o.State != flow.Answered {
		return
	}
	if o.IsFailed() {
		q.Errors++
	}
	if !o.IsOwn {
		q.took.Add(o.Took)
	}
}

// counted returns the count of a kind of requests. Kinds beyond the maximum share a count.
func (r *reader) counted(k requestKey) *samples {
	q := r.requests[k]
	if q == nil && len(r.requests) >= maxRequests {
		k = requestKey{method: "others", dir: k.dir}
		q = r.requests[k]
	}
	if q == nil {
		q = &samples{Request: Request{Method: k.method, Name: k.name, FromServer: k.dir == transport.In}}
		r.requests[k] = q
	}
	return q
}

func (q *samples) request() Request {
	out := q.Request
	if sorted := slices.Sorted(slices.Values(q.took.Values())); len(sorted) > 0 {
		out.Median, out.Percentile = record.Quantile(sorted, 50), record.Quantile(sorted, 95)
	}
	return out
}

// cut returns the part of a server's text that is shown.
func cut(text string) string { return phrase.Clip(text, maxName) }

// A histogram counts frames over time. Its parts grow as time passes.
type histogram struct {
	from  time.Time
	width time.Duration // width of a part
	n     [2 * parts]int
	used  int // parts up to the last one with a frame
}

func (h *histogram) add(at time.Time) {
	if h.width == 0 {
		h.from, h.width = at, 50*time.Millisecond
	}
	i := int(max(0, at.Sub(h.from)) / h.width)
	for ; i >= len(h.n); i /= 2 {
		for k := range parts {
			h.n[k] = h.n[2*k] + h.n[2*k+1]
		}
		clear(h.n[parts:])
		h.width *= 2
		h.used = (h.used + 1) / 2
	}
	h.n[i]++
	h.used = max(h.used, i+1)
}

// parts returns the counts, in at most parts parts.
func (h *histogram) parts() []int {
	if h.used <= parts {
		return slices.Clone(h.n[:h.used])
	}
	out := make([]int, (h.used+1)/2)
	for k := range out {
		out[k] = h.n[2*k] + h.n[2*k+1]
	}
	return out
}
