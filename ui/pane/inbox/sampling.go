package inbox

import (
	"encoding/base64"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/paint"
)

// maxMessages is how many messages of a conversation are shown.
const maxMessages = 200

// samplingLines shows a sampling request. problem says why it is not valid.
func samplingLines(params []byte) (lines []line, note, problem string) {
	messages, ok := jsonrpc.Member(params, "messages")
	if !ok || len(messages) == 0 || messages[0] != '[' {
		return nil, "", "Invalid request: it has no messages."
	}
	if system, ok := str(params, "systemPrompt"); ok {
		lines = append(lines, line{label: "system", text: system})
	}
	n := 0
	for m := range jsonrpc.Elements(messages) {
		role, ok := str(m, "role")
		content, there := jsonrpc.Member(m, "content")
		if !ok || !there || len(content) == 0 || content[0] != '{' && content[0] != '[' {
			return nil, "", "Invalid request: a message has no role or no content."
		}
		if n++; n <= maxMessages {
			lines = append(lines, message(role, content)...)
		}
	}
	if n > maxMessages {
		lines = append(lines, line{text: "and " + paint.Plural(n-maxMessages, "more message"), style: muted})
	}
	if more := preferences(params); len(more) > 0 {
		lines = append(append(lines, line{}), more...)
	}
	if n, ok := jsonrpc.Member(params, "maxTokens"); ok {
		note = "max " + paint.Sanitize(string(n)) + " tokens"
	}
	return lines, note, ""
}

// message shows one message: text as it is, everything else in short.
func message(role string, content []byte) []line {
	st := muted
	switch role {
	case "user":
		st = user
	case "assistant":
		st = assistant
	}
	if content[0] == '{' {
		return []line{{label: role, text: block(content), style: st}}
	}
	var lines []line
	for b := range jsonrpc.Elements(content) {
		lines = append(lines, line{label: role, text: block(b), style: st})
		role = ""
	}
	if lines == nil {
		return []line{{label: role, text: "(empty)", style: muted}}
	}
	return lines
}

func block(raw []byte) string {
	kind, _ := str(raw, "type")
	switch kind {
	case "text":
		text, _ := str(raw, "text")
		return text
	case "image", "audio":
		mime, _ := str(raw, "mimeType")
		data, _ := str(raw, "data")
		size := int64(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "="))))
		return "[" + kind + "]  " + mime + "  " + paint.HumanSize(size)
	case "tool_use":
		name, _ := str(raw, "name")
		input, _ := jsonrpc.Member(raw, "input")
		return "uses " + name + " " + string(input)
	case "tool_result":
		id, _ := str(raw, "toolUseId")
		content, _ := jsonrpc.Member(raw, "content")
		texts := make([]string, 0, 1)
		for b := range jsonrpc.Elements(content) {
			texts = append(texts, block(b))
		}
		return "result of " + id + ": " + strings.Join(texts, "\n")
	}
	return string(raw)
}

// preferences shows what the server prefers of the model and of its response.
func preferences(params []byte) []line {
	var lines []line
	add := func(label string, words []string) {
		if len(words) > 0 {
			lines = append(lines, line{label: label, text: strings.Join(words, "   ")})
		}
	}
	prefer, _ := jsonrpc.Member(params, "modelPreferences")
	var model, hints []string
	if list, ok := jsonrpc.Member(prefer, "hints"); ok {
		for h := range jsonrpc.Elements(list) {
			if name, ok := str(h, "name"); ok {
				hints = append(hints, name)
			}
		}
	}
	if hints != nil {
		model = append(model, "hints: "+strings.Join(hints, ", "))
	}
	for _, w := range [][2]string{{"costPriority", "cost"}, {"speedPriority", "speed"}, {"intelligencePriority", "intelligence"}} {
		if v, ok := jsonrpc.Member(prefer, w[0]); ok {
			model = append(model, w[1]+" "+string(v))
		}
	}
	add("model", model)
	var settings []string
	for _, w := range [][2]string{{"temperature", "temperature"}, {"stopSequences", "stop at"}} {
		if v, ok := jsonrpc.Member(params, w[0]); ok {
			settings = append(settings, w[1]+" "+string(v))
		}
	}
	if v, ok := str(params, "includeContext"); ok && v != "none" {
		settings = append(settings, "context "+v)
	}
	add("settings", settings)
	add("tools", toolsOf(params))
	return lines
}

func toolsOf(params []byte) []string {
	var names []string
	list, _ := jsonrpc.Member(params, "tools")
	for t := range jsonrpc.Elements(list) {
		if name, ok := str(t, "name"); ok {
			names = append(names, name)
		}
	}
	if mode, ok := str(params, "toolChoice", "mode"); ok {
		names = append(names, "("+mode+")")
	}
	return names
}
