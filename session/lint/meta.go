package lint

import (
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// metaRules judge what stands in _meta.
var metaRules = []rule{
	{id: "M001", kinds: requests, message: func(c *Context) {
		if !c.standsAlone() {
			return
		}
		if lacks, at := missingMeta(c.M.Params, c.M.Meta); lacks != "" {
			c.Report(at, "path", lacks)
		}
	}},
	{id: "M002", kinds: requests, message: func(c *Context) {
		if c.standsAlone() && Kind(c.M.Meta) == "object" && !has(c.M.Meta, revision.MetaClientInfo) {
			c.Report(At("params", "_meta", revision.MetaClientInfo))
		}
	}},
	{id: "M003", limit: oncePerConnection, kinds: answers, message: func(c *Context) {
		if !c.M.IsResult() || c.M.Request == nil || c.M.Frame.Dir != transport.In || Kind(c.M.Result) != "object" || has(c.M.Meta, revision.MetaServerInfo) {
			return
		}
		c.Report(At("result", "_meta", revision.MetaServerInfo))
	}},
	{id: "M004", kinds: answers, message: func(c *Context) {
		r := c.M.Request
		if r == nil || !c.M.IsResult() || r.Dir != transport.Out || r.Answered || !isModern(r.Method) {
			return
		}
		if lacks, _ := missingMeta(r.Params, Member(r.Params, "_meta")); lacks != "" {
			c.Report(Whole, "path", lacks)
		}
	}},
	{id: "M005", limit: perMessage(someEntries), message: func(c *Context) {
		c.everyKey(func(key string) (bool, string) {
			reason := keyFault(key)
			return reason != "", reason
		})
	}},
	{id: "M006", limit: perMessage(someEntries), message: func(c *Context) {
		c.everyKey(func(key string) (bool, string) {
			return keyFault(key) == "" && isReserved(key, c.M.Revision) && !isDefinedKey(key) && !c.isExtension(key), ""
		})
	}},
	{id: "M007", limit: perMessage(someEntries), message: metaNotObject},
	{id: "M008", message: func(c *Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawExtraMember != 0 && has(c.M.Bytes, "_meta") {
			c.Report(At("_meta"))
		}
	}},
	{id: "M009", message: func(c *Context) {
		if c.M.Meta == nil {
			return
		}
		for name, value := range jsonrpc.Members(c.M.Meta) {
			if valid := traceContext(string(name)); valid != nil {
				if text, ok := jsonrpc.Unquote(value); !ok || !valid(text) {
					c.Report(c.M.metaAt(string(name)), "key", fmt.Sprintf("%q", name))
				}
			}
		}
	}},
	{id: "M010", message: func(c *Context) {
		if c.M.Meta == nil {
			return
		}
		for name, value := range jsonrpc.Members(c.M.Meta) {
			key := string(name)
			if key != revision.MetaClientInfo && key != revision.MetaServerInfo {
				continue
			}
			for _, m := range revision.ShapeImplementation.Members(c.M.Revision) {
				if m.Required && Kind(Member(value, m.Name)) != "string" {
					c.Report(c.M.metaAt(key), "path", fmt.Sprintf("%q", key))
					break
				}
			}
		}
	}},
}

// metaAt is a place in Meta.
func (m *Message) metaAt(parts ...any) Place {
	return At(append([]any{m.body(), "_meta"}, parts...)...)
}

// body is the member of the envelope that holds what the message says.
func (m *Message) body() string {
	if m.Params == nil && m.Result != nil {
		return "result"
	}
	return "params"
}

// standsAlone reports a request of a client that has to say everything itself.
// What older revisions have, and this one has not, is judged as such.
func (c *Context) standsAlone() bool {
	return c.M.Frame.Dir == transport.Out && isModern(c.M.Method)
}

func isModern(method string) bool {
	m, known := revision.Lookup(method)
	return !known || m.In(revision.NewestStateless)
}

// missingMeta is what _meta of a request lacks, and where. Where _meta or the
// params are no object at all, other rules say so.
func missingMeta(params, meta []byte) (string, Place) {
	if k := Kind(params); k != "" && k != "object" || meta != nil && Kind(meta) != "object" {
		return "", Whole
	}
	if meta == nil {
		return "params._meta", At("params", "_meta")
	}
	var missing []string
	for _, want := range []struct{ key, kind string }{
		{revision.MetaProtocolVersion, "string"}, {revision.MetaClientCapabilities, "object"},
	} {
		if Kind(Member(meta, want.key)) != want.kind {
			missing = append(missing, want.key)
		}
	}
	if len(missing) == 0 {
		return "", Whole
	}
	return strings.Join(missing, " and ") + " in params._meta", At("params", "_meta", missing[0])
}

func metaNotObject(c *Context) {
	if c.M.Meta != nil {
		if Kind(c.M.Meta) != "object" {
			c.Report(c.M.metaAt(), "got", kindOf(c.M.Meta))
		}
	} else if Kind(c.M.members.meta) == "object" && looksLikeMeta(c.M.members.meta) {
		c.Report(At(c.M.body(), "meta"), "got", `called "meta"`)
	}
	if !c.hasInnerMeta() {
		return
	}
	for inner, at := range c.innerMetas() {
		if Kind(inner) != "object" {
			c.Report(At(at...), "got", kindOf(inner))
		}
	}
}

// looksLikeMeta reports whether an object has members that belong into _meta:
// who has a member "meta" of another kind may have it.
func looksLikeMeta(object []byte) bool {
	for name := range jsonrpc.Members(object) {
		if string(name) == "progressToken" || isDefinedKey(string(name)) {
			return true
		}
	}
	return false
}
