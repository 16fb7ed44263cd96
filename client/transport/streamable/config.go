package streamable

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"mcptea/client/jsonrpc"
)

// Config says which server to speak to and how. [New] copies what it needs.
type Config struct {
	// URL is the endpoint, http or https. A user and password in it are sent
	// as Basic authorization.
	URL string

	// Header is sent with every request to the origin of URL and wins over
	// every header that the transport would set itself, Accept and
	// Content-Type included. A name with no values takes the header away. The
	// spelling of names is kept.
	Header http.Header

	// PerRequest, when set, returns further headers of one request: the
	// routing headers of revision 2026-07-28, a token that is renewed from
	// time to time. The frame is nil and the envelope empty when the request
	// carries none. Header wins over it. It is called from several goroutines
	// and must not keep the frame.
	PerRequest func(frame []byte, e jsonrpc.Envelope) http.Header

	// RootCAs are the authorities to trust; those of the system when nil.
	RootCAs *x509.CertPool

	// Lost, when set, is told that a request will not be answered, though Send
	// was content or did not wait: its stream ended and cannot be resumed, or
	// the answer was empty. It is called from a goroutine of the transport, at
	// most once for each request, never after Close, and must not call Close.
	Lost func(id jsonrpc.ID, err error)
}

const (
	dialTimeout = 30 * time.Second
	tlsTimeout  = 15 * time.Second

	// Common servers close a connection that was idle for five seconds. One
	// that they close just while a POST goes out breaks that POST, and a POST
	// must not be repeated; so idle connections go before that.
	idleTimeout = 4 * time.Second

	spareConnections = 8
)

// New returns a transport for one server. It does nothing before Open.
func New(c Config) *Transport {
	c.Header = c.Header.Clone()
	t := &Transport{config: c, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true) // one connection per stream: none waits for another
	t.http = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: tlsTimeout,
		IdleConnTimeout:     idleTimeout,
		MaxIdleConnsPerHost: spareConnections,
		DisableCompression:  true, // a body that net/http unpacks is not the one of the wire
		Protocols:           protocols,
	}
	return t
}

// endpoint checks the URL. Errors do not repeat it, since it may hold a secret.
func endpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		var parse *url.Error
		if errors.As(err, &parse) {
			err = parse.Err
		}
		return nil, fmt.Errorf("the endpoint is no URL: %w", err)
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
