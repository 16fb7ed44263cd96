package probes_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/test/wiremutant"
)

// definitions is the official schema of a protocol version.
type definitions struct {
	compiler *jsonschema.Compiler
	at       string
	names    map[string]any
}

func readDefinitions(t *testing.T, folder string, r revision.Revision) definitions {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, string(r)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	d := definitions{compiler: jsonschema.NewCompiler(), at: "file:///official.json#/$defs/"}
	if d.names, _ = doc.(map[string]any)["$defs"].(map[string]any); d.names == nil {
		d.at = "file:///official.json#/definitions/"
		d.names, _ = doc.(map[string]any)["definitions"].(map[string]any)
	}
	if err := d.compiler.AddResource("file:///official.json", doc); err != nil {
		t.Fatal(err)
	}
	return d
}

// definitionOf has the definitions of messages whose names do not follow from the method.
var definitionOf = map[string]string{
	"result:initialize": "InitializeResult", "result:server/discover": "DiscoverResult", "result:tools/list": "ListToolsResult",
	"result:tools/call": "CallToolResult", "result:resources/list": "ListResourcesResult", "result:resources/templates/list": "ListResourceTemplatesResult",
	"result:resources/read": "ReadResourceResult", "result:prompts/list": "ListPromptsResult", "result:prompts/get": "GetPromptResult",
	"result:completion/complete": "CompleteResult", "notifications/progress": "ProgressNotification", "notifications/message": "LoggingMessageNotification",
	"notifications/resources/updated": "ResourceUpdatedNotification", "sampling/createMessage": "CreateMessageRequest", "elicitation/create": "ElicitRequest",
	"notifications/subscriptions/acknowledged": "SubscriptionsAcknowledgedNotification",
}

// class returns [wiremutant.Violation] for a changed message that the schema rejects. Otherwise the mutant is not judged:
// the text of the specification may forbid what the schema allows.
func (d definitions) class(t *testing.T, kind string, changed []byte) wiremutant.Class {
	t.Helper()
	name := definitionOf[kind]
	if d.names[name] == nil || jsonrpc.Text(changed, "result", "resultType") == "input_required" || jsonrpc.Get(changed, "result", "task") != nil {
		return wiremutant.NotObservable
	}
	compiled, err := d.compiler.Compile(d.at + name)
	if err != nil {
		t.Fatal(err)
	}
	part := changed
	if strings.HasPrefix(kind, "result:") {
		part = jsonrpc.Get(changed, "result")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(part))
	if err != nil {
		t.Fatal(err, string(changed))
	}
	if compiled.Validate(value) != nil {
		return wiremutant.Violation
	}
	return wiremutant.NotObservable
}
