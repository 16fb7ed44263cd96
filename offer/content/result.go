package content

import (
	"mcptea/client/jsonrpc"
	"mcptea/internal/words/phrase"
)

// maxRepeated is the maximum size of a text that is compared with the structured content.
const maxRepeated = 1 << 20

// empty is the note about a result without content, by method.
var empty = map[string]string{
	"tools/call":     "the result has no content",
	"resources/read": "the resource has no contents",
	"prompts/get":    "the prompt has no messages",
}

// Parse splits the result of a method into parts. A result without the form that the protocol requires becomes
// one [JSON]. A text that only repeats the structured content is left out.
func Parse(method string, result []byte) []Part {
	groups, more, ok := groupsOf(method, result)
	structured, has := jsonrpc.Member(result, "structuredContent")
	has = has && method == "tools/call"
	if !ok && !has {
		_, later := jsonrpc.Member(result, "task")
		_, other := jsonrpc.Member(result, "resultType")
		_, wrong := jsonrpc.Member(result, "content")
		if method == "tools/call" && !later && !other && !wrong {
			return []Part{Note{Text: "the result has neither content nor structuredContent: most clients refuse it", Trusted: true}, JSON{result}}
		}
		return []Part{JSON{result}}
	}
	var parts []Part
	failed := method == "tools/call" && ToolFailed(result)
	if failed {
		parts = append(parts, Heading{Role: OfToolError, Name: "tool error"})
	}
	if d := jsonrpc.Text(result, "description"); d != "" && method == "prompts/get" {
		parts = append(parts, Note{Text: d}, Gap{})
	}
	alone := len(groups) == 1 && !has
	for i, g := range groups {
		if has && repeats(&g.blocks[0], structured) {
			continue // the specification requires both; shown once
		}
		if len(parts) > 0 && (i > 0 || failed && !alone) {
			parts = append(parts, Gap{})
		}
		if g.message != nil {
			role := OfContent
			if jsonrpc.Text(g.message, "role") == "assistant" {
				role = OfAssistant
			}
			parts = append(parts, Heading{Role: role, Name: jsonrpc.Text(g.message, "role")})
		}
		for _, it := range g.blocks {
			parts = append(parts, it.parts(alone || g.message != nil, failed)...)
		}
	}
	if more > 0 {
		parts = append(parts, Gap{}, Note{Text: phrase.Count(more, "further block") + " not shown: the frame has all", Trusted: true})
	}
	if has {
		if len(parts) > 0 {
			parts = append(parts, Gap{})
		}
		parts = append(parts, Heading{Name: "structured content", Plain: true}, JSON{structured})
	} else if len(groups) == 0 && !failed {
		parts = append(parts, Note{Text: empty[method], Trusted: true})
	}
	return parts
}

// ToolFailed reports whether the result of a tool has isError.
func ToolFailed(result []byte) bool {
	v, _ := jsonrpc.Member(result, "isError")
	return string(v) == "true"
}

// repeats reports whether a text block repeats the structured content.
func repeats(it *Item, structured []byte) bool {
	if it.Kind != "text" || len(it.text) > 6*maxRepeated { // a character has at most 6 bytes in a token
		return false
	}
	s, _ := jsonrpc.Unquote(it.text)
	if len(s) > maxRepeated {
		return false
	}
	return jsonrpc.Valid([]byte(s)) && jsonrpc.Equal([]byte(s), structured)
}
