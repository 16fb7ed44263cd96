package link

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mcptea/cli/app"
	mcphttp "mcptea/client/transport/http"
)

// address is the value of --listen: HOST:PORT, or only a port on the loopback interface.
type address string

func (a *address) String() string { return string(*a) }
func (a *address) Type() string   { return "string" }
func (a *address) Set(text string) error {
	if text == "" {
		*a = ""
		return nil
	}
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if n, wrong := strconv.ParseUint(port, 10, 16); err != nil || wrong != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("write it as 8080, :8080 or 127.0.0.1:8080")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	*a = address(net.JoinHostPort(host, port))
	return nil
}

// DeclareListen declares --listen.
func DeclareListen(fs *pflag.FlagSet, to *string, usage string) {
	fs.Var((*address)(to), "listen", usage+" at this `ADDRESS`: PORT of this machine, or HOST:PORT")
}

// DeclareAddress declares a flag for an address to listen at.
func DeclareAddress(fs *pflag.FlagSet, to *string, name, usage string) {
	fs.Var((*address)(to), name, usage)
}

// ListenAt listens at the address of --listen, and warns of one that other machines can use.
func (p *Link) ListenAt(address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(p.Ctx, "tcp", address)
	if err != nil {
		return nil, app.Usage("Use a free address and port, such as --listen 127.0.0.1:0", "cannot listen: %v", err)
	}
	if tcp, ok := l.Addr().(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		p.Note("other machines can connect to " + l.Addr().String())
	}
	return l, nil
}

// ListenHTTP serves HTTP until the program is interrupted. The context of the handler ends
// then, which must end its streams. listening is called with the URL without a path.
func (p *Link) ListenHTTP(address string, handler func(context.Context) http.Handler, listening func(base string)) error {
	l, err := p.ListenAt(address)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(p.Ctx)
	defer stop(nil)
	server := &http.Server{Handler: mcphttp.WithBodyTimeout(handler(ctx), mcphttp.BodyTimeout), ReadHeaderTimeout: 10 * time.Second}
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
