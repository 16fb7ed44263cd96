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
	e.Cause = "A server that does not support the offered version must respond with one that it supports (specification, lifecycle, version negotiation)."
	if err.Offered.IsStateless() {
		e.Cause = "The server supports server/discover, but not the protocol version of the request."
	}
	e.Try = "Offer one that the server supports with --protocol, or update the server's MCP library."
	if err.Selected != "" && !revision.Revision(err.Selected).Known() {
		e.Try = "Update the server's MCP library; --lenient continues with the nearest released version."
	}
	return e
}

// nearReach is how many bytes before the fault the client shows.
const nearReach = 20

// invalidResponse explains a response with the right id that is not valid.
func invalidResponse(err *client.InvalidResponseError) Explanation {
	if err.Fault == jsonrpc.FaultNotJSON && len(err.Near) <= min(err.At, nearReach) {
		return Explanation{
			Sentence: fmt.Sprintf("Incomplete response to request %s: it ends after %d bytes.", escape(string(err.ID)), err.At),
			Evidence: []Line{{"end", string(err.Near), true}},
			Cause:    "The server ended while writing it, or writes newlines inside a message.",
			Try:      "Write each message on one line, and flush it before the process ends.",
		}
	}
	return Explanation{
		Sentence: fmt.Sprintf("Invalid response to request %s: it is %s at byte %d.", escape(string(err.ID)), err.Fault, err.At),
		Evidence: []Line{{"near", string(err.Near), true}},
		Cause:    faultCause(err.Fault),
		Try:      "Check the frame (--record FILE keeps it): the offending byte is number " + strconv.Itoa(err.At) + ", counted from 0.",
	}
}

func faultCause(fault jsonrpc.Fault) string {
	switch fault {
	case jsonrpc.FaultNotJSON:
		return "The server builds JSON without a library, or prints other text in the middle of it."
	case jsonrpc.FaultNotUTF8:
		return "The server writes text in another encoding than UTF-8."
	case jsonrpc.FaultBothMembers:
		return "A response has either a result or an error, not both."
	case jsonrpc.FaultTrailingBytes:
		return "There are two messages on one line, or text after a message."
	case jsonrpc.FaultTooDeep:
		return "The value is nested too deeply."
	}
	return "It is not a JSON-RPC 2.0 message."
}

// errorResponse is an error that the server sent in proper form.
func errorResponse(err *client.RPCError, f Facts, method string) Explanation {
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
			e.Cause = "The server does not implement initialize: it may be stateless (2026-07-28), or not an MCP server."
		}
	case jsonrpc.CodeInvalidParams:
		e.Cause = "The server does not accept these parameters."
		if !f.Connected {
			e.Cause = "The server rejects the params of initialize; its message and data may say why."
			e.Try = "Offer another version with --protocol; compare the request with what the server's library expects."
		}
	case jsonrpc.CodeInternalError:
		e.Cause = "An internal error of the server; see its log or stderr."
		e.Try = "Fix what the message reports, or check its log."
	case jsonrpc.CodeParseError, jsonrpc.CodeInvalidRequest:
		e.Cause = "The server could not parse the request."
		if !f.Connected {
			e.Try = "Check in the server's log what it has read; a launcher or proxy may change the request."
		}
	case revision.CodeHeaderMismatch:
		e.Cause = "The headers of the request do not match its body; a proxy, or a header given with -H, may have changed them."
	case revision.CodeMissingCapability:
		e.Cause = "The server requires the client capabilities in the data, which mcptea did not declare."
		e.Try = "Offer sampling or elicitation with --answer KIND=HOW; the inspector declares both."
	case revision.CodeUnsupportedVersion:
		e.Cause = "The server does not support the protocol version of the request."
		e.Try = "Use the handshake era: --protocol 2025-11-25."
	default:
		e.Cause, e.Try = likely(err)
	}
	return e
}

