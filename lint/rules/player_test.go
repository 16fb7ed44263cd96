package rules

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
	"mcptea/client/transport"
	"mcptea/internal/test/spelling"
	"mcptea/lint"
)

// player feeds an engine with a trace. See the catalogue for the notation.
type player struct {
	t       *testing.T
	e       *lint.Engine
	found   []lint.Finding
	causes  []int // the line that caused each finding, as an index into those of the trace
	now     time.Time
	row     int32
	link    lint.Link
	rev     revision.Revision
	options map[string]string
	open    *transport.Exchange // the newest exchange without a response
	streams map[int]*transport.Exchange
	count   uint32
	app     *lint.App
	torn    bool               // the frame is the last before the end, and is cut off
	spell   *spelling.Spelling // how messages of a side are written; nil as in the trace
	spelled string             // the side, both if it is empty
	raw     bool               // the line is one of bytes
}

var shortRevisions = map[string]revision.Revision{
	"24": revision.R20241105, "25a": revision.R20250326, "25b": revision.R20250618, "25c": revision.R20251125, "26": revision.R20260728,
}

// play runs a trace and returns what was found in it.
func play(t *testing.T, tr trace) []lint.Finding {
	t.Helper()
	return replay(t, tr).found
}

func replay(t *testing.T, tr trace, options ...lint.Option) *player {
	t.Helper()
	return respelled(t, tr, nil, "", options...)
}

// respelled is replay with the messages of a side written in another way.
func respelled(t *testing.T, tr trace, s *spelling.Spelling, side string, options ...lint.Option) *player {
	t.Helper()
	p := &player{spell: s, spelled: side, t: t, now: time.Unix(1_800_000_000, 0), options: map[string]string{}, streams: map[int]*transport.Exchange{}}
	words := strings.Fields(tr.context)
	base, isNew := strings.CutSuffix(words[0], "/new")
	base, kind, _ := strings.Cut(base, "+")
	if strings.Contains(kind, "/new") {
		isNew, kind = true, strings.TrimSuffix(kind, "/new")
	}
	p.rev = shortRevisions[base]
	p.link = map[string]lint.Link{"": lint.Stdio, "http": lint.HTTP, "sse": lint.SSE}[kind]
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		p.options[name] = value
	}
	p.e = New(func(f lint.Finding) { p.found = append(p.found, f) }, options...)
	p.e.Begin(p.link)
	if !isNew {
		p.prepare()
	}
	p.found = nil
	lines := p.expand(tr.lines)
	for i, line := range lines {
		p.torn = i+1 < len(lines) && strings.HasPrefix(line, "S# ") && strings.HasPrefix(lines[i+1], "END S")
		p.line(line)
		for len(p.causes) < len(p.found) {
			p.causes = append(p.causes, i%len(tr.lines))
		}
	}
	return p
}

const everyServerCap = `{"tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{}%s}`

var serverCaps = map[revision.Revision]string{
	revision.R20241105: "", revision.R20250326: `,"completions":{}`, revision.R20250618: `,"completions":{}`,
	revision.R20251125: `,"completions":{},"tasks":{"list":{},"cancel":{},"requests":{"tools":{"call":{}}}}`,
	revision.R20260728: `,"completions":{}`,
}

var clientCaps = map[revision.Revision]string{
	revision.R20241105: `{"roots":{"listChanged":true},"sampling":{}}`,
	revision.R20250326: `{"roots":{"listChanged":true},"sampling":{}}`,
	revision.R20250618: `{"roots":{"listChanged":true},"sampling":{},"elicitation":{}}`,
	revision.R20251125: `{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}}}`,
}

