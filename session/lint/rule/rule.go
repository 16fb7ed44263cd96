package rule

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/flow"
)

// The kinds of messages that rules are limited to.
var (
	Requests      = []jsonrpc.Kind{jsonrpc.Request}
	Notifications = []jsonrpc.Kind{jsonrpc.Notification}
	Responses     = []jsonrpc.Kind{jsonrpc.Response, jsonrpc.ErrorResponse}
)

// Rule is the functions of a rule, each of which may be nil. A rule without ID
// only keeps state for others and reports nothing.
type Rule struct {
	ID    string
	Limit Limit
	// Methods limits Message and After to requests and notifications of these
	// methods and to the responses to them; empty for all.
	Methods []string
	// Select adds the methods that it selects to Methods. It is called with all of them
	// at the first use of the catalog.
	Select func(revision.Method) bool
	// Kinds limits them to messages of these kinds, if Methods is empty.
	Kinds []jsonrpc.Kind
	// When limits them to messages that meet the conditions.
	When When

	// Line checks each frame, also an invalid one. SSE events of another type are
	// only for rules about HTTP.
	Line    func(*Context)
	Message func(*Context)         // each message, before the state is updated with it
	After   func(*Context)         // each message, after the state was updated with it
	HTTP    func(*Context)         // each phase of an exchange
	Stderr  func(*Context, string) // a line of the server's stderr
	Tick    func(*Context)         // time has passed
	End     func(*Context)         // the connection has ended

	// Release drops what the rule keeps of a request that the state releases,
	// DropExchange what it keeps of an HTTP exchange.
	Release      func(*State, *flow.Flow)
	DropExchange func(*State, uint32)
}

// hook is a function of a rule with its entry, which is nil for a rule without
// ID.
type hook struct {
	entry *Entry
	limit Limit
	when  When
	find  func(*Context)
}

// holdsFor reports whether the rule holds in a situation. The rules about
// HTTP+SSE hold wherever that transport is used, and those about initialization
// and authorization before a revision is known.
func (h *hook) holdsFor(s situation) bool {
	switch {
	case h.entry == nil || len(h.entry.Revisions) == 0 || slices.Contains(h.entry.Revisions, s.revision):
		return true
	case h.entry.Family() == "H":
		return s.link == SSE && slices.Contains(h.entry.Revisions, revision.R20241105)
	}
	return s.revision == "" && (h.entry.Family() == "L" || h.entry.Family() == "A")
}

// situation decides which rules hold.
type situation struct {
	revision revision.Revision // a known one, empty, or odd
	link     Link
}

// odd stands for all unknown revisions.
const odd revision.Revision = "odd"

func situationOf(r revision.Revision, link Link) situation {
	if r != "" && !r.Known() {
		r = odd
	}
	return situation{r, link}
}

// compiled is the rules that hold in one situation.
type compiled struct {
	line, event, message, after, http, auth, tick, end []hook
	messageOf, afterOf                                 map[string][]hook // by method
	messageOfKind, afterOfKind                         [jsonrpc.Batch + 1][]hook
	stderr                                             []lineHook
}

type lineHook struct {
	hook
	find func(*Context, string)
}

// compile binds the rules that hold in a situation.
func (l *Catalog) compile(s situation) *compiled {
	c := &compiled{messageOf: map[string][]hook{}, afterOf: map[string][]hook{}}
	for _, family := range l.families {
		for _, r := range family.Rules {
			c.add(r, l.byID[r.ID], s)
		}
	}
	return c
}

func (c *compiled) add(r Rule, entry *Entry, s situation) {
	if h := (hook{entry: entry}); !h.holdsFor(s) {
		return
	}
	bind := func(find func(*Context), when When, all *[]hook, of map[string][]hook, ofKind *[jsonrpc.Batch + 1][]hook) {
		h := hook{entry, r.Limit, when, find}
		switch {
		case find == nil:
		case of != nil && len(r.Methods) > 0:
			for _, method := range r.Methods {
				of[method] = append(of[method], h)
			}
		case ofKind != nil && len(r.Kinds) > 0:
			for _, kind := range r.Kinds {
				ofKind[kind] = append(ofKind[kind], h)
			}
		default:
			*all = append(*all, h)
		}
	}
	bind(r.Line, 0, &c.line, nil, nil)
	if entry != nil && entry.Family() == "H" {
		bind(r.Line, 0, &c.event, nil, nil)
	}
	bind(r.Message, r.When, &c.message, c.messageOf, &c.messageOfKind)
	bind(r.After, r.When, &c.after, c.afterOf, &c.afterOfKind)
	if entry != nil && entry.Family() == "A" {
		bind(r.HTTP, 0, &c.auth, nil, nil)
	} else {
		bind(r.HTTP, 0, &c.http, nil, nil)
	}
	bind(r.Tick, 0, &c.tick, nil, nil)
	bind(r.End, 0, &c.end, nil, nil)
	if r.Stderr != nil {
		c.stderr = append(c.stderr, lineHook{hook{entry: entry, limit: r.Limit}, r.Stderr})
	}
}
