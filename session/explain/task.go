package explain

import (
	"errors"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// lostTask explains why there is nothing more to learn of a task.
func lostTask(err *client.TaskError) Explanation {
	e := Explanation{Sentence: sentence(err.Error())}
	var rpc *client.RPCError
	switch {
	case err.Err == nil:
		e.Cause = "What the server says of the task leaves out what the specification requires."
		e.Try = "Compare the frames of the task with the task object of the revision in force."
	case !errors.As(err.Err, &rpc):
		e.Try = "Look at the server's log; the task may still run."
	case rpc.Code == jsonrpc.CodeInvalidParams:
		e.Cause = "The server has forgotten the task: it was started anew, its ttl is over, or the task belongs to another session."
		e.Try = "Ask for a longer ttl, or see to it that the server keeps its tasks as long as it says."
	case rpc.Code == revision.CodeMissingCapability:
		e.Cause = "The server does not see that the client offers the extension for tasks in each request."
		e.Try = "Look for the capabilities in the _meta of tasks/get, and at what the server reads of it."
	case rpc.Code == jsonrpc.CodeMethodNotFound:
		e.Cause = "The server makes tasks and has no method to ask for them."
		e.Try = "Implement tasks/get, or answer the call in the usual way."
	}
	return e
}
