package replay_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
	"mcptea/internal/test/recordingtest"
	"mcptea/internal/test/sessiontest"
	"mcptea/internal/test/transporttest"
	"mcptea/offer/diff"
	"mcptea/session/runs/replay"
)

// tap discards the events of a client.
type tap struct{ transporttest.Discard }

func (tap) Step(client.Step)       {}
func (tap) Lost(jsonrpc.ID, error) {}

// exit ends the server as a line of its responses.
const exit = "exit"

// run replays a conversation against a server that returns the lines that respond
// returns for a frame, and returns the results in words.
func run(t *testing.T, conversation string, respond func(frame string) []string) []string {
	t.Helper()
	serve := func(_ context.Context, in io.Reader, out io.Writer) error {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			for _, line := range respond(lines.Text()) {
				if line == exit {
					return nil
				}
				if _, err := io.WriteString(out, line+"\n"); err != nil {
					return err
				}
			}
		}
		return nil
	}
	var got []string
	r := replay.New(replay.ReadFile(t, recordingtest.File(t, "stdio", strings.ReplaceAll(conversation, "\n\n", "\n"))), diff.Options{IgnoreVolatile: true}, func(result replay.Result) {
		text := fmt.Sprintf("%d %s %s", result.Frame, result.Method, result.State)
		for _, d := range result.Differences {
			text += fmt.Sprintf(" %s %s>%s", d.Path, d.Old, d.New)
		}
		if reason := result.Reason(); result.Now != "" || result.State == replay.Failed {
			text += ": " + reason
		}
		got = append(got, text)
	})
	cfg := client.Config{Revision: "2025-06-18", Timeout: 10 * time.Second}
	if err := r.Configure(&cfg); err != nil {
		t.Fatal(err)
	}
	c := sessiontest.Dial(serve)(tap{}, cfg)
	defer func() { _ = c.Close(t.Context()) }()
	r.Use(c)
	if err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	return got
}

const handshake = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"host","version":"7"}}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
`

// result is a response to a frame.
func result(frame, result string) string {
	return string(jsonrpc.EncodeResult(jsonrpc.Scan([]byte(frame)).ID.Of([]byte(frame)).ID(), []byte(result)))
}

func TestRun_CarriesValuesOfTheServer(t *testing.T) {
	const conversation = handshake + `
> {"jsonrpc":"2.0","id":2,"method":"tools/list"}
< {"jsonrpc":"2.0","id":2,"result":{"tools":[],"nextCursor":"page-17"}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"page-17"}}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[{"name":"a"}]}}`
	var sent []string
	got := run(t, conversation, func(frame string) []string {
		sent = append(sent, frame)
		switch {
		case strings.Contains(frame, `"initialize"`):
			return []string{result(frame, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"2"}}`)}
		case strings.Contains(frame, `"cursor":"other-3"`):
			return []string{result(frame, `{"tools":[{"name":"b"}]}`)}
		case strings.Contains(frame, "tools/list"):
			return []string{result(frame, `{"nextCursor":"other-3","tools":[]}`)}
		}
		return nil
	})
	want := []string{
		`1 initialize different /result/serverInfo/version "1">"2"`, "4 tools/list equal",
		`6 tools/list different /result/tools/0 >{"name":"b"} /result/tools/0 {"name":"a"}>`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("the results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(sent[0], `"name":"host"`) || !strings.Contains(sent[0], "elicitation") || strings.Contains(sent[0], "sampling") {
		t.Errorf("the client is not the recorded one: %s", sent[0])
	}
}

