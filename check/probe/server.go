package probe

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/offer/declared"
)

// A Server holds the facts about the server that are known before the probes run.
type Server struct {
	Revision  revision.Revision
	Transport string
	Handshake client.Handshake
	Era       revision.Era
	// OtherEra is the newest handshake version that a stateless server also supports. It is "" if there is no such version
	// or a version was requested.
	OtherEra revision.Revision
	Took     int64         // connection time in milliseconds
	Pace     time.Duration // pace before the first probe
	Lists    map[string]*List
	Tools    []Tool
	Uncalled []Uncalled // without those excluded by Config.NoCall

	keeping sync.Mutex // guards the maps below while probes run
	// Largest holds the size of the largest result by tool, in characters.
	Largest map[string]int
	// Documents holds the resources/read results for apps of tools, by URI.
	Documents map[string][]byte
}

// keep records facts about the server from a result.
func (s *Server) keep(e jsonrpc.Envelope, frame []byte, o Outcome) {
	params := e.Params.Of(frame)
	s.keeping.Lock()
	defer s.keeping.Unlock()
	switch {
	case o.Kind != Result:
	case e.HasMethod(frame, "tools/call"):
		name := jsonrpc.Text(params, "name")
		s.Largest[name] = max(s.Largest[name], characters(o.Member("content")))
	case e.HasMethod(frame, "resources/read"):
		uri := jsonrpc.Text(params, "uri")
		if slices.ContainsFunc(s.Tools, func(t Tool) bool { app, _ := declared.OfTool(t.Raw); return app.URI == uri }) {
			s.Documents[uri] = o.Result()
		}
	}
}

// characters returns the number of characters in the texts of a content array.
func characters(content []byte) (n int) {
	for item := range jsonrpc.Elements(content) {
		n += utf8.RuneCountInString(jsonrpc.Text(item, "text")) + utf8.RuneCountInString(jsonrpc.Text(item, "resource", "text"))
	}
	return n
}

// A List is a complete list of the server.
type List struct {
	Kind    client.ListKind
	Items   [][]byte
	Pages   []Outcome
	Cursors []string // raw JSON
	// Problem is the reason why the list is incomplete, or "".
	Problem string

	size     int  // bytes of the pages and of the entries in memory
	tooLarge bool // larger than the part that is kept
}

// FirstPage returns the size of the first page in bytes, or 0.
func (l *List) FirstPage() int {
	if len(l.Pages) == 0 {
		return 0
	}
	return len(l.Pages[0].Frame)
}

// roomFor returns the number of bytes that a list may take, given the lists read before.
func (r *Run) roomFor(kind client.ListKind) int {
	room := revision.MaxListBytes
	for name, other := range r.Server.Lists {
		if name != kind.Name {
			room -= other.size
		}
	}
	return room
}

// end stops reading a list that is too large.
func (l *List) end() *List {
	l.tooLarge, l.Problem = true, l.Kind.Method+" returned more than mcptea keeps: "+client.ErrListTooLarge.Error()
	return l
}

// Showing returns the pages that contain an item with one of the keys, with that item as their place. If there
// are none, it returns all pages.
func (l *List) Showing(keys ...string) []Outcome {
	var pages []Outcome
	for _, page := range l.Pages {
		i := 0
		for item := range jsonrpc.Elements(page.Member(l.Kind.Member)) {
			if slices.Contains(keys, jsonrpc.Text(item, l.Kind.Key)) {
				pages = append(pages, page.At(fmt.Sprintf("/result/%s/%d", l.Kind.Member, i)))
				break
			}
			i++
		}
	}
	if pages == nil {
		return l.Pages
	}
	return pages
}

// A Tool is a tool of the list.
type Tool struct {
	Name          string
	Raw           []byte
	Input, Output []byte // schemas, or nil
}

// Annotation reports whether an annotation of the tool is true.
func (t Tool) Annotation(name string) bool {
	v, _ := jsonrpc.Member(t.Raw, "annotations", name)
	return string(v) == "true"
}

// Has reports whether the server declares a capability, such as "resources.subscribe".
func (s *Server) Has(path string) bool {
	return s.Handshake.HasCapability(strings.Split(path, ".")...)
}

// Offers reports whether the server declares the capability of a list, or a member of it, such as
// "listChanged".
func (s *Server) Offers(kind client.ListKind, more ...string) bool {
	return kind.IsDeclared(s.Handshake.ServerCaps, more...)
}

// FirstList returns the first declared list that could be read, or else the first declared list.
func (s *Server) FirstList() (first client.ListKind, declared bool) {
	for _, kind := range []client.ListKind{client.Tools, client.Resources, client.Prompts} {
		switch list := s.Lists[kind.Name]; {
		case !s.Offers(kind):
		case list == nil || list.Problem == "":
			return kind, true
		case !declared:
			first, declared = kind, true
		}
	}
	return first, declared
}

