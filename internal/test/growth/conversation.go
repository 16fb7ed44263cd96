package growth

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"mcptea/client/jsonrpc"
)

// Tool, Resource and Prompt name the only tool, resource and prompt of the server of a [Peer].
const (
	Tool     = "t"
	Resource = "mem://r"
	Prompt   = "p"
)

// A Peer is a server, or a host, that has a value at each place where it may choose one.
type Peer struct {
	Value string
	// Small is a deep value that is too short to be cut or left out, unlike a frame of more than 16 kB in a
	// report.
	Small string
}

// PeerOf returns a peer with a value of a shape and about n bytes, for a reader of [jsonrpc.MaxDepth] levels.
func PeerOf(s Shape, n int) Peer {
	return Peer{Value: s.Of(n), Small: arrays(levelsOf(n, jsonrpc.MaxDepth), n*maxSmall/(2*Size))}
}

// maxSmall is the size of the small value beside one of twice [Size], in bytes.
const maxSmall = 15 << 10

// Answer returns the response to a request.
func (p Peer) Answer(id jsonrpc.ID, method string) []byte {
	result := p.result(method)
	if result == "" {
		return jsonrpc.EncodeError(id, -32000, "not "+method, []byte(p.Value))
	}
	return jsonrpc.EncodeResult(id, []byte(strings.ReplaceAll(result, "@", p.Value)))
}

// text returns the value as the text of a string.
func (p Peer) text() string { return jsonrpc.Quote(p.Value) }

// task returns a task, in which @ stands for the value.
func (p Peer) task() string {
	return `{"taskId":"k","status":"completed","statusMessage":` + p.text() + `,"createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":null,"_meta":{"x":@}}`
}

// skill is an entry of skills/list, in which @ stands for the value.
const skill = `{"uri":"skill://s/SKILL.md","frontmatter":{"name":"s","description":"d","metadata":{"x":@}},"_meta":{"x":@}}`

// result returns the result of a method, in which @ stands for the value, or "" for an error.
func (p Peer) result(method string) string {
	switch method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"resources":{},"prompts":{},"logging":{},"completions":{},"tasks":{"list":{},"cancel":{}},"extensions":{"io.modelcontextprotocol/events":{"x":@},"io.modelcontextprotocol/skills":{"x":@}},"experimental":{"x":@}},"serverInfo":{"name":"h","version":"1","x":@},"instructions":"i"}`
	case "tools/list":
		return `{"tools":[{"name":"t","title":"T","description":"d","inputSchema":{"type":"object","properties":{"a":{"default":@},"b":{"type":"array","default":[@]}},"x":@},"outputSchema":{"type":"object","x":@},"annotations":{"x":@},"_meta":{"x":@}}]}`
	case "tools/call":
		return `{"content":[{"type":"text","text":` + p.text() + `}],"structuredContent":{"v":@},"_meta":{"x":@}}`
	case "resources/list":
		return `{"resources":[{"uri":"mem://r","name":"r","_meta":{"x":@}}]}`
	case "resources/templates/list":
		return `{"resourceTemplates":[{"uriTemplate":"mem://{x}","name":"e","_meta":{"x":@}}]}`
	case "resources/read":
		return `{"contents":[{"uri":"mem://r","mimeType":"application/json","text":` + p.text() + `}]}`
	case "prompts/list":
		return `{"prompts":[{"name":"p","arguments":[{"name":"x"}],"_meta":{"x":@}}]}`
	case "prompts/get":
		return `{"messages":[{"role":"user","content":{"type":"text","text":` + p.text() + `}}],"_meta":{"x":@}}`
	case "completion/complete":
		return `{"completion":{"values":[` + p.text() + `],"x":@}}`
	case "tasks/list":
		return `{"tasks":[` + p.task() + `]}`
	case "tasks/get", "tasks/cancel":
		return p.task()
	case "tasks/result":
		return p.result("tools/call")
	case "skills/list":
		return `{"skills":[` + skill + `]}`
	case "skills/get":
		return `{"skill":` + skill + `}`
	case "events/list":
		return `{"events":[{"name":"v","description":"d","delivery":["poll"],"inputSchema":{"type":"object","x":@},"payloadSchema":{"type":"object","x":@},"_meta":{"x":@}}]}`
	case "events/poll":
		return `{"events":[{"eventId":"1","name":"v","timestamp":"2026-01-01T00:00:00Z","data":@,"cursor":null}],"cursor":null,"nextPollMs":3600000}`
	case "ping", "logging/setLevel", "resources/subscribe":
		return `{"x":@}`
	}
	return ""
}

// Unasked returns the messages that the server sends by itself: a notification, and requests.
func (p Peer) Unasked() (frames [][]byte) {
	for _, frame := range []string{
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":@}}`,
		`{"jsonrpc":"2.0","method":"notifications/odd","params":{"x":@}}`,
		`{"jsonrpc":"2.0","id":"e","method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","default":@}}}}}`,
		`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"m"}}],"maxTokens":1,"metadata":{"x":@}}}`,
		`{"jsonrpc":"2.0","id":"o","method":"odd/method","params":{"x":@}}`,
	} {
		frames = append(frames, []byte(strings.ReplaceAll(frame, "@", p.Value)))
	}
	return frames
}

