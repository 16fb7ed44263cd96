package growth

import (
	"fmt"
	"strings"
	"testing"
)

// A Dialogue is a form of sessions with many small frames. Work that begins again with each frame grows with the square
// of their number.
type Dialogue struct {
	Name string
	// add adds the frames of a step to the dialogue.
	add func(d *dialogue, step int)
}

// Mixed is the name of the dialogue that has the steps of all others in turn.
const Mixed = "mixed"

// Dialogues are the forms of dialogues that a server or a host may choose.
func Dialogues() []Dialogue {
	return append([]Dialogue{{Mixed, func(d *dialogue, step int) {
		dialogues[step%len(dialogues)].add(d, step)
	}}}, dialogues...)
}

// Frames returns a dialogue of about n bytes, after the start of a session.
func (g Dialogue) Frames(n int) []Frame {
	d := &dialogue{}
	d.exchange("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`,
		`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"logging":{},"tasks":{"list":{}}},"serverInfo":{"name":"h","version":"1"}}`)
	d.sent(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	d.exchange("tools/list", `{}`, `{"tools":[{"name":"t","description":"d","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}]}`)
	for step := 0; d.size < n; step++ {
		g.add(d, step)
	}
	return d.frames
}

// Conversation returns frames as [recordingtest.File] takes them: a line each, with "> " for the client and "< " for the
// server.
func Conversation(frames []Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.WriteString(map[bool]string{true: "< ", false: "> "}[f.FromServer])
		b.Write(f.Bytes)
		b.WriteByte('\n')
	}
	return b.String()
}

// dialogue is a dialogue that is being written.
type dialogue struct {
	frames []Frame
	size   int // bytes of the frames
	id     int // newest id of the client
}

func (d *dialogue) sent(format string, args ...any)     { d.frame(false, format, args) }
func (d *dialogue) received(format string, args ...any) { d.frame(true, format, args) }

func (d *dialogue) frame(fromServer bool, format string, args []any) {
	text := format
	if len(args) > 0 {
		text = fmt.Sprintf(format, args...)
	}
	d.frames = append(d.frames, Frame{fromServer, []byte(text)})
	d.size += len(text)
}

// request sends a request, and returns its id.
func (d *dialogue) request(method, params string) int {
	d.id++
	d.sent(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, d.id, method, params)
	return d.id
}

// result responds to a request.
func (d *dialogue) result(id int, result string) {
	d.received(`{"jsonrpc":"2.0","id":%d,"result":%s}`, id, result)
}

func (d *dialogue) exchange(method, params, result string) {
	d.result(d.request(method, params), result)
}

// call calls the tool.
func (d *dialogue) call(arguments, result string) {
	d.exchange("tools/call", `{"name":"t","arguments":`+arguments+`}`, result)
}

const textResult = `{"content":[{"type":"text","text":"x"}],"structuredContent":{}}`

