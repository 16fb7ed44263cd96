package tap_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
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

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mcptea/client/transport"
	"mcptea/internal/test/oddframes"
	"mcptea/session/intercept"
	"mcptea/session/record"
	"mcptea/session/record/store"
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

func TestProxy_KeepsEveryByteOfBodies(t *testing.T) {
	for name, breakpoints := range map[string][]intercept.Breakpoint{"open": nil, "active": {{Filter: "method:no-such-method"}}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, echo, nil)
			if err := r.gate.SetBreakpoints(breakpoints); err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, body := range oddframes.Bodies(3, 200) {
				sent = append(sent, string(body))
				status, got, err := r.post(string(body), "Mcp-Session-Id", "one")
				if err != nil || status != 200 || got != string(body) {
					t.Fatalf("status %d, %v; got %q, want %q", status, err, got, body)
				}
			}
			recorded := r.recordings()
			if len(recorded) != 1 {
				t.Fatalf("%d recordings", len(recorded))
			}
			for _, dir := range []transport.Direction{transport.Out, transport.In} {
				if diff := cmp.Diff(sent, bodies(frames(recorded[0], dir))); diff != "" {
					t.Errorf("recorded %s (-sent +recorded):\n%s", dir, diff)
				}
			}
		})
	}
}

// oddStream is an event stream with all line endings, comments, ids, types, several
// data lines, and an incomplete event at the end.
func oddStream() (raw []byte, data []string) {
	var b bytes.Buffer
	b.WriteString("\xef\xbb\xbf: comment\nretry: 2000\n\n")
	for i, body := range oddframes.Bodies(4, 300) {
		end := []string{"\n", "\r\n", "\r"}[i%3]
		if bytes.ContainsAny(body, "\r") {
			continue
		}
		fmt.Fprintf(&b, "event: message%sid: %d%sdata:%s%s%s", end, i, end, body, end, end)
		data = append(data, strings.TrimPrefix(string(body), " "))
		if i%10 == 0 {
			fmt.Fprintf(&b, ": ping%s%sid:%sdata: {%sdata: }%s%s%s", end, end, end, end, end, end, end)
			data = append(data, "{\n}")
		}
	}
	b.WriteString("data: {\"incomplete\"")
	return b.Bytes(), append(data, `{"incomplete"`)
}

func TestProxy_KeepsEveryByteOfStreams(t *testing.T) {
	raw, data := oddStream()
	for name, toggle := range map[string]bool{"open": false, "active": true} {
		t.Run(name, func(t *testing.T) {
			var r *rig
			r = newRig(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for i, rest := 0, raw; len(rest) > 0; i++ {
					n := min(len(rest), 1+len(rest)%333)
					_, _ = w.Write(rest[:n])
					w.(http.Flusher).Flush()
					rest = rest[n:]
					if toggle { // in the middle of events
						var list []intercept.Breakpoint
						if i%3 != 0 {
							list = []intercept.Breakpoint{{Filter: "method:no-such-method"}}
						}
						_ = r.gate.SetBreakpoints(list)
					}
				}
			}, nil)
			response, err := http.Get(r.url + "/mcp")
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			if err != nil || !bytes.Equal(got, raw) {
				t.Fatalf("the stream was changed on its way: %v, %d bytes, want %d", err, len(got), len(raw))
			}
			recorded := r.recordings()[0]
			in := frames(recorded, transport.In)
			if diff := cmp.Diff(data, bodies(in)); diff != "" {
				t.Errorf("recorded (-sent +recorded):\n%s", diff)
			}
			if !in[len(in)-1].Truncated || in[0].EventID != "0" || in[0].EventName != "message" {
				t.Errorf("first %+v, last %+v", in[0], in[len(in)-1])
			}
			if x := exchanges(recorded)[0]; x.Purpose != "listen" || x.Received != int64(len(raw)) || x.ClosedBy != transport.ClosedByPeer || x.Retry.Seconds() != 2 {
				t.Errorf("exchange %+v", x)
			}
		})
	}
}

