package lint

import (
	"bytes"
	"reflect"
	"slices"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// Link is how the two sides are connected.
type Link uint8

// The links.
const (
	Stdio Link = iota
	HTTP
	SSE // HTTP+SSE of 2024-11-05
)

// State is what is known of a connection. While rules look at a message it is
// as it was before that message; rules that look after it see the new one.
type State struct {
	Link Link
	Now  time.Time // of the newest event

	// Revision is that of the session; 2026-07-28 once a request without
	// handshake was answered; empty while nothing is known.
	Revision revision.Revision
	Offered  revision.Revision // in the newest initialize
	// ServerCaps and ClientCaps are raw objects; nil while nothing is known.
	// ClientCaps are those of the handshake.
	ServerCaps, ClientCaps []byte

	Initialize  *Request // the newest one; nil when there was none
	Initialized bool     // notifications/initialized was sent
	Discover    *Request // the newest server/discover
	Messages    [2]int   // how many each direction has had

	// Tokens are the requests of progress tokens, by the direction of the
	// request and the key of the token.
	Tokens [2]map[string]*Request
	// Lists are what the server offers, by method.
	Lists map[string]*List
	// Exchanges are those of HTTP, by number.
	Exchanges map[uint32]*Exchange
	LogLevel  string // set by logging/setLevel
	Session   string // Mcp-Session-Id, masked as in the reports; empty without
	Logs      bool   // the server declared logging, of which each log message reminds
	// StdinClosed is when the client closed the server's stdin; zero before.
	StdinClosed time.Time
	// Closing says that the client has begun to end the session over HTTP.
	Closing bool
	Ended   bool

	requests requestTable // see Request and Waiting
	done     []uint32     // the exchanges that are over, oldest first
	alone    bool         // some request stood alone (2026-07-28)
	spread   [2]spread    // what each direction spreads over several lines
	own      map[reflect.Type]any
}

// List is a list of the server, page by page.
type List struct {
	Items    [][]byte // raw, copies; of the newest listing
	Complete bool     // the last page is there
	// Before are the names of the complete listing before this one.
	Before []string

	size int // of the items, in bytes
}

// Named finds an item by its name.
func (l *List) Named(name string) []byte {
	if l == nil {
		return nil
	}
	for _, item := range l.Items {
		if Text(item, "name") == name {
			return item
		}
	}
	return nil
}

func newState(link Link) *State {
	return &State{
		Link:      link,
		requests:  newRequestTable(),
		Tokens:    [2]map[string]*Request{{}, {}},
		Lists:     map[string]*List{},
		Exchanges: map[uint32]*Exchange{},
		own:       map[reflect.Type]any{},
	}
}

// Own is what a family remembers by itself on this connection: one value of a
// type, made when it is first asked for.
func Own[T any](st *State) *T {
	key := reflect.TypeFor[T]()
	v, ok := st.own[key].(*T)
	if !ok {
		v = new(T)
		st.own[key] = v
	}
	return v
}

// ServerOffers reports whether the server declared a capability; false is not
// declared.
func (st *State) ServerOffers(path ...string) bool { return declared(st.ServerCaps, path) }

// ClientOffers reports whether the client declared a capability in the
// handshake.
func (st *State) ClientOffers(path ...string) bool { return declared(st.ClientCaps, path) }

func declared(caps []byte, path []string) bool {
	v := Member(caps, path[0], path[1:]...)
	return v != nil && string(v) != "false" && string(v) != "null"
}

// opens reports whether an exchange begins a session, or one without an id:
// the answer to initialize does, also to a later one.
func (st *State) opens(x *Exchange) (id string, ok bool) {
	if !x.Reached(transport.ExchangeHeaders) || x.Status/100 != 2 {
		return "", false
	}
	id, _ = headerOf(x.ResponseHeader, "Mcp-Session-Id")
	for _, r := range x.Requests {
		if r.Method == "initialize" {
			return id, true
		}
	}
	return id, id != "" && st.Session == ""
}

// newestOf is an exchange, or the newest one that sent it again: with a token, or
// at another URL.
func (st *State) newestOf(id uint32) *Exchange {
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

// Tools is the list of tools; nil before one was fetched.
func (st *State) Tools() *List { return st.Lists["tools/list"] }

// lists are the methods whose results are lists, and the members that hold
// them.
var lists = map[string]string{
	"tools/list": "tools", "resources/list": "resources", "prompts/list": "prompts",
	"resources/templates/list": "resourceTemplates",
}

// learn takes a message into account.
func (st *State) learn(m *Message) {
	st.Messages[m.Frame.Dir]++
	switch {
	case m.IsRequest():
		st.requested(m)
	case m.IsAnswer() && m.Request != nil:
		st.answered(m)
	case m.IsNotification():
		st.notified(m)
	}
}

func (st *State) requested(m *Message) {
	r := &Request{
		Dir: m.Frame.Dir, Method: m.Method, Params: bytes.Clone(m.Params), Row: m.Frame.Row,
		Time: m.Frame.Time, Revision: m.Revision, Exchange: m.Frame.Exchange,
	}
	if token := Member(m.Meta, "progressToken"); token != nil {
		r.Token, r.tokenKey = clipped(token), tokenKey(token)
	}
	if r.Name = Text(m.Params, "name"); r.Name == "" {
		r.Name = Text(m.Params, "uri")
	}
	st.hold(r, m.ID)
	st.alone = st.alone || r.Revision.IsStateless()
	if r.Token != "" {
		st.Tokens[r.Dir][r.tokenKey] = r
	}
	if r.Dir != transport.Out {
		return
	}
	switch r.Method {
	case "initialize":
		st.Initialize, st.Initialized, st.Closing = r, false, false
		st.Offered = revision.Revision(Text(m.Params, "protocolVersion"))
		st.ClientCaps = bytes.Clone(Member(m.Params, "capabilities"))
	case "server/discover":
		st.Discover = r
	}
}

func (st *State) answered(m *Message) {
	r := m.Request
	if !r.Answered {
		st.requests.answered[r.Dir]++
	}
	r.Answered, r.Err = true, m.IsError()
	if !m.IsResult() {
		return
	}
	r.Asked = m.Modern() && m.ResultType() == "input_required"
	switch r.Method {
	case "initialize":
		st.Revision = revision.Revision(Text(m.Result, "protocolVersion"))
		st.serverCaps(m)
	case "server/discover":
		if !contains(Member(m.Result, "supportedVersions"), string(r.Revision)) {
			return // a server with a handshake may answer, too
		}
		if r.Revision.IsStateless() {
			st.Revision = r.Revision
			st.serverCaps(m)
		}
	case "logging/setLevel":
		st.LogLevel = Text(r.Params, "level")
	}
	if st.Revision == "" && m.Modern() {
		st.Revision = r.Revision
	}
	if member, ok := lists[r.Method]; ok {
		st.listed(r, member, m.Result)
	}
}

func (st *State) serverCaps(m *Message) {
	st.ServerCaps = bytes.Clone(Member(m.Result, "capabilities"))
	st.Logs = st.ServerOffers("logging")
}

// maxListBytes is how much of a list is kept. One that is longer counts as one
// whose end is not known.
const maxListBytes = 32 << 20

// maxExchanges is how many HTTP exchanges are kept after their end.
const maxExchanges = 2000

// finished takes note that an exchange is over, and lets go of older ones.
func (st *State) finished(id uint32) {
	st.done = append(st.done, id)
	if len(st.done) < maxExchanges+maxExchanges/4 {
		return
	}
	n := len(st.done) - maxExchanges
	for _, old := range st.done[:n] {
		delete(st.Exchanges, old)
		delete(Own[unreadable](st).notified, old)
	}
	st.done = slices.Delete(st.done, 0, n)
}

// listed adds a page to a list. One without cursor begins it anew.
func (st *State) listed(r *Request, member string, result []byte) {
	l := st.Lists[r.Method]
	if l == nil {
		l = &List{}
		st.Lists[r.Method] = l
	}
	if Text(r.Params, "cursor") == "" {
		l.Before = nil
		if l.Complete {
			for _, item := range l.Items {
				l.Before = append(l.Before, Text(item, "name"))
			}
		}
		l.Items, l.Complete, l.size = nil, false, 0
	}
	var items, next []byte
	for name, value := range jsonrpc.Members(result) { // once, for lists are long
		switch string(name) {
		case member:
			items = value
		case "nextCursor":
			next = value
		}
	}
	for item := range jsonrpc.Elements(items) {
		if l.size += len(item); l.size > maxListBytes {
			break
		}
		l.Items = append(l.Items, bytes.Clone(item))
	}
	l.Complete = Kind(next) != "string" && l.size <= maxListBytes
}

func (st *State) notified(m *Message) {
	switch m.Method {
	case "notifications/initialized":
		st.Initialized = true
	case "notifications/cancelled":
		if r := st.Request(m.Frame.Dir, Member(m.Params, "requestId")); r != nil && !r.Answered {
			r.Cancelled, r.CancelledAt = true, st.Now
			st.end(r)
		}
	}
}

// revisionOf is the revision by which a message is judged.
func (st *State) revisionOf(m *Message) revision.Revision {
	switch {
	case st.unproven(m):
		return "" // a gateway in front of an older server passes such requests through
	case m.Request != nil && m.Request.Revision != "":
		return m.Request.Revision
	case m.IsRequest() && m.Meta != nil:
		says := revision.Revision(Text(m.Meta, revision.MetaProtocolVersion))
		switch {
		case says.Known():
			return says
		case says != "":
			return revision.NewestStateless // it stands alone, whatever it calls itself
		}
	case m.IsNotification() && st.alone && !st.Revision.IsStateless():
		// The server may speak both ways, or nothing was answered as yet.
		if r := st.subject(m); r != nil && r.Revision.IsStateless() {
			return r.Revision
		}
	}
	if m.Method == "initialize" {
		if offered := revision.Revision(Text(m.Params, "protocolVersion")); offered.HasHandshake() && !st.Revision.HasHandshake() {
			return offered
		}
	}
	return st.Revision
}

// unproven reports a result of a server of which nothing is known, to a request
// without handshake, that has none of the members that every such result has.
func (st *State) unproven(m *Message) bool {
	return st.Revision == "" && m.IsResult() && m.Request != nil && m.Request.Revision.IsStateless() &&
		m.Method != "server/discover" && !provesStateless(m.Result)
}

// provesStateless reports a result with a member that only 2026-07-28 defines.
func provesStateless(result []byte) bool {
	return has(result, "resultType") || has(result, "ttlMs") || has(result, "cacheScope")
}

// subject is the client's request that a notification is about; nil when it
// names none.
func (st *State) subject(m *Message) *Request {
	switch m.Method {
	case "notifications/progress":
		return st.Tokens[transport.Out][tokenKey(Member(m.Params, "progressToken"))]
	case "notifications/cancelled":
		if m.Frame.Dir == transport.Out {
			return st.Request(transport.Out, Member(m.Params, "requestId"))
		}
		return nil // in a session, the ids of the server are others
	}
	return st.Request(transport.Out, Member(m.Params, "_meta", revision.MetaSubscriptionID))
}
