package rpchttp

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	dialTimeout = 30 * time.Second
	tlsTimeout  = 15 * time.Second

	// Common servers close a connection that was idle for five seconds. One
	// that they close just while a POST goes out breaks that POST, and a POST
	// must not be repeated; so idle connections go before that.
	idleTimeout = 4 * time.Second

	spareConnections = 8
)

// Client is what the exchanges of one connection share. Receiver is set before
// the first of them; from then on the Wire may be used from any goroutine.
type Client struct {
	// Receiver is told of every exchange, and of every frame that is given to
	// [Exchange.Deliver].
	Receiver transport.Receiver

	// Authorization puts credentials on the exchanges, none when it is nil. It
	// is set before the first of them.
	Authorization transport.Authorization

	// Lenient follows redirects to other origins. It is set before the first
	// exchange.
	Lenient bool

	closedErr func() error
	http      *http.Transport
	count     atomic.Uint32 // exchanges so far

	// secrets are what was sent under secret names. Reports and errors that
	// quote the server are redacted with them.
	secrets secret.Values
}

// NewClient returns a wire that trusts the given authorities, those of the system
// when nil. over says why the connection is at its end, nil while it is not:
// what breaks from then on gives that error, since it was cut off on purpose.
func NewClient(roots *x509.CertPool, over func() error) *Client {
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // one connection per stream: none waits for another
	return &Client{closedErr: over, http: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: tlsTimeout,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: spareConnections,
		DisableCompression:  true, // a body that net/http unpacks is not the one of the wire
		Protocols:           protocols,
	}}
}

// Count returns the ID of the newest exchange, 0 when there was none.
func (c *Client) Count() uint32 { return c.count.Load() }

// CountFrom lets the IDs go on after one that is taken. It comes before the
// first exchange.
func (c *Client) CountFrom(last uint32) { c.count.Store(last) }

// CloseIdle closes the connections that no exchange uses.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Endpoint checks the URL of a server. Errors do not repeat it, since it may
// hold a secret.
func Endpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("the endpoint is no URL: %w", BareURLError(err))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("the endpoint must start with http:// or https://, not with %q", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("the endpoint names no host")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// BareURLError takes the URL out of an error of [url.Parse].
func BareURLError(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

// SameOrigin compares scheme, host and port (RFC 6454 §5).
func SameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch p := u.Port(); {
	case p != "":
		return p
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
