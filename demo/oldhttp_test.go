package demo

import (
	"bufio"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestTransport_20241105(t *testing.T) {
	w := browse(t, Options{}).at("/sse")
	r := w.do(http.MethodGet, "", "Accept", "text/event-stream")
	defer func() { _ = r.Body.Close() }()
	lines := bufio.NewReader(r.Body)
	next := func() (kind, data string) {
		t.Helper()
		for data == "" {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if v, ok := strings.CutPrefix(line, "event: "); ok {
				kind = strings.TrimSpace(v)
			}
			if v, ok := strings.CutPrefix(line, "data: "); ok {
				data = strings.TrimSpace(v)
			}
		}
		return kind, data
	}
	kind, place := next()
	base, err := url.Parse(w.url)
	if err != nil || kind != "endpoint" {
		t.Fatalf("the first event is %s: %s, %v", kind, place, err)
	}
	post, err := base.Parse(place)
	if err != nil {
		t.Fatal(err)
	}
	messages := *w
	messages.url = post.String()
	for _, frame := range []string{fmt.Sprintf(initializeFrame, "2024-11-05", "{}"), initializedFrame, call("1", "count-up", `{"to":1}`)} {
		answer := messages.do(http.MethodPost, frame)
		if drain(t, answer); answer.StatusCode != http.StatusAccepted {
			t.Errorf("%s: %s", frame, answer.Status)
		}
	}
	for _, want := range []string{`"protocolVersion":"2024-11-05"`, `notifications/progress`, `counted up to 1`} {
		kind, data := next()
		check(t, kind, data, []string{want})
	}
	_ = r.Body.Close()
	for { // until the server has noticed that the stream is gone
		answer := messages.do(http.MethodPost, request("2", "ping", ""))
		if drain(t, answer); answer.StatusCode == http.StatusNotFound {
			return
		}
	}
}
