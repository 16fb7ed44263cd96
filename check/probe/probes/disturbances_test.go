package probes_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"mcptea/check/probe"
	"mcptea/client/jsonrpc"
	"mcptea/client/revision"
)

var (
	description = regexp.MustCompile(`"description":"`)
	integerID   = regexp.MustCompile(`^(\{"jsonrpc":"2.0","id":\d+)([,}])`)
)

// requestsOf answers the requests with one of the methods, in patterns, by an error.
func requestsOf(code int, message string, methods ...string) func(int, string, []byte) (string, bool) {
	pattern := regexp.MustCompile("^(" + strings.Join(methods, "|") + ")$")
	return func(_ int, method string, id []byte) (string, bool) {
		if pattern.MatchString(method) {
			return refuse(id, code, message), false
		}
		return "", false
	}
}

// asText is an id as a string.
func asText(id []byte) []byte {
	if len(id) > 0 && id[0] != '"' {
		return []byte(`"` + string(id) + `"`)
	}
	return id
}

// escaped is JSON with all that is not ASCII in escapes.
func escaped(m []byte) []byte {
	var b bytes.Buffer
	for _, ch := range string(m) {
		switch {
		case ch < 0x80:
			b.WriteRune(ch)
		case ch < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, ch)
		default:
			ch -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+ch>>10, 0xdc00+ch&0x3ff)
		}
	}
	return b.Bytes()
}

// changedList edits the entries of the last page of tools/list.
func changedList(m []byte, change func(tools []json.RawMessage) []json.RawMessage) []byte {
	tools, ok := jsonrpc.Member(m, "result", "tools")
	if cursor, more := jsonrpc.Member(m, "result", "nextCursor"); more && string(cursor) != "null" {
		return m // the last page is edited
	}
	var all []json.RawMessage
	if !ok || json.Unmarshal(tools, &all) != nil {
		return m
	}
	text, err := json.Marshal(change(all))
	if err != nil {
		return m
	}
	return bytes.Replace(m, tools, text, 1)
}

// tool is the definition of a tool.
func tool(name string) json.RawMessage {
	return json.RawMessage(`{"name":` + probe.JSON(name) + `,"description":"Does something.","inputSchema":{"type":"object"}}`)
}

