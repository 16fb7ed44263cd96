// Package statistics counts the calls of tools over many recordings: how many there were, how many
// failed, and how long they took. One recording is in memory at a time.
package statistics

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/words/phrase"
	"mcptea/record"
	"mcptea/record/flow"
	"mcptea/record/store"
)

// Server is a server with its tools, over all its recordings.
type Server struct {
	Server string `json:"server"` // name of the server; its command line or URL if it never sent a name
	Counts
	Unconnected int      `json:"unconnected"`                 // recordings in which no connection to it became ready
	Tools       []Tool   `json:"tools"`                       // tools that were called, most failures first
	Failed      []string `json:"failed_recordings,omitempty"` // newest recordings with a failed call or without a connection; at most 20
}

// Tool is a tool in all recordings of its server.
type Tool struct {
	Tool string `json:"tool"` // name of the tool
	Counts
	Failed []string `json:"failed_recordings,omitempty"` // newest recordings with a failed call; at most 20
}

// Counts holds the numbers of calls of a tool, or of all tools.
type Counts struct {
	Calls          int           `json:"calls"`           // tools/call requests of the client; a call that a tap repeated counts once
	ToolErrors     int           `json:"tool_errors"`     // results with isError
	ProtocolErrors int           `json:"protocol_errors"` // error responses
	Own            int           `json:"own_responses"`   // calls that mcptea responded to instead of the server
	Unanswered     int           `json:"unanswered"`      // calls without a response: cancelled, timed out, or the server has ended
	Sessions       int           `json:"sessions"`        // recordings with a call
	FailedSessions int           `json:"failed_sessions"` // sessions with a failed call; for a server, including those that failed to connect
	P50            phrase.Millis `json:"p50_ms"`          // median of the time until the response
	P95            phrase.Millis `json:"p95_ms"`          // 95th percentile
	P99            phrase.Millis `json:"p99_ms"`          // 99th percentile
}

// Failures returns the calls that failed in one way or another.
func (c *Counts) Failures() int { return c.ToolErrors + c.ProtocolErrors + c.Unanswered }

// Answered returns the number of calls with a response of the server. The percentiles are computed from these.
func (c *Counts) Answered() int { return c.Calls - c.Unanswered - c.Own }

// bounds of the stored data
const (
	maxServers = 1000 // servers distinguished; calls of more are counted together
	maxTools   = 1000 // maximum number of tools of a server
	maxFailed  = 20   // recordings that are named for a tool
	maxText    = 200  // bytes of a name
)

// Others stands for the servers or tools beyond the maximum.
const Others = "(others)"

// collector adds up recordings. It is not safe for concurrent use.
type collector struct {
	since   time.Time
	servers map[string]*server
}

type server struct {
	sessions, failures, unconnected int
	failed                          []string
	tools                           map[string]*tool
}

type tool struct {
	Counts
	took   record.Samples[time.Duration]
	failed []string
}

// newCollector returns a collector of the calls since a time; the zero time counts all.
func newCollector(since time.Time) *collector {
	return &collector{since: since, servers: map[string]*server{}}
}

// add adds a recording. The error is an error of the file or the context. After an error, nothing
// of the recording counts. Recordings must be added newest first.
func (c *collector) add(ctx context.Context, path string) error {
	st, err := store.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	r := &reader{since: c.since, target: phrase.Clip(st.Header().Target, maxText), outcomes: flow.NewOutcomes(), tools: map[string]*session{}}
	st.Observe(concerns, r.event)
	if err := st.Load(ctx); err != nil {
		return err
	}
	c.take(path, r)
	return nil
}

// concerns reports an event that counts.
func concerns(e *record.Event, matches []store.Match) bool {
	if e.Kind == record.KindConnection {
		return true
	}
	for i := range matches {
		switch matches[i].Method {
		case "tools/call", "initialize", "server/discover":
			return true
		}
	}
	return false
}

// reader is the fold over one recording.
type reader struct {
	since         time.Time
	target, name  string
	opened, ready bool
	apps          record.Apps
	outcomes      *flow.Outcomes
	tools         map[string]*session
}

// session is a tool in one recording.
type session struct {
	calls, tool, protocol, own, answered int
	took                                 record.Samples[time.Duration]
}

func (r *reader) event(e *record.Event, _ int32, _ store.Row, matches []store.Match) {
	if r.apps.Of(e) {
		return
	}
	for i := range matches {
		r.outcomes.Match(e, &matches[i], r.changed)
	}
	switch {
	case e.Kind == record.KindConnection:
		switch e.Connection.What {
		case record.ConnectionOpened:
			r.opened = r.opened || !e.Time.Before(r.since)
			r.target = cmp.Or(r.target, phrase.Clip(e.Connection.Target, maxText))
		case record.ConnectionReady:
			r.ready = true
		}
	case e.Kind == record.KindFrame && e.Frame.Side != transport.Withheld:
		for i := range matches {
			if m := &matches[i]; m.IsMessage() && m.Dir == transport.In && m.Kind() == jsonrpc.Response {
				r.result(m)
			}
		}
	}
}

