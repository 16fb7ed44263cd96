package primitives

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"mcptea/client/revision"
	"mcptea/internal/server/peer"
)

// modelQuestion returns a question for the client's model. more is added to the params unchanged.
func modelQuestion(key string, maxTokens int, messages []any, more map[string]any) peer.Question {
	params := map[string]any{
		"messages":     messages,
		"systemPrompt": "You are a tea master of few words.",
		"maxTokens":    maxTokens,
		"modelPreferences": map[string]any{
			"hints": []map[string]string{{"name": "small"}}, "speedPriority": 0.8, "costPriority": 0.5,
		},
	}
	maps.Copy(params, more)
	return peer.Question{Key: key, Needs: "sampling", Method: "sampling/createMessage", Params: params}
}

func message(role string, content any) any { return map[string]any{"role": role, "content": content} }

func askModel(ctx context.Context, c *peer.Call, args struct {
	Question  string
	MaxTokens int
	Tools     bool
},
) (any, error) {
	if !c.ClientHas("sampling") {
		return nil, lacks(c, "sampling")
	}
	messages := []any{message("user", peer.Textf("%s", args.Question))}
	if args.Tools {
		return askModelWithTools(ctx, c, args.MaxTokens, messages)
	}
	answers, err := ask(ctx, c, modelQuestion("model", args.MaxTokens, messages, nil))
	if err != nil {
		return nil, err
	}
	answer, err := parseModelAnswer(answers["model"])
	if err != nil || len(answer.texts) == 0 {
		return peer.Said("the model answered, though not in text: %s", answers["model"]), nil
	}
	return peer.Said("%s says: %s", answer.Model, strings.Join(answer.texts, " ")), nil
}

// maxTurns bounds the turns in which the model may use tools before it must answer.
const maxTurns = 3

// kettleTool is the tool that the model may use.
const kettleTool = `{"name":"kettle","description":"Tells how hot the water in a kettle is","inputSchema":` +
	`{"type":"object","properties":{"kettle":{"type":"string","enum":["left","right"]}},"required":["kettle"]}}`

// askModelWithTools lets the model use a tool, and continues until it answers.
func askModelWithTools(ctx context.Context, c *peer.Call, maxTokens int, messages []any) (any, error) {
	if c.Revision() < revision.R20251125 {
		return nil, peer.Failf("protocol version %s has no sampling with tools", c.Revision())
	}
	if !c.ClientHas("sampling.tools") {
		return nil, lacks(c, "sampling.tools")
	}
	for turn := 1; ; turn++ {
		choice := "auto"
		if turn > maxTurns {
			choice = "none"
		}
		q := modelQuestion(fmt.Sprintf("model-%d", turn), maxTokens, messages, map[string]any{
			"tools": []any{json.RawMessage(kettleTool)}, "toolChoice": map[string]string{"mode": choice},
		})
		q.Needs = "sampling.tools"
		answers, err := ask(ctx, c, q)
		if err != nil {
			return nil, err
		}
		answer, err := parseModelAnswer(answers[q.Key])
		if err != nil {
			return nil, makesNoSense(answers[q.Key])
		}
		if len(answer.uses) == 0 || turn > maxTurns {
			return peer.Said("%s says after %d turns: %s", answer.Model, turn, strings.Join(answer.texts, " ")), nil
		}
		var results []any
		for _, id := range answer.uses {
			results = append(results, map[string]any{
				"type": "tool_result", "toolUseId": id, "content": []any{peer.Textf("the water is at %d degrees", 60+10*turn)},
			})
		}
		messages = append(messages, message("assistant", answer.Content), message("user", results))
	}
}

// A modelAnswer is the response of the model.
type modelAnswer struct {
	Model   string
	Content json.RawMessage
	texts   []string
	uses    []string // ids of uses of tools
}

// parseModelAnswer reads an answer whose content is one block or a list.
func parseModelAnswer(raw json.RawMessage) (a modelAnswer, err error) {
	if err := json.Unmarshal(raw, &a); err != nil {
		return a, err
	}
	list := a.Content
	if !strings.HasPrefix(string(list), "[") {
		list = []byte("[" + string(list) + "]")
	}
	var blocks []struct{ Type, Text, ID string }
	if err := json.Unmarshal(list, &blocks); err != nil {
		return a, err
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			a.texts = append(a.texts, b.Text)
		case "tool_use":
			a.uses = append(a.uses, b.ID)
		}
	}
	return a, nil
}
