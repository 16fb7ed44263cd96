package replay

import (
	"context"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcptea/client/jsonrpc"
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
