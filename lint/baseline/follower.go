package baseline

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/offer/diff"
	"mcptea/record"
	"mcptea/record/flow"
)

const (
	// maxOffers bounds the servers followed in a session. A start with a different command adds one. Later ones
	// are ignored.
	maxOffers = 8
	// maxAsked bounds the pending list requests that are followed. A client has one or two; with more, their
	// lists count as incomplete.
	maxAsked = 100
	// maxListBytes bounds the lists of all servers together. A list that does not fit counts as incomplete.
	maxListBytes = revision.MaxListBytes
	// maxVersion bounds the kept bytes of a protocol version.
	maxVersion = 64
)

// A Follower collects the lists of the servers of a session from its frames. A list counts only if all of its
// pages arrived in sequence. A Follower is not safe for concurrent use.
type Follower struct {
	// Listed is called when a list is complete, with the server's offer so far. It may be nil.
	Listed func(o *Offer, list string)

	target        string
	name, version string // name and version of the server, if known
	server        diff.Server
	asked         map[flow.Ref]asked
	listings      map[string]*listing // listings by name of the list
	kept          int                 // bytes of the lists of all offers
	offers        []*Offer
	lines         map[*Offer]map[string]int32 // lines of the last pages, by name of the list
}

// An asked is a request for a page of a list, or for information about the server.
type asked struct {
	cursor  uint64 // hash of the cursor, or 0 for the first page
	version string // version named by the request, or "" before 2026-07-28
}

// A listing is a list whose pages are arriving.
type listing struct {
	items []json.RawMessage
	size  int
	next  uint64 // hash of the cursor of the next page, or 0 after the last one and if the list cannot be completed
}

// NewFollower returns a follower of a session that has not begun.
func NewFollower() *Follower {
	return &Follower{asked: map[flow.Ref]asked{}, listings: map[string]*listing{}, lines: map[*Offer]map[string]int32{}}
}

// Connection handles an event about the connection of the session.
func (f *Follower) Connection(c *record.Connection) {
	if c.What == record.ConnectionOpened {
		f.target, f.name, f.version, f.server = c.Target, "", "", diff.Server{}
		clear(f.asked)
		clear(f.listings)
	}
}

// Match handles a message of the session's connection, which is on the given line of the recording.
func (f *Follower) Match(m *flow.Match, side transport.Side, line int32) {
	request, known := f.asked[m.Request]
	if known && m.Ended != flow.NotEnded {
		delete(f.asked, m.Request)
	}
	if m.Message == nil || !m.IsMessage() || side == transport.Withheld {
		return
	}
	list, isList := revision.ListOf(m.Method)
	if !isList && m.Method != "initialize" && m.Method != "server/discover" {
		return
	}
	switch {
	case m.Dir == transport.Out && m.Kind() == jsonrpc.Request:
		f.asks(m)
	case m.Dir == transport.In && m.Kind().IsResponse():
		if !known || m.Kind() != jsonrpc.Response || side == transport.Injected {
			return
		}
		result := m.Envelope.Result.Of(m.Bytes)
		f.learn(request, result, !isList)
		if isList {
			f.page(list, request, result, line)
		}
	}
}

func (f *Follower) asks(m *flow.Match) {
	if len(f.asked) == maxAsked {
		return
	}
	params := m.Envelope.Params.Of(m.Bytes)
	one := asked{version: jsonrpc.Text(params, "_meta", revision.MetaProtocolVersion)}
	if cursor, ok := jsonrpc.Member(params, "cursor"); ok && jsonrpc.TypeOf(cursor) == "string" {
		one.cursor = jsonrpc.Sum(cursor)
	}
	f.asked[m.Request] = one
}

// learn stores the information of a result about the server itself. whole reports whether it describes the
// complete server.
func (f *Follower) learn(request asked, result []byte, whole bool) {
	parsed, _ := diff.Offer(result)
	if parsed.Info != nil {
		f.name = jsonrpc.Text(parsed.Info, "name")
	}
	version := request.version
	if whole && version == "" {
		version = jsonrpc.Text(result, "protocolVersion")
	}
	if version != "" {
		f.version = strings.Clone(version[:min(len(version), maxVersion)])
	}
	if whole {
		f.server = diff.Server{Capabilities: slices.Clone(parsed.Capabilities), Instructions: slices.Clone(parsed.Instructions)}
	}
}

// page handles a page of a list.
func (f *Follower) page(list revision.List, request asked, result []byte, line int32) {
	l := f.listings[list.Name]
	switch {
	case request.cursor == 0:
		l = &listing{items: []json.RawMessage{}}
		f.listings[list.Name] = l
	case l == nil || l.next != request.cursor:
		return
	}
	l.next = 0
	array, _ := jsonrpc.Member(result, list.Member)
	if jsonrpc.TypeOf(array) != "array" {
		delete(f.listings, list.Name)
		return
	}
	for item := range jsonrpc.Elements(array) {
		if l.size += len(item) + revision.EntryBytes; l.size > maxListBytes-f.kept {
			delete(f.listings, list.Name)
			return
		}
		l.items = append(l.items, slices.Clone(item))
	}
	if cursor, more := jsonrpc.Member(result, "nextCursor"); more && jsonrpc.TypeOf(cursor) == "string" {
		l.next = jsonrpc.Sum(cursor)
		return
	}
	delete(f.listings, list.Name)
	o := f.offer()
	if o == nil {
		return
	}
	f.kept += l.size - sizeOf(o.Lists[list.Name])
	o.Lists[list.Name] = l.items
	if f.server.Capabilities != nil {
		o.Capabilities, o.Instructions = f.server.Capabilities, f.server.Instructions
	}
	f.lines[o][list.Name] = line
	if f.Listed != nil {
		f.Listed(o, list.Name)
	}
}

// sizeOf returns the memory of the items of a list, in bytes.
func sizeOf(items []json.RawMessage) (size int) {
	for _, item := range items {
		size += len(item) + revision.EntryBytes
	}
	return size
}

// offer returns the offer of the connected server, or nil if there are already maxOffers others.
func (f *Follower) offer() *Offer {
	now := Offer{Name: f.name, Target: f.target, Revision: f.version}
	for _, o := range f.offers {
		if o.isOf(&now) && o.Revision == now.Revision {
			return o
		}
	}
	if len(f.offers) == maxOffers {
		return nil
	}
	now.Lists = map[string][]json.RawMessage{}
	f.offers = append(f.offers, &now)
	f.lines[&now] = map[string]int32{}
	return &now
}

// Offers returns the servers that had a complete list, each with its newest lists.
func (f *Follower) Offers() []*Offer { return f.offers }

// Line returns the line at which the newest complete list of a server ended.
func (f *Follower) Line(o *Offer, list string) int32 { return f.lines[o][list] }
