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
			e.Sentence = fmt.Sprintf("The server supports neither initialize nor server/discover: both failed, the latter with error %d: %s.", rpc.Code, quote(rpc.Message, textHead))
			e.Try = "Check that the command or the URL is an MCP server."
			e.Cause = "The server supports neither era of MCP: it may not be an MCP server."
		}
		return e
	}
	if errors.Is(err, client.ErrNoVersions) {
		e.Cause = "The result must have supportedVersions; a server of the handshake era may respond to any method like this."
	}
	if unknown {
		e.Cause = "A server of 2026-07-28 must have this method: this one is of the handshake era, or not an MCP server."
	}
	if unknown || errors.Is(err, client.ErrNoVersions) {
		e.Try = "Omit --protocol."
	}
	if discover.Attempts > 1 {
		e.Evidence = append(e.Evidence, Line{Label: "tried", Text: fmt.Sprintf("%d times", discover.Attempts)})
	}
	var status *transport.StatusError
	if errors.As(err, &status) && status.Status == http.StatusInternalServerError {
		e.Cause = "The server failed, perhaps on an unknown method."
		e.Try = "Check the server's log; --protocol 2025-11-25 begins with initialize, as older servers require."
	}
	return e
}
