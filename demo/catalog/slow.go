package catalog

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mcptea/demo/peer"
)

func longWork(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Duration float64
		Steps    int
	}{10, 5}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	for i := range args.Steps {
		if err := c.Sleep(ctx, args.Duration/float64(args.Steps)); err != nil {
			return peer.Result{}, err
		}
		c.Progress(float64(i+1), float64(args.Steps), fmt.Sprintf("step %d of %d", i+1, args.Steps))
	}
	return peer.Said("done: %d steps in %s seconds", args.Steps, number(args.Duration)), nil
}

func countUp(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		To       int
		Interval float64
	}{5, 0.5}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	for i := range args.To {
		if err := c.Sleep(ctx, args.Interval); err != nil {
			return peer.Result{}, err
		}
		c.Progress(float64(i+1), 0, "")
	}
	return peer.Said("counted up to %d", args.To), nil
}

// cancelCheck is how many notifications of a flood go out before a look at
// whether they are still needed.
const cancelCheck = 256

func flood(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct {
		Count     int
		Kind      string
		PerSecond int
	}{1000, "", 0}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if args.Kind == "" && c.WantsLog("info") {
		args.Kind = "log"
	}
	head, tail, refusal := floodFrame(c, args.Kind)
	if refusal != "" {
		return peer.Failed("%s", refusal), nil
	}
	var frame []byte
	start := time.Now()
	for i := 1; i <= args.Count; i++ {
		if args.PerSecond > 0 && i%max(1, args.PerSecond/500) == 0 {
			due := time.Duration(float64(i) / float64(args.PerSecond) * float64(time.Second))
			if err := c.Sleep(ctx, (due - time.Since(start)).Seconds()); err != nil {
				return peer.Result{}, err
			}
		}
		if i%cancelCheck == 0 && ctx.Err() != nil {
			return peer.Result{}, context.Cause(ctx)
		}
		frame = append(frame[:0], head...)
		frame = strconv.AppendInt(frame, int64(i), 10)
		frame = append(frame, tail...)
		c.Send(frame)
	}
	return peer.Said("sent %d notifications", args.Count), nil
}

// floodFrame returns what stands before and after the number in each frame, or
// why there can be none.
func floodFrame(c *peer.Call, kind string) (head, tail, refusal string) {
	if kind == "log" {
		if !c.WantsLog("info") {
			return "", "", "nothing would be sent: the log level is above info. Set it to info, or send progress"
		}
		return `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"flood","data":`, "}}", ""
	}
	token := c.ProgressToken()
	if token == nil {
		return "", "", "the call has no progress token"
	}
	return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + string(token) + `,"progress":`, "}}", ""
}

func slowAnswer(ctx context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ Seconds float64 }{3}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	if err := c.Sleep(ctx, args.Seconds); err != nil {
		return peer.Result{}, err
	}
	return peer.Said("that took %s seconds", number(args.Seconds)), nil
}

func neverAnswer(ctx context.Context, _ *peer.Call) (peer.Result, error) {
	<-ctx.Done()
	return peer.Result{}, context.Cause(ctx)
}

const bigLine = "The quick brown fox jumps over the lazy dog, and then does it all over again.\n"

func bigAnswer(_ context.Context, c *peer.Call) (peer.Result, error) {
	args := struct{ Kilobytes int }{100}
	if err := c.Decode(&args); err != nil {
		return peer.Result{}, err
	}
	return peer.Said("%s", bigText(args.Kilobytes)), nil
}

// bigText returns that many times 1024 bytes of text.
func bigText(kilobytes int) string {
	size := kilobytes * 1024
	return strings.Repeat(bigLine, size/len(bigLine)+1)[:size]
}
