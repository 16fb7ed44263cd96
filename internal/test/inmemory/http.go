package inmemory

import (
	"cmp"
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

// HTTPS is like [HTTP], but over TLS.
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
	server := &http.Server{Handler: handler} //nolint:gosec // it has only the clients of the test
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(wrap(l)) })
	return l.dial, func() {
		_ = server.Close()
		serving.Wait()
	}
}

// errRefused is the error of a connection to a server that has ended.
var errRefused = errors.New("connection refused")

type listener struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
	port  int // port of the server; 0 means 80
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
func (l *listener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: cmp.Or(l.port, 80)}
}

// A Network has listeners over pipes, each with a port of its own. The zero value is ready to use.
type Network struct {
	mu        sync.Mutex // never held while a goroutine waits
	listeners []*listener
}

// firstPort is the port of the first listener of a network.
const firstPort = 20_000

// Listen returns a new listener of the network.
func (n *Network) Listen(context.Context) (net.Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	l := &listener{conns: make(chan net.Conn), done: make(chan struct{}), port: firstPort + len(n.listeners)}
	n.listeners = append(n.listeners, l)
	return l, nil
}

// Dial connects to a listener of the network.
func (n *Network) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	n.mu.Lock()
	var to *listener
	for _, l := range n.listeners {
		if l.Addr().String() == address {
			to = l
		}
	}
	n.mu.Unlock()
	if to == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: errRefused}
	}
	return to.dial(ctx, network, address)
}

// Transport returns a transport that connects through the network n. It keeps no connections open.
func (n *Network) Transport() *http.Transport {
	return &http.Transport{DialContext: n.Dial, DisableKeepAlives: true}
}