// disturbances are the rows of the matrix. A pattern of true that is no fault names the
// sentence that justifies it.
func disturbances() []disturbance {
	random := rand.New(rand.NewPCG(1, 2))
	var lock sync.Mutex
	number := func(n int) int {
		lock.Lock()
		defer lock.Unlock()
		return random.IntN(n)
	}
	return []disturbance{
		{name: "list-error", request: requestsOf(-32603, "fetch failed", "tools/list"), true: []string{`P-045 The list cannot be read: tools/list returned error -32603`}},
		{name: "all-lists-error", request: requestsOf(-32603, "fetch failed", ".*/list"), true: []string{`P-045 The list cannot be read: (tools|resources|prompts)/list returned error -32603`}},
		{name: "read-error", request: requestsOf(-32603, "fetch failed", "resources/read"), true: []string{`P-067 .*fetch failed`, `P-065 .*-32603`, `P-211 The app .* cannot be read`, `P-224 The file .* cannot be read: .*fetch failed`}},
		{name: "call-error", request: requestsOf(-32603, "fetch failed", "tools/call"), true: []string{`P-058 .*fetch failed`, `P-033 .*-32603`}},
		{name: "init-only", request: requestsOf(-32603, "fetch failed", "[^i].*", "i[^n].*"), true: []string{`P-045 The list cannot be read: tools/list returned error -32603: fetch failed`}},
		{name: "unauthorized", request: requestsOf(-32001, "Unauthorized", "[^ips].*", "p[^i].*", "s[^e].*"), true: []string{`P-045 The list cannot be read: tools/list returned error -32001: Unauthorized`}},
		{name: "no-templates", unusual: true, request: requestsOf(-32601, "Method not found", "resources/templates/list")},
		{name: "resources-unknown", most: 1, request: requestsOf(-32601, "Method not found", "resources/list"), true: []string{`P-010 The server declares the capability resources, and resources/list returns error -32601`}},
		{name: "all-lists-unknown", request: requestsOf(-32601, "Method not found", ".*/list"), true: []string{`P-010 The server declares the capability (tools|resources|prompts), and (tools|resources|prompts)/list returns error -32601`, `P-221 The server declares skills, but does not know skills/list`, `P-230 The server declares events, but does not know events/list`}},
		{name: "no-ping", only: revision.R20251125, request: func(_ int, method string, _ []byte) (string, bool) {
			if method == "ping" {
				return noLine, false
			}
			return "", false
		}, true: []string{`P-085 There is no response to ping`}},
		{name: "ping-unknown", only: revision.R20251125, request: requestsOf(-32601, "Method not found", "ping"), true: []string{`P-085 The server replied to ping with error -32601`, `P-033 .*ping`}},
		{name: "shuffle", unusual: true, response: func(m []byte, _ int) []byte {
			lock.Lock()
			defer lock.Unlock()
			return shuffled(bytes.TrimSpace(m), random)
		}},
		{name: "order", response: func(m []byte, _ int) []byte {
			return changedList(m, func(all []json.RawMessage) []json.RawMessage {
				lock.Lock()
				defer lock.Unlock()
				random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
				return all
			})
		}, true: []string{`P-033 .*order`}},
		{name: "entries", response: func(m []byte, _ int) []byte {
			return changedList(m, func(all []json.RawMessage) []json.RawMessage {
				return append(all, tool(fmt.Sprint("extra-", number(1_000_000))))
			})
		}, true: []string{`P-046 tools/list returns other entries each time it is read, and notifications/tools/list_changed does not announce it`}},
		{name: "describe", response: func(m []byte, start int) []byte {
			return description.ReplaceAll(m, fmt.Appendf(nil, `"description":"%d `, start))
		}, true: []string{`P-190 After a restart the lists differ`, `P-224 The file "SKILL.md"`}},
		{name: "texts", unusual: true, response: func(m []byte, _ int) []byte {
			return description.ReplaceAll(m, fmt.Appendf(nil, `"description":"%d `, number(1_000_000)))
		}, true: []string{`P-221 The skill "brewing" has the description`, `P-222 skills/get has another entry`, `P-224 The file "SKILL.md"`}},
		{name: "slow-3s", unusual: true, delay: 3 * time.Second, true: []string{`P-185 95% of the pings take`}},
		{name: "slow-600ms", unusual: true, delay: 600 * time.Millisecond, true: []string{`P-185 95% of the pings take`}},
		{name: "out-of-order", unusual: true, delay: 40 * time.Millisecond, stack: true},
		{name: "late", unusual: true, late: time.Second, true: []string{`P-185 95% of the pings take`}},
		{name: "large-8s", unusual: true, large: 8 * time.Second},
		{name: "alone", alone: true, true: []string{`P-189 `}},
		{name: "single", single: true, true: []string{`P-189 The server process ends when another one is started`}},
		{name: "single-waits", single: true, waits: 9, true: []string{`P-189 The server process ends when another one is started`}},
		{name: "start-12s-beside", unusual: true, startup: 3 * time.Second, restart: 9 * time.Second},
		{name: "start-7s", unusual: true, startup: 7 * time.Second},
		{name: "log-line", most: 1, lines: func(m []byte, n int) [][]byte {
			if n > 1 {
				return [][]byte{m}
			}
			return [][]byte{[]byte(`{"name":"otel","level":30,"msg":"started","time":"2026-11-23T06:42:01.110Z"}`), m}
		}, true: []string{`P-100 Not a valid message`}},
		{name: "start-3s", unusual: true, startup: 3 * time.Second},
		{
			name: "dies-at-5th", request: func(n int, _ string, _ []byte) (string, bool) { return "", n >= 5 },
			true: []string{`P-045 The server ends the connection after 5 plain requests: initialize and pings`},
		},
		{name: "ends-after-each", request: func(n int, method string, _ []byte) (string, bool) {
			return "", n > 1 && method != "notifications/initialized"
		}, true: []string{`P-045 The list cannot be read: tools/list returned the end of the connection`}},
		{
			name: "ends-at-string-id", request: func(_ int, _ string, id []byte) (string, bool) { return "", id[0] == '"' },
			true: []string{`P-026 The server ended the connection after ping with the id ""`, `P-041 The server ended the connection after the ids 51 and "51" at once`},
		},
		{name: "ping-id-as-text", only: revision.R20251125, request: func(_ int, method string, id []byte) (string, bool) {
			if method == "ping" {
				return `{"jsonrpc":"2.0","id":` + string(asText(id)) + `,"result":{}}`, false
			}
			return "", false
		}, true: []string{`P-026 The response has the id`, `P-033 .*id`, `P-027 The response to`}},
		{name: "ids-as-text", response: func(m []byte, _ int) []byte {
			e := jsonrpc.Scan(m)
			if id := e.ID.Of(m); e.Kind.IsResponse() && id.Type() == jsonrpc.IDInteger && !bytes.Contains(m, []byte(`"serverInfo"`)) {
				return bytes.Replace(m, append([]byte(`"id":`), id.Shown()...), append([]byte(`"id":`), asText(id.Shown())...), 1)
			}
			return m
		}, true: []string{`P-026 The response has the id`, `P-033 .*id`, `P-027 The response to`, `P-041 .*gets a response with the id`}},
		{name: "ids-with-fraction", unusual: true, response: func(m []byte, _ int) []byte {
			return integerID.ReplaceAll(bytes.TrimSpace(m), []byte("${1}.0${2}"))
		}},
		{name: "ids-escaped", unusual: true, response: func(m []byte, _ int) []byte { return escaped(m) }},
		{name: "flaky", request: func(n int, _ string, id []byte) (string, bool) {
			if n%7 == 0 {
				return refuse(id, -32603, "temporarily unavailable"), false
			}
			return "", false
		}, true: []string{`P-033 .*temporarily unavailable`, `P-058 .*temporarily unavailable`, `P-045 The list cannot be read: .*temporarily unavailable`, `P-067 .*temporarily unavailable`, `P-211 .*temporarily unavailable`}},
		{name: "twice", lines: func(m []byte, _ int) [][]byte {
			if jsonrpc.Scan(m).Kind.IsResponse() {
				return [][]byte{m, m}
			}
			return [][]byte{m}
		}, true: []string{`P-033 The request with id \d+ already has a response`, `P-040 \d+ of 50 requests at once get two responses`}},
		{name: "log-flood", only: revision.R20251125, lines: func(m []byte, _ int) [][]byte {
			all := make([][]byte, 50, 51)
			for i := range all {
				all[i] = []byte(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
			}
			return append(all, m)
		}, true: []string{`P-082 `}},
		{name: "flood", unusual: true, lines: func(m []byte, _ int) [][]byte {
			all := make([][]byte, 20, 21)
			for i := range all {
				all[i] = []byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			}
			return append(all, m)
		}, true: []string{`P-033 .*list_changed`, `P-150 notifications/tools/list_changed does not name its subscription`}},
		{name: "big-list", unusual: true, response: func(m []byte, _ int) []byte {
			return changedList(m, func(all []json.RawMessage) []json.RawMessage {
				for i := range 600 {
					all = append(all, tool(fmt.Sprintf("big%06d", i*7919)))
				}
				return all
			})
		}},
		{name: "errors-single-quotes", response: func(m []byte, _ int) []byte {
			if jsonrpc.Scan(m).Kind == jsonrpc.ErrorResponse {
				return bytes.ReplaceAll(m, []byte(`"`), []byte("'"))
			}
			return m
		}, true: []string{`P-100 The server sent invalid JSON`, `P-033 The server sent invalid JSON`}},
		{name: "tool-refuses", unusual: true, request: func(_ int, method string, id []byte) (string, bool) {
			if method == "tools/call" {
				return `{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"content":[{"type":"text","text":"Not today."}],"isError":true,"resultType":"complete"}}`, false
			}
			return "", false
		}},
	}
}
