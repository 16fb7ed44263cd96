package sequence

import (
	"bytes"
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/internal/words/phrase"
	"mcptea/record/store"
)

// headSize is the number of bytes of a frame that are read to summarize it.
const headSize = 2 << 10

// listSize is the number of bytes read of a list, which is best summarized by its length.
const listSize = 512 << 10

// Words summarizes a frame, or another row, in parts that each view combines in its own way. The texts are
// untrusted.
type Words struct {
	// Noun is the subject: the method, a shorter word for a notification, or the HTTP method of an exchange. It
	// is "" for a response and an invalid message.
	Noun   string
	Name   string // name of the tool or prompt, URI of the resource, or path of the exchange
	Text   string // the arguments, the result or the message
	Quoted bool   // Text is text of the server, not JSON, which has its own quotation marks
	Token  string // progress token, as sent

	cut   bool // the text counts the elements of a list that continues after the head
	alone bool // Text is the only member of an object
}

// Shown returns the text, in quotation marks if it is one of the server.
func (w *Words) Shown() string {
	if w.Quoted && w.Text != "" {
		return `"` + w.Text + `"`
	}
	return w.Text
}

// FirstLine returns the quoted first line of a text of several lines, with an ellipsis. ok is false if the text has one
// line or is not a text of the server.
func (w *Words) FirstLine() (line string, ok bool) {
	first, rest, _ := strings.Cut(w.Text, "\n")
	if !w.Quoted || strings.TrimSpace(rest) == "" {
		return "", false
	}
	return `"` + strings.TrimRight(first, "\r") + `" ` + phrase.Ellipsis(), true
}

// Only returns the value of the only member. ok is false if the text has no member or several.
func (w *Words) Only() (value string, ok bool) {
	_, value, ok = strings.Cut(w.Text, ": ")
	return value, ok && w.alone
}

// WordsOf describes a frame in words, or the line of a row that is not a frame. The head of the frame is enough. For a
// response, method is the method of its request. fault is the reason why the frame cannot be read, or zero.
func WordsOf(kind jsonrpc.Kind, method string, head []byte, fault jsonrpc.Fault) Words {
	w := wordsOf(kind, method, head)
	if isOpaque(kind, fault) {
		w.Text, w.Quoted, w.cut, w.alone = "not read: "+fault.String(), false, false, false
	}
	return w
}

// isOpaque reports whether a message has a member whose value is not read.
func isOpaque(kind jsonrpc.Kind, fault jsonrpc.Fault) bool {
	return kind != jsonrpc.Invalid && fault == jsonrpc.FaultTooDeep
}

func wordsOf(kind jsonrpc.Kind, method string, head []byte) Words {
	w := Words{Noun: method}
	switch params, _ := jsonrpc.Start(head, "params"); kind {
	case jsonrpc.Request:
		w.subject(params)
	case jsonrpc.Notification:
		token, _ := jsonrpc.Start(params, "progressToken")
		w.Token = string(token)
		if of, ok := notices[method]; ok {
			w.Noun, w.Text = of.noun, of.text(params)
		} else {
			w.Text = inWords(params)
		}
	case jsonrpc.Response:
		result, _ := jsonrpc.Start(head, "result")
		w.Noun = ""
		t := teller{}
		w.Text, w.Quoted = t.result(method, result)
		w.cut = t.cut
	case jsonrpc.ErrorResponse:
		e, _ := jsonrpc.Start(head, "error")
		message, _ := jsonrpc.Start(e, "message")
		w.Noun, w.Text = "", cmp.Or(loose(message), string(e))
	case store.KindExchange:
		w.exchange(head)
	case store.KindDelivery:
		w.Noun, w.Name = "delivery", method
		data, _ := jsonrpc.Start(head, "data")
		w.Text = inWords(data)
	case jsonrpc.Batch:
		w.Noun, w.Text = "batch", batchText(head)
	default:
		w.Noun, w.Text, w.Quoted = "", string(head), kind == jsonrpc.Invalid
	}
	return w
}

// blockedText describes what the policy of an app has blocked, according to the browser's report (Content
// Security Policy Level 3, report-uri): the directive and its subject.
func blockedText(head []byte) string {
	directive, ok := jsonrpc.Start(head, "csp-report", "effective-directive")
	if !ok {
		return string(head)
	}
	what, _ := jsonrpc.Start(head, "csp-report", "blocked-uri")
	return strings.TrimSpace(loose(directive) + " " + loose(what))
}

// exchange reads the subject of an exchange from its line in the recording. It reads member by member, because
// the line is cut short.
func (w *Words) exchange(head []byte) {
	verb, _ := jsonrpc.Start(head, "method")
	at, _ := jsonrpc.Start(head, "url")
	w.Noun, w.Name = loose(verb), loose(at)
	if u, err := url.Parse(w.Name); err == nil && u.Host != "" {
		w.Name, w.Text = u.RequestURI(), u.Host // the endpoint matters more than the host
	}
	if failure, _ := jsonrpc.Start(head, "error"); failure != nil {
		w.Text = loose(failure)
	}
}

// failedText returns the type, the size and the beginning of the body of an HTTP response with
// an error status.
func failedText(line []byte) string {
	var parts []string
	if types, ok := jsonrpc.Start(line, "response", "Content-Type"); ok {
		for v := range jsonrpc.Elements(types) {
			media, _, _ := strings.Cut(loose(v), ";")
			parts = append(parts, media)
		}
	}
	if size, ok := jsonrpc.Member(line, "received"); ok {
		if n, err := strconv.ParseInt(string(size), 10, 64); err == nil {
			parts = append(parts, strconv.FormatInt(n, 10)+" B")
		}
	}
	if body, ok := jsonrpc.Start(line, "heard"); ok {
		parts = append(parts, " "+phrase.OneLine(loose(body)))
	}
	return strings.Join(parts, " ")
}

