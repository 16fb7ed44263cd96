package export

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/catalog"
	"mcptea/internal/words/phrase"
)

// typescriptProgram makes the selected calls with the official SDK. Each line has the condition under which it
// is written, and the code after a bar. The lines for a call are repeated for each call.
//
//go:embed snippet/typescript.txt
var typescriptProgram string

// snippet holds the conditions that are true, and the values for the placeholders.
type snippet struct {
	words map[string]bool
	holes map[string]string
}

// typescriptFuncs maps methods of the protocol to functions of the SDK.
var typescriptFuncs = map[string]string{
	"tools/call": "callTool", "tools/list": "listTools", "resources/read": "readResource", "resources/list": "listResources",
	"resources/templates/list": "listResourceTemplates", "prompts/get": "getPrompt", "prompts/list": "listPrompts",
	"completion/complete": "complete", "ping": "ping",
}

// maxCalls bounds the number of calls in a program.
const maxCalls = 1000

func (s *session) writeTypeScript() error {
	var at endpoint
	var calls []snippet
	for r, err := range s.requests() {
		if err != nil {
			return err
		}
		if revision.IsHandshake(r.Method) || strings.HasPrefix(r.Method, "notifications/") {
			continue
		}
		f, ok := typescriptFuncs[r.Method]
		if !ok {
			s.report("%s was left out: the snippet has no function for it", r.Method)
			continue
		}
		if len(calls) == maxCalls {
			s.report("the program has the first %d calls; select fewer frames with --filter or --frames", maxCalls)
			break
		}
		at = r.Endpoint
		calls = append(calls, snippetOfCall(&r, f))
	}
	if len(calls) == 0 {
		return errNoRequests
	}
	if at.Transport == "stdio" && len(at.Argv) == 0 {
		return fmt.Errorf("the recording does not name the command of the server")
	}
	_, err := io.WriteString(s.out, snippetOf(at).program(typescriptProgram, calls))
	return err
}

// snippetOf returns the conditions and values of the program for a server.
func snippetOf(at endpoint) snippet {
	words := map[string]bool{"secret": isRedacted(at.URL) || slices.ContainsFunc(at.Argv, isRedacted)}
	switch {
	case len(at.Argv) > 0:
		words["stdio"] = true
	case at.Transport == "sse":
		words["sse"] = true
	default:
		words["http"] = true
	}
	words["bearer"] = strings.HasPrefix(at.Header["Authorization"], "Bearer ")
	words["open"] = !words["bearer"]
	holes := map[string]string{"url": programText(at.URL)}
	if len(at.Argv) > 0 {
		var argv []string
		for _, arg := range at.Argv {
			argv = append(argv, programText(arg))
		}
		holes["argv"], holes["command"], holes["args"] = strings.Join(argv, ", "), argv[0], strings.Join(argv[1:], ", ")
	}
	return snippet{words, holes}
}

// snippetOfCall returns the part of the program that makes a call with a function of the SDK.
func snippetOfCall(r *request, function string) snippet {
	params := withoutMeta(r.Params)
	if len(params) == 0 {
		params = []byte("{}")
	}
	name := cmp.Or(jsonrpc.Text(params, "name"), jsonrpc.Text(params, "uri"))
	ping := r.Method == "ping" // ping has no parameters
	return snippet{map[string]bool{"call": true, "ping": ping, "other": !ping}, map[string]string{
		"title": oneLine(strings.TrimSpace(r.Method + " " + name)), "func": function, "params": programText(string(params)),
	}}
}

// program returns the text of the program with the calls.
func (s snippet) program(text string, calls []snippet) string {
	var b strings.Builder
	var repeated []string // consecutive lines that are repeated for each call
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "call") {
			repeated = append(repeated, line)
			continue
		}
		for _, c := range calls {
			for _, l := range repeated {
				c.write(&b, l)
			}
		}
		repeated = nil
		s.write(&b, line)
	}
	return b.String()
}

// write writes the code of a line if all its conditions are true.
func (s snippet) write(b *strings.Builder, line string) {
	words, code, _ := strings.Cut(line, "|")
	if !slices.ContainsFunc(strings.Fields(words), func(w string) bool { return !s.words[w] }) {
		b.WriteString(catalog.Fill(code, func(name string) string { return s.holes[name] }))
	}
}

// programText returns a text as a JSON literal without hidden characters. It is a literal of
// JavaScript, too.
func programText(text string) string { return phrase.EscapeJSON(jsonText(text)) }
