package schemas

import (
	"reflect"
	"slices"

	"mcptea/client/jsonrpc"
	"mcptea/session/lint"
)

// How the text blocks of a result compare with its structured content.
const (
	textsUnrelated = iota
	textsSame
	textsDiffer
)

// compareStructured compares structured content with the texts beside it.
func compareStructured(c *lint.Context) (structured any, comparison int) {
	raw := jsonrpc.Get(c.M.Result, "structuredContent")
	if raw == nil || raw[0] == 'n' || !c.M.IsToolResult() || lint.IsToolError(c.M.Result) {
		return nil, textsUnrelated
	}
	structured, ok := lint.DecodeJSON(raw)
	if !ok {
		return nil, textsUnrelated
	}
	texts := slices.Collect(lint.TextBlocks(c.M.Result))
	if isWrappedText(structured, texts) {
		return structured, textsSame
	}
	others := 0
	for _, text := range texts {
		if s, ok := structured.(string); ok && s == text {
			return structured, textsSame
		}
		value, ok := lint.DecodeJSON([]byte(text))
		switch {
		case !ok:
		case reflect.DeepEqual(value, structured):
			return structured, textsSame
		case isContainer(value) && reflect.TypeOf(value) == reflect.TypeOf(structured):
			others++
		}
	}
	// Several texts may well be parts of the whole.
	if others == 1 {
		return structured, textsDiffer
	}
	return structured, textsUnrelated
}

// isWrappedText reports an object that only wraps the texts: SDKs make {"result":
// …} of values and lists, because before 2026-07-28 it must be an object.
func isWrappedText(structured any, texts []string) bool {
	object, ok := structured.(map[string]any)
	if !ok || len(object) != 1 {
		return false
	}
	var inner any
	for _, inner = range object {
		break
	}
	equals := func(text string, v any) bool {
		if s, ok := v.(string); ok {
			return s == text
		}
		value, ok := lint.DecodeJSON([]byte(text))
		return ok && reflect.DeepEqual(value, v)
	}
	if len(texts) == 1 && (equals(texts[0], inner) || inner == nil) {
		return true
	}
	list, ok := inner.([]any)
	if !ok || len(list) != len(texts) {
		return false
	}
	for i, v := range list {
		if !equals(texts[i], v) {
			return false
		}
	}
	return true
}

func isContainer(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}
