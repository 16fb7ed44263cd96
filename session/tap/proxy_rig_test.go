package tap_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mcptea/client/transport"
	"mcptea/record"
	"mcptea/record/store"
	"mcptea/session/intercept"
	"mcptea/session/tap"
)

// rig is a tap in front of a server.
type rig struct {
	t      testing.TB
	server *httptest.Server
	url    string // of the tap
	dir    string // of the recordings
	gate   *intercept.Gate
	end    func() // ends the tap; the recordings are complete then
}

func newRig(t testing.TB, server http.HandlerFunc, change func(*tap.Proxy)) *rig {
	t.Helper()
	r := &rig{t: t, server: httptest.NewServer(server), dir: t.TempDir(), gate: intercept.New(intercept.Options{})}
	t.Cleanup(r.server.Close)
	to, err := url.Parse(r.server.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.url = "http://" + l.Addr().String()
	count := 0
	p := &tap.Proxy{
		URL: to, Target: to.String(), Gate: r.gate, Warn: func(text string) { t.Log(text) },
		Record: func(transport string) (*store.Writer, error) {
			count++
			return store.NewWriter(store.Options{Path: filepath.Join(r.dir, fmt.Sprintf("%d.jsonl", count))}, record.Header{Transport: transport})
		},
	}
	if change != nil {
		change(p)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := p.Serve(ctx, l); err != nil {
			t.Error(err)
		}
	}()
	r.end = sync.OnceFunc(func() {
		cancel()
		<-ended
	})
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		r.end()
	})
	return r
}

// recordings returns the events of all recordings of the tap, which has ended.
func (r *rig) recordings() (all [][]record.Event) {
	r.t.Helper()
	r.end()
	for n := 1; ; n++ {
		path := filepath.Join(r.dir, fmt.Sprintf("%d.jsonl", n))
		if _, err := os.Stat(path); err != nil {
			return all
		}
		all = append(all, events(r.t, path))
	}
}

// frames returns the frames of a direction.
func frames(all []record.Event, dir transport.Direction) (frames []transport.Frame) {
	for _, e := range all {
		if e.Kind == record.KindFrame && e.Frame.Dir == dir {
			frames = append(frames, e.Frame)
		}
	}
	return frames
}

func bodies(frames []transport.Frame) (texts []string) {
	for _, f := range frames {
		texts = append(texts, string(f.Bytes))
	}
	return texts
}

// exchanges returns the ends of the exchanges.
func exchanges(all []record.Event) (ends []transport.Exchange) {
	for _, e := range all {
		if e.Kind == record.KindHTTP && e.Exchange.Phase == transport.ExchangeDone {
			ends = append(ends, *e.Exchange)
		}
	}
	return ends
}

func (r *rig) post(body string, header ...string) (status int, text string, err error) {
	r.t.Helper()
	request, err := http.NewRequest(http.MethodPost, r.url+"/mcp", strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	b, err := io.ReadAll(response.Body)
	return response.StatusCode, string(b), err
}

// echo returns the body of a request as JSON, or as an event with ?events.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// flushing flushes each write.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}
