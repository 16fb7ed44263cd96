package explain

import (
	"errors"
	"fmt"
	"net/http"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
)

// The requests with which a connection begins.
const (
	firstOfOld = "initialize"
	firstOfNew = "server/discover"
)

// first is the method of the request that an error while connecting is about.
func first(err error) string {
	var discover *client.DiscoverError
	if errors.As(err, &discover) {
		return firstOfNew
	}
	return firstOfOld
}

// withDiscovery adds what only a connection without handshake has to tell.
func withDiscovery(e Explanation, err error) Explanation {
	var discover *client.DiscoverError
	if !errors.As(err, &discover) {
		return e
	}
	var rpc *client.RPCError
	unknown := errors.As(discover.Err, &rpc) && rpc.Code == jsonrpc.CodeMethodNotFound
	if discover.InitializeErr != nil {
		e.Evidence = append([]Line{{firstOfOld, cut(discover.InitializeErr.Error()), true}}, e.Evidence...)
		if unknown {
			e.Sentence = fmt.Sprintf("The server knows neither initialize nor server/discover: it refused both, the latter with error %d: %s.", rpc.Code, quote(rpc.Message, textHead))
			e.Try = "Check that the command, or the URL, is that of an MCP server."
			e.Cause = "The server knows neither of the two ways in which MCP begins: it may be no MCP server."
		}
		return e
	}
	if errors.Is(err, client.ErrNoVersions) {
		e.Cause = "It must list what the server speaks; a server that begins with initialize may answer like this to anything."
	}
	if unknown {
		e.Cause = "A server of 2026-07-28 must have this method: this one begins with initialize, or is no MCP server."
	}
	if unknown || errors.Is(err, client.ErrNoVersions) {
		e.Try = "Leave --protocol out."
	}
	if discover.Attempts > 1 {
		e.Evidence = append(e.Evidence, Line{Label: "asked", Text: fmt.Sprintf("%d times, with a pause in between", discover.Attempts)})
	}
	var status *transport.StatusError
	if errors.As(err, &status) && status.Status == http.StatusInternalServerError {
		e.Cause = "Something failed within the server, perhaps at a method that it does not know."
		e.Try = "Look at the server's log; --protocol 2025-11-25 begins with initialize, as older servers want it."
	}
	return e
}
