package script

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/secret"
	"mcptea/internal/lazyregexp"
	"mcptea/internal/words/phrase"
)

// redacted matches what package secret writes instead of a secret.
var redacted = lazyregexp.New(secret.Pattern)

// redactedString matches a JSON string with a redacted secret in it.
var redactedString = lazyregexp.New(`"(?:[^"\\]|\\.)*` + secret.Pattern + `(?:[^"\\]|\\.)*"`)

// ServerLine returns the first line of a script about a server.
func ServerLine(name string) []byte { return []byte("# server: " + oneLine(name) + "\n") }

// repeatedTitle begins the comment with [Script.Repeated].
const repeatedTitle = "after each restart:"

// Repeat returns the text of a script with other tools instead of [Script.Repeated]; without
// tools the line goes.
func Repeat(text []byte, tools []string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	at := 0 // index of the line
	if title, ok := strings.CutPrefix(strings.TrimSpace(lines[0]), "#"); ok && strings.HasPrefix(strings.TrimSpace(title), "server:") {
		at = 1
	}
	for i := range min(len(lines), 2) {
		if title, ok := strings.CutPrefix(strings.TrimSpace(lines[i]), "#"); ok && strings.HasPrefix(strings.TrimSpace(title), repeatedTitle) {
			lines, at = slices.Delete(lines, i, i+1), i
			break
		}
	}
	if len(tools) > 0 {
		words := make([]string, len(tools))
		for i, tool := range tools {
			words[i] = Word(tool)
		}
		lines = slices.Insert(lines, at, "# "+repeatedTitle+" "+strings.Join(words, " ")+"\n")
	}
	return []byte(strings.Join(lines, ""))
}

// RequestLine returns the command that sends a request, on one line. The variable env.SECRET replaces redacted
// secrets; hasSecret reports whether it does.
func RequestLine(method string, params []byte) (line string, hasSecret bool) {
	isWord := func(name string) bool { return IsWord(jsonrpc.Text(params, name)) }
	only := func(names ...string) bool {
		for name := range jsonrpc.Members(params) {
			if !slices.Contains(names, string(name)) {
				return false
			}
		}
		return true
	}
	add := func(value []byte) {
		text, has := JSON(value)
		line, hasSecret = line+" "+text, hasSecret || has
	}
	withArguments := func(word string) {
		line = word + " " + Word(jsonrpc.Text(params, "name"))
		if object, ok := jsonrpc.Member(params, "arguments"); ok && string(object) != "{}" {
			add(object)
		}
	}
	switch {
	case method == "tools/call" && only("name", "arguments") && isWord("name") && HasArguments(params):
		withArguments("call")
	case method == "prompts/get" && only("name", "arguments") && isWord("name") && HasArguments(params):
		withArguments("prompt")
	case method == "resources/read" && only("uri") && isWord("uri"):
		line = "read " + Word(jsonrpc.Text(params, "uri"))
	default:
		line = "send " + Word(method)
		if len(params) > 0 {
			add(params)
		}
	}
	return line, hasSecret
}

// HasArguments reports whether the member arguments of the params of a call is an object or missing: only such a call
// has a command of its own. A recording may contain others.
func HasArguments(params []byte) bool {
	arguments, ok := jsonrpc.Member(params, "arguments")
	return !ok || bytes.HasPrefix(bytes.TrimSpace(arguments), []byte("{"))
}

// JSON returns a JSON value as a word without variables. Redacted secrets are replaced by the variable
// env.SECRET, which hasSecret reports.
func JSON(value []byte) (word string, hasSecret bool) {
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		b.Reset()
		b.WriteString(jsonrpc.Quote(string(value)))
	}
	text := phrase.EscapeJSON(WithoutVariables(b.String()))
	if secret.IsRedacted(text) {
		return redacted().ReplaceAllString(text, "{{env.SECRET}}"), true
	}
	return text, false
}

// WithoutVariables escapes what begins a variable in JSON, which can be only in a
// string.
func WithoutVariables(text string) string { return strings.ReplaceAll(text, "{{", `{\u007b`) }

// Variable returns the text that a script replaces by the value of a variable.
func Variable(name string) string { return "{{" + name + "}}" }

// AsVariable turns the escaped text of a variable in a line of [RequestLine] into the variable. A string of the
// params that is only the variable loses its quotes, so that the value can be of any type.
func AsVariable(line, name string) string {
	v := Variable(name)
	line = strings.ReplaceAll(line, `"`+WithoutVariables(v)+`"`, v)
	return strings.ReplaceAll(line, `\`+v, v)
}

// WithoutSecrets replaces the strings of a JSON text that have a redacted secret by the
// placeholder of any string.
func WithoutSecrets(text string) string {
	return redactedString().ReplaceAllString(text, `"<string>"`)
}

// Word quotes a word if necessary. The result contains no variable.
func Word(text string) string { return quotedWord(strings.ReplaceAll(text, "{{", `\{{`)) }

// IsWord reports whether the output of [Word] is read as the same text again: the text has no hidden
// character, such as a line break, and does not begin with @, which stands for a file.
func IsWord(text string) bool {
	return strings.IndexFunc(text, phrase.IsHidden) < 0 && !strings.HasPrefix(text, "@")
}

// quotedWord quotes a word. Variables in it stay.
func quotedWord(text string) string {
	if text != "" && !strings.ContainsAny(text, " \t'#\"{[&!@") && text == oneLine(text) {
		return text
	}
	return "'" + strings.ReplaceAll(oneLine(text), "'", "''") + "'"
}

// oneLine replaces hidden characters, such as line breaks, by spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if phrase.IsHidden(r) {
			return ' '
		}
		return r
	}, text)
}
