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
	"mcptea/session/record/store"
)

// Config says what is probed, and how far the probes may go.
type Config struct {
	Target client.Target
	// Client is the configuration of the connections: name, authorization, roots.
	Client client.Config
	// Dial makes a client, for tests; nil is client.New.
	Dial func(client.Target, client.Tap, client.Config) *client.Client

	// Cost returns the cost of a process, for tests; nil is [stdio.CostOf].
	Cost func(pid int) (stdio.Cost, bool)

	// Listen opens a listener on this machine for the deliveries of a callback, for tests; nil listens on a free port of
	// 127.0.0.1.
	Listen func(ctx context.Context) (net.Listener, error)

	// Record receives all that is sent and received, each connection of the run
	// beside that of the record; nil records nothing. The run does not close it.
	Record *store.Store

	// Only and Skip are ids, slugs, groups, or patterns of them with * and ?.
	Only, Skip []string
	// Passive sends nothing but the handshake and the lists.
	Passive bool
	// NoCall calls no tool; Call calls all that are annotated read-only.
	NoCall, Call bool
	// Allow are the tools that may be called whatever their annotations say, with
	// their arguments; empty arguments are made from the schema.
	Allow map[string]string
	// Fuzz are the tools to call with odd arguments, which also allows them to be
	// called; [AllTools] is all that may be called anyway. Empty for none.
	Fuzz []string
	// Events allows subscriptions to events, with callbacks on this machine. Triggers are the tools that
	// cause events, in the order in which they are called.
	Events   bool
	Triggers []Trigger
	// Intrusive allows load and intrusion for servers that are neither a command nor
	// on this machine.
	Intrusive bool

	// Tokens are access tokens that the server must not accept for everything.
	Tokens Tokens

	// EachRevision probes with each protocol version that the server speaks, newest
	// first. It has no effect when Client.Revision is set.
	EachRevision bool

	// Pace is the least time between two requests; 0 sends each as soon as it can. [Config.Paused] is called
	// for each pause that the server asks for, from any goroutine; it may be nil.
	Pace   time.Duration
	Paused func(Pause)
	// Timeout is how long a response is waited for; 10 s when zero.
	Timeout time.Duration
	// MaxTime bounds the run; 5 minutes when zero.
	MaxTime time.Duration
	// Seed is that of everything random; 0 chooses one.
	Seed uint64
	// Limits are thresholds, by name; see [Limits].
	Limits map[string]float64
}

// Tokens are access tokens that probes of authorization send; empty ones are not sent.
type Tokens struct {
	Expired  string
	Foreign  string // for another audience
	LowScope string // valid, with few scopes
}

// AllTools stands for all tools that may be called.
const AllTools = "*"

// Limits are the thresholds that [Config.Limits] may replace, with their defaults.
var Limits = map[string]float64{
	"ping-p95":        250,       // ms, on this machine
	"eof-exit":        3,         // s
	"description":     4096,      // characters of the description of a tool
	"parameter":       1024,      // characters of the description of a property
	"instructions":    8192,      // characters
	"tools":           128,       // number
	"list-bytes":      256 << 10, // all lists
	"tool-tokens":     1000,      // estimated, of a tool
	"all-tool-tokens": 25_000,    // estimated, of all tools
}

// LimitNames are the thresholds that [Config] may change, sorted.
func LimitNames() []string { return slices.Sorted(maps.Keys(Limits)) }

// Event is what a run reports while it goes on. It is delivered in order, from the
// goroutine of [Runner.Run].
type Event struct {
	// Server is set once, when the server is connected and its lists are read.
	Server *Server
	// Started is set when a probe begins; Finished when it has ended or was skipped.
	Started  *Entry
	Finished *Report
	// Done of Total probes have ended.
	Done, Total int
}

// Summary is the outcome of a run.
type Summary struct {
	// Servers is what is known of the server, once for each revision.
	Servers []*Server
	// Client is the one that mcptea was to the server, in words, but for what probes send in its place;
	// empty for mcptea itself.
	Client  string
	Seed    uint64
	Reports []Report // by id within a revision
	Sent    int      // frames
	// Processes is the number of processes of the server that were started, and AtOnce the largest number that ran at
	// the same time. Both are 0 for a URL.
	Processes, AtOnce int
	Took              time.Duration
	// Waited is how long the run has paused since the server limits the rate of requests.
	Waited time.Duration
	// Asked holds the names of the invariants that had something to judge; see [lint.Asked].
	Asked map[string]bool
	// Left are processes that still run although the process groups of their servers were ended.
	Left []transport.Descendant
	// Stopped is why the run ended early; nil if it did not.
	Stopped error
}
