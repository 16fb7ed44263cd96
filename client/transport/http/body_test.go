package http

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A body that does not end is given up, and a stream that answers a whole body goes on past the limit.
func TestWithBodyTimeout(t *testing.T) {
	const limit = 50 * time.Millisecond
	server := httptest.NewServer(WithBodyTimeout(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "the body did not arrive", http.StatusRequestTimeout)
			return
		}
		_ = http.NewResponseController(w).Flush()
		select {
		case <-time.After(4 * limit):
			_, _ = io.WriteString(w, "streamed")
		case <-r.Context().Done():
		}
	}), limit))
	defer server.Close()
	for body, want := range map[string][2]string{"x": {"408", "did not arrive"}, strings.Repeat("x", 9): {"200", "streamed"}} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\n\r\n%s", body)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%d bytes of 9: %v", len(body), err)
		}
		text, _ := io.ReadAll(response.Body)
		if fmt.Sprint(response.StatusCode) != want[0] || !strings.Contains(string(text), want[1]) {
			t.Errorf("%d bytes of 9: %d %s", len(body), response.StatusCode, text)
		}
		_ = conn.Close()
	}
}
