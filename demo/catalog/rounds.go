package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/demo/peer"
)

// What takes several rounds where requests stand alone: the client brings the
// answers with the same request, and the tool starts again.

// askTwice asks for an order, and then whether it is right.
func askTwice(ctx context.Context, c *peer.Call) (peer.Result, error) {
	if r, ok, err := canAsk(c, "elicitation.form"); !ok {
		return r, err
	}
	answers, refused, err := ask(ctx, c, formQuestion(c, "order", "order"))
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var order, confirmed filledIn
	if err := json.Unmarshal(answers["order"], &order); err != nil {
		return makesNoSense(answers["order"]), nil
	}
	if order.Action != "accept" {
		return peer.Said("%s", order), nil
	}
	again := formQuestion(c, "confirm", "confirm")
	again.Params.(map[string]any)["message"] = fmt.Sprintf("Is this right? %s", order.Content)
	if answers, refused, err = ask(ctx, c, again); err != nil || refused != nil {
		return orZero(refused), err
	}
	if err := json.Unmarshal(answers["confirm"], &confirmed); err != nil {
		return makesNoSense(answers["confirm"]), nil
	}
	return peer.Said("the order: %s; is it right: %s", order.Content, confirmed), nil
}

// askAll asks for all that the client can be asked for, at once.
func askAll(ctx context.Context, c *peer.Call) (peer.Result, error) {
	if r := c.Revision(); !peer.Elicitation.In(r) {
		return peer.Failed("revision %s has no such thing as elicitation", r), nil
	}
	every := []peer.Question{
		formQuestion(c, "form", "confirm"),
		pageQuestion(c, "page", "page-of-all"),
		modelQuestion("model", 100, []any{fromUser(peer.Text("Which tea goes with rain?"))}, nil),
		rootsQuestion("roots"),
	}
	var questions []peer.Question
	for _, q := range every {
		if c.ClientHas(q.Needs) && (q.Key != "page" || peer.ElicitationURL.In(c.Revision())) {
			questions = append(questions, q)
		}
	}
	if len(questions) == 0 {
		return lacks(c, "elicitation.form")
	}
	answers, refused, err := ask(ctx, c, questions...)
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var lines []string
	for _, q := range questions {
		lines = append(lines, fmt.Sprintf("%s: %s", q.Key, answers[q.Key]))
	}
	return peer.Said("%s", strings.Join(lines, "\n")), nil
}

// thinkTwice asks nothing; the client only has to come back with the state.
func thinkTwice(_ context.Context, c *peer.Call) (peer.Result, error) {
	for _, thought := range []string{"first", "second"} {
		if err := c.Pause(thought); err != nil {
			return peer.Result{}, err
		}
	}
	return peer.Said("thought about it twice"), nil
}

// nameForm is what a prompt and a resource ask for.
func nameForm(c *peer.Call) peer.Question { return formQuestion(c, "name", "name") }

// askedName asks for a name, or uses a default in sessions where the user cannot
// can be asked.
func askedName(ctx context.Context, c *peer.Call) (string, error) {
	if !c.ClientHas("elicitation.form") || !peer.Elicitation.In(c.Revision()) {
		return "stranger", c.Lacks("elicitation.form")
	}
	raw, err := c.Ask(ctx, nameForm(c))
	if err != nil {
		return "", err
	}
	var answer struct {
		Action  string
		Content struct{ Name string }
	}
	if err := json.Unmarshal(raw, &answer); err != nil || answer.Content.Name == "" {
		return "stranger", nil
	}
	return answer.Content.Name, nil
}

func askingPrompt(ctx context.Context, c *peer.Call, _ map[string]string) ([]peer.PromptMessage, error) {
	name, err := askedName(ctx, c)
	if err != nil {
		return nil, err
	}
	return said("user", peer.Textf("Write a short poem about tea for %s.", name)), nil
}

func askingResource(ctx context.Context, c *peer.Call) (peer.Contents, error) {
	name, err := askedName(ctx, c)
	if err != nil {
		return peer.Contents{}, err
	}
	return peer.TextContents("demo://guest-book", "text/plain", "Last guest: "+name+"\n"), nil
}
