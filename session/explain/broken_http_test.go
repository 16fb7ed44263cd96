//go:build unix

package explain_test

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"mcptea/client"
	"mcptea/client/jsonrpc"
)

// serves is a URL behind which a handler answers.
func serves(h http.HandlerFunc) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		s := httptest.NewServer(h)
		t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
		return client.Target{URL: s.URL + "/mcp"}
	}
}

// over is the same target with one thing changed.
func over(target func(*testing.T) client.Target, change func(*client.Target)) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		c := target(t)
		change(&c)
		return c
	}
}

// replies gives everything the same answer; headers are pairs.
func replies(status int, kind, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// asked reads a request's method and id.
func asked(r *http.Request) (method, id string) {
	body, _ := io.ReadAll(r.Body)
	e := jsonrpc.Scan(body)
	return e.MethodName(body), string(e.ID.Of(body))
}

// old has a handshake and no discovery; after that the handler goes on.
func old(then http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		method, id := asked(r)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method != http.MethodPost:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case method == "server/discover":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}`, id)
		case method == "initialize":
			w.Header().Set("Mcp-Session-Id", "0123456789abcdef")
			_, _ = io.WriteString(w, result(id, welcome))
		default:
			then(w, r)
		}
	}
}

// speaksTCP is a URL behind which something takes connections.
func speaksTCP(scheme string, serve func(net.Conn)) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go func() { serve(c); _ = c.Close() }()
			}
		}()
		return client.Target{URL: scheme + "://" + l.Addr().String() + "/mcp"}
	}
}

// hears reads the head of a request, and then writes.
func hears(text string) func(net.Conn) {
	return func(c net.Conn) {
		r, err := http.ReadRequest(bufio.NewReader(c))
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(c, text)
	}
}

// certified speaks TLS with a certificate of its own making.
func certified(from, to time.Time, host string) func(*testing.T) client.Target {
	return func(t *testing.T) client.Target {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		made := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: to, DNSNames: []string{host}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
		bytes, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewUnstartedServer(replies(200, "text/plain", ""))
		s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{bytes}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
		s.Config.ErrorLog = quiet
		s.StartTLS()
		t.Cleanup(s.Close)
		return client.Target{URL: s.URL + "/mcp"}
	}
}

const proxyPage = "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.24.0</center></body></html>"

const loginPage = "<!doctype html>\n<html><title>Sign in</title><form action=/login><input type=password></form></html>"

// underHTTP are failures below it: names, connections, TLS.
var underHTTP = []broken{
	{name: "refused", target: func(*testing.T) client.Target { return client.Target{URL: "http://127.0.0.1:1/mcp"} }},
	{name: "no such host", target: func(*testing.T) client.Target { return client.Target{URL: "http://no-such-host.invalid/mcp"} }},
	{name: "TLS to a plain port", target: over(serves(replies(200, "text/plain", "")), func(c *client.Target) { c.URL = strings.Replace(c.URL, "http:", "https:", 1) })},
	{name: "plain to a TLS port", target: over(certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "x"), func(c *client.Target) { c.URL = strings.Replace(c.URL, "https:", "http:", 1) })},
	{name: "self-signed", target: certified(time.Now().Add(-time.Hour), time.Now().Add(time.Hour), "localhost")},
	{name: "expired", target: certified(time.Now().Add(-48*time.Hour), time.Now().Add(-24*time.Hour), "localhost")},
	{name: "closes the connection", target: speaksTCP("http", func(net.Conn) {})},
	{name: "not HTTP", target: speaksTCP("http", func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-OpenSSH_9.6\r\n") })},
	{name: "takes and hangs", target: speaksTCP("http", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }), within: soon / 3},
	{name: "chunks that break", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n20\r\n{\"jsonrpc\":\"2.0\",\r\nXX\r\n"))},
	{name: "a body too short", target: speaksTCP("http", hears("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{\"jsonrpc\":\"2.0\","))},
}

// overHTTP are answers that help nobody.
var overHTTP = []broken{
	{name: "502 of a proxy", target: serves(replies(502, "text/html", proxyPage, "Server", "nginx/1.24.0"))},
	{name: "503 of a proxy", target: serves(replies(503, "text/plain", "no healthy upstream"))},
	{name: "504 of a proxy", target: serves(replies(504, "text/html", strings.ReplaceAll(proxyPage, "502 Bad Gateway", "504 Gateway Time-out")))},
	{name: "407", target: serves(replies(407, "text/plain", "who are you?", "Proxy-Authenticate", `Basic realm="proxy"`))},
	{name: "500", target: serves(replies(500, "text/plain", "TypeError: x is undefined"))},
	{name: "301 to https", target: serves(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "https://"+r.Host+r.URL.Path)
		w.WriteHeader(301)
	})},
	{name: "307 elsewhere", target: serves(replies(307, "text/plain", "", "Location", "https://example.invalid/mcp"))},
	{name: "302 to a login", target: serves(replies(302, "text/html", "", "Location", "/login?next=/mcp"))},
	{name: "404", target: over(serves(http.NotFound), func(c *client.Target) { c.URL = strings.TrimSuffix(c.URL, "/mcp") + "/api" })},
	{name: "405", target: serves(replies(405, "text/plain", "Method Not Allowed", "Allow", "GET"))},
	{name: "410", target: serves(replies(410, "text/plain", "moved on"))},
	{name: "SSE only", target: over(serves(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			http.Error(w, "Cannot POST /sse", http.StatusNotFound)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "event: endpoint\ndata: /messages\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}), func(c *client.Target) {
		c.Transport, c.URL = client.TransportHTTP, strings.TrimSuffix(c.URL, "/mcp")+"/sse"
	})},
	{name: "HTTP only, by SSE", target: over(serves(old(http.NotFound)), func(c *client.Target) { c.Transport = client.TransportSSE })},
	{name: "HTML login page", target: serves(replies(200, "text/html; charset=utf-8", loginPage))},
	{name: "plain text", target: serves(replies(200, "text/plain", "OK"))},
	{name: "406", target: serves(replies(406, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Not Acceptable: Client must accept both application/json and text/event-stream"},"id":null}`))},
	{name: "415", target: serves(replies(415, "text/plain", "Unsupported Media Type"))},
	{name: "400 session", target: serves(replies(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`))},
	{name: "400 plain", target: serves(replies(400, "text/plain", "bad request"))},
	{name: "401 without challenge", target: serves(replies(401, "text/plain", "token required"))},
	{name: "401 with challenge", target: serves(replies(401, "text/plain", "token required", "WWW-Authenticate", `Bearer realm="tea", error="invalid_token"`))},
	{name: "403 origin", target: serves(replies(403, "text/plain", "Invalid Origin header"))},
	{name: "403 host", target: serves(replies(403, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Invalid Host: 127.0.0.1"},"id":null}`))},
	{name: "403", target: serves(replies(403, "text/plain", "Forbidden"))},
	{name: "429", target: serves(replies(429, "text/plain", "slow down", "Retry-After", "120"))},
	{name: "empty 200", target: serves(replies(200, "application/json", ""))},
	{name: "202", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(202) })},
	{name: "204", target: serves(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })},
	{name: "a stream without an event", target: serves(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}), within: soon / 3},
	{name: "a stream that ends", target: serves(replies(200, "text/event-stream", ": hello\n\n"))},
	{name: "endpoint elsewhere", target: over(serves(replies(200, "text/event-stream", "event: endpoint\ndata: http://example.invalid/messages\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE })},
	{name: "no endpoint", target: over(serves(replies(200, "text/event-stream", "data: {\"hello\":1}\n\n")), func(c *client.Target) { c.Transport = client.TransportSSE })},
	{name: "a session that expires", target: serves(old(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Session not found", http.StatusNotFound) }))},
	{name: "not JSON", target: serves(replies(200, "application/json", "{'jsonrpc': '2.0'}"))},
	{name: "JSON of something else", target: serves(replies(200, "application/json", `{"status":"ok"}`))},
	{name: "wrong id over HTTP", target: serves(replies(200, "application/json", result("7777", welcome)))},
	{name: "wrong content type", target: serves(replies(200, "text/event-stream-x", "event: message\ndata: {}\n\n"))},
	{name: "compressed", target: serves(replies(200, "application/json", "\x1f\x8b\x08\x00garbage", "Content-Encoding", "br"))},
}

// quiet keeps what servers say of failed handshakes out of the tests' output.
var quiet = log.New(io.Discard, "", 0)
