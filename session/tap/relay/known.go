package relay

import (
	"bytes"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/changes"
)

// known holds the state of the host of a relay: its frames, notifications and pending requests.
type known struct {
	// initialize and initialized are the host's own frames, or nil before they have succeeded.
	initialize, initialized []byte
	result                  []byte // result of initialize, as sent by the server
	declared                []byte // capabilities as sent to the host
	version                 string // negotiated by initialize
	stateless               bool   // a request of the host names its version itself

	calls calls // requests of the host without a response
	order int64 // number of the next call
	// settled are the ids of requests that the relay has answered since the last server has begun; at
	// most maxPending.
	settled map[jsonrpc.Key]bool

	asked map[jsonrpc.Key]asked // requests of the server without a response; at most maxPending
	// dead holds the requests of earlier servers, and deadTokens their progress tokens, at most maxPending.
	dead, deadTokens map[jsonrpc.Key]bool
	// given are the ids that requests of this server have at the host where theirs are dead, and other
	// is the way back; at most maxPending.
	other map[jsonrpc.Key]jsonrpc.ID // id at the host → id of the server
	given map[jsonrpc.Key]jsonrpc.ID // id of the server → id at the host

	lists         map[string]*seenList // lists that the host has seen, by method
	subscriptions map[string][]byte    // the host's own frames by URI, at most maxPending
	level         []byte               // the host's own logging/setLevel
	tools         map[string][]byte    // input schemas with annotations for headers; at most maxEntries
}

// maxPending bounds the requests of each side without a response, and the remembered ones. The host's
// own more are refused; of the rest the oldest make way, in no order.
const maxPending = 4096

// asked is a request of the server.
type asked struct {
	id    jsonrpc.ID
	token jsonrpc.Key // key under which the host reports progress, or the zero key
}

// seenList is a list as the host has seen it. A host that has not requested all pages has seen
// a part.
type seenList struct {
	frame    []byte // the host's request for the first page
	entries  []changes.Entry
	partial  bool
	notified bool // the host was notified of a change since
}

func (k *known) init() {
	k.calls.byID, k.settled = map[jsonrpc.Key]*call{}, map[jsonrpc.Key]bool{}
	k.asked, k.dead, k.deadTokens = map[jsonrpc.Key]asked{}, map[jsonrpc.Key]bool{}, map[jsonrpc.Key]bool{}
	k.other, k.given = map[jsonrpc.Key]jsonrpc.ID{}, map[jsonrpc.Key]jsonrpc.ID{}
	k.tools = map[string][]byte{}
	k.lists, k.subscriptions = map[string]*seenList{}, map[string][]byte{}
}

// settle records a request that the relay has answered.
func (k *known) settle(key jsonrpc.Key) {
	makeRoom(k.settled) // a late response to a removed one is forwarded
	k.settled[key] = true
}

// dropPending records the requests of a server that is gone, and returns them.
func (k *known) dropPending() (ids []jsonrpc.ID) {
	for key, a := range k.asked {
		makeRoom(k.dead)
		k.dead[key] = true
		if a.token != (jsonrpc.Key{}) {
			makeRoom(k.deadTokens)
			k.deadTokens[a.token] = true
		}
		ids = append(ids, a.id)
	}
	clear(k.asked)
	clear(k.other)
	clear(k.given)
	return ids
}

// makeRoom keeps a set below its bound.
func makeRoom(set map[jsonrpc.Key]bool) {
	for key := range set {
		if len(set) < maxPending {
			return
		}
		delete(set, key)
	}
}

// request records a request of the host.
func (k *known) request(frame []byte, e *jsonrpc.Envelope) {
	method := e.MethodName(frame)
	c := &call{id: e.ID.Of(frame).ID(), method: method, order: k.order}
	k.order++
	switch {
	case method == "resources/subscribe", method == "resources/unsubscribe":
		c.frame, c.uri = slices.Clone(frame), jsonrpc.Text(e.Params.Of(frame), "uri")
	case c.isCarried(), method == "logging/setLevel", isList(method):
		c.frame = slices.Clone(frame)
	}
	if jsonrpc.Text(e.Params.Of(frame), "_meta", revision.MetaProtocolVersion) != "" {
		k.stateless = true
	}
	k.calls.add(c)
	delete(k.settled, c.id.Key())
}

// response records the response to a request of the host.
func (k *known) response(frame []byte, e *jsonrpc.Envelope) {
	c := k.calls.remove(e.ID.Of(frame))
	if c == nil || e.Kind != jsonrpc.Response {
		return
	}
	result := e.Result.Of(frame)
	switch c.method {
	case "initialize":
		k.initialize, k.initialized, k.stateless = c.frame, nil, false // even after an attempt without a handshake
		k.result, k.declared = slices.Clone(result), slices.Clone(result)
		k.version = jsonrpc.Text(result, "protocolVersion")
		clear(k.lists)
		clear(k.subscriptions)
		k.level = nil
	case "logging/setLevel":
		k.level = c.frame
	case "resources/subscribe":
		if len(k.subscriptions) < maxPending {
			k.subscriptions[c.uri] = c.frame
		}
	case "resources/unsubscribe":
		delete(k.subscriptions, c.uri)
	default:
		if list, ok := revision.ListOf(c.method); ok {
			k.listed(list, c.frame, result)
		}
	}
}

// listed records a page of a list.
func (k *known) listed(list revision.List, request, result []byte) {
	e := jsonrpc.Scan(request)
	seen := k.lists[list.Method]
	if cursor := jsonrpc.Get(e.Params.Of(request), "cursor"); cursor == nil || seen == nil {
		seen = &seenList{frame: request, partial: cursor != nil}
		k.lists[list.Method] = seen
	}
	seen.entries = appendEntries(seen.entries, list, result)
	if list.Name == revision.Tools.Name {
		for tool := range jsonrpc.Elements(jsonrpc.Get(result, list.Member)) {
			name := jsonrpc.Text(tool, "name")
			delete(k.tools, name)
			if schema := jsonrpc.Get(tool, "inputSchema"); len(k.tools) < maxEntries && bytes.Contains(schema, []byte("x-mcp-header")) {
				k.tools[name] = bytes.Clone(schema)
			}
		}
	}
	next := jsonrpc.Get(result, "nextCursor")
	seen.partial = len(next) > 0 && next[0] == '"'
}

// maxEntries bounds the entries of a list that are compared; more are not looked at.
const maxEntries = 100_000

func appendEntries(to []changes.Entry, list revision.List, result []byte) []changes.Entry {
	for entry := range jsonrpc.Elements(jsonrpc.Get(result, list.Member)) {
		if len(to) >= maxEntries {
			break
		}
		to = append(to, changes.Entry{Key: jsonrpc.Text(entry, list.Key), Raw: bytes.Clone(entry)})
	}
	return to
}

func isList(method string) bool {
	_, ok := revision.ListOf(method)
	return ok
}
