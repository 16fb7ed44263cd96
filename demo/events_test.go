package demo

import (
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
)

func eventFrame(id, method, params string) string { return alone(id, method, "{"+params+"}", "{}", "") }

// seen are the lines until so many of them have come.
func (c *client) seen(n int) string {
	c.t.Helper()
	var all []string
	for range n {
		all = append(all, c.mustLine())
	}
	return strings.Join(all, "\n")
}

func TestEvents_Poll(t *testing.T) {
	c := start(t, Options{})
	c.send(eventFrame("1", "events/poll", `"name":"order.placed","arguments":{"tea":"Assam"},"cursor":null`))
	first := c.mustLine()
	check(t, "from now on", first, []string{`"events":[]`, `"truncated":false`, `"hasMore":false`, `"nextPollMs":1000`, `"resultType":"complete"`})
	cursor := jsonrpc.Text([]byte(first), "result", "cursor")
	c.ask(aloneCall("2", "emit-event", `{"count":3}`, "{}"))
	c.ask(aloneCall("3", "emit-event", `{"tea":"Sencha"}`, "{}"))
	c.send(eventFrame("4", "events/poll", `"name":"order.placed","arguments":{"tea":"Assam"},"maxEvents":2,"cursor":"`+cursor+`"`))
	check(t, "two of three", c.mustLine(), []string{`"order":1`, `"order":2`, `"hasMore":true`})
	c.ask(aloneCall("5", "emit-event", `{"what":"gap"}`, "{}"))
	c.send(eventFrame("6", "events/poll", `"name":"order.placed","cursor":"`+cursor+`"`))
	check(t, "a gap is no error", c.mustLine(), []string{`"events":[]`, `"truncated":true`})
}

func TestEvents_Stream(t *testing.T) {
	c := start(t, Options{})
	c.send(eventFrame(`"s"`, "events/stream", `"name":"order.placed"`))
	check(t, "the first", c.mustLine(), []string{`notifications/events/active`, `subscriptionId":"s"`, `"truncated":false`})
	c.send(aloneCall("2", "emit-event", "", "{}"))
	check(t, "an event", c.seen(2), []string{`notifications/events/event`, `"eventId":"evt_`, `"cups":2`, `emitted 1 of order.placed`})
	c.send(aloneCall("3", "emit-event", `{"what":"gap"}`, "{}"))
	check(t, "a gap", c.seen(2), []string{`notifications/events/active`, `"truncated":true`})
	c.send(aloneCall("4", "emit-event", `{"what":"end"}`, "{}"))
	check(t, "the end", c.seen(2), []string{`"id":"s","result":{`, `subscriptionId":"s"`})
}

func TestEvents_Refusals(t *testing.T) {
	c := start(t, Options{})
	for _, tt := range []struct{ method, params, want string }{
		{"events/poll", `"name":"order.placed","arguments":{"sugar":1}`, `-32602`},
		{"events/stream", `"name":"no.such"`, `"data":{"kind":"event"}`},
		{"events/poll", `"name":"stock.low"`, `"data":{"feature":"deliveryMode","value":"poll"}`},
		// Over stdio there are no webhooks.
		{"events/subscribe", `"name":"order.placed","delivery":{"mode":"webhook","url":"https://example.com","secret":""}`, `"code":-32026`},
		{"events/unsubscribe", `"name":"order.placed","delivery":{"url":"https://example.com"}`, `"data":{"kind":"subscription"}`},
	} {
		c.send(eventFrame("1", tt.method, tt.params))
		check(t, tt.method+" "+tt.params, c.mustLine(), []string{tt.want})
	}
}
