// Package lint checks the traffic of MCP connections. A finding names the violated rule, the responsible side,
// the place in the frame, and the fix.
//
// An [Engine] follows one connection at a time. It receives events in order from a live session or a recording,
// and does no I/O. It takes the time from the events, so a recording has the same findings as the session.
//
// The package defines the parts that rules are written with: the [Rule] and its entry in the [Catalog], the
// [Context] that a rule checks and reports with, the [State] of the connection, and text for messages. The
// rules are in package rules, which imports this one. It has one folder for each family, with entries and
// traces; README.md describes how to add a rule.
package lint

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The kinds of messages to which rules can be limited.
var (
	Requests      = []jsonrpc.Kind{jsonrpc.Request}
	Notifications = []jsonrpc.Kind{jsonrpc.Notification}
	Responses     = []jsonrpc.Kind{jsonrpc.Response, jsonrpc.ErrorResponse}
)

// A Rule holds the functions of a rule. Each may be nil. A rule whose entry has places in the
// schemas needs no function. A rule without an ID only keeps state for other rules and reports
// nothing.
type Rule struct {
	ID    string
	Limit Limit
	// Methods limits Message and After to requests and notifications with these methods, and to
	// their responses. If empty, all methods count.
	Methods []string
	// Select adds methods to Methods: those for which it returns true. It is called with all
	// methods when the catalog is first used.
	Select func(revision.Method) bool
	// Kinds limits Message and After to messages of these kinds, if Methods is empty.
	Kinds []jsonrpc.Kind
	// When limits Message and After to messages that meet the conditions. It limits Line to lines
	// that meet those of the conditions that are in [ofLine].
	When When

	// Line checks each frame, including invalid ones. SSE events of other types are checked only by
	// rules about HTTP.
	Line    func(*Context)
	Message func(*Context) // checks each message before the state is updated with it
	After   func(*Context) // checks each message after the state was updated with it
	HTTP    func(*Context) // checks an exchange in each phase
	Body    func(*Context) // checks the body of an HTTP error that is not a JSON-RPC message; see [Context.Body]
	Stderr  func(*Context) // checks a line of the server's stderr; see [Context.Stderr]
	// Delivery checks a POST to the callback of a webhook; see [Context.Delivery].
	Delivery func(*Context)
	App      func(*Context) // checks each message between an app and its host; see [Context.App]
	Tick     func(*Context) // called when time has passed
	End      func(*Context) // called when the process has exited
	Last     func(*Context) // called at the end of the input: the connection or the file
	Closed   func(*Context) // called once at the end of the connection, on any transport, after End and Last
}

// Each returns a rule function that calls check for each value that in finds in an event.
func Each[T any](in func(*Context) []T, check func(*Context, T)) func(*Context) {
	return func(c *Context) {
		for _, one := range in(c) {
			check(c, one)
		}
	}
}

// hook is a function of a rule with its entry, which is nil for a rule without
// ID.
type hook struct {
	entry *Entry
	limit Limit
	when  When
	find  func(*Context)
}

// holdsFor reports whether the rule applies in a situation. Rules about HTTP+SSE apply to all
// sessions over that transport. Before the protocol version is known, only the rules about
// initialization and authorization apply. Over Streamable HTTP, the rules of all its versions apply
// then, too.
func (h *hook) holdsFor(s situation) bool {
	switch {
	case h.entry == nil || len(h.entry.Revisions) == 0 || slices.Contains(h.entry.Revisions, s.revision):
		return true
	case h.entry.Family() == "H":
		return s.link == SSE && slices.Contains(h.entry.Revisions, revision.R20241105) ||
			s.link == HTTP && s.revision == "" && !slices.ContainsFunc(revision.All(), func(r revision.Revision) bool {
				return r != revision.R20241105 && !slices.Contains(h.entry.Revisions, r)
			})
	}
	return s.revision == "" && (h.entry.Family() == "L" || h.entry.Family() == "A")
}

// situation determines which rules apply.
type situation struct {
	revision revision.Revision // a known protocol version, empty, or odd
	link     Link
}

// odd stands for all unknown protocol versions.
const odd revision.Revision = "odd"

func situationOf(r revision.Revision, link Link) situation {
	if r != "" && !r.Known() {
		r = odd
	}
	return situation{r, link}
}

// compiled holds the rules that apply in one situation.
type compiled struct {
	event, http, auth, body, stderr, delivery, app, tick, end, last, closed []hook
	line, message, after                                                    dispatch
	places, everywhere                                                      []hook // rules with a [SchemaPlace], which have no function
}

// compile returns the rules that apply in a situation.
func (l *Catalog) compile(s situation) *compiled {
	c := &compiled{message: dispatch{ofMethod: map[string][]hook{}}, after: dispatch{ofMethod: map[string][]hook{}}}
	for _, family := range l.families {
		for _, r := range family.Rules {
			c.add(r, l.byID[r.ID], s)
		}
	}
	return c
}

