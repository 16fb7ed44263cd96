package inmemory

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"sync"
)

// HTTP serves a handler over pipes, so that a session over HTTP can run in a
// testing/synctest bubble. dial connects to it, whatever the address is; stop ends it and
// its connections.
func HTTP(handler http.Handler) (dial func(ctx context.Context, network, address string) (net.Conn, error), stop func()) {
	return serve(handler, func(l net.Listener) net.Listener { return l })
}

// HTTPS is [HTTP] over TLS.
func HTTPS(c *tls.Config, handler http.Handler) (dial func(ctx context.Context, network, address string) (net.Conn, error), stop func()) {
	return serve(handler, func(l net.Listener) net.Listener { return tls.NewListener(l, c) })
}

// Listen returns a listener over pipes; dial connects to it, whatever the address is.
func Listen() (l net.Listener, dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	pipes := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	return pipes, pipes.dial
}

func serve(handler http.Handler, wrap func(net.Listener) net.Listener) (dial func(ctx context.Context, network, address string) (net.Conn, error), stop func()) {
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{})}
	server := &http.Server{Handler: handler} //nolint:gosec // it has no clients but those of the test
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(wrap(l)) })
	return l.dial, func() {
		_ = server.Close()
		serving.Wait()
	}
}

// errRefused is that of a connection to a server that has ended.
var errRefused = errors.New("connection refused")

type listener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (l *listener) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.done:
		return nil, &net.OpError{Op: "dial", Net: network, Err: errRefused}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

// Close implements [net.Listener].
func (l *listener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

// Addr implements [net.Listener].
func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }
