package rules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcptea/client/revision"
)

// officialSchema is the official schema of a protocol version, read without the tables of this
// project.
type officialSchema struct {
	revision revision.Revision
	defs     map[string]any
	compiler *jsonschema.Compiler
	at       string // of the definitions
}

func readOfficial(t *testing.T, folder string, r revision.Revision) *officialSchema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, string(r)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	const url = "file:///official.json"
	s := &officialSchema{revision: r, compiler: jsonschema.NewCompiler(), at: url + "#/$defs/"}
	if err := s.compiler.AddResource(url, doc); err != nil {
		t.Fatal(err)
	}
	var ok bool
	if s.defs, ok = doc.(map[string]any)["$defs"].(map[string]any); !ok {
		s.at = url + "#/definitions/"
		s.defs = doc.(map[string]any)["definitions"].(map[string]any)
	}
	return s
}

// allows reports whether a value is valid against a definition.
func (s *officialSchema) allows(t *testing.T, definition string, value any) bool {
	t.Helper()
	compiled, err := s.compiler.Compile(s.at + definition)
	if err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(value) == nil
}

// officialKind is one kind of message of a protocol version.
type officialKind struct {
	name     string // such as "2025-11-25 tools/call request"
	envelope string // the definition of the message as JSON-RPC
	of       string // the definition of the message, or of the result
	isResult bool
	side     string // "C>" or "S>"
	context  string // of the trace
	before   []string
	method   string
}

// kinds are those of the protocol version, by the unions of its schema.
func (s *officialSchema) kinds() []officialKind {
	var all []officialKind
	for _, union := range []struct{ name, side, other string }{
		{"ClientRequest", "C>", "S>"}, {"ServerRequest", "S>", "C>"}, {"ClientNotification", "C>", ""}, {"ServerNotification", "S>", ""},
	} {
		for _, name := range s.branches(union.name) {
			k := s.message(name, union.side)
			all = append(all, k)
			if union.other == "" {
				continue
			}
			for _, result := range s.resultsOf(strings.TrimSuffix(name, "Request")) {
				r := k
				r.name, r.of, r.isResult, r.side = fmt.Sprintf("%s %s (%s)", s.revision, k.method, result), result, true, union.other
				r.envelope = "JSONRPCResponse"
				if s.defs["JSONRPCResultResponse"] != nil {
					r.envelope = "JSONRPCResultResponse"
				}
				request := s.frame(k, 1) // of an elicitation, one with a form
				if result == "CreateTaskResult" {
					request["params"].(map[string]any)["task"] = map[string]any{}
				} else if params, ok := request["params"].(map[string]any); ok {
					delete(params, "task")
				}
				r.before = append(slices.Clone(k.before), k.side+" "+text(request))
				all = append(all, r)
			}
		}
	}
	return all
}

