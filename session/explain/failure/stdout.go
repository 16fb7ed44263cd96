package failure

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
)

// noFirstResponse explains that something other than a response to the first request arrived.
func noFirstResponse(err *client.NoResponseError, f Facts) Explanation {
	if err.WrongID.Present() {
		return wrongID(err, f)
	}
	head := string(err.Head)
	var bytes []Line
	if !slices.ContainsFunc(f.Stray, func(text string) bool { return strings.HasPrefix(text, head) }) {
		bytes = []Line{{"bytes", head, true}}
	}
	if dead, ok := ended(err, f); ok {
		// The server has ended: that explains more than its unexpected output, which becomes evidence.
		dead.Evidence = bytes
		return dead
	}
	stray := f.Stray
	if len(bytes) > 0 {
		stray = append([]string{head}, stray...)
	}
	e, _ := onStdout(stray, f)
	if err.Framed {
		bytes = append(bytes, Line{Kind: "tried", Text: "initialize in the framing of language servers (Content-Length), in a second start: only to that did it respond"})
	}
	e.Evidence = append([]Line{{Kind: "fault", Text: fmt.Sprintf("%s, at byte %d", err.Fault, err.At)}}, bytes...)
	return e
}

// unread matches messages that only say that a request could not be read.
var unread = lazyregexp.New(`(?i)^(?:parse error|invalid request|invalid json|bad request|could not parse .*)\W*$`)

// wrongID explains a response whose id matches no request.
func wrongID(err *client.NoResponseError, f Facts) Explanation {
	s := situation{"method": f.method}
	f.addIDs(s, string(err.WrongID.Bytes()))
	if rpc := err.Refusal; err.Refuses() {
		s["null"], s["code"], s["message"] = true, cmp.Or(rpc.Code.String(), "without a code:"), quoteMessage(rpc.Message)
		s["unread"] = rpc.Code.Is(jsonrpc.CodeParseError) || unread().MatchString(rpc.Message)
	}
	s["ended"] = !f.Process.Exited.IsZero() && !f.Process.Expected
	return Explanation{Evidence: []Line{{"answer", string(err.Head), true}}}.with("wrong-id", s)
}

// addIDs adds the raw id of the request, and the raw id that arrived instead.
func (f Facts) addIDs(s situation, came string) {
	sent := string(f.id.Bytes())
	s["id"], s["sent"] = escape(cut(came)), cmp.Or(escape(cut(sent)), "another")
	s["other_type"] = came != sent && f.id.Key().Like(jsonrpc.IDOf(came).Key())
	s["canned"] = f.wire.canned
}

// addUnmatched adds the newest unmatched id, if there is one.
func (f Facts) addUnmatched(s situation) {
	if n := len(f.unmatched); n > 0 {
		s["unmatched"] = true
		f.addIDs(s, f.unmatched[n-1])
	}
}

// onStdout explains text on stdout that arrived instead of a response. It reports whether there was any.
func onStdout(stray []string, f Facts) (Explanation, bool) {
	if !f.target.IsStdio() || len(stray) == 0 {
		return explain("stdout", situation{"method": f.method}), false
	}
	all := strings.Join(stray, "\n")
	s := f.seen(situation{"method": f.method, "lines": []string{all}, "stray": true, "utf16": isUTF16(all), "line": brokenLine(stray)})
	found := candidates(s, stray, "stderr", "listening")
	if len(found) > 0 {
		s["wrote"] = quoteEnds(found[0].line)
	}
	return explain("stdout", s).found(found), true
}

// brokenLine describes why a response is not on a separate line.
func brokenLine(stray []string) string {
	at := slices.IndexFunc(stray, func(l string) bool { return strings.Contains(l, `"jsonrpc"`) })
	if at < 0 {
		return ""
	}
	switch line := strings.TrimSpace(stray[at]); {
	case !strings.HasPrefix(line, "{") && !strings.HasPrefix(line, `"`):
		return "mixed"
	case !strings.HasSuffix(line, "}") && strings.HasPrefix(line, "{") && at == len(stray)-1:
		return "begun"
	case !strings.HasSuffix(line, "}"):
		return "several"
	}
	return "one"
}

// isUTF16 reports whether every other byte of a text is NUL.
func isUTF16(text string) bool {
	b := []byte(text)
	if len(b) < 8 {
		return false
	}
	return bytes.Count(b, []byte{0})*3 > len(b)
}

// OfStray returns the likely writer of text on stdout other than messages, and the advice.
func OfStray(lines []string) Candidate {
	why, _ := find("stray", situation{"lines": lines})
	return why.Candidate
}

// jsonOnStdout returns the message of a JSON object on stdout that is not a message of MCP, or "". A server
// that cannot start may write its reason in this form.
func (f Facts) jsonOnStdout() string {
	objects := f.wire.came[:min(1, len(f.wire.came))]
	if begin := slices.IndexFunc(f.Stray, func(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "{") }); begin >= 0 {
		objects = append([][]byte{[]byte(strings.Join(f.Stray[begin:], "\n"))}, objects...)
	}
	for _, object := range objects {
		if object = bytes.TrimSpace(object); !jsonrpc.Valid(object) {
			continue
		}
		if kind := jsonrpc.Scan(object).Kind; kind != jsonrpc.Invalid && kind != jsonrpc.ErrorResponse {
			continue
		}
		if said := jsonMessage(object); !strings.HasPrefix(said, "{") { // otherwise it has no message
			return said
		}
	}
	return ""
}
