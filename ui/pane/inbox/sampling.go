package inbox

import (
	"encoding/base64"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/internal/words/display"
	"mcptea/internal/words/phrase"
	"mcptea/ui/doc"
	"mcptea/ui/paint"
)

// maxMessages is the number of messages shown of a conversation.
const maxMessages = 200

// readSampling returns a note for the border, and why a sampling request is not valid.
func readSampling(params []byte) (note, problem string) {
	messages, ok := jsonrpc.Member(params, "messages")
	if !ok || len(messages) == 0 || messages[0] != '[' {
		return "", "Invalid request: it has no messages."
	}
	for m := range jsonrpc.Elements(messages) {
		_, ok := str(m, "role")
		content, there := jsonrpc.Member(m, "content")
		if !ok || !there || len(content) == 0 || content[0] != '{' && content[0] != '[' {
			return "", "Invalid request: a message has no role or no content."
		}
	}
	if n, ok := jsonrpc.Member(params, "maxTokens"); ok {
		note = "max " + display.Sanitize(string(n)) + " tokens"
	}
	return note, ""
}

// conversation adds the messages of a sampling request, and the server's preferences.
func (e *entry) conversation(d *doc.Doc) {
	fact(d, "system", d.Pal.Text, jsonrpc.Text(e.params, "systemPrompt"))
	n := 0
	for m := range jsonrpc.Elements(jsonrpc.Get(e.params, "messages")) {
		if n++; n <= maxMessages && d.Wants() <= maxRows {
			message(d, jsonrpc.Text(m, "role"), jsonrpc.Get(m, "content"))
		}
	}
	if n > maxMessages {
		fact(d, "", d.Pal.Muted, "and "+phrase.Count(n-maxMessages, "more message"))
	}
	preferences(d, e.params)
}

// message adds one message: text literally, anything else in short.
func message(d *doc.Doc, role string, content []byte) {
	st, ok := map[string]paint.Style{"user": d.Pal.Value, "assistant": d.Pal.OK}[role]
	if !ok {
		st = d.Pal.Muted
	}
	label := paint.Span{Style: st, Text: paint.Pad(d.Pal.Cut(display.Sanitize(role), marginWidth-2), marginWidth)}
	add := func(text string) {
		d.Sign(label, d.Pal.Text, text, maxRows+1)
		label.Text = paint.Pad("", marginWidth)
	}
	if content[0] == '{' {
		add(block(content))
		return
	}
	empty := true
	for b := range jsonrpc.Elements(content) {
		add(block(b))
		empty = false
	}
	if empty {
		fact(d, role, d.Pal.Muted, "(empty)")
	}
}

func block(raw []byte) string {
	switch kind := jsonrpc.Text(raw, "type"); kind {
	case "text":
		return jsonrpc.Text(raw, "text")
	case "image", "audio":
		data, _ := str(raw, "data")
		size := int64(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "="))))
		return "[" + kind + "]  " + jsonrpc.Text(raw, "mimeType") + "  " + phrase.Size(size)
	case "tool_use":
		return "uses " + jsonrpc.Text(raw, "name") + " " + string(jsonrpc.Get(raw, "input"))
	case "tool_result":
		texts := make([]string, 0, 1)
		for b := range jsonrpc.Elements(jsonrpc.Get(raw, "content")) {
			texts = append(texts, block(b))
		}
		return "result of " + jsonrpc.Text(raw, "toolUseId") + ": " + strings.Join(texts, "\n")
	}
	return string(raw)
}

// preferences adds the server's preferences for the model and its response.
func preferences(d *doc.Doc, params []byte) {
	first := true
	add := func(label string, words []string) {
		if first && len(words) > 0 {
			d.Blank()
			first = false
		}
		fact(d, label, d.Pal.Text, strings.Join(words, "   "))
	}
	prefer, _ := jsonrpc.Member(params, "modelPreferences")
	var model []string
	if hints := namesOf(prefer, "hints"); hints != nil {
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
	tools := namesOf(params, "tools")
	if mode, ok := str(params, "toolChoice", "mode"); ok {
		tools = append(tools, "("+mode+")")
	}
	add("tools", tools)
}

// namesOf returns the names of the elements of a member.
func namesOf(object []byte, member string) (names []string) {
	for element := range jsonrpc.Elements(jsonrpc.Get(object, member)) {
		if name, ok := str(element, "name"); ok {
			names = append(names, name)
		}
	}
	return names
}