// message is the kind of a request or a notification.
func (s *officialSchema) message(name, side string) officialKind {
	method := s.defs[name].(map[string]any)["properties"].(map[string]any)["method"].(map[string]any)["const"].(string)
	k := officialKind{envelope: "JSONRPCRequest", of: name, side: side, method: method, context: contextOf(s.revision)}
	k.name = fmt.Sprintf("%s %s", s.revision, method)
	if strings.HasPrefix(method, "notifications/") {
		k.envelope = "JSONRPCNotification"
	}
	switch method {
	case "initialize", "server/discover":
		k.context += "/new"
	case "notifications/initialized":
		k.context += "/new"
		k.before = []string{
			`C> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + string(s.revision) + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			`S> {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"` + string(s.revision) + `","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`,
		}
	}
	return k
}

// contextOf is how traces name a protocol version.
func contextOf(r revision.Revision) string {
	for short, long := range shortRevisions {
		if long == r {
			return short
		}
	}
	return ""
}

// branches are the definitions of a union, which may have one only.
func (s *officialSchema) branches(union string) []string {
	def, ok := s.defs[union].(map[string]any)
	if !ok {
		return nil
	}
	branches, ok := def["anyOf"].([]any)
	if !ok {
		return []string{union}
	}
	var all []string
	for _, b := range branches {
		all = append(all, nameOfRef(b.(map[string]any)))
	}
	return all
}

func nameOfRef(node map[string]any) string {
	ref, _ := node["$ref"].(string)
	return ref[strings.LastIndex(ref, "/")+1:]
}

// resultsOf are the definitions of the results of a request.
func (s *officialSchema) resultsOf(base string) []string {
	if s.defs[base+"Result"] == nil {
		return []string{"EmptyResult"}
	}
	all := []string{base + "Result"}
	if base == "CallTool" && s.defs["CreateTaskResult"] != nil {
		all = append(all, "CreateTaskResult")
	}
	if response, ok := s.defs[base+"ResultResponse"].(map[string]any); ok && strings.Contains(text(response), "InputRequiredResult") {
		all = append(all, "InputRequiredResult")
	}
	return all
}

// frame is a message of a kind. Of each union it has the branch with the number.
func (s *officialSchema) frame(k officialKind, branch int) map[string]any {
	if k.isResult {
		result := s.example(map[string]any{"$ref": k.of}, "", branch, 0).(map[string]any)
		if k.of == "InputRequiredResult" {
			result["resultType"] = "input_required"
		}
		return map[string]any{"jsonrpc": "2.0", "id": json.Number("7"), "result": result}
	}
	m := s.example(map[string]any{"$ref": k.of}, "", branch, 0).(map[string]any)
	m["jsonrpc"] = "2.0"
	if k.envelope == "JSONRPCRequest" {
		m["id"] = json.Number("7")
	}
	return m
}

// text is a value as JSON.
func text(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// maxExampleDepth bounds optional members.
const maxExampleDepth = 9

// example is a value that is valid against a node, as the value of a member.
func (s *officialSchema) example(node map[string]any, member string, branch, depth int) any {
	switch ref := nameOfRef(node); ref {
	case "":
	case "JSONValue", "JSONObject": // any, without an end
		return map[string]any{}
	default:
		return s.example(s.defs[ref].(map[string]any), member, branch, depth+1)
	}
	if value, ok := node["const"]; ok {
		return value
	}
	if values, ok := node["enum"].([]any); ok {
		return values[branch%len(values)]
	}
	if branches, ok := node["anyOf"].([]any); ok {
		return s.example(branches[branch%len(branches)].(map[string]any), member, branch, depth+1)
	}
	properties, required := s.membersOf(node)
	if properties == nil {
		return s.plain(node, member, branch, depth)
	}
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || depth < maxExampleDepth {
			object[name] = s.example(properties[name].(map[string]any), name, branch, depth+1)
		}
	}
	return object
}

// membersOf are the members of an object with those of its parts.
func (s *officialSchema) membersOf(node map[string]any) (properties map[string]any, required []any) {
	if ref := nameOfRef(node); ref != "" {
		return s.membersOf(s.defs[ref].(map[string]any))
	}
	properties, _ = node["properties"].(map[string]any)
	required, _ = node["required"].([]any)
	parts, _ := node["allOf"].([]any)
	for _, part := range parts {
		more, needed := s.membersOf(part.(map[string]any))
		if properties == nil {
			properties = map[string]any{}
		}
		properties = maps.Clone(properties)
		maps.Copy(properties, more)
		required = slices.Concat(required, needed)
	}
	return properties, required
}

// exampleTexts are those of members and formats that not every text is good for.
var exampleTexts = map[string]string{
	"uri": "file:///a", "uri-template": "file:///{a}", "byte": "aGk=", "mimeType": "text/plain", "resultType": "complete", "url": "https://example.com/a",
	"createdAt": "2025-01-01T00:00:00Z", "lastUpdatedAt": "2025-01-01T00:00:00Z", "lastModified": "2025-01-01T00:00:00Z", "data": "aGk=",
}

// plain is a value that is not an object with members.
func (s *officialSchema) plain(node map[string]any, member string, branch, depth int) any {
	kind, _ := node["type"].(string)
	if kinds, ok := node["type"].([]any); ok {
		kind = kinds[branch%len(kinds)].(string)
	}
	switch kind {
	case "string":
		format, _ := node["format"].(string)
		for _, name := range []string{member, format} {
			if text := exampleTexts[name]; text != "" {
				return text
			}
		}
		if strings.HasSuffix(member, "rotocolVersion") {
			return string(s.revision)
		}
		return "a"
	case "integer", "number":
		return json.Number("1")
	case "boolean":
		return true
	case "array":
		if items, ok := node["items"].(map[string]any); ok {
			return []any{s.example(items, member, branch, depth+1)}
		}
		return []any{}
	case "null":
		return nil
	}
	object := map[string]any{}
	if each, ok := node["additionalProperties"].(map[string]any); ok && len(each) > 0 && depth < maxExampleDepth {
		name := "a"
		if member == "extensions" {
			name = "com.example/a"
		}
		object[name] = s.example(each, name, branch, depth+1)
	}
	return object
}

// otherValues replace each value of a frame in turn.
var otherValues = []any{nil, true, json.Number("7"), json.Number("1.5"), json.Number("-1"), "", "x", []any{}, map[string]any{}, []any{json.Number("7")}}

// otherTexts are their texts.
var otherTexts = sync.OnceValue(func() (all []string) {
	for _, other := range otherValues {
		all = append(all, text(other))
	}
	return all
})

// changes are the values with one value replaced, removed or added, and the place of that.
func changes(value any) iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		is := text(value)
		for i, other := range otherValues {
			if otherTexts()[i] != is && !yield("", other) {
				return
			}
		}
		switch v := value.(type) {
		case []any:
			for i, element := range v {
				for place, changed := range changes(element) {
					with := slices.Clone(v)
					with[i] = changed
					if !yield(fmt.Sprintf("/%d%s", i, place), with) {
						return
					}
				}
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				at := "/" + strings.ReplaceAll(name, "/", "~1")
				without := maps.Clone(v)
				delete(without, name)
				if !yield(at, without) {
					return
				}
				for place, changed := range changes(v[name]) {
					with := maps.Clone(v)
					with[name] = changed
					if !yield(at+place, with) {
						return
					}
				}
			}
			with := maps.Clone(v)
			with["another"] = json.Number("1")
			yield("/another", with)
		}
	}
}
