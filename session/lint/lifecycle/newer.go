package lifecycle

import (
	"slices"
	"strings"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// newerRules find features that the revision does not have yet.
var newerRules = []rule.Rule{
	{ID: "L016", Limit: rule.OncePerSubject, Select: hasAdditions, Message: newerFeatures},
}

// hasAdditions selects the methods that a later revision added, or whose members it
// extended, but for server/discover, which is sent to servers of any revision.
func hasAdditions(m revision.Method) bool {
	shape, _, _ := shapeIn(m.Name)
	first := revision.R20241105
	return m.Name != "server/discover" &&
		(shape != "" || !m.In(first) || len(addedSince(first, m.ParamMembers)) > 0 || len(addedSince(first, m.ResultMembers)) > 0)
}

// additions are the members of params and results that a revision lacks, with the
// first revision that has them.
type additions struct{ params, result map[string]revision.Revision }

type methodInRevision struct {
	method string
	in     revision.Revision
}

var newerMembers = sync.OnceValue(func() map[methodInRevision]additions {
	table := map[methodInRevision]additions{}
	for _, m := range revision.Methods("", revision.Both) {
		for _, r := range revision.WithHandshake() {
			table[methodInRevision{m.Name, r}] = additions{
				params: addedSince(r, m.ParamMembers), result: addedSince(r, m.ResultMembers),
			}
		}
	}
	return table
})

// addedSince finds the members that later revisions added. _meta is allowed
// everywhere.
func addedSince(r revision.Revision, members func(revision.Revision) []revision.Member) map[string]revision.Revision {
	found := map[string]revision.Revision{}
	for _, later := range slices.Backward(revision.All()) {
		if r.Before(later) {
			for _, m := range members(later) {
				found[m.Name] = later
			}
		}
	}
	for _, m := range members(r) {
		delete(found, m.Name)
	}
	delete(found, "_meta")
	return found
}

// shapeIn is the shape of the objects in the params and the result of a method, and the
// members with them; without one it is empty.
func shapeIn(method string) (shape revision.Shape, params, result string) {
	if method == "initialize" {
		return revision.ShapeImplementation, "clientInfo", "serverInfo"
	}
	list, _ := revision.ListOf(method)
	return list.Shape, "", list.Member
}

func newerFeatures(c *rule.Context) {
	r := c.M.Revision
	if got := revision.Revision(rule.Text(c.M.Result, "protocolVersion")); c.M.Method == "initialize" && got.Known() {
		r = got // the result is the first message of the session
	}
	if !r.HasHandshake() {
		return
	}
	table := newerMembers()[methodInRevision{c.M.Method, r}]
	member, object, names := "params", c.M.Params, table.params
	if c.M.IsResponse() {
		member, object, names = "result", c.M.Result, table.result
	} else if newerMethod(c, r) {
		return
	}
	if len(names) > 0 {
		for name := range jsonrpc.Members(object) {
			if first, ok := names[string(name)]; ok {
				reportNewer(c, rule.At(member, string(name)), string(name), c.M.Method+" "+string(name), first, r)
			}
		}
	}
	shape, in, result := shapeIn(c.M.Method)
	if c.M.IsResponse() {
		in = result
	}
	if in != "" {
		newerIn(c, shape, nil, rule.Member(object, in), r, []any{member, in})
	}
}

func newerMethod(c *rule.Context, r revision.Revision) bool {
	m, ok := revision.Lookup(c.M.Method)
	if !ok || m.In(r) || m.IsNotification() != c.M.IsNotification() {
		return false
	}
	for _, later := range revision.All() {
		if r.Before(later) && m.In(later) {
			reportNewer(c, rule.At("method"), m.Name, m.Name, later, r)
			return true
		}
	}
	return false
}

func reportNewer(c *rule.Context, at rule.Place, feature, key string, first, r revision.Revision) {
	c.About(key).Report(at, "feature", feature, "since", first, "revision", r)
}

// newerIn checks an object or an array of objects, with the objects inside that are
// described. It is that below some names in the shape.
func newerIn(c *rule.Context, shape revision.Shape, names []string, value []byte, r revision.Revision, at []any) {
	if rule.Kind(value) == "array" {
		for i, item := range rule.Indexed(value) {
			newerIn(c, shape, names, item, r, append(slices.Clip(at), i))
		}
		return
	}
	path := append(slices.Clip(names), "")
	for name, inner := range jsonrpc.Members(value) {
		member := string(name)
		path[len(names)] = member
		switch {
		case member == "_meta" && len(names) == 0:
		case !shape.Defines(r, path[0], path[1:]...):
			if first := firstRevisionWith(shape, r, path); first != "" {
				reportNewer(c, rule.At(append(slices.Clip(at), member)...), member, string(shape)+" "+strings.Join(path, " "), first, r)
			}
		case shape.Describes(path[0], path[1:]...):
			newerIn(c, shape, path, inner, r, append(slices.Clip(at), member))
		}
	}
}

// firstRevisionWith is the first revision after another one that gives a shape a
// member; empty when none does.
func firstRevisionWith(shape revision.Shape, r revision.Revision, path []string) revision.Revision {
	for _, later := range revision.All() {
		if r.Before(later) && shape.Defines(later, path[0], path[1:]...) {
			return later
		}
	}
	return ""
}
