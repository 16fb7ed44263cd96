package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/failure"
	"mcptea/ui/paint"
)

// outcome prints an error that occurred after connecting, and returns the error with
// the exit code.
func (p *connection) outcome(s *session.Session, err error) error {
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	var rpc *client.RPCError
	var task *client.TaskError
	if !errors.As(err, &rpc) || errors.As(err, &task) {
		return p.failure(s, err, ExitError)
	}
	// An error response: the message of the server is the explanation.
	fmt.Fprintf(p.err, "%s %s\n", p.err.bad("mcptea:"), p.err.safe(rpc.Error()))
	if len(rpc.Data) > 0 {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint("data"), p.err.safe(string(rpc.Data)))
	}
	if hint := cmp.Or(errorHint(rpc), p.capabilityHint(rpc.Message)); hint != "" {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint("try"), p.err.safe(hint))
	}
	return silent(ExitError)
}

// sentenceOf returns an error in one sentence.
func sentenceOf(err error) string {
	return failure.Explain(err, failure.Facts{Connected: true}).Sentence
}

// warnOfStrayText has [program.closeSession] call [program.printStrayText]: the
// output of the server is complete only when the connection is closed.
func (p *connection) warnOfStrayText() { p.warnStray = true }

// printStrayText prints a warning if the server has sent data that is not a message,
// although the command succeeded.
func (p *connection) printStrayText(s *session.Session) {
	stray := failure.FactsOf(s).Stray
	if len(stray) == 0 {
		return
	}
	what, label := "the server writes text to stdout, which is reserved for protocol messages; many clients disconnect", "stdout"
	if !s.Target().IsStdio() {
		what, label = "the server sends bodies that are not MCP messages; clients that read them may fail", "body"
	}
	fmt.Fprintf(p.err, "%s %s:\n", p.err.warn("warning:"), what)
	for _, text := range stray {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint(label), paint.Cut(paint.Sanitize(text), 200))
	}
}
