package explain

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mcptea/client"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/client/transport/httpsse"
	"mcptea/client/transport/stdio"
	"mcptea/client/transport/streamable"
)

// Explanation is a failure in words. Sentence, Cause and Try are ours: what
// they repeat of a server is quoted, so that they can be drawn as they are.
type Explanation struct {
	Sentence string // what happened, with a full stop
	Attempt  []Line // what was tried: command line, directory, URL
	Steps    []Line // how far connecting got
	Evidence []Line // what there is to see
	Cause    string // the likely cause; may be empty
	Try      string // what to do about it; may be empty
	Idle     bool   // a connected server ended while no request was pending
}

// Line is one line of an explanation.
type Line struct {
	Label string // one or two words, ours
	Text  string
	// Foreign marks untrusted text. It must be sanitized before it is drawn.
	Foreign bool
}

// Lines are all parts after the sentence, in the order in which people read
// them. A label that repeats the one before it need not be drawn again.
func (e Explanation) Lines() []Line {
	var lines []Line
	lines = append(lines, e.Attempt...)
	lines = append(lines, e.Steps...)
	lines = append(lines, e.Evidence...)
	if e.Cause != "" {
		lines = append(lines, Line{Label: "cause", Text: e.Cause})
	}
	if e.Try != "" {
		lines = append(lines, Line{Label: "try", Text: e.Try})
	}
	return lines
}

// Authorization are those of the steps that were on the way to a token.
func (e Explanation) Authorization() []Line {
	var lines []Line
	for _, l := range e.Steps {
		if l.Label == labelAuth {
			lines = append(lines, l)
		}
	}
	return lines
}

// Failure explains an error of [session.Session.Connect], of a call, or of a
// list. The facts may be incomplete, the zero Facts included.
func Failure(err error, f Facts) Explanation {
	known := f.target.Secrets()
	f.stderr, f.Stray, f.late = redactLines(known, f.stderr), redactLines(known, f.Stray), secret.Text(known.Redact(f.late))
	e := suspectToken(withLimits(withDiscovery(classify(err, f), err), err), err, f)
	e.Attempt = f.attempt()
	e.Steps = slices.Concat(f.steps(), f.era(err), f.authorizationOf(err))
	e.Evidence = append(e.Evidence, f.evidence(endedByItself(err))...)
	redact := func(text string) string {
		const reach = 1 << 10 // so that a secret at the cut is recognized
		return clip(secret.Text(known.Redact(text[:min(len(text), maxText+reach)])))
	}
	e.Sentence, e.Cause = redact(e.Sentence), redact(e.Cause)
	e.Try = clip(known.Redact(e.Try)) // names placeholders that look like secrets
	for _, lines := range [...][]Line{e.Steps, e.Evidence} {
		for i := range lines {
			lines[i].Text = redact(lines[i].Text)
		}
	}
	return e
}

// redactLines redacts lines before they are cut and quoted: a part of a secret
// would not be recognized.
func redactLines(known *secret.Values, lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = secret.Text(known.Redact(l))
	}
	return out
}

// maxText bounds each text of an explanation, in bytes; the peer may have made it
// long.
const maxText = 1200

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + "…"
}

// classify finds the sentence, the cause and the advice. The order matters: the
// outer errors know more than those that they wrap.
func classify(err error, f Facts) Explanation {
	var (
		start     *stdio.StartError
		revisions *client.RevisionError
		silence   *client.NoResponseError
		invalid   *client.InvalidResponseError
		rpc       *client.RPCError
		timeout   *client.TimeoutError
		content   *streamable.ContentError
		status    *transport.StatusError
		refused   *transport.AuthorizationError
		neither   *client.FallbackError
		task      *client.TaskError

		unanswered *streamable.LostError
	)
	switch {
	case err == nil:
		return Explanation{Sentence: "Nothing went wrong."}
	case errors.As(err, &neither):
		return noTransport(neither, f)
	case errors.As(err, &start):
		return notStarted(start, f)
	case errors.As(err, &revisions):
		return noCommonRevision(revisions)
	case errors.As(err, &silence):
		return noFirstResponse(silence, f, first(err))
	case errors.As(err, &invalid):
		return invalidResponse(invalid)
	case errors.As(err, &task):
		return taskError(task)
	case errors.As(err, &rpc):
		return errorResponse(rpc, f, first(err))
	case errors.As(err, &content):
		return wrongContent(content)
	case errors.As(err, &refused):
		return unauthorized(refused, f)
	case errors.As(err, &status):
		return badStatus(status, errors.Is(err, streamable.ErrSessionExpired), f)
	case errors.As(err, &unanswered):
		if e, ok := lost(unanswered, f, first(err)); ok {
			return e
		}
		err = unanswered.Err // the id is irrelevant
	}
	if e, ok := ended(err, f, first(err)); ok {
		return e
	}
	if errors.As(err, &timeout) {
		return timedOut(timeout, f)
	}
	if f.target.IsStdio() && errors.Is(err, context.DeadlineExceeded) {
		if f.stopped {
			return stopped(Explanation{Sentence: "The server does not read its stdin."}, f)
		}
		return Explanation{
			Sentence: "The server does not read its stdin: requests are not delivered.",
			Cause:    "It hangs, or it is blocked writing to another pipe that is not read.",
			Try:      "Check what it does before it reads requests; send it SIGQUIT or attach a debugger to see where it is blocked.",
		}
	}
	if !f.target.IsStdio() && f.target.URL != "" {
		if e, ok := unreachable(err, f); ok {
			return e
		}
	}
	return other(err, f)
}