func (c *compiled) add(r Rule, entry *Entry, s situation) {
	h := hook{entry: entry, limit: r.Limit}
	if !h.holdsFor(s) {
		return
	}
	bind := func(to *[]hook, find func(*Context)) {
		if h.find = find; find != nil {
			*to = append(*to, h)
		}
	}
	http := &c.http
	if entry != nil && entry.Family() == "A" {
		http = &c.auth
	}
	if entry != nil && entry.Family() == "H" {
		bind(&c.event, r.Line)
	}
	h.when = r.When & ofLine
	bind(&c.line.all, r.Line)
	h.when = 0
	bind(http, r.HTTP)
	bind(&c.body, r.Body)
	bind(&c.stderr, r.Stderr)
	bind(&c.delivery, r.Delivery)
	bind(&c.app, r.App)
	bind(&c.tick, r.Tick)
	bind(&c.end, r.End)
	bind(&c.last, r.Last)
	bind(&c.closed, r.Closed)
	if h.find = nil; entry != nil && len(entry.Places) > 0 {
		if entry.Places[0].At == nil {
			c.everywhere = append(c.everywhere, h)
		} else {
			c.places = append(c.places, h)
		}
	}
	h.when = r.When
	c.message.add(r, h, r.Message)
	c.after.add(r, h, r.After)
}

// When is a set of conditions. A message must meet all of them.
type When uint32

// The conditions.
const (
	Request When = 1 << iota
	Notification
	Response // a result or an error response
	Result
	ErrorResponse
	FromClient
	FromServer
	Stateless  // the message belongs to a stateless protocol version
	Matched    // first response to a known request
	Complete   // see [Message.IsCompleteObject]
	ToolResult // see [Message.IsToolResult]
	InHTTP     // the frame belongs to an HTTP exchange
	// Unusual: the envelope shows that MCP does not define the message. It has a flaw, an empty
	// method, a null id, or params or a result that is not an object. A line is unusual if it has a
	// flaw, is not a single message, or was sent instead of the rest of another line.
	Unusual
	NoResponse  // neither a result nor an error response
	Unmatched   // a response whose request is unknown
	Repeated    // a response to a request that already has one
	WithError   // has a member error
	Declaring   // may declare capabilities or a version: initialize, server/discover, a stateless request of the client
	WithMeta    // may have a member _meta or meta
	WithContent // may have a member content
	Repeating   // an object may have two members with the same name
	Special     // may contain escapes, or letters beyond ASCII
)

// ofLine holds the conditions that can be checked for a line.
const ofLine = FromClient | FromServer | InHTTP | Unusual

// ofResult holds the conditions that depend on the result.
const ofResult = Complete | ToolResult

var kindConditions = [jsonrpc.Batch + 1]When{
	jsonrpc.Request: Request, jsonrpc.Notification: Notification,
	jsonrpc.Response: Response | Result, jsonrpc.ErrorResponse: Response | ErrorResponse,
}

// setLineConditions sets the conditions that the line meets.
func (c *Context) setLineConditions() {
	c.is = FromClient << (senderOf(c.F.Dir) - Client)
	if c.X != nil {
		c.is |= InHTTP
	}
	if e := &c.F.Envelope; e.Flaws != 0 || e.Kind == jsonrpc.Invalid || e.Kind == jsonrpc.Batch || c.F.Unfinished != nil {
		c.is |= Unusual
	}
}

// setConditions sets the conditions that the message meets, except the conditions about the result.
func (c *Context) setConditions() {
	m := c.M
	c.is = kindConditions[m.Envelope.Kind] | FromClient<<(m.Sender()-Client)
	if m.stateless {
		c.is |= Stateless
	}
	switch {
	case m.Request != nil && m.IsResponse() && m.Request.HasResponse():
		c.is |= Repeated
	case m.Request != nil:
		c.is |= Matched
	case m.IsResponse():
		c.is |= Unmatched
	}
	if !m.IsResponse() {
		c.is |= NoResponse
	}
	if c.X != nil {
		c.is |= InHTTP
	}
	if e := &m.Envelope; e.Flaws != 0 || e.Kind == jsonrpc.Invalid || m.Method == "" && !m.IsResponse() ||
		m.Params != nil && m.Params[0] != '{' || m.Result != nil && m.Result[0] != '{' {
		c.is |= Unusual
	}
	if m.Method == "initialize" || m.Method == "server/discover" || c.is&(Stateless|Request|FromClient) == Stateless|Request|FromClient {
		c.is |= Declaring
	}
	c.setMemberConditions()
}

// setMemberConditions sets the conditions about the members that a message has.
func (c *Context) setMemberConditions() {
	e := &c.M.Envelope
	if c.M.Error != nil {
		c.is |= WithError
	}
	if e.MayHave("_meta") || e.MayHave("meta") {
		c.is |= WithMeta
	}
	if e.MayHave("content") {
		c.is |= WithContent
	}
	if e.MayRepeat() {
		c.is |= Repeating
	}
	if e.Special {
		c.is |= Special
	}
}

// meets reports whether the result meets the conditions about it.
func (c *Context) meets(w When) bool {
	return (w&Complete == 0 || c.M.IsCompleteObject()) && (w&ToolResult == 0 || c.M.IsToolResult())
}