// result reads the name of the server from a result.
func (r *reader) result(m *store.Match) {
	switch result := m.Envelope.Result.Of(m.Bytes); m.Method {
	case "initialize":
		r.named(jsonrpc.Text(result, "serverInfo", "name"))
	case "server/discover":
		r.named(jsonrpc.Text(jsonrpc.Get(result, "_meta", revision.MetaServerInfo), "name"))
	}
}

// changed counts the calls.
func (r *reader) changed(before flow.State, o *flow.Outcome) {
	if o.Method != "tools/call" || o.Dir != transport.Out || o.Start.Before(r.since) {
		return
	}
	t := r.tool(o.Name)
	if before == flow.Unknown {
		t.calls++
	}
	if o.State != flow.Answered {
		return
	}
	t.answered++
	switch {
	case o.IsToolError:
		t.tool++
	case o.IsErrorResponse:
		t.protocol++
	}
	if o.IsOwn {
		t.own++
	} else {
		t.took.Add(o.Took)
	}
}

func (r *reader) named(name string) {
	r.ready = true
	r.name = cmp.Or(r.name, strings.TrimSpace(phrase.Clip(name, maxText)))
}

func (r *reader) tool(name string) *session {
	name = phrase.Clip(name, maxText)
	if r.tools[name] == nil {
		if len(r.tools) >= maxTools {
			name = Others
		}
		if r.tools[name] == nil {
			r.tools[name] = &session{}
		}
	}
	return r.tools[name]
}

// take adds the calls that were read from a recording.
func (c *collector) take(path string, r *reader) {
	unconnected := r.opened && !r.ready
	if len(r.tools) == 0 && !unconnected {
		return
	}
	s := entry(c.servers, cmp.Or(r.name, r.target, "(no name)"), maxServers, func() *server { return &server{tools: map[string]*tool{}} })
	s.sessions++
	failed := unconnected
	if unconnected {
		s.unconnected++
	}
	for name, one := range r.tools {
		t := entry(s.tools, name, maxTools, func() *tool { return &tool{} })
		t.Calls += one.calls
		t.ToolErrors += one.tool
		t.ProtocolErrors += one.protocol
		t.Own += one.own
		t.Unanswered += one.calls - one.answered
		t.Sessions++
		for _, d := range one.took.Values() {
			t.took.Add(d)
		}
		if one.tool+one.protocol > 0 || one.calls > one.answered {
			failed = true
			t.FailedSessions++
			if len(t.failed) < maxFailed {
				t.failed = append(t.failed, path)
			}
		}
	}
	if failed {
		s.failures++
		if len(s.failed) < maxFailed {
			s.failed = append(s.failed, path)
		}
	}
}

// entry returns the entry of a name, or the entry of Others if there are too many.
func entry[E any](in map[string]E, name string, most int, empty func() E) E {
	if e, ok := in[name]; ok {
		return e
	}
	if len(in) >= most {
		name = Others
		if e, ok := in[name]; ok {
			return e
		}
	}
	in[name] = empty()
	return in[name]
}

// all returns the results so far, the servers and tools that failed most often first.
func (c *collector) all() []Server {
	servers := []Server{}
	for name, s := range c.servers {
		one := Server{Server: name, Unconnected: s.unconnected, Tools: []Tool{}, Failed: s.failed}
		var took []time.Duration
		for name, t := range s.tools {
			t.Counts.percentiles(t.took.Values())
			one.Tools = append(one.Tools, Tool{name, t.Counts, t.failed})
			one.Calls += t.Calls
			one.ToolErrors += t.ToolErrors
			one.ProtocolErrors += t.ProtocolErrors
			one.Own += t.Own
			one.Unanswered += t.Unanswered
			took = append(took, t.took.Values()...)
		}
		one.Sessions, one.FailedSessions = s.sessions, s.failures
		one.percentiles(took)
		slices.SortFunc(one.Tools, func(a, b Tool) int {
			return cmp.Or(b.Failures()-a.Failures(), b.Calls-a.Calls, strings.Compare(a.Tool, b.Tool))
		})
		servers = append(servers, one)
	}
	slices.SortFunc(servers, func(a, b Server) int {
		return cmp.Or(b.FailedSessions-a.FailedSessions, b.Calls-a.Calls, strings.Compare(a.Server, b.Server))
	})
	return servers
}

func (c *Counts) percentiles(took []time.Duration) {
	if len(took) == 0 {
		return
	}
	sorted := slices.Sorted(slices.Values(took))
	at := func(percent float64) phrase.Millis { return phrase.Millis(record.Quantile(sorted, percent)) }
	c.P50, c.P95, c.P99 = at(50), at(95), at(99)
}
