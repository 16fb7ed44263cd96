package lint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"reflect"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/record/flow"
)

// Link is the transport of a connection.
type Link uint8

// The links.
const (
	Stdio Link = iota
	HTTP
	SSE // HTTP+SSE of 2024-11-05
)

// A State is the state of a connection. When [Rule.Message] runs, the state does not yet contain
// the message. When [Rule.After] runs, it does.
type State struct {
	Link Link
	Now  time.Time // time of the newest event

	// Revision is the protocol version of the session, or "" while unknown. It is 2026-07-28 after
	// the first result of a stateless request.
	Revision        revision.Revision
	offeredRevision revision.Revision // version offered in the newest initialize
	// ServerCaps and ClientCaps are raw objects, or nil while unknown. ClientCaps is taken from initialize.
	ServerCaps, ClientCaps []byte

	// Flows holds the requests of both sides. A request that ended long ago has only its method, row and time.
	Flows    *flow.Table
	Answered [2]int // number of requests of each side that have a response

	Initialize  *flow.Flow // newest initialize, or nil
	Initialized bool       // notifications/initialized was sent
	Discover    *flow.Flow // newest server/discover, or nil
	Messages    [2]int     // number of messages by direction

	// Lists holds the server's lists, by method.
	Lists map[string]*List
	// Exchanges holds the HTTP exchanges, by number.
	Exchanges       map[uint32]*Exchange
	LogLevel        string // set by logging/setLevel
	SessionID       string // Mcp-Session-Id, masked as in reports, or ""
	DeclaredLogging bool   // the server declared logging; each log message uses it
	// StdinClosed is the time at which the client closed the server's stdin, or zero.
	StdinClosed time.Time
	// Closing reports whether the client has begun to end the session over HTTP.
	Closing bool
	Ended   bool // the process has exited
	Lost    bool // frames are missing from the record, so the peers may have sent anything
	closed  bool // the connection is over

	done          []uint32        // exchanges that have ended, oldest first
	statelessSeen bool            // a stateless request was sent
	twice         map[string]int  // requests that mcptea has sent again; see sentTwice
	shared        map[string]bool // ids that pending requests share; see noteSharedID
	multiline     [2]multiline    // multi-line values, by direction
	forTable      flow.Message
	ownValues     map[uintptr]any // values that [Own] returns, by type
	nearOwn       [nearOwn]struct {
		key   uintptr
		value any
	}
}

func newState(link Link) *State {
	return &State{
		Link:      link,
		Lists:     map[string]*List{},
		Exchanges: map[uint32]*Exchange{},
		ownValues: map[uintptr]any{},
		Flows: flow.New(flow.Limits{
			MaxParams: maxParams, ShortParams: MaxKeptBytes, Ended: maxEnded, EndedBytes: MaxEndedBytes,
		}),
	}
}

// nearOwn is the number of values in own that are cached outside of the map.
const nearOwn = 64

// Own returns the state that a family of rules keeps for this connection. There is one value of
// each type, initially zero.
func Own[T any](st *State) *T {
	key := reflect.ValueOf(reflect.TypeFor[T]()).Pointer() // the map is faster with numbers than with types
	near := &st.nearOwn[key>>6%nearOwn]
	if near.key == key {
		return near.value.(*T) //nolint:forcetypeassert // the key is the type
	}
	v, ok := st.ownValues[key].(*T)
	if !ok {
		v = new(T)
		st.ownValues[key] = v
	}
	near.key, near.value = key, v
	return v
}

// lasting is a value of [Own] that outlives a connection.
type lasting interface {
	// Reconnected is called when the next connection begins.
	Reconnected()
}

// keepLasting copies the values that outlive a connection from the previous state.
func (st *State) keepLasting(before *State) {
	for key, v := range before.ownValues {
		if l, ok := v.(lasting); ok {
			l.Reconnected()
			st.ownValues[key] = v
		}
	}
}

// ServerOffers reports whether the server declared a capability. A capability that is false counts
// as not declared.
func (st *State) ServerOffers(path ...string) bool { return declared(st.ServerCaps, path) }

// ClientOffers reports whether the client declared a capability in the
// handshake.
func (st *State) ClientOffers(path ...string) bool { return declared(st.ClientCaps, path) }

