package cli

import (
	"context"
	"errors"
	"fmt"

	"mcptea/client"
	"mcptea/session"
	"mcptea/session/explain"
	"mcptea/ui/paint"
)

// outcome tells an error that came after the handshake.
func (p *program) outcome(s *session.Session, err error) error {
	if cause := context.Cause(p.ctx); cause != nil {
		return cause
	}
	var rpc *client.RPCError
	var task *client.TaskError
	if !errors.As(err, &rpc) || errors.As(err, &task) {
		return p.failure(s, err, ExitError)
	}
	// The connection is fine; the server's own words are all there is to say.
	fmt.Fprintf(p.err, "%s %s\n", p.err.bad("mcptea:"), p.err.safe(rpc.Error()))
	if len(rpc.Data) > 0 {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint("data"), p.err.safe(string(rpc.Data)))
	}
	if hint := errorHint(rpc); hint != "" {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint("try"), p.err.safe(hint))
	}
	return silent(ExitError)
}

// sentenceOf is an error in one sentence.
func sentenceOf(err error) string {
	return explain.Failure(err, explain.Facts{Connected: true}).Sentence
}

// warnOfStrayText has [program.closeSession] print what [program.printStrayText] does: only
// when the connection is closed, everything that the server sent has arrived.
func (p *program) warnOfStrayText() { p.warnStray = true }

// printStrayText warns of a server that sends what is not a message, although the
// command succeeded.
func (p *program) printStrayText(s *session.Session) {
	stray := explain.FactsOf(s).Stray
	if len(stray) == 0 {
		return
	}
	what, label := "the server prints text to stdout, which belongs to the protocol; many clients give up on that", "stdout"
	if !s.Target().IsStdio() {
		what, label = "the server sends bodies that are not MCP messages; many clients give up on that", "body"
	}
	fmt.Fprintf(p.err, "%s %s:\n", p.err.warn("warning:"), what)
	for _, text := range stray {
		fmt.Fprintf(p.err, "  %s %s\n", p.err.faint(label), paint.Cut(paint.Sanitize(text), 200))
	}
}
