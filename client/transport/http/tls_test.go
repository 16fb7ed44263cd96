package http

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptea/client/transport"
	"mcptea/internal/test/certtest"
)

// served counts the requests of a server, and notes the client certificates that it has seen.
type served struct {
	mu      sync.Mutex
	clients []string
}

func (s *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := "none"
	if len(r.TLS.PeerCertificates) > 0 {
		name = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	s.clients = append(s.clients, name)
	if to := r.Header.Get("To"); to != "" {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
}

func (s *served) seen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.clients, " ")
}

// kept keeps the newest report of each exchange.
type kept struct {
	discard
	mu  sync.Mutex
	all map[uint32]transport.Exchange
}

func (k *kept) Exchange(x transport.Exchange) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.all == nil {
		k.all = map[uint32]transport.Exchange{}
	}
	k.all[x.ID] = x
}

func clientFor(t *testing.T, settings TLS, server string) (*Client, *kept) {
	t.Helper()
	c, k := NewClient(settings, server, func() error { return nil }), &kept{}
	c.Receiver = k
	t.Cleanup(c.CloseIdle)
	return c, k
}

func get(t *testing.T, c *Client, at string) error {
	t.Helper()
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Request(t.Context(), transport.Request{Purpose: transport.PurposeAuthorization, Method: "GET", URL: u})
	return err
}

// What a server redirects to, and the authorization server that it names, get neither a
// connection without verification nor the client certificate.
func TestTLS_OnlyForTheOriginOfTheServer(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	identity := private.Issue(t, "alice", nil)
	var own, other served
	config := func() *tls.Config {
		return &tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", nil)}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12}
	}
	server, elsewhere := certtest.Serve(config(), &own), certtest.Serve(config(), &other)
	defer server.Close()
	defer elsewhere.Close()

	t.Run("insecure", func(t *testing.T) {
		c, _ := clientFor(t, TLS{Insecure: true, Certificate: &identity}, server.URL)
		if err := get(t, c, server.URL); err != nil || own.seen() != "alice" {
			t.Fatalf("%v; the server saw %q", err, own.seen())
		}
		if err := get(t, c, elsewhere.URL); ReasonOf(err) != "certificate" || other.seen() != "" {
			t.Errorf("another origin: %v; it saw %q", err, other.seen())
		}
		c.Lenient = true // follows redirects to other origins
		u, _ := url.Parse(server.URL)
		if _, err := c.Begin(u, "message", "POST", http.Header{"To": {elsewhere.URL}}, []byte("{}")).RoundTrip(t.Context()); ReasonOf(err) != "certificate" || other.seen() != "" {
			t.Errorf("after a redirect: %v; it saw %q", err, other.seen())
		}
	})
	t.Run("trusted", func(t *testing.T) {
		u, _ := url.Parse(server.URL)
		there, _ := url.Parse(elsewhere.URL)
		digest := func(s *httptest.Server) [32]byte { return sha256.Sum256(s.TLS.Certificates[0].Certificate[0]) }
		for name, tt := range map[string]struct {
			trusted Trusted
			at      string
			fails   bool
		}{
			"the certificate":              {Trusted{AddressOf(u), digest(server)}, server.URL, false},
			"another certificate":          {Trusted{AddressOf(u), digest(elsewhere)}, server.URL, true},
			"of another host":              {Trusted{"b.test:443", digest(server)}, server.URL, true},
			"of another port":              {Trusted{AddressOf(there), digest(server)}, server.URL, true},
			"of the server, but elsewhere": {Trusted{AddressOf(u), digest(elsewhere)}, elsewhere.URL, true},
		} {
			c, _ := clientFor(t, TLS{Trusted: tt.trusted}, server.URL)
			if err := get(t, c, tt.at); (err != nil) != tt.fails || tt.fails && ReasonOf(err) != "certificate" {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
	t.Run("certificate", func(t *testing.T) {
		c, _ := clientFor(t, TLS{Roots: private.Pool(), Certificate: &identity, ServerName: "localhost"}, server.URL)
		if err := get(t, c, elsewhere.URL); err != nil || other.seen() != "none" {
			t.Errorf("%v; another origin saw %q, want none", err, other.seen())
		}
	})
	t.Run("name", func(t *testing.T) {
		c, _ := clientFor(t, TLS{Roots: private.Pool(), ServerName: "wrong.test"}, server.URL)
		if err := get(t, c, server.URL); err == nil || !strings.Contains(err.Error(), "not wrong.test") {
			t.Errorf("%v", err)
		}
		if err := get(t, c, elsewhere.URL); err != nil {
			t.Errorf("another origin: %v", err)
		}
	})
}

// A proxy with TLS of its own is verified, and does not get the client certificate.
func TestTLS_NotForTheProxy(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	identity := private.Issue(t, "alice", nil)
	var own served
	server := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", nil)}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}, &own)
	defer server.Close()
	shown := make(chan int, 1)
	proxy := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "proxy", nil)}, ClientAuth: tls.RequestClientCert, MinVersion: tls.VersionTLS12},
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { tunnel(w, r, shown) }))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	through := func(settings TLS) (*Client, *kept) {
		c, k := clientFor(t, settings, server.URL)
		c.http.target.Proxy = http.ProxyURL(at)
		return c, k
	}

	c, k := through(TLS{Roots: private.Pool(), Certificate: &identity})
	if err := get(t, c, server.URL); err != nil || own.seen() != "alice" {
		t.Fatalf("%v; the server saw %q", err, own.seen())
	}
	if n := <-shown; n != 0 {
		t.Errorf("the proxy got %d certificates of the client", n)
	}
	if seen := k.all[1].TLS; seen == nil || seen.Chain[0].Subject != "server" || seen.Client != "alice" {
		t.Errorf("recorded: %+v, want the certificate of the server", seen)
	}
	c, _ = through(TLS{Insecure: true, Certificate: &identity})
	if err := get(t, c, server.URL); ReasonOf(err) != "proxy-certificate" {
		t.Errorf("an unverified proxy: %v (%s)", err, ReasonOf(err))
	}
}

