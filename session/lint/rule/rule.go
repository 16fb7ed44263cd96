package rule

import (
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// The kinds that rules are limited to.
var (
	Requests      = []jsonrpc.Kind{jsonrpc.Request}
	Notifications = []jsonrpc.Kind{jsonrpc.Notification}
	Responses     = []jsonrpc.Kind{jsonrpc.Response, jsonrpc.ErrorResponse}
)

// Rule is what finds a rule of the catalogue. Those of its functions that are
// there are called; a rule without an id watches and reports nothing.
type Rule struct {
	ID    string
	Limit limit
	// methods limits message and after to requests and notifications of these
	// methods and to the answers to them; none means all.
	Methods []string
	// kinds limits them to messages of these kinds, where methods are none.
	Kinds []jsonrpc.Kind

	// line looks at each frame as it came, whatever it is; at events that are no
	// messages only for rules about HTTP.
	Line    func(*Context)
	Message func(*Context)         // each message, before the state knows it
	After   func(*Context)         // each message, when the state knows it
	HTTP    func(*Context)         // an exchange, whenever it has got further
	Stderr  func(*Context, string) // a line of the server's stderr
	Tick    func(*Context)         // time has passed
	End     func(*Context)         // the connection has ended

	// release drops what the rule keeps of a request that the state releases,
	// dropExchange what it keeps of an HTTP exchange.
	Release      func(*State, *Request)
	DropExchange func(*State, uint32)
}

// hook is a function of a rule, bound to its entry in the catalogue, which is
// nil for one that watches.
type hook struct {
	entry *Entry
	limit limit
	find  func(*Context)
}

// holdsFor reports whether the rule is looked for in a situation. Some speak of
// what their revisions say nothing about: those about the transport of
// 2024-11-05 hold wherever that is used, and those about the life cycle hold
// before anything is known.
func (h *hook) holdsFor(s situation) bool {
	switch {
	case h.entry == nil || len(h.entry.Revisions) == 0 || slices.Contains(h.entry.Revisions, s.revision):
		return true
	case h.entry.Family() == "H":
		return s.link == SSE && slices.Contains(h.entry.Revisions, revision.R20241105)
	}
	return s.revision == "" && (h.entry.Family() == "L" || h.entry.Family() == "A")
}

// situation is what decides about the rules that are looked for.
type situation struct {
	revision revision.Revision // one that is known, empty, or odd
	link     Link
}

// odd stands for all revisions that were never released.
const odd revision.Revision = "odd"

func situationOf(r revision.Revision, link Link) situation {
	if r != "" && !r.Known() {
		r = odd
	}
	return situation{r, link}
}

// compiled are the rules as the engine runs them: those that hold in one
// situation.
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
	bind := func(find func(*Context), all *[]hook, of map[string][]hook, ofKind *[jsonrpc.Batch + 1][]hook) {
		h := hook{entry, r.Limit, find}
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
	bind(r.Line, &c.line, nil, nil)
	if entry != nil && entry.Family() == "H" {
		bind(r.Line, &c.event, nil, nil)
	}
	bind(r.Message, &c.message, c.messageOf, &c.messageOfKind)
	bind(r.After, &c.after, c.afterOf, &c.afterOfKind)
	if entry != nil && entry.Family() == "A" {
		bind(r.HTTP, &c.auth, nil, nil)
	} else {
		bind(r.HTTP, &c.http, nil, nil)
	}
	bind(r.Tick, &c.tick, nil, nil)
	bind(r.End, &c.end, nil, nil)
	if r.Stderr != nil {
		c.stderr = append(c.stderr, lineHook{hook{entry: entry, limit: r.Limit}, r.Stderr})
	}
}
