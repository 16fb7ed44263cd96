package baseline

import (
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/offer/diff"
	"mcptea/session/record"
	"mcptea/session/record/flow"
)

const (
	// maxOffers is how many servers of a session are followed: it has one, and another after each
	// start with another command. Of more, nothing is known.
	maxOffers = 8
	// maxAsked is how many requests of lists without a response are followed. A client has one or
	// two; the lists of more count as incomplete.
	maxAsked = 100
	// maxListBytes is how much the lists of all servers may take together. One that does not fit
	// counts as incomplete.
	maxListBytes = revision.MaxListBytes
	// maxVersion is how many bytes of a protocol version are kept.
	maxVersion = 64
)

// Follower reads what the server of a session offers from its frames. Only a list of which
// each page has come, one after the other, is a list. It is not safe for concurrent use.
type Follower struct {
	// Listed is called when a list is complete, with what is known of the server, and the line of
	// the last page; nil without.
	Listed func(o *Offer, list string)

	target        string
	name, version string // of the server, as far as they are known
	about         diff.Server
	asked         map[flow.Ref]asked
	listings      map[string]*listing // by the name of the list
	kept          int                 // bytes of the lists of all offers
	offers        []*Offer
	lines         map[*Offer]map[string]int32 // of the last pages, by the name of the list
}

// asked is a request of a page, or of what is known of the server.
type asked struct {
	cursor  uint64 // a hash of it; 0 for the first page
	version string // that the request names itself; empty before 2026-07-28
}

// listing is a list whose pages come.
type listing struct {
	items []json.RawMessage
	size  int
	next  uint64 // a hash of the cursor of the next page; 0 after the last one, and for a list that cannot be completed
}

// NewFollower returns a follower of a session that has not begun.
func NewFollower() *Follower {
	return &Follower{asked: map[flow.Ref]asked{}, listings: map[string]*listing{}, lines: map[*Offer]map[string]int32{}}
}

// Connection takes an event about the connection of the session.
func (f *Follower) Connection(c *record.Connection) {
	if c.What == record.ConnectionOpened {
		f.target, f.name, f.version, f.about = c.Target, "", "", diff.Server{}
		clear(f.asked)
		clear(f.listings)
	}
}

// Match takes a message of the connection of the session, which is in a line of the recording.
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

// learn takes what a result says of the server itself; whole says that it is about the server
// as a whole.
func (f *Follower) learn(request asked, result []byte, whole bool) {
	said, _ := diff.Offer(result)
	if said.Info != nil {
		f.name = jsonrpc.Text(said.Info, "name")
	}
	version := request.version
	if whole && version == "" {
		version = jsonrpc.Text(result, "protocolVersion")
	}
	if version != "" {
		f.version = strings.Clone(version[:min(len(version), maxVersion)])
	}
	if whole {
		f.about = diff.Server{Capabilities: slices.Clone(said.Capabilities), Instructions: slices.Clone(said.Instructions)}
	}
}

// page takes a page of a list.
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
	if f.about.Capabilities != nil {
		o.Capabilities, o.Instructions = f.about.Capabilities, f.about.Instructions
	}
	f.lines[o][list.Name] = line
	if f.Listed != nil {
		f.Listed(o, list.Name)
	}
}

// sizeOf is what the items of a list take.
func sizeOf(items []json.RawMessage) (size int) {
	for _, item := range items {
		size += len(item) + revision.EntryBytes
	}
	return size
}

// offer is that of the server of the connection; nil if there are too many.
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

// Offers are the servers of which there was a complete list, with the newest ones.
func (f *Follower) Offers() []*Offer { return f.offers }

// Line is where the newest complete list of a server ended.
func (f *Follower) Line(o *Offer, list string) int32 { return f.lines[o][list] }
