package link

import (
	"net"
	"net/http"
	"time"

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
		return "", app.Usage("Name a port, or 127.0.0.1:PORT.", "--%s: the authority listens on this machine only, and not at %s", flag, address)
	}
	return address, nil
}

// StartAuthority starts an authority at the address of a flag, with a path in its issuer. stop ends it.
func (p *Link) StartAuthority(flag, listen, path string, scopes []string) (a *authority.Authority, stop func(), err error) {
	if listen, err = LoopbackOnly(flag, listen); err != nil {
		return nil, nil, err
	}
	if a, err = authority.New(authority.Options{Scopes: scopes}); err != nil {
		return nil, nil, app.Failed("%v", err)
	}
	l, err := p.ListenAt(listen)
	if err != nil {
		return nil, nil, err
	}
	a.ServeAs("http://" + l.Addr().String() + path)
	server := &http.Server{Handler: a.Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // it ends with Close
	}()
	return a, func() {
		_ = server.Close()
		<-done
	}, nil
}
