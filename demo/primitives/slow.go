package primitives

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/peer"
)

func longWork(ctx context.Context, c *peer.Call, args struct {
	Duration float64
	Steps    int
},
) (any, error) {
	for i := range args.Steps {
		if err := c.Sleep(ctx, args.Duration/float64(args.Steps)); err != nil {
			return nil, err
		}
		c.Progress(float64(i+1), float64(args.Steps), fmt.Sprintf("step %d of %d", i+1, args.Steps))
	}
	return peer.Said("done: %d steps in %s seconds", args.Steps, number(args.Duration)), nil
}

func countUp(ctx context.Context, c *peer.Call, args struct {
	To       int
	Interval float64
},
) (any, error) {
	for i := range args.To {
		if err := c.Sleep(ctx, args.Interval); err != nil {
			return nil, err
		}
		c.Progress(float64(i+1), 0, "")
	}
	return peer.Said("counted up to %d", args.To), nil
}

// cancelCheck is the number of notifications of a flood that are sent between two checks for a cancellation.
const cancelCheck = 256

func flood(ctx context.Context, c *peer.Call, args struct{ Count, PerSecond int }) (any, error) {
	head, err := floodFrame(c)
	if err != nil {
		return nil, err
	}
	var frame []byte
	start := time.Now()
	for i := 1; i <= args.Count; i++ {
		if args.PerSecond > 0 && i%max(1, args.PerSecond/500) == 0 {
			due := time.Duration(float64(i) / float64(args.PerSecond) * float64(time.Second))
			if err := c.Sleep(ctx, (due - time.Since(start)).Seconds()); err != nil {
				return nil, err
			}
		}
		if i%cancelCheck == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		frame = strconv.AppendInt(append(frame[:0], head...), int64(i), 10)
		c.Send(append(frame, "}}"...))
	}
	return peer.Said("sent %d notifications", args.Count), nil
}

// floodFrame returns the text before the number in each frame. Without a kind, the frames are log messages,
// unless the client does not want them.
func floodFrame(c *peer.Call) (head string, err error) {
	kind, wantsLog, token := jsonrpc.Text(c.Args, "kind"), c.WantsLog("info"), c.ProgressToken()
	switch {
	case kind != "progress" && wantsLog:
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":`, nil
	case kind == "log":
		return "", peer.Failf("nothing would be sent: the log level is above info. Set it to info, or send progress")
	case token == nil:
		return "", peer.Failf("the call has no progress token")
	}
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(token) + `,"progress":`, nil
}

func slowAnswer(ctx context.Context, c *peer.Call, args struct{ Seconds float64 }) (any, error) {
	if err := c.Sleep(ctx, args.Seconds); err != nil {
		return nil, err
	}
	return peer.Said("that took %s seconds", number(args.Seconds)), nil
}

func neverAnswer(ctx context.Context, _ *peer.Call) (any, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// brew runs work that can be a task: it takes time, may ask the user something, and succeeds or fails.
func brew(ctx context.Context, c *peer.Call, args struct {
	Tea     string
	Seconds float64
	Ask     bool
	Outcome string
},
) (any, error) {
	strength := "as always"
	if args.Ask {
		var answer struct{ Strength string }
		action, err := askForm(ctx, c, "strength", "", &answer)
		if err != nil {
			return nil, err
		}
		if action != "accept" {
			return peer.Said("no tea then; you said: %s", action), nil
		}
		strength = answer.Strength
	}
	const steps = 5
	for i := range steps {
		if err := c.Sleep(ctx, args.Seconds/steps); err != nil {
			return nil, err
		}
		c.Progress(float64(i+1), steps, "brewing")
		c.Status("brewed %d of %d parts", i+1, steps)
	}
	switch args.Outcome {
	case "fail":
		return nil, peer.Failf("the pot broke")
	case "error":
		return nil, &peer.Error{Code: jsonrpc.CodeInternalError, Message: "the kettle exploded", Data: map[string]string{"kettle": "left"}}
	}
	return peer.Said("a pot of %s tea, %s", args.Tea, strength), nil
}
