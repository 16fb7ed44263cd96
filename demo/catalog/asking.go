package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mcptea/client/revision"

	"mcptea/demo/peer"
)

// lacks is what a tool has to say when the client did not declare what the tool
// needs.
func lacks(c *peer.Call, capability string) (peer.Result, error) {
	if err := c.Lacks(capability); err != nil {
		return peer.Result{}, err
	}
	return peer.Failed("this needs a client with the capability %q, which yours did not declare", capability), nil
}

// ask asks the client and turns a refusal into a result.
func ask(ctx context.Context, c *peer.Call, questions ...peer.Question) (map[string]json.RawMessage, *peer.Result, error) {
	answers, err := c.AskAll(ctx, questions...)
	var refusal *peer.Error
	if errors.As(err, &refusal) && refusal.Code != revision.CodeMissingCapability {
		r := peer.Failed("the client refused %s: %s (%d)", questions[0].Method, refusal.Message, refusal.Code)
		return nil, &r, nil
	}
	return answers, nil, err
}

// filledIn is the client's answer to a form or a page.
type filledIn struct {
	Action  string
	Content json.RawMessage
}

func (f filledIn) String() string {
	if f.Action != "accept" {
		return "you said: " + f.Action
	}
	return fmt.Sprintf("you filled in: %s", f.Content)
}

// formQuestion asks for a form.
func formQuestion(c *peer.Call, key, name string) peer.Question {
	f := forms[name]
	params := map[string]any{"message": f.message, "requestedSchema": json.RawMessage(f.schema(c.Revision()))}
	if c.Revision() > revision.R20251125 {
		params["mode"] = "form"
	}
	return peer.Question{Key: key, Needs: "elicitation.form", Method: "elicitation/create", Params: params}
}

// orderPage is the URL of a URL elicitation. It does not exist.
const orderPage = "https://example.com/tea?order=7"

// pageQuestion asks to open a page. id is left out where there are none.
func pageQuestion(c *peer.Call, key, id string) peer.Question {
	params := map[string]any{"mode": "url", "message": "Please open this page and come back.", "url": orderPage}
	if peer.ElicitationIDs.In(c.Revision()) {
		params["elicitationId"] = id
	}
	return peer.Question{Key: key, Needs: "elicitation.url", Method: "elicitation/create", Params: params}
}

func rootsQuestion(key string) peer.Question {
	return peer.Question{Key: key, Needs: "roots", Method: "roots/list"}
}

// canAsk reports whether a question of elicitation can be put, and why not.
func canAsk(c *peer.Call, needs string) (peer.Result, bool, error) {
	feature, name := peer.Elicitation, "elicitation"
	if needs == "elicitation.url" {
		feature, name = peer.ElicitationURL, needs
	}
	if !feature.In(c.Revision()) {
		return peer.Failed("revision %s has no such thing as %s", c.Revision(), name), false, nil
	}
	if c.ClientHas(needs) {
		return peer.Result{}, true, nil
	}
	if needs == "elicitation.form" && !c.ClientHas("elicitation") && c.Lacks(needs) == nil {
		needs = "elicitation" // the name that all revisions have
	}
	r, err := lacks(c, needs)
	return r, false, err
}

func askUser(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ Form string }{"order"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	page := args.Form == "url" || args.Form == "url-first"
	needs := "elicitation.form"
	if page {
		needs = "elicitation.url"
	}
	if r, ok, err := canAsk(c, needs); !ok {
		return r, err
	}
	if page {
		return askForPage(ctx, c, args.Form == "url-first")
	}
	answers, refused, err := ask(ctx, c, formQuestion(c, args.Form, args.Form))
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer filledIn
	if err := json.Unmarshal(answers[args.Form], &answer); err != nil {
		return makesNoSense(answers[args.Form]), nil
	}
	return peer.Said("%s", answer), nil
}

func makesNoSense(raw json.RawMessage) peer.Result {
	return peer.Failed("the client's answer makes no sense: %s", raw)
}

// askForPage sends the user to a page, either with a question or with the error
// that 2025-11-25 has for it. With the error, every other call goes through, as
// if the user had been there meanwhile.
func askForPage(ctx context.Context, c *peer.Call, first bool) (peer.Result, error) {
	hasIDs := peer.ElicitationIDs.In(c.Revision())
	if first && hasIDs {
		return refuseUntilPage(c)
	}
	id := ""
	if hasIDs {
		id = fmt.Sprintf("page-%d", c.Count("elicitation"))
	}
	answers, refused, err := ask(ctx, c, pageQuestion(c, "page", id))
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer filledIn
	if err := json.Unmarshal(answers["page"], &answer); err != nil {
		return makesNoSense(answers["page"]), nil
	}
	if answer.Action == "accept" && hasIDs {
		c.NotifyUnasked("notifications/elicitation/complete", map[string]string{"elicitationId": id})
	}
	return peer.Said("you said: %s", answer.Action), nil
}

func refuseUntilPage(c *peer.Call) (peer.Result, error) {
	n := c.Count("url-first")
	if n%2 == 0 {
		return peer.Said("thank you for opening the page"), nil
	}
	id := fmt.Sprintf("first-%d", n)
	c.NotifyUnasked("notifications/elicitation/complete", map[string]string{"elicitationId": id})
	return peer.Result{}, &peer.Error{
		Code: revision.CodeURLElicitationRequired, Message: "a page has to be opened first; call again after that",
		Data: map[string]any{"elicitations": []any{pageQuestion(c, "", id).Params}},
	}
}

func orZero(r *peer.Result) peer.Result {
	if r == nil {
		return peer.Result{}
	}
	return *r
}

func listRoots(ctx context.Context, c *peer.Call) (peer.Result, error) {
	if !c.ClientHas("roots") {
		return lacks(c, "roots")
	}
	answers, refused, err := ask(ctx, c, rootsQuestion("roots"))
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	var answer struct {
		Roots []struct{ URI, Name string }
	}
	if err := json.Unmarshal(answers["roots"], &answer); err != nil {
		return makesNoSense(answers["roots"]), nil
	}
	lines := []string{fmt.Sprintf("%d roots", len(answer.Roots))}
	for _, r := range answer.Roots {
		lines = append(lines, strings.TrimSpace(r.URI+" "+r.Name))
	}
	return peer.Said("%s", strings.Join(lines, "\n")), nil
}

func pingClient(ctx context.Context, c *peer.Call) (peer.Result, error) {
	_, refused, err := ask(ctx, c, peer.Question{Method: "ping"})
	if err != nil || refused != nil {
		return orZero(refused), err
	}
	return peer.Said("pong"), nil
}
