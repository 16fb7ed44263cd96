package content

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/session"
)

// member gives a string member of an object, empty when there is none.
func member(object []byte, name string, more ...string) string {
	v, _ := jsonrpc.Member(object, name, more...)
	s, _ := jsonrpc.Unquote(v)
	return s
}

// result takes a result apart. What the protocol does not know of stays JSON.
func result(method string, raw []byte) []part {
	var parts []part
	switch method {
	case "tools/call":
		parts = toolResult(raw)
	case "resources/read":
		if list, ok := array(raw, "contents"); ok {
			parts = contents(list)
		}
	case "prompts/get":
		parts = promptResult(raw)
	}
	if parts == nil {
		return []part{newJSON(raw)}
	}
	return parts
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

func toolResult(raw []byte) []part {
	list, ok := array(raw, "content")
	structured, has := jsonrpc.Member(raw, "structuredContent")
	if !ok && !has {
		return nil
	}
	var parts []part
	if failed, _ := jsonrpc.Member(raw, "isError"); string(failed) == "true" {
		parts = append(parts, heading{doubtful, "tool error", []string{"the tool ran and says that it failed"}})
	}
	failed := len(parts) > 0
	alone := len(list) == 1 && !has
	for i, b := range list {
		if has && repeats(b, structured) {
			continue // the specification wants it twice; once is enough here
		}
		if len(parts) > 0 && (i > 0 || !alone) {
			parts = append(parts, gap{})
		}
		parts = append(parts, block(b, alone, failed)...)
	}
	if has {
		if len(parts) > 0 {
			parts = append(parts, gap{})
		}
		parts = append(parts, heading{name: "structured content"}, newJSON(structured))
	}
	if len(parts) == 0 {
		parts = append(parts, note{text: "the result has no content"})
	}
	return parts
}

// repeats reports whether a text block is the structured content once more.
func repeats(block, structured []byte) bool {
	s := member(block, "text")
	if member(block, "type") != "text" || len(s) > 1<<20 {
		return false
	}
	var a, b bytes.Buffer
	return json.Compact(&a, []byte(s)) == nil && json.Compact(&b, structured) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}

func contents(list [][]byte) []part {
	if len(list) == 0 {
		return []part{note{text: "the resource has no contents"}}
	}
	var parts []part
	for i, c := range list {
		if i > 0 {
			parts = append(parts, gap{})
		}
		parts = append(parts, resource("", c)...)
	}
	return parts
}

func promptResult(raw []byte) []part {
	list, ok := array(raw, "messages")
	if !ok {
		return nil
	}
	var parts []part
	if d := member(raw, "description"); d != "" {
		parts = append(parts, note{text: d}, gap{})
	}
	for i, m := range list {
		if i > 0 {
			parts = append(parts, gap{})
		}
		role := good
		if member(m, "role") != "assistant" {
			role = plain
		}
		parts = append(parts, heading{role, member(m, "role"), nil})
		c, _ := jsonrpc.Member(m, "content")
		blocks := [][]byte{c}
		if l, ok := array(m, "content"); ok {
			blocks = l // not what the specification says, and understood all the same
		}
		for _, b := range blocks {
			parts = append(parts, block(b, true, false)...)
		}
	}
	if len(list) == 0 {
		parts = append(parts, note{text: "the prompt has no messages"})
	}
	return parts
}

// newJSON shows JSON on lines of its own, as it was spelt.
func newJSON(raw []byte) part {
	if !json.Valid(raw) {
		return newText(string(raw))
	}
	return jsonText{newText(string(jsonrpc.Indent(raw)))}
}

// protocolError shows an error that the server answered with.
func protocolError(err error) []part {
	var e *client.RPCError
	if !errors.As(err, &e) {
		return failure(err)
	}
	parts := []part{
		heading{bad, "error " + strconv.FormatInt(e.Code, 10), []string{"an error of the protocol, the answer is no result"}},
		newText(e.Message),
	}
	if e.Data != nil {
		parts = append(parts, gap{}, heading{name: "data"}, newJSON(e.Data))
	}
	return parts
}

// failure shows why there is no answer.
func failure(err error) []part {
	by := "by the server"
	if errors.Is(err, session.ErrCancelled) {
		by = "by you"
	}
	switch {
	case errors.Is(err, client.ErrTaskCancelled):
		return []part{heading{doubtful, "cancelled", []string{by}}, note{text: "The task was cancelled: it has no result."}}
	case errors.Is(err, session.ErrTaskGoesOn):
		return []part{
			heading{doubtful, "given up", []string{by}},
			note{text: "The task could not be cancelled and goes on; what comes of it stands among the tasks."},
		}
	case errors.Is(err, session.ErrCancelled):
		return []part{
			heading{doubtful, "cancelled", []string{"by you"}},
			note{text: "The server was told. An answer that comes all the same stands in the traffic, marked late."},
		}
	}
	name := "no answer"
	var timeout *client.TimeoutError
	if errors.As(err, &timeout) {
		name = "timed out"
	}
	return []part{heading{role: bad, name: name}, newText(err.Error())}
}
