package tap_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkProxy_Exchange passes a message to a server and records it.
func BenchmarkProxy_Exchange(b *testing.B) {
	const frame = `{"jsonrpc":"2.0","id":12345,"method":"tools/call","params":{"name":"echo","arguments":{"message":"how long does this take?"}}}`
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	b.Run("direct", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			response, err := http.Post(server.URL+"/mcp", "application/json", strings.NewReader(frame))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
	})
	b.Run("tap", func(b *testing.B) {
		r := newRig(b, echo, nil)
		b.ReportAllocs()
		for b.Loop() {
			response, err := http.Post(r.url+"/mcp", "application/json", strings.NewReader(frame))
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		r.end() // the recording is complete
	})
}

// BenchmarkProxy_Stream passes 10,000 events to a host and records them.
func BenchmarkProxy_Stream(b *testing.B) {
	event := "event: message\ndata: " + strings.Repeat("x", 200) + "\n\n"
	r := newRig(b, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range 10_000 {
			_, _ = io.WriteString(w, event)
		}
	}, nil)
	for b.Loop() {
		response, err := http.Post(r.url+"/mcp", "application/json", strings.NewReader("{}"))
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}
