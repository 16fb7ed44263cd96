package export

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	mcphttp "mcptea/client/transport/http"
	"mcptea/internal/shell"
	"mcptea/session/runs/script"
)

// errOverStdio reports that curl cannot repeat a session.
var errOverStdio = errors.New("curl sends requests over HTTP, and the selected frames were sent over stdio; write them with --to command")

var errNoRequests = errors.New("no request of the client is selected")

// writeCurl writes a command of curl for each message of the client.
func (s *session) writeCurl() error {
	written, stdio := 0, false
	for r, err := range s.requests() {
		switch {
		case err != nil:
			return err
		case r.Endpoint.Transport == "stdio" || r.Exchange == nil && r.Endpoint.URL == "":
			stdio = true
			continue
		}
		words := curlWords(&r)
		if words == nil {
			s.report("frame %d is left out: its address is not an http or https URL", r.Number)
			continue
		}
		line, err := s.Shell.Join(words)
		if err != nil {
			s.report("frame %d cannot be written for this shell: %v", r.Number, err)
			continue
		}
		if written == 0 && strings.Contains(line, "MCP_SESSION_ID") {
			s.print("# MCP_SESSION_ID is the header Mcp-Session-Id of the response to initialize (curl -i).\n")
		}
		written++
		s.print("# ", oneLine(r.Method), "\n", line, "\n")
	}
	switch {
	case written > 0:
		return nil
	case stdio:
		return errOverStdio
	}
	return errNoRequests
}

// curlWords returns the words of the command. It returns nil if the address is not an HTTP URL:
// curl would take it for an option, or read a file.
func curlWords(r *request) []shell.Word {
	address, header, verb := r.Endpoint.URL, http.Header{}, http.MethodPost
	if r.Exchange != nil {
		address, header, verb = r.Exchange.URL, r.Exchange.RequestHeader, r.Exchange.Method
	}
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") || !mcphttp.IsToken(verb) {
		return nil
	}
	words := shell.Literals("curl", "-sS", "-N", "-X", verb)
	if strings.ContainsAny(address, "[]{}") {
		words = append(words, shell.Literals("--globoff")...) // curl must not take the address for a pattern
	}
	if r.Endpoint.Insecure {
		words = append(words, shell.Literals("-k")...)
	}
	words = append(words, shellWord(address, "SECRET"))
	if len(header) == 0 {
		header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if name == "User-Agent" || name == "Content-Length" || !mcphttp.IsToken(name) {
			continue // curl would read a file, because the header begins with @
		}
		for _, value := range header[name] {
			if strings.ContainsAny(value, "\r\n") {
				continue
			}
			words = append(words, shellWord("-H", ""), shellWord(name+": "+value, variableFor(name)))
		}
	}
	return append(words, shell.Literals("--data-raw", string(r.Frame))...)
}

// writeCommand writes the mcptea command for each request that a command can send.
func (s *session) writeCommand() error {
	written := 0
	for r, err := range s.requests() {
		if err != nil {
			return err
		}
		if revision.IsHandshake(r.Method) {
			continue
		}
		written++
		line, err := s.Shell.Join(append(commandWords(&r), s.targetWords(&r.Endpoint)...))
		if err != nil {
			s.report("frame %d cannot be written for this shell: %v", r.Number, err)
			continue
		}
		s.print(line, "\n")
	}
	if written == 0 {
		return errNoRequests
	}
	return nil
}

