package schemas

import (
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// textIsResult reports texts that are a result or a block of their own.
func textIsResult(c *lint.Context) {
	if !c.M.IsToolResult() {
		return
	}
	for _, b := range blocks(c) {
		if b.kind != "text" {
			continue
		}
		if what := wrapped(jsonrpc.Text(b.raw, "text")); what != "" {
			c.Report(lint.Below(b.at(), "/text"), "what", what)
		}
	}
}

// wrapped describes other content that a text contains in an encoded form, or returns "".
func wrapped(text string) string {
	text = strings.TrimSpace(text)
	for _, kind := range [...]string{"image", "audio"} {
		if head, _, ok := strings.Cut(text, ","); ok && strings.HasPrefix(head, "data:"+kind+"/") && strings.HasSuffix(head, ";base64") {
			return "a data: URI of " + withArticle(kind)
		}
	}
	if !strings.HasPrefix(text, "{") || !jsonrpc.Valid([]byte(text)) {
		return ""
	}
	object := []byte(text)
	switch kind := jsonrpc.Text(object, "type"); {
	case (kind == "image" || kind == "audio") && jsonrpc.Text(object, "data") != "":
		return "a block of " + withArticle(kind) + " as JSON"
	case slices.Contains([]string{"input_required", "complete", "task"}, jsonrpc.Text(object, "resultType")):
		return "a whole result as JSON"
	}
	content, _ := jsonrpc.Member(object, "content")
	for block := range jsonrpc.Elements(content) {
		if slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, jsonrpc.Text(block, "type")) {
			return "a whole result as JSON"
		}
		break
	}
	return ""
}

func withArticle(kind string) string {
	if kind == "image" {
		return "an image"
	}
	return kind
}
