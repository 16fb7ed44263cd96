package capability

import (
	"bytes"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/lint"
)

// declaredRules check the capabilities that the sides declare.
var declaredRules = []lint.Rule{
	{ID: "C007", When: lint.Declaring, Message: func(c *lint.Context) {
		d := declarationOf(c)
		for key := range d.keys() {
			name := string(key)
			if d.has(name) || name == "experimental" || name == "extensions" || isCapabilityOf(opposite(d.side), name) && !isCapabilityOf(d.side, name) {
				continue // C008 and C010 are more precise
			}
			if name == revision.EventsCapability && d.side == revision.Server && d.revision.IsStateless() {
				continue // V002 names the shape
			}
			c.Report(d.at(name), "key", lint.Escaped(name), "version", d.revision, "suggestion", d.suggestion(name))
		}
	}},
	{ID: "C017", Limit: lint.PerMessage(lint.SomeMembers), When: lint.Declaring, Message: func(c *lint.Context) {
		d := declarationOf(c)
		for id := range jsonrpc.Members(jsonrpc.Get(d.caps, "extensions")) {
			if reason := lint.ExtensionIDFault(string(id)); reason != "" && !c.M.IsStateless() {
				c.Report(d.at("extensions", string(id)), "key", lint.Escaped(id), "reason", reason)
			}
		}
	}},
	{ID: "C008", When: lint.Declaring, Message: func(c *lint.Context) { capabilityOfOtherSide(c, revision.Client) }},
	{ID: "C009", Limit: lint.OncePerSubject},
	{ID: "C010", When: lint.Declaring, Message: func(c *lint.Context) { capabilityOfOtherSide(c, revision.Server) }},
	{When: lint.FromClient | lint.Request | lint.Stateless, After: watchDeclared},
}

// declaration is the capabilities that a message declares.
type declaration struct {
	caps     []byte // raw capabilities, or nil if the message declares none
	side     revision.Sender
	revision revision.Revision
	place    []any
}

// declarationOf finds the capabilities in a message. Capabilities that a client repeats in each request are
// checked once.
func declarationOf(c *lint.Context) declaration {
	var d declaration
	switch out := c.M.Frame.Dir == transport.Out; {
	case out && c.M.IsRequest() && c.M.Method == "initialize":
		d = declaration{c.M.Get(c.M.Params, "capabilities"), revision.Client, c.M.Revision, []any{"params", "capabilities"}}
		if d.revision == "" {
			d.revision = revision.NewestHandshake
		}
	case out && c.M.IsRequest() && c.M.IsStateless():
		caps := jsonrpc.Get(c.M.Params, "_meta", revision.MetaClientCapabilities)
		if last := lint.Own[lastDeclared](c.St).caps; len(caps) == 0 && len(last) == 0 || len(caps) > 0 && len(last) > 0 && jsonrpc.Equal(caps, last) {
			return declaration{}
		}
		d = declaration{caps, revision.Client, c.M.Revision, []any{"params", "_meta", revision.MetaClientCapabilities}}
	case !out && c.M.IsResult() && c.M.Method == "initialize":
		d = declaration{c.M.Get(c.M.Result, "capabilities"), revision.Server, c.M.Revision, []any{"result", "capabilities"}}
		if got := revision.Revision(c.M.Text(c.M.Result, "protocolVersion")); got.Known() {
			d.revision = got
		}
	case !out && c.M.IsResult() && c.M.Method == "server/discover":
		d = declaration{c.M.Get(c.M.Result, "capabilities"), revision.Server, c.M.Revision, []any{"result", "capabilities"}}
	}
	return d
}

// lastDeclared is the capabilities in the newest request of the client.
type lastDeclared struct{ caps []byte }

func watchDeclared(c *lint.Context) {
	last := lint.Own[lastDeclared](c.St)
	if caps := jsonrpc.Get(c.M.Params, "_meta", revision.MetaClientCapabilities); !bytes.Equal(caps, last.caps) {
		last.caps = bytes.Clone(caps)
	}
}

// maxKeys bounds the capabilities that are checked. No revision has half as many.
const maxKeys = 20

// keys yields the capabilities with their values.
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

func (d declaration) at(path ...string) lint.Place {
	parts := slices.Clone(d.place)
	for _, p := range path {
		parts = append(parts, p)
	}
	return lint.At(parts...)
}

func (d declaration) has(name string) bool {
	return slices.ContainsFunc(revision.Capabilities(d.side), func(c revision.Capability) bool {
		return c.Name == name && c.In(d.revision)
	})
}

func opposite(side revision.Sender) revision.Sender { return revision.Both &^ side }

// isCapabilityOf reports a capability that a side can have in some revision.
func isCapabilityOf(side revision.Sender, name string) bool {
	return slices.ContainsFunc(revision.Capabilities(side), func(c revision.Capability) bool { return c.Name == name })
}

// suggestion names the capability that was probably meant by a key.
func (d declaration) suggestion(name string) string {
	stem := func(s string) string { return strings.TrimSuffix(strings.ToLower(s), "s") }
	for _, capability := range revision.Capabilities(d.side) {
		switch {
		case capability.Name == name:
			return fmt.Sprintf(" It came with %s.", capability.Since())
		case capability.In(d.revision) && stem(capability.Name) == stem(name):
			return fmt.Sprintf(" You probably mean %s.", capability.Name)
		}
	}
	return ""
}

// capabilityOfOtherSide finds capabilities that only the other side has.
func capabilityOfOtherSide(c *lint.Context, side revision.Sender) {
	d := declarationOf(c)
	if d.side != side {
		return
	}
	for key := range d.keys() {
		if name := string(key); !isCapabilityOf(side, name) && isCapabilityOf(opposite(side), name) {
			c.Report(d.at(name), "key", name)
		}
	}
}
