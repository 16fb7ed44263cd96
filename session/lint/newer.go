package lint

import (
	"slices"
	"sync"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// newerRules find what the revision of the session does not have yet.
var newerRules = []rule{
	{id: "L016", limit: oncePerSubject, methods: growing(), message: newer},
}

// growing are the methods that came later or whose members did. What is rare
// stands in few hooks: log messages have not changed.
func growing() []string {
	var list []string
	for _, m := range revision.Methods("", revision.Both) {
		_, shaped := described[m.Name]
		if shaped || !m.In(revision.R20241105) || len(newMembers(m, revision.R20241105)) > 0 {
			list = append(list, m.Name)
		}
	}
	// The question about the era goes to servers of any.
	return slices.DeleteFunc(list, func(name string) bool { return name == "server/discover" })
}

// later are the members of params and results that a revision lacks, with the
// first revision that has them.
type later struct{ params, result map[string]revision.Revision }

type methodIn struct {
	method string
	in     revision.Revision
}

var newerMembers = sync.OnceValue(func() map[methodIn]later {
	table := map[methodIn]later{}
	for _, m := range revision.Methods("", revision.Both) {
		for _, r := range revision.WithHandshake() {
			table[methodIn{m.Name, r}] = later{
				params: since(r, m.ParamMembers), result: since(r, m.ResultMembers),
			}
		}
	}
	return table
})

func newMembers(m revision.Method, r revision.Revision) map[string]revision.Revision {
	all := since(r, m.ParamMembers)
	for name, first := range since(r, m.ResultMembers) {
		all[name] = first
	}
	return all
}

// since finds the members that came after a revision. _meta may stand anywhere.
func since(r revision.Revision, members func(revision.Revision) []revision.Member) map[string]revision.Revision {
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

// described are the messages that hold objects with a table of their own, and
// where.
var described = map[string]struct {
	shape          revision.Shape
	params, result string
}{
	"initialize":               {revision.ShapeImplementation, "clientInfo", "serverInfo"},
	"tools/list":               {revision.ShapeTool, "", "tools"},
	"resources/list":           {revision.ShapeResource, "", "resources"},
	"resources/templates/list": {revision.ShapeTemplate, "", "resourceTemplates"},
	"prompts/list":             {revision.ShapePrompt, "", "prompts"},
}

func newer(c *Context) {
	r := c.M.Revision
	if got := revision.Revision(Text(c.M.Result, "protocolVersion")); c.M.Method == "initialize" && got.Known() {
		r = got // the answer is the first message of the session
	}
	if !r.HasHandshake() {
		return
	}
	table := newerMembers()[methodIn{c.M.Method, r}]
	member, object, names := "params", c.M.Params, table.params
	if c.M.IsAnswer() {
		member, object, names = "result", c.M.Result, table.result
	} else if c.newerMethod(r) {
		return
	}
	if len(names) > 0 {
		for name := range jsonrpc.Members(object) {
			if first, ok := names[string(name)]; ok {
				c.tooNew(At(member, string(name)), string(name), c.M.Method+" "+string(name), first, r)
			}
		}
	}
	if d, ok := described[c.M.Method]; ok {
		in := d.params
		if c.M.IsAnswer() {
			in = d.result
		}
		if in != "" {
			c.newerIn(d.shape, Member(object, in), r, []any{member, in})
		}
	}
}

func (c *Context) newerMethod(r revision.Revision) bool {
	m, ok := revision.Lookup(c.M.Method)
	if !ok || m.In(r) || m.IsNotification() != c.M.IsNotification() {
		return false
	}
	for _, later := range revision.All() {
		if r.Before(later) && m.In(later) {
			c.tooNew(At("method"), m.Name, m.Name, later, r)
			return true
		}
	}
	return false
}

func (c *Context) tooNew(at Place, feature, key string, first, r revision.Revision) {
	c.About(key).Report(at, "feature", feature, "since", first, "revision", r)
}

// newerIn looks at an object or a list of them, and at the described objects in
// those.
func (c *Context) newerIn(shape revision.Shape, value []byte, r revision.Revision, at []any) {
	if Kind(value) == "array" {
		i := 0
		for item := range jsonrpc.Elements(value) {
			c.newerInOne(shape, item, r, append(slices.Clone(at), i))
			i++
		}
		return
	}
	c.newerInOne(shape, value, r, at)
}

func (c *Context) newerInOne(shape revision.Shape, object []byte, r revision.Revision, at []any) {
	for name, value := range jsonrpc.Members(object) {
		member := string(name)
		switch {
		case member == "_meta":
		case !shape.Defines(r, member):
			if first := firstWith(shape, r, member); first != "" {
				c.tooNew(At(append(slices.Clone(at), member)...), member, string(shape)+" "+member, first, r)
			}
		case shape.Describes(member):
			c.newerBelow(shape, member, value, r, append(slices.Clone(at), member))
		}
	}
}

// newerBelow looks at the object at a member, or at those of a list there.
func (c *Context) newerBelow(shape revision.Shape, member string, value []byte, r revision.Revision, at []any) {
	look := func(object []byte, at []any) {
		for name := range jsonrpc.Members(object) {
			inner := string(name)
			if shape.Defines(r, member, inner) {
				continue
			}
			if first := firstWith(shape, r, member, inner); first != "" {
				c.tooNew(At(append(slices.Clone(at), inner)...), inner, string(shape)+" "+member+" "+inner, first, r)
			}
		}
	}
	if Kind(value) != "array" {
		look(value, at)
		return
	}
	i := 0
	for item := range jsonrpc.Elements(value) {
		look(item, append(slices.Clone(at), i))
		i++
	}
}

// firstWith is the first revision after another one that gives a shape a
// member; empty when none does.
func firstWith(shape revision.Shape, r revision.Revision, member string, more ...string) revision.Revision {
	for _, later := range revision.All() {
		if r.Before(later) && shape.Defines(later, member, more...) {
			return later
		}
	}
	return ""
}