// tunnel connects a client of a proxy with what it names.
func tunnel(w http.ResponseWriter, r *http.Request, shown chan<- int) {
	shown <- len(r.TLS.PeerCertificates)
	to, err := net.Dial("tcp", r.Host)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	conn, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(to, rw)
		_ = to.Close()
	}()
	_, _ = io.Copy(conn, to)
	_ = conn.Close()
}

// Each way in which TLS fails has its class, and the report has what the server presented.
func TestTLS_Failures(t *testing.T) {
	private, others := certtest.NewAuthority(t, "private"), certtest.NewAuthority(t, "others")
	leaf, stranger := private.Issue(t, "server", nil), others.Issue(t, "mallory", nil)
	for _, tt := range []struct {
		name, reason string
		alert        uint8
		during       bool
		client       string // "none" if one was requested and none sent
		version      uint16 // the newest of the server
		auth         tls.ClientAuthType
		settings     TLS
	}{
		{"unknown authority", "certificate", 0, true, "", tls.VersionTLS13, tls.NoClientCert, TLS{Roots: others.Pool()}},
		{"TLS 1.3 without a client certificate", "tls-alert", 116, false, "none", tls.VersionTLS13, tls.RequireAndVerifyClientCert, TLS{Roots: private.Pool()}},
		{"TLS 1.2 without a client certificate", "tls-alert", 40, true, "none", tls.VersionTLS12, tls.RequireAndVerifyClientCert, TLS{Roots: private.Pool()}},
		{"client certificate of another authority", "tls-alert", 48, false, "mallory", tls.VersionTLS13, tls.RequireAndVerifyClientCert, TLS{Roots: private.Pool(), Certificate: &stranger}},
		{"old server", "tls-alert", 70, true, "", tls.VersionTLS11, tls.NoClientCert, TLS{Roots: private.Pool()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var reached served // never: nothing is sent again in another way
			server := certtest.Serve(&tls.Config{
				Certificates: []tls.Certificate{leaf}, MinVersion: tls.VersionTLS10, MaxVersion: tt.version, ClientAuth: tt.auth, ClientCAs: private.Pool(), //nolint:gosec // an old server
			}, &reached)
			defer server.Close()
			c, k := clientFor(t, tt.settings, server.URL)
			err := get(t, c, server.URL)
			f, ok := TLSFailureOf(err)
			if who := reached.seen(); who != "" {
				t.Errorf("the server got a request of %s", who)
			}
			// In TLS 1.3 the end of the connection may be noticed before the alert is read.
			lost := ReasonOf(err) == "lost" && tt.alert != 0 && !tt.during
			if !ok || !lost && (ReasonOf(err) != tt.reason || f.Alert != tt.alert) || f.During != tt.during {
				t.Fatalf("%v\n%s, alert %d, during %v; want %s, %d, %v", err, ReasonOf(err), f.Alert, f.During, tt.reason, tt.alert, tt.during)
			}
			if tt.version == tls.VersionTLS11 {
				return // it presented nothing
			}
			seen := k.all[1].TLS
			if seen == nil || len(seen.Chain) != 1 || seen.Chain[0].Subject != "server" || seen.Chain[0].Issuer != "private" || seen.Version != tls.VersionName(tt.version) {
				t.Fatalf("recorded: %+v", seen)
			}
			if client := seen.Client; tt.client == "none" && (client != "" || !seen.Requested) || tt.client != "none" && client != tt.client {
				t.Errorf("client %q, requested %v", client, seen.Requested)
			}
		})
	}
}

