package http

import (
	"cmp"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"mcptea/internal/system"
)

// A TLS holds the certificates of a server that are accepted, and the certificate of the client. All fields
// except Roots apply only to the origin of the server.
type TLS struct {
	Roots       *x509.CertPool   // trusted authorities, or nil for the authorities of the system
	Certificate *tls.Certificate // client certificate with its leaf, sent if the server requests one; or nil
	ServerName  string           // verified and sent instead of the host, or ""
	Insecure    bool             // any certificate is accepted
	Trusted     Trusted          // accepted instead of any other, regardless of its chain, names and validity
}

// Trusted is one certificate that the user has agreed to, for one server.
type Trusted struct {
	Address string   // HOST:PORT as in the URL, in lower case; the certificate is not trusted elsewhere
	SHA256  [32]byte // digest of the DER encoding
}

// AddressOf returns the HOST:PORT of a URL, as [Trusted] has it.
func AddressOf(u *url.URL) string {
	return strings.ToLower(net.JoinHostPort(u.Hostname(), Port(u)))
}

// verify accepts only the trusted certificate.
func (t TLS) verify(state tls.ConnectionState) error {
	leaf := state.PeerCertificates[0]
	if sha256.Sum256(leaf.Raw) == t.Trusted.SHA256 {
		return nil
	}
	return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: x509.UnknownAuthorityError{Cert: leaf}}
}

// Transport makes requests of one server with its TLS settings, and other requests with
// the trusted authorities alone: neither the client certificate nor a missing verification
// reaches another origin, or a proxy.
type Transport struct {
	target, other *http.Transport
	server        *url.URL // URL of the server, or nil if unknown
}

// NewTransport sets a transport up for the requests to a server. The transport belongs to the
// result.
func NewTransport(t TLS, server *url.URL, base *http.Transport) *Transport {
	base.Protocols = new(http.Protocols)
	base.Protocols.SetHTTP1(true)  // each stream has its own connection, so that none blocks another
	base.DisableCompression = true // net/http would change the bytes of the body
	p := &Transport{target: base, other: base.Clone(), server: server}
	plain := TLS{Roots: t.Roots}.config()
	p.other.TLSClientConfig = plain
	p.other.DialTLSContext = dialer(p.other, func() (*tls.Config, bool) { return plain, true })
	if server == nil || t.Trusted.Address != AddressOf(server) {
		t.Trusted = Trusted{}
	}
	config := t.config()
	p.target.TLSClientConfig = config
	p.target.DialTLSContext = dialer(p.target, func() (*tls.Config, bool) {
		if proxy := p.proxy(server); proxy != nil && proxy.Scheme == "https" {
			return plain, false // net/http dials the proxy, and adds TLS with the server itself
		}
		return config, true
	})
	return p
}

// config returns the configuration of connections with the settings.
func (t TLS) config() *tls.Config {
	c := &tls.Config{
		RootCAs: t.Roots, MinVersion: tls.VersionTLS12, ServerName: t.ServerName,
		InsecureSkipVerify: t.Insecure, //nolint:gosec // the user has asked for it, for one origin
		GetClientCertificate: func(r *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			handshakeOf(r.Context()).request(t.Certificate)
			return cmp.Or(t.Certificate, &tls.Certificate{}), nil // an empty one means that there is no certificate
		},
	}
	if t.Trusted.Address != "" && !t.Insecure {
		c.InsecureSkipVerify, c.VerifyConnection = true, t.verify
	}
	return c
}

// proxy returns the proxy for requests of a URL, or nil.
func (p *Transport) proxy(to *url.URL) *url.URL {
	if p.target.Proxy == nil || to == nil {
		return nil
	}
	proxy, err := p.target.Proxy(&http.Request{URL: to})
	if err != nil {
		return nil
	}
	return proxy
}

// RoundTrip implements [http.RoundTripper].
func (p *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if p.server != nil && SameOrigin(r.URL, p.server) {
		return p.target.RoundTrip(r)
	}
	return p.other.RoundTrip(r)
}

// CloseIdleConnections closes the connections without a request.
func (p *Transport) CloseIdleConnections() {
	p.target.CloseIdleConnections()
	p.other.CloseIdleConnections()
}

// dialThrough replaces the network.
func (p *Transport) dialThrough(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	for _, t := range []*http.Transport{p.target, p.other} {
		t.DialContext, t.Proxy = dial, nil
	}
}

// errHandshakeTimeout is the error of a handshake that took longer than its limit, a [net.Error].
type errHandshakeTimeout struct{}

func (errHandshakeTimeout) Error() string   { return "TLS handshake timeout" }
func (errHandshakeTimeout) Timeout() bool   { return true }
func (errHandshakeTimeout) Temporary() bool { return true }

// dialer returns a function that connects with TLS to the first hop of a transport. Unlike net/http, it also
// keeps the certificates of a server whose handshake failed.
func dialer(t *http.Transport, config func() (c *tls.Config, direct bool)) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		dial := t.DialContext
		if dial == nil {
			dial = new(net.Dialer).DialContext // default of net/http
		}
		raw, err := dial(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c, direct := config()
		c = c.Clone()
		if c.ServerName == "" {
			c.ServerName, _, _ = net.SplitHostPort(address) // DialContext has parsed it
		}
		if t.TLSHandshakeTimeout > 0 {
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, t.TLSHandshakeTimeout, errHandshakeTimeout{})
			defer stop()
		}
		link := &link{Conn: raw}
		conn, start := tls.Client(link, c), time.Now()
		err = conn.HandshakeContext(ctx)
		link.reads = direct && handshakeOf(ctx).isRequested()
		if direct {
			handshakeOf(ctx).end(conn.ConnectionState(), c.VerifyConnection != nil, time.Since(start), err)
		}
		if err != nil {
			_ = raw.Close()
			if context.Cause(ctx) == error(errHandshakeTimeout{}) {
				err = errHandshakeTimeout{}
			}
			return nil, err
		}
		return conn, nil
	}
}

// link is a connection below TLS. In TLS 1.3 a server refuses a client certificate after the
// handshake, while the request is being written: its alert can be read when writing fails
// already. With reads a failure of Write is left to Read, which returns the alert or the same
// failure.
type link struct {
	net.Conn
	reads bool // set before the first request
}

func (l *link) Write(b []byte) (int, error) {
	n, err := l.Conn.Write(b)
	if l.reads && (system.IsErrno(err, syscall.EPIPE) || system.IsErrno(err, syscall.ECONNRESET)) {
		return len(b), nil
	}
	return n, err
}