// A subscription of which the response came at the end of the session is not waited for.
func TestRun_SubscriptionLasts(t *testing.T) {
	const conversation = handshake + `
> {"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{"notifications":{}}}
> {"jsonrpc":"2.0","id":3,"method":"tools/list"}
< {"jsonrpc":"2.0","id":3,"result":{"tools":[]}}
< {"jsonrpc":"2.0","id":2,"result":{}}
> {"jsonrpc":"2.0","id":4,"method":"prompts/list"}
< {"jsonrpc":"2.0","id":4,"result":{"prompts":[]}}`
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		got := run(t, conversation, func(frame string) []string {
			switch {
			case strings.Contains(frame, `"initialize"`):
				return []string{result(frame, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)}
			case strings.Contains(frame, "tools/list"):
				return []string{result(frame, `{"tools":[]}`)}
			case strings.Contains(frame, "prompts/list"):
				return []string{result(frame, `{"prompts":[]}`)}
			}
			return nil
		})
		if waited := time.Since(start); waited > time.Second {
			t.Errorf("it has waited for %v", waited)
		}
		want := []string{"1 initialize equal", "4 subscriptions/listen not compared", "5 tools/list equal", "8 prompts/list equal"}
		if !slices.Equal(got, want) {
			t.Errorf("the results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

func TestRun_RespondsAsRecorded(t *testing.T) {
	const conversation = handshake + `
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
< {"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"name?","requestedSchema":{"type":"object","properties":{}}}}
> {"jsonrpc":"2.0","id":"q","result":{"action":"accept","content":{"name":"Ada"}}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`
	call := ""
	got := run(t, conversation, func(frame string) []string {
		switch {
		case strings.Contains(frame, `"initialize"`):
			return []string{result(frame, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)}
		case strings.Contains(frame, "tools/call"):
			call = frame
			return []string{`{"jsonrpc":"2.0","id":77,"method":"elicitation/create","params":{"message":"Your name?","requestedSchema":{"type":"object","properties":{}}}}`}
		case strings.Contains(frame, `"id":77`) && strings.Contains(frame, `"Ada"`):
			return []string{`{"jsonrpc":"2.0","id":78,"method":"elicitation/create","params":{"message":"Again?","requestedSchema":{"type":"object","properties":{}}}}`}
		case strings.Contains(frame, `"id":78`) && strings.Contains(frame, `"Ada"`): // the last one again
			return []string{result(call, `{"content":[]}`)}
		}
		return nil
	})
	if want := []string{"1 initialize equal", "4 tools/call equal"}; !slices.Equal(got, want) {
		t.Errorf("the results are\n%s", strings.Join(got, "\n"))
	}
}

func TestRun_PollsATaskUntilItsRecordedStatus(t *testing.T) {
	const conversation = handshake + `
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","task":{}}}
< {"jsonrpc":"2.0","id":2,"result":{"task":{"taskId":"old","status":"working"}}}
> {"jsonrpc":"2.0","id":3,"method":"tasks/get","params":{"taskId":"old"}}
< {"jsonrpc":"2.0","id":3,"result":{"taskId":"old","status":"working","pollInterval":1}}
> {"jsonrpc":"2.0","id":4,"method":"tasks/get","params":{"taskId":"old"}}
< {"jsonrpc":"2.0","id":4,"result":{"taskId":"old","status":"completed","pollInterval":1}}`
	polls := 0
	got := run(t, conversation, func(frame string) []string {
		switch {
		case strings.Contains(frame, `"initialize"`):
			return []string{result(frame, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)}
		case strings.Contains(frame, "tools/call"):
			return []string{result(frame, `{"task":{"taskId":"new","status":"working"}}`)}
		case strings.Contains(frame, `"taskId":"new"`):
			status := "working"
			if polls++; polls == 5 {
				status = "completed"
			}
			return []string{result(frame, `{"taskId":"new","status":"`+status+`","pollInterval":1}`)}
		}
		return nil
	})
	if want := []string{"1 initialize equal", "4 tools/call equal", "8 tasks/get equal"}; !slices.Equal(got, want) || polls != 5 {
		t.Errorf("%d polls, the results are\n%s", polls, strings.Join(got, "\n"))
	}
}

// Of many requests that the recording does not have the first ones are reported, and the
// last one.
func TestRun_MaxUnexpected(t *testing.T) {
	conversation := strings.Replace(handshake, `"elicitation":{}`, `"elicitation":{},"sampling":{}`, 1) + `
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
< {"jsonrpc":"2.0","id":2,"result":{"content":[]}}`
	for _, sent := range []int{100, 101} {
		got := run(t, conversation, func(frame string) (lines []string) {
			switch {
			case strings.Contains(frame, `"initialize"`):
				return []string{result(frame, `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)}
			case strings.Contains(frame, "tools/call"):
				for i := range sent {
					method := "elicitation/create"
					if i == 100 {
						method = "sampling/createMessage"
					}
					lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{}}`, i+10, method))
				}
				return append(lines, result(frame, `{"content":[]}`))
			}
			return nil
		})
		others := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.Contains(s, "sampling/createMessage") })
		if len(got) != 2+100 || len(others) != sent-100 {
			t.Errorf("of %d requests %d are reported, of the other method %d", sent, len(got)-2, len(others))
		}
	}
}

// A request without a response in the recording has a reason, and the outcome of the replay.
func TestRun_NoRecordedResponse(t *testing.T) {
	const initialized = `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
	const call = `> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"a"}}`
	const noResponse = "4 tools/call not compared: the recording has no response: "
	for _, test := range []struct{ name, conversation, respond, want string }{
		{"result", call, `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`, noResponse + "it ends before; now: result"},
		{"tool error", call, `{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}`, noResponse + "it ends before; now: tool error"},
		{"error response", call, `{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"no"}}`, noResponse + "it ends before; now: the server returned error -32602: no"},
		{"crash", call, exit, "4 tools/call failed: the connection is closed; the recording has no response: it ends before"},
		{"silent", call, "", noResponse + "it ends before; now: no response"},
		{
			"cancelled", call + "\n" + `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, "",
			noResponse + "it was cancelled; now: no response",
		},
		{
			"timed out", call + "\n" + `> {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"timed out after 3s"}}`, "",
			noResponse + "it timed out; now: no response",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got := run(t, handshake+test.conversation, func(frame string) []string {
					switch {
					case strings.Contains(frame, `"initialize"`):
						return []string{result(frame, initialized)}
					case strings.Contains(frame, "tools/call") && test.respond != "":
						return []string{test.respond}
					}
					return nil
				})
				if want := []string{"1 initialize equal", test.want}; !slices.Equal(got, want) {
					t.Errorf("the results are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			})
		})
	}
}