// TestProxy_PassesEventsAtOnce has the server wait for the client after each event.
func TestProxy_PassesEventsAtOnce(t *testing.T) {
	next := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush() // the headers alone pass, too
		for i := range 5 {
			<-next
			_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
		}
	}, nil)
	response, err := http.Get(r.url + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	lines := bufio.NewReader(response.Body)
	for i := range 5 {
		next <- struct{}{}
		line, err := lines.ReadString('\n')
		if err != nil || line != fmt.Sprintf("data: %d\n", i) {
			t.Fatalf("%q, %v", line, err)
		}
		_, _ = lines.ReadString('\n')
	}
}

// TestProxy_PassesRequestBodyAtOnce has the client wait for the server in the middle of
// its body.
func TestProxy_PassesRequestBodyAtOnce(t *testing.T) {
	received := make(chan string)
	r := newRig(t, func(_ http.ResponseWriter, q *http.Request) {
		b := make([]byte, 5)
		for range 2 {
			_, _ = io.ReadFull(q.Body, b)
			received <- string(b)
		}
	}, nil)
	body, w := io.Pipe()
	ended := make(chan error)
	go func() {
		response, err := http.Post(r.url+"/mcp", "application/json", body)
		if err == nil {
			_ = response.Body.Close()
		}
		ended <- err
	}()
	for _, part := range []string{"[1, 2", ", 3] "} {
		_, _ = io.WriteString(w, part)
		if got := <-received; got != part {
			t.Errorf("got %q", got)
		}
	}
	_ = w.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestProxy_SameAsDirect(t *testing.T) {
	var seen []http.Header
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		h := q.Header.Clone()
		h.Set("Host", q.Host)
		h.Set("URI", q.RequestURI)
		seen = append(seen, h)
		w.Header().Add("Set-Cookie", "a=1; HttpOnly")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Set("X-Powered-By", "Tests")
		w.Header().Set("Trailer", "X-Checksum")
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, `{"a": 1 }`)
		w.Header().Set("X-Checksum", "abc")
	}, nil)
	request := func(base string) *http.Response {
		q, _ := http.NewRequest(http.MethodPost, base+"/mcp/a%2Fb?x=1&y=%zz;z", strings.NewReader(`{}`))
		for name, value := range map[string]string{
			"Cookie": "c=3", "Authorization": "Bearer secret-token-1234", "Mcp-Protocol-Version": "2025-11-25", "X-Forwarded-For": "10.0.0.1",
			"Accept-Encoding": "br, zstd", "User-Agent": "", "Origin": base,
		} {
			q.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(b) != `{"a": 1 }` {
			t.Errorf("body %q", b)
		}
		response.Header.Del("Date")
		return response
	}
	direct, through := request(r.server.URL), request(r.url)
	if direct.Status != through.Status || direct.Proto != through.Proto {
		t.Errorf("status %s %s, want %s %s", through.Proto, through.Status, direct.Proto, direct.Status)
	}
	if diff := cmp.Diff(direct.Header, through.Header); diff != "" {
		t.Errorf("headers of the response (-direct +tap):\n%s", diff)
	}
	if diff := cmp.Diff(direct.Trailer, through.Trailer); diff != "" {
		t.Errorf("trailers (-direct +tap):\n%s", diff)
	}
	if diff := cmp.Diff(seen[0], seen[1]); diff != "" {
		t.Errorf("headers of the request (-direct +tap):\n%s", diff)
	}
	r.end()
	text, err := os.ReadFile(filepath.Join(r.dir, "1.jsonl"))
	if err != nil || strings.Contains(string(text), "secret-token-1234") || !strings.Contains(string(text), "X-Powered-By") {
		t.Errorf("recording: %v\n%s", err, text)
	}
}

