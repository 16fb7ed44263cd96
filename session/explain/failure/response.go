package failure

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/session/explain/card"
	"mcptea/session/explain/facts"
)

// noCommonRevision explains that client and server support different protocol versions, with both lists.
func noCommonRevision(err *client.RevisionError, _ Facts) Explanation {
	theirs := err.Listed
	if err.Selected != "" {
		theirs = append([]string{err.Selected}, theirs...)
	}
	var ours []string
	for _, r := range revision.All() {
		ours = append(ours, string(r))
	}
	e := Explanation{Sentence: sentence(err.Error()), Evidence: []Line{
		{Kind: "offered", Text: string(err.Offered)},
		{Kind: "ours", Text: strings.Join(ours, ", ")},
		{"theirs", cut(strings.Join(theirs, ", ")), true},
	}}
	usable := ""
	for _, name := range theirs {
		if r := revision.Revision(name); r.Known() && name > usable {
			usable = name
		}
	}
	return e.with("version", situation{
		"usable":    usable,
		"stateless": err.Offered.IsStateless(), "unreleased": err.Selected != "" && !revision.Revision(err.Selected).Known(),
	})
}

// invalidResponse explains a response with the right id that is not valid.
func invalidResponse(err *client.InvalidResponseError, f Facts) Explanation {
	s := situation{"torn": f.wire.torn, "id": escape(err.ID.String()), "fault": err.Fault, "at": err.At, "size": phrase.Size(int64(err.Size)), "hex": fmt.Sprintf("%#x", err.At)}
	s["wrong"] = fmt.Sprintf("is invalid: it is %s at byte %d", err.Fault, err.At)
	if err.Fault == jsonrpc.FaultNotJSON {
		s["wrong"] = "is not JSON: " + err.Place()
	}
	kind := Kind("near")
	if err.IsIncomplete() {
		s["incomplete"], kind = true, "end"
	}
	return Explanation{Evidence: []Line{{kind, string(err.Near), true}}}.with("invalid", s)
}

// errorResponse explains a valid error response.
func errorResponse(err *client.RPCError, f Facts) Explanation {
	var (
		c card.Card
		e Explanation
	)
	code, ok := err.Code.Number()
	if ok {
		c = card.OfCode(code, whereOf(err, "", ""))
	}
	m := c.Likely()
	if len(err.Data) > 0 {
		e.Evidence = []Line{{"data", cut(string(err.Data)), true}}
	}
	s := f.refused(situation{
		"code": err.Code.String(), "no_code": !ok, "error": errorText(err), "method": f.method,
		"meanings": len(c.Meanings) > 0, "private": c.Private && m.By != card.ByMCP,
	}, facts.Refusal{Body: fmt.Append(nil, err.Message, " ", string(err.Data))})
	if inner := []byte(err.Message); !ok && jsonrpc.Scan(inner).Kind == jsonrpc.ErrorResponse {
		s["wrapped"] = errorText(jsonrpc.ParseError(inner, jsonrpc.Scan(inner)))
	}
	f.addVersions(s, err.Message, string(err.Data))
	if of, line := f.ofTool(s, err.Message+" "+string(err.Data)); of.Cause != "" && (of.kind.isDecisive() || !aboutDecides(s, err)) {
		if line != "" {
			e.Evidence = append(e.Evidence, Line{KindStderr, cut(line), true})
		}
		return e.with("error-sentence", s).because(of)
	}
	s["lines"], s["original"] = saidLines(err.Message+" "+string(err.Data)), err.Message+" "+string(err.Data)
	e = e.withKnowledge("error-response", s, concluded{"means": m.Means, "usual_cause": m.Cause, "check": m.Check})
	said := err.Message + " " + string(err.Data)
	e.words = words{said, facts.Refusal{Body: []byte(said), Response: true}}
	return e.byMessage(s, said)
}

