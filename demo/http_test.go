package demo

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mcptea/client/jsonrpc"
	"mcptea/internal/server/rpcserver"
)

func TestHTTPRefusals(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	ping := request("1", "ping", "")
	hello := fmt.Sprintf(initializeFrame, "2025-11-25", "{}")
	tests := []struct {
		name    string
		method  string
		body    string
		headers []string
		status  int
	}{
		{"wrong content type", "POST", ping, []string{"Content-Type", "text/plain"}, 415},
		{"no content type", "POST", ping, []string{"Content-Type", ""}, 415},
		{"content type with charset", "POST", ping, []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"accepts JSON only", "POST", ping, []string{"Accept", "application/json"}, 406},
		{"accepts anything", "POST", ping, []string{"Accept", "*/*"}, 200},
		{"GET for JSON", "GET", "", []string{"Accept", "application/json"}, 406},
		{"PUT", "PUT", ping, nil, 405},
		{"no session", "POST", ping, []string{rpcserver.SessionHeader, ""}, 400},
		{"no session, unknown method", "POST", request("1", "server/discover", "{}"), []string{rpcserver.SessionHeader, ""}, 400},
		{"unknown session", "POST", ping, []string{rpcserver.SessionHeader, "nope"}, 404},
		{"GET without session", "GET", "", []string{rpcserver.SessionHeader, ""}, 400},
		{"DELETE without session", "DELETE", "", []string{rpcserver.SessionHeader, ""}, 400},
		{"DELETE of an unknown session", "DELETE", "", []string{rpcserver.SessionHeader, "nope"}, 404},
		{"unknown revision", "POST", ping, []string{rpcserver.VersionHeader, "1999-01-01"}, 400},
		{"other revision", "POST", ping, []string{rpcserver.VersionHeader, "2025-06-18"}, 400},
		{"no revision", "POST", ping, []string{rpcserver.VersionHeader, ""}, 200},
		{"foreign origin", "POST", ping, []string{"Origin", "https://evil.example"}, 403},
		{"foreign origin that looks local", "POST", ping, []string{"Origin", "http://localhost.evil.example"}, 403},
		{"null origin", "POST", ping, []string{"Origin", "null"}, 403},
		{"local origin", "POST", ping, []string{"Origin", "http://localhost:6274"}, 200},
		{"local address", "POST", ping, []string{"Origin", "http://[::1]:80"}, 200},
		{"no JSON", "POST", "nonsense", nil, 400},
		{"batch", "POST", "[" + ping + "]", nil, 400},
		{"unknown event", "GET", "", []string{"Last-Event-ID", "99-1"}, 400},
		{"nonsense event", "GET", "", []string{"Last-Event-ID", "x"}, 400},
		{"refused handshake", "POST", strings.Replace(hello, "clientInfo", "unknown", 1), []string{rpcserver.SessionHeader, ""}, 200},
	}
	for _, tt := range tests {
		r := w.do(tt.method, tt.body, tt.headers...)
		body := drain(t, r)
		if r.StatusCode != tt.status {
			t.Errorf("%s: %s %s, want %d", tt.name, r.Status, body, tt.status)
		}
		if k := scan(body).Kind; !k.IsResponse() {
			t.Errorf("%s: the body is no JSON-RPC: %s", tt.name, body)
		}
		if tt.name != "no session" && r.Header.Get(rpcserver.SessionHeader) != "" {
			t.Errorf("%s: a session came", tt.name)
		}
	}
	if r := w.do("POST", ping, "Accept", "application/json, text/event-stream"); r.StatusCode != 200 {
		t.Errorf("after all that: %s", r.Status)
	} else {
		drain(t, r)
	}
}

func TestResponses_JSONOrEvents(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	r := w.do(http.MethodPost, call("1", "echo", `{"message":"x"}`))
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("echo: %s", got)
	}
	drain(t, r)
	r = w.do(http.MethodPost, call("2", "count-up", `{"to":2,"interval":0}`))
	body := drain(t, r)
	if got := r.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("count-up: %s", got)
	}
	if !strings.Contains(body, "-0\ndata: \n\n") {
		t.Errorf("no priming event in %s", body)
	}
	all := events(body)
	if len(all) != 3 || !strings.Contains(all[2].data, `"id":2,"result"`) || all[0].id == all[1].id {
		t.Errorf("events %v", all)
	}
}

