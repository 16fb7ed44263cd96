package explain

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// noFirstResponse explains a first request that got something else than a response.
func noFirstResponse(err *client.NoResponseError, f Facts, method string) Explanation {
	if err.WrongID != "" {
		return wrongID(err, f, method)
	}
	head := string(err.Bytes)
	var bytes []Line
	if !slices.ContainsFunc(f.Stray, func(text string) bool { return strings.HasPrefix(text, head) }) {
		bytes = []Line{{"bytes", head, true}}
	}
	if dead, ok := ended(err, f, method); ok {
		// That it has gone says more than that it spoke out of turn.
		dead.Evidence = bytes
		return dead
	}
	stray := f.Stray
	if len(bytes) > 0 {
		stray = append([]string{head}, stray...)
	}
	e, _ := onStdout(stray, f, method)
	e.Evidence = append([]Line{{Label: "fault", Text: fmt.Sprintf("%s, at byte %d", err.Fault, err.At)}}, bytes...)
	return e
}

// wrongID explains a response whose id matches no request.
func wrongID(err *client.NoResponseError, f Facts, method string) Explanation {
	id := escape(cut(string(err.WrongID)))
	e := Explanation{
		Sentence: fmt.Sprintf("No response to %s arrived, but one with id %s, which matches no pending request.", method, id),
		Evidence: []Line{{"answer", string(err.Bytes), true}},
		Cause:    "The id of a response must equal that of its request: the number 1 is not the string \"1\".",
		Try:      "Check where the server copies the id; a string type changes a number.",
	}
	var rpc *client.RPCError
	answer := client.Response{Frame: err.Bytes, Envelope: jsonrpc.Scan(err.Bytes)}
	text, isText := jsonrpc.Unquote([]byte(err.WrongID))
	_, isNumber := jsonrpc.Integer([]byte(text))
	switch {
	case string(err.WrongID) == "null" && errors.As(answer.Err(), &rpc):
		e.Sentence = fmt.Sprintf("The server sent an error response with id null, which matches no request: %d %s.", rpc.Code, quote(rpc.Message, textHead))
		e.Cause = "It could not parse " + method + "."
		e.Try = "Check in the server's log what it has read; a launcher may change its stdin."
	case isText && isNumber:
		e.Sentence = fmt.Sprintf("The response to %s has id %s, a string; the request has a number.", method, id)
	}
	if dead, ok := ended(err, f, method); ok {
		e.Cause = strings.TrimSuffix(dead.Sentence, ".") + "; before that, it sent a response with another id than the request."
	}
	return e
}

// onStdout explains what came on stdout instead of a response. It reports
// whether there was anything.
func onStdout(stray []string, f Facts, method string) (Explanation, bool) {
	e := Explanation{
		Sentence: "The server wrote text to stdout and no response to " + method + ".",
		Cause:    "Stdout is reserved for messages. The text is a help text or an error message, or this is not an MCP server.",
		Try:      "Write log and help texts to stderr; check that the command starts the server in its stdio mode.",
	}
	if !f.target.IsStdio() || len(stray) == 0 {
		return Explanation{Sentence: "The server sent something other than the response to " + method + "."}, false
	}
	all := strings.Join(stray, "\n")
	why, ok := known(stray, append(signs[:len(signs):len(signs)], listening...))
	switch {
	case isUTF16(all):
		e.Sentence = "The server writes UTF-16 to stdout: messages must be UTF-8."
		e.Cause = "Its runtime or the shell changes the encoding, as PowerShell does in redirections."
		e.Try = "Set the encoding of stdout to UTF-8 without a byte order mark; start the server without PowerShell."
	case strings.Contains(all, "Content-Length:"):
		e.Sentence = "The server frames its messages with Content-Length headers, as language servers do."
		e.Cause = "MCP over stdio has one message per line and no headers."
		e.Try = "Change the framing to JSON on one line with \\n at its end."
	case ok:
		e.Sentence = "The server did not respond to " + method + "."
		e = e.because(why)
	case strings.Contains(all, `"jsonrpc"`):
		return brokenLine(stray, method), true
	case strings.ContainsRune(all, '\x1b'):
		e.Sentence = "The server wrote text with terminal control sequences to stdout and no response to " + method + "."
		e.Cause = "Stdout is reserved for messages; this is a banner or a terminal screen."
	}
	return e, true
}

// brokenLine explains a response that is not a line of its own.
func brokenLine(stray []string, method string) Explanation {
	at := max(0, slices.IndexFunc(stray, func(l string) bool { return strings.Contains(l, `"jsonrpc"`) }))
	line := strings.TrimSpace(stray[at])
	e := Explanation{
		Sentence: fmt.Sprintf("Invalid response to %s: the line is not valid JSON.", method),
		Cause:    "A message must be one line of JSON, without newlines or other text.",
		Try:      "Write each message without indentation, and flush it together with its \\n.",
	}
	switch {
	case strings.HasPrefix(line, "{"), strings.HasPrefix(line, `"`):
		if !strings.HasSuffix(line, "}") {
			e.Sentence = fmt.Sprintf("Invalid response to %s: it spans several lines; each message must be one line.", method)
			e.Cause = "The server writes indented JSON, or newlines inside a message."
		}
	default:
		e.Sentence = fmt.Sprintf("Invalid response to %s: there is other text on its line.", method)
		e.Cause = "A logger or a print statement writes to stdout, which is reserved for messages."
		e.Try = "Write log output to stderr (console.error, logging to stderr)."
	}
	return e
}

// isUTF16 reports whether every other byte of what looks like text is NUL.
func isUTF16(text string) bool {
	b := []byte(text)
	if len(b) < 8 {
		return false
	}
	return bytes.Count(b, []byte{0})*3 > len(b)
}