// prepare brings the connection into the state of the context.
func (p *player) prepare() {
	server := fmt.Sprintf(everyServerCap, serverCaps[p.rev])
	if p.rev.IsStateless() && p.options["ext"] == "tasks" {
		server = strings.TrimSuffix(server, "}") + `,"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	}
	if caps := p.options["caps.server"]; caps != "" {
		server = caps
	}
	client := clientCaps[p.rev]
	if caps := p.options["caps.client"]; caps != "" {
		client = caps
	}
	if p.rev.IsStateless() {
		p.line(`C> {"jsonrpc":"2.0","id":"lint-discover","method":"server/discover","params":{"_meta":"@meta"}}`)
		p.line(`S> {"jsonrpc":"2.0","id":"lint-discover","result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":` + server + `,"ttlMs":0,"cacheScope":"public","_meta":{"@/serverInfo":{"name":"s","version":"1"}}}}`)
	} else {
		p.line(`C> {"jsonrpc":"2.0","id":"lint-initialize","method":"initialize","params":{"protocolVersion":"` + string(p.rev) + `","capabilities":` + client + `,"clientInfo":{"name":"t","version":"1"}}}`)
		p.line(`S> {"jsonrpc":"2.0","id":"lint-initialize","result":{"protocolVersion":"` + string(p.rev) + `","capabilities":` + server + `,"serverInfo":{"name":"s","version":"1"}}}`)
		p.line(`C> {"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	if p.options["auth"] == "bearer" {
		p.options["authorized"] = "yes"
		p.line(`H> {"m":"POST","h":{"Accept":"application/json, text/event-stream","Content-Type":"application/json","Authorization":"Bearer x"},"b":{"jsonrpc":"2.0","id":"lint-auth","method":"tools/list","params":{"_meta":"@meta"}}}`)
		p.line(`H< {"s":200,"h":{"Content-Type":"application/json"},"b":{"jsonrpc":"2.0","id":"lint-auth","result":{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"public"}}}`)
	}
}

// What stands for something else in a trace.
var (
	idNumber       = regexp.MustCompile(`"id":(\d+)`)
	progressNumber = regexp.MustCompile(`"progress":(\d+)`)
	filler         = regexp.MustCompile(`@\{\d+\}`)
	nests          = regexp.MustCompile(`@\[[0-9]+\]`)
	escapedByte    = regexp.MustCompile(`\\x[0-9a-fA-F]{2}`)
)

// expand carries out notes such as repeat-60: the last line so often.
func (p *player) expand(lines []string) []string {
	n, ok := strings.CutPrefix(p.options["note"], "repeat-")
	times, err := strconv.Atoi(n)
	if !ok || err != nil {
		return lines
	}
	var out []string
	for i := range times {
		for _, line := range lines {
			// Ids and progress continue, so that only the number is odd.
			line = idNumber.ReplaceAllStringFunc(line, func(s string) string {
				n, _ := strconv.Atoi(s[5:])
				return fmt.Sprintf(`"id":%d`, n+i*10)
			})
			line = progressNumber.ReplaceAllStringFunc(line, func(s string) string {
				n, _ := strconv.Atoi(s[11:])
				return fmt.Sprintf(`"progress":%d`, n+i)
			})
			out = append(out, line)
		}
	}
	return out
}

