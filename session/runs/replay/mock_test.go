package replay_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/internal/test/recordingtest"
	"mcptea/session/runs/replay"
)

// peer is a client of a mock on pipes.
type peer struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end chan error
}

func connect(t *testing.T, conversation string, o replay.MockOptions) *peer {
	t.Helper()
	server := replay.NewMock(replay.ReadFile(t, recordingtest.File(t, "stdio", conversation)), o)
	clientOut, serverIn := io.Pipe()
	serverOut, clientIn := io.Pipe()
	p := &peer{t: t, in: serverIn, out: bufio.NewScanner(serverOut), end: make(chan error, 1)}
	go func() {
		err := server.ServeStdio(t.Context(), clientOut, clientIn)
		_ = clientIn.Close()
		p.end <- err
	}()
	t.Cleanup(func() { _ = p.in.Close() })
	return p
}

func (p *peer) send(frames ...string) {
	p.t.Helper()
	for _, frame := range frames {
		if _, err := io.WriteString(p.in, frame+"\n"); err != nil {
			p.t.Fatal(err)
		}
	}
}

// want reads frames and compares them.
func (p *peer) want(frames ...string) {
	p.t.Helper()
	for _, frame := range frames {
		if !p.out.Scan() {
			p.t.Fatalf("the mock ended before %s", frame)
		}
		if p.out.Text() != frame {
			p.t.Fatalf("the mock sent\n%s\nwant\n%s", p.out.Text(), frame)
		}
	}
}

// close ends the input, and checks that nothing more was sent.
func (p *peer) close() {
	p.t.Helper()
	_ = p.in.Close()
	for p.out.Scan() {
		p.t.Errorf("the mock also sent %s", p.out.Text())
	}
	if err := <-p.end; err != nil {
		p.t.Errorf("ServeStdio returned %v", err)
	}
}

const calls = `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","_meta":{"progressToken":1}}}
< {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress": 0.50}}
< {"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"now"}}
< {"result":{"n":2},"id":2,"jsonrpc":"2.0"}
> {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"fail","arguments":{"n":1,"m":[1,2]}}}
< {"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"no"}}`

func TestServer_ResponsesInTheirOrderAndTheLastOneAgain(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"_meta":{"progressToken":"t"},"name":"now"}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress": 0.50}}`, `{"jsonrpc":"2.0","id":"a","result":{"n": 1.0}}`)
	for _, id := range []string{"7", "8", "9"} {
		p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"now"}}`)
		p.want(`{"result":{"n":2},"id":` + id + `,"jsonrpc":"2.0"}`)
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":{"m":[1, 2],"n":1},"name":"fail"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"no"}}`)
	p.close()
}

// A recording of selected frames has no handshake.
func TestServer_HandshakeOfItsOwn(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}},"protocolVersion":"2025-03-26","serverInfo":{"name":"mcptea mock","version":"1"}}}`)
	p.close()
}

// A secret that was redacted in the recording matches any text.
func TestServer_RedactedSecret(t *testing.T) {
	p := connect(t, `
> {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"user":"ada","password":"••••"}}}
< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}`, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"login","arguments":{"user":"ada","password":"correct horse"}}}`)
	p.want(`{"jsonrpc":"2.0","id":5,"result":{"content":[]}}`)
	p.send(`{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"login","arguments":{"user":"eve","password":"correct horse"}}}`)
	p.want(`{"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"no recorded request matches tools/call login; the nearest is frame 1; params.arguments.user is \"eve\", recorded is \"ada\"","data":{"nearestFrame":1,"differences":[{"path":"/params/arguments/user","recorded":"ada","received":"eve"}]}}}`)
	p.close()
}

func TestServer_ProgressOnlyForAToken(t *testing.T) {
	p := connect(t, calls, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now"}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"result":{"n": 1.0}}`)
	p.close()
}

func TestServer_NearestRequest(t *testing.T) {
	var reported []string
	p := connect(t, calls, replay.MockOptions{Report: func(text string) { reported = append(reported, text) }})
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"n":2,"m":[1,2]}}}`)
	p.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no recorded request matches tools/call fail; the nearest is frame 6; params.arguments.n is 2, recorded is 1","data":{"nearestFrame":6,"differences":[{"path":"/params/arguments/n","recorded":1,"received":2}]}}}`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	p.want(`{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"the recording has no request \"tools/list\"; the nearest method is \"tools/call\" (frame 1)"}}`)
	p.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":3,"result":{}}`)
	p.send(`{`)
	p.want(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not a valid message: not JSON"}}`)
	p.close()
	if len(reported) != 2 || !strings.Contains(reported[0], "the nearest is frame 6") {
		t.Errorf("reported %q", reported)
	}
}

const dialogue = `
> {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
< {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}}
< {"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?"}}
> {"jsonrpc":"2.0","id":0,"result":{"action":"accept"}}
< {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}
< {"jsonrpc":"2.0","id":2,"result":{"ok":true}}
< {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`

func TestServer_RequestsOfTheServerWaitForTheirResponse(t *testing.T) {
	p := connect(t, dialogue, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":10,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{}}}`)
	p.want(`{"jsonrpc":"2.0","id":10,"result":{"protocolVersion":"2025-06-18"}}`)
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	p.send(`{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"ask"}}`)
	p.want(`{"jsonrpc":"2.0","id":0,"method":"elicitation/create","params":{"message":"?"}}`)
	p.send(`{"jsonrpc":"2.0","id":0,"result":{"action":"decline"}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`, `{"jsonrpc":"2.0","id":11,"result":{"ok":true}}`,
		`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`)
	// Again: the request gets another id.
	p.send(`{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"ask"}}`)
	p.want(`{"jsonrpc":"2.0","id":"mock-1","method":"elicitation/create","params":{"message":"?"}}`)
	// A cancelled request gets no response.
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12}}`, `{"jsonrpc":"2.0","id":13,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":13,"result":{}}`)
	p.close()
}

func TestServer_SubscriptionFollowsTheRequests(t *testing.T) {
	p := connect(t, `
> {"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{}}}
< {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
> {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change"}}
< {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}}
< {"jsonrpc":"2.0","id":2,"result":{}}`, replay.MockOptions{})
	p.send(`{"jsonrpc":"2.0","id":5,"method":"subscriptions/listen","params":{"notifications":{}}}`)
	p.want(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`)
	p.send(`{"jsonrpc":"2.0","id":6,"method":"ping"}`)
	p.want(`{"jsonrpc":"2.0","id":6,"result":{}}`) // and not the notification
	p.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"change"}}`)
	got := map[string]bool{}
	for range 2 {
		p.out.Scan()
		got[p.out.Text()] = true
	}
	if !got[`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`] || !got[`{"jsonrpc":"2.0","id":7,"result":{}}`] {
		t.Errorf("the mock sent %v", got)
	}
	p.close()
}

func TestServer_Speed(t *testing.T) {
	path := recordingtest.File(t, "stdio", calls)
	synctest.Test(t, func(t *testing.T) {
		server := replay.NewMock(replay.ReadFile(t, path), replay.MockOptions{Speed: 0.001}) // a millisecond lasts a second
		start := time.Now()
		in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fail","arguments":{"n":1,"m":[1,2]}}}` + "\n")
		r, w := io.Pipe()
		out, line := io.Pipe()
		go func() { _ = server.ServeStdio(t.Context(), r, line); _ = line.Close() }()
		_, _ = io.Copy(w, in)
		text, _ := bufio.NewReader(out).ReadString('\n')
		if took := time.Since(start); took != time.Second || !strings.Contains(text, `"no"`) {
			t.Errorf("%q came after %v", text, took)
		}
		_ = w.Close()
		_, _ = io.Copy(io.Discard, out)
	})
}
