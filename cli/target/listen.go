package target

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"mcptea/cli/app"
)

// ListenHTTP serves HTTP until the program is interrupted. The context of the handler ends
// then, which must end its streams. listening is called with the URL without a path.
func (p *Connection) ListenHTTP(address string, handler func(context.Context) http.Handler, listening func(base string)) error {
	var config net.ListenConfig
	l, err := config.Listen(p.Ctx, "tcp", address)
	if err != nil {
		return app.Usage("Use a free address and port, such as --http 127.0.0.1:0", "cannot listen: %v", err)
	}
	ctx, stop := context.WithCancelCause(p.Ctx)
	defer stop(nil)
	server := &http.Server{Handler: handler(ctx), ReadHeaderTimeout: 10 * time.Second}
	listening("http://" + l.Addr().String())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-p.Ctx.Done():
	}
	stop(context.Cause(p.Ctx))
	last, done := context.WithTimeout(p.ForceCtx, time.Second)
	defer done()
	if server.Shutdown(last) != nil {
		_ = server.Close() // a client keeps a connection open
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil // interrupted, as requested
}

// WithLoopback is an address to listen on: a port alone is one of the loopback interface.
func WithLoopback(address string) string {
	if !strings.Contains(address, ":") {
		return "127.0.0.1:" + address
	}
	return address
}
