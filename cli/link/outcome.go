package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptea/cli/app"
	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/session/explain/failure"
	"mcptea/session/session"
)

// Outcome prints an error that occurred after connecting, and returns the error with
// the exit code.
func (p *Link) Outcome(s *session.Session, err error) error {
	if cause := context.Cause(p.Ctx); cause != nil {
		return cause
	}
	var rpc *client.RPCError
	var task *client.TaskError
	if !errors.As(err, &rpc) || errors.As(err, &task) {
		return p.Failure(s, err, app.ExitError)
	}
	// An error response: the message of the server is the explanation.
	text := rpc.Error()
	var request transport.Ref
	if of, ok := errors.AsType[*client.RequestError](err); ok {
		request = of.Ref
		if strings.HasSuffix(of.Method, "/list") { // a command may request several lists
			text = of.Method + ": " + text
		}
	}
	p.Err.Prose(p.Err.Bad("mcptea:") + " " + p.Err.Safe(text))
	if len(rpc.Data) > 0 {
		p.Err.Row("data", string(rpc.Data))
	}
	known := failure.OfError(s, request, rpc)
	hint := p.printKnown(known, cmp.Or(errorHint(rpc), p.capabilityHint(rpc.Message)))
	if hint != "" {
		p.Err.Row("try", hint)
	}
	return &app.Error{Code: app.ExitError, Document: &app.ErrorDocument{Message: text, Cause: known.Cause, Try: hint}}
}

// printKnown prints the evidence and the cause of a response that reports a failure, and returns the
// advice: the advice of the explanation, or the hint of the command if the explanation is only composed.
func (p *Link) printKnown(known failure.Reply, hint string) string {
	for _, l := range known.Evidence {
		p.Err.Row(string(l.Kind), l.Text)
	}
	if known.Composed && hint != "" {
		return hint
	}
	if known.Cause != "" {
		p.Err.Row("cause", known.Cause)
	}
	return cmp.Or(known.Remedy.Text, hint)
}

// OutcomeAtEnd is like [Link.Outcome], for the last request of a command: if a server over stdio has not
// responded in time, it is closed first, since its remaining output gives the reason.
func (p *Link) OutcomeAtEnd(s *session.Session, err error) error {
	_, timedOut := errors.AsType[*client.TimeoutError](err)
	if t := s.Target(); !timedOut || !t.IsStdio() || t.Shared != nil || context.Cause(p.Ctx) != nil {
		return p.Outcome(s, err)
	}
	facts, closed := failure.FactsOf(s), time.Now()
	ctx, stop := context.WithTimeout(p.ForceCtx, app.ShutdownTimeout)
	defer stop()
	s.Disconnect(ctx)
	return p.Explained(err, failure.Explain(err, facts.AfterClose(s, closed)), app.ExitError)
}

// SentenceOf returns an error in one sentence.
func SentenceOf(err error) string {
	return failure.Explain(err, failure.Facts{Connected: true}).Sentence
}

// SentenceIn is like SentenceOf, but uses what is known about the session, as the explanation of a failed command does.
func SentenceIn(s *session.Session, err error) string {
	return failure.Explain(err, failure.FactsOf(s)).Sentence
}

// errorHint returns what to do about an error response if a flag helps, or an empty
// string.
func errorHint(e *client.RPCError) string {
	switch {
	case e.Code.Is(revision.CodeMissingCapability):
		required, _ := jsonrpc.Member(e.Data, "requiredCapabilities")
		var hints, missing []string
		for name := range jsonrpc.Members(required) {
			switch string(name) {
			case "sampling", "elicitation":
				hints = append(hints, fmt.Sprintf("--answer %s=…", name))
			default:
				missing = append(missing, string(name))
			}
		}
		switch {
		case len(missing) > 0:
			return "The server requires the client capability " + strings.Join(missing, " and ") + ", which mcptea does not support."
		case len(hints) > 0:
			return "Declare it with " + strings.Join(hints, " and ") + " (decline, cancel, error, @file.json or JSON), or use the inspector."
		}
	case e.Code.Is(revision.CodeURLElicitationRequired):
		pages, _ := jsonrpc.Member(e.Data, "elicitations")
		var urls []string
		for page := range jsonrpc.Elements(pages) {
			raw, _ := jsonrpc.Member(page, "url")
			if url, ok := jsonrpc.Unquote(raw); ok {
				urls = append(urls, url)
			}
		}
		if len(urls) > 0 {
			return "Open the page and call again: " + strings.Join(urls, " ")
		}
	}
	return ""
}

// capabilityHint returns the flag that declares the capability that the server misses
// according to text, a message as SDKs write it. It returns "" for other texts.
func (p *Link) capabilityHint(text string) string {
	text = strings.ToLower(text)
	if !strings.Contains(text, "support") && !strings.Contains(text, "capabilit") {
		return ""
	}
	for _, kind := range []string{"elicitation", "sampling", "roots"} {
		offered := slices.ContainsFunc(p.Flags.Answers, func(a string) bool { return strings.HasPrefix(a, kind+"=") })
		if offered || !strings.Contains(text, kind) {
			continue
		}
		switch kind {
		case "elicitation":
			return "--answer elicitation=… responds to elicitations: accept, decline, cancel, error, @file.json or JSON."
		case "sampling":
			if p.Flags.Sampler == "" {
				return "--answer sampling=@file.json responds to sampling requests, and --sampler COMMAND lets a command do so."
			}
		case "roots":
			return "--root DIR offers a root to the server."
		}
	}
	return ""
}

// answersFor returns the flags that offer capabilities.
func answersFor(kinds []string) string {
	return "--answer " + strings.Join(kinds, "=decline --answer ") + "=decline"
}