// macros writes out "@meta", "@/", "@{N}", N bytes of text, and "@[N]", N arrays around each other.
func (p *player) macros(s string) string {
	caps := "{}"
	if p.options["ext"] == "tasks" {
		caps = `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	}
	if c := p.options["caps.client"]; c != "" && p.rev.IsStateless() {
		caps = c
	}
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + caps + `}`
	s = filler.ReplaceAllStringFunc(s, func(n string) string {
		size, _ := strconv.Atoi(n[2 : len(n)-1])
		return strings.Repeat("-", size)
	})
	s = nests.ReplaceAllStringFunc(s, func(n string) string {
		levels, _ := strconv.Atoi(n[2 : len(n)-1])
		return strings.Repeat("[", levels) + strings.Repeat("]", levels)
	})
	return strings.ReplaceAll(strings.ReplaceAll(s, `"@meta"`, meta), `"@/`, `"io.modelcontextprotocol/`)
}

func unescape(s string) string {
	s = strings.ReplaceAll(s, `\r`, "\r")
	return escapedByte.ReplaceAllStringFunc(s, func(x string) string {
		n, _ := strconv.ParseUint(x[2:], 16, 8)
		return string([]byte{byte(n)})
	})
}

func (p *player) line(line string) {
	p.now = p.now.Add(time.Millisecond)
	prefix, rest, _ := strings.Cut(line, " ")
	if len(line) > 2 && line[2] == ' ' {
		prefix, rest = line[:2], line[3:]
	}
	switch prefix {
	case "C>":
		p.message(transport.Out, p.macros(rest))
	case "S>":
		p.message(transport.In, p.macros(rest))
	case "P>":
		p.ofApp(unescape(p.macros(rest)), "")
	case "P!":
		p.ofApp(rest, "csp-violation")
	case "C#":
		p.raw = true
		p.frame(transport.Out, unescape(rest), 0, "", "")
	case "S#":
		p.raw = true
		p.frame(transport.In, unescape(rest), 0, "", "")
	case "W>":
		p.delivery(p.macros(rest))
	case "S!":
		p.e.Stderr(p.now, rest)
	case "H>":
		p.request(p.macros(rest))
	case "H<":
		p.response(p.macros(rest))
	case "A!":
		p.authorization(rest)
	case "E<":
		p.event(p.macros(rest))
	case "T+":
		d, err := time.ParseDuration(rest)
		if err != nil {
			p.t.Fatal(err)
		}
		p.now = p.now.Add(d)
		p.e.Tick(p.now)
	case "END":
		p.end(rest)
	default:
		p.t.Fatalf("what is %q?", line)
	}
}

func (p *player) frame(dir transport.Direction, text string, exchange uint32, id, name string) {
	ending := "\n"
	if p.link != lint.Stdio {
		ending = ""
	} else if strings.HasSuffix(text, "\r") {
		text, ending = strings.TrimSuffix(text, "\r"), "\r\n"
	}
	if p.torn {
		ending = ""
	}
	p.row++
	if s := p.spell; s != nil && !p.raw && (p.spelled == "" || (p.spelled == "C>") == (dir == transport.Out)) {
		if e := jsonrpc.Scan([]byte(text)); (e.Fault == jsonrpc.FaultNone || e.Fault >= jsonrpc.FaultScalar && e.Fault <= jsonrpc.FaultBothMembers) && (!s.Reorders() || !e.MayRepeat()) {
			text = s.Write([]byte(strings.TrimSpace(text)))
		}
	}
	p.raw = false
	b := []byte(text)
	p.e.Frame(lint.Frame{Row: p.row, Frame: transport.Frame{
		Bytes: b, Envelope: jsonrpc.Scan(b), Time: p.now, Dir: dir, Ending: ending, Truncated: p.torn,
		Exchange: exchange, EventID: id, EventName: name,
	}})
	clear(b) // the bytes were only lent
}

// ofApp is a message of an app to its host, or an event of its browser.
func (p *player) ofApp(text, event string) {
	if p.app == nil {
		p.app = &lint.App{}
	}
	p.row++
	b := []byte(text)
	p.e.AppFrame(p.app, lint.Frame{Row: p.row, Frame: transport.Frame{Bytes: b, Envelope: jsonrpc.Scan(b), Time: p.now, Dir: transport.In, EventName: event}})
	clear(b)
}

// message is a frame without words about HTTP: over HTTP it is carried as it
// should be.
func (p *player) message(dir transport.Direction, text string) {
	if p.link != lint.HTTP {
		p.frame(dir, text, 0, "", "")
		return
	}
	e := jsonrpc.Scan([]byte(text))
	if dir == transport.Out {
		h := map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
		if e.MethodName([]byte(text)) != "initialize" {
			h["MCP-Protocol-Version"] = string(p.rev)
		}
		if p.rev.IsStateless() {
			h["Mcp-Method"] = e.MethodName([]byte(text))
			params := e.Params.Of([]byte(text))
			if name, ok := revision.NameParam(h["Mcp-Method"]); ok {
				h["Mcp-Name"] = revision.HeaderValue(jsonrpc.Text(params, name))
			}
		}
		if id := p.options["session"]; id != "" {
			h["Mcp-Session-Id"] = id
		}
		if p.options["auth"] == "bearer" {
			h["Authorization"] = "Bearer x"
		}
		b, _ := json.Marshal(map[string]any{"m": "POST", "h": h, "b": json.RawMessage(text)})
		p.request(string(b))
		if e.Kind != jsonrpc.Request {
			p.response(`{"s":202}`)
		}
		return
	}
	if e.Kind.IsResponse() && p.open != nil {
		h := `"Content-Type":"application/json"`
		if id := p.options["session"]; id != "" && strings.Contains(text, "lint-initialize") {
			h += `,"Mcp-Session-Id":"` + id + `"`
		}
		p.response(`{"s":200,"h":{` + h + `},"b":` + text + `}`)
		return
	}
	p.event(`{"event":"message","data":` + text + `}`)
}

// end closes what is open: a stream over lint.HTTP, the process or stdin else.
func (p *player) end(who string) {
	switch {
	case who == "session":
		p.e.Close(p.now)
	case p.link == lint.Stdio && strings.HasPrefix(who, "C"):
		p.e.StdinClosed(p.now)
	case p.link == lint.Stdio:
		p.e.End(p.now, lint.Ending{Row: p.row, By: lint.Server, Exited: true})
	case p.open != nil:
		p.done(p.open, 0)
		p.open = nil
	default:
		for _, x := range p.streams {
			p.done(x, 0)
		}
		clear(p.streams)
	}
}
