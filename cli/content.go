package cli

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/session/content"
	"mcptea/ui/paint"
)

// printResult prints the result of a tool for people: its content to stdout,
// or to stderr when the tool failed, which it reports. The screen remembers a
// failure to write.
func (p *program) printResult(result []byte) (toolFailed bool) {
	out := p.out
	if v, _ := jsonrpc.Member(result, "isError"); string(v) == "true" {
		toolFailed, out = true, p.err
		fmt.Fprintf(p.err, "%s the tool reports a failure:\n", p.err.bad("mcptea:"))
	}
	content, _ := jsonrpc.Member(result, "content")
	structured, hasStructured := jsonrpc.Member(result, "structuredContent")
	for block := range jsonrpc.Elements(content) {
		if hasStructured && isSameJSON(textOf(block, "text"), structured) {
			continue // shown once, and readable
		}
		printText(out, out.block(block))
	}
	if hasStructured {
		printText(out, out.foreign(indented(structured)))
	}
	if len(content) == 0 && !hasStructured {
		printText(out, out.foreign(indented(result)))
	}
	return toolFailed
}

func printText(out *screen, text string) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, _ = out.Write([]byte(text))
}

// block is one piece of content as people want to see it: texts whole, bytes as
// a line of facts.
func (s *screen) block(raw []byte) string {
	switch textOf(raw, "type") {
	case "text":
		return s.foreign(textOf(raw, "text"))
	case "image", "audio":
		return s.facts(textOf(raw, "type"), textOf(raw, "mimeType"), sizeOf(textOf(raw, "data")))
	case "resource_link":
		return s.facts("link", textOf(raw, "uri"), textOf(raw, "name"), textOf(raw, "mimeType"), textOf(raw, "description"))
	case "resource":
		inner, _ := jsonrpc.Member(raw, "resource")
		head := []string{textOf(inner, "uri"), textOf(inner, "mimeType")}
		if blob := textOf(inner, "blob"); blob != "" {
			return s.facts("resource", append(head, sizeOf(blob))...)
		}
		return s.facts("resource", head...) + "\n" + s.foreign(textOf(inner, "text"))
	}
	return s.foreign(indented(raw))
}

func (s *screen) facts(what string, facts ...string) string {
	line := s.faint("[" + what + "]")
	for _, f := range facts {
		if f != "" {
			line += "  " + paint.Sanitize(f)
		}
	}
	return line
}

func sizeOf(data string) string {
	n, err := base64.StdEncoding.Decode(make([]byte, base64.StdEncoding.DecodedLen(len(data))), []byte(data))
	if err != nil {
		return "not base64, " + paint.HumanSize(int64(len(data)))
	}
	return paint.HumanSize(int64(n))
}

func textOf(object []byte, name string) string {
	v, _ := jsonrpc.Member(object, name)
	text, _ := jsonrpc.Unquote(v)
	return text
}

// indented lays JSON out over lines and leaves every token as it was.
func indented(raw []byte) string { return content.Indented(raw) }

// isSameJSON reports whether a text is a value written in JSON, spaces aside.
func isSameJSON(text string, value []byte) bool {
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(text)) == nil && json.Compact(&b, value) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}
