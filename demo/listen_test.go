package demo

import (
	"bufio"
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// finish ends a client inside of a bubble, where nothing may be left behind.
func (c *client) finish() {
	c.t.Helper()
	c.stop()
	_ = c.in.Close()
	for range c.lines {
	}
	if err := c.end(); err != nil && err != context.Canceled {
		c.t.Error(err)
	}
}

func listenFrame(id, notifications string) string {
	return alone(id, "subscriptions/listen", `{"notifications":`+notifications+`}`, everyCapability, "")
}

// next returns the next line, looked at.
func (c *client) next(want ...string) string {
	c.t.Helper()
	line := c.mustLine()
	method := "subscriptions/listen"
	if strings.Contains(line, `"content"`) {
		method = "tools/call"
	}
	conforms(c.t, method, line)
	check(c.t, "next", line, want)
	return line
}

func TestListen(t *testing.T) {
	c := start(t, Options{})
	c.send(listenFrame(`"s"`, `{"toolsListChanged":true,"promptsListChanged":false,"resourceSubscriptions":["demo://counter","demo://missing"],"taskIds":["nope"]}`))
	ack := c.next(`subscriptions/acknowledged`, `"io.modelcontextprotocol/subscriptionId":"s"`, `"toolsListChanged":true`, `["demo://counter"]`)
	for _, w := range []string{"missing", "nope", "prompts"} {
		if strings.Contains(ack, w) {
			t.Errorf("%s was granted: %s", w, ack)
		}
	}
	c.send(listenFrame("9", `{"promptsListChanged":true,"resourcesListChanged":true}`))
	c.next(`acknowledged`, `Id":9`)

	c.send(aloneCall("1", "change-tools", "", "{}"))
	c.next(`notifications/tools/list_changed`, `Id":"s"`)
	c.next(`"id":1,"result"`, `surprise is there now`)
	check(t, "the tool is there", c.ask(aloneCall("2", "surprise", "", "{}"))[0], []string{`boo`})
	c.send(aloneCall("3", "change-list", "", "{}"))
	c.next(`notifications/prompts/list_changed`, `Id":9`)
	c.next(`"id":3,"result"`)
	c.send(aloneCall("4", "change-list", `{"list":"resources"}`, "{}"))
	c.next(`notifications/resources/list_changed`, `Id":9`)
	c.next(`"id":4,"result"`)
	c.send(aloneCall("5", "touch-resource", "", "{}"))
	c.next(`notifications/resources/updated`, `"uri":"demo://counter"`, `Id":"s"`)
	c.next(`told 1 subscribers`)

	// One is cancelled and gets no answer, the other one is ended by the server.
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"s"}}`)
	for { // until the server has noticed
		if all := c.ask(aloneCall("6", "touch-resource", "", "{}")); strings.Contains(all[len(all)-1], "told 0") {
			break
		}
	}
	c.send(aloneCall("7", "end-subscriptions", "", "{}"))
	both := c.next() + c.next()
	check(t, "the end", both, []string{`ended 1 subscriptions`, `"id":9,"result":{`, `"resultType":"complete"`, `"io.modelcontextprotocol/subscriptionId":9`})
}

func TestSubscriptions_EndOfInput(t *testing.T) {
	c := start(t, Options{})
	c.send(listenFrame("1", `{"toolsListChanged":true}`))
	c.next(`acknowledged`)
	all := c.rest()
	if len(all) != 1 {
		t.Fatalf("got %q", all)
	}
	check(t, "the answer", all[0], []string{`"id":1,"result"`, `subscriptionId":1`})
}

func TestListenRefusals(t *testing.T) {
	c := start(t, Options{})
	c.send(alone("1", "subscriptions/listen", "", "{}", ""))
	check(t, "no filter", c.next(), []string{`"code":-32602`})
	got := c.ask(alone("2", "subscriptions/listen", `{"notifications":{"taskIds":["x"]}}`, "{}", ""))
	check(t, "tasks without the extension", got[0], []string{`"code":-32021`})
}

func TestTheClockTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, Options{}, "2025-11-25", "{}")
		c.send(listenFrame("1", `{"resourceSubscriptions":["demo://clock"]}`))
		c.next(`acknowledged`)
		for range 3 {
			c.next(`notifications/resources/updated`, `"uri":"demo://clock"`)
		}
		c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		c.send(request("2", "resources/subscribe", `{"uri":"demo://clock"}`))
		c.answerTo("2")
		check(t, "in the session", c.mustLine(), []string{`"params":{"uri":"demo://clock"}`})
		c.send(request("3", "resources/unsubscribe", `{"uri":"demo://clock"}`))
		c.answerTo("3")
		c.send(request("4", "resources/read", `{"uri":"demo://clock"}`))
		check(t, "how often", c.mustLine(), []string{`ticked `})
		c.finish()
	})
}

func TestListenOverHTTP(t *testing.T) {
	w := browse(t, Options{}).at("/modern")
	frame := listenFrame("1", `{"toolsListChanged":true}`)
	r := w.do(http.MethodPost, frame, routing(frame)...)
	defer func() { _ = r.Body.Close() }()
	lines := bufio.NewReader(r.Body)
	next := func(want ...string) {
		t.Helper()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				conforms(t, "subscriptions/listen", strings.TrimSpace(data))
				check(t, "event", data, want)
				return
			}
		}
	}
	next(`acknowledged`, `subscriptionId":1`)
	w.ask(aloneCall("2", "change-tools", "", "{}"))
	next(`tools/list_changed`)
	w.ask(aloneCall("3", "end-subscriptions", "", "{}"))
	next(`"id":1,"result"`)
	if line, err := lines.ReadString('\n'); err == nil && strings.TrimSpace(line) != "" {
		t.Errorf("after the answer came %q", line)
	}
}

func TestSubscriptions_ServerShutdown(t *testing.T) {
	w := browse(t, Options{})
	frame := listenFrame("1", `{"toolsListChanged":true}`)
	r := w.do(http.MethodPost, frame, routing(frame)...)
	go w.shutDown()
	if all := events(drain(t, r)); len(all) != 2 || !strings.Contains(all[1].data, `"id":1,"result"`) {
		t.Errorf("got %v", all)
	}
}