// timedOut is a wait that we gave up.
func timedOut(err *client.TimeoutError, f Facts) Explanation {
	after := transport.FormatDuration(err.After)
	e := Explanation{Sentence: fmt.Sprintf("Timed out after %s waiting for the %s response.", after, escape(err.Method))}
	switch {
	case len(f.changed) > 0:
		e.Sentence = fmt.Sprintf("Timed out after %s waiting for the %s response, after mcptea had changed a frame on purpose.", after, escape(err.Method))
		e.Cause = "What was received is not what was sent: a fault or a breakpoint of mcptea changed it."
		e.Try = "Call again without --fault and breakpoints to see what the server does by itself."
	case len(f.unmatched) > 0:
		e.Sentence = fmt.Sprintf("Timed out after %s waiting for the %s response: responses with other ids arrived.", after, escape(err.Method))
		e.Cause = "The id of a response must equal that of its request: the number 1 is not the string \"1\"."
		e.Try = "Check where the server copies the id."
	case f.Connected && isOddType(f.exchange):
		e.Cause = fmt.Sprintf("The last body has Content-Type %s; an event stream must have text/event-stream.", quote(f.exchange.ResponseHeader.Get("Content-Type"), 60))
		e.Try = "Correct the Content-Type that the server sends."
	case f.Connected:
		e.Cause = "The server is still working on it, has lost it, or waits for something."
		e.Try = "Raise --timeout; progress notifications extend it."
	case f.target.IsStdio():
		return silent(e, err, f)
	case err.Method == http.MethodGet:
		e.Sentence = fmt.Sprintf("Timed out after %s waiting for the endpoint event.", after)
		e.Cause = "It hangs, or the URL is a Streamable HTTP endpoint."
		e.Try = "Omit --transport sse; many servers have their stream at /sse."
	case f.exchange.Status/100 == 2:
		return headersOnly(e, err, f)
	case err.Method == firstOfNew:
		e = e.adding("the server accepted the request and sent nothing")
		e.Cause = "The server accepted the connection but does not respond: it hangs, perhaps on an unknown method, or the URL is not an MCP endpoint."
		e.Try = "Check the server's log; --protocol 2025-11-25 begins with initialize, as older servers require."
	default:
		e = e.adding("the server accepted the request and sent nothing")
		e.Cause = "The server accepted the connection but does not respond: it hangs, or the URL is not an MCP endpoint."
		e.Try = "Check the server's log; raise --connect-timeout."
	}
	return e
}

// headersOnly explains an HTTP response whose body did not arrive.
func headersOnly(e Explanation, err *client.TimeoutError, f Facts) Explanation {
	what := "the response began and its body did not end"
	e.Cause = "The server or a proxy buffers the response."
	if kind, _, _ := strings.Cut(f.exchange.ResponseHeader.Get("Content-Type"), ";"); kind == "text/event-stream" {
		what = "the server opened an event stream and sent nothing on it"
		e.Cause = "The server hangs, sends its response elsewhere, or a proxy buffers the events."
	}
	e = e.adding(what)
	e.Try = "Check the server's log; a proxy must not buffer (nginx: proxy_buffering off, or X-Accel-Buffering: no)."
	if err.Method == firstOfNew {
		e.Try += " --protocol 2025-11-25 begins with initialize, as older servers require."
	}
	return e
}

// silent is a server on stdio that was waited for in vain. What it wrote
// meanwhile says more than that it did not answer.
func silent(e Explanation, err *client.TimeoutError, f Facts) Explanation {
	if on, ok := onStdout(f.Stray, f, escape(err.Method)); ok {
		return on
	}
	if f.stopped {
		return stopped(e, f)
	}
	why, ok := known(f.stderr, append(signs[:len(signs):len(signs)], listening...))
	switch {
	case hasMessages(f.stderr):
		e = e.adding("the server writes its responses to stderr")
		e.Cause = "Messages must be written to stdout and all other text to stderr; they are swapped or redirected."
		e.Try = "Check where the server opens its transport, and look for a redirection (1>&2) in a script that starts it."
	case f.late != "":
		e = e.adding("it arrived after mcptea had closed stdin")
		e.Evidence = []Line{{"late", cut(f.late), true}}
		e.Cause = "The server reads stdin to the end before it responds, buffers its output, or is slow."
		e.Try = "Read line by line, and flush stdout after each message (python -u, fflush)."
	case ok:
		e = e.because(why)
	default:
		if len(f.Stray)+len(f.stderr) == 0 && f.Process.PID != 0 {
			e = e.adding("the server has written nothing to stdout or stderr")
		}
		e.Cause = "The server is still starting, does not read stdin, or does not use the stdio transport."
		e.Try = "Check whether it needs an argument for stdio; raise --connect-timeout."
		if launcher := filepath.Base(f.target.Argv[0]); isLauncher(launcher) && err.After < patient {
			e.Cause = launcher + " may still be downloading the server."
			e.Try = "Raise the timeout: --connect-timeout 60s."
		}
	}
	return e
}

// stopped explains a process in state T: it runs no instruction until SIGCONT.
func stopped(e Explanation, f Facts) Explanation {
	e = e.adding("the process is stopped")
	e.Evidence = append(e.Evidence, Line{"state", "T (stopped by a signal)", false})
	e.Cause = "The process was stopped by SIGSTOP, by SIGTSTP, or by a read from or write to a terminal (SIGTTIN, SIGTTOU)."
	e.Try = fmt.Sprintf("Continue it with kill -CONT %d, and check what stopped it.", f.Process.PID)
	if !f.Process.Exited.IsZero() {
		e.Try = "Check what stopped it, and reconnect."
	}
	return e
}

// hasMessages reports whether there are messages of the server among the lines.
func hasMessages(lines []string) bool {
	for _, l := range lines {
		if jsonrpc.Scan([]byte(l)).Kind.IsResponse() {
			return true
		}
	}
	return false
}

// isOddType reports whether a response has a media type that Streamable HTTP does
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