func TestDelete_EndsTheSession(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	stream := w.do(http.MethodGet, "", "Accept", "text/event-stream")
	r := w.do(http.MethodDelete, "")
	drain(t, r)
	if r.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE: %s", r.Status)
	}
	drain(t, stream) // ends
	r = w.do(http.MethodPost, request("1", "ping", ""))
	drain(t, r)
	if r.StatusCode != http.StatusNotFound {
		t.Errorf("afterwards: %s", r.Status)
	}
}

func TestGetStream_NotificationsAndResumption(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	for i := range 3 {
		drain(t, w.do(http.MethodPost, call(fmt.Sprint(i), "change-tools", "")))
	}
	all := w.listen(3)
	if !strings.Contains(all[2].data, "list_changed") {
		t.Errorf("got %v", all)
	}
	again := w.listen(2, "Last-Event-ID", all[0].id)
	if again[0] != all[1] || again[1] != all[2] {
		t.Errorf("after %s came %v, want %v", all[0].id, again, all[1:])
	}
}

// listen opens a GET stream, reads so many events and gives the stream up.
func (w *web) listen(n int, headers ...string) []sse {
	w.t.Helper()
	r := w.do(http.MethodGet, "", append(headers, "Accept", "text/event-stream")...)
	for r.StatusCode == http.StatusConflict { // a stream given up, not noticed yet
		drain(w.t, r)
		r = w.do(http.MethodGet, "", append(headers, "Accept", "text/event-stream")...)
	}
	defer func() { _ = r.Body.Close() }()
	var text strings.Builder
	lines := bufio.NewReader(r.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			w.t.Fatalf("%v after %q", err, text.String())
		}
		text.WriteString(line)
		if all := events(text.String()); line == "\n" && len(all) == n {
			return all
		}
	}
}

func TestResponse_FetchedAfterBrokenStream(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", allCapabilities)
	r := w.do(http.MethodPost, call("1", "list-roots", ""))
	id := ""
	for lines := bufio.NewReader(r.Body); id == ""; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if v, ok := strings.CutPrefix(line, "id: "); ok && !strings.HasSuffix(v, "-0\n") {
			id = strings.TrimSpace(v) // of the event with the request
		}
	}
	_ = r.Body.Close()
	drain(t, w.do(http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`))
	all := w.listen(1, "Last-Event-ID", id)
	check(t, "resumed", all[0].data, []string{`"id":1,"result"`, `0 roots`})
}

func TestRequestsOfTheServerOverHTTP(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", allCapabilities)
	r := w.do(http.MethodPost, call("1", "list-roots", ""))
	lines := bufio.NewReader(r.Body)
	defer func() { _ = r.Body.Close() }()
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		data, ok := strings.CutPrefix(line, "data: {")
		if !ok {
			continue
		}
		frame := []byte("{" + data)
		if e := jsonrpc.Scan(frame); e.Kind == jsonrpc.Response {
			check(t, "answer", string(frame), []string{`"id":1,"result"`, `0 roots`})
			return
		} else if got := e.MethodName(frame); got != "roots/list" {
			t.Errorf("the server asked for %s", got)
		}
		answer := w.do(http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		drain(t, answer)
		if answer.StatusCode != http.StatusAccepted {
			t.Errorf("answering: %s", answer.Status)
		}
	}
}

func TestSessions_OldestMakesRoom(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	oldest := w.session
	for range 100 {
		w.session = ""
		w.shakeHands("2025-11-25", "{}")
	}
	for session, want := range map[string]int{oldest: 404, w.session: 200} {
		r := w.do(http.MethodPost, request("1", "ping", ""), rpcserver.SessionHeader, session)
		drain(t, r)
		if r.StatusCode != want {
			t.Errorf("%s, want %d", r.Status, want)
		}
	}
}

func TestFloodOverHTTP(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-11-25", "{}")
	all := frames(t, w.do(http.MethodPost, call("1", "flood", `{"count":20000}`)))
	if len(all) != 20001 {
		t.Errorf("%d frames", len(all))
	}
}

func TestBatchOverHTTP(t *testing.T) {
	w := browse(t, Options{})
	w.shakeHands("2025-03-26", "{}")
	r := w.do(http.MethodPost, "["+request("1", "ping", "")+","+request("2", "ping", "")+"]")
	if body := drain(t, r); r.Header.Get("Content-Type") != "application/json" || strings.Count(body, `"result":{}`) != 2 {
		t.Errorf("%s %s", r.Status, body)
	}
	r = w.do(http.MethodPost, "["+initializedFrame+"]")
	if body := drain(t, r); r.StatusCode != http.StatusAccepted || body != "" {
		t.Errorf("%s %s", r.Status, body)
	}
}
