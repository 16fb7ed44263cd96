package webhook

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"mcptea/internal/system"
	"mcptea/record"
)

// The limits of the requests to a callback.
const (
	headerTimeout = 10 * time.Second
	// bodyTimeout is of a whole body. A receiver should answer within seconds.
	bodyTimeout = 5 * time.Second
	maxHeader   = 32 << 10
	// maxConnections bounds the connections to a callback. More are closed immediately.
	maxConnections = 256
)

// Server is a receiver that listens.
type Server struct {
	*Receiver
	// Callback is the URL that is sent to the server under test.
	Callback string
	// Lingers keeps the receiver open when the subscription ends: its owner closes it.
	Lingers bool

	address net.Addr
	server  *http.Server
	ended   chan error
	stop    sync.Once
}

// Serve starts listening for deliveries. public is the URL of the user's tunnel to the listener, or "".
// [Server.Stop] stops it.
func Serve(l net.Listener, public string) *Server {
	s := &Server{Receiver: New(NewSecret()), address: l.Addr(), ended: make(chan error, 1)}
	s.Callback = strings.TrimSuffix(public, "/") + s.Path()
	if public == "" {
		s.Callback = "http://" + l.Addr().String() + s.Path()
	}
	s.server = &http.Server{
		Handler: s.Receiver, ReadHeaderTimeout: headerTimeout, ReadTimeout: headerTimeout + bodyTimeout, WriteTimeout: headerTimeout + bodyTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: maxHeader, ErrorLog: log.New(io.Discard, "", 0),
	}
	go func() {
		s.ended <- s.server.Serve(&limited{Listener: l, slots: make(chan struct{}, maxConnections), full: s.full})
	}()
	return s
}

// full counts a connection that was closed because there are too many.
func (s *Server) full() {
	if s.count(busy, true) <= maxKept {
		s.tell(Delivery{At: time.Now(), Delivery: record.Delivery{Trouble: string(busy)}})
	}
	s.woken()
}

// Address returns the HOST:PORT of the listener.
func (s *Server) Address() string { return s.address.String() }

// Stop closes the listener and waits up to a second for running requests. Concurrent calls wait for the first.
func (s *Server) Stop(ctx context.Context) { s.stop.Do(func() { s.shut(ctx) }) }

func (s *Server) shut(ctx context.Context) {
	ctx, done := context.WithTimeout(ctx, time.Second)
	defer done()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
	if err := <-s.ended; !errors.Is(err, http.ErrServerClosed) {
		_ = s.server.Close()
	}
}

// IsPublic reports whether a server that conforms to SEP-3415 may accept the callback: https, and an address that is
// neither of this computer nor of a private network.
func (s *Server) IsPublic() bool {
	u, err := url.Parse(s.Callback)
	return err == nil && u.Scheme == "https" && !system.IsPrivateHost(u.Hostname())
}

// CheckPublic returns an error if a URL cannot be the URL of a tunnel.
func CheckPublic(public string) error {
	u, err := url.Parse(public)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return errors.New("it is not the URL of a receiver, such as https://abc.example.com")
	}
	return nil
}

// limited is a listener that closes connections above a maximum.
type limited struct {
	net.Listener
	slots chan struct{}
	full  func()
}

// Accept implements [net.Listener].
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			return &counted{Conn: c, slots: l.slots}, nil
		default:
			_ = c.Close()
			l.full()
		}
	}
}

// counted is a connection that gives its slot back once.
type counted struct {
	net.Conn
	slots chan struct{}
	once  sync.Once
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	c.once.Do(func() { <-c.slots })
	return c.Conn.Close()
}
