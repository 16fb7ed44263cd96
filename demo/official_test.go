package demo

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"mcptea/client/jsonrpc"
	schemacheck "mcptea/internal/schema/check"
)

// official is the definitions of a revision; empty where the file is not at
// hand.
var official = sync.OnceValue(func() map[string]map[string]json.RawMessage {
	all := map[string]map[string]json.RawMessage{}
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			file, err := os.ReadFile(filepath.Join(dir, "shared", "schema", revision+".json"))
			var known struct {
				Defs map[string]json.RawMessage `json:"$defs"`
			}
			if err == nil && json.Unmarshal(file, &known) == nil {
				all[revision] = known.Defs
			}
		}
		dir = filepath.Dir(dir)
	}
	return all
})

var references = regexp.MustCompile(`"#/\$defs/([A-Za-z]+)"`)

// definition is a schema of one definition and of all that it refers to.
func definition(revision, name string) []byte {
	defs := official()[revision]
	needed := map[string]json.RawMessage{}
	for open := []string{name}; len(open) > 0; {
		next := open[0]
		open = open[1:]
		if needed[next] != nil || defs[next] == nil {
			continue
		}
		needed[next] = defs[next]
		for _, m := range references.FindAllSubmatch(defs[next], -1) {
			open = append(open, string(m[1]))
		}
	}
	if needed[name] == nil {
		return nil
	}
	text, _ := json.Marshal(map[string]any{"$ref": "#/$defs/" + name, "$defs": needed}) // it was JSON before
	return text
}

func TestOfficialSchemas_Present(t *testing.T) {
	if len(official()) == 0 {
		t.Skip("NOT CHECKED: the frames were not compared with the official schemas, since no folder shared/schema is here or further up")
	}
}

// definitions are the names of what a method has in the schema of 2026-07-28.
// What is not listed here has no definition there.
var definitions = map[string]struct{ request, result string }{
	"server/discover":          {"DiscoverRequest", "DiscoverResult"},
	"tools/list":               {"ListToolsRequest", "ListToolsResult"},
	"tools/call":               {"CallToolRequest", "CallToolResult"},
	"resources/list":           {"ListResourcesRequest", "ListResourcesResult"},
	"resources/templates/list": {"ListResourceTemplatesRequest", "ListResourceTemplatesResult"},
	"resources/read":           {"ReadResourceRequest", "ReadResourceResult"},
	"prompts/list":             {"ListPromptsRequest", "ListPromptsResult"},
	"prompts/get":              {"GetPromptRequest", "GetPromptResult"},
	"completion/complete":      {"CompleteRequest", "CompleteResult"},
	"subscriptions/listen":     {"SubscriptionsListenRequest", "SubscriptionsListenResult"},
}

var notificationDefinitions = map[string]string{
	"notifications/progress":                   "ProgressNotification",
	"notifications/message":                    "LoggingMessageNotification",
	"notifications/tools/list_changed":         "ToolListChangedNotification",
	"notifications/prompts/list_changed":       "PromptListChangedNotification",
	"notifications/resources/list_changed":     "ResourceListChangedNotification",
	"notifications/resources/updated":          "ResourceUpdatedNotification",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}

var errorDefinitions = map[string]string{
	"-32020": "HeaderMismatchError", "-32021": "MissingRequiredClientCapabilityError",
	"-32022": "UnsupportedProtocolVersionError",
}

// conforms compares a frame of 2026-07-28 with the official schema. method is
// the one that an answer is to.
func conforms(t *testing.T, method, frame string) {
	t.Helper()
	e, raw := scan(frame), []byte(frame)
	switch e.Kind {
	case jsonrpc.Request:
		t.Errorf("the server sends a request: %s", frame)
	case jsonrpc.Notification:
		name := e.MethodName(raw)
		if definition := notificationDefinitions[name]; definition != "" {
			fits(t, "2026-07-28", definition, raw)
		} else if name != "notifications/tasks" {
			t.Errorf("the revision has no %s: %s", name, frame)
		}
	case jsonrpc.ErrorResponse:
		definition := "JSONRPCErrorResponse"
		if code, _ := jsonrpc.Member(raw, "error", "code"); errorDefinitions[string(code)] != "" {
			definition = errorDefinitions[string(code)]
		}
		fits(t, "2026-07-28", definition, raw)
	case jsonrpc.Response:
		resultConforms(t, method, e.Result.Of(raw))
	default:
		t.Errorf("not a message: %s", frame)
	}
}

func resultConforms(t *testing.T, method string, result []byte) {
	t.Helper()
	if _, ok := jsonrpc.Member(result, "_meta", "io.modelcontextprotocol/serverInfo", "version"); !ok {
		t.Errorf("%s: no serverInfo in %.300s", method, result)
	}
	definition := definitions[method].result
	token, _ := jsonrpc.Member(result, "resultType")
	switch kind, _ := jsonrpc.Unquote(token); kind {
	case "complete":
	case "input_required":
		definition = "InputRequiredResult"
		if _, ok := jsonrpc.Member(result, "ttlMs"); ok {
			t.Errorf("%s: an interim result that may be kept: %s", method, result)
		}
	case "task":
		definition = ""
	default:
		t.Errorf("%s: resultType %s", method, token)
	}
	if definition == "" {
		definition = "Result" // what the extension has is not in the schema
	}
	fits(t, "2026-07-28", definition, result)
}

// fits compares a value with one definition.
func fits(t *testing.T, revision, name string, value []byte) {
	t.Helper()
	if len(official()[revision]) == 0 {
		return
	}
	text := definition(revision, name)
	if text == nil {
		t.Fatalf("the schema of %s has no %s", revision, name)
	}
	if wrong, _ := schemacheck.Compile(text, schemacheck.Options{}).Check(value); wrong != nil {
		t.Errorf("not a %s: %s %s\n%.600s", name, wrong.About, wrong.Reason, value)
	}
}