func declared(caps []byte, path []string) bool {
	v := jsonrpc.Get(caps, path[0], path[1:]...)
	return v != nil && string(v) != "false" && string(v) != "null"
}

// opensSession reports whether an exchange begins a session, and returns the id. The response to
// initialize begins one.
func (st *State) opensSession(x *Exchange) (id string, ok bool) {
	if !x.Reached(transport.ExchangeHeaders) || x.Status/100 != 2 {
		return "", false
	}
	id, _ = headerOf(x.ResponseHeader, "Mcp-Session-Id")
	for _, r := range x.Requests {
		if r.Method == "initialize" {
			return id, true
		}
	}
	return id, id != "" && st.SessionID == ""
}

// NewestRepeat returns the newest exchange that repeats the given one, for example with a token or
// at another URL. If there is none, it returns the given one.
func (st *State) NewestRepeat(id uint32) *Exchange {
	x := st.Exchanges[id]
	for again := x; again != nil; {
		x, again = again, nil
		for _, other := range st.Exchanges {
			if other.Repeats == x.ID && other.ID > x.ID {
				again = other
			}
		}
	}
	return x
}

// update adds a message to the state.
func (st *State) update(m *Message) {
	st.Messages[m.Frame.Dir]++
	switch {
	case m.IsRequest():
		st.trackRequest(m)
	case m.IsResponse() && m.Request != nil:
		st.trackResponse(m)
	case m.IsNotification():
		st.trackNotification(m)
	}
}

// forFlows returns the message in the form that the table of flows takes.
func (st *State) forFlows(m *Message) *flow.Message {
	st.forTable = flow.Message{
		Bytes: m.Bytes, Envelope: m.Envelope, Dir: m.Frame.Dir, Row: m.Frame.Row, Time: m.Frame.Time,
		Exchange: m.Frame.Exchange, Revision: m.Revision,
	}
	if len(m.Bytes) == len(m.Frame.Bytes) {
		st.forTable.Ahead = m.Frame.Ahead
	}
	return &st.forTable
}

func (st *State) trackRequest(m *Message) {
	r := st.Flows.Message(st.forFlows(m)).Flow
	st.statelessSeen = st.statelessSeen || r.Revision.IsStateless()
	if r.Dir != transport.Out {
		return
	}
	switch r.Method {
	case "initialize":
		st.Initialize, st.Initialized, st.Closing = r, false, false
		st.offeredRevision = revision.Revision(m.Text(m.Params, "protocolVersion"))
		st.ClientCaps = bytes.Clone(m.Get(m.Params, "capabilities"))
	case "server/discover":
		st.Discover = r
	}
}

func (st *State) trackResponse(m *Message) {
	r := m.Request
	if !r.HasResponse() {
		st.Answered[r.Dir]++
	}
	if m.Envelope.IDType == jsonrpc.IDNull { // an invalid id, but a request has it
		st.Flows.EndFlow(r, flow.Answered, m.Frame.Time)
	} else {
		st.Flows.Message(st.forFlows(m))
	}
	if !m.IsResult() {
		return
	}
	switch r.Method {
	case "initialize":
		st.Revision = revision.Revision(m.Text(m.Result, "protocolVersion"))
		st.serverCaps(m)
	case "server/discover":
		if !slices.Contains(jsonrpc.Strings(m.Get(m.Result, "supportedVersions")), string(r.Revision)) {
			return // a server of the handshake era may also return a result
		}
		if r.Revision.IsStateless() {
			st.Revision = r.Revision
			st.serverCaps(m)
		}
	case "logging/setLevel":
		st.LogLevel = jsonrpc.Text(r.Params, "level")
	}
	if st.Revision == "" && m.IsStateless() {
		st.Revision = r.Revision
	}
	if list, ok := revision.ListOf(r.Method); ok {
		st.addPage(r, list.Member, m)
	}
}

func (st *State) serverCaps(m *Message) {
	st.ServerCaps = bytes.Clone(m.Get(m.Result, "capabilities"))
	st.DeclaredLogging = st.ServerOffers("logging")
}

// maxExchanges is the number of finished HTTP exchanges that are kept.
const maxExchanges = 2000

