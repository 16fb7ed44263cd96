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

// spoilt is a first request that got something else in place of an answer.
func spoilt(err *client.NoResponseError, f Facts, method string) Explanation {
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

// wrongID is an answer to nothing that was asked.
func wrongID(err *client.NoResponseError, f Facts, method string) Explanation {
	id := escape(cut(string(err.WrongID)))
	e := Explanation{
		Sentence: fmt.Sprintf("The answer to %s never came, but an answer with the id %s did, which nobody had asked for.", method, id),
		Evidence: []Line{{"answer", string(err.Bytes), true}},
		Cause:    "An answer must carry the id of its request, unchanged: the number 1 is not the string \"1\".",
		Try:      "Look at where the server copies the id; a type that holds strings only changes it.",
	}
	var rpc *client.RPCError
	answer := client.Response{Frame: err.Bytes, Envelope: jsonrpc.Scan(err.Bytes)}
	text, isText := jsonrpc.Unquote([]byte(err.WrongID))
	_, isNumber := jsonrpc.Integer([]byte(text))
	switch {
	case string(err.WrongID) == "null" && errors.As(answer.Err(), &rpc):
		e.Sentence = fmt.Sprintf("The server answered with an error that belongs to no request (its id is null): %d %s.", rpc.Code, quote(rpc.Message, textHead))
		e.Cause = "It could not read " + method + ", or takes it for something else."
		e.Try = "Look at the server's log for what it read; a launcher that writes to its stdin, or changes it, may stand between."
	case isText && isNumber:
		e.Sentence = fmt.Sprintf("The answer to %s came with the id %s, a string, where the request has a number.", method, id)
	}
	if dead, ok := ended(err, f, method); ok {
		e.Cause = strings.TrimSuffix(dead.Sentence, ".") + "; before that, its answer had another id than the request."
	}
	return e
}

// onStdout explains what came on stdout in place of an answer. It reports
// whether there was anything.
func onStdout(stray []string, f Facts, method string) (Explanation, bool) {
	e := Explanation{
		Sentence: "The server wrote text to stdout, and never answered " + method + ".",
		Cause:    "Stdout belongs to the protocol. It is a help text or an error meant for people, or not an MCP server.",
		Try:      "Send what is meant for people to stderr; check that the command starts the server in its stdio mode.",
	}
	if !f.Target.IsStdio() || len(stray) == 0 {
		return Explanation{Sentence: "The server did not answer " + method + ", but something else came in its place."}, false
	}
	all := strings.Join(stray, "\n")
	why, ok := known(stray, append(signs[:len(signs):len(signs)], listening...))
	switch {
	case isUTF16(all):
		e.Sentence = "The server writes UTF-16 to stdout, which cannot be read: messages are UTF-8."
		e.Cause = "Its runtime or the shell that starts it changes the encoding, as PowerShell does when it redirects."
		e.Try = "Set the encoding of stdout to UTF-8 without a byte order mark; start the server without PowerShell."
	case strings.Contains(all, "Content-Length:"):
		e.Sentence = "The server frames its messages with Content-Length headers, as language servers do."
		e.Cause = "MCP over stdio has one message a line and no headers."
		e.Try = "Change the framing to JSON on one line with \\n at its end."
	case ok:
		e.Sentence = "The server never answered " + method + "."
		e = e.because(why)
	case strings.Contains(all, `"jsonrpc"`):
		return brokenLine(stray, method), true
	case strings.ContainsRune(all, '\x1b'):
		e.Sentence = "The server wrote text with terminal control sequences to stdout, and never answered " + method + "."
		e.Cause = "Stdout belongs to the protocol, and this is a banner or a screen for people."
	}
	return e, true
}

// brokenLine is an answer that is no line of its own.
func brokenLine(stray []string, method string) Explanation {
	at := max(0, slices.IndexFunc(stray, func(l string) bool { return strings.Contains(l, `"jsonrpc"`) }))
	line := strings.TrimSpace(stray[at])
	e := Explanation{
		Sentence: fmt.Sprintf("The answer to %s cannot be read: its line is no JSON.", method),
		Cause:    "A message must be one line of JSON: no line ends within, no text around it.",
		Try:      "Write each message without indentation, and flush it with its \\n in one go.",
	}
	switch {
	case strings.HasPrefix(line, "{"), strings.HasPrefix(line, `"`):
		if !strings.HasSuffix(line, "}") {
			e.Sentence = fmt.Sprintf("The answer to %s is spread over several lines; each line must be a whole message.", method)
			e.Cause = "The server writes its JSON indented, or puts line ends into it."
		}
	default:
		e.Sentence = fmt.Sprintf("The answer to %s cannot be read: other text stands on its line.", method)
		e.Cause = "A logger or a print writes to stdout, which belongs to the protocol."
		e.Try = "Send what is meant for people to stderr (console.error, logging to stderr)."
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
