package explain

import (
	"errors"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// taskError explains why there is nothing more to learn of a task.
func taskError(err *client.TaskError) Explanation {
	e := Explanation{Sentence: sentence(err.Error())}
	var rpc *client.RPCError
	switch {
	case err.Err == nil:
		e.Cause = "The task object of the server lacks required members."
		e.Try = "Compare the frames of the task with the task object of the negotiated version."
	case !errors.As(err.Err, &rpc):
		e.Try = "Check the server's log; the task may still be running."
	case rpc.Code == jsonrpc.CodeInvalidParams:
		e.Cause = "The server no longer knows the task: it was restarted, the ttl has expired, or the task belongs to another session."
		e.Try = "Request a longer ttl, or make the server keep its tasks until their ttl expires."
	case rpc.Code == revision.CodeMissingCapability:
		e.Cause = "The server does not find the tasks extension in the client capabilities of the request."
		e.Try = "Check the capabilities in the _meta of tasks/get, and how the server reads them."
	case rpc.Code == jsonrpc.CodeMethodNotFound:
		e.Cause = "The server creates tasks and does not implement tasks/get."
		e.Try = "Implement tasks/get, or return a CallToolResult."
	}
	return e
}
