package lifecycle

import (
	"slices"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/session/lint/rule"
)

// newerRules find features that the revision does not have yet.
var newerRules = []rule.Rule{
	{ID: "L016", Limit: rule.OncePerSubject, Methods: methodsWithAdditions(), Message: newerFeatures},
}

// methodsWithAdditions are the methods that a later revision added, or whose
// members it extended. The rule has a hook only for these.
func methodsWithAdditions() []string {
	var list []string
	for _, m := range revision.Methods("", revision.Both) {
		if shape, _, _ := shapeIn(m.Name); shape != "" || !m.In(revision.R20241105) || len(addedMembers(m, revision.R20241105)) > 0 {
			list = append(list, m.Name)
		}
	}
	// server/discover is sent to servers of any revision.
	return slices.DeleteFunc(list, func(name string) bool { return name == "server/discover" })
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

func addedMembers(m revision.Method, r revision.Revision) map[string]revision.Revision {
	all := addedSince(r, m.ParamMembers)
	for name, first := range addedSince(r, m.ResultMembers) {
		all[name] = first
	}
	return all
}

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
		newerInValue(c, shape, rule.Member(object, in), r, []any{member, in})
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

// newerInValue checks an object or an array of objects, with the objects inside
// that have a table.
func newerInValue(c *rule.Context, shape revision.Shape, value []byte, r revision.Revision, at []any) {
	if rule.Kind(value) == "array" {
		for i, item := range rule.Indexed(value) {
			newerInObject(c, shape, item, r, append(slices.Clone(at), i))
		}
		return
	}
	newerInObject(c, shape, value, r, at)
}

func newerInObject(c *rule.Context, shape revision.Shape, object []byte, r revision.Revision, at []any) {
	for name, value := range jsonrpc.Members(object) {
		member := string(name)
		switch {
		case member == "_meta":
		case !shape.Defines(r, member):
			if first := firstRevisionWith(shape, r, member); first != "" {
				reportNewer(c, rule.At(append(slices.Clone(at), member)...), member, string(shape)+" "+member, first, r)
			}
		case shape.Describes(member):
			newerInMember(c, shape, member, value, r, append(slices.Clone(at), member))
		}
	}
}

// newerInMember checks the object in a member, or those of an array there.
func newerInMember(c *rule.Context, shape revision.Shape, member string, value []byte, r revision.Revision, at []any) {
	look := func(object []byte, at []any) {
		for name := range jsonrpc.Members(object) {
			inner := string(name)
			if shape.Defines(r, member, inner) {
				continue
			}
			if first := firstRevisionWith(shape, r, member, inner); first != "" {
				reportNewer(c, rule.At(append(slices.Clone(at), inner)...), inner, string(shape)+" "+member+" "+inner, first, r)
			}
		}
	}
	if rule.Kind(value) != "array" {
		look(value, at)
		return
	}
	for i, item := range rule.Indexed(value) {
		look(item, append(slices.Clone(at), i))
	}
}

// firstRevisionWith is the first revision after another one that gives a shape a
// member; empty when none does.
func firstRevisionWith(shape revision.Shape, r revision.Revision, member string, more ...string) revision.Revision {
	for _, later := range revision.All() {
		if r.Before(later) && shape.Defines(later, member, more...) {
			return later
		}
	}
	return ""
}
