package reduce

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mcptea/client/revision"
	lintshape "mcptea/lint/shape"
)

// values are values of members of the protocol and of headers, and names of members of JSON-RPC and JSON Schema.
var values = strings.Fields(`true false object string number integer boolean array null user assistant text image audio resource resource_link
	jsonrpc id method params result error code message data 2.0 text/plain text/html application/json text/event-stream event-stream utf-8 charset=utf-8 chunked keep-alive no-cache no-store gzip Bearer accept decline cancel complete input_required working completed failed cancelled
	debug info notice warning error critical alert emergency ref/prompt ref/resource light dark type properties required items enum const
	additionalProperties oneOf anyOf allOf not $schema $ref $defs default format minimum maximum minLength maxLength minItems
	maxItems pattern title description examples email uri date date-time public private`)

var vocabulary = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for _, text := range values {
		all[text] = true
	}
	for _, r := range revision.All() {
		all[string(r)] = true
		for _, m := range revision.Methods(r, revision.Both) {
			all[m.Name] = true
		}
		for _, name := range lintshape.Of(r).MemberNames() {
			all[name] = true
		}
	}
	isNoLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, text := range slices.Collect(maps.Keys(all)) { // "server" and "discover" of server/discover
		for _, word := range strings.FieldsFunc(text, isNoLetter) {
			all[word] = true
		}
	}
	return all
})

// isVocabulary reports whether a text belongs to the protocol: a member, a value, a method, a version, or a
// list of media types. It reveals nothing about a user.
func isVocabulary(text string) bool {
	if vocabulary()[text] || strings.HasPrefix(text, "io.modelcontextprotocol/") {
		return true
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", ;", r) })
	return len(parts) > 1 && strings.Contains(text, "/") && !slices.ContainsFunc(parts, func(p string) bool { return !vocabulary()[p] })
}
