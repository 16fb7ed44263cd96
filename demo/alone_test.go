package demo

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcptea/internal/server/rpcserver"
)

func TestHeadersAreCompared(t *testing.T) {
	list := alone("1", "tools/list", "", "{}", "")
	echo := aloneCall("1", "echo", `{"message":"x"}`, "{}")
	order := aloneCall("1", "price-order", `{"region":"Grüße","cups":42,"express":true,"to":{"table":" 7 "}}`, "{}")
	params := []string{
		"Mcp-Param-Region", "=?base64?R3LDvMOfZQ==?=", "Mcp-Param-Cups", "42", "Mcp-Param-Express", "true",
		"Mcp-Param-Table", "=?base64?IDcg?=",
	}
	tests := []struct {
		name    string
		frame   string
		headers []string
		status  int
		want    string
	}{
		{"all well", list, nil, 200, `"result"`},
		{"no version", list, []string{rpcserver.VersionHeader, ""}, 400, `-32020`},
		{"other version", list, []string{rpcserver.VersionHeader, "2025-11-25"}, 400, `-32020`},
		{"no method", list, []string{"Mcp-Method", ""}, 400, `-32020`},
		{"other method", list, []string{"Mcp-Method", "prompts/list"}, 400, `-32020`},
		{"no name", echo, []string{"Mcp-Name", ""}, 400, `-32020`},
		{"other name", echo, []string{"Mcp-Name", "add"}, 400, `-32020`},
		{"name in Base64", echo, []string{"Mcp-Name", "=?base64?ZWNobw==?="}, 200, `"result"`},
		{"name in bad Base64", echo, []string{"Mcp-Name", "=?base64?ZWNob?="}, 400, `-32020`},
		{"arguments", order, params, 200, `42 cups to table`},
		{"no arguments", order, nil, 400, `Mcp-Param-`},
		{"other argument", order, append(params, "Mcp-Param-Cups", "43"), 400, `Mcp-Param-Cups`},
		{"another session", list, []string{rpcserver.SessionHeader, "nope"}, 200, `"result"`},
		{"unknown version", strings.Replace(list, "2026-07-28", "2099-01-01", 1), []string{rpcserver.VersionHeader, "2099-01-01"}, 400, `-32022`},
		{"accepts JSON only", list, []string{"Accept", "application/json"}, 406, `error`},
	}
	w := browse(t, Options{})
	for _, tt := range tests {
		for _, path := range []string{"/mcp", "/modern"} {
			r := w.at(path).do(http.MethodPost, tt.frame, append(routing(tt.frame), tt.headers...)...)
			body := drain(t, r)
			if r.StatusCode != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%s: %s: %s %s", path, tt.name, r.Status, body)
			}
			if tt.status != 406 {
				conforms(t, scan(tt.frame).MethodName([]byte(tt.frame)), body)
			}
		}
	}
}

func TestTheModernEndpoint(t *testing.T) {
	w := browse(t, Options{}).at("/modern")
	hello := fmt.Sprintf(initializeFrame, "2025-11-25", "{}")
	tests := []struct {
		name, method, body string
		status             int
		want               string
	}{
		{"GET", "GET", "", 405, `error`},
		{"DELETE", "DELETE", "", 405, `error`},
		{"handshake", "POST", hello, 400, `"code":-32022`},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, 202, ``},
		{"batch", "POST", "[" + alone("1", "tools/list", "", "{}", "") + "]", 400, `"code":-32600`},
		{"answer", "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, 400, `"code":-32600`},
		{"no JSON", "POST", `nonsense`, 400, `"code":-32700`},
	}
	for _, tt := range tests {
		r := w.do(tt.method, tt.body)
		if body := drain(t, r); r.StatusCode != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %s %s", tt.name, r.Status, body)
		}
		if allow := r.Header.Get("Allow"); tt.status == 405 && allow != "POST" {
			t.Errorf("%s: Allow: %s", tt.name, allow)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		r := w.at("/mcp").do(method, "", rpcserver.VersionHeader, "2026-07-28")
		if drain(t, r); r.StatusCode != 405 {
			t.Errorf("%s at /mcp: %s", method, r.Status)
		}
	}
	check(t, "discover", w.ask(alone("1", "server/discover", "", "{}", ""))[0], []string{`"supportedVersions":["2026-07-28"]`})
}

func TestTheLegacyEndpoint(t *testing.T) {
	w := browse(t, Options{}).at("/legacy")
	frame := alone("1", "server/discover", "", "{}", "")
	r := w.do(http.MethodPost, frame, routing(frame)...)
	if body := drain(t, r); r.StatusCode != 400 || !strings.Contains(body, `-32601`) {
		t.Errorf("%s %s", r.Status, body)
	}
	w.shakeHands("2025-11-25", "{}")
}

func TestEndpoint_BothEras(t *testing.T) {
	w := browse(t, Options{})
	w.ask(alone("1", "tools/list", "", "{}", ""))
	w.shakeHands("2025-11-25", "{}")
	r := w.do(http.MethodPost, request("1", "tools/list", ""))
	if body := drain(t, r); strings.Contains(body, "resultType") {
		t.Errorf("the session got %.200s", body)
	}
}

func TestProgress_EventsWithoutIDs(t *testing.T) {
	w := browse(t, Options{})
	frame := alone("1", "tools/call", `{"name":"count-up","arguments":{"to":2}}`, "{}", `"progressToken":1`)
	r := w.do(http.MethodPost, frame, routing(frame)...)
	if r.Header.Get("Content-Type") != "text/event-stream" || r.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("headers %v", r.Header)
	}
	body := drain(t, r)
	if all := events(body); len(all) != 3 || strings.Contains(body, "id: ") {
		t.Errorf("got %s", body)
	}
}

func TestDisconnect_Cancels(t *testing.T) {
	w := browse(t, Options{})
	listen := alone("1", "subscriptions/listen", `{"notifications":{"resourceSubscriptions":["demo://counter"]}}`, "{}", "")
	r := w.do(http.MethodPost, listen, routing(listen)...)
	buf := make([]byte, 1)
	if _, err := r.Body.Read(buf); err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	for { // until the server has noticed
		got := w.ask(aloneCall("2", "touch-resource", "", "{}"))
		if strings.Contains(got[0], "told 0") {
			return
		}
	}
}
