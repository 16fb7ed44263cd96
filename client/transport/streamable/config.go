package streamable

import (
	"context"
	"crypto/x509"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
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

	// Authorization, when set, signs every request and says what to do when
	// the server refuses one.
	Authorization transport.Authorization

	// Lenient follows redirects to other origins, without the headers that may
	// hold secrets.
	Lenient bool

	// RootCAs are the authorities to trust; those of the system when nil.
	RootCAs *x509.CertPool

	// Lost, when set, is told that a request will not be answered, though Send
	// was content or did not wait: its stream ended and cannot be resumed, or
	// the answer was empty. It is called from a goroutine of the transport, at
	// most once for each request, never after Close, and must not call Close.
	Lost func(id jsonrpc.ID, err error)

	// Expired, when set, is called when the stream that [Transport.Listen] opened
	// comes back with [ErrSessionExpired]: the server, perhaps another process by
	// now, does not know the session. It is called from a goroutine of the
	// transport, never after Close, and must not call Close.
	Expired func(err error)
}

// New returns a transport for one server. It does nothing before Open.
func New(c Config) *Transport {
	c.Header = c.Header.Clone()
	t := &Transport{config: c, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	t.client = rpchttp.NewClient(c.RootCAs, t.closedErr)
	t.client.Lenient = c.Lenient
	t.client.Authorization = c.Authorization
	return t
}
