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
	if c.ToggleTool("surprise") {
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