// batchText names the messages of a batch that the head contains completely.
func batchText(head []byte) string {
	const most = 20
	var said []string
	for element := range jsonrpc.Elements(head) {
		if len(said) == most {
			break
		}
		e := jsonrpc.Scan(element)
		text := e.Kind.String()
		switch {
		case e.Method.Present():
			text = e.MethodName(element)
		case e.Kind == jsonrpc.Response:
			text = "ok"
		case e.Kind == jsonrpc.ErrorResponse:
			text = e.ErrorCode().Phrase()
		}
		if id := e.ID.Of(element); id.Present() {
			text += " " + string(id.Shown())
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return string(head)
	}
	return strings.Join(said, ", ")
}

// subject sets the subject and the arguments of a request.
func (w *Words) subject(params []byte) {
	for _, member := range []string{"name", "uri", "level", "taskId"} {
		if v, ok := jsonrpc.Start(params, member); ok && w.Name == "" {
			w.Name = loose(v)
		}
	}
	if args, ok := jsonrpc.Start(params, "arguments"); ok && string(args) != "{}" {
		w.members(args)
		return
	}
	if answers, ok := jsonrpc.Start(params, "inputResponses"); ok && w.Name != "" {
		if _, ofTask := jsonrpc.Start(params, "taskId"); ofTask {
			w.members(answers)
		} else {
			w.Text = "input responses " + inWords(answers)
		}
		return
	}
	if w.Name != "" {
		return
	}
	if v, ok := jsonrpc.Start(params, "clientInfo", "name"); ok { // in the params of initialize
		revision, _ := jsonrpc.Start(params, "protocolVersion")
		w.Text = strings.TrimLeft(loose(revision)+", ", ", ") + loose(v)
		return
	}
	w.members(params)
}

// members sets the text of a value, and the texts of its members.
func (w *Words) members(value []byte) {
	t := teller{}
	w.Text = t.value(value, 0)
	w.alone = t.alone
}

// inWords returns the members of params in words.
func inWords(params []byte) string { return new(teller).value(params, 0) }

// notices maps notifications to a short word and a text.
var notices = map[string]struct {
	noun string
	text func(params []byte) string
}{
	"notifications/progress":                   {"progress", progressText},
	"notifications/message":                    {"log", logText},
	"notifications/cancelled":                  {"cancelled", cancelledText},
	"notifications/tasks":                      {"task", taskNotice},
	"notifications/tasks/status":               {"task", taskNotice},
	"notifications/resources/updated":          {"updated", func(params []byte) string { return memberText(params, "uri") }},
	"notifications/subscriptions/acknowledged": {"acknowledged", func(params []byte) string { return inWords([]byte(memberText(params, "notifications"))) }},
	revision.EventsEvent:                       {"events/event", eventText},
	revision.EventsActive:                      {"events/active", inWords},
	revision.EventsHeartbeat:                   {"events/heartbeat", inWords},
	revision.EventsError:                       {"events/error", eventError},
	revision.EventsTerminated:                  {"events/terminated", eventError},
	revision.EventsListChanged:                 {"events/list_changed", inWords},
}

// eventText returns the type of an event, and its data.
func eventText(params []byte) string {
	data, _ := jsonrpc.Start(params, "data")
	return strings.TrimSpace(memberText(params, "name") + " " + inWords(data))
}

// eventError returns the error that a subscription to events has met or ended with.
func eventError(params []byte) string {
	code, _ := jsonrpc.Start(params, "error", "code")
	message, _ := jsonrpc.Start(params, "error", "message")
	if text := strings.TrimSpace(string(code) + " " + loose(message)); text != "" {
		return text
	}
	return inWords(params)
}

func progressText(params []byte) string {
	text := number(memberText(params, "progress"))
	if total := number(memberText(params, "total")); total != "" {
		text += "/" + total
	}
	return strings.TrimSpace(text + " " + memberText(params, "message"))
}

// number returns a number without redundant zeros. It returns other text unchanged.
func number(text string) string {
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.ContainsAny(text, ".eE") {
		return phrase.Number(f)
	}
	return text
}

func logText(params []byte) string {
	from := strings.TrimSpace(memberText(params, "level") + " " + memberText(params, "logger"))
	return strings.TrimPrefix(phrase.OneLine(from+": "+memberText(params, "data")), ": ")
}

func cancelledText(params []byte) string {
	id, _ := jsonrpc.Member(params, "requestId")
	return strings.TrimSpace(string(id) + " " + memberText(params, "reason"))
}

func taskNotice(params []byte) string {
	return strings.TrimSpace(taskText(params) + "  " + memberText(params, "taskId"))
}

// memberText returns a member of an object that may be cut off: the content of a string, else the JSON.
func memberText(object []byte, member string) string {
	v, _ := jsonrpc.Start(object, member)
	return loose(v)
}

// loose decodes a JSON string, even if it is cut off. It returns anything else unchanged.
func loose(token []byte) string {
	if len(token) == 0 || token[0] != '"' {
		return string(token)
	}
	if s, ok := jsonrpc.Unquote(token); ok {
		return s
	}
	// Close the string at the cut. An escape may have been cut, too.
	for cut := len(token); cut > 1 && cut > len(token)-8; cut-- {
		if s, ok := jsonrpc.Unquote(append(bytes.Clone(token[:cut]), '"')); ok {
			return s
		}
	}
	return string(token[1:])
}
