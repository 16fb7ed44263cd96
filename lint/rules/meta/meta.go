// Package meta checks _meta: its keys, values and place.
package meta

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/lazyregexp"
	"mcptea/lint"
)

// Rules check _meta.
var Rules = []lint.Rule{
	{ID: "M001", Kinds: lint.Requests, Message: func(c *lint.Context) {
		if !isStatelessRequest(c) {
			return
		}
		if missing, at := missingMeta(c.M.Params, c.M.Meta); missing != "" {
			c.Report(at, "path", missing)
		}
	}},
	{ID: "M002", Kinds: lint.Requests, Message: func(c *lint.Context) {
		if isStatelessRequest(c) && jsonrpc.TypeOf(c.M.Meta) == "object" && !lint.Has(c.M.Meta, revision.MetaClientInfo) {
			c.Report(lint.At("params", "_meta", revision.MetaClientInfo))
		}
	}},
	{ID: "M003", Limit: lint.OncePerConnection, Kinds: lint.Responses, When: lint.Result | lint.Matched | lint.FromServer, Message: func(c *lint.Context) {
		if named := lint.Own[discoveredNameless](c.St); !bool(*named) && c.M.Method != "server/discover" && c.M.Method != revision.EventsStream && isNameless(c.M) {
			c.Report(lint.At("result", "_meta", revision.MetaServerInfo))
		}
	}},
	{ID: "M010", Limit: lint.OncePerConnection, Methods: []string{"server/discover"}, When: lint.Result | lint.Matched | lint.FromServer, Message: func(c *lint.Context) {
		if isNameless(c.M) {
			*lint.Own[discoveredNameless](c.St) = true
			c.Report(lint.At("result", "_meta", revision.MetaServerInfo))
		}
	}},
	{ID: "M004", Kinds: lint.Responses, Message: func(c *lint.Context) {
		r := c.M.Request
		if r == nil || !c.M.IsResult() || r.Dir != transport.Out || r.HasResponse() || !isStatelessMethod(r.Method) {
			return
		}
		if missing, _ := missingMeta(r.Params, jsonrpc.Get(r.Params, "_meta")); missing != "" {
			c.Report(lint.Whole, "path", missing)
		}
	}},
	{ID: "M005", Limit: lint.PerMessage(lint.SomeEntries), When: lint.WithMeta, Message: func(c *lint.Context) {
		everyKey(c, func(key string) (bool, string) {
			reason := lint.MetaKeyFault(key)
			return reason != "", reason
		})
	}},
	{ID: "M006", Limit: lint.PerMessage(lint.SomeEntries), When: lint.WithMeta, Message: func(c *lint.Context) {
		everyKey(c, func(key string) (bool, string) {
			return lint.MetaKeyFault(key) == "" && isReserved(key, c.M.Revision) && !isDefinedKey(key) && !isExtension(c, key), ""
		})
	}},
	{ID: "M007", Limit: lint.PerMessage(lint.SomeEntries), When: lint.WithMeta, Message: metaNotObject},
	{ID: "M008", When: lint.Unusual, Message: func(c *lint.Context) {
		if c.M.Envelope.Flaws&jsonrpc.FlawExtraMember != 0 && lint.Has(c.M.Bytes, "_meta") {
			c.Report(lint.At("_meta"))
		}
	}},
	{ID: "M009", When: lint.WithMeta, Message: func(c *lint.Context) {
		for name, value := range jsonrpc.Members(c.M.Meta) {
			if valid := traceContext(string(name)); valid != nil {
				if text, ok := jsonrpc.Unquote(value); !ok || !valid(text) {
					if string(name) != "traceparent" {
						c.For("list")
					}
					c.Report(metaAt(c.M, string(name)), "key", fmt.Sprintf("%q", name))
				}
			}
		}
	}},
}

// discoveredNameless reports that the result of server/discover has not named the server,
// which is one mistake with the results after it.
type discoveredNameless bool

