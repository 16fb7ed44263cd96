package revision

import (
	"slices"
	"strings"
	"sync"
)

// Method is a request or notification of MCP.
type Method struct {
	Name string
	// Params is a template of params for somebody who composes the frame by
	// hand, in the newest form; empty when the method takes none, and for what
	// only servers send.
	Params string
	// Paged reports that the result may be one page of several (specification,
	// server / utilities / pagination).
	Paged bool

	progress       bool
	notCancellable bool // cannot be cancelled
	ways           []way
}

// way is how a method may go in some revisions.
type way struct {
	span
	sender Sender
	// needs is the path of the capability that must have been declared.
	needs []string
	// embedded tells that it is no message, but stands in the inputRequests of
	// a result (2026-07-28, basic / patterns / MRTR).
	embedded bool
}

// IsNotification reports whether the method gets no answer.
func (m Method) IsNotification() bool { return strings.HasPrefix(m.Name, "notifications/") }

// Progresses reports whether one may well ask for progress: work that can take
// a while (specification, basic / utilities / progress). Lists may be asked as
// well, but tell by their pages how far they are.
func (m Method) Progresses() bool { return m.progress }

// Cancellable reports whether the sender may take the request back
// (specification, basic / utilities / cancellation): a handshake cannot be
// taken back, and a task has a method of its own for it.
func (m Method) Cancellable() bool { return !m.notCancellable && !m.IsNotification() }

// In reports whether a revision has the method as a message. An unknown
// revision is taken for one that has everything, since nothing is known
// against it.
func (m Method) In(r Revision) bool { return m.Sender(r) != 0 }

// Sender is who may send the method in a revision; nobody when the revision
// does not have it as a message.
func (m Method) Sender(r Revision) Sender {
	var s Sender
	for _, w := range m.ways {
		if w.has(r) && !w.embedded {
			s |= w.sender
		}
	}
	return s
}

// Embedded reports whether the revision has the method as an input request
// inside a result, and no longer as a message.
func (m Method) Embedded(r Revision) bool {
	for _, w := range m.ways {
		if w.embedded && w.has(r) && r.Known() {
			return true
		}
	}
	return false
}

// MayRequestInput reports whether the answer to the method may be a question, after
// which the request is sent again (2026-07-28, basic / patterns / MRTR).
func (m Method) MayRequestInput() bool {
	return slices.ContainsFunc(params[m.Name], func(p Member) bool { return p.Name == "requestState" })
}

// Needs is the path of the capability without which a side must not send the
// method; none when it needs nothing, or nothing is known of the revision. The
// receiver must have declared it for a request, and the sender itself for a
// notification, which gives what was promised.
func (m Method) Needs(r Revision, s Sender) []string {
	for _, w := range m.ways {
		if r.Known() && w.has(r) && w.sender&s != 0 {
			return w.needs
		}
	}
	return nil
}

// Lookup finds a method by its exact name.
func Lookup(name string) (Method, bool) {
	i, ok := methodsByName()[name]
	if !ok {
		return Method{}, false
	}
	return methods[i], true
}

// methodsByName are the indexes of the methods: whoever judges traffic looks
// them up at each message.
var methodsByName = sync.OnceValue(func() map[string]int {
	index := make(map[string]int, len(methods))
	for i, m := range methods {
		index[m.Name] = i
	}
	return index
})

// Methods lists what a sender may send in a revision, requests first.
func Methods(r Revision, s Sender) []Method {
	var found []Method
	for _, m := range methods {
		if m.Sender(r)&s != 0 {
			found = append(found, m)
		}
	}
	return found
}