// commandWords returns the words of the command that sends a request.
func commandWords(r *request) []shell.Word {
	params := r.Params
	word := func(name string) string { return jsonrpc.Text(params, name) }
	with := func(words ...string) []shell.Word {
		if object, ok := jsonrpc.Member(params, "arguments"); ok && string(object) != "{}" {
			return append(shell.Literals(words...), shellWord(string(object), "SECRET"))
		}
		return shell.Literals(words...)
	}
	if isCall := r.Method == "tools/call" || r.Method == "prompts/get"; isCall && !script.HasArguments(params) {
		return append(shell.Literals("mcptea", "send", r.Method), shellWord(string(params), "SECRET"))
	}
	switch r.Method {
	case "tools/call":
		words := with("mcptea", "call", "--tool="+word("name"))
		if _, isTask := jsonrpc.Member(params, "task"); isTask {
			words = append(words, shell.Literals("--task")...)
		}
		return words
	case "prompts/get":
		return with("mcptea", "prompt", "--prompt="+word("name"))
	case "resources/read":
		return shell.Literals("mcptea", "read", "--uri="+word("uri"))
	case "resources/subscribe":
		return shell.Literals("mcptea", "listen", "--uri="+word("uri"))
	case "subscriptions/listen":
		wanted, _ := jsonrpc.Member(params, "notifications")
		if uris, ok := jsonrpc.Member(wanted, "resourceSubscriptions"); ok {
			words := shell.Literals("mcptea", "listen")
			for uri := range jsonrpc.Elements(uris) {
				text, _ := jsonrpc.Unquote(uri)
				words = append(words, shell.Literals("--uri="+text)...)
			}
			return words
		}
		return shell.Literals("mcptea", "listen")
	case "events/stream", "events/poll":
		return with("mcptea", "listen", "event:"+word("name"))
	case "logging/setLevel":
		words := shell.Literals("mcptea", "listen", "logs", "--level="+word("level"))
		if r.Endpoint.Revision != "" { // stateless versions have no level of a session
			words = append(words, shell.Literals("--protocol="+r.Endpoint.Revision)...)
		}
		return words
	case "tasks/cancel":
		return shell.Literals("mcptea", "task", "cancel", word("taskId"))
	}
	if list, ok := revision.ListOf(r.Method); ok {
		return shell.Literals("mcptea", "list", list.Name)
	}
	words := shell.Literals("mcptea", "send")
	if r.IsNotification {
		words = append(words, shell.Literals("--notification")...)
	}
	if r.Method == "" || strings.HasPrefix(r.Method, "-") {
		return append(words, shellWord("--raw", ""), shellWord(string(r.Frame), "SECRET"))
	}
	words = append(words, shell.Literals(r.Method)...)
	if rest := withoutMeta(params); len(rest) > 0 && string(rest) != "{}" {
		words = append(words, shellWord(string(rest), "SECRET"))
	}
	return words
}

// A Server is the server of a live session: its target, and the words that name it with the flags that the session was
// started with. Secrets in the words are variables.
type Server struct {
	Target client.Target
	Words  []shell.Word
}

// targetWords returns the words that name the server.
func (s *session) targetWords(at *endpoint) []shell.Word {
	if s.isLive(at) {
		return s.Server.Words
	}
	return recordedTarget(at)
}

// isLive reports whether an endpoint is the server of the live session.
func (s *session) isLive(at *endpoint) bool {
	if s.Server == nil {
		return false
	}
	target := s.Server.Target
	if !target.IsStdio() {
		url := target.URL
		if s.Redactor != nil {
			url = s.Redactor.url(url)
		}
		return at.Transport != "stdio" && (at.URL == url || at.URL == "")
	}
	argv := target.Argv
	if s.Redactor != nil {
		argv = s.Redactor.words(argv)
	}
	return at.Transport == "stdio" && (len(at.Argv) == 0 || slices.Equal(at.Argv, argv))
}

// recordedTarget returns the words that name the server according to the recording.
func recordedTarget(at *endpoint) []shell.Word {
	var words []shell.Word
	if at.Transport == "stdio" {
		words = append(words, shell.Literals("--")...)
		for _, arg := range at.Argv {
			words = append(words, shellWord(arg, "SECRET"))
		}
		return words
	}
	for name, value := range at.Header {
		words = append(words, shellWord("-H", ""), shellWord(name+": "+value, variableFor(name)))
	}
	if at.Insecure {
		words = append(words, shell.Literals("-k")...)
	}
	if at.Transport == "sse" {
		words = append(words, shell.Literals("--transport", "sse")...)
	}
	return append(words, shellWord("--url", ""), shellWord(at.URL, "SECRET"))
}

// oneLine returns a text of the peer in a form for a comment.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, visible(text))
	return text
}