// errorText returns the error of a response for a sentence.
func errorText(err *client.RPCError) string {
	if _, ok := err.Code.Number(); !ok {
		return "an error without an integer code: " + quoteMessage(err.Message)
	}
	return err.Code.Phrase() + ": " + quoteMessage(err.Message)
}

// timedOut explains a timeout.
func timedOut(err *client.TimeoutError, f Facts) Explanation {
	contentType := f.exchange.ResponseHeader.Get("Content-Type")
	mediaType, _, _ := strings.Cut(contentType, ";")
	s := f.seen(situation{
		"after": phrase.Duration(err.After), "method": escape(err.Method),
		"changed": len(f.changed) > 0, "mixed": len(f.mixed) > 0, "stray": len(f.Stray) > 0, "utf16": isUTF16(strings.Join(f.Stray, "\n")), "success": f.exchange.Status/100 == 2, "stream": mediaType == "text/event-stream",
	})
	f.addUnmatched(s)
	s["reframed"] = err.Reframed
	f.addStdin(s, err.Stdin)
	if isOddType(mediaType) {
		s["odd_type"] = phrase.Quote(contentType, 60)
	}
	if f.Connected && !f.since.IsZero() {
		return f.unanswered(s)
	}
	if !f.target.IsStdio() || f.Connected || len(f.changed)+len(f.unmatched)+len(f.mixed) > 0 {
		return explain("timeout", s)
	}
	return silent(s, err, f)
}

// silent explains a timeout of a server over stdio. Its output says more than that it did not respond.
func silent(s situation, err *client.TimeoutError, f Facts) Explanation {
	f.method = escape(err.Method)
	if on, ok := onStdout(f.Stray, f); ok {
		return on
	}
	s["stopped"], s["silent"] = f.stopped, len(f.Stray)+len(f.stderr)+f.wire.received == 0 && f.Process.PID != 0
	if f.wire.received > 0 {
		s["received"] = f.wire.received
	}
	s["messages_on_stderr"], s["late"] = hasMessages(f.stderr), f.late
	if err.After < patient {
		s["launcher"] = filepath.Base(f.target.Argv[0])
	}
	found := candidates(s, f.stderr, "stderr", "listening")
	if len(found) > 0 {
		s["wrote"] = quoteEnds(found[0].line)
	}
	e := explain("timeout", s)
	e.quiet = s["silent"] == true && s.text("other_stdin") == ""
	if !f.stopped && s["late"] == "" && s["messages_on_stderr"] == false {
		e = e.found(found)
	}
	switch {
	case f.stopped:
		return stopped(e, f)
	case f.late != "" && !hasMessages(f.stderr):
		e.Evidence = []Line{{"late", cut(f.late), true}}
	}
	return e
}

// stopped explains a process in state T: it runs no instruction until SIGCONT.
func stopped(e Explanation, f Facts) Explanation {
	e.Evidence = append(e.Evidence, Line{"state", "T (stopped by a signal)", false})
	return e.with("stopped", situation{"pid": f.Process.PID, "exited": !f.Process.Exited.IsZero()})
}

// hasMessages reports whether there are messages of the server among the lines.
func hasMessages(lines []string) bool {
	return slices.ContainsFunc(lines, func(l string) bool { return jsonrpc.Scan([]byte(l)).Kind.IsResponse() })
}

// isOddType reports whether a response has a media type that Streamable HTTP does
// not know.
func isOddType(kind string) bool {
	return kind != "" && kind != "text/event-stream" && kind != "application/json" && !strings.HasSuffix(kind, "+json")
}

// taskError explains why the outcome of a task cannot be obtained.
func taskError(err *client.TaskError, _ Facts) Explanation {
	s := situation{"error": err.Err != nil}
	if rpc, ok := errors.AsType[*client.RPCError](err.Err); ok {
		s["code"] = rpc.Code.String()
	}
	return Explanation{Sentence: sentence(err.Error())}.with("task", s)
}