func TestProxy_RefusesOtherSites(t *testing.T) {
	called := false
	r := newRig(t, func(http.ResponseWriter, *http.Request) { called = true }, nil)
	for _, c := range []struct{ host, origin string }{
		{"evil.example", ""}, {"127.0.0.1.evil.example:80", ""}, {"", "https://evil.example"}, {"", "null"},
	} {
		q, _ := http.NewRequest(http.MethodPost, r.url+"/mcp", strings.NewReader("{}"))
		q.Host = c.host
		if c.origin != "" {
			q.Header.Set("Origin", c.origin)
		}
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusForbidden || called {
			t.Errorf("%+v: status %d", c, response.StatusCode)
		}
	}
	// A picture of a page has no Origin and the right Host.
	for site, want := range map[string]int{"cross-site": http.StatusForbidden, "same-site": http.StatusOK, "none": http.StatusOK} {
		called = false
		q, _ := http.NewRequest(http.MethodGet, r.url+"/logout", nil)
		q.Header.Set("Sec-Fetch-Site", site)
		response, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want || called != (want == http.StatusOK) {
			t.Errorf("Sec-Fetch-Site %s: status %d, the server is reached: %v", site, response.StatusCode, called)
		}
	}
	for _, origin := range []string{"http://localhost:6274", "http://[::1]:80"} {
		called = false
		if status, _, err := r.post("{}", "Origin", origin); err != nil || status != 200 || !called {
			t.Errorf("%s: status %d, %v", origin, status, err)
		}
	}
}

func TestProxy_EndpointOfHTTPSSE(t *testing.T) {
	messages := make(chan string, 1)
	var r *rig
	r = newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if q.Method == http.MethodPost {
			b, _ := io.ReadAll(q.Body)
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, "Accepted")
			messages <- q.RequestURI + " " + string(b)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: endpoint\r\ndata: %s/message?sessionId=7\r\n\r\n", r.server.URL)
		w.(http.Flusher).Flush()
		_, _ = fmt.Fprintf(w, "event: message\r\ndata: {\"got\": %q}\r\n\r\n", <-messages)
	}, nil)
	response, err := http.Get(r.url + "/sse")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	want := "event: endpoint\r\ndata: " + r.url + "/message?sessionId=7\r\n\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != want {
		t.Fatalf("got %q, %v; want %q", got, err, want)
	}
	posted, err := http.Post(r.url+"/message?sessionId=7", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil || posted.StatusCode != http.StatusAccepted {
		t.Fatalf("%v, %v", posted, err)
	}
	_ = posted.Body.Close()
	_, _ = io.ReadAll(response.Body)
	recorded := r.recordings()
	if len(recorded) != 1 {
		t.Fatalf("%d recordings", len(recorded))
	}
	if in := bodies(frames(recorded[0], transport.In)); len(in) != 2 || in[0] != r.server.URL+"/message?sessionId=7" {
		t.Errorf("recorded %q", in)
	}
	if out := bodies(frames(recorded[0], transport.Out)); len(out) != 1 {
		t.Errorf("recorded %q", out)
	}
	if c := recorded[0][0].Connection; c == nil || c.Transport != "sse" {
		t.Errorf("connection %+v", c)
	}
	for _, x := range exchanges(recorded[0]) {
		if want := map[string]string{http.MethodGet: "stream", http.MethodPost: "message"}[x.Method]; x.Purpose != want {
			t.Errorf("%s has the purpose %q", x.Method, x.Purpose)
		}
	}
}

// sessionServer gives each initialize an id, unless it is stateless.
func sessionServer(stateless bool) http.HandlerFunc {
	var mu sync.Mutex
	count := 0
	return func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		if bytes.Contains(b, []byte(`"initialize"`)) && !stateless {
			mu.Lock()
			count++
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("session-%d", count))
			mu.Unlock()
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"}}}`)
	}
}

