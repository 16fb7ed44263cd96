package primitives

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/internal/server/peer"
)

// form is the form that the user fills in.
type form struct {
	Name, Message string
	Schema        json.RawMessage
	Newer         []string // fields of kinds that exist since 2025-11-25
}

var forms = catalog.Lazy[form](read("forms.jsonl"))

// formQuestion returns a question with a form. If message is "", it has the message of the form.
func formQuestion(c *peer.Call, key, name, message string) peer.Question {
	params := map[string]any{}
	for _, f := range forms() {
		if f.Name != name {
			continue
		}
		fields := jsonrpc.Get(f.Schema, "properties")
		place := jsonrpc.SpanOf(f.Schema, fields)
		for _, field := range f.Newer {
			if !peer.ElicitationDefaults.In(c.Revision()) {
				fields = jsonrpc.Without(fields, field)
			}
		}
		params["message"], params["requestedSchema"] = f.Message, json.RawMessage(place.Replace(f.Schema, fields))
	}
	if message != "" {
		params["message"] = message
	}
	if c.Revision().IsStateless() {
		params["mode"] = "form"
	}
	return peer.Question{Key: key, Needs: "elicitation.form", Method: "elicitation/create", Params: params}
}

// pageQuestion asks the user to open a page, which does not exist. The id is left out in versions without elicitation ids.
func pageQuestion(c *peer.Call, key, id string) peer.Question {
	params := map[string]any{"mode": "url", "message": "Please open this page and come back.", "url": "https://example.com/tea?order=7"}
	if peer.ElicitationIDs.In(c.Revision()) {
		params["elicitationId"] = id
	}
	return peer.Question{Key: key, Needs: "elicitation.url", Method: "elicitation/create", Params: params}
}

func rootsQuestion() peer.Question {
	return peer.Question{Key: "roots", Needs: "roots", Method: "roots/list"}
}

// lacks returns the error of a tool that needs a capability that the client did not declare.
func lacks(c *peer.Call, capability string) error {
	if err := c.Lacks(capability); err != nil {
		return err
	}
	return peer.Failf("this needs a client with the capability %q, which yours did not declare", capability)
}

// canAsk returns why no question of elicitation can be put, nil if it can.
func canAsk(c *peer.Call, needs string) error {
	feature, name := peer.Elicitation, "elicitation"
	if needs == "elicitation.url" {
		feature, name = peer.ElicitationURL, needs
	}
	switch {
	case !feature.In(c.Revision()):
		return peer.Failf("protocol version %s has no such thing as %s", c.Revision(), name)
	case c.ClientHas(needs):
		return nil
	case !c.Revision().IsStateless() && !c.ClientHas("elicitation"):
		return lacks(c, name)
	}
	return lacks(c, needs)
}

// ask sends questions to the client, and turns a refusal into a result.
func ask(ctx context.Context, c *peer.Call, questions ...peer.Question) (map[string]json.RawMessage, error) {
	answers, err := c.AskAll(ctx, questions...)
	var refusal *peer.Error
	if errors.As(err, &refusal) && refusal.Code != revision.CodeMissingCapability {
		return nil, peer.Failf("the client refused %s: %s (%d)", questions[0].Method, refusal.Message, refusal.Code)
	}
	return answers, err
}

// askFor asks one question, and decodes the answer.
func askFor(ctx context.Context, c *peer.Call, q peer.Question, answer any) error {
	answers, err := ask(ctx, c, q)
	if err == nil && json.Unmarshal(answers[q.Key], answer) != nil {
		return makesNoSense(answers[q.Key])
	}
	return err
}

func makesNoSense(raw json.RawMessage) error {
	return peer.Failf("the client's answer makes no sense: %s", raw)
}

// askForm asks for a form, and decodes the values.
func askForm(ctx context.Context, c *peer.Call, name, message string, content any) (action string, err error) {
	if err := canAsk(c, "elicitation.form"); err != nil {
		return "", err
	}
	answer := struct {
		Action  string
		Content any
	}{Content: content}
	err = askFor(ctx, c, formQuestion(c, name, name, message), &answer)
	return answer.Action, err
}

// outcome describes the answer to a form in words.
func outcome(action string, content json.RawMessage) string {
	if action != "accept" {
		return "you said: " + action
	}
	return fmt.Sprintf("you filled in: %s", content)
}

func askUser(ctx context.Context, c *peer.Call, args struct{ Form string }) (any, error) {
	if strings.HasPrefix(args.Form, "url") {
		return askForPage(ctx, c, args.Form == "url-first")
	}
	var content json.RawMessage
	action, err := askForm(ctx, c, args.Form, "", &content)
	if err != nil {
		return nil, err
	}
	return peer.Said("%s", outcome(action, content)), nil
}

