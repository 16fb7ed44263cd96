package streamable

import (
	"context"
	"crypto/x509"
	"net/http"

	"mcptea/client/jsonrpc"
	"mcptea/client/transport"
	"mcptea/client/transport/rpchttp"
)

// Config is the server and how to reach it. [New] copies what it needs.
type Config struct {
	// URL is the endpoint, http or https. Its user and password are sent as Basic
	// credentials.
	URL string

	// Header is sent with each request to the origin of URL and overrides the
	// headers of the transport, also Accept and Content-Type. A name without values
	// removes the header. The case of names is kept.
	Header http.Header

	// PerRequest, if not nil, returns further headers of one request, such as the
	// standard headers of 2026-07-28. The frame is nil and the envelope zero for a
	// request without one. Header overrides it. It is called from several
	// goroutines and must not keep the frame.
	PerRequest func(frame []byte, e jsonrpc.Envelope) http.Header

	// Authorization adds credentials; nil adds none.
	Authorization transport.Authorization

	// Lenient follows redirects to other origins, without the headers that may have
	// secrets.
	Lenient bool

	// rootCAs are the trusted authorities; nil means those of the system.
	rootCAs *x509.CertPool

	// Lost, if not nil, is called for a request that will have no response although
	// Send returned nil or early: its stream ended and cannot be resumed, or the
	// body was empty. It is called from a goroutine of the transport, at most once
	// per request, never after Close, and must not call Close.
	Lost func(id jsonrpc.ID, err error)

	// Expired, if not nil, is called if reopening the stream of [Transport.Listen]
	// fails with [ErrSessionExpired], for example after a restart of the server. It
	// is called from a goroutine of the transport, never after Close, and must not
	// call Close.
	Expired func(err error)
}

// New returns a transport that is not open.
func New(c Config) *Transport {
	c.Header = c.Header.Clone()
	t := &Transport{config: c, done: make(chan struct{})}
	t.life, t.end = context.WithCancel(context.Background())
	t.client = rpchttp.NewClient(c.rootCAs, t.closedErr)
	t.client.Lenient = c.Lenient
	t.client.Authorization = c.Authorization
	return t
}
