package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptea/demo"
	"mcptea/internal/test/sessiontest"
)

// A skill is text of the server that is inspected: it is in members that say so, nothing else of
// the response or of the instructions has it, and a list reads no file.
func TestReadResource_SkillIsServerText(t *testing.T) {
	const uri, instruction = "skill://teahouse/brewing/SKILL.md", "Brews a pot of tea"
	c := connectTo(t, sessiontest.Demo(demo.Options{}))
	if out, isError := use[statusOutput](t, c, "connect", nil); isError {
		t.Fatalf("%+v", out)
	}
	for tool, arguments := range map[string]map[string]any{"list": {"kind": "skills"}, "read_resource": {"uri": uri}} {
		result, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil || result.IsError || len(result.Content) != 1 {
			t.Fatalf("%s: %+v, %v", tool, result, err)
		}
		text, ok := result.Content[0].(*mcp.TextContent)
		if !ok || !strings.Contains(text.Text, instruction) {
			t.Fatalf("%s: %+v", tool, result.Content[0])
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text.Text), &members); err != nil {
			t.Fatal(err)
		}
		for name, value := range members {
			if strings.Contains(string(value), instruction) && !strings.HasPrefix(name, "server_") {
				t.Errorf("%s: the member %s has text of the server: %s", tool, name, value)
			}
		}
	}
	if own := c.InitializeResult().Instructions; strings.Contains(own, "skill://") || strings.Contains(own, instruction) {
		t.Errorf("instructions: %s", own)
	}
	for method, want := range map[string]int{"resources/read": 2, "resources/directory/read": 0, "skills/get": 0} {
		if lines, _ := use[trafficOutput](t, c, "traffic", map[string]any{"filter": "method:" + method}); lines.Total != want {
			t.Errorf("%d frames of %s, want %d: the one file that was asked for", lines.Total, method, want)
		}
	}
}
