package lint

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// declaredRules judge what the sides write into their capabilities.
var declaredRules = []rule{
	{id: "C007", message: func(c *Context) {
		d := c.declaration()
		for key := range d.keys() {
			name := string(key)
			if d.has(name) || name == "experimental" || name == "extensions" || isOf(other(d.side), name) && !isOf(d.side, name) {
				continue // C008 and C010 know better
			}
			c.Report(d.at(name), "key", escaped(name), "revision", d.revision, "suggestion", d.suggestion(name))
		}
	}},
	{id: "C008", message: func(c *Context) { c.otherSide(revision.Client) }},
	{id: "C009", message: func(c *Context) {
		d := c.declaration()
		for key, value := range d.keys() {
			name := string(key)
			if Kind(value) != "object" {
				c.Report(d.at(name), "key", escaped(name), "got", shownValue(value))
				continue
			}
			for _, flag := range d.objects(name) {
				path := strings.Split(flag, ".")
				if inner := Member(value, path[0], path[1:]...); inner != nil && Kind(inner) != "object" {
					c.Report(d.at(append([]string{name}, path...)...), "key", name+"."+flag, "got", shownValue(inner))
				}
			}
		}
	}},
	{id: "C010", message: func(c *Context) { c.otherSide(revision.Server) }},
	{after: watchDeclared},
}

// declaration is what a message says that its sender offers.
type declaration struct {
	caps     []byte // raw; nil when the message says nothing of it
	side     revision.Sender
	revision revision.Revision
	place    []any
}

// declaration finds the capabilities in a message. What a client repeats with
// each request is looked at once.
func (c *Context) declaration() declaration {
	var d declaration
	switch out := c.M.Frame.Dir == transport.Out; {
	case out && c.M.IsRequest() && c.M.Method == "initialize":
		d = declaration{Member(c.M.Params, "capabilities"), revision.Client, c.M.Revision, []any{"params", "capabilities"}}
		if d.revision == "" {
			d.revision = revision.NewestHandshake
		}
	case out && c.M.IsRequest() && c.M.Modern():
		caps := Member(c.M.Params, "_meta", revision.MetaClientCapabilities)
		if bytes.Equal(caps, Own[lastDeclared](c.St).caps) {
			return declaration{}
		}
		d = declaration{caps, revision.Client, c.M.Revision, []any{"params", "_meta", revision.MetaClientCapabilities}}
	case !out && c.M.IsResult() && c.M.Method == "initialize":
		d = declaration{Member(c.M.Result, "capabilities"), revision.Server, c.M.Revision, []any{"result", "capabilities"}}
		if got := revision.Revision(Text(c.M.Result, "protocolVersion")); got.Known() {
			d.revision = got
		}
	case !out && c.M.IsResult() && c.M.Method == "server/discover":
		d = declaration{Member(c.M.Result, "capabilities"), revision.Server, c.M.Revision, []any{"result", "capabilities"}}
	}
	return d
}

// lastDeclared is what the client has declared last with a request.
type lastDeclared struct{ caps []byte }

func watchDeclared(c *Context) {
	if c.M.Frame.Dir != transport.Out || !c.M.IsRequest() || !c.M.Modern() {
		return
	}
	last := Own[lastDeclared](c.St)
	if caps := Member(c.M.Params, "_meta", revision.MetaClientCapabilities); !bytes.Equal(caps, last.caps) {
		last.caps = bytes.Clone(caps)
	}
}

// maxKeys bounds how many capabilities are looked at: no revision has half as
// many.
const maxKeys = 20

// keys are the capabilities with their values.
func (d declaration) keys() iter.Seq2[[]byte, []byte] {
	return func(yield func([]byte, []byte) bool) {
		n := 0
		for key, value := range jsonrpc.Members(d.caps) {
			if n++; n > maxKeys || !yield(key, value) {
				return
			}
		}
	}
}

func (d declaration) at(path ...string) Place {
	parts := slices.Clone(d.place)
	for _, p := range path {
		parts = append(parts, p)
	}
	return At(parts...)
}

func (d declaration) has(name string) bool {
	return slices.ContainsFunc(revision.Capabilities(d.side), func(c revision.Capability) bool {
		return c.Name == name && c.In(d.revision)
	})
}

// objects are the members of a capability that are objects as well.
func (d declaration) objects(name string) []string {
	for _, capability := range revision.Capabilities(d.side) {
		if capability.Name == name {
			return slices.DeleteFunc(capability.Flags(d.revision), func(flag string) bool {
				return flag == "listChanged" || flag == "subscribe"
			})
		}
	}
	return nil
}

func other(side revision.Sender) revision.Sender { return revision.Both &^ side }

// isOf reports a capability that a side can have in some revision.
func isOf(side revision.Sender, name string) bool {
	return slices.ContainsFunc(revision.Capabilities(side), func(c revision.Capability) bool { return c.Name == name })
}

// suggestion says what may have been meant with a key.
func (d declaration) suggestion(name string) string {
	stem := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }
	for _, capability := range revision.Capabilities(d.side) {
		switch {
		case capability.Name == name:
			for _, r := range revision.All() {
				if capability.In(r) {
					return fmt.Sprintf(" It came with %s.", r)
				}
			}
		case capability.In(d.revision) && stem(capability.Name) == stem(name):
			return fmt.Sprintf(" You probably mean %s.", capability.Name)
		}
	}
	return ""
}

// otherSide finds what only the other side can offer.
func (c *Context) otherSide(side revision.Sender) {
	d := c.declaration()
	if d.side != side {
		return
	}
	for key := range d.keys() {
		if name := string(key); !isOf(side, name) && isOf(other(side), name) {
			c.Report(d.at(name), "key", name)
		}
	}
}
