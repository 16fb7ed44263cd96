//go:build unix

package failure_test

import (
	"bufio"
	"bytes"
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

// asked reads a request's method and id. The body can be read again.
func asked(r *http.Request) (method, id string) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	e := jsonrpc.Scan(body)
	return e.MethodName(body), e.ID.Of(body).String()
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
		der, err := x509.CreateCertificate(rand.Reader, made, made, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewUnstartedServer(replies(200, "text/plain", ""))
		s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
		s.Config.ErrorLog = quiet
		s.StartTLS()
		t.Cleanup(s.Close)
		return client.Target{URL: s.URL + "/mcp"}
	}
}

const proxyPage = "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center><hr><center>nginx/1.24.0</center></body></html>"

const loginPage = "<!doctype html>\n<html><title>Sign in</title><form action=/login><input type=password></form></html>"

// quiet keeps what servers say of failed handshakes out of the tests' output.
var quiet = log.New(io.Discard, "", 0)