const initializeFrame = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`

func TestProxy_RecordsEachSession(t *testing.T) {
	r := newRig(t, sessionServer(false), nil)
	ping := func(n int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, n) }
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping(21), "Mcp-Session-Id", "session-2")
	_, _, _ = r.post(ping(11), "Mcp-Session-Id", "session-1")
	_, _, _ = r.post(ping(91), "Mcp-Session-Id", "of-an-earlier-tap")
	var got [][]string
	for _, events := range r.recordings() {
		got = append(got, bodies(frames(events, transport.Out)))
	}
	want := [][]string{{initializeFrame, ping(11)}, {initializeFrame, ping(21)}, {ping(91)}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("recordings (-want +got):\n%s", diff)
	}
}

func TestProxy_RecordsSessionsWithoutID(t *testing.T) {
	r := newRig(t, sessionServer(true), nil)
	const ping, discover = `{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping)
	_, _, _ = r.post(initializeFrame)
	_, _, _ = r.post(ping)
	_, _, _ = r.post(ping, "User-Agent", "another host")
	_, _, _ = r.post(discover, "User-Agent", "stateless")
	_, _, _ = r.post(ping, "User-Agent", "stateless")
	_, _, _ = r.post(ping, "User-Agent", "stateless")
	_, _, _ = r.post(discover, "User-Agent", "stateless")
	var got [][]string
	for _, events := range r.recordings() {
		got = append(got, bodies(frames(events, transport.Out)))
	}
	if diff := cmp.Diff([][]string{{initializeFrame, ping}, {initializeFrame, ping}, {ping}, {discover, ping, ping}, {discover}}, got); diff != "" {
		t.Errorf("recordings (-want +got):\n%s", diff)
	}
}

func TestProxy_RecordsWhoClosed(t *testing.T) {
	gone := make(chan struct{})
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		if q.URL.Query().Get("cut") != "" {
			panic(http.ErrAbortHandler)
		}
		<-q.Context().Done() // the tap passes on that the host has gone
		close(gone)
	}, nil)
	get := func(query string) {
		response, err := http.Get(r.url + "/mcp" + query)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = response.Body.Read(make([]byte, 9))
		if query != "" {
			if _, err := io.ReadAll(response.Body); !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("a stream that the server has cut ends with %v", err)
			}
		}
		_ = response.Body.Close()
	}
	get("?cut=1")
	get("")
	<-gone
	x := exchanges(r.recordings()[0])
	if len(x) != 2 || x[0].ClosedBy != transport.ClosedByPeer || x[0].Err == "" || x[1].ClosedBy != transport.ClosedByClient {
		t.Errorf("exchanges %+v", x)
	}
}

func TestProxy_ServerUnreachable(t *testing.T) {
	r := newRig(t, echo, nil)
	r.server.Close()
	status, text, err := r.post("{}")
	if err != nil || status != http.StatusBadGateway || !strings.Contains(text, "connection refused") {
		t.Errorf("status %d, %q, %v", status, text, err)
	}
	if x := exchanges(r.recordings()[0])[0]; x.ClosedBy != transport.ClosedByNetwork || !strings.Contains(x.Err, "connection refused") {
		t.Errorf("exchange %+v", x)
	}
}

func TestProxy_RecordsCompressedBodies(t *testing.T) {
	const stream = "data: {\"a\":1}\n\ndata: {\"a\":2}\n\n"
	for _, c := range []struct {
		encoding string
		writer   func(io.Writer) io.WriteCloser
	}{
		{"gzip", func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }},
		{"deflate", func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }},
		{"deflate", func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 5); return z }},
		{"br", func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) }},
		{"zstd", func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z }},
		{"compress", func(w io.Writer) io.WriteCloser { z, _ := flate.NewWriter(w, 5); return z }}, // any bytes
	} {
		t.Run(c.encoding, func(t *testing.T) {
			var wire [2]bytes.Buffer
			for i, text := range []string{stream, `{"a":3}`} {
				z := c.writer(&wire[i])
				_, _ = io.WriteString(z, text)
				_ = z.Close()
			}
			r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
				w.Header().Set("Content-Encoding", c.encoding)
				if q.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = w.Write(wire[0].Bytes())
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write(wire[1].Bytes())
			}, nil)
			for i, method := range []string{http.MethodGet, http.MethodPost} {
				q, _ := http.NewRequest(method, r.url+"/mcp", nil)
				q.Header.Set("Accept-Encoding", c.encoding) // net/http does not decode it then
				response, err := http.DefaultClient.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := io.ReadAll(response.Body)
				_ = response.Body.Close()
				if !bytes.Equal(got, wire[i].Bytes()) {
					t.Errorf("%s: the host got other bytes", method)
				}
			}
			recorded := r.recordings()[0]
			if c.encoding == "compress" {
				text, _ := os.ReadFile(filepath.Join(r.dir, "1.jsonl"))
				if n := len(frames(recorded, transport.In)); n != 0 || !strings.Contains(string(text), "which mcptea cannot decode") {
					t.Errorf("%d frames\n%s", n, text)
				}
				return
			}
			if diff := cmp.Diff([]string{`{"a":1}`, `{"a":2}`, `{"a":3}`}, bodies(frames(recorded, transport.In))); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProxy_Redirect(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		if !strings.HasSuffix(q.URL.Path, "/") {
			http.Redirect(w, q, "http://"+q.Host+q.URL.Path+"/?x=1", http.StatusTemporaryRedirect)
			return
		}
		echo(w, q)
	}, nil)
	if status, text, err := r.post("{}"); err != nil || status != 200 || text != "{}" {
		t.Errorf("status %d, %q, %v", status, text, err)
	}
	if out := bodies(frames(r.recordings()[0], transport.Out)); len(out) != 2 {
		t.Errorf("recorded %q", out)
	}
}

