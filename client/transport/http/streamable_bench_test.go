package http

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mcptea/client/transport"
	"mcptea/internal/test/transporttest"
)

// idle is a Receiver that only says when an exchange is over.
type idle struct {
	transporttest.Discard
	over chan struct{}
}

func (i idle) Exchange(e transport.Exchange) {
	if e.Phase == transport.ExchangeDone {
		i.over <- struct{}{}
	}
}

// BenchmarkSend measures a call and its answer. The allocations are those of
// both sides, net/http and the test server included.
func BenchmarkSend(b *testing.B) {
	large := `{"jsonrpc":"2.0","id":3,"result":"` + strings.Repeat("x", 50<<20) + `"}`
	events := strings.Repeat("event: message\ndata: "+note+"\n\n", 1000) + "data: " + answer + "\n\n"
	for _, c := range []struct{ name, contentType, text string }{
		{"JSON", JSONType, answer},
		{"stream of 1000 events", StreamType, events},
		{"50 MB JSON", JSONType, large},
		{"50 MB event", StreamType, "data: " + large + "\n\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.contentType)
				_, _ = io.WriteString(w, c.text)
			}))
			defer server.Close()
			r := idle{over: make(chan struct{}, 1)}
			t := NewStreamable(Config{URL: server.URL})
			if err := t.Open(b.Context(), r); err != nil {
				b.Fatal(err)
			}
			defer func() { _ = t.Close(b.Context()) }()
			b.ReportAllocs()
			b.SetBytes(int64(len(c.text)))
			for b.Loop() {
				if err := t.Send(b.Context(), transport.Outgoing{Bytes: []byte(call)}); err != nil {
					b.Fatal(err)
				}
				<-r.over
			}
		})
	}
}
