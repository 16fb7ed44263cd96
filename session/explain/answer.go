package explain

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
)

// noCommonRevision shows both lists.
func noCommonRevision(err *client.RevisionError) Explanation {
	e := Explanation{Sentence: sentence(err.Error())}
	theirs := err.Listed
	if err.Answered != "" {
		theirs = append([]string{err.Answered}, theirs...)
	}
	var ours []string
	for _, r := range revision.All() {
		ours = append(ours, string(r))
	}
	e.Evidence = []Line{
		{Label: "offered", Text: string(err.Offered)},
		{Label: "ours", Text: strings.Join(ours, ", ")},
		{"theirs", cut(strings.Join(theirs, ", ")), true},
	}
	e.Cause = "A server that does not know the revision it was offered must answer with one that it speaks (specification, lifecycle, version negotiation)."
	if err.Offered.IsModern() {
		e.Cause = "The server knows server/discover, but not the revision in which it was asked."
	}
	e.Try = "Offer one that the server knows with --protocol, or update the server's MCP library."
	if err.Answered != "" && !revision.Revision(err.Answered).Known() {
		e.Try = "Update the server's MCP library; --lenient goes on as in the nearest revision that was released."
	}
	return e
}

// spoilt is a first request that got something else in place of an answer.
func spoilt(err *client.SilenceError, f Facts, method string) Explanation {
	e := Explanation{Sentence: "The server did not answer " + method + ", but something else came in its place."}
	if err.WrongID != "" {
		e.Sentence = fmt.Sprintf("The answer to %s never came, but an answer with the id %s did, which nobody had asked for.", method, escape(cut(string(err.WrongID))))
		e.Evidence = []Line{{"answer", string(err.Bytes), true}}
		e.Cause = "An answer must carry the id of its request, unchanged: the number 1 is not the string \"1\"."
		e.Try = "Look at where the server copies the id; a type that holds strings only changes it."
		return e
	}
	head := string(err.Bytes)
	var bytes []Line
	if !slices.Contains(f.Stray, head) {
		bytes = []Line{{"bytes", head, true}}
	}
	if dead, ok := ended(err, f, method); ok {
		// That it has gone says more than that it spoke out of turn.
		dead.Evidence = bytes
		return dead
	}
	e.Evidence = append([]Line{{Label: "fault", Text: fmt.Sprintf("%s, at byte %d", err.Fault, err.At)}}, bytes...)
	switch {
	case strings.HasPrefix(head, "Content-Length"):
		e.Sentence = "The server frames its messages with Content-Length headers, as language servers do."
		e.Cause = "MCP over stdio has one message a line and no headers."
		e.Try = "Change the framing to JSON on one line with \\n at its end."
	case strings.Contains(head, `"jsonrpc"`):
		e.Sentence = fmt.Sprintf("The answer to %s cannot be read: the line is %s at byte %d.", method, err.Fault, err.At)
		e.Cause = "A message must be one line of JSON: no line ends within, no text around it."
		e.Try = "Write each message without indentation, and flush it with its \\n in one go."
	case f.Target.IsStdio():
		e.Sentence = "The server wrote text to stdout, and never answered " + method + "."
		e.Cause = "Stdout belongs to the protocol. It is a help text or an error meant for people, or not an MCP server."
		e.Try = "Send what is meant for people to stderr; check that the command starts the server in its stdio mode."
	}
	return e
}

// nearReach is how many bytes before the fault the client shows.
const nearReach = 20

// invalidAnswer is an answer under the right id whose bytes are wrong.
func invalidAnswer(err *client.InvalidAnswerError) Explanation {
	if err.Fault == jsonrpc.FaultNotJSON && len(err.Near) <= min(err.At, nearReach) {
		return Explanation{
			Sentence: fmt.Sprintf("The answer to request %s breaks off after %d bytes.", escape(string(err.ID)), err.At),
			Evidence: []Line{{"end", string(err.Near), true}},
			Cause:    "The server ended in the middle of it, or puts line ends into its messages.",
			Try:      "Write each message on one line, and flush it before the process ends.",
		}
	}
	return Explanation{
		Sentence: fmt.Sprintf("The answer to request %s cannot be read: it is %s at byte %d.", escape(string(err.ID)), err.Fault, err.At),
		Evidence: []Line{{"near", string(err.Near), true}},
		Cause:    faultCause(err.Fault),
		Try:      "Look at the frame itself (--record FILE keeps it): the offending byte is number " + strconv.Itoa(err.At) + ", counted from 0.",
	}
}

