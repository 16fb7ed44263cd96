package revision

import (
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
)

// Method is a request or notification of MCP.
type Method struct {
	Name string
	// Params is a template of the params in the newest revision, for the composer. It is "" for methods without
	// params, and for methods that only servers send.
	Params string

	progress       bool
	notCancellable bool // cannot be cancelled
	lasts          bool
	ways           []way
}

// way is the sender and the required capability of a method in some revisions.
type way struct {
	span
	sender Sender
	// needs is the path of the required capability, or is the path of a capability that is accepted instead.
	needs, or []string
	// embedded reports that it is not a message, but an entry of inputRequests
	// (2026-07-28, basic / patterns / MRTR).
	embedded bool
}

// IsNotification reports whether the method has no response.
func (m Method) IsNotification() bool { return strings.HasPrefix(m.Name, "notifications/") }

// Progresses reports whether requesting progress makes sense, since the method can
// take a while (specification, basic / utilities / progress). It is false for lists,
// whose progress are their pages.
func (m Method) Progresses() bool { return m.progress }

// Cancellable reports whether the sender may cancel the request (specification, basic
// / utilities / cancellation). It is false for initialize; tasks have tasks/cancel.
func (m Method) Cancellable() bool { return !m.notCancellable && !m.IsNotification() }

// Lasts reports whether a request remains open as long as the client wants: its purpose are the notifications
// that belong to it, and its response ends it. No timeout applies to it.
func (m Method) Lasts() bool { return m.lasts }

// In reports whether a revision has the method as a message. An unknown revision has
// all methods.
func (m Method) In(r Revision) bool { return m.Sender(r) != 0 }

// Sender returns the sender of the method in a revision; 0 if the revision does not
// have it as a message.
func (m Method) Sender(r Revision) Sender {
	var s Sender
	for _, w := range m.ways {
		if w.has(r) && !w.embedded {
			s |= w.sender
		}
	}
	return s
}

// Embedded reports whether the revision has the method as an input request in a
// result, and not as a message.
func (m Method) Embedded(r Revision) bool {
	for _, w := range m.ways {
		if w.embedded && w.has(r) && r.Known() {
			return true
		}
	}
	return false
}

// Paged reports whether the result is paginated (specification, server / utilities /
// pagination).
func (m Method) Paged() bool {
	return m.hasParam("cursor") && slices.ContainsFunc(shapes()[Shape(m.Name+".result")], func(p Member) bool { return p.Name == "nextCursor" })
}

// IsCacheable reports whether results of the method have ttlMs and cacheScope (2026-07-28, server / utilities /
// caching).
func (m Method) IsCacheable() bool {
	return slices.ContainsFunc(m.ResultMembers(R20260728), func(r Member) bool { return r.Name == "cacheScope" })
}

// MayRequestInput reports whether a result of the method may request input, after which
// the request is sent again (2026-07-28, basic / patterns / MRTR).
func (m Method) MayRequestInput() bool { return m.hasParam("requestState") }

func (m Method) hasParam(name string) bool {
	return slices.ContainsFunc(shapes()[Shape(m.Name+".params")], func(p Member) bool { return p.Name == name })
}

// Needs returns the path of the capability that is required to send the method, or nil, and for an unknown revision. It is a capability of the receiver of a request, and of
// the sender of a notification.
func (m Method) Needs(r Revision, s Sender) []string {
	for _, w := range m.ways {
		if r.Known() && w.has(r) && w.sender&s != 0 {
			return w.needs
		}
	}
	return nil
}

// IsDeclared reports whether capabilities contain all that the method requires: see [Method.Needs].
func (m Method) IsDeclared(capabilities []byte, r Revision, s Sender) bool {
	for _, w := range m.ways {
		if r.Known() && w.has(r) && w.sender&s != 0 {
			return Declares(capabilities, w.needs...) || len(w.or) > 0 && Declares(capabilities, w.or...)
		}
	}
	return true
}

// Lasts is like [Method.Lasts], for the name of a method.
func Lasts(method string) bool {
	m, ok := Lookup(method)
	return ok && m.lasts
}

// Declares reports whether capabilities contain one, such as "tools", or a member of one. It returns true for
// an empty path.
func Declares(capabilities []byte, path ...string) bool {
	if len(path) == 0 {
		return true
	}
	v, ok := jsonrpc.Member(capabilities, path[0], path[1:]...)
	return ok && string(v) != "null" && string(v) != "false"
}

// Lookup finds a method by its exact name.
func Lookup(name string) (Method, bool) {
	i, ok := methodsByName()[name]
	if !ok {
		return Method{}, false
	}
	return methods[i], true
}

// methodsByName are the indexes of the methods. The linter uses them for each message.
var methodsByName = sync.OnceValue(func() map[string]int {
	index := make(map[string]int, len(methods))
	for i, m := range methods {
		index[m.Name] = i
	}
	return index
})

// MethodNames returns the names of the methods that a sender may send in a revision and that selects accepts.
func MethodNames(r Revision, s Sender, selects func(Method) bool) []string {
	var names []string
	for _, m := range Methods(r, s) {
		if selects(m) {
			names = append(names, m.Name)
		}
	}
	return names
}

// Methods returns the methods that a sender may send in a revision, requests first.
func Methods(r Revision, s Sender) []Method {
	var found []Method
	for _, m := range methods {
		if m.Sender(r)&s != 0 {
			found = append(found, m)
		}
	}
	return found
}
