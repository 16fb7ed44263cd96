package demo

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/offer/skill"
)

// scan classifies a line.
func scan(line string) jsonrpc.Envelope { return jsonrpc.Scan([]byte(line)) }

// symptoms says for each stdio fault what a client gets to see. The client has
// not shaken hands.
var symptoms = map[string]func(t *testing.T, c *client){
	"exit-at-once": func(t *testing.T, c *client) {
		if code := <-c.exits; code != 3 {
			t.Errorf("exit code %d", code)
		}
		var exit *ExitError
		if err := c.end(); !errors.As(err, &exit) || exit.Code != 3 {
			t.Errorf("returned %v", err)
		}
		check(t, "stderr", c.errs.String(), []string{"kettle is missing\n"})
	},
	"slow-start": func(_ *testing.T, c *client) {
		c.send(request("1", "ping", "")) // not read before five seconds of the pace
		c.answerTo("1")
	},
	"stderr-flood": func(t *testing.T, c *client) {
		shake(c)
		if n := strings.Count(c.errs.String(), "\n"); n != 10000 {
			t.Errorf("%d lines on stderr", n)
		}
	},
	"no-answer": func(t *testing.T, c *client) {
		c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"), request("1", "ping", ""))
		check(t, "only the ping is answered", c.mustLine(), []string{`"id":1`})
	},
	"init-error": func(t *testing.T, c *client) {
		c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
		check(t, "initialize", c.mustLine(), []string{`"id":"init","error":{"code":-32603`})
	},
	"wrong-version": versionSymptom("1999-01-01"),
	"newer-version": versionSymptom("2099-12-31"),

	"initialize-picks-unknown": versionSymptom("DRAFT-2026-v1"),
	"legacy-only": func(t *testing.T, c *client) {
		c.send(alone("1", "server/discover", "", "{}", ""), alone("2", "tools/list", "", "{}", ""))
		for range 2 {
			check(t, "before the handshake", c.mustLine(), []string{`"code":-32601`})
		}
		shake(c)
		c.send(request("3", "tools/list", ""))
		check(t, "after the handshake", c.answerTo("3"), []string{`"name":"echo"`})
	},
	"modern-only": func(t *testing.T, c *client) {
		c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
		check(t, "initialize", c.mustLine(), []string{`"id":"init","error":{"code":-32022`, `"supported":["2026-07-28"]`, `"requested":"2025-11-25"`})
		c.send(request("1", "tools/list", ""))
		check(t, "no _meta", c.mustLine(), []string{`"code":-32602`})
		check(t, "discover", c.ask(alone("2", "server/discover", "", "{}", ""))[0], []string{`["2026-07-28"]`})
	},
	"dies-unless-initialize": func(t *testing.T, c *client) {
		c.send(alone("1", "server/discover", "", "{}", ""))
		if code := <-c.exits; code != 1 {
			t.Errorf("exit code %d", code)
		}
		if all := c.rest(); len(all) != 0 {
			t.Errorf("got %q", all)
		}
		check(t, "stderr", c.errs.String(), []string{`server/discover, want initialize`})
		again := start(t, Options{Fault: "dies-unless-initialize"})
		shake(again)
	},
	"refuses-modern-calls": func(t *testing.T, c *client) {
		check(t, "discover", c.ask(alone("1", "server/discover", "", "{}", ""))[0], []string{`"2026-07-28"`})
		c.send(alone("2", "tools/list", "", "{}", ""))
		check(t, "what comes next", c.mustLine(), []string{`"id":2,"error":{"code":-32600`})
		shake(c)
		c.send(request("3", "tools/list", ""))
		check(t, "in a session", c.answerTo("3"), []string{`"name":"echo"`})
	},
	"events-silent": func(t *testing.T, c *client) {
		c.send(alone("1", "events/stream", `"name":"order.placed"`, "{}", ""))
		check(t, "the first", c.mustLine(), []string{`events/active`})
		// A heartbeat would come before the response to what takes longer than its interval.
		all := c.ask(aloneCall("2", "slow-answer", `{"seconds":60}`, "{}"))
		if got := strings.Join(all, ""); strings.Contains(got, "heartbeat") {
			t.Errorf("got %s", got)
		}
	},
	"events-data": func(t *testing.T, c *client) {
		c.send(alone("1", "events/stream", `"name":"order.placed"`, "{}", ""))
		check(t, "the first", c.mustLine(), []string{`events/active`})
		c.send(aloneCall("2", "emit-event", "", "{}"))
		check(t, "both", c.mustLine()+c.mustLine(), []string{`"data":{"order":"one"}`, `emitted 1`})
	},
	"events-id": func(t *testing.T, c *client) {
		c.send(alone("1", "events/stream", `"name":"order.placed"`, "{}", ""))
		if line := c.mustLine(); !strings.Contains(line, "events/active") || strings.Contains(line, "subscriptionId") {
			t.Errorf("got %s", line)
		}
	},

	"skill-digest":      skillSymptom("digest"),
	"skill-size":        skillSymptom("size"),
	"skill-frontmatter": skillSymptom("frontmatter"),
	"discover-echo": func(t *testing.T, c *client) {
		c.send(alone("1", "server/discover", "", "{}", ""))
		if got := c.mustLine(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
			t.Errorf("got %s", got)
		}
		shake(c)
	},
	"discover-silent": func(t *testing.T, c *client) {
		c.send(alone("1", "server/discover", "", "{}", ""))
		c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
		check(t, "only initialize is answered", c.mustLine(), []string{`"id":"init"`})
	},
	"header-mismatch": func(t *testing.T, c *client) {
		c.ask(alone("1", "tools/list", "", "{}", ""))
		check(t, "call", c.ask(aloneCall("2", "echo", `{"message":"x"}`, "{}"))[0], []string{`"code":-32020`, `Mcp-Name`})
	},
	"bad-header-schema": func(t *testing.T, c *client) {
		got := c.ask(alone("1", "tools/list", "", "{}", ""))[0]
		check(t, "tools", got, []string{`"name":"header-empty"`, `"x-mcp-header":"My Region"`, `"x-mcp-header":7`})
	},

	"banner": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""), request("2", "ping", ""))
		all := c.rest()
		if len(all) != 5 || !strings.HasPrefix(all[0], "Demo server") || !strings.HasPrefix(all[3], "[debug]") {
			t.Errorf("got %q", all)
		}
	},
	"crlf": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""))
		if got := c.mustLine(); !strings.HasSuffix(got, "}\r") {
			t.Errorf("got %q", got)
		}
	},
	"blank-lines": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""))
		if got := c.rest(); len(got) != 4 || got[0] != "" || got[1] != "  " || got[3] != "" {
			t.Errorf("got %q", got)
		}
	},
	"bom": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""), request("2", "ping", ""))
		if first, second := c.mustLine(), c.mustLine(); scan(first).Flaws != jsonrpc.FlawBOM || scan(second).Flaws != 0 {
			t.Errorf("got %q, %q", first, second)
		}
	},
	"pretty": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""))
		if got := c.rest(); len(got) < 2 || scan(strings.Join(got, "\n")).Kind != jsonrpc.Response {
			t.Errorf("got %q", got)
		}
	},
	"content-length": func(t *testing.T, c *client) {
		c.send(request("1", "ping", ""))
		if got := c.rest(); len(got) != 3 || got[0] != fmt.Sprintf("Content-Length: %d\r", len(got[2])) || got[1] != "\r" {
			t.Errorf("got %q", got)
		}
	},
	"huge-line": func(t *testing.T, c *client) {
		shake(c)
		if got := c.mustLine(); len(got) != hugeSize || scan(got).Kind != jsonrpc.Notification {
			t.Errorf("a line of %d bytes", len(got))
		}
	},
	"batch": answerSymptom(func(line string) bool { return scan(line).Kind == jsonrpc.Batch }),

	"bad-json":  answerSymptom(func(line string) bool { return scan(line).Fault == jsonrpc.FaultNotJSON }),
	"not-utf8":  answerSymptom(func(line string) bool { return scan(line).Fault == jsonrpc.FaultNotUTF8 }),
	"wrong-id":  answerSymptom(func(line string) bool { return strings.Contains(line, `"id":1000001,"result"`) }),
	"string-id": answerSymptom(func(line string) bool { return strings.Contains(line, `"id":"1","result"`) }),
	"result-and-error": answerSymptom(func(line string) bool {
		return scan(line).Fault == jsonrpc.FaultBothMembers
	}),
	"no-version": answerSymptom(func(line string) bool { return scan(line).Flaws == jsonrpc.FlawNoVersion }),
	"duplicate-answer": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		if first, second := c.mustLine(), c.mustLine(); first != second || scan(first).Kind != jsonrpc.Response {
			t.Errorf("got %q, %q", first, second)
		}
	},
	"late-answer": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "never-answer", ""), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		check(t, "after the cancellation", c.mustLine(), []string{`"id":1,"result":{`, `too late`})
	},
	"no-answer-call": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""), request("2", "ping", ""))
		check(t, "only the ping is answered", c.mustLine(), []string{`"id":2`})
	},

	"unknown-notification": func(t *testing.T, c *client) {
		shake(c)
		if got := scan(c.mustLine()); got.Kind != jsonrpc.Notification {
			t.Errorf("got %v", got.Kind)
		}
		check(t, "notification", c.mustLine(), []string{`"method":"kettle"`})
	},
	"server-request": func(t *testing.T, c *client) {
		shake(c)
		check(t, "unknown method", c.mustLine(), []string{`"id":7001,"method":"kettle/boil"`})
		if first, second := c.mustLine(), c.mustLine(); first != second || scan(first).Kind != jsonrpc.Request {
			t.Errorf("got %q, %q", first, second)
		}
	},
	"answer-to-notification": func(t *testing.T, c *client) {
		shake(c)
		if got := c.mustLine(); got != `{"jsonrpc":"2.0","id":null,"result":{}}` {
			t.Errorf("got %s", got)
		}
	},
	"progress-backwards": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		for _, want := range []string{`"progress":3`, `"progress":1`, `"progress":1`, `"progress":9`, `"progressToken":"of-no-request"`, `"result"`} {
			check(t, "progress", c.mustLine(), []string{want})
		}
	},

	"cursor-loop": func(t *testing.T, c *client) {
		shake(c)
		c.send(request("1", "tools/list", ""), request("2", "tools/list", `{"cursor":"`+"YW5vdGhlciByb3VuZA"+`"}`))
		for range 2 {
			check(t, "page", c.mustLine(), []string{`"nextCursor":"YW5vdGhlciByb3VuZA"`, `"name":"echo"`})
		}
	},
	"bad-schema": func(t *testing.T, c *client) {
		shake(c)
		c.send(request("1", "tools/list", ""), call("2", "schema-pattern", `{"message":"works all the same"}`))
		check(t, "tools", c.mustLine(), []string{`"inputSchema":null`, `"inputSchema":{"type":"string"}`, `([a-z`})
		check(t, "call", c.mustLine(), []string{`works all the same`})
	},

	"exit-on-call": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		if code := <-c.exits; code != 2 {
			t.Errorf("exit code %d", code)
		}
		if all := c.rest(); len(all) != 0 {
			t.Errorf("got %q", all)
		}
	},
	"last-line-cut": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		if line := <-c.lines; strings.HasSuffix(line, "\n") || scan(line).Fault != jsonrpc.FaultNotJSON {
			t.Errorf("the last line is %q", line)
		}
		if code := <-c.exits; code != 0 {
			t.Errorf("exit code %d", code)
		}
	},
	"close-stdout": func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		if line, ok := c.line(); ok {
			t.Errorf("got %q", line)
		}
		c.send(request("2", "ping", "")) // still read
		select {
		case err := <-c.ended:
			t.Errorf("the server ended: %v", err)
		default:
		}
		_ = c.in.Close()
		if err := c.end(); err != nil {
			t.Error(err)
		}
	},
	"ignore-stdin-close": func(t *testing.T, c *client) {
		defer signal.Reset(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		shake(c)
		_ = c.in.Close()
		if runtime.GOOS != "windows" { // which has no signal to send
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(syscall.SIGTERM)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		select {
		case err := <-c.ended:
			t.Errorf("the server ended: %v", err)
		case <-time.After(50 * time.Millisecond): // nothing to wait for but time
		}
		c.stop()
		if err := c.end(); err != nil {
			t.Log(err) // the context is what ended it
		}
	},
}

// shake shakes hands, whatever the fault does to the answer.
func shake(c *client) {
	c.t.Helper()
	c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
	c.answerTo(`"init"`)
	c.send(initializedFrame)
}

func versionSymptom(version string) func(*testing.T, *client) {
	return func(t *testing.T, c *client) {
		c.send(fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
		check(t, "initialize", c.mustLine(), []string{`"protocolVersion":"` + version + `"`})
	}
}

// skillSymptom looks at what differs in the files of the first skill from its entry.
func skillSymptom(what string) func(*testing.T, *client) {
	return func(t *testing.T, c *client) {
		c.send(alone("1", "skills/list", "", "{}", ""))
		var found []string
		for raw := range jsonrpc.Elements(jsonrpc.Get([]byte(c.mustLine()), "result", "skills")) {
			entry := skill.Parse(raw)
			for _, f := range entry.Files {
				c.send(alone("2", "resources/read", `"uri":"`+f.URI+`"`, "{}", ""))
				_, verdict := entry.VerifyResult(f.URI, jsonrpc.Get([]byte(c.mustLine()), "result"))
				for _, failure := range verdict.Failures {
					found = append(found, failure.What)
				}
			}
		}
		if got := strings.Join(found, " "); got != what {
			t.Errorf("what differs: %q", got)
		}
	}
}

// answerSymptom looks at the answer to a tool call.
func answerSymptom(wrong func(line string) bool) func(*testing.T, *client) {
	return func(t *testing.T, c *client) {
		shake(c)
		c.send(call("1", "no-arguments", ""))
		if line := c.mustLine(); !wrong(line) {
			t.Errorf("the answer is %s", line)
		}
	}
}

func TestFaultsOverStdio(t *testing.T) {
	for _, f := range Faults() {
		t.Run(f.Name, func(t *testing.T) {
			symptom := symptoms[f.Name]
			if symptom == nil {
				if _, ok := httpSymptoms[f.Name]; !ok {
					t.Fatal("no test")
				}
				return
			}
			symptom(t, start(t, Options{Fault: f.Name}))
		})
	}
}

func TestUnknownFaultIsSaid(t *testing.T) {
	if _, ok := FaultNamed("nope"); ok {
		t.Error("nope is a fault")
	}
	err := New(Options{Fault: "nope"}).ServeStdio(t.Context(), strings.NewReader(""), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), `"nope"`) {
		t.Errorf("got %v", err)
	}
}
