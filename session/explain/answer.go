package explain

import (
	"fmt"
	"net/http"
	"path/filepath"
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
	if err.Selected != "" {
		theirs = append([]string{err.Selected}, theirs...)
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
		e.Cause = "The server knows server/discover, but not the protocol version of the request."
	}
	e.Try = "Offer one that the server knows with --protocol, or update the server's MCP library."
	if err.Selected != "" && !revision.Revision(err.Selected).Known() {
		e.Try = "Update the server's MCP library; --lenient goes on as in the nearest revision that was released."
	}
	return e
}

// nearReach is how many bytes before the fault the client shows.
const nearReach = 20

// invalidAnswer is an answer under the right id whose bytes are wrong.
func invalidAnswer(err *client.InvalidResponseError) Explanation {
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
		if !f.Connected {
			e.Cause = "The server wants something else of initialize than mcptea sends; its message and data may say what."
			e.Try = "Offer another revision with --protocol; compare the frames with what the server's library expects."
		}
	case jsonrpc.CodeInternalError:
		e.Cause = "Something failed within the server; its log or stderr says more."
		e.Try = "Mend what its message names, or look at its log."
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		e.Cause = "The server could not make sense of the request."
		if !f.Connected {
			e.Try = "Look at the server's log for what it read; something in between may change what it gets."
		}
	case revision.CodeHeaderMismatch:
		e.Cause = "The headers of the request do not say what its body says; a proxy, or a header given with -H, may have changed them."
	case revision.CodeMissingCapability:
		e.Cause = "The server works only for clients that can do what the data name, and mcptea did not offer it."
		e.Try = "Offer sampling or elicitation with --answer KIND=HOW; the inspector offers both by itself."
	case revision.CodeUnsupportedVersion:
		e.Cause = "The server does not support the protocol version of the request."
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
		return silent(e, err, f)
	case err.Method == http.MethodGet:
		e.Sentence = fmt.Sprintf("The server opened no event stream with an endpoint within %s.", after)
		e.Cause = "It hangs, or the URL is that of a stream that waits for something else, as that of Streamable HTTP does."
		e.Try = "Leave --transport sse out; many servers have their stream at /sse."
	case f.Exchange.Status/100 == 2:
		return headersOnly(e, err, f)
	case err.Method == firstOfNew:
		e = e.adding("the server took the request and sent nothing")
		e.Cause = "The server took the connection but does not answer: it hangs, it hangs on what it does not know, or the URL is that of something else."
		e.Try = "Look at the server's log; --protocol 2025-11-25 begins with initialize, as older servers want it."
	default:
		e = e.adding("the server took the request and sent nothing")
		e.Cause = "The server took the connection but does not answer: it hangs, or the URL is that of something else."
		e.Try = "Look at the server's log; give it more time with --connect-timeout."
	}
	return e
}

// headersOnly is an answer over HTTP that began, and never had a body.
func headersOnly(e Explanation, err *client.TimeoutError, f Facts) Explanation {
	what := "the answer began, and its body never ended"
	e.Cause = "The server holds its answer back, or a proxy does until there is more of it."
	if kind, _, _ := strings.Cut(f.Exchange.ResponseHeader.Get("Content-Type"), ";"); kind == "text/event-stream" {
		what = "the server opened an event stream for it and sent nothing on it"
		e.Cause = "The server hangs, sends its answer elsewhere, or something in between keeps the events until there are more."
	}
	e = e.adding(what)
	e.Try = "Look at the server's log; a proxy must not buffer (nginx: proxy_buffering off, or X-Accel-Buffering: no)."
	if err.Method == firstOfNew {
		e.Try += " --protocol 2025-11-25 begins with initialize, as older servers want it."
	}
	return e
}

// silent is a server on stdio that was waited for in vain. What it wrote
// meanwhile says more than that it did not answer.
func silent(e Explanation, err *client.TimeoutError, f Facts) Explanation {
	if on, ok := onStdout(f.Stray, f, escape(err.Method)); ok {
		return on
	}
	if f.Stopped {
		return stopped(e, f)
	}
	why, ok := known(f.Stderr, append(signs[:len(signs):len(signs)], listening...))
	switch {
	case answersOn(f.Stderr):
		e = e.adding("the server writes its answers to stderr")
		e.Cause = "Messages belong on stdout, and all else on stderr; something has swapped or redirected them."
		e.Try = "Look at where the server opens its transport, and for a redirection (1>&2) in a script that starts it."
	case f.Late != "":
		e = e.adding("it came when mcptea had closed the server's stdin")
		e.Evidence = []Line{{"late", cut(f.Late), true}}
		e.Cause = "The server reads its stdin to the end before it answers, or keeps its output in a buffer; or it is slow."
		e.Try = "Read line by line, and flush stdout after each message (python -u, fflush)."
	case ok:
		e = e.because(why)
	default:
		if len(f.Stray)+len(f.Stderr) == 0 && f.Process.PID != 0 {
			e = e.adding("the server wrote nothing at all")
		}
		e.Cause = "The server is still starting, or does not read its stdin, or does not speak MCP over stdio."
		e.Try = "Check whether it wants an argument to speak over stdio; give it more time with --connect-timeout."
		if launcher := filepath.Base(f.Target.Argv[0]); isLauncher(launcher) && err.After < patient {
			e.Cause = launcher + " may still be downloading the server."
			e.Try = "Give it more time with --connect-timeout 60s."
		}
	}
	return e
}

// stopped explains a process in state T: it runs no instruction until SIGCONT.
func stopped(e Explanation, f Facts) Explanation {
	e = e.adding("the process is stopped")
	e.Evidence = append(e.Evidence, Line{"state", "T (stopped by a signal)", false})
	e.Cause = "The process was stopped by SIGSTOP, by SIGTSTP, or by a read from or write to a terminal (SIGTTIN, SIGTTOU)."
	e.Try = fmt.Sprintf("Continue it with kill -CONT %d, and find out what stopped it.", f.Process.PID)
	if !f.Process.Exited.IsZero() {
		e.Try = "Find out what stopped it, and connect again."
	}
	return e
}

// answersOn reports whether messages of the server stand among lines.
func answersOn(lines []string) bool {
	for _, l := range lines {
		if jsonrpc.Scan([]byte(l)).Kind.IsAnswer() {
			return true
		}
	}
	return false
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
