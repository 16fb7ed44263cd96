package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"mcptea/client/transport"
)

// Handshake records the TLS handshake of one request. A request on an open connection has none. Its methods may
// be called from any goroutine, and do nothing on a nil Handshake.
type Handshake struct {
	mu        sync.Mutex
	seen      *transport.TLS // handshake, or nil if mcptea made none itself
	fresh     bool           // the request had its own connection
	requested bool
	client    *x509.Certificate
}

type handshakeKey struct{}

// Watch returns a context for a request whose handshake is noted.
func Watch(ctx context.Context) (context.Context, *Handshake) {
	h := &Handshake{}
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.fresh = !i.Reused
	}})
	return context.WithValue(ctx, handshakeKey{}, h), h
}

func handshakeOf(ctx context.Context) *Handshake {
	h, _ := ctx.Value(handshakeKey{}).(*Handshake)
	return h
}

// request records that the server requested a client certificate, and the certificate that is sent, or nil.
func (h *Handshake) request(sent *tls.Certificate) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.requested = true; sent != nil {
		h.client = sent.Leaf
	}
}

// isRequested reports whether the server requested a client certificate.
func (h *Handshake) isRequested() bool {
	if h == nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.requested
}

// end notes the end of a handshake.
func (h *Handshake) end(state tls.ConnectionState, trusted bool, took time.Duration, err error) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.seen = handshakeEnd(state, err); h.seen != nil {
		h.seen.Took = took
		h.seen.Trusted = trusted && err == nil
		h.seen.Insecure = h.seen.Insecure && !trusted
	}
}

// handshakeEnd returns the data of a handshake, or nil if the peer did not speak TLS.
func handshakeEnd(state tls.ConnectionState, err error) *transport.TLS {
	var refused []*x509.Certificate
	if bad, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		refused = bad.UnverifiedCertificates
	}
	t := transport.NewTLS(state, refused)
	if t.Version == "" && len(t.Chain) == 0 {
		return nil
	}
	t.Failed = err != nil
	t.Verified = len(state.VerifiedChains) > 0
	t.Insecure = err == nil && !t.Verified
	return t
}

// Result returns the data of the handshake, given the response or the error of the request, or nil.
func (h *Handshake) Result(r *http.Response, err error) *transport.TLS {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.seen
	if t == nil { // through a proxy
		_, refused := errors.AsType[*tls.CertificateVerificationError](err)
		switch {
		case isProxyError(err):
		case r != nil && r.TLS != nil && h.fresh:
			t = handshakeEnd(*r.TLS, nil)
		case refused:
			t = handshakeEnd(tls.ConnectionState{}, err)
		}
	}
	if t == nil {
		return nil
	}
	t.Requested = h.requested
	if h.client != nil {
		t.Client = transport.SubjectOf(h.client)
	}
	return t
}

// isProxyError reports whether an error is about the connection to a proxy.
func isProxyError(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "proxyconnect"
}

// alertOf returns the alert that ended a connection. crypto/tls does not export its type over TCP,
// so the alert is recognized by its text.
func alertOf(err error) (alert tls.AlertError, ok bool) {
	op, ok := errors.AsType[*net.OpError](err)
	if !ok || op.Op != "remote error" || op.Err == nil {
		return 0, false
	}
	const known = 256
	for n := range known {
		if alert = tls.AlertError(n); alert.Error() == op.Err.Error() {
			return alert, true
		}
	}
	return 0, false
}
