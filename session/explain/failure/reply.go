package failure

import (
	"slices"
	"strings"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/client/transport"
	"mcptea/record/stderr"
	"mcptea/record/store"
	"mcptea/session/explain/facts"
	"mcptea/session/session"
)

// A Reply is the explanation of a response that reports a failure: an error response, or a tool result with isError. The
// server's message explains the failure; a Reply adds only what the message omits.
type Reply struct {
	Candidate        // the zero value if no fact and no row says more than the message
	Evidence  []Line // the line of stderr that the server wrote during the request, if it reports an error
}

// OfResponse explains a response that reports a failure.
func OfResponse(s *session.Session, response client.Response) Reply {
	failed := facts.Request{Failure: replyText(response), IsTool: response.Envelope.Kind != jsonrpc.ErrorResponse}
	if !failed.IsTool {
		failed.Code = jsonrpc.ParseError(response.Frame, response.Envelope).Code.String()
	}
	return ofReply(s, response.Request, failed)
}

// OfError explains an error response to a request on a connection. The session may be nil.
func OfError(s *session.Session, request transport.Ref, err *client.RPCError) Reply {
	return ofReply(s, request, facts.Request{Failure: err.Message + " " + string(err.Data), Code: err.Code.String()})
}

func ofReply(s *session.Session, request transport.Ref, failed facts.Request) (r Reply) {
	text := failed.Failure
	if s == nil { // only the text is known
		why, _ := Facts{Connected: true}.ofReply(situation{"connected": true}, text)
		return Reply{Candidate: why.Candidate}
	}
	f := FactsOf(s)
	f.stderr = redactLines(f.known(), f.stderr)
	f.request = requestAt(s, request)
	f.request.Failure, f.request.IsTool, f.request.Code = text, failed.IsTool, failed.Code
	if row, ok := s.Store().Row(request.Row()); ok && request.Present() {
		f.since = time.Unix(0, row.Time)
		if response, ok := s.Store().Row(row.Pair); ok && row.Pair != store.None {
			f.request.Took = time.Unix(0, response.Time).Sub(f.since)
		}
		f.exchange = f.wire.exchangeOf(row.Exchange)
		if n := slices.IndexFunc(f.wire.asked, func(r serverRequest) bool { return r.refused && !r.answered.Before(f.since) }); n >= 0 {
			f.request.Refused = f.wire.asked[n].method
		}
	}
	known := f.refused(situation{}, facts.Refusal{Body: []byte(text)})
	why, line := f.ofReply(known, text)
	r.Candidate = f.voiced(why.Candidate, words{text, facts.Refusal{Body: []byte(text)}})
	if c, ok := f.unfilledIn(text, f.target.IsStdio() && loginWords().MatchString(text)); ok {
		r.Candidate = c
	}
	if !r.isOwn {
		r.Cause = secret.Text(f.redact(r.Cause))
	}
	r.Remedy.Text = f.redact(r.Remedy.Text)
	if decisive := stderr.Decisive(f.stderrSince(f.since)); line == "" && stderr.IsReport(decisive) {
		line = decisive
	}
	if line != "" && !strings.Contains(text, line) {
		r.Evidence = []Line{{KindStderr, cut(line), true}}
	}
	return r
}

// ofReply returns the row for a failed request: by the text of the response, or by a line of stderr during the
// request, which it returns too.
func (f Facts) ofReply(s situation, text string) (why reason, line string) {
	why, line = f.ofTool(s, text)
	if about, ok := aboutMessage(s, text); ok && (line == "" && about.standsFor(why.Candidate) || about.kind.isDecisive() && line != "") {
		return about, ""
	}
	return why, line
}

// ofTool is ofReply by the rows of "tool-error" alone.
func (f Facts) ofTool(s situation, text string) (why reason, line string) {
	s["lines"], s["original"] = saidLines(text), text
	if why, ok := find("tool-error", s); ok {
		return why, ""
	}
	if !f.since.IsZero() {
		for _, line := range slices.Backward(f.stderrSince(f.since)) {
			s["lines"], s["original"] = saidLines(line), line
			if why, ok := find("tool-error", s); ok && why.Cause != "" {
				return why, line
			}
		}
	}
	return why, ""
}

// maxReplyText bounds the text of a tool error that is read, in bytes.
const maxReplyText = 64 << 10

// replyText returns the text of a response that reports a failure.
func replyText(response client.Response) string {
	if response.Envelope.Kind == jsonrpc.ErrorResponse {
		e := jsonrpc.ParseError(response.Frame, response.Envelope)
		return e.Message + " " + string(e.Data)
	}
	var b strings.Builder
	blocks, _ := jsonrpc.Member(response.Result(), "content")
	for block := range jsonrpc.Elements(blocks) {
		if text := jsonrpc.Text(block, "text"); b.Len()+len(text) <= maxReplyText {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// initialized reports whether the server responded to initialize on this connection and received
// notifications/initialized.
func (f Facts) initialized() bool {
	return f.Connected && f.negotiated != "" && !f.negotiated.IsStateless()
}