func isNameless(m *lint.Message) bool {
	return jsonrpc.TypeOf(m.Result) == "object" && !lint.Has(m.Meta, revision.MetaServerInfo)
}

// metaAt returns a place in Meta.
func metaAt(m *lint.Message, parts ...any) lint.Place {
	return lint.At(append([]any{metaHolder(m), "_meta"}, parts...)...)
}

// metaHolder returns the member of the envelope that contains _meta: params or result.
func metaHolder(m *lint.Message) string {
	if m.Params == nil && m.Result != nil {
		return "result"
	}
	return "params"
}

// isStatelessRequest reports a request of the client in 2026-07-28, with a method
// of that revision.
func isStatelessRequest(c *lint.Context) bool {
	return c.M.Frame.Dir == transport.Out && isStatelessMethod(c.M.Method)
}

func isStatelessMethod(method string) bool {
	m, known := revision.Lookup(method)
	return !known || m.In(revision.NewestStateless)
}

// missingMeta names the members that _meta of a request lacks, and the place. It
// ignores _meta and params that are not objects, which other rules report.
func missingMeta(params, meta []byte) (string, lint.Place) {
	if k := jsonrpc.TypeOf(params); k != "" && k != "object" || meta != nil && jsonrpc.TypeOf(meta) != "object" {
		return "", lint.Whole
	}
	if meta == nil {
		return "params._meta", lint.At("params", "_meta")
	}
	var missing []string
	for _, want := range []struct{ key, kind string }{
		{revision.MetaProtocolVersion, "string"}, {revision.MetaClientCapabilities, "object"},
	} {
		if jsonrpc.TypeOf(jsonrpc.Get(meta, want.key)) != want.kind {
			missing = append(missing, want.key)
		}
	}
	if len(missing) == 0 {
		return "", lint.Whole
	}
	return strings.Join(missing, " and ") + " in params._meta", lint.At("params", "_meta", missing[0])
}

func metaNotObject(c *lint.Context) {
	if c.M.Meta != nil {
		if jsonrpc.TypeOf(c.M.Meta) != "object" {
			c.Report(metaAt(c.M), "got", lint.KindOf(c.M.Meta))
		}
	} else if jsonrpc.TypeOf(c.M.Members.Meta) == "object" && looksLikeMeta(c.M.Members.Meta) {
		c.Report(lint.At(metaHolder(c.M), "meta"), "got", `called "meta"`)
	}
	for _, inner := range innerMetas(c) {
		if jsonrpc.TypeOf(inner.raw) != "object" {
			c.Report(lint.At(inner.at...), "got", lint.KindOf(inner.raw))
		}
	}
}

// looksLikeMeta reports whether an object has members of _meta: a member "meta"
// may also be something else.
func looksLikeMeta(object []byte) bool {
	for name := range jsonrpc.Members(object) {
		if string(name) == "progressToken" || isDefinedKey(string(name)) {
			return true
		}
	}
	return false
}

// metaHolders lists the members of results whose entries have their own _meta.
var metaHolders = []string{"tools", "resources", "resourceTemplates", "prompts", "contents", "content"}

// An innerMeta is the _meta of an entry in a result, and its place.
type innerMeta struct {
	raw []byte
	at  []any
}

// innerMetas returns the inner _meta of the message. They are defined since 2025-06-18.
func innerMetas(c *lint.Context) []innerMeta {
	if c.M.Request == nil || c.M.Revision.Before(revision.R20250618) || !c.M.Envelope.MayHave("_meta") {
		return nil
	}
	var found []innerMeta
	for member, list := range jsonrpc.Members(c.M.Result) {
		if !slices.Contains(metaHolders, string(member)) {
			continue
		}
		for i, entry := range lint.Indexed(list) {
			if meta := jsonrpc.Get(entry, "_meta"); meta != nil {
				found = append(found, innerMeta{meta, []any{"result", string(member), i, "_meta"}})
			}
		}
	}
	return found
}

