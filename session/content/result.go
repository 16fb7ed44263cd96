package content

import (
	"bytes"
	"encoding/json"
	"strings"

	"mcptea/client/jsonrpc"
)

// maxRepeated is how long a text may be to be compared with the structured
// content.
const maxRepeated = 1 << 20

// Parse takes the result of a method apart. A result whose form is not that of
// the protocol is one [JSON].
func Parse(method string, result []byte) []Part {
	var parts []Part
	switch method {
	case "tools/call":
		parts = toolResult(result)
	case "resources/read":
		if list, ok := array(result, "contents"); ok {
			parts = contents(list)
		}
	case "prompts/get":
		parts = promptResult(result)
	}
	if parts == nil {
		return []Part{JSON{result}}
	}
	return parts
}

// ToolFailed reports whether the result of a tool has isError.
func ToolFailed(result []byte) bool {
	v, _ := jsonrpc.Member(result, "isError")
	return string(v) == "true"
}

func toolResult(raw []byte) []Part {
	list, ok := array(raw, "content")
	structured, has := jsonrpc.Member(raw, "structuredContent")
	if !ok && !has {
		return nil
	}
	var parts []Part
	failed := ToolFailed(raw)
	if failed {
		parts = append(parts, Heading{Role: OfToolError, Name: "tool error"})
	}
	alone := len(list) == 1 && !has
	for i, b := range list {
		if has && repeats(b, structured) {
			continue // the specification asks for both; shown once
		}
		if len(parts) > 0 && (i > 0 || !alone) {
			parts = append(parts, Gap{})
		}
		parts = append(parts, block(b, alone, failed)...)
	}
	if has {
		if len(parts) > 0 {
			parts = append(parts, Gap{})
		}
		parts = append(parts, Heading{Name: "structured content", Plain: true}, JSON{structured})
	}
	if len(parts) == 0 {
		parts = append(parts, Note{Text: "the result has no content", Trusted: true})
	}
	return parts
}

// repeats reports whether a text block is the structured content once more.
func repeats(block, structured []byte) bool {
	s := member(block, "text")
	if member(block, "type") != "text" || len(s) > maxRepeated {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(s)) == nil && json.Compact(&b, structured) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}

func contents(list [][]byte) []Part {
	if len(list) == 0 {
		return []Part{Note{Text: "the resource has no contents", Trusted: true}}
	}
	var parts []Part
	for i, c := range list {
		if i > 0 {
			parts = append(parts, Gap{})
		}
		parts = append(parts, resource("", c, len(list) == 1)...)
	}
	return parts
}

func promptResult(raw []byte) []Part {
	list, ok := array(raw, "messages")
	if !ok {
		return nil
	}
	var parts []Part
	if d := member(raw, "description"); d != "" {
		parts = append(parts, Note{Text: d}, Gap{})
	}
	for i, m := range list {
		if i > 0 {
			parts = append(parts, Gap{})
		}
		role := OfContent
		if member(m, "role") == "assistant" {
			role = OfAssistant
		}
		parts = append(parts, Heading{Role: role, Name: member(m, "role")})
		c, _ := jsonrpc.Member(m, "content")
		blocks := [][]byte{c}
		if l, ok := array(m, "content"); ok {
			blocks = l // not in the specification, but understood
		}
		for _, b := range blocks {
			parts = append(parts, block(b, true, false)...)
		}
	}
	if len(list) == 0 {
		parts = append(parts, Note{Text: "the prompt has no messages", Trusted: true})
	}
	return parts
}

// Contents is one of the contents of a resource.
type Contents struct {
	MIME   string
	Data   []byte // of a text in UTF-8
	IsText bool
	Err    error // why Data is not known
}

// ContentsOf reads the contents of a resource from a result of resources/read.
func ContentsOf(result []byte) []Contents {
	list, _ := array(result, "contents")
	all := make([]Contents, len(list))
	for i, raw := range list {
		c := Contents{MIME: member(raw, "mimeType")}
		if v, ok := jsonrpc.Member(raw, "text"); ok {
			var s string
			if s, c.IsText = jsonrpc.Unquote(v); !c.IsText {
				c.Err = errNoText
			}
			c.Data = []byte(s)
		} else if v, ok := jsonrpc.Member(raw, "blob"); ok {
			c.Data, c.Err = decode(v)
		} else {
			c.Err = errNoData
		}
		all[i] = c
	}
	return all
}

// member gives a string member of an object, empty when it is missing.
func member(object []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(object, name, more...)
	s, _ := jsonrpc.Unquote(v)
	return s
}

func array(raw []byte, name string) ([][]byte, bool) {
	v, ok := jsonrpc.Member(raw, name)
	if !ok || len(v) == 0 || v[0] != '[' {
		return nil, false
	}
	var list [][]byte
	for e := range jsonrpc.Elements(v) {
		list = append(list, e)
	}
	return list, true
}

// TrimmedJSON is a text that is JSON without the white space around it.
func (t Text) TrimmedJSON() []byte { return []byte(strings.TrimSpace(t.Text)) }
