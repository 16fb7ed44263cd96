package schemas

import (
	"fmt"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

const samplingCreateMessage = "sampling/createMessage"

// samplingMessage is a message of a conversation that a model is to continue.
type samplingMessage struct {
	role    []byte
	content [][]byte // blocks of the content
	at      lint.Place
}

func samplingMessages(a lint.ServerRequest) []samplingMessage {
	var found []samplingMessage
	for i, message := range lint.Indexed(jsonrpc.Get(a.Params, "messages")) {
		t := samplingMessage{role: jsonrpc.Get(message, "role"), at: lint.Below(a.At, fmt.Sprint("/messages/", i))}
		switch content := jsonrpc.Get(message, "content"); jsonrpc.TypeOf(content) {
		case "object":
			t.content = [][]byte{content}
		case "array":
			t.content = slices.Collect(jsonrpc.Elements(content))
		}
		found = append(found, t)
	}
	return found
}

func mixedToolResults(c *lint.Context, a lint.ServerRequest) {
	for _, t := range samplingMessages(a) {
		results := 0
		for _, b := range t.content {
			if jsonrpc.Text(b, "type") == "tool_result" {
				results++
			}
		}
		if jsonrpc.IsText(t.role, "user") && results > 0 && results < len(t.content) {
			c.Report(lint.Below(t.at, "/content"))
		}
	}
}

// unbalancedToolUses compares each message with the previous one.
func unbalancedToolUses(c *lint.Context, a lint.ServerRequest) {
	var open []string
	var at lint.Place
	closeUses := func(results map[string]bool) {
		for _, id := range open {
			if !results[id] {
				c.Report(at, "id", lint.Quoted(id))
			}
		}
		open = nil
	}
	for _, t := range samplingMessages(a) {
		results := map[string]bool{}
		var uses []string
		for _, b := range t.content {
			switch jsonrpc.Text(b, "type") {
			case "tool_result":
				results[jsonrpc.Text(b, "toolUseId")] = true
			case "tool_use":
				uses = append(uses, jsonrpc.Text(b, "id"))
			}
		}
		closeUses(results)
		if jsonrpc.IsText(t.role, "assistant") {
			open, at = uses, t.at
		}
	}
	closeUses(nil)
}
