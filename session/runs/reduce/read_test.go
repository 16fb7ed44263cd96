package reduce

import (
	"strings"
	"testing"

	"mcptea/session/runs/replay"
)

// A call over several requests (2026-07-28) is one step with its answers: mcptea run sends the later requests by itself. The
// names in the schema of the server are not the user's.
func TestRead_InputRequests(t *testing.T) {
	st := storeOf(t, "stdio", `> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"transfer","arguments":{"to":"Miller"}}}
< {"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"confirm":{"method":"elicitation/create","params":{"message":"Sure?","requestedSchema":{"type":"object","properties":{"pin":{"type":"string"}}}}}},"requestState":"s"}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"transfer","arguments":{"to":"Miller"},"inputResponses":{"confirm":{"action":"accept","content":{"pin":"4812"}}},"requestState":"s"}}
< {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","content":[{"type":"text","text":"KeyError"}],"isError":true}}`)
	turns, err := replay.Read(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	c, notes, err := Read(turns, 2)
	if err != nil || len(notes) > 0 || len(c.Steps) != 1 || len(c.Steps[0].Answers) != 1 || !c.Asked["pin"] || c.Asked["Miller"] {
		t.Fatalf("%v, %q, %+v, %v", err, notes, c.Steps, c.Asked)
	}
	if o := OutcomeOf(c.Steps[0].Response); o.Way != ToolError {
		t.Errorf("the step went as its first request: %s", o.Failure())
	}
	text := c.Script("", 1)
	if !strings.Contains(text, `answer elicitation {"action":"accept","content":{"pin":"4812"}}`) || strings.Count(text, "call transfer") != 1 || strings.Contains(text, "inputResponses") {
		t.Error(text)
	}
}
