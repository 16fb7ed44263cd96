package serve

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/server/peer"
	"mcptea/internal/server/rpcserver"
	"mcptea/internal/signal"
	"mcptea/session/session"
	"mcptea/session/tap/relay"
)

// Gateway serves hosts over HTTP. Its exported fields are set before [Gateway.Handler] is called.
type Gateway struct {
	// Context ends all sessions and streams. [Gateway.End] ends the processes.
	Context context.Context
	Server  client.Target
	// NewRelay returns the relay of a process. The gateway sets the session, the streams, OnDemand and Follow.
	NewRelay func(session string) *relay.Relay

	Shared      bool          // all sessions share one process
	SSE         bool          // HTTP+SSE is served too
	Token       string        // token that each request must have, or ""
	Loopback    bool          // the address accepts connections of this machine only
	Names       []string      // host names that requests may use in addition to the address
	Idle        time.Duration // maximum time of a session without a request, and of a process without a session
	MaxSessions int

	mu         sync.Mutex
	sessions   int // number of open sessions
	count      int // number of sessions and separate requests so far
	begun      int // processes that have begun so far
	shared     *process
	alone      *process          // process of separate requests: a server chooses its era by its first request
	processes  map[*process]bool // running processes, mapped to whether their relay can be restarted; at most MaxSessions, and those that are ending
	hasEnded   bool              // no more processes are started
	ended      uint64            // calls of processes that have ended
	sources    *session.Sources  // sources, or nil if no files are followed
	generation uint64            // generation of the newest outcome of the sources
	broken     string            // why the newest build failed, or ""
	silences   int               // number of server/discover requests without a response
	handshakes bool              // the server refuses server/discover; until it is restarted

	ready     chan struct{} // closed when processes can start
	readyOnce sync.Once
	settled   signal.Signal // calls have ended
	running   sync.WaitGroup
}

// The paths of Streamable HTTP and of HTTP+SSE.
const (
	Path    = "/mcp"
	SSEPath = "/sse"
)

const (
	// headersAfter is less than the time after which clients give up a response without headers: Node.js after 300 s,
	// proxies after 30 to 60 s.
	headersAfter = 5 * time.Second
	// keepAlive is less than the time after which proxies close a connection without traffic.
	keepAlive = 25 * time.Second
	// discoverTimeout bounds the wait for the response to server/discover. A server of an earlier protocol version may
	// not respond to it, and a host sends initialize after an error. It is less than headersAfter: the error has a status.
	discoverTimeout = 4 * time.Second
	// maxSilences is the number of server/discover requests without a response after which they are no longer
	// forwarded.
	maxSilences = 2
	// slowReader bounds the wait for a host that does not read while other hosts share its process.
	slowReader = 2 * time.Second
)

// Handler returns the handler for hosts.
func (g *Gateway) Handler() http.Handler {
	g.processes, g.ready = map[*process]bool{}, make(chan struct{})
	if g.sources == nil {
		g.setReady()
	}
	mux := http.NewServeMux()
	handle := func(path string, h http.Handler) {
		mux.Handle(path, h)
		if g.Token != "" {
			mux.Handle(path+"/"+g.Token, h)
		}
	}
	handle(Path, &rpcserver.Endpoint{
		Context: g.Context, Open: g.open, Route: g.route, OnlyPOST: hasNoSessions,
		HeadersAfter: headersAfter, KeepAlive: keepAlive, Idle: g.Idle, MaxSessions: g.MaxSessions,
	})
	if g.SSE {
		handle(SSEPath, &rpcserver.SSE{Context: g.Context, Open: g.open, KeepAlive: keepAlive, MaxSessions: g.MaxSessions})
	}
	return g.guard(mux)
}

// hasNoSessions reports whether a request is of a protocol version without sessions.
func hasNoSessions(r *http.Request) bool {
	return r.Header.Get(rpcserver.SessionHeader) == "" && revision.Revision(r.Header.Get(rpcserver.VersionHeader)).IsStateless()
}

// route decides by the body which session a POST is for.
func (g *Gateway) route(r *http.Request, frame []byte, e jsonrpc.Envelope) (rpcserver.Route, *rpcserver.Refusal) {
	method := e.MethodName(frame)
	switch {
	case e.Kind == jsonrpc.Invalid:
		return 0, &rpcserver.Refusal{Status: http.StatusBadRequest, Code: jsonrpc.CodeParseError, Message: "the body is not a message"}
	case r.Header.Get(rpcserver.SessionHeader) != "" || e.Kind.IsResponse() || e.Kind == jsonrpc.Batch:
		return rpcserver.InSession, nil
	case e.Kind == jsonrpc.Request && method == "initialize":
		return rpcserver.NewSession, nil
	case !peer.StandsAlone(method, e.Params.Of(frame)):
		return rpcserver.InSession, nil
	case method == "server/discover" && g.usesHandshakes():
		return 0, &rpcserver.Refusal{Status: http.StatusNotFound, ID: e.ID.Of(frame).ID(), Code: jsonrpc.CodeMethodNotFound, Message: "the server does not support server/discover"}
	}
	return rpcserver.Alone, peer.RefuseAlone(r, frame, e, g.toolSchema)
}

// toolSchema returns the input schema of a tool that has been listed, if its arguments are repeated in headers, or nil.
func (g *Gateway) toolSchema(tool string) []byte {
	g.mu.Lock()
	p := g.alone
	g.mu.Unlock()
	if p == nil {
		return nil
	}
	return p.relay.Tool(tool)
}

// usesHandshakes reports whether the server is known to refuse server/discover.
func (g *Gateway) usesHandshakes() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.handshakes
}

// open implements [rpcserver.Open].
func (g *Gateway) open(alone bool, _ func([]byte)) rpcserver.Session {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count++
	c := &conversation{gateway: g, label: strconv.Itoa(g.count), alone: alone, subscribed: map[string]bool{}}
	if c.full = g.whyFull(alone); c.full != "" {
		return c
	}
	switch {
	case alone:
		c.process = g.common(&g.alone, "stateless")
	case g.Shared:
		c.process = g.common(&g.shared, "shared")
	default:
		g.begun++
		c.process = g.begin(strconv.Itoa(g.begun), false)
	}
	if !alone {
		g.sessions++
	}
	c.process.join(c)
	return c
}

// whyFull returns why there is no room for a session, or for the process of requests without a session, or "".
// The caller holds the lock.
func (g *Gateway) whyFull(alone bool) string {
	if g.hasEnded {
		return "the tap has ended"
	}
	n := g.sessions
	switch isRunning := g.alone != nil && !g.alone.isClosing(); {
	case alone && isRunning:
		return ""
	case isRunning:
		n++
	}
	if n < g.MaxSessions {
		return ""
	}
	text := strconv.Itoa(n) + " sessions are open, the maximum of --max-sessions; end one with DELETE"
	if !g.Shared {
		text += ", or use one process for all sessions with --shared"
	}
	return text
}

// leave is called once for each conversation that ends.
func (g *Gateway) leave(c *conversation) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !c.alone {
		g.sessions--
	}
	switch isLast := c.process.leave(c); {
	case !c.process.common:
		c.process.close()
	case isLast && g.Idle > 0:
		c.process.endWhenIdle(g.Idle)
	}
}