// ServeHTTP implements the server over Streamable HTTP.
func (p Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	if err != nil || e.Kind != jsonrpc.Request {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(p.Answer(e.ID.Of(body).ID(), e.MethodName(body)))
}

// Serve runs the server over stdio. After a call, it sends [Peer.Unasked].
func (p Peer) Serve(_ context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil
		}
		e := jsonrpc.Scan(line)
		if e.Kind != jsonrpc.Request {
			continue
		}
		method := e.MethodName(line)
		frames := [][]byte{p.Answer(e.ID.Of(line).ID(), method)}
		if method == "tools/call" {
			frames = append(frames, p.Unasked()...)
		}
		for _, frame := range frames {
			if _, err := out.Write(append(frame, '\n')); err != nil {
				return nil
			}
		}
	}
}

// A Frame is a message of a conversation.
type Frame struct {
	FromServer bool
	Bytes      []byte
}

// Conversation returns a session of a host and a server that both have the value.
func (p Peer) Conversation() (frames []Frame) {
	small := cmp.Or(p.Small, "0")
	for i, request := range []struct{ method, params string }{
		{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"experimental":{"x":@}},"clientInfo":{"name":"c","version":"1"}}`},
		{"tools/list", `{}`},
		{"resources/list", `{}`},
		{"prompts/list", `{}`},
		{"tools/call", `{"name":"t","arguments":{"a":@}}`},
		{"tools/call", `{"name":"t","arguments":{"a":1}}`},
		{"resources/read", `{"uri":"mem://r"}`},
		{"prompts/get", `{"name":"p","arguments":{"x":"y"}}`},
		{"odd/method", `{"x":@}`},
		{"odd/method", `{"x":` + small + `}`},
		{"tools/call", `{"name":"t","arguments":{"a":` + small + `}}`},
	} {
		id := jsonrpc.IntID(int64(i + 1))
		params := strings.ReplaceAll(request.params, "@", p.Value)
		frames = append(frames, Frame{Bytes: jsonrpc.EncodeRequest(id, request.method, []byte(params))}, Frame{true, p.Answer(id, request.method)})
	}
	for _, frame := range p.Unasked() {
		frames = append(frames, Frame{true, frame})
	}
	for _, id := range []string{"e", "s", "o"} {
		frames = append(frames, Frame{Bytes: jsonrpc.EncodeResult(jsonrpc.StringID(id), fmt.Appendf(nil, `{"action":"accept","content":{"a":%s}}`, p.Value))})
	}
	return frames
}