// The handshake is reported with the exchange that has made the connection, not with those that
// use it later.
func TestTLS_ReportedOnce(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	server := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", func(c *x509.Certificate) { c.Subject.CommonName = "" })}, MinVersion: tls.VersionTLS12}, &served{})
	defer server.Close()
	c, k := clientFor(t, TLS{Roots: private.Pool()}, server.URL)
	for range 2 {
		if err := get(t, c, server.URL); err != nil {
			t.Fatal(err)
		}
	}
	if first := k.all[1].TLS; first == nil || !first.Verified || first.Insecure || first.Failed || first.Chain[0].Subject != "(no name)" || strings.Join(first.Chain[0].Names, " ") != "localhost 127.0.0.1" {
		t.Errorf("the first exchange has %+v", first)
	}
	if second := k.all[2].TLS; second != nil {
		t.Errorf("the second exchange has %+v", second)
	}
}

// A server that cannot be reached over TLS is explained by the error of the system, as without TLS.
func TestTLS_NotReached(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"http://", "https://"} {
		c, _ := clientFor(t, TLS{}, scheme+address)
		if err := get(t, c, scheme+address); ReasonOf(err) != "refused" || strings.Contains(err.Error(), "nil") {
			t.Errorf("%s: %s, %v", scheme, ReasonOf(err), err)
		}
	}
}

// A connection whose certificate was not verified says so; one that failed has no such connection.
func TestHandshake_Insecure(t *testing.T) {
	chain := []*x509.Certificate{{}}
	for _, c := range []struct {
		verified [][]*x509.Certificate
		err      error
		insecure bool
	}{{nil, nil, true}, {[][]*x509.Certificate{chain}, nil, false}, {nil, io.EOF, false}} {
		got := handshakeEnd(tls.ConnectionState{Version: tls.VersionTLS13, PeerCertificates: chain, VerifiedChains: c.verified}, c.err)
		if got == nil || got.Insecure != c.insecure || got.Failed != (c.err != nil) {
			t.Errorf("%d chains, %v: %+v", len(c.verified), c.err, got)
		}
	}
}

// A transport without a proxy and without a limit for the handshake connects, as one of net/http does.
func TestTransport_NoProxyNoLimit(t *testing.T) {
	private := certtest.NewAuthority(t, "private")
	var seen served
	server := certtest.Serve(&tls.Config{Certificates: []tls.Certificate{private.Issue(t, "server", nil)}, MinVersion: tls.VersionTLS12}, &seen)
	defer server.Close()
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	for name, known := range map[string]*url.URL{"the server": u, "another server": nil} {
		p := NewTransport(TLS{Roots: private.Pool()}, known, &http.Transport{DialContext: new(net.Dialer).DialContext})
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := p.RoundTrip(r)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s: %d, %v", name, response.StatusCode, err)
		}
		_ = response.Body.Close()
		p.CloseIdleConnections()
	}
	if got := seen.seen(); got != "none none" {
		t.Errorf("%q", got)
	}
}

// A server that accepts connections and does not respond in TLS times out.
func TestTLS_SilentServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, _ := clientFor(t, TLS{}, "https://"+l.Addr().String())
	c.http.target.TLSHandshakeTimeout = time.Millisecond
	err = get(t, c, "https://"+l.Addr().String()+"/mcp")
	if want := "timed out waiting for " + l.Addr().String() + ": TLS handshake timeout"; err == nil || !strings.Contains(err.Error(), want) || ReasonOf(err) != "timeout" {
		t.Errorf("%v (%s), want %s", err, ReasonOf(err), want)
	}
}
