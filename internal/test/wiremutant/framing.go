package wiremutant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// A messageChange returns the messages that are sent instead of a message; see [messages].
type messageChange = func(m map[string]any, s *state, later func(d time.Duration, m func() any)) []any

// asText returns an operator that sends a message as another text.
func asText(write func(text string) string) messageChange {
	return func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{raw(write(encoded(m)))}
	}
}

// framing are operators of the text of a message.
var framing = map[string]messageChange{
	"pretty": asText(func(text string) string {
		var b bytes.Buffer
		_ = json.Indent(&b, []byte(text), "", "  ")
		return b.String()
	}),
	"content-length": asText(func(text string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(text), text) }),
	"crlf":           asText(func(text string) string { return text + "\r" }),
	"bom":            asText(func(text string) string { return "\ufeff" + text }),
	"latin1": asText(func(text string) string {
		return strings.Replace(text, `"result":{`, "\"result\":{\"x-latin\":\"caf\xe9\",", 1)
	}),
	"escaped": asText(func(text string) string { return strings.ReplaceAll(text, "/", `\/`) }),
	"spaced":  asText(func(text string) string { return "  " + text + " " }),
	"id-twice": asText(func(text string) string {
		return strings.Replace(text, `"jsonrpc":`, `"id":"twice","jsonrpc":`, 1)
	}),
	"also-method": func(m map[string]any, _ *state, _ func(time.Duration, func() any)) []any {
		return []any{with(m, "method", "tools/list")}
	},
}

// filled returns a value of Arg in which {"$": POINTER} stands for a value of the message.
func filled(v any, m map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		if pointer, ok := v["$"].(string); ok && len(v) == 1 {
			var found any
			_, _ = edited(m, pointer, func(x any) any { found = x; return x })
			return found
		}
		all := map[string]any{}
		for name, child := range v {
			all[name] = filled(child, m)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, child := range v {
			all[i] = filled(child, m)
		}
		return all
	}
	return v
}
