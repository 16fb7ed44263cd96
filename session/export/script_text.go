package export

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"mcptea/client/jsonrpc"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
	"mcptea/session/runs/script"
)

// write writes the script.
func (w *scriptWriter) write(at *endpoint) error {
	w.names = map[string]bool{}
	var body strings.Builder
	for _, st := range w.steps {
		if st.line == "" {
			continue
		}
		fmt.Fprintf(&body, "\n# %s (frame %d)\n", st.title, st.number)
		for _, line := range st.answers {
			body.WriteString(line + "\n")
		}
		expectation := w.expectation(st)
		if strings.HasPrefix(expectation, "!") {
			body.WriteString("! ")
			expectation = expectation[1:]
		}
		body.WriteString(st.line + "\n")
		if expectation != "" {
			body.WriteString(expectation + "\n")
		}
		for _, c := range st.captures {
			body.WriteString("capture " + c.name + " " + script.Word(c.expr) + "\n")
		}
		for _, line := range st.after {
			body.WriteString(line + "\n")
		}
	}
	w.print("# Requests of a recording, with the results that they had: mcptea run FILE TARGET\n")
	if target := at.URL; target != "" || len(at.Argv) > 0 {
		if target == "" {
			target = "-- " + strings.Join(at.Argv, " ")
		}
		w.print("# The target of the recording: ", oneLine(target), "\n")
	}
	if w.secret {
		w.print("# Secrets are redacted: set the environment variable SECRET.\n")
		w.report("secrets in requests are replaced by {{env.SECRET}}")
	}
	if at.Revision != "" {
		w.print("connect --protocol ", script.Word(at.Revision), "\n")
	}
	w.print(body.String())
	for _, f := range w.files {
		w.print("-- ", f.Name, " --\n", string(f.Data))
	}
	return nil
}

// expectation returns the line that compares a result. It begins with "!" if the request failed.
func (w *scriptWriter) expectation(st *scriptStep) string {
	if st.response == nil || slices.Contains(st.after, "cancel") {
		return ""
	}
	e := jsonrpc.Scan(st.response)
	value, failed := e.Result.Of(st.response), ""
	switch {
	case e.Kind == jsonrpc.ErrorResponse && st.list != "":
		return "!"
	case e.Kind == jsonrpc.ErrorResponse:
		value, failed = e.Error.Of(st.response), "!"
	case st.list != "" && st.more:
		return ""
	case st.list != "":
		value = st.listed()
	default:
		if isError, _ := jsonrpc.Member(value, "isError"); string(isError) == "true" && strings.HasPrefix(st.line, "call ") {
			failed = "!"
		}
	}
	_, isTask := jsonrpc.Member(value, "task")
	if isTask || jsonrpc.Text(value, "resultType") == "task" || st.inputs != nil {
		return failed // the recorded result differs from the result of the command
	}
	exact := "expect --exact " + w.ignored(value)
	switch {
	case len(value) > maxExpected:
		w.report("the result of frame %d has more than %d kB and is not expected", st.number, maxExpected>>10)
		return failed
	case isRedacted(string(value)):
		return failed + "expect " + w.file(st, []byte(script.WithoutSecrets(string(value))))
	case len(value) <= maxInline:
		if text, _ := script.JSON(value); !strings.Contains(text, `"<`) {
			return failed + exact + text
		}
	}
	return failed + exact + w.file(st, value)
}

var notInNames = lazyregexp.New(`[^A-Za-z0-9]+`)

// file adds a file with a value, and returns the word for it.
func (w *scriptWriter) file(st *scriptStep, value []byte) string {
	base := strings.Trim(notInNames().ReplaceAllString(st.title, "-"), "-")
	if base == "" {
		base = "result"
	}
	base = base[:min(len(base), 40)]
	name := base + ".json"
	for n := 2; w.names[name]; n++ {
		name = fmt.Sprintf("%s-%d.json", base, n)
	}
	w.names[name] = true
	text := jsonrpc.Indented(value) + "\n"
	w.files = append(w.files, txtar.File{Name: name, Data: []byte(phrase.EscapeJSON(script.WithoutVariables(text)))})
	return "@" + name
}

// json returns a JSON value in one line. Variables replace the redacted secrets.
func (w *scriptWriter) json(value []byte) string {
	text, hasSecret := script.JSON(value)
	w.secret = w.secret || hasSecret
	return text
}
