package schemas

import (
	"fmt"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint/rule"
)

const samplingCreateMessage = "sampling/createMessage"

// samplingMessage is a message of a conversation that a model is to continue.
type samplingMessage struct {
	role    []byte
	content [][]byte // its blocks
	at      rule.Place
}

func samplingMessages(a rule.ServerRequest) []samplingMessage {
	var found []samplingMessage
	for i, message := range rule.Indexed(jsonrpc.Get(a.Params, "messages")) {
		t := samplingMessage{role: jsonrpc.Get(message, "role"), at: rule.Below(a.At, fmt.Sprint("/messages/", i))}
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

func samplingRequest(c *rule.Context, a rule.ServerRequest) {
	if a.Params != nil && a.Params[0] != '{' {
		return
	}
	at := a.At
	if a.Params == nil {
		at = rule.Whole
	}
	var reasons []string
	if jsonrpc.TypeOf(jsonrpc.Get(a.Params, "messages")) != "array" {
		reasons = append(reasons, "messages is not an array")
	}
	if !rule.IsInteger(jsonrpc.Get(a.Params, "maxTokens")) {
		reasons = append(reasons, "maxTokens is not an integer")
	}
	for _, m := range samplingMessages(a) {
		if m.role == nil {
			at, reasons = m.at, append(reasons, "a message has no role")
			break
		}
		if role := string(m.role); role != `"user"` && role != `"assistant"` {
			at, reasons = rule.Below(m.at, "/role"), append(reasons, "a message has the role "+rule.ShownValue(m.role))
			break
		}
	}
	if len(reasons) > 0 {
		c.Report(at, "reason", strings.Join(reasons, ", "))
	}
}

func mixedToolResults(c *rule.Context, a rule.ServerRequest) {
	for _, t := range samplingMessages(a) {
		results := 0
		for _, b := range t.content {
			if jsonrpc.Text(b, "type") == "tool_result" {
				results++
			}
		}
		if string(t.role) == `"user"` && results > 0 && results < len(t.content) {
			c.Report(rule.Below(t.at, "/content"))
		}
	}
}

// unbalancedToolUses compares each message with the one before it.
func unbalancedToolUses(c *rule.Context, a rule.ServerRequest) {
	var open []string
	var at rule.Place
	closeUses := func(results map[string]bool) {
		for _, id := range open {
			if !results[id] {
				c.Report(at, "id", rule.Quoted(id))
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
		if string(t.role) == `"assistant"` {
			open, at = uses, t.at
		}
	}
	closeUses(nil)
}

func samplingResult(c *rule.Context, r clientResponse) {
	if jsonrpc.TypeOf(r.result) != "object" || jsonrpc.TypeOf(jsonrpc.Get(r.result, "task")) == "object" {
		return
	}
	var missing []string
	for _, member := range []string{"role", "content", "model"} {
		if !rule.Has(r.result, member) {
			missing = append(missing, member)
		}
	}
	if len(missing) > 0 {
		c.Report(r.at, "field", strings.Join(missing, " and "))
	}
}
