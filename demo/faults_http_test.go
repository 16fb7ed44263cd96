package demo

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
)

var httpSymptoms = map[string]func(t *testing.T, w *web){
	"http-401": func(t *testing.T, w *web) {
		r := w.do(http.MethodPost, request("1", "ping", ""))
		drain(t, r)
		if r.StatusCode != 401 || !strings.HasPrefix(r.Header.Get("WWW-Authenticate"), "Bearer ") {
			t.Errorf("%s %v", r.Status, r.Header)
		}
	},
	"header-mismatch": func(t *testing.T, w *web) {
		check(t, "call", w.ask(aloneCall("2", "echo", `{"message":"x"}`, "{}"))[0], []string{`"code":-32020`})
	},
	"discover-echo": func(t *testing.T, w *web) {
		frame := alone("1", "server/discover", "", "{}", "")
		r := w.do(http.MethodPost, frame, routing(frame)...)
		if body := drain(t, r); r.StatusCode != 200 || !strings.HasSuffix(body, `"result":{}}`) {
			t.Errorf("%s %s", r.Status, body)
		}
	},
	"modern-only": func(t *testing.T, w *web) {
		for _, path := range []string{"/mcp", "/legacy"} {
			r := w.at(path).do(http.MethodPost, fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
			if body := drain(t, r); r.StatusCode != 400 || !strings.Contains(body, `-32022`) {
				t.Errorf("%s: %s %s", path, r.Status, body)
			}
		}
	},
	"http-404":      statusSymptom(404, "text/plain"),
	"http-500-html": statusSymptom(500, "text/html"),
	"http-html":     statusSymptom(200, "text/html; charset=utf-8"),
	"http-wrong-type": func(t *testing.T, w *web) {
		r := w.do(http.MethodPost, fmt.Sprintf(initializeFrame, "2025-11-25", "{}"))
		if body := drain(t, r); r.Header.Get("Content-Type") != "text/plain" || scan(body).Kind != jsonrpc.Response {
			t.Errorf("%s %s", r.Header.Get("Content-Type"), body)
		}
	},
	"http-hang": func(t *testing.T, w *web) {
		w.client.Timeout = 50 * time.Millisecond
		r, err := w.client.Post(w.url, "application/json", strings.NewReader(request("1", "ping", "")))
		if err == nil {
			_ = r.Body.Close()
			t.Errorf("got %s", r.Status)
		}
	},
	"http-drop": func(t *testing.T, w *web) {
		w.shakeHands("2025-11-25", "{}")
		r := w.do(http.MethodPost, call("1", "no-arguments", ""))
		body, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err == nil || bytes.Contains(body, []byte("result")) {
			t.Errorf("read %q, %v", body, err)
		}
	},
	"http-gateway": func(t *testing.T, w *web) {
		frame := alone("1", "server/discover", "", "{}", "")
		r := w.do(http.MethodPost, frame, routing(frame)...)
		if body := drain(t, r); r.StatusCode != 404 || !strings.Contains(body, `"id":1,"error":{"code":-32601`) {
			t.Errorf("%s %s", r.Status, body)
		}
		frame = alone("2", "tools/list", "", "{}", "")
		r = w.do(http.MethodPost, frame, routing(frame)...)
		if body := drain(t, r); r.StatusCode != 200 || !strings.Contains(body, `"name":"echo"`) || strings.Contains(body, "resultType") {
			t.Errorf("%s %.300s", r.Status, body)
		}
		w.shakeHands("2025-11-25", "{}")
		check(t, "echo", frames(t, w.do(http.MethodPost, call("3", "echo", `{"message":"x"}`)))[0], []string{`"text":"x"`})
	},
	"http-session-expired": func(t *testing.T, w *web) {
		w.shakeHands("2025-11-25", "{}") // sends the first request in the session
		for i, want := range []int{200, 200, 404, 404} {
			r := w.do(http.MethodPost, request("1", "ping", ""))
			drain(t, r)
			if r.StatusCode != want {
				t.Errorf("request %d: %s, want %d", i, r.Status, want)
			}
		}
		w.session = ""
		w.shakeHands("2025-11-25", "{}") // and starting over works
	},
}

func statusSymptom(status int, contentType string) func(*testing.T, *web) {
	return func(t *testing.T, w *web) {
		r := w.do(http.MethodPost, request("1", "ping", ""))
		drain(t, r)
		if r.StatusCode != status || r.Header.Get("Content-Type") != contentType {
			t.Errorf("%s, %s", r.Status, r.Header.Get("Content-Type"))
		}
	}
}

func TestFaultsOverHTTP(t *testing.T) {
	for name, symptom := range httpSymptoms {
		t.Run(name, func(t *testing.T) { symptom(t, browse(t, Options{Fault: name})) })
	}
}

func TestFaults_ResponsesOverHTTP(t *testing.T) {
	w := browse(t, Options{Fault: "duplicate-answer"})
	w.shakeHands("2025-11-25", "{}")
	if all := frames(t, w.do(http.MethodPost, call("1", "no-arguments", ""))); len(all) != 2 || all[0] != all[1] {
		t.Errorf("got %q", all)
	}
	w = browse(t, Options{Fault: "bad-json"})
	w.shakeHands("2025-11-25", "{}")
	if all := frames(t, w.do(http.MethodPost, call("1", "no-arguments", ""))); len(all) != 1 || scan(all[0]).Fault != jsonrpc.FaultNotJSON {
		t.Errorf("got %q", all)
	}
}