// dialogues are the forms, except the form that mixes them.
var dialogues = []Dialogue{
	{"pages of a list", func(d *dialogue, i int) {
		d.exchange("tools/list", fmt.Sprintf(`{"cursor":"c%d"}`, i), fmt.Sprintf(`{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"c%d"}`, i, i+1))
	}},
	{"a list that is other each time", func(d *dialogue, i int) {
		d.received(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		d.exchange("tools/list", `{}`, fmt.Sprintf(`{"tools":[{"name":"t","inputSchema":{"type":"object"}},{"name":"u%d","inputSchema":{"type":"object"}}]}`, i))
	}},
	{"equal calls", func(d *dialogue, _ int) { d.call(`{"a":1}`, textResult) }},
	{"different calls", func(d *dialogue, i int) {
		d.call(fmt.Sprintf(`{"a%d":%d}`, i, i), fmt.Sprintf(`{"content":[{"type":"text","text":"x%d"}],"structuredContent":{"k%d":%d}}`, i, i, i))
	}},
	{"calls with values of earlier results", func(d *dialogue, i int) {
		d.call(fmt.Sprintf(`{"id":"id-%d","first":"id-0"}`, i), fmt.Sprintf(`{"content":[{"type":"text","text":"id: id-%d"}],"structuredContent":{"id":"id-%d"}}`, i+1, i+1))
	}},
	{"calls of tools that are not listed", func(d *dialogue, i int) {
		d.exchange("tools/call", fmt.Sprintf(`{"name":"n%d","arguments":{}}`, i), textResult)
	}},
	{"errors", func(d *dialogue, i int) {
		id := d.request("tools/call", fmt.Sprintf(`{"name":"t","arguments":{"e":%d}}`, i))
		d.received(`{"jsonrpc":"2.0","id":%d,"error":{"code":%d,"message":"error %d"}}`, id, -32000-i%100, i)
	}},
	{"requests without a response", func(d *dialogue, _ int) { d.request("tools/call", `{"name":"t","arguments":{}}`) }},
	{"responses in the opposite order", func(d *dialogue, _ int) {
		first := d.id + 1
		for range 50 {
			d.request("ping", `{}`)
		}
		for id := first + 49; id >= first; id-- {
			d.result(id, `{}`)
		}
	}},
	{"responses without a request", func(d *dialogue, i int) { d.result(1_000_000+i, `{}`) }},
	{"an id that is used again", func(d *dialogue, _ int) {
		d.sent(`{"jsonrpc":"2.0","id":"same","method":"ping"}`)
		d.received(`{"jsonrpc":"2.0","id":"same","result":{}}`)
	}},
	{"progress", func(d *dialogue, i int) {
		id := d.request("tools/call", fmt.Sprintf(`{"name":"t","arguments":{},"_meta":{"progressToken":"p%d"}}`, i))
		d.received(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p%d","progress":1,"total":2}}`, i)
		d.received(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p%d","progress":2,"total":2}}`, i)
		d.result(id, textResult)
	}},
	{"progress without a token", func(d *dialogue, i int) {
		d.received(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"q%d","progress":%d}}`, i, i)
	}},
	{"messages of the log", func(d *dialogue, i int) {
		d.received(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"l%d","data":"d%d"}}`, i, i)
	}},
	{"cancelled calls", func(d *dialogue, _ int) {
		id := d.request("tools/call", `{"name":"t","arguments":{}}`)
		d.sent(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
	}},
	{"cancelled requests that are unknown", func(d *dialogue, i int) {
		d.sent(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"u%d"}}`, i)
	}},
	{"requests of the server", func(d *dialogue, i int) {
		d.received(`{"jsonrpc":"2.0","id":"s%d","method":"elicitation/create","params":{"message":"m%d","requestedSchema":{"type":"object","properties":{}}}}`, i, i)
		d.sent(`{"jsonrpc":"2.0","id":"s%d","result":{"action":"accept","content":{}}}`, i)
	}},
	{"resources", func(d *dialogue, i int) {
		d.exchange("resources/read", fmt.Sprintf(`{"uri":"mem://%d"}`, i), fmt.Sprintf(`{"contents":[{"uri":"mem://%d","text":"x"}]}`, i))
	}},
	{"subscriptions", func(d *dialogue, i int) {
		d.exchange("resources/subscribe", fmt.Sprintf(`{"uri":"mem://%d"}`, i), `{}`)
		d.received(`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"mem://%d"}}`, i)
	}},
	{"tasks", func(d *dialogue, i int) {
		task := fmt.Sprintf(`{"taskId":"k%d","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000}`, i)
		d.exchange("tools/call", `{"name":"t","arguments":{},"task":{}}`, `{"task":`+task+`}`)
		d.exchange("tasks/get", fmt.Sprintf(`{"taskId":"k%d"}`, i), task)
	}},
	{"pages of tasks", func(d *dialogue, i int) {
		d.exchange("tasks/list", fmt.Sprintf(`{"cursor":"c%d"}`, i), fmt.Sprintf(`{"tasks":[],"nextCursor":"c%d"}`, i+1))
	}},
	{"methods that are unknown", func(d *dialogue, i int) { d.exchange(fmt.Sprintf("m%d/x", i), `{}`, `{}`) }},
	{"lines that are no JSON", func(d *dialogue, i int) { d.received("Listening on port %d ...", i) }},
	{"starts of a session", func(d *dialogue, i int) {
		d.exchange("initialize", fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c%d","version":"1"}}`, i), fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"h%d","version":"1"}}`, i))
	}},
	{"input requests", func(d *dialogue, i int) {
		d.exchange("tools/call", fmt.Sprintf(`{"name":"t","arguments":{"r":%d}}`, i), fmt.Sprintf(`{"resultType":"input_required","inputRequests":{"k%d":{"method":"elicitation/create","params":{"message":"m"}}},"requestState":"s%d"}`, i, i))
	}},
}

// CheckDialogue fails the test unless a dialogue of twice the bytes costs about twice the memory and twice the time.
// measure returns the costs of a dialogue, by aspect.
func CheckDialogue(t *testing.T, d Dialogue, size int, measure func(frames []Frame) map[string]Cost) {
	t.Helper()
	inputs := [3][]Frame{d.Frames(0), d.Frames(size), d.Frames(2 * size)}
	check(t, d.Name, size, func(i int) map[string]Cost { return measure(inputs[i]) })
}