// askForPage asks the user to open a page, with a question or with the error that 2025-11-25
// defines for it. With the error, every second call succeeds, as if the user had been there in the
// meantime.
func askForPage(ctx context.Context, c *peer.Call, first bool) (any, error) {
	if err := canAsk(c, "elicitation.url"); err != nil {
		return nil, err
	}
	hasIDs := peer.ElicitationIDs.In(c.Revision())
	if first && hasIDs {
		return refuseUntilPage(c)
	}
	id := ""
	if hasIDs {
		id = fmt.Sprintf("page-%d", c.Count("elicitation"))
	}
	var answer struct{ Action string }
	if err := askFor(ctx, c, pageQuestion(c, "page", id), &answer); err != nil {
		return nil, err
	}
	if answer.Action == "accept" && hasIDs {
		c.NotifyElicitationComplete(id)
	}
	return peer.Said("you said: %s", answer.Action), nil
}

func refuseUntilPage(c *peer.Call) (any, error) {
	n := c.Count("url-first")
	if n%2 == 0 {
		return peer.Said("thank you for opening the page"), nil
	}
	id := fmt.Sprintf("first-%d", n)
	c.Afterwards(func() { c.NotifyElicitationComplete(id) })
	return nil, &peer.Error{
		Code: revision.CodeURLElicitationRequired, Message: "a page has to be opened first; call again after that",
		Data: map[string]any{"elicitations": []any{pageQuestion(c, "", id).Params}},
	}
}

func listRoots(ctx context.Context, c *peer.Call) (any, error) {
	if !c.ClientHas("roots") {
		return nil, lacks(c, "roots")
	}
	var answer struct {
		Roots []struct{ URI, Name string }
	}
	if err := askFor(ctx, c, rootsQuestion(), &answer); err != nil {
		return nil, err
	}
	lines := []string{fmt.Sprintf("%d roots", len(answer.Roots))}
	for _, r := range answer.Roots {
		lines = append(lines, strings.TrimSpace(r.URI+" "+r.Name))
	}
	return peer.Said("%s", strings.Join(lines, "\n")), nil
}

func pingClient(ctx context.Context, c *peer.Call) (any, error) {
	if _, err := ask(ctx, c, peer.Question{Method: "ping"}); err != nil {
		return nil, err
	}
	return peer.Said("pong"), nil
}

// Without sessions, the following tools take several rounds: the client repeats the same request with the
// answers, and the tool starts again.

// askTwice asks for an order, and then whether it is correct.
func askTwice(ctx context.Context, c *peer.Call) (any, error) {
	var order, confirmed json.RawMessage
	action, err := askForm(ctx, c, "order", "", &order)
	if err != nil {
		return nil, err
	}
	if action != "accept" {
		return peer.Said("%s", outcome(action, order)), nil
	}
	action, err = askForm(ctx, c, "confirm", fmt.Sprintf("Is this right? %s", order), &confirmed)
	if err != nil {
		return nil, err
	}
	return peer.Said("the order: %s; is it right: %s", order, outcome(action, confirmed)), nil
}

// askAll asks all kinds of questions that the client supports, together.
func askAll(ctx context.Context, c *peer.Call) (any, error) {
	var questions []peer.Question
	for _, q := range []peer.Question{
		formQuestion(c, "form", "confirm", ""),
		pageQuestion(c, "page", "page-of-all"),
		modelQuestion("model", 100, []any{message("user", peer.Textf("Which tea goes with rain?"))}, nil),
		rootsQuestion(),
	} {
		if c.ClientHas(q.Needs) && (q.Key != "page" || peer.ElicitationURL.In(c.Revision())) {
			questions = append(questions, q)
		}
	}
	if len(questions) == 0 {
		return nil, lacks(c, "elicitation.form")
	}
	answers, err := ask(ctx, c, questions...)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, q := range questions {
		lines = append(lines, fmt.Sprintf("%s: %s", q.Key, answers[q.Key]))
	}
	return peer.Said("%s", strings.Join(lines, "\n")), nil
}

// thinkTwice asks nothing: the client only has to repeat the request with the state.
func thinkTwice(_ context.Context, c *peer.Call) (any, error) {
	for _, thought := range []string{"first", "second"} {
		if err := c.Pause(thought); err != nil {
			return nil, err
		}
	}
	return peer.Said("thought about it twice"), nil
}

// askedName asks for a name, or uses a default in sessions where the user cannot
// be asked.
func askedName(ctx context.Context, c *peer.Call) (string, error) {
	if !c.ClientHas("elicitation.form") || !peer.Elicitation.In(c.Revision()) {
		return "stranger", c.Lacks("elicitation.form")
	}
	answers, err := c.AskAll(ctx, formQuestion(c, "name", "name", ""))
	if err != nil {
		return "", err
	}
	var answer struct {
		Content struct{ Name string }
	}
	if err := json.Unmarshal(answers["name"], &answer); err != nil || answer.Content.Name == "" {
		return "stranger", nil
	}
	return answer.Content.Name, nil
}

func askForName(ctx context.Context, c *peer.Call) (any, error) {
	name, err := askedName(ctx, c)
	return fromUser("Write a short poem about tea for " + name + "."), err
}

func guestBook(ctx context.Context, c *peer.Call) (any, error) {
	name, err := askedName(ctx, c)
	return contents("Last guest: " + name + "\n"), err
}
