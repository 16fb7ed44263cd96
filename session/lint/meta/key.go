package meta

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/lazyregexp"
	"mcptea/session/lint/rule"
)

// metaHolders are the members of results whose entries have a _meta of their
// own.
var metaHolders = []string{"tools", "resources", "resourceTemplates", "prompts", "contents", "content"}

// innerMeta is the _meta of an entry of a result, and where it is.
type innerMeta struct {
	raw []byte
	at  []any
}

// innerMetas are those of the message. They are defined since 2025-06-18.
func innerMetas(c *rule.Context) []innerMeta {
	if c.M.Request == nil || c.M.Revision.Before(revision.R20250618) || !bytes.Contains(c.M.Result, []byte(`"_meta"`)) {
		return nil
	}
	var found []innerMeta
	for member, list := range jsonrpc.Members(c.M.Result) {
		if !slices.Contains(metaHolders, string(member)) {
			continue
		}
		for i, entry := range rule.Indexed(list) {
			if meta := rule.Member(entry, "_meta"); meta != nil {
				found = append(found, innerMeta{meta, []any{"result", string(member), i, "_meta"}})
			}
		}
	}
	return found
}

// everyKey reports the wrong keys of each _meta of the message.
func everyKey(c *rule.Context, wrong func(key string) (bool, string)) {
	check := func(meta innerMeta) {
		for name := range jsonrpc.Members(meta.raw) {
			key := string(name)
			if is, reason := wrong(key); is {
				c.Report(rule.At(append(slices.Clip(meta.at), key)...), "key", rule.Escaped(key), "reason", reason)
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

// isDefinedKey reports a key that some revision defines. One that is used in
// another revision is a matter of the rules about eras and tasks.
func isDefinedKey(key string) bool {
	switch key {
	case revision.MetaProtocolVersion, revision.MetaClientInfo, revision.MetaClientCapabilities, revision.MetaServerInfo,
		revision.MetaLogLevel, revision.MetaSubscriptionID, revision.MetaRelatedTask,
		"io.modelcontextprotocol/model-immediate-response":
		return true
	}
	return false
}

// isExtension reports the id of an extension that one of the sides has
// declared.
func isExtension(c *rule.Context, id string) bool {
	return id == revision.TasksExtension || c.St.ServerOffers("extensions", id) || c.St.ClientOffers("extensions", id) ||
		rule.Has(rule.Member(c.M.Meta, revision.MetaClientCapabilities, "extensions"), id)
}

// traceContext is the check of a key of W3C Trace Context, nil for other keys.
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
