package http

import (
	"bufio"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mcptea/client/transport"
	"mcptea/internal/system"
	"mcptea/internal/test/transporttest"
)

func TestSend_Unreachable(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	_ = closed.Close()

	t.Run("refused", func(t *testing.T) {
		r := newRigAt(t, "http://"+address+"/mcp?token=hunter2")
		err := r.send(call)
		transporttest.WantError(t, err, "cannot connect to "+address, "POST http://"+address)
		if !system.IsErrno(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("error %v", err)
		}
		if e := r.finished(); e.Err != err.Error() || e.Sent != 0 || e.Status != 0 {
			t.Errorf("exchange %+v", e)
		}
		r.nothingMore()
	})
	t.Run("unknown host", func(t *testing.T) {
		transporttest.WantError(t, newRigAt(t, "http://no-such-host.invalid/").send(call), "no-such-host.invalid")
	})
	for name, c := range map[string]struct{ scheme, greeting, says string }{
		"closes":            {"http", "", "lost before the response: EOF"},
		"not HTTP":          {"http", "SSH-2.0-OpenSSH_9.9\r\n\r\n", "did not respond with HTTP"},
		"TLS to plain port": {"https", "HTTP/1.1 400 Bad Request\r\n\r\n", "does not speak TLS: "},
	} {
		t.Run(name, func(t *testing.T) {
			address := greet(t, c.scheme, c.greeting)
			transporttest.WantError(t, newRigAt(t, c.scheme+"://"+address+"/").send(call), c.says, address)
		})
	}
}

// greet takes one connection, reads the request or the TLS greeting, says a
// word and closes the connection.
func greet(t *testing.T, scheme, greeting string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = c.Close() }()
		if scheme == "https" {
			_, _ = c.Read(make([]byte, 64<<10))
		} else if req, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.Copy(io.Discard, req.Body)
		}
		_, _ = io.WriteString(c, greeting)
	}()
	t.Cleanup(func() { _ = l.Close(); <-over })
	return l.Addr().String()
}

func TestSend_Certificate(t *testing.T) {
	server := httptest.NewUnstartedServer(transporttest.Respond(200, "application/json", answer))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	transporttest.WantError(t, newRigAt(t, server.URL).send(call), "certificate of", "is not accepted: x509: certificate signed by unknown authority")
	trusted := newRigAt(t, server.URL, func(c *Config) {
		c.TLS.Roots = x509.NewCertPool()
		c.TLS.Roots.AddCert(server.Certificate())
	})
	trusted.mustSend(call)
	trusted.WantFrame(t, answer)
}

func TestRedirect_SameOrigin(t *testing.T) {
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		switch {
		case req.URL.Path == "/mcp":
			http.Redirect(w, req, "/mcp/", http.StatusTemporaryRedirect)
		case req.Method == http.MethodPost && string(text) == call && req.Header.Get("Authorization") == "Bearer x":
			transporttest.Respond(200, "application/json", answer)(w, req)
		default:
			w.WriteHeader(400)
		}
	}, func(c *Config) { c.Header = http.Header{"Authorization": {"Bearer x"}} })
	r.mustSend(call)
	if f := r.WantFrame(t, answer); f.Exchange != 2 {
		t.Errorf("the answer came with exchange %d", f.Exchange)
	}
	if e := r.finished(); e.Status != 307 || e.ResponseHeader.Get("Location") != "/mcp/" {
		t.Errorf("first exchange %+v", e)
	}
	if len(r.Out) != 1 {
		t.Errorf("%d outgoing frames, want 1", len(r.Out))
	}
}

func TestRedirect_Maximum(t *testing.T) {
	for redirects, followed := range map[int]bool{MaxRedirects: true, MaxRedirects + 1: false} {
		var requests atomic.Int32
		r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
			if int(requests.Add(1)) <= redirects {
				http.Redirect(w, req, "/mcp", http.StatusTemporaryRedirect)
				return
			}
			transporttest.Respond(200, "application/json", answer)(w, req)
		})
		if err := r.send(call); (err == nil) != followed {
			t.Errorf("%d redirects: %v", redirects, err)
		}
		if got, want := int(requests.Load()), MaxRedirects+1; got != want {
			t.Errorf("%d redirects: the server got %d requests, want %d", redirects, got, want)
		}
	}
}

func TestRedirect_NotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		t.Errorf("the other origin got %s with %v", req.Method, req.Header)
	}))
	defer other.Close()
	for name, c := range map[string]struct {
		status   int
		location string
		says     string
	}{
		"another origin": {307, other.URL + "/mcp?token=hunter2", "another origin"},
		"another method": {302, "/login", "only 307 and 308"},
		"in circles":     {308, "/mcp", "more than 5 redirects"},
		"not a URL":      {307, "http://[", "not a URL"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", c.location)
				w.WriteHeader(c.status)
			}, func(c *Config) { c.Header = http.Header{"Authorization": {"Bearer topsecret"}} })
			err := r.send(call)
			where, _, _ := strings.Cut(c.location, "?")
			if name == "not a URL" {
				where = "(not a URL)" // nothing of it is told, since anything may be a secret
			}
			transporttest.WantError(t, err, "not followed", where, c.says)
			var status *transport.StatusError
			if !errors.As(err, &status) || status.Status != c.status {
				t.Errorf("error %v", err)
			}
			if strings.Contains(err.Error()+status.Header.Get("Location"), "hunter2") {
				t.Errorf("the secret of the redirect is told: %v, %v", err, status.Header)
			}
		})
	}
}

func TestOpen(t *testing.T) {
	for url, word := range map[string]string{
		"ftp://a.example": `"ftp"`, "a.example/mcp": "must be http or https", "http:///mcp": "no host", "http://u:hunter2@a b/": "invalid endpoint URL",
	} {
		tr := NewStreamable(Config{URL: url})
		err := tr.Open(t.Context(), transporttest.NewRecorder())
		transporttest.WantError(t, err, word)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the password is told: %v", err)
		}
		transporttest.WantError(t, tr.Send(t.Context(), transport.Outgoing{Bytes: []byte(call)}), "not open")
		tr.Listen()
		if err := tr.Close(t.Context()); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	r := newRig(t, transporttest.Respond(202, "", ""))
	transporttest.WantError(t, r.Open(t.Context(), r.Recorder), "open already")
}

// The body of an error status that is not a message is in the report: nothing else has it.
func TestExchange_Failed(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		media, body string
		failed      bool
	}{
		"HTML":             {502, "text/html", "<h1>Bad Gateway</h1> token=hunter2hunter2hunter2", true},
		"empty":            {404, "", "", true},
		"a JSON-RPC error": {400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, transporttest.Respond(c.status, c.media, c.body))
			_ = r.send(call)
			x := r.finished()
			if x.Failed != c.failed || c.failed != strings.HasPrefix(string(x.ResponseBody), c.body[:min(len(c.body), 10)]) && c.body != "" {
				t.Errorf("failed %v, body %q", x.Failed, x.ResponseBody)
			}
			if strings.Contains(string(x.ResponseBody), "hunter2") {
				t.Errorf("a secret is in %q", x.ResponseBody)
			}
		})
	}
}
