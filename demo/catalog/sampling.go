package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client/revision"

	"mcptea/demo/peer"
)

// modelQuestion asks the client's model. more goes into the params as it is.
func modelQuestion(key string, maxTokens int, messages []any, more map[string]any) peer.Question {
	q := peer.Question{Key: key, Needs: "sampling", Method: "sampling/createMessage"}
	params := map[string]any{
		"messages":     messages,
		"systemPrompt": "You are a tea master of few words.",
		"maxTokens":    maxTokens,
		"modelPreferences": map[string]any{
			"hints": []map[string]string{{"name": "small"}}, "speedPriority": 0.8, "costPriority": 0.5,
		},
	}
	for name, value := range more {
		params[name] = value
	}
	q.Params = params
	return q
}

func fromUser(content any) any { return map[string]any{"role": "user", "content": content} }

func askModel(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Question  string
		MaxTokens int
		Tools     bool
	}{"Which tea goes with a rainy afternoon?", 200, false}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if !c.ClientHas("sampling") {
		return lacks(c, "sampling")
	}
	messages := []any{fromUser(peer.Text(args.Question))}
	if args.Tools {
		return askModelWithTools(ctx, c, args.MaxTokens, messages)
	}
	answers, refused, err := ask(ctx, c, modelQuestion("model", args.MaxTokens, messages, nil))
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	answer, err := parseModelAnswer(answers["model"])
	if err != nil || len(answer.texts) == 0 {
		return peer.Said("the model answered, though not in text: %s", answers["model"]), nil
	}
	return peer.Said("%s says: %s", answer.model, strings.Join(answer.texts, " ")), nil
}

// maxTurns is how often the model may use tools before it has to answer.
const maxTurns = 3

// kettleTool is what the model may use.
const kettleTool = `{"name":"kettle","description":"Tells how hot the water in a kettle is","inputSchema":` +
	`{"type":"object","properties":{"kettle":{"type":"string","enum":["left","right"]}},"required":["kettle"]}}`

// askModelWithTools lets the model use a tool, and goes on until it answers.
func askModelWithTools(ctx context.Context, c *peer.Call, maxTokens int, messages []any) (peer.Result, error) {
	if c.Revision() < revision.R20251125 {
		return peer.Failed("revision %s has no sampling with tools", c.Revision()), nil
	}
	if !c.ClientHas("sampling.tools") {
		return lacks(c, "sampling.tools")
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
		answers, refused, err := ask(ctx, c, q)
		if err != nil || refused != nil {
			return orZero(refused), err
		}
		answer, err := parseModelAnswer(answers[q.Key])
		if err != nil {
			return makesNoSense(answers[q.Key]), nil
		}
		if len(answer.uses) == 0 || turn > maxTurns {
			return peer.Said("%s says after %d turns: %s", answer.model, turn, strings.Join(answer.texts, " ")), nil
		}
		var results []any
		for _, use := range answer.uses {
			results = append(results, map[string]any{
				"type": "tool_result", "toolUseId": use.ID, "content": []any{peer.Textf("the water is at %d degrees", 60+10*turn)},
			})
		}
		messages = append(messages, map[string]any{"role": "assistant", "content": answer.content}, fromUser(results))
	}
}

// modelAnswer is what came back from the model.
type modelAnswer struct {
	model   string
	content json.RawMessage
	texts   []string
	uses    []toolUse
}

type toolUse struct{ Type, Text, ID, Name string }

// parseModelAnswer reads an answer whose content is one block or a list.
func parseModelAnswer(raw json.RawMessage) (modelAnswer, error) {
	var answer struct {
		Model   string
		Content json.RawMessage
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return modelAnswer{}, err
	}
	a := modelAnswer{model: answer.Model, content: answer.Content}
	var blocks []toolUse
	if err := json.Unmarshal(answer.Content, &blocks); err != nil {
		var one toolUse
		if err := json.Unmarshal(answer.Content, &one); err != nil {
			return modelAnswer{}, err
		}
		blocks = []toolUse{one}
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			a.texts = append(a.texts, b.Text)
		case "tool_use":
			a.uses = append(a.uses, b)
		}
	}
	return a, nil
}
