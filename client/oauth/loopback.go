package oauth

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	mcphttp "mcptea/client/transport/http"
)

const callbackPath = "/callback"

// page is the response to a redirect.
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>mcptea</title>
<body style="font-family:sans-serif;margin:4em auto;max-width:30em;text-align:center">
<h1>mcptea</h1><p>%s</p></body></html>
`

const (
	// accepted does not mention whether the authorization succeeded, which is not known yet.
	accepted = "The response has arrived. You can close this page and return to the terminal."
	// rejected is for the redirect of another authorization request, from an old tab or
	// a page that scans for the port.
	rejected = `This response belongs to another authorization request: its state is not the state that mcptea sent.
It was ignored. mcptea still waits for the right one.`
)

// loopbackListener receives the redirect of a flow on this machine (RFC 8252 §7.3).
type loopbackListener struct {
	uri    string // the redirect_uri of the authorization request
	run    *flowRun
	server *http.Server
	done   chan struct{} // closed when the server has ended
}

// CheckRedirectURI returns why a URI cannot be [Config.RedirectURI], or nil.
func CheckRedirectURI(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" || !mcphttp.IsLoopback(u.Hostname()):
		return errors.New("it is not an http URL of this machine")
	case u.User != nil || u.RawQuery != "" || strings.Contains(text, "#"):
		return errors.New("it has a user name, a query or a fragment")
	case u.Port() == "0":
		return errors.New("it has the port 0")
	}
	return nil
}

// listenLoopback listens for the redirect. With a fixed redirect URI it listens on its host and port; without a port,
// and without a fixed URI, on the port of the preferred redirect URI if that is free and otherwise equal, else on any
// free port. The caller closes it.
func listenLoopback(ctx context.Context, fixed, preferred string, run *flowRun) (*loopbackListener, error) {
	if fixed == "" {
		fixed = "http://127.0.0.1" + callbackPath
	}
	u, err := url.Parse(fixed)
	if err != nil {
		return nil, err
	}
	if u.Path == "" {
		u.Path = "/"
	}
	host, port := u.Hostname(), u.Port()
	listenAt := host
	if listenAt != "::1" {
		listenAt = "127.0.0.1" // localhost may resolve to another address first; the browser then fails there and tries this one
	}
	var config net.ListenConfig
	var listener net.Listener
	if known, err := url.Parse(preferred); port == "" && err == nil && known.Port() != "" && known.Hostname() == host && known.EscapedPath() == u.EscapedPath() {
		listener, _ = config.Listen(ctx, "tcp", net.JoinHostPort(listenAt, known.Port())) // another process may have the port
	}
	if listener == nil {
		listener, err = config.Listen(ctx, "tcp", net.JoinHostPort(listenAt, cmp.Or(port, "0")))
		switch {
		case err != nil && port != "":
			return nil, fmt.Errorf("cannot listen for the redirect to %s: %w", fixed, err)
		case err != nil:
			return nil, fmt.Errorf("cannot listen for the redirect of the browser: %w", err)
		}
	}
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	u.Host = net.JoinHostPort(host, port)
	l := &loopbackListener{uri: u.String(), run: run, done: make(chan struct{})}
	mux := http.NewServeMux()
	path := u.Path
	mux.HandleFunc("GET /", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		l.handleCallback(w, r)
	})
	l.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(l.done)
		_ = l.server.Serve(listener) // it returns after Close
	}()
	return l, nil
}

func (l *loopbackListener) handleCallback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("state") { // the request is not an authorization response
		http.Error(w, "mcptea waits here for an authorization response.", http.StatusBadRequest)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer") // the URL of this page has the code in it
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	if state := l.run.state.Load(); state == nil || !hasState(q, *state) {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, page, rejected)
		return
	}
	fmt.Fprintf(w, page, accepted)
	l.run.called(q)
}

// hasState reports whether an authorization response has a state (RFC 6749 §10.12).
func hasState(answer url.Values, state string) bool {
	return subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) == 1
}

// Close shuts the server down gracefully, so that the browser still receives its page, and frees the port.
func (l *loopbackListener) Close() error {
	const grace = time.Second
	ctx, stop := context.WithTimeout(context.Background(), grace)
	defer stop()
	err := l.server.Shutdown(ctx)
	if err != nil {
		err = l.server.Close()
	}
	<-l.done
	return err
}