// everyKey reports the wrong keys of each _meta of the message.
func everyKey(c *lint.Context, wrong func(key string) (bool, string)) {
	check := func(meta innerMeta) {
		for name := range jsonrpc.Members(meta.raw) {
			key := string(name)
			if is, reason := wrong(key); is {
				c.Report(lint.At(append(slices.Clip(meta.at), key)...), "key", lint.Escaped(key), "reason", reason)
			}
		}
	}
	if c.M.Meta != nil {
		check(innerMeta{c.M.Meta, []any{metaHolder(c.M), "_meta"}})
	}
	for _, meta := range innerMetas(c) {
		check(meta)
	}
}

// isReserved reports a prefix that is kept for MCP: by the label before the
// last one in 2025-06-18, by the second one later (basic, "_meta").
func isReserved(key string, r revision.Revision) bool {
	prefix, _, found := strings.Cut(key, "/")
	if !found || !strings.Contains(prefix, ".") {
		return false
	}
	labels := strings.Split(prefix, ".")
	label := labels[1]
	if r == revision.R20250618 {
		label = labels[len(labels)-2]
	}
	return label == "modelcontextprotocol" || label == "mcp"
}

// isDefinedKey reports whether any protocol version defines the key. The rules about eras and tasks handle a
// key used with another version.
func isDefinedKey(key string) bool {
	switch key {
	case revision.MetaProtocolVersion, revision.MetaClientInfo, revision.MetaClientCapabilities, revision.MetaServerInfo,
		revision.MetaLogLevel, revision.MetaSubscriptionID, revision.MetaRelatedTask,
		"io.modelcontextprotocol/model-immediate-response":
		return true
	}
	return false
}

// isExtension reports whether one of the sides has declared an extension with this id.
func isExtension(c *lint.Context, id string) bool {
	return id == revision.TasksExtension || c.St.ServerOffers("extensions", id) || c.St.ClientOffers("extensions", id) ||
		lint.Has(jsonrpc.Get(c.M.Meta, revision.MetaClientCapabilities, "extensions"), id)
}

// traceContext returns the check for a key of W3C Trace Context, or nil for other keys.
func traceContext(key string) func(string) bool {
	switch key {
	case "traceparent":
		return isTraceParent
	case "tracestate":
		return func(s string) bool { return isKeyList(s, stateMember()) }
	case "baggage":
		return func(s string) bool { return isKeyList(s, baggageMember()) }
	}
	return nil
}

// isTraceParent reports 00-<32 hex>-<16 hex>-<2 hex>; later versions may append
// fields.
func isTraceParent(s string) bool {
	const length = 55
	parts := strings.SplitN(s, "-", 5)
	if len(parts) < 4 || len(s) > length && parts[0] == "00" || len(s) < length || parts[0] == "ff" {
		return false
	}
	for i, want := range []int{2, 32, 16, 2} {
		if len(parts[i]) != want || strings.Trim(parts[i], "0123456789abcdef") != "" {
			return false
		}
	}
	return strings.Trim(parts[1], "0") != "" && strings.Trim(parts[2], "0") != ""
}

// The members of the two lists; the properties of baggage follow a semicolon, and are not
// checked.
var (
	stateMember   = lazyregexp.New(`^[\w\-*/@]+[ \t]*=[ -~]*$`)
	baggageMember = lazyregexp.New("^[\\w!#$%&'*+\\-.^`|~]+[ \\t]*=[ -:<-~]*(?:;.*)?$")
)

// isKeyList reports members key=value with commas between them; empty members
// are allowed.
func isKeyList(s string, member *regexp.Regexp) bool {
	for one := range strings.SplitSeq(s, ",") {
		if one = strings.Trim(one, " \t"); one != "" && !member.MatchString(one) {
			return false
		}
	}
	return true
}
