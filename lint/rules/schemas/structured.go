package schemas

import (
	"bytes"
	"slices"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/lint"
)

// structuredTexts is the result of comparing the text blocks of the newest result with its structured content.
type structuredTexts int

const (
	nothingStructured structuredTexts = iota
	textsUnrelated
	textsSame
	textsDiffer
)

// watchStructured compares structured content with the texts next to it. It decodes neither unless they may be
// equal.
func watchStructured(c *lint.Context) {
	found := lint.Own[structuredTexts](c.St)
	*found = nothingStructured
	raw := c.M.Get(c.M.Result, "structuredContent")
	if raw == nil || isVoid(raw) || !c.M.IsToolResult() || c.M.IsToolError() {
		return
	}
	content := c.M.Get(c.M.Result, "content")
	blocks := jsonrpc.MeaningOf(content)
	for _, value := range jsonrpc.Members(raw) {
		if content != nil && blocks.Is(value) { // the blocks themselves, of whatever type
			*found = textsSame
			return
		}
	}
	texts := slices.Collect(c.M.TextBlocks())
	*found = compareStructured(raw, texts)
}

// isVoid reports whether a value has no data: null, an empty list, text or object, or a container of only
// those. A text such as "nothing found" counts as data. isVoid reads the bytes once, up to the first datum.
func isVoid(raw []byte) bool {
	for len(raw) > 0 {
		switch raw[0] {
		case '{', '}', '[', ']', ':', ',', ' ', '\t', '\r', '\n':
			raw = raw[1:]
		case 'n':
			raw = raw[min(len("null"), len(raw)):]
		case '"':
			size := 1
			for size < len(raw) && raw[size] != '"' {
				if raw[size] == '\\' {
					size++
				}
				size++
			}
			size = min(size+1, len(raw))
			after := bytes.TrimLeft(raw[size:], " \t\r\n")
			if isName := len(after) > 0 && after[0] == ':'; !isName && size > len(`""`) {
				return false
			}
			raw = after
		default:
			return false
		}
	}
	return true
}

func compareStructured(raw []byte, texts []string) structuredTexts {
	if isWrappedText(raw, texts) {
		return textsSame
	}
	others, whole := 0, jsonrpc.MeaningOf(raw)
	for _, text := range texts {
		if isText(&whole, text) {
			return textsSame
		}
		switch value, _ := lint.DecodeJSON([]byte(text)); value.(type) {
		case map[string]any:
			if raw[0] == '{' {
				others++
			}
		case []any:
			if raw[0] == '[' {
				others++
			}
		}
	}
	// Several texts may well be parts of the whole.
	if others == 1 {
		return textsDiffer
	}
	return textsUnrelated
}

// isWrappedText reports an object that only wraps the texts: SDKs make {"result":
// …} of values and lists, because before 2026-07-28 it must be an object.
func isWrappedText(raw []byte, texts []string) bool {
	if raw[0] != '{' || jsonrpc.Count(raw) != 1 {
		return false
	}
	for _, inner := range jsonrpc.Members(raw) {
		raw = inner
	}
	if inner := jsonrpc.MeaningOf(raw); len(texts) == 1 && (raw[0] == 'n' || isText(&inner, texts[0])) {
		return true
	}
	if raw[0] != '[' {
		return false
	}
	n := 0
	for element := range jsonrpc.Elements(raw) {
		value := jsonrpc.MeaningOf(element)
		if n == len(texts) || !isText(&value, texts[n]) {
			return false
		}
		n++
	}
	return n == len(texts)
}

// isText reports whether a text states a value: a string literally, anything else as JSON.
func isText(value *jsonrpc.Meaning, text string) bool {
	raw := value.Raw()
	if raw[0] == '"' {
		if s, ok := jsonrpc.Unquote(raw); ok && s == text {
			return true
		}
	}
	if isJSON(value, text) {
		return true
	}
	// The JSON may follow a line in words.
	from, to := strings.IndexByte(text, raw[0]), strings.LastIndexByte(text, raw[len(raw)-1])
	return (raw[0] == '{' || raw[0] == '[') && from >= 0 && to > from && isJSON(value, text[from:to+1])
}

func isJSON(value *jsonrpc.Meaning, text string) bool {
	_, ok := lint.DecodeJSON([]byte(text))
	return ok && value.Is([]byte(text))
}
