package catalog

import (
	"context"
	"encoding/json"

	"mcptea/demo/peer"
)

func logMessage(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Level, Logger string
		Data          json.RawMessage
	}{"info", "demo", json.RawMessage(`"the kettle is on"`)}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if !c.WantsLog(args.Level) {
		return peer.Said("not sent: the level set is above %s", args.Level), nil
	}
	c.Log(args.Level, args.Logger, args.Data)
	return peer.Said("sent at level %s", args.Level), nil
}

func changeTools(_ context.Context, c *peer.Call) (peer.Result, error) {
	if c.Toggle("tools", "surprise") {
		return peer.Said("surprise is there now"), nil
	}
	return peer.Said("surprise is gone"), nil
}

func touchResource(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ URI string }{"demo://counter"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	subscribers, ok := c.TouchResource(args.URI)
	if !ok {
		return peer.Failed("there is no resource %s", args.URI), nil
	}
	return peer.Said("%s changed; told %d subscribers", args.URI, subscribers), nil
}

func deleteEverything(context.Context, *peer.Call) (peer.Result, error) {
	return peer.Said("nothing was deleted; it only says that it would"), nil
}

func surprise(context.Context, *peer.Call) (peer.Result, error) {
	return peer.Said("boo"), nil
}

// changeList shows or hides the surprise of a list.
func changeList(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ List string }{"prompts"}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	name := "surprise"
	if args.List == "resources" {
		name = surpriseURI
	}
	if c.Toggle(args.List, name) {
		return peer.Said("%s is there now, in %s", name, args.List), nil
	}
	return peer.Said("%s is gone from %s", name, args.List), nil
}

func endSubscriptions(_ context.Context, c *peer.Call) (peer.Result, error) {
	return peer.Said("ended %d subscriptions", c.EndSubscriptions()), nil
}

func sendOrder(_ context.Context, c *peer.Call) (peer.Result, error) {
	var args struct {
		Region  string
		Cups    int
		Express bool
		Note    string
		To      struct{ Table string }
	}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	return peer.Said("%d cups to table %q in %q, express: %v, note: %q", args.Cups, args.To.Table, args.Region, args.Express, args.Note), nil
}