func TestProxy_KeepsAuthorizationOutOfFrames(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"access_token":"at-very-secret","token_type":"Bearer"}`)
	}, nil)
	response, err := http.PostForm(r.url+"/token", url.Values{"code": {"code-very-secret"}, "grant_type": {"authorization_code"}})
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	recorded := r.recordings()
	text, _ := os.ReadFile(filepath.Join(r.dir, "1.jsonl"))
	if strings.Contains(string(text), "very-secret") || !strings.Contains(string(text), `"purpose":"authorization"`) {
		t.Errorf("recording\n%s", text)
	}
	if n := len(frames(recorded[0], transport.In)); n != 0 {
		t.Errorf("%d frames", n)
	}
}

// TestProxy_ResponseRightAfterRequest has a server that begins to respond while
// net/http still looks for the end of the request.
func TestProxy_ResponseRightAfterRequest(t *testing.T) {
	next := make(chan struct{}, 1)
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		_, _ = io.ReadAll(q.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: 1\n\n")
		w.(http.Flusher).Flush()
		<-next
		_, _ = io.WriteString(w, "data: 2\n\n")
	}, nil)
	for range 300 {
		response, err := http.Post(r.url+"/mcp", "application/json", strings.NewReader(initializeFrame))
		if err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 9)
		_, err = io.ReadFull(response.Body, first)
		next <- struct{}{}
		rest, err2 := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if string(first)+string(rest) != "data: 1\n\ndata: 2\n\n" {
			t.Fatalf("got %q, %q, %v", first, rest, errors.Join(err, err2))
		}
	}
}

// TestProxy_ResponseBeforeEndOfRequest reads the response while the request is sent.
func TestProxy_ResponseBeforeEndOfRequest(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, q *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.Header().Set("Content-Type", "text/plain")
		_, _ = io.Copy(flushing{w}, q.Body)
	}, nil)
	body, w := io.Pipe()
	responses := make(chan *http.Response, 1)
	go func() {
		response, err := http.Post(r.url+"/mcp", "text/plain", body)
		if err != nil {
			t.Error(err)
		}
		responses <- response
	}()
	_, _ = io.WriteString(w, "first")
	response := <-responses
	if response == nil {
		t.FailNow()
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(response.Body, got); err != nil || string(got) != "first" {
		t.Fatalf("%q, %v", got, err)
	}
	_, _ = io.WriteString(w, "second")
	_ = w.Close()
	rest, err := io.ReadAll(response.Body)
	if err != nil || string(rest) != "second" {
		t.Errorf("%q, %v", rest, err)
	}
	_ = response.Body.Close()
}

// flushing flushes each write.
type flushing struct{ http.ResponseWriter }

func (f flushing) Write(b []byte) (int, error) {
	n, err := f.ResponseWriter.Write(b)
	f.ResponseWriter.(http.Flusher).Flush()
	return n, err
}
