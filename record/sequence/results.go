package sequence

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

// lists names the results that are best summarized by their length.
var lists = []string{"tools", "resources", "resourceTemplates", "prompts", "skills", "roots", "tasks"}

// result summarizes the content of a result.
func (t *teller) result(method string, result []byte) (text string, quoted bool) {
	for _, member := range lists {
		if v, ok := jsonrpc.Start(result, member); ok && len(v) > 0 && v[0] == '[' {
			return listText(member, v, result), false
		}
	}
	if v, ok := jsonrpc.Start(result, "events"); ok && len(v) > 0 && v[0] == '[' && strings.HasPrefix(method, "events/") {
		if method == revision.EventsList {
			return strings.Replace(listText("events", v, result), "event", "event type", 1), false
		}
		return listText("events", v, result), false
	}
	switch method {
	case revision.EventsSubscribe:
		id, _ := jsonrpc.Start(result, "id")
		until, _ := jsonrpc.Start(result, "refreshBefore")
		if text = loose(id); text != "" && until != nil {
			return text + ", refreshBefore " + loose(until), false
		}
	case client.MethodElicitation:
		action, _ := jsonrpc.Start(result, "action")
		content, _ := jsonrpc.Start(result, "content")
		return strings.TrimSpace(loose(action) + "  " + inWords(content)), false
	case client.MethodSampling:
		if v, ok := jsonrpc.Start(result, "content", "text"); ok {
			return loose(v), true
		}
	}
	if v, ok := jsonrpc.Start(result, "serverInfo", "name"); ok {
		revision, _ := jsonrpc.Start(result, "protocolVersion")
		version, _ := jsonrpc.Start(result, "serverInfo", "version")
		if text = loose(revision); text != "" {
			text += ", "
		}
		return text + loose(v) + " " + loose(version), false
	}
	if v, ok := jsonrpc.Start(result, "_meta", revision.MetaServerInfo, "name"); ok && method == "server/discover" {
		version, _ := jsonrpc.Start(result, "_meta", revision.MetaServerInfo, "version")
		return strings.TrimSpace(loose(v) + " " + loose(version)), false
	}
	if v, ok := jsonrpc.Start(result, "resultType"); ok && jsonrpc.IsText(v, "input_required") {
		return "asks for " + inputs(result), false
	}
	if v, ok := jsonrpc.Start(result, "task"); ok && method == "tools/call" {
		return "became a task: " + taskText(v), false
	}
	if v, ok := jsonrpc.Start(result, "resultType"); ok && loose(v) == "task" && method == "tools/call" {
		return "became a task: " + taskText(result), false
	}
	if text := taskText(result); text != "" && (method == "tasks/get" || method == "tasks/cancel") {
		return text, false
	}
	for _, member := range []string{"content", "contents"} {
		if v, ok := jsonrpc.Start(result, member); ok {
			return t.content(v, result)
		}
	}
	if v, ok := jsonrpc.Start(result, "messages"); ok {
		return counted(count(v), "messages"), false
	}
	if v, ok := jsonrpc.Start(result, "completion"); ok && method == "completion/complete" {
		return t.completion(v), false
	}
	if len(result) > 0 && result[0] == '"' {
		return loose(result), true
	}
	return t.value(result, 0), false
}

// inputs summarizes the input that a result requests.
func inputs(result []byte) string {
	requests, ok := jsonrpc.Start(result, "inputRequests")
	if !ok {
		return "a retry with its state"
	}
	var said []string
	for name, request := range jsonrpc.Members(requests) {
		method, _ := jsonrpc.Start(request, "method")
		kind, _, _ := strings.Cut(loose(method), "/")
		said = append(said, fmt.Sprintf("%s %q", kind, name))
	}
	if len(said) == 0 {
		return "nothing"
	}
	return strings.Join(said, ", ")
}

// taskText returns the status of a task and the server's message about it.
func taskText(task []byte) string {
	status, _ := jsonrpc.Start(task, "status")
	message, _ := jsonrpc.Start(task, "statusMessage")
	text := strings.TrimSpace(loose(status) + "  " + loose(message))
	if requests, ok := jsonrpc.Start(task, "inputRequests"); ok {
		var keys []string
		for name := range jsonrpc.Members(requests) {
			keys = append(keys, string(name))
		}
		text += "  asks for " + strings.Join(keys, ", ")
	}
	return text
}

func listText(member string, list, result []byte) string {
	text := counted(count(list), nameOf(member))
	if _, more := jsonrpc.Member(result, "nextCursor"); more {
		text += ", more"
	}
	return text
}

// nameOf returns the plural of the items of a list, from the name of its member.
func nameOf(member string) string {
	return strings.Replace(member, "resourceTemplates", "templates", 1)
}

// counted puts a number before a plural: "1 tool", "2 tools".
func counted(n, plural string) string {
	if n == "1" {
		plural = strings.TrimSuffix(plural, "s")
	}
	return n + " " + plural
}

// count returns the number of visible elements. A list that is cut off has more.
func count(list []byte) string {
	n := 0
	for range jsonrpc.Elements(list) {
		n++
	}
	if jsonrpc.Scan(list).Fault != jsonrpc.FaultNone {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}

// completion returns the number of values a completion has, and which.
func (t *teller) completion(completion []byte) string {
	values, _ := jsonrpc.Start(completion, "values")
	text := t.value(values, 0)
	if total, ok := jsonrpc.Member(completion, "total"); ok && string(total) != count(values) {
		if n, rest, found := strings.Cut(text, " "); found {
			text = n + " of " + string(total) + " " + rest
		}
	}
	return text
}

// content returns the first content block and the number of blocks. If no block has text, it returns the
// structured content.
func (t *teller) content(list, result []byte) (text string, quoted bool) {
	structured, _ := jsonrpc.Start(result, "structuredContent")
	if string(list) == "[]" && len(structured) == 0 {
		return "no content", false
	}
	if len(list) == 0 || list[0] != '[' || string(list) == "[]" {
		if len(structured) > 0 {
			list = structured
		}
		return t.value(list, 0), false
	}
	first := bytes.TrimSpace(list[1:])
	more := ""
	n := 0
	for range jsonrpc.Elements(list) {
		n++
	}
	switch {
	case n > 1 && jsonrpc.Scan(list).Fault != jsonrpc.FaultNone: // the record has only the start of the list
		more = "  and more"
	case n > 1:
		more = fmt.Sprintf("  and %d more", n-1)
	}
	if v, ok := jsonrpc.Start(first, "text"); ok {
		if said, isJSON := t.inner(v); isJSON {
			return said + more, false
		}
		return loose(v) + more, more == ""
	}
	kind, _ := jsonrpc.Start(first, "type")
	mime, _ := jsonrpc.Start(first, "mimeType")
	if kind == nil && mime == nil {
		return t.value(list, 0), false
	}
	return strings.TrimSpace(loose(kind)+" "+loose(mime)) + more, false
}
