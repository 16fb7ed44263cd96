package http

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"mcptea/client/secret"
	"mcptea/client/transport"
)

const (
	dialTimeout = 30 * time.Second
	tlsTimeout  = 15 * time.Second

	// Common servers close connections after five idle seconds. If that happens
	// while a POST is sent, the POST fails and must not be repeated, so idle
	// connections are closed earlier.
	idleTimeout = 4 * time.Second

	spareConnections = 8
)

// Client makes the exchanges of one connection. Receiver is set before the first exchange. After
// that, any goroutine may use the Client.
type Client struct {
	// Receiver receives the reports of all exchanges and the frames of
	// [Exchange.deliver].
	Receiver transport.Receiver

	// Authorization adds credentials, or is nil. It is set before the first exchange.
	Authorization transport.Authorization

	// Lenient follows redirects to other origins. It is set before the first
	// exchange.
	Lenient bool

	closedErr func() error
	http      *Transport
	count     atomic.Uint32 // number of exchanges so far

	// secrets are the values that were sent under secret names. They are redacted
	// in reports and errors that quote the server.
	secrets *secret.Values
}

// NewClient returns a client for a server with TLS settings. The URL may be invalid. closedErr
// returns nil until the connection is being closed. After that, its error replaces the errors of
// the exchanges, which are cut off on purpose.
func NewClient(t TLS, server string, closedErr func() error) *Client {
	u, _ := Endpoint(server) // URL, or nil if invalid
	return &Client{closedErr: closedErr, secrets: new(secret.Values), http: NewTransport(t, u, &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: checkTunnel,
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    tlsTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    spareConnections,
		WriteBufferSize:        writeBuffer,
	})}
}

// CloseIdle closes the idle connections.
func (c *Client) CloseIdle() { c.http.CloseIdleConnections() }

// Endpoint parses and checks the URL of a server. Errors do not contain it, since it
// may have a secret.
func Endpoint(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("invalid endpoint URL: %w", bareURLError(err))
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("invalid endpoint URL: the scheme must be http or https, not %q", u.Scheme)
	case u.Hostname() == "":
		return nil, errors.New("invalid endpoint URL: no host")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// bareURLError removes the URL from an error of [url.Parse].
func bareURLError(err error) error {
	var parse *url.Error
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}