func faultCause(fault jsonrpc.Fault) string {
	switch fault {
	case jsonrpc.FaultNotJSON:
		return "The server builds JSON by hand, or prints something in the middle of it."
	case jsonrpc.FaultNotUTF8:
		return "The server writes text in another encoding than UTF-8."
	case jsonrpc.FaultBothMembers:
		return "An answer has either a result or an error."
	case jsonrpc.FaultTrailingBytes:
		return "Two messages stand on one line, or text follows one."
	case jsonrpc.FaultTooDeep:
		return "The value is nested deeper than any reader can be expected to follow."
	}
	return "It is no JSON-RPC 2.0 message."
}

// refusedByAnswer is an error that the server sent in proper form.
func refusedByAnswer(err *client.RPCError, f Facts, method string) Explanation {
	e := Explanation{Sentence: fmt.Sprintf("The server answered with error %d: %s.", err.Code, quote(err.Message, textHead))}
	if !f.Connected {
		e.Sentence = fmt.Sprintf("The server refused %s with error %d: %s.", method, err.Code, quote(err.Message, textHead))
	}
	if len(err.Data) > 0 {
		e.Evidence = []Line{{"data", cut(string(err.Data)), true}}
	}
	switch err.Code {
	case jsonrpc.CodeMethodNotFound:
		e.Cause = "The server does not have this method."
		if !f.Connected && method == firstOfOld {
			e.Cause = "The server does not know initialize: it may be no MCP server, or one of a revision without handshake (2026-07-28)."
		}
	case jsonrpc.CodeInvalidParams:
		e.Cause = "The server does not accept these parameters."
	case jsonrpc.CodeInternalError:
		e.Cause = "Something failed within the server; its log or stderr says more."
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		e.Cause = "The server could not make sense of the request."
	case revision.CodeHeaderMismatch:
		e.Cause = "The headers of the request do not say what its body says; a proxy, or a header given with -H, may have changed them."
	case revision.CodeMissingCapability:
		e.Cause = "The server works only for clients that can do what the data name, and mcptea did not offer it."
		e.Try = "Offer sampling or elicitation with --answer KIND=HOW; the inspector offers both by itself."
	case revision.CodeUnsupportedVersion:
		e.Cause = "The server does not speak the revision in which it was asked."
		e.Try = "Begin with a handshake instead: --protocol 2025-11-25."
	default:
		e.Cause, e.Try = likely(err)
	}
	return e
}

// timedOut is a wait that we gave up.
func timedOut(err *client.TimeoutError, f Facts) Explanation {
	after := transport.Took(err.After)
	e := Explanation{Sentence: fmt.Sprintf("No answer to %s came within %s.", escape(err.Method), after)}
	switch {
	case len(f.Unclaimed) > 0:
		e.Sentence = fmt.Sprintf("No answer to %s came within %s, but answers came with ids that no request had.", escape(err.Method), after)
		e.Cause = "An answer must carry the id of its request, unchanged: the number 1 is not the string \"1\"."
		e.Try = "Look at where the server copies the id."
	case f.Connected && isOddType(f.Exchange):
		e.Cause = fmt.Sprintf("The last body came as %s; what is an event stream must be called text/event-stream to be read as one.", quote(f.Exchange.ResponseHeader.Get("Content-Type"), 60))
		e.Try = "Correct the Content-Type that the server sends."
	case f.Connected:
		e.Cause = "The server still works on it, has forgotten it, or waits for something."
		e.Try = "Give it more time with --timeout; a server that reports progress is given it by itself."
	case f.Target.IsStdio():
		e.Cause = "The server is still starting, or does not read its stdin, or does not speak MCP over stdio."
		e.Try = "Check whether it wants an argument to speak over stdio."
		if launcher := filepath.Base(f.Target.Argv[0]); isLauncher(launcher) && err.After < patient {
			e.Cause = launcher + " may still be downloading the server."
			e.Try = "Give it more time with --connect-timeout 60s."
		}
	case err.Method == "server/discover":
		e.Cause = "The server took the connection but does not answer: it hangs, it hangs on what it does not know, or the URL is that of something else."
		e.Try = "Look at the server's log; --protocol 2025-11-25 begins with initialize, as older servers want it."
	default:
		e.Cause = "The server took the connection but does not answer: it hangs, or the URL is that of something else."
		e.Try = "Look at the server's log; give it more time with --connect-timeout."
	}
	return e
}

// isOddType reports whether an answer has a media type that Streamable HTTP does
// not know.
func isOddType(x transport.Exchange) bool {
	kind, _, _ := strings.Cut(x.ResponseHeader.Get("Content-Type"), ";")
	return kind != "" && kind != "text/event-stream" && kind != "application/json" && !strings.HasSuffix(kind, "+json")
}

func isLauncher(name string) bool {
	switch name {
	case "npx", "uvx", "bunx", "pnpx", "docker", "podman", "pipx", "deno":
		return true
	}
	return false
}