// other explains an error by its own text.
func other(err error, f Facts) Explanation {
	e := Explanation{Sentence: sentence(err.Error())}
	var input *client.InputError
	var tool *client.InvalidToolError
	var origin *httpsse.OriginError
	var event *httpsse.FirstEventError
	var result *client.ResultError
	switch {
	case errors.As(err, &result):
		e.Evidence = []Line{{"result", cut(string(result.Result)), true}}
		e.Cause = "The initialize result must be an object with protocolVersion, capabilities and serverInfo; this may not be an MCP server."
		e.Try = "Update the server's MCP library, or check where it builds the result."
	case errors.As(err, &event):
		e.Cause = "The first event of an HTTP+SSE stream must be \"endpoint\"; this is another kind of event stream."
		e.Try = "Omit --transport sse; check the path: many servers have their stream at /sse."
	case errors.Is(err, httpsse.ErrStreamEnded):
		e.Cause = "The server ended, or a proxy closed the stream."
		e.Try = "Check the server's log and the timeouts of proxies."
	case errors.Is(err, client.ErrTaskCancelled):
		e.Cause = "It was not cancelled here: the server cancelled it, or another client did."
	case errors.As(err, &origin):
		if named, ok := otherName(e, f.target.URL, origin.Endpoint, "names its endpoint"); ok {
			return named
		}
		e.Cause = "Credentials would be sent to another origin than the one in the URL; behind a proxy, the server may also report a wrong address of its own."
		e.Try = "Correct the URL in the endpoint event of the server; --lenient follows it without credentials."
	case errors.Is(err, client.ErrCursorLoop):
		e.Cause = "Pagination loop: the server returned a nextCursor that it had returned before."
		e.Try = "Check how the server builds nextCursor; the last page must not have one."
	case errors.Is(err, client.ErrListTooLarge):
		e.Cause = "The items of all pages together exceed the memory limit for a list."
		e.Try = "Check how the server builds nextCursor, and the size of the items; the traffic has the pages."
	case errors.Is(err, client.ErrTooManyPages):
		e.Cause = "The server never omits nextCursor, or the list is very long."
	case errors.As(err, &input):
		e.Cause, e.Try = unsupportedInput(input)
	case errors.Is(err, client.ErrInputRefused):
		e.Cause = "Such an input request needs no response: the server keeps no state for it."
	case errors.Is(err, client.ErrTooManyRounds):
		e.Cause = "The server sends an input request in every round."
		e.Try = "Check how it reads inputResponses and requestState."
	case errors.As(err, &tool):
		e.Cause = "A client must ignore such a tool: it cannot mirror its arguments in headers."
		e.Try = "Correct x-mcp-header in the inputSchema; --lenient calls the tool without the headers."
	case errors.Is(err, client.ErrNotAList):
		e.Cause = "The array that the method must return is missing from the result."
	}
	return e
}

// unsupportedInput explains an input request for what the client did not offer.
func unsupportedInput(err *client.InputError) (cause, try string) {
	switch err.Requested {
	case client.MethodElicitation:
		return "The server requests elicitation (2026-07-28, MRTR).", "Set a policy: --answer elicitation=decline, or elicitation='{\"action\":\"accept\",…}'; the inspector has an inbox."
	case client.MethodSampling:
		return "The server requests sampling (2026-07-28, MRTR).", "Set a policy: --answer sampling=@file.json; the inspector has an inbox."
	case "":
		return "Such a result must have inputRequests or requestState.", ""
	}
	return "A result may only request elicitation, sampling and roots.", ""
}

// sentence makes one out of an error's text: a capital, a full stop, and what
// a terminal would obey escaped.
func sentence(text string) string {
	text = escape(strings.TrimSpace(text))
	if text == "" {
		return "It failed without a message."
	}
	if r := text[0]; r >= 'a' && r <= 'z' && !strings.HasPrefix(text, "mcptea") {
		text = string(r-'a'+'A') + text[1:]
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

// escape shows what is not printable the way Go does.
func escape(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) < 0 {
		return text
	}
	quoted := strconv.Quote(text)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// quoteEnds repeats a server's text, of a long one the beginning and the end, which
// often has the reason.
func quoteEnds(text string, most int) string {
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most/3], "") + " … " + strings.ToValidUTF8(text[len(text)-most*2/3:], "")
	}
	return strconv.Quote(text)
}

// quote repeats a server's text, at most so many bytes of it.
func quote(text string, most int) string {
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "…"
	}
	return strconv.Quote(text)
}
