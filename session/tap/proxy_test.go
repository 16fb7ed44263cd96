package tap_test

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"mcptea/client/transport"
	"mcptea/internal/test/oddframes"
	"mcptea/session/intercept"
)

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
