package link

import (
	"cmp"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"mcptea/authority"
	"mcptea/cli/app"
	mcphttp "mcptea/client/transport/http"
)

// LoopbackOnly returns the address of a flag for an authority, or an error for an address that others can reach.
func LoopbackOnly(flag, address string) (string, error) {
	if address == "" {
		return "127.0.0.1:0", nil
	}
	if host, _, err := net.SplitHostPort(address); err != nil || !mcphttp.IsLoopback(host) {
		return "", app.Usage("Name a port, or 127.0.0.1:PORT.", "--%s: the authority listens on this machine only, not at %s", flag, address)
	}
	return address, nil
}

// AuthorityPlace describes where an authority listens.
type AuthorityPlace struct {
	Flag, Listen string // the flag and its address; "" is a free port
	Path         string // path of the issuer, or ""
	Cert, Key    string // PEM files of its certificate; "" is HTTP

	Wrap func(http.Handler) http.Handler // wraps its handler; may be nil
}

// DeclareAuthority declares the flags of an authority, except --listen.
func DeclareAuthority(fs *pflag.FlagSet, at *AuthorityPlace) {
	fs.StringVar(&at.Path, "path", "", "make this `PATH` a part of the issuer, such as /tenant")
	fs.StringVar(&at.Cert, "tls-cert", "", "serve HTTPS with the certificate in this PEM `FILE`, such as mkcert makes; the server and the clients must trust its authority")
	fs.StringVar(&at.Key, "tls-key", "", "private key of --tls-cert, in this PEM `FILE` (default: in the file of --tls-cert)")
}

// check returns the address and the certificate of the flags; the certificate is nil for HTTP.
func (at *AuthorityPlace) check() (address string, certificate *tls.Certificate, err error) {
	if at.Path != "" && (!strings.HasPrefix(at.Path, "/") || strings.ContainsAny(at.Path, "?#% ")) {
		return "", nil, app.Usage("Write it as /tenant.", "--path: %q is not the path of a URL", at.Path)
	}
	if address, err = LoopbackOnly(at.Flag, at.Listen); err != nil {
		return "", nil, err
	}
	if at.Cert == "" && at.Key == "" {
		return address, nil, nil
	}
	if at.Cert == "" {
		return "", nil, app.Usage("Add --tls-cert FILE.", "--tls-key requires --tls-cert")
	}
	pair, err := tls.LoadX509KeyPair(at.Cert, cmp.Or(at.Key, at.Cert))
	if err != nil {
		return "", nil, app.Usage("Make them with: mkcert -cert-file cert.pem -key-file key.pem localhost 127.0.0.1", "--tls-cert %s: %v", at.Cert, err)
	}
	return address, &pair, nil
}

// StartAuthority starts an authority. stop ends it.
func (p *Link) StartAuthority(at AuthorityPlace, o authority.Options) (a *authority.Authority, stop func(), err error) {
	address, certificate, err := at.check()
	if err != nil {
		return nil, nil, err
	}
	if a, err = authority.New(o); err != nil {
		return nil, nil, app.Failed("%v", err)
	}
	l, err := p.ListenAt(address)
	if err != nil {
		return nil, nil, err
	}
	host, _, _ := net.SplitHostPort(address) // localhost stays, for certificates of that name
	_, port, _ := net.SplitHostPort(l.Addr().String())
	scheme := "http"
	if certificate != nil {
		scheme = "https"
		l = tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12})
	}
	a.ServeAs(scheme + "://" + net.JoinHostPort(host, port) + at.Path)
	handler := a.Handler()
	if at.Wrap != nil {
		handler = at.Wrap(handler)
	}
	handlers := &endable{Handler: handler}
	server := &http.Server{Handler: mcphttp.WithBodyTimeout(handlers, mcphttp.BodyTimeout), ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it returns after Close
	}()
	return a, sync.OnceFunc(func() {
		_ = server.Close() // it ends the contexts of the requests and does not wait for their handlers
		<-done
		handlers.end()
	}), nil
}

// An endable is a handler that can be ended: what it prints and records must not outlive its command.
type endable struct {
	http.Handler
	running sync.RWMutex // held for reading by each request
	ended   bool         // guarded by running
}

func (e *endable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.running.RLock()
	defer e.running.RUnlock()
	if !e.ended {
		e.Handler.ServeHTTP(w, r)
	}
}

// end waits for the requests that are being handled. Later ones are not handled.
func (e *endable) end() {
	e.running.Lock()
	defer e.running.Unlock()
	e.ended = true
}
