package inbox

import (
	"encoding/base64"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/ui/paint"
)

// mostMessages bounds what is shown of a conversation.
const mostMessages = 200

// sampled says in words what a sampling request asks for. why says what about
// it is not as the protocol has it.
func sampled(params []byte) (facts []fact, note, why string) {
	messages, ok := jsonrpc.Member(params, "messages")
	if !ok || len(messages) == 0 || messages[0] != '[' {
		return nil, "", "it has no messages"
	}
	if system, ok := str(params, "systemPrompt"); ok {
		facts = append(facts, fact{label: "system", text: system})
	}
	n := 0
	for m := range jsonrpc.Elements(messages) {
		role, ok := str(m, "role")
		content, there := jsonrpc.Member(m, "content")
		if !ok || !there || len(content) == 0 || content[0] != '{' && content[0] != '[' {
			return nil, "", "a message has no role or no content"
		}
		if n++; n <= mostMessages {
			facts = append(facts, message(role, content)...)
		}
	}
	if n > mostMessages {
		facts = append(facts, fact{text: "and " + paint.HumanCount(n-mostMessages) + " more messages", tone: quiet})
	}
	if wishes := wishesOf(params); len(wishes) > 0 {
		facts = append(append(facts, fact{}), wishes...)
	}
	if most, ok := jsonrpc.Member(params, "maxTokens"); ok {
		note = "max " + paint.Sanitize(string(most)) + " tokens"
	}
	return facts, note, ""
}

// message says what one message holds: text as text, all else as facts.
func message(role string, content []byte) []fact {
	tone := quiet
	switch role {
	case "user":
		tone = user
	case "assistant":
		tone = assistant
	}
	if content[0] == '{' {
		return []fact{{label: role, text: block(content), tone: tone}}
	}
	var facts []fact
	for b := range jsonrpc.Elements(content) {
		facts = append(facts, fact{label: role, text: block(b), tone: tone})
		role = ""
	}
	if facts == nil {
		return []fact{{label: role, text: "nothing", tone: quiet}}
	}
	return facts
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

// wishesOf are the wishes about the model and its answer.
func wishesOf(params []byte) []fact {
	var facts []fact
	add := func(label string, words []string) {
		if len(words) > 0 {
			facts = append(facts, fact{label: label, text: strings.Join(words, "   "), tone: plain})
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
	var answer []string
	for _, w := range [][2]string{{"temperature", "temperature"}, {"stopSequences", "stops at"}} {
		if v, ok := jsonrpc.Member(params, w[0]); ok {
			answer = append(answer, w[1]+" "+string(v))
		}
	}
	if v, ok := str(params, "includeContext"); ok && v != "none" {
		answer = append(answer, "context of "+v)
	}
	add("answer", answer)
	add("tools", toolsOf(params))
	return facts
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
