package failure

import (
	"errors"
	"fmt"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// The first requests of a connection.
const (
	firstOfOld = "initialize"
	firstOfNew = "server/discover"
)

// first returns the method of the request that failed while connecting.
func first(err error) string {
	if as[*client.DiscoverError](err) {
		return firstOfNew
	}
	if step, ok := errors.AsType[*client.ConnectError](err); ok && step.Step == client.StepInitialized {
		return "notifications/initialized"
	}
	return firstOfOld
}

// withDiscovery adds the explanation that applies only to a connection without handshake.
func withDiscovery(e Explanation, f Facts, err error) Explanation {
	discover, ok := errors.AsType[*client.DiscoverError](err)
	if !ok {
		return e
	}
	s := f.seen(situation{"is": err, "both": discover.InitializeErr != nil})
	if rpc, ok := errors.AsType[*client.RPCError](discover.Err); ok {
		s["unknown"], s["error"] = rpc.Code.Is(jsonrpc.CodeMethodNotFound), errorText(rpc)
	}
	if status, ok := errors.AsType[*transport.StatusError](err); ok {
		s["status"] = status.Status
	}
	switch {
	case discover.InitializeErr != nil:
		e.Evidence = append([]Line{{firstOfOld, cut(discover.InitializeErr.Error()), true}}, e.Evidence...)
	case discover.Attempts > 1:
		e.Evidence = append(e.Evidence, Line{Kind: "tried", Text: fmt.Sprintf("%d times", discover.Attempts)})
	}
	return e.with("discover", s)
}
