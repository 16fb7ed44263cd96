package target

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// Outcome prints an error that occurred after connecting, and returns the error with
// the exit code.
func (p *Connection) Outcome(s *session.Session, err error) error {
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	var rpc *client.RPCError
	var task *client.TaskError
	if !errors.As(err, &rpc) || errors.As(err, &task) {
		return p.Failure(s, err, app.ExitError)
	}
	// An error response: the message of the server is the explanation.
	fmt.Fprintf(p.Err, "%s %s\n", p.Err.Bad("mcptea:"), p.Err.Safe(rpc.Error()))
	if len(rpc.Data) > 0 {
		fmt.Fprintf(p.Err, "  %s %s\n", p.Err.Faint("data"), p.Err.Safe(string(rpc.Data)))
	}
	if hint := cmp.Or(errorHint(rpc), p.CapabilityHint(rpc.Message)); hint != "" {
		fmt.Fprintf(p.Err, "  %s %s\n", p.Err.Faint("try"), p.Err.Safe(hint))
	}
	return app.Silent(app.ExitError)
}

// SentenceOf returns an error in one sentence.
func SentenceOf(err error) string {
	return failure.Explain(err, failure.Facts{Connected: true}).Sentence
}

// WarnOfStrayText has [Connection.CloseSession] call printStrayText: the
// output of the server is complete only when the connection is closed.
func (p *Connection) WarnOfStrayText() { p.warnStray = true }

// printStrayText prints a warning if the server has sent data that is not a message,
// although the command succeeded.
func (p *Connection) printStrayText(s *session.Session) {
	stray := failure.FactsOf(s).Stray
	if len(stray) == 0 {
		return
	}
	what, label := "the server writes text to stdout, which is reserved for protocol messages; many clients disconnect", "stdout"
	if !s.Target().IsStdio() {
		what, label = "the server sends bodies that are not MCP messages; clients that read them may fail", "body"
	}
	fmt.Fprintf(p.Err, "%s %s:\n", p.Err.Warn("warning:"), what)
	for _, text := range stray {
		fmt.Fprintf(p.Err, "  %s %s\n", p.Err.Faint(label), paint.Cut(paint.Sanitize(text), 200))
	}
}
