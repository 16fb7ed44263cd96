package replay

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mcptea/client/jsonrpc"
	"mcptea/internal/test/raced"
	"mcptea/internal/test/recordingtest"
)

func newMock(t *testing.T, o MockOptions) *Mock {
	t.Helper()
	return NewMock(ReadFile(t, recordingtest.File(t, "http", "\n> {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n")), o)
}

// kept takes the response to one request.
type kept struct{ frame string }

func (k *kept) Send([]byte) {}

func (k *kept) Answer(frame []byte, _ int) { k.frame = string(frame) }

func TestConversation_MaxCalls(t *testing.T) {
	server := NewMock(ReadFile(t, recordingtest.File(t, "http", `
> {"jsonrpc":"2.0","id":1,"method":"a"}
< {"jsonrpc":"2.0","id":1,"result":{}}
`)), MockOptions{})
	c := server.newConversation(t.Context(), func([]byte) {})
	call := func() string {
		var k kept
		c.handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":7,"method":"a"}`), &k)()
		return k.frame
	}
	for range 9_999 {
		c.calls[&pendingCall{id: jsonrpc.IDOf("1")}] = true
	}
	if got := call(); got != `{"jsonrpc":"2.0","id":7,"result":{}}` {
		t.Errorf("with 9,999 calls pending the next one gets %s", got)
	}
	c.calls[&pendingCall{id: jsonrpc.IDOf("1")}] = true
	if got := call(); !strings.Contains(got, "more than 10000 requests are pending") {
		t.Errorf("with 10,000 calls pending the next one gets %s", got)
	}
}

// Clients without a session share a conversation; a cancellation must not end the call of
// another one.
func TestConversation_CancelSharedID(t *testing.T) {
	c := newMock(t, MockOptions{}).newConversation(t.Context(), func([]byte) {})
	pending := func() (*pendingCall, context.Context) {
		ctx, cancel := context.WithCancel(t.Context())
		p := &pendingCall{id: jsonrpc.IDOf("1"), cancel: cancel}
		c.calls[p] = true
		return p, ctx
	}
	cancel := []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	one, first := pending()
	_, second := pending()
	c.handle(t.Context(), cancel, &kept{})()
	if first.Err() != nil || second.Err() != nil {
		t.Error("a cancellation that may be of either client ends a call")
	}
	delete(c.calls, one)
	c.handle(t.Context(), cancel, &kept{})()
	if second.Err() == nil {
		t.Error("the only call with this id is not cancelled")
	}
}

func TestServer_Delay(t *testing.T) {
	for _, tc := range []struct {
		speed    float64
		from, to int64
		want     time.Duration
	}{
		{0, 0, int64(time.Second), 0},
		{-1, 0, int64(time.Second), 0},
		{1, 0, int64(time.Second), time.Second},
		{2, 0, int64(time.Second), time.Second / 2},
		{0.5, 0, int64(time.Second), 2 * time.Second},
		{1, 5, 5, 0},
		{1, 6, 5, 0},
		{math.SmallestNonzeroFloat64, 0, 1, 365 * 24 * time.Hour},
		{1, 0, math.MaxInt64, 365 * 24 * time.Hour},
	} {
		s := &Mock{MockOptions: MockOptions{Speed: tc.speed}}
		if got := s.delay(tc.from, tc.to); got != tc.want {
			t.Errorf("speed %g from %d to %d: %s, want %s", tc.speed, tc.from, tc.to, got, tc.want)
		}
	}
}

func TestHandler_MaxBody(t *testing.T) {
	raced.Never(t, "a body of 64 MB")
	s := newMock(t, MockOptions{})
	frame := string(jsonrpc.EncodeRequest(jsonrpc.IDOf("1"), "ping", nil))
	for size, want := range map[int]int{64 << 20: http.StatusOK, 64<<20 + 1: http.StatusRequestEntityTooLarge} {
		body := frame + strings.Repeat(" ", size-len(frame))
		w := httptest.NewRecorder()
		s.Handler(t.Context()).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body)))
		if w.Code != want {
			t.Errorf("a body of %d bytes: status %d, %s", size, w.Code, w.Body)
		}
	}
}

// The ids of a connection are bounded, and none is used twice.
func TestIDs_Bound(t *testing.T) {
	raced.Never(t, "one goroutine uses ids until no more are held")
	made := map[string]bool{}
	d := newIDs(func(n int) jsonrpc.ID { return jsonrpc.StringID(fmt.Sprintf("mock-%d", n)) })
	request := func(id string) {
		t.Helper()
		_, got := d.replace([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`))
		if made[got.String()] {
			t.Fatalf("%s is used twice", got)
		}
		made[got.String()] = true
	}
	request(fmt.Sprintf(`"mock-%d"`, maxIDs+3)) // one of the recording that looks like those of the mock
	for range maxIDs + 10 {
		request("1")
	}
	request("2") // it is not known whether it was used
	if made["2"] || len(d.used) != maxIDs || len(d.now) != 3 {
		t.Errorf("%d ids are known, %d recorded ones", len(d.used), len(d.now))
	}
	d.forget()
	clear(made)
	if request("2"); !made["2"] {
		t.Error("a new connection has no id of the recording")
	}
}

// A client that does not respond to the requests that follow a response does not make the mock
// remember each of them for ever.
func TestConversation_RequestsAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := make(chan string, 10)
		server := NewMock(ReadFile(t, recordingtest.File(t, "stdio", `
> {"jsonrpc":"2.0","id":1,"method":"a"}
< {"jsonrpc":"2.0","id":1,"result":{}}
< {"jsonrpc":"2.0","id":"s","method":"ping"}
> {"jsonrpc":"2.0","id":"s","result":{}}
`)), MockOptions{Report: func(text string) { reports <- text }})
		c := server.newConversation(t.Context(), func([]byte) {})
		call := func() { c.handle(t.Context(), []byte(`{"jsonrpc":"2.0","id":7,"method":"a"}`), &kept{})() }
		call()
		synctest.Wait()
		if len(c.requests) != 1 || c.after != 1 {
			t.Errorf("%d requests wait, after %d turns", len(c.requests), c.after)
		}
		c.mu.Lock()
		c.after = maxCalls
		c.mu.Unlock()
		call()
		synctest.Wait()
		if text := <-reports; !strings.Contains(text, "is left out") {
			t.Errorf("reported %q", text)
		}
		time.Sleep(2 * responseTimeout)
		synctest.Wait()
		if len(c.requests) != 0 || c.after != maxCalls-1 {
			t.Errorf("%d requests are kept, after %d turns", len(c.requests), c.after)
		}
		c.stop()
		c.running.Wait()
	})
}
