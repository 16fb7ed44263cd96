package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcptea/demo/peer"
)

// lacks returns the result that a tool gives when the client did not declare
// what the tool needs.
func lacks(capability string) peer.Result {
	return peer.Failed("this needs a client with the capability %q, which yours did not declare", capability)
}

// ask sends a request to the client and turns a refusal into a result.
func ask(ctx context.Context, c *peer.Call, method string, params any) (json.RawMessage, *peer.Result, error) {
	raw, err := c.Ask(ctx, method, params)
	var refusal *peer.Error
	if errors.As(err, &refusal) {
		r := peer.Failed("the client refused %s: %s (%d)", method, refusal.Message, refusal.Code)
		return nil, &r, nil
	}
	return raw, nil, err
}

func askUser(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ Form string }{"order"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	needs, feature := "elicitation", peer.Elicitation
	if args.Form == "url" {
		needs, feature = "elicitation.url", peer.ElicitationURL
	}
	if !c.Revision().Has(feature) {
		return peer.Failed("revision %s has no such thing as %s", c.Revision(), needs), nil
	}
	urlOnly := c.ClientHas("elicitation.url") && !c.ClientHas("elicitation.form")
	if !c.ClientHas(needs) {
		return lacks(needs), nil
	}
	if args.Form == "url" {
		return askForPage(ctx, c)
	}
	if urlOnly {
		return lacks("elicitation.form"), nil
	}
	form := forms[args.Form]
	raw, refused, err := ask(ctx, c, "elicitation/create", map[string]any{
		"message": form.message, "requestedSchema": json.RawMessage(form.schema(c.Revision())),
	})
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer struct {
		Action  string
		Content json.RawMessage
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return peer.Failed("the client's answer makes no sense: %s", raw), nil
	}
	if answer.Action != "accept" {
		return peer.Said("you said: %s", answer.Action), nil
	}
	return peer.Said("you filled in: %s", answer.Content), nil
}

func askForPage(ctx context.Context, c *peer.Call) (peer.Result, error) {
	id := fmt.Sprintf("page-%d", c.Count("elicitation"))
	raw, refused, err := ask(ctx, c, "elicitation/create", map[string]any{
		"mode": "url", "message": "Please open this page and come back.",
		"url": "https://example.com/tea?order=7", "elicitationId": id,
	})
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer struct{ Action string }
	if err := json.Unmarshal(raw, &answer); err != nil {
		return peer.Failed("the client's answer makes no sense: %s", raw), nil
	}
	if answer.Action == "accept" {
		c.NotifyUnasked("notifications/elicitation/complete", map[string]string{"elicitationId": id})
	}
	return peer.Said("you said: %s", answer.Action), nil
}

func orZero(r *peer.Result) peer.Result {
	if r == nil {
		return peer.Result{}
	}
	return *r
}

func askModel(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Question  string
		MaxTokens int
	}{"Which tea goes with a rainy afternoon?", 200}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if !c.ClientHas("sampling") {
		return lacks("sampling"), nil
	}
	raw, refused, err := ask(ctx, c, "sampling/createMessage", map[string]any{
		"messages":     []map[string]any{{"role": "user", "content": peer.Text(args.Question)}},
		"systemPrompt": "You are a tea master of few words.",
		"maxTokens":    args.MaxTokens,
		"modelPreferences": map[string]any{
			"hints": []map[string]string{{"name": "small"}}, "speedPriority": 0.8, "costPriority": 0.5,
		},
	})
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer struct {
		Model   string
		Content struct{ Type, Text string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Content.Type != "text" {
		return peer.Said("the model answered, though not in text: %s", raw), nil
	}
	return peer.Said("%s says: %s", answer.Model, answer.Content.Text), nil
}

func listRoots(ctx context.Context, c *peer.Call) (peer.Result, error) {
	if !c.ClientHas("roots") {
		return lacks("roots"), nil
	}
	raw, refused, err := ask(ctx, c, "roots/list", nil)
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer struct {
		Roots []struct{ URI, Name string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return peer.Failed("the client's answer makes no sense: %s", raw), nil
	}
	lines := []string{fmt.Sprintf("%d roots", len(answer.Roots))}
	for _, r := range answer.Roots {
		lines = append(lines, strings.TrimSpace(r.URI+" "+r.Name))
	}
	return peer.Said("%s", strings.Join(lines, "\n")), nil
}

func pingClient(ctx context.Context, c *peer.Call) (peer.Result, error) {
	_, refused, err := ask(ctx, c, "ping", nil)
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	return peer.Said("pong"), nil
}
