package tap_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
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

// BenchmarkProxy_Streams passes 1,000 events in each of 50 streams at a time, through a tap that
// records them and through the reverse proxy of the standard library.
func BenchmarkProxy_Streams(b *testing.B) {
	const streams, events = 50, 1000
	event := "event: message\ndata: " + strings.Repeat("x", 200) + "\n\n"
	stream := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for range events {
			_, _ = io.WriteString(w, event)
			w.(http.Flusher).Flush()
		}
	}
	server := httptest.NewServer(http.HandlerFunc(stream))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		b.Fatal(err)
	}
	bare := httptest.NewServer(httputil.NewSingleHostReverseProxy(target))
	defer bare.Close()
	r := newRig(b, stream, nil)
	for _, c := range []struct{ name, url string }{{"proxy", bare.URL}, {"tap", r.url}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var all sync.WaitGroup
				for range streams {
					all.Go(func() {
						response, err := http.Post(c.url+"/mcp", "application/json", strings.NewReader("{}"))
						if err != nil {
							b.Error(err)
							return
						}
						n, _ := io.Copy(io.Discard, response.Body)
						_ = response.Body.Close()
						if n != int64(events*len(event)) {
							b.Errorf("%d bytes have arrived", n)
						}
					})
				}
				all.Wait()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*streams*events), "ns/event")
		})
	}
}
