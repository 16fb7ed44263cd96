package probe

import (
	"context"
	"maps"
	"net"
	"slices"
	"time"

	"mcptea/client"
	"mcptea/client/transport"
	"mcptea/client/transport/stdio"
	"mcptea/record/store"
)

// Config configures a Runner.
type Config struct {
	Target client.Target
	// Client is the configuration of all connections, such as the name, the authorization and the
	// roots.
	Client client.Config
	// Dial replaces client.New in tests.
	Dial func(client.Target, client.Tap, client.Config) *client.Client

	// Cost returns the cost of a process, for tests. If nil, [stdio.CostOf] is used.
	Cost func(pid int) (stdio.Cost, bool)

	// Listen opens a listener on this machine for the deliveries of a callback, for tests. If nil,
	// a free port of 127.0.0.1 is used.
	Listen func(ctx context.Context) (net.Listener, error)

	// Record, if not nil, records all traffic of the run. Each connection of the run is a
	// connection of the record. The run does not close the record.
	Record *store.Store

	// Only and Skip select probes by id, slug or group, with the wildcards * and ?.
	Only, Skip []string
	// Passive sends only the handshake and the list requests.
	Passive bool
	// NoCall calls no tools. Call calls all tools that are annotated read-only.
	NoCall, Call bool
	// Allow lists tools that may be called regardless of their annotations, with their arguments. Empty
	// arguments are generated from the schema.
	Allow map[string]string
	// Fuzz lists the tools to call with odd arguments, which allows calling them. [AllTools] selects every tool
	// that may be called.
	Fuzz []string
	// Events allows event subscriptions with callbacks on this machine. Triggers are the tool calls that cause
	// events, in calling order.
	Events   bool
	Triggers []Trigger
	// Intrusive allows load and intrusion probes for servers that do not run on this machine.
	Intrusive bool

	// Tokens holds access tokens that the server must reject or limit.
	Tokens Tokens

	// EachRevision runs the probes once for each protocol version of the server, newest first. It is ignored if
	// Client.Revision is set.
	EachRevision bool

	// Pace is the minimum time between requests. Paused, if not nil, is called for each pause that
	// the server requires, on any goroutine.
	Pace   time.Duration
	Paused func(Pause)
	// Timeout is the timeout of a response. The default is 10 s.
	Timeout time.Duration
	// MaxTime bounds the run. The default is 5 minutes.
	MaxTime time.Duration
	// Seed seeds the random values. If 0, a seed is chosen.
	Seed uint64
	// Limits overrides thresholds by name; see [Limits].
	Limits map[string]float64
}

// Tokens holds access tokens for the authorization probes. Empty tokens are not sent.
type Tokens struct {
	Expired  string
	Foreign  string // issued for another audience
	LowScope string // valid, but with few scopes
	Second   string // valid, of a principal other than the one of the target
}

// AllTools stands for all tools that may be called.
const AllTools = "*"

// Limits holds the defaults of the thresholds that [Config.Limits] can override.
var Limits = map[string]float64{
	"ping-p95":        250,       // ms, on this machine
	"eof-exit":        3,         // s
	"description":     4096,      // characters of a tool description
	"parameter":       1024,      // characters of a property description
	"instructions":    8192,      // characters
	"tools":           128,       // count
	"list-bytes":      256 << 10, // bytes of all lists
	"tool-tokens":     1000,      // estimated tokens of a tool
	"all-tool-tokens": 25_000,    // estimated tokens of all tools
}

// LimitNames returns the sorted names of the thresholds.
func LimitNames() []string { return slices.Sorted(maps.Keys(Limits)) }

// An Event reports the progress of a run. Events are delivered in order, on the goroutine of
// [Runner.Run].
type Event struct {
	// Server is set once, after the server is connected and its lists have been read.
	Server *Server
	// Started is set when a probe starts, Finished when it has ended or was skipped.
	Started  *Entry
	Finished *Report
	// Done is the number of finished probes out of Total.
	Done, Total int
}

// A Summary is the result of a run.
type Summary struct {
	// Servers holds the facts about the server, one element per revision.
	Servers []*Server
	// Client describes the client that mcptea impersonated, or is "". Probes may have sent other
	// values instead.
	Client  string
	Seed    uint64
	Reports []Report // sorted by id within a revision
	Sent    int      // number of frames
	// Processes is the number of server processes that were started. AtOnce is the largest number
	// of them that ran at the same time. Both are 0 for a URL.
	Processes, AtOnce int
	Took              time.Duration
	// Waited is the total length of pauses due to rate limits.
	Waited time.Duration
	// Asked holds the names of the invariants that had something to judge; see [lint.Asked].
	Asked map[string]bool
	// Left lists processes that still run after the process groups of their servers were ended.
	Left []transport.Descendant
	// Stopped is the reason why the run ended early, or nil.
	Stopped error
}
