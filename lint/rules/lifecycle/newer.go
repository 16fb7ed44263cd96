package lifecycle

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/lint"
)

// newerRules find features that the revision does not have yet.
var newerRules = []lint.Rule{
	{ID: "L016", Limit: lint.OncePerSubject, Select: hasAdditions, Message: newerFeatures},
}

// hasAdditions reports whether a later protocol version added the method or extended its members. It excludes
// server/discover, which is sent to servers of any version.
func hasAdditions(m revision.Method) bool {
	const first = revision.R20241105
	adds := func(s revision.Shape) bool {
		return slices.ContainsFunc(s.Members(""), func(one revision.Member) bool { return one.Name != "_meta" && !s.Defines(first, one.Name) })
	}
	shape, _, _ := shapeIn(m.Name)
	return m.Name != "server/discover" &&
		(shape != "" || !m.In(first) || adds(revision.Shape(m.Name+".params")) || adds(revision.Shape(m.Name+".result")))
}

// shapeIn returns the shape of the objects in the params and the result of a method, and the members that
// contain them, or "".
func shapeIn(method string) (shape revision.Shape, params, result string) {
	if method == "initialize" {
		return revision.ShapeImplementation, "clientInfo", "serverInfo"
	}
	list, _ := revision.ListOf(method)
	return list.Shape, "", list.Member
}

func newerFeatures(c *lint.Context) {
	r := c.M.Revision
	if c.M.Method == "initialize" {
		if got := revision.Revision(c.M.Text(c.M.Result, "protocolVersion")); got.Known() {
			r = got // the result is the first message of the session
		}
	}
	if !r.HasHandshake() {
		return
	}
	member, object := "params", c.M.Params
	if c.M.IsResponse() {
		member, object = "result", c.M.Result
	} else if newerMethod(c, r) {
		return
	}
	of := revision.Shape(c.M.Method + "." + member)
	for name := range jsonrpc.Members(object) {
		if !of.Defines(r, string(name)) && string(name) != "_meta" {
			newerMember(c, of, []string{string(name)}, r, []any{member})
		}
	}
	shape, in, result := shapeIn(c.M.Method)
	if c.M.IsResponse() {
		in = result
	}
	if in != "" {
		newerIn(c, shape, nil, jsonrpc.Get(object, in), r, []any{member, in})
	}
}

func newerMethod(c *lint.Context, r revision.Revision) bool {
	m, ok := revision.Lookup(c.M.Method)
	if !ok || m.In(r) || m.IsNotification() != c.M.IsNotification() {
		return false
	}
	for _, later := range revision.All() {
		if r.Before(later) && m.In(later) {
			reportNewer(c, lint.At("method"), m.Name, m.Name, later, r)
			return true
		}
	}
	return false
}

func reportNewer(c *lint.Context, at lint.Place, feature, key string, first, r revision.Revision) {
	c.About(key).Report(at, "feature", feature, "since", first, "version", r)
}

// newerIn checks an object or an array of objects, with the objects inside that are
// described. It is that below some names in the shape.
func newerIn(c *lint.Context, shape revision.Shape, names []string, value []byte, r revision.Revision, at []any) {
	if jsonrpc.TypeOf(value) == "array" {
		for i, item := range lint.Indexed(value) {
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
			newerMember(c, shape, path, r, at)
		case shape.Describes(path[0], path[1:]...):
			newerIn(c, shape, path, inner, r, append(slices.Clip(at), member))
		}
	}
}

// newerMember reports a member that only a later protocol version defines for a shape.
func newerMember(c *lint.Context, shape revision.Shape, path []string, r revision.Revision, at []any) {
	for _, later := range revision.All() {
		if r.Before(later) && shape.Defines(later, path[0], path[1:]...) {
			name := path[len(path)-1]
			reportNewer(c, lint.At(append(slices.Clip(at), name)...), name, string(shape)+" "+strings.Join(path, " "), later, r)
			return
		}
	}
}
