package oauth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const callbackPath = "/callback"

// page is the response to a redirect.
const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>mcptea</title>
<body style="font-family:sans-serif;margin:4em auto;max-width:30em;text-align:center">
<h1>mcptea</h1><p>%s</p></body></html>
`

const (
	// accepted does not say whether the authorization succeeded, which is not known yet.
	accepted = "The response has arrived. You can close this page and return to the terminal."
	// rejected is for the redirect of another authorization request, from an old tab or
	// a page that scans for the port.
	rejected = `This response belongs to another authorization request: its state is not the one that mcptea sent.
It was ignored. mcptea still waits for the right one.`
)

// loopbackListener receives the redirect of a flow on this machine (RFC 8252 §7.3).
type loopbackListener struct {
	uri    string // the redirect_uri of the authorization request
	run    *flowRun
	server *http.Server
	done   chan struct{} // closed when the server has ended
}

// listenLoopback listens on 127.0.0.1: on the port of the preferred redirect URI if it
// is free, else on any free one. The caller closes it.
func listenLoopback(ctx context.Context, preferred string, run *flowRun) (*loopbackListener, error) {
	var config net.ListenConfig
	var listener net.Listener
	if u, err := url.Parse(preferred); err == nil && u.Hostname() == "127.0.0.1" && u.Path == callbackPath && u.Port() != "" {
		listener, _ = config.Listen(ctx, "tcp", u.Host) // another process may have the port
	}
	if listener == nil {
		var err error
		if listener, err = config.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("cannot listen for the redirect of the browser: %w", err)
		}
	}
	l := &loopbackListener{uri: "http://" + listener.Addr().String() + callbackPath, run: run, done: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+callbackPath, l.handleCallback)
	l.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(l.done)
		_ = l.server.Serve(listener) // it ends with Close
	}()
	return l, nil
}

func (l *loopbackListener) handleCallback(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if !q.Has("state") { // not an authorization response
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

// Close shuts the server down, so that the browser gets its page, and frees the port.
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
