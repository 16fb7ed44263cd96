package catalog

import (
	"context"
	"encoding/json"

	"mcptea/demo/peer"
)

// brew is work that can be a task: it takes its time, may ask something on the
// way, and ends well or not.
func brew(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Tea     string
		Seconds float64
		Ask     bool
		Outcome string
	}{"green", 5, false, "done"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	strength := "as always"
	if args.Ask {
		if r, ok, err := canAsk(c, "elicitation.form"); !ok {
			return r, err
		}
		answers, refused, err := ask(ctx, c, formQuestion(c, "strength", "strength"))
		if err != nil || refused != nil {
			return orZero(refused), err
		}
		var answer struct {
			Action  string
			Content struct{ Strength string }
		}
		if err := json.Unmarshal(answers["strength"], &answer); err != nil {
			return makesNoSense(answers["strength"]), nil
		}
		if answer.Action != "accept" {
			return peer.Said("no tea then; you said: %s", answer.Action), nil
		}
		strength = answer.Content.Strength
	}
	const steps = 5
	for i := range steps {
		if err := c.Sleep(ctx, args.Seconds/steps); err != nil {
			return peer.Result{}, err
		}
		c.Progress(float64(i+1), steps, "brewing")
		c.Status("brewed %d of %d parts", i+1, steps)
	}
	switch args.Outcome {
	case "fail":
		return peer.Failed("the pot broke"), nil
	case "error":
		return peer.Result{}, &peer.Error{Code: -32603, Message: "the kettle exploded", Data: map[string]string{"kettle": "left"}}
	}
	return peer.Said("a pot of %s tea, %s", args.Tea, strength), nil
}