// Items returns the items of a list, or nil.
func (s *Server) Items(kind client.ListKind) [][]byte {
	if l := s.Lists[kind.Name]; l != nil {
		return l.Items
	}
	return nil
}

// IsUnknown reports whether the server does not know the method of the list.
func (l *List) IsUnknown() bool {
	return l.Problem != "" && len(l.Pages) == 1 && l.Pages[0].IsError(jsonrpc.CodeMethodNotFound)
}

// maxPages bounds the pages of a list.
const maxPages = 1000

// Walk reads all pages of a list.
func (r *Run) Walk(c *Conn, kind client.ListKind) *List {
	list := &List{Kind: kind}
	params, room := "", r.roomFor(kind)
	for range maxPages {
		o := r.Ask(c, kind.Method, c.Request(kind.Method, params))
		if list.size += len(o.Frame); list.size > room {
			return list.end()
		}
		list.Pages = append(list.Pages, o)
		items, ok := jsonrpc.Member(o.Result(), kind.Member)
		if !ok || items[0] != '[' {
			list.Problem = kind.Method + " returned " + describe(o, "a result without the list")
			return list
		}
		next := o.Member("nextCursor")
		if before := len(list.Pages) - 2; before >= 0 && jsonrpc.Count(items) > 0 && next != nil && !slices.Contains(list.Cursors, string(next)) {
			if earlier, _ := jsonrpc.Member(list.Pages[before].Result(), kind.Member); jsonrpc.Equal(items, earlier) {
				list.Problem = fmt.Sprintf("%s: page %d has the same entries as page %d, and a cursor once more", kind.Method, before+2, before+1)
				return list
			}
		}
		for item := range jsonrpc.Elements(items) {
			if list.size += revision.EntryBytes; list.size > room {
				return list.end()
			}
			list.Items = append(list.Items, item)
		}
		cursor := o.Member("nextCursor")
		if cursor == nil || string(cursor) == "null" {
			return list
		}
		if slices.Contains(list.Cursors, string(cursor)) {
			list.Problem = kind.Method + " returned the cursor " + string(cursor) + " twice"
			return list
		}
		list.Cursors = append(list.Cursors, string(cursor))
		params = `{"cursor":` + string(cursor) + `}`
	}
	list.Problem = kind.Method + " has more than 1,000 pages"
	return list
}

// Describe describes an outcome in a few words, to follow "the server replied with".
func Describe(o Outcome) string { return describe(o, Result.String()) }

// describe is like Describe, but with the given words for a result.
func describe(o Outcome, result string) string {
	switch o.Kind {
	case Result:
		return result
	case Error:
		return "error " + o.ShownCode() + ": " + short(o.Message)
	case Refused:
		return "HTTP status " + strconv.Itoa(o.Status)
	}
	if o.absence.isKnown() {
		return o.absence.describe()
	}
	if o.EndsEmpty() || o.Kind == Silent && o.Status != 0 {
		return "HTTP status " + strconv.Itoa(o.Status) + " without a message"
	}
	return o.Kind.String()
}

// ToolsOf parses the tools of a list.
func ToolsOf(items [][]byte) []Tool {
	var tools []Tool
	for _, raw := range items {
		t := Tool{Name: jsonrpc.Text(raw, "name"), Raw: raw}
		t.Input, _ = jsonrpc.Member(raw, "inputSchema")
		t.Output, _ = jsonrpc.Member(raw, "outputSchema")
		tools = append(tools, t)
	}
	return tools
}

// eraTimeout bounds the wait for a stateless server to respond to initialize.
const eraTimeout = 5 * time.Second

// otherEra returns the newest handshake version that a stateless server supports. It returns "" if there is
// none or a version was requested. Some servers list only their stateless versions in server/discover, so it
// also tries initialize.
func (r *Runner) otherEra(ctx context.Context) revision.Revision {
	if !r.server.Revision.IsStateless() || r.cfg.Client.Revision != "" {
		return ""
	}
	var offered []string
	versions, _ := jsonrpc.Member(r.server.Handshake.Result, "supportedVersions")
	for v := range jsonrpc.Elements(versions) {
		if text, ok := jsonrpc.Unquote(v); ok {
			offered = append(offered, text)
		}
	}
	if newest, ok := revision.NewestCommonHandshake(offered); ok {
		return newest
	}
	c := &Conn{r: r, raw: true}
	if c.connect(ctx) != nil {
		return ""
	}
	defer c.close(ctx)
	params := []byte(r.initializeParams(r.handshakeVersion(), ""))
	o := c.exchange(ctx, jsonrpc.EncodeRequest(c.ID(), "initialize", params), patient, min(eraTimeout, r.cfg.Timeout))
	if v := revision.Revision(jsonrpc.Text(o.Result(), "protocolVersion")); v.HasHandshake() {
		return v
	}
	return ""
}