// exchangeDone records the end of an exchange, and drops the oldest ones.
func (st *State) exchangeDone(id uint32) {
	st.done = append(st.done, id)
	if len(st.done) < maxExchanges+maxExchanges/4 {
		return
	}
	n := len(st.done) - maxExchanges
	for _, old := range st.done[:n] {
		delete(st.Exchanges, old)
	}
	st.done = slices.Delete(st.done, 0, n)
}

func (st *State) trackNotification(m *Message) {
	switch m.Method {
	case "notifications/initialized":
		st.Initialized = true
	case "notifications/cancelled":
		st.Flows.End(m.Frame.Dir, jsonrpc.TokenOf(m.Get(m.Params, "requestId")), flow.Cancelled, st.Now)
	default:
		for i := range revision.Lists {
			if m.Method != "" && revision.Lists[i].Changed == m.Method {
				l := st.list(revision.Lists[i].Method)
				l.changed, l.stale = arrival{m.Frame.Row, m.Frame.Exchange}, true
			}
		}
	}
}

// revisionOf returns the protocol version that applies to a message.
func (st *State) revisionOf(m *Message) revision.Revision {
	switch {
	case st.isUnprovenResult(m):
		return "" // a gateway in front of an older server forwards such requests
	case m.Request != nil && m.Request.Revision != "":
		return m.Request.Revision
	case m.IsRequest() && m.Meta != nil:
		declared := revision.Revision(jsonrpc.Text(m.Meta, revision.MetaProtocolVersion))
		switch {
		case declared.Known():
			return declared
		case declared != "":
			return revision.NewestStateless // the client is stateless, although the version is unknown
		}
	case m.IsNotification() && st.statelessSeen && !st.Revision.IsStateless():
		// The server may support both eras, or there is no response yet.
		if r := st.requestOf(m); r != nil && r.Revision.IsStateless() {
			return r.Revision
		}
	}
	if m.Method == "initialize" {
		if offered := revision.Revision(m.Text(m.Params, "protocolVersion")); offered.HasHandshake() && !st.Revision.HasHandshake() {
			return offered
		}
	}
	return st.Revision
}

// isUnprovenResult reports whether a result for a stateless request has no members of 2026-07-28,
// and the era of the server is unknown.
func (st *State) isUnprovenResult(m *Message) bool {
	return st.Revision == "" && m.IsResult() && m.Request != nil && m.Request.Revision.IsStateless() &&
		m.Method != "server/discover" && !IsStatelessResult(m.Result)
}

// IsStatelessResult reports whether a result has a member that only 2026-07-28 defines.
func IsStatelessResult(result []byte) bool {
	return Has(result, "resultType") || Has(result, "ttlMs") || Has(result, "cacheScope")
}

// requestOf returns the client request that a notification belongs to, or nil if the notification
// does not identify one.
func (st *State) requestOf(m *Message) *flow.Flow {
	switch m.Method {
	case "notifications/progress":
		return st.Flows.OfToken(transport.Out, m.Get(m.Params, "progressToken"))
	case "notifications/cancelled":
		if m.Frame.Dir == transport.Out {
			return st.Flows.Find(transport.Out, jsonrpc.TokenOf(m.Get(m.Params, "requestId")))
		}
		return nil // the id identifies a request of the server
	}
	return st.Flows.Find(transport.Out, jsonrpc.TokenOf(jsonrpc.Get(m.Params, "_meta", revision.MetaSubscriptionID)))
}

const (
	// maxEnded bounds the requests that are kept after their end. Rules compare later messages with
	// them.
	maxEnded = 4096
	// MaxEndedBytes bounds the size of ended requests, in bytes. It also bounds the memory of a
	// family for ended tasks.
	MaxEndedBytes = 8 << 20
	// maxParams bounds the params of the server's pending requests, in bytes.
	maxParams = 32 << 20
	// MaxKeptBytes is the number of bytes of params kept after the response. Retries and tasks
	// refer to them.
	MaxKeptBytes = 16 << 10
	// maxShown is the number of bytes of an id, a name or a token kept for display.
	maxShown = 256
)

// IsPending reports whether a response to the request is expected.
func IsPending(r *flow.Flow) bool { return r.Waits() && !r.IsReleased() }

// ShortKey returns a map key for a text: the text, or its hash if it is long.
func ShortKey(text string) string {
	if len(text) <= maxShown {
		return text
	}
	sum := sha256.Sum256([]byte(text))
	return text[:32] + "#" + hex.EncodeToString(sum[:])
}
